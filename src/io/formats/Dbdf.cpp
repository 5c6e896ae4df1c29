// SPDX-License-Identifier: Apache-2.0
/// DAPHNE's binary format, little-endian without padding.
///
///     u8 version = 1, u8 data type (1 dense, 2 CSR, 3 frame), u64 rows, u64 columns
///     matrix: u8 value type, blocks
///     frame:  one u8 value type per column, per column u16 length and label, u64 u64 block index, cells row by row
///     block:  u64 row index, u64 column index, u32 rows, u32 columns, u8 kind, u8 value type, cells
///
/// Blocks are dense (cells row by row), sparse (u64 count, u64 row offsets, u64
/// columns, values), ultra-sparse (u32 count, then u32 row, u32 column if there is
/// more than one, value) or empty. A matrix has one block, or a grid of blocks of
/// which all but the last of a row and of a column are as large as the first. A
/// string is u32 length and bytes; only frames hold strings. bool is stored as ui8.
#include <algorithm>
#include <limits>

#include "data/CopyCells.h"
#include "data/CsrEntries.h"
#include "io/Bytes.h"
#include "io/Rows.h"

namespace daphne::io {

namespace {

constexpr uint8_t kVersion = 1;
enum DataType : uint8_t { kDense = 1, kCsr = 2, kFrame = 3 };
enum BlockKind : uint8_t { kEmpty, kDenseBlock, kSparseBlock, kUltraSparseBlock };
constexpr ValueType kTypes[] = {ValueType::SI8,  ValueType::SI32, ValueType::SI64, ValueType::UI8, ValueType::UI32,
                                ValueType::UI64, ValueType::F32,  ValueType::F64,  ValueType::Str};
constexpr uint64_t kMostBlockRows = std::numeric_limits<uint32_t>::max();
/// Rows that an empty or sparse block may promise beyond what its bytes can hold.
constexpr size_t kRowsForNothing = size_t(1) << 24;

ValueType storedType(ValueType t) {
    return t == ValueType::Bool ? ValueType::UI8 : t == ValueType::Size ? ValueType::UI64 : t;
}

uint8_t codeOf(ValueType t) {
    return static_cast<uint8_t>(std::find(std::begin(kTypes), std::end(kTypes), storedType(t)) - std::begin(kTypes));
}

// -------------------------------------------------------------------- reading

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
        ByteCursor start = in;
        auto count = in.number<uint64_t>("a sparse block");
        std::string_view offsetBytes = in.takeCells(h.rows + 1, 8, "the row offsets");
        std::string_view columnBytes = in.takeCells(count, 8, "the columns");
        std::string_view valueBytes = in.takeCells(count, sizeof(T), "the values");
        auto m = Csr::create(type, h.rows, h.cols, count);
        uint64_t *offsets = m->mutableOffsets();
        copyContent(job, offsetBytes, offsets);
        if (offsets[0] != 0 || offsets[h.rows] != count || !std::is_sorted(offsets, offsets + h.rows + 1))
            throw start.error("the row offsets do not ascend from 0 to the number of entries");
        copyContent(job, valueBytes, m->template mutableValues<T>());
        std::atomic<bool> ascending{true}, inside{true};
        withIndexType(m->hasWideIndex(), [&]<class I>(TypeTag<I>) {
            I *columns = m->template mutableColumns<I>();
            constexpr size_t kRows = 4096;
            forEachTask(job.request.pool, (h.rows + kRows - 1) / kRows, [&](size_t i) {
                for (size_t r = i * kRows; r < std::min<size_t>(h.rows, (i + 1) * kRows); ++r)
                    for (uint64_t k = offsets[r]; k < offsets[r + 1]; ++k) {
                        uint64_t column;
                        std::memcpy(&column, columnBytes.data() + 8 * k, 8);
                        if (column >= h.cols)
                            inside = false;
                        columns[k] = static_cast<I>(column);
                        if (k > offsets[r] && columns[k] <= columns[k - 1])
                            ascending = false;
                    }
            });
        });
        if (!inside)
            throw start.error("a column number is outside of the matrix");
        if (!ascending) {
            in.seek(start.position());
            return {};
        }
        return withoutZeros(std::move(m));
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
            for (uint64_t r = 0, k = 0; r < b.rows; ++r)
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
            for (uint64_t r = 0; r < b.rows; ++r) {
                auto end = o.template number<uint64_t>("the row offsets");
                if (end < begin || end > count || (r == 0 && begin != 0))
                    throw in.error("the row offsets of a block do not ascend");
                for (; begin < end; ++begin)
                    entries.add(top + r, left + within(c.template number<uint64_t>("the columns"), b.cols),
                                value(values.data() + begin * sizeof(T)));
            }
        } else if (b.kind == kUltraSparseBlock) {
            auto count = in.number<uint32_t>("an ultra-sparse block");
            size_t size = 4 + (b.cols > 1 ? 4 : 0) + sizeof(T);
            ByteCursor e(in.takeCells(count, size, "the entries"), job.path);
            for (uint32_t k = 0; k < count; ++k) {
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

/// The cells of a matrix in one dense block; nothing for other files.
struct DenseBlock {
    Header h;
    ValueType type;
    std::string_view cells;
};

std::optional<DenseBlock> findDenseBlock(ReadJob &job) {
    ByteCursor in(job.text(), job.path);
    DenseBlock d{readHeader(in), ValueType::Unknown, {}};
    if (d.h.dataType == kFrame || d.h.rows == 0 || d.h.cols == 0)
        return std::nullopt;
    d.type = readType(in);
    if (!isNumeric(d.type))
        return std::nullopt;
    Block b = readBlock(in, d.type);
    if (b.row != 0 || b.column != 0 || b.rows != d.h.rows || b.cols != d.h.cols || b.kind != kDenseBlock)
        return std::nullopt;
    d.cells = in.takeCells(d.h.rows * d.h.cols, cellSize(d.type), "the cells");
    if (in.left() > 0)
        return std::nullopt;
    return d;
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
    for (uint64_t r = 0; r < h.rows && h.cols > 0; ++r)
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

// -------------------------------------------------------------------- writing

std::string headerOf(uint8_t dataType, size_t rows, size_t cols) {
    std::string out;
    appendRaw(out, kVersion);
    appendRaw(out, dataType);
    appendRaw<uint64_t>(out, rows);
    appendRaw<uint64_t>(out, cols);
    return out;
}

std::string blockHeader(uint64_t row, size_t rows, size_t cols, BlockKind kind, ValueType type) {
    std::string out;
    appendRaw<uint64_t>(out, row);
    appendRaw<uint64_t>(out, 0);
    appendRaw(out, static_cast<uint32_t>(rows));
    appendRaw(out, static_cast<uint32_t>(cols));
    appendRaw<uint8_t>(out, kind);
    appendRaw(out, codeOf(type));
    return out;
}

void writeSparseBlock(const Csr &m, WriteJob &job) {
    std::string head;
    appendRaw<uint64_t>(head, m.nonZeros());
    job.file.write(head);
    uint64_t first = m.offsets()[0];
    std::vector<uint64_t> numbers(m.offsets(), m.offsets() + m.rows() + 1);
    for (uint64_t &o : numbers)
        o -= first;
    auto writeNumbers = [&] { job.file.write({reinterpret_cast<const char *>(numbers.data()), numbers.size() * 8}); };
    writeNumbers();
    withIndexType(m.hasWideIndex(), [&]<class I>(TypeTag<I>) {
        const I *columns = m.columns<I>() + first;
        for (size_t begin = 0; begin < m.nonZeros(); begin += 1 << 16) {
            numbers.assign(columns + begin, columns + std::min<size_t>(m.nonZeros(), begin + (1 << 16)));
            writeNumbers();
        }
    });
    withNumericType(m.type(), [&]<class T>(TypeTag<T>) {
        const T *values = m.values<T>() + first;
        job.file.write({reinterpret_cast<const char *>(values), m.nonZeros() * sizeof(T)});
    });
}

void writeMatrix(const Matrix &m, WriteJob &job) {
    if (!isNumeric(m.type()))
        throw executionError("cannot write file \"" + job.file.targetPath() +
                             "\": matrices of strings are not part of the format")
            .withHint("a frame can hold them");
    if (m.cols() > kMostBlockRows)
        throw executionError("cannot write file \"" + job.file.targetPath() + "\": too many columns");
    std::string head = headerOf(m.isCsr() ? kCsr : kDense, m.rows(), m.cols());
    appendRaw(head, codeOf(m.type()));
    job.file.write(head);
    size_t step = job.request.blockRows ? std::min<size_t>(job.request.blockRows, kMostBlockRows) : kMostBlockRows;
    for (size_t begin = 0, index = 0; begin < m.rows() || begin == 0; begin += step, ++index) {
        size_t end = std::min(m.rows(), begin + step);
        BlockKind kind = m.isCsr() ? kSparseBlock : kDenseBlock;
        job.file.write(blockHeader(index, end - begin, m.cols(), kind, m.type()));
        if (m.isCsr())
            writeSparseBlock(*withValues(*Csr::rowWindow(static_cast<const Csr &>(m), begin, end)), job);
        else
            writeCells(*Dense::window(static_cast<const Dense &>(m), begin, end, 0, m.cols()), job.file);
    }
}

void writeFrame(const Frame &f, WriteJob &job) {
    std::string head = headerOf(kFrame, f.rows(), f.cols());
    for (const auto &column : f.columns)
        appendRaw(head, codeOf(column->type()));
    for (const std::string &label : f.labels) {
        if (label.size() > std::numeric_limits<uint16_t>::max())
            throw executionError("cannot write file \"" + job.file.targetPath() + "\": a label is too long");
        appendRaw(head, static_cast<uint16_t>(label.size()));
        head += label;
    }
    job.file.write(head.append(16, '\0'));
    std::string row;
    for (size_t r = 0; r < f.rows(); ++r) {
        row.clear();
        for (const auto &column : f.columns)
            withValueType(column->type(), [&]<class T>(TypeTag<T>) {
                const T &cell = *column->template view<T>().row(r);
                if constexpr (std::is_same_v<T, std::string>) {
                    if (cell.size() > std::numeric_limits<uint32_t>::max())
                        throw executionError("cannot write file \"" + job.file.targetPath() +
                                             "\": a string is too long");
                    appendRaw(row, static_cast<uint32_t>(cell.size()));
                    row += cell;
                } else {
                    appendRaw(row, cell);
                }
            });
        job.file.write(row);
    }
}

} // namespace

RowFormat rowsOfDbdf() { return {"dbdf", describeRows, readRows}; }

void addDbdf(FormatTable &t) {
    t.add({.extension = "dbdf",
           .title = "DAPHNE binary",
           .describe = describe,
           .readMatrix = readMatrix,
           .readFrame = readFrame,
           .writeMatrix = writeMatrix,
           .writeFrame = writeFrame});
}

} // namespace daphne::io
