// SPDX-License-Identifier: Apache-2.0
/// Reading DAPHNE's binary format; how it is laid out: DbdfLayout.h.
#include <algorithm>
#include <atomic>

#include "base/Cancellable.h"
#include "data/CopyCells.h"
#include "data/CsrEntries.h"
#include "io/Rows.h"
#include "io/files/Bytes.h"
#include "io/formats/DbdfLayout.h"

namespace daphne::io {

using namespace dbdf;

namespace {

/// Rows that an empty or sparse block may promise beyond what its bytes can hold.
constexpr size_t kRowsForNothing = size_t(1) << 24;

struct Header {
    uint8_t dataType;
    uint64_t rows, cols;
};

ValueType readType(ByteCursor &in) {
    auto code = in.number<uint8_t>("a value type");
    if (code >= std::size(kTypes))
        throw in.error("unknown value type " + std::to_string(code));
    return kTypes[code];
}

Header readHeader(ByteCursor &in) {
    auto version = in.number<uint8_t>("the header");
    if (version != kVersion)
        throw in.error("version " + std::to_string(version) + " of the binary format is not known, only " +
                       std::to_string(kVersion));
    Header h{};
    h.dataType = in.number<uint8_t>("the header");
    h.rows = in.number<uint64_t>("the header");
    h.cols = in.number<uint64_t>("the header");
    if (h.dataType < kDense || h.dataType > kFrame)
        throw in.error("unknown data type " + std::to_string(h.dataType));
    size_t cells;
    if (__builtin_mul_overflow(h.rows, h.cols, &cells) || cells > static_cast<size_t>(INT64_MAX) ||
        std::max(h.rows, h.cols) > static_cast<uint64_t>(INT64_MAX))
        throw in.error("a shape of " + std::to_string(h.rows) + "x" + std::to_string(h.cols) + " is too large");
    return h;
}

struct Block {
    uint64_t row, column; ///< in the grid
    uint32_t rows, cols;
    uint8_t kind;
};

Block readBlock(ByteCursor &in, ValueType type) {
    Block b{};
    b.row = in.number<uint64_t>("a block");
    b.column = in.number<uint64_t>("a block");
    b.rows = in.number<uint32_t>("a block");
    b.cols = in.number<uint32_t>("a block");
    b.kind = in.number<uint8_t>("a block");
    if (b.kind > kUltraSparseBlock)
        throw in.error("unknown block type " + std::to_string(b.kind));
    if (b.kind != kEmpty && readType(in) != type)
        throw in.error("a block has another value type than the matrix");
    if (b.kind == kEmpty && in.left() > 0)
        in.take(1, "a block"); // its type means nothing
    return b;
}

/// Where the parts of a sparse block are.
struct SparseBlock {
    ByteCursor begin; ///< for messages
    uint64_t rows, cols, count;
    std::string_view offsets, columns, values;
};

SparseBlock takeSparseBlock(ByteCursor &in, uint64_t rows, uint64_t cols, ValueType type) {
    SparseBlock b{in, rows, cols, in.number<uint64_t>("a sparse block"), {}, {}, {}};
    b.offsets = in.takeCells(rows + 1, 8, "the row offsets");
    b.columns = in.takeCells(b.count, 8, "the columns");
    b.values = in.takeCells(b.count, cellSize(type), "the values");
    return b;
}

/// The position of the first stored cell of a row, or the end of the last one.
uint64_t offsetOf(const SparseBlock &b, size_t row) {
    uint64_t offset;
    std::memcpy(&offset, b.offsets.data() + 8 * row, 8);
    return offset;
}

/// Whether all values of a block are 1: most graphs are stored like that. Usually the first piece tells.
template <class T> bool hasOnlyOnes(ReadJob &job, const SparseBlock &b) {
    std::atomic<bool> onlyOnes{b.count > 0};
    scanContent(job, b.values, [&](size_t, std::string_view piece) {
        bool differs = false;
        for (size_t at = 0; at < piece.size(); at += sizeof(T)) {
            T x;
            std::memcpy(&x, piece.data() + at, sizeof x);
            differs |= x != T(1);
        }
        if (differs)
            onlyOnes = false;
        return !differs;
    });
    return onlyOnes;
}

/// The columns of stored cells, as far as these are within a row ascending and inside of the matrix.
template <class I> class ColumnsOfBlock {
  public:
    ColumnsOfBlock(ReadJob &job, const SparseBlock &b, uint64_t begin, Csr &m) : b(b), m(m) {
        I *columns = m.mutableColumns<I>();
        scanContent(job, b.columns.substr(8 * begin, 8 * m.nonZeros()), [&](size_t at, std::string_view piece) {
            read(piece, at / 8, columns);
            return isInside.load();
        });
        // The first cell of a piece was not compared with the one before it.
        const uint64_t *offsets = m.offsets();
        for (uint64_t k : seams)
            if (!std::binary_search(offsets, offsets + m.rows() + 1, k))
                ascends = ascends && columns[k - 1] < columns[k];
    }
    bool areInside() const { return isInside; }
    bool ascend() const { return ascends; }

  private:
    void read(std::string_view piece, uint64_t first, I *columns) {
        uint64_t most = 0, end = first + piece.size() / 8;
        for (uint64_t k = first; k < end; ++k) {
            uint64_t column;
            std::memcpy(&column, piece.data() + 8 * (k - first), 8);
            most = std::max(most, column);
            columns[k] = static_cast<I>(column);
        }
        if (most >= b.cols)
            isInside = false;
        const uint64_t *offsets = m.offsets();
        auto row = static_cast<size_t>(std::upper_bound(offsets, offsets + m.rows() + 1, first) - offsets);
        bool disorder = false;
        for (uint64_t from = first; from < end; ++row) {
            uint64_t to = std::min(end, offsets[row]);
            for (uint64_t k = from + 1; k < to; ++k)
                disorder |= columns[k] <= columns[k - 1];
            from = to;
        }
        if (disorder)
            ascends = false;
        if (first > 0) {
            std::lock_guard lock(mutex);
            seams.push_back(first);
        }
    }
    const SparseBlock &b;
    Csr &m;
    std::atomic<bool> isInside{true}, ascends{true};
    std::mutex mutex;
    std::vector<uint64_t> seams;
};

/// Some rows of a block. Null if their columns do not ascend: then entry by entry. Whether values are stored depends on
/// the whole block, so that its parts are alike.
template <class T> Ref<Csr> rowsOfBlock(ReadJob &job, const SparseBlock &b, size_t first, size_t rows, ValueType type) {
    const Error disorder = b.begin.error("the row offsets do not ascend from 0 to the number of entries");
    uint64_t begin = offsetOf(b, first), end = offsetOf(b, first + rows);
    if (begin > end || end > b.count || (first == 0 && begin != 0) || (first + rows == b.rows && end != b.count))
        throw disorder;
    uint64_t stored = end - begin;
    auto values = hasOnlyOnes<T>(job, b) ? Csr::Values::AllOnes : Csr::Values::Stored;
    auto m = Csr::create(type, rows, b.cols, stored, values);
    uint64_t *offsets = m->mutableOffsets();
    copyContent(job, b.offsets.substr(8 * first, 8 * (rows + 1)), offsets);
    // The file may have changed meanwhile.
    if (offsets[0] != begin || offsets[rows] != end || !std::is_sorted(offsets, offsets + rows + 1))
        throw disorder;
    for (size_t r = 0; r <= rows && begin > 0; ++r)
        offsets[r] -= begin;
    if (values == Csr::Values::Stored)
        copyContent(job, b.values.substr(begin * sizeof(T), stored * sizeof(T)), m->template mutableValues<T>());
    bool ascend = withIndexType(m->hasWideIndex(), [&]<class I>(TypeTag<I>) {
        ColumnsOfBlock<I> columns(job, b, begin, *m);
        if (!columns.areInside())
            throw b.begin.error("a column number is outside of the matrix");
        return columns.ascend();
    });
    return ascend ? withoutZeros(std::move(m)) : Ref<Csr>();
}

/// Reads the blocks of one matrix with cells of type T.
template <class T> class BlockReader {
  public:
    BlockReader(ReadJob &job, ByteCursor &in, const Header &h, ValueType type) : job(job), in(in), h(h), type(type) {}

    Value read() {
        if (h.rows == 0 || h.cols == 0)
            return Dense::create(resultType(job, type), h.rows, h.cols);
        first = readBlock(in, type);
        if (first.row != 0 || first.column != 0 || first.rows == 0 || first.cols == 0)
            throw in.error("the first block must be at 0, 0 and not empty");
        bool single = first.rows == h.rows && first.cols == h.cols;
        if (single && first.kind == kDenseBlock)
            return readDense();
        if (single && first.kind == kSparseBlock)
            if (auto m = readCsr())
                return inWantedForm(withType(std::move(m), resultType(job, type)), job.request);
        return readEntries();
    }

  private:
    Value readDense() {
        std::string_view bytes = in.takeCells(h.rows * h.cols, sizeof(T), "the cells");
        auto m = Dense::create(type, h.rows, h.cols);
        copyContent(job, bytes, m->template mutableView<T>().data);
        return inWantedForm(converted(*m, resultType(job, type)), job.request);
    }

    /// Null if the columns do not ascend: then entry by entry.
    Ref<Csr> readCsr() {
        SparseBlock b = takeSparseBlock(in, h.rows, h.cols, type);
        Ref<Csr> m = rowsOfBlock<T>(job, b, 0, h.rows, type);
        if (!m)
            in.seek(b.begin.position());
        return m;
    }

    /// Any blocks, one after another.
    Value readEntries() {
        if (h.rows > kRowsForNothing + in.left())
            throw in.error("the file is too short for " + std::to_string(h.rows) + " rows");
        Entries<T> entries;
        uint64_t blockRows = (h.rows + first.rows - 1) / first.rows, blockCols = (h.cols + first.cols - 1) / first.cols;
        // Each block takes some bytes, so a loop over them is as long as the file at most.
        for (Block b = first; blockRows * blockCols > 0; b = readBlock(in, type)) {
            uint64_t top = b.row * first.rows, left = b.column * first.cols;
            if (b.row >= blockRows || b.column >= blockCols || b.rows != std::min<uint64_t>(first.rows, h.rows - top) ||
                b.cols != std::min<uint64_t>(first.cols, h.cols - left))
                throw in.error("a block of " + std::to_string(b.rows) + "x" + std::to_string(b.cols) +
                               " does not fit into the matrix");
            readBlockEntries(b, top, left, entries);
            if (++numBlocks == blockRows * blockCols)
                break;
        }
        auto m = csrFromEntries(entries, type, h.rows, h.cols, SamePlace::LastCounts);
        return inWantedForm(withType(std::move(m), resultType(job, type)), job.request);
    }

    T value(const char *bytes) {
        T x;
        std::memcpy(&x, bytes, sizeof x);
        return x;
    }
    uint64_t within(uint64_t i, uint64_t n) {
        if (i >= n)
            throw in.error("entry number " + std::to_string(i) + " is outside of a block of " + std::to_string(n));
        return i;
    }

    void readBlockEntries(const Block &b, uint64_t top, uint64_t left, Entries<T> &entries) {
        if (b.kind == kDenseBlock) {
            std::string_view bytes = in.takeCells(uint64_t(b.rows) * b.cols, sizeof(T), "a dense block");
            uint64_t k = 0;
            for (uint64_t r : cancellable(b.rows, b.cols))
                for (uint64_t c = 0; c < b.cols; ++c, ++k)
                    if (T x = value(bytes.data() + k * sizeof(T)); x != T(0))
                        entries.add(top + r, left + c, x);
        } else if (b.kind == kSparseBlock) {
            auto count = in.number<uint64_t>("a sparse block");
            std::string_view offsets = in.takeCells(uint64_t(b.rows) + 1, 8, "the row offsets");
            std::string_view columns = in.takeCells(count, 8, "the columns");
            std::string_view values = in.takeCells(count, sizeof(T), "the values");
            ByteCursor o(offsets, job.path), c(columns, job.path);
            uint64_t begin = o.template number<uint64_t>("the row offsets");
            for (uint64_t r : cancellable(b.rows, count / std::max<uint64_t>(1, b.rows))) {
                auto end = o.template number<uint64_t>("the row offsets");
                if (end < begin || end > count || (r == 0 && begin != 0))
                    throw in.error("the row offsets of a block do not ascend");
                for (; begin < end; ++begin)
                    entries.add(top + r, left + within(c.template number<uint64_t>("the columns"), b.cols),
                                value(values.data() + begin * sizeof(T)));
            }
        } else if (b.kind == kUltraSparseBlock) {
            auto count = in.number<uint32_t>("an ultra-sparse block");
            CancelCountdown look;
            size_t size = 4 + (b.cols > 1 ? 4 : 0) + sizeof(T);
            ByteCursor e(in.takeCells(count, size, "the entries"), job.path);
            for (uint32_t k = 0; k < count; ++k) {
                look.after(1);
                uint64_t r = within(e.template number<uint32_t>("an entry"), b.rows);
                uint64_t c = b.cols > 1 ? within(e.template number<uint32_t>("an entry"), b.cols) : 0;
                entries.add(top + r, left + c, e.template number<T>("an entry"));
            }
        }
    }

    ReadJob &job;
    ByteCursor &in;
    const Header h;
    const ValueType type;
    Block first{};
    uint64_t numBlocks = 0;
};

struct FrameHeader {
    std::vector<ValueType> types;
    std::vector<std::string> labels;
};

FrameHeader readFrameHeader(ByteCursor &in, const Header &h) {
    FrameHeader f;
    std::string_view codes = in.take(h.cols, "the column types"); // before memory for labels is taken
    for (uint64_t c = 0; c < h.cols; ++c) {
        if (static_cast<uint8_t>(codes[c]) >= std::size(kTypes))
            throw in.error("unknown value type " + std::to_string(static_cast<uint8_t>(codes[c])));
        f.types.push_back(kTypes[static_cast<uint8_t>(codes[c])]);
    }
    for (uint64_t c = 0; c < h.cols; ++c) {
        auto length = in.number<uint16_t>("a label");
        f.labels.emplace_back(in.take(length, "a label"));
    }
    in.take(16, "the block index");
    return f;
}

std::optional<Metadata> describe(ReadJob &job) {
    ByteCursor in(job.text(), job.path);
    Header h = readHeader(in);
    Metadata meta;
    meta.rows = h.rows;
    meta.cols = h.cols;
    if (h.dataType == kFrame) {
        FrameHeader f = readFrameHeader(in, h);
        meta.types = f.types;
        meta.labels = f.labels;
        return meta;
    }
    meta.valueType = readType(in);
    return meta;
}

Value readMatrix(ReadJob &job) {
    ByteCursor in(job.text(), job.path);
    Header h = readHeader(in);
    if (h.dataType == kFrame)
        throw job.error("it holds a frame, not a matrix").withHint("use readFrame");
    ValueType type = readType(in);
    if (!isNumeric(type))
        throw job.error("matrices of strings are not part of the format");
    Value result = withNumericType(type, [&]<class T>(TypeTag<T>) { return BlockReader<T>(job, in, h, type).read(); });
    if (in.left() > 0 && h.rows > 0 && h.cols > 0)
        throw in.error(std::to_string(in.left()) + " bytes too many");
    return result;
}

/// What stands before the first block; nothing for frames and matrices without cells.
struct FirstBlock {
    Header h;
    ValueType type;
    Block block;
    bool isAll; ///< of the matrix
};

std::optional<FirstBlock> takeFirstBlock(ByteCursor &in) {
    FirstBlock f{readHeader(in), ValueType::Unknown, {}, false};
    if (f.h.dataType == kFrame || f.h.rows == 0 || f.h.cols == 0)
        return std::nullopt;
    f.type = readType(in);
    if (!isNumeric(f.type))
        return std::nullopt;
    f.block = readBlock(in, f.type);
    f.isAll = f.block.row == 0 && f.block.column == 0 && f.block.rows == f.h.rows && f.block.cols == f.h.cols;
    return f;
}

/// The cells of a matrix in one dense block; nothing for other files.
struct DenseBlock {
    Header h;
    ValueType type;
    std::string_view cells;
};

std::optional<DenseBlock> findDenseBlock(ReadJob &job) {
    ByteCursor in(job.text(), job.path);
    std::optional<FirstBlock> f = takeFirstBlock(in);
    if (!f || !f->isAll || f->block.kind != kDenseBlock)
        return std::nullopt;
    DenseBlock d{f->h, f->type, in.takeCells(f->h.rows * f->h.cols, cellSize(f->type), "the cells")};
    return in.left() > 0 ? std::nullopt : std::optional(d);
}

/// A matrix in one dense block can be had more cheaply.
std::optional<WholeInfo> describeWhole(ReadJob &job) {
    ByteCursor in(job.text(), job.path);
    std::optional<FirstBlock> f = takeFirstBlock(in);
    if (!f || (f->isAll && f->block.kind == kDenseBlock))
        return std::nullopt;
    // A cell of a dense block takes the fewest bytes.
    uint64_t most = std::min<uint64_t>(f->h.rows * f->h.cols, in.left() / cellSize(f->type));
    if (f->isAll && f->block.kind == kSparseBlock)
        most = takeSparseBlock(in, f->h.rows, f->h.cols, f->type).count;
    else if (f->h.rows > kRowsForNothing + in.left())
        return std::nullopt;
    return WholeInfo{f->h.rows, f->h.cols, resultType(job, f->type), most};
}

Ref<Csr> readSparseRows(ReadJob &job, const SparseRows &wanted) {
    ByteCursor in(job.text(), job.path);
    std::optional<FirstBlock> f = takeFirstBlock(in);
    if (!f || !f->isAll || f->block.kind != kSparseBlock)
        return {};
    SparseBlock b = takeSparseBlock(in, f->h.rows, f->h.cols, f->type);
    if (wanted.first > b.rows || wanted.count > b.rows - wanted.first)
        throw job.error("it does not have the rows that are wanted");
    if (offsetOf(b, wanted.first + wanted.count) - offsetOf(b, wanted.first) != wanted.stored)
        return {}; // some are zeros
    Ref<Csr> rows = withNumericType(
        f->type, [&]<class T>(TypeTag<T>) { return rowsOfBlock<T>(job, b, wanted.first, wanted.count, f->type); });
    return rows ? withType(std::move(rows), resultType(job, f->type)) : rows;
}

std::optional<Metadata> describeRows(ReadJob &job) {
    std::optional<DenseBlock> d = findDenseBlock(job);
    if (!d)
        return std::nullopt;
    Metadata meta;
    meta.rows = d->h.rows;
    meta.cols = d->h.cols;
    meta.valueType = resultType(job, d->type);
    return meta;
}

Ref<Dense> readRows(ReadJob &job, size_t first, size_t count) {
    std::optional<DenseBlock> d = findDenseBlock(job);
    if (!d || first > d->h.rows || count > d->h.rows - first)
        throw job.error("it does not have the rows that are wanted");
    size_t rowBytes = d->h.cols * cellSize(d->type);
    auto m = Dense::create(d->type, count, d->h.cols);
    withNumericType(d->type, [&]<class T>(TypeTag<T>) {
        copyContent(job, d->cells.substr(first * rowBytes, count * rowBytes), m->template mutableView<T>().data);
    });
    return converted(*m, resultType(job, d->type));
}

Value readFrame(ReadJob &job) {
    ByteCursor in(job.text(), job.path);
    Header h = readHeader(in);
    if (h.dataType != kFrame) {
        Value m = readMatrix(job);
        return frameOf(m.matrix(), job);
    }
    FrameHeader f = readFrameHeader(in, h);
    size_t rowBytes = 0;
    for (ValueType t : f.types)
        rowBytes += t == ValueType::Str ? 4 : cellSize(t);
    if (rowBytes > 0 && h.rows > in.left() / rowBytes)
        throw in.error("the file is too short for " + std::to_string(h.rows) + " rows");
    auto frame = Ref<Frame>::make(h.rows);
    for (uint64_t c = 0; c < h.cols; ++c)
        frame->addColumn(f.labels[c], Dense::create(f.types[c], h.rows, 1));
    for (uint64_t r : cancellableRows(*frame))
        for (uint64_t c = 0; c < h.cols; ++c)
            withValueType(f.types[c], [&]<class T>(TypeTag<T>) {
                T &cell = frame->columns[c]->template mutableView<T>().data[r];
                if constexpr (std::is_same_v<T, std::string>)
                    cell = in.take(in.number<uint32_t>("a string"), "a string");
                else
                    cell = in.number<T>("a cell");
            });
    if (in.left() > 0)
        throw in.error(std::to_string(in.left()) + " bytes too many");
    if (!job.meta || !job.meta->hasSchema())
        return frame;
    if (job.meta->cols != h.cols)
        throw job.error("it has " + std::to_string(h.cols) + " columns, its meta data say " +
                        std::to_string(job.meta->cols));
    auto result = Ref<Frame>::make(h.rows);
    for (uint64_t c = 0; c < h.cols; ++c)
        result->addColumn(job.meta->labels[c], converted(*frame->columns[c], job.meta->types[c]));
    return result;
}

} // namespace

void addDbdf(FormatTable &t) {
    t.add({.extension = "dbdf",
           .title = "DAPHNE binary",
           .describe = describe,
           .readMatrix = readMatrix,
           .readFrame = readFrame,
           .writeMatrix = dbdf::write,
           .writeFrame = dbdf::write,
           .describeRows = describeRows,
           .readRows = readRows,
           .describeWhole = describeWhole,
           .readSparseRows = readSparseRows});
}

} // namespace daphne::io
