// SPDX-License-Identifier: Apache-2.0
#include "dist/protocol/Codec.h"

#include <algorithm>
#include <limits>

#include "base/Error.h"

namespace daphne::dist {

namespace {

enum DataType : uint8_t { kDense = 1, kCsr = 2, kFrame = 3, kScalar = 4 };
enum BlockType : uint8_t { kDenseBlock = 1, kCsrBlock = 2 };
enum CsrFlags : uint8_t { kWide = 1, kPattern = 2, kShown = 4 };
constexpr uint8_t kVersion = 1;
constexpr size_t kPrefixBytes = 18, kDenseHead = 45, kCsrHead = 54;

void writePrefix(ByteWriter &w, DataType type, uint64_t rows, uint64_t cols) {
    w.number(kVersion).number(type).number(rows).number(cols);
}

void writeMatrixHead(ByteWriter &w, DataType type, BlockType block, const Matrix &m) {
    constexpr uint64_t kMost = std::numeric_limits<uint32_t>::max();
    if (m.rows() > kMost || m.cols() > kMost)
        throw executionError("a matrix of shape " + m.shapeText() + " is too large to be sent in one piece");
    writePrefix(w, type, m.rows(), m.cols());
    w.number(m.type()).number(uint64_t(0)).number(uint64_t(0));
    w.number(static_cast<uint32_t>(m.rows())).number(static_cast<uint32_t>(m.cols())).number(block).number(m.type());
}

template <class T> std::span<const std::byte> bytesOf(const T *data, size_t n) {
    return {reinterpret_cast<const std::byte *>(data), n * sizeof(T)};
}

void writeStrings(ByteWriter &w, const Dense &m) {
    auto view = m.view<std::string>();
    for (size_t r = 0; r < view.rows; ++r)
        for (size_t c = 0; c < view.cols; ++c)
            w.text(view(r, c));
}

void addCells(const Dense &m, std::vector<std::span<const std::byte>> &pieces) {
    size_t cell = cellSize(m.type());
    if (m.contiguous())
        pieces.push_back({m.storage(), m.cells() * cell});
    else
        for (size_t r = 0; r < m.rows(); ++r)
            pieces.push_back({m.storage() + r * m.skip() * cell, m.cols() * cell});
}

void encodeCsr(const Csr &m, ByteWriter &w, std::vector<std::span<const std::byte>> &pieces) {
    writeMatrixHead(w, kCsr, kCsrBlock, m);
    w.number(static_cast<uint64_t>(m.nonZeros()));
    w.number(static_cast<uint8_t>((m.hasWideIndex() ? kWide : 0) | (m.isPattern() ? kPattern : 0) |
                                  (m.isShownAsCsr() ? kShown : 0)));
    const uint64_t *offsets = m.offsets();
    for (size_t r = 0; r <= m.rows(); ++r)
        w.number(offsets[r] - offsets[0]);
    withIndexType(m.hasWideIndex(),
                  [&]<class I>(TypeTag<I>) { pieces.push_back(bytesOf(m.columns<I>() + offsets[0], m.nonZeros())); });
    if (!m.isPattern())
        withNumericType(m.type(), [&]<class T>(TypeTag<T>) {
            pieces.push_back(bytesOf(m.values<T>() + offsets[0], m.nonZeros()));
        });
}

void encodeFrame(const Frame &f, ByteWriter &w) {
    writePrefix(w, kFrame, f.rows(), f.cols());
    for (size_t c = 0; c < f.cols(); ++c) {
        const Dense &column = *f.columns[c];
        w.number(column.type()).text(f.labels[c]);
        std::vector<std::span<const std::byte>> cells;
        if (column.type() == ValueType::Str)
            writeStrings(w, column);
        else
            addCells(column, cells);
        for (auto piece : cells)
            w.raw(piece);
    }
}

void requireTruthValues(ValueType type, const std::byte *cells, size_t n) {
    if (type == ValueType::Bool &&
        std::any_of(cells, cells + n, [](std::byte b) { return static_cast<uint8_t>(b) > 1; }))
        throw WireError("a truth value that is neither 0 nor 1");
}

ValueType readType(ByteReader &r) {
    auto type = r.number<uint8_t>();
    if (type > static_cast<uint8_t>(ValueType::Duration) || type == static_cast<uint8_t>(ValueType::Unknown))
        throw WireError("unknown value type " + std::to_string(type));
    return static_cast<ValueType>(type);
}

uint64_t product(uint64_t a, uint64_t b) {
    uint64_t result;
    if (__builtin_mul_overflow(a, b, &result))
        throw WireError("a size beyond 64 bits");
    return result;
}

void readCells(ByteReader &r, Dense &m) {
    if (m.type() == ValueType::Str) {
        auto view = m.mutableView<std::string>();
        for (size_t i = 0; i < m.cells(); ++i)
            view.data[i] = r.text(std::numeric_limits<uint32_t>::max());
        return;
    }
    withNumericType(m.type(), [&]<class T>(TypeTag<T>) {
        auto bytes = r.raw(m.cells() * sizeof(T));
        requireTruthValues(m.type(), bytes.data(), bytes.size());
        std::ranges::copy(bytes, reinterpret_cast<std::byte *>(m.mutableView<T>().data));
    });
}

Value readFrame(ByteReader &r, uint64_t rows, uint64_t cols, uint64_t total) {
    if (product(cols, 5) > total)
        throw WireError("too many columns for " + std::to_string(total) + " bytes");
    auto frame = Ref<Frame>::make(rows);
    for (uint64_t c = 0; c < cols; ++c) {
        ValueType type = readType(r);
        std::string label = r.text();
        size_t least = type == ValueType::Str ? 4 : cellSize(type);
        if (product(rows, least) > total)
            throw WireError("too many rows for " + std::to_string(total) + " bytes");
        auto column = Dense::create(type, rows, 1);
        readCells(r, *column);
        frame->addColumn(std::move(label), std::move(column));
    }
    return frame;
}

Value readScalar(ByteReader &r) {
    ValueType type = readType(r);
    if (type == ValueType::Str)
        return Value::string(r.text(std::numeric_limits<uint32_t>::max()));
    auto bits = r.number<uint64_t>();
    Value v = Value::adopt({slotTag(ValueKind::Scalar, type), bits});
    bool fits = withNumericType(type, [&]<class T>(TypeTag<T>) {
        return isFloat(type) ? sizeof(T) == 8 || bits >> 32 == 0 : Value::scalar(v.as<T>(), type).raw().bits == bits;
    });
    if (!fits)
        throw WireError("a number that its type does not have");
    return v;
}

} // namespace

Encoded encode(const Value &value) {
    Encoded out;
    out.value = value;
    ByteWriter w;
    std::vector<std::span<const std::byte>> arrays;
    if (value.isCsr()) {
        encodeCsr(value.csr(), w, arrays);
    } else if (value.isMatrix()) {
        writeMatrixHead(w, kDense, kDenseBlock, value.matrix());
        if (value.dense().type() == ValueType::Str)
            writeStrings(w, value.dense());
        else
            addCells(value.dense(), arrays);
    } else if (value.isFrame()) {
        encodeFrame(value.frame(), w);
    } else if (value.isScalar()) {
        writePrefix(w, kScalar, 1, 1);
        w.number(value.scalarType());
        value.isString() ? w.text(value.text()) : w.number(value.raw().bits);
    } else {
        throw internalError("this kind of value is never sent");
    }
    out.own = std::move(w.out);
    out.pieces.push_back(out.own);
    for (auto piece : arrays)
        if (!piece.empty())
            out.pieces.push_back(piece);
    for (auto piece : out.pieces)
        out.totalBytes += piece.size();
    return out;
}

void Decoder::add(std::span<const std::byte> bytes) {
    if (bytes.size() > total - received)
        throw WireError("more bytes than the " + std::to_string(total) + " announced");
    received += bytes.size();
    while (!bytes.empty()) {
        if (!hasBody) {
            // The longest head, a byte at a time at its end: heads are short.
            head.push_back(bytes.front());
            bytes = bytes.subspan(1);
            hasBody = startBody();
        } else if (isCollected) {
            head.insert(head.end(), bytes.begin(), bytes.end());
            bytes = {};
        } else {
            while (room < rooms.size() && rooms[room].size == 0)
                ++room;
            if (room == rooms.size())
                throw WireError("more bytes than the matrix has");
            size_t n = std::min(bytes.size(), rooms[room].size);
            // What lands in a matrix of the program is checked before.
            if (destination.data)
                requireTruthValues(destination.type, bytes.data(), n);
            std::memcpy(rooms[room].data, bytes.data(), n);
            rooms[room].data += n;
            rooms[room].size -= n;
            bytes = bytes.subspan(n);
        }
    }
    if (isComplete() && !hasBody)
        throw WireError("an object of " + std::to_string(total) + " bytes ends inside of its head");
}

void Decoder::fill(const std::function<void(std::span<std::byte>)> &copy) {
    if (!hasBody)
        throw WireError("an object of " + std::to_string(total) + " bytes without a head");
    // What lands in a matrix of the program is checked before.
    if (destination.data && destination.type == ValueType::Bool) {
        std::vector<std::byte> some(64 << 10);
        while (!isComplete()) {
            auto next = std::span(some).first(std::min<uint64_t>(some.size(), total - received));
            copy(next);
            add(next);
        }
    } else if (isCollected) {
        size_t begin = head.size();
        head.resize(begin + (total - received));
        copy(std::span(head).subspan(begin));
    } else {
        for (Room &r : rooms)
            copy({r.data, r.size});
        rooms.clear();
    }
    received = total;
}

/// Whether the head is complete; then there is room for the rest.
bool Decoder::startBody() {
    if (head.size() < kPrefixBytes)
        return false;
    ByteReader r(head);
    if (auto version = r.number<uint8_t>(); version != kVersion)
        throw WireError("version " + std::to_string(version) + " of the data format");
    auto type = r.number<uint8_t>();
    auto rows = r.number<uint64_t>(), cols = r.number<uint64_t>();
    if (type < kDense || type > kScalar)
        throw WireError("unknown data type " + std::to_string(type));
    if (destination.data && type != kDense)
        throw WireError("not the matrix that was expected");
    if (type == kFrame || type == kScalar)
        return isCollected = true;
    if (head.size() < (type == kDense ? kDenseHead : kCsrHead))
        return false;
    auto valueType = readType(r);
    r.raw(16);
    auto blockRows = r.number<uint32_t>(), blockCols = r.number<uint32_t>();
    auto block = r.number<uint8_t>();
    if (blockRows != rows || blockCols != cols || block != (type == kDense ? kDenseBlock : kCsrBlock) ||
        readType(r) != valueType)
        throw WireError("a block that does not fit its matrix");
    ByteReader again(head);
    again.raw(kDenseHead - 1);
    type == kDense ? startDense(again, rows, cols) : startCsr(again, rows, cols);
    return true;
}

void Decoder::startDense(ByteReader &r, uint64_t rows, uint64_t cols) {
    ValueType type = readType(r);
    uint64_t cells = product(rows, cols);
    if (type == ValueType::Str) {
        if (product(cells, 4) > total || destination.data)
            throw WireError("too many texts for " + std::to_string(total) + " bytes");
        isCollected = true;
        return;
    }
    if (product(cells, cellSize(type)) != total - kDenseHead)
        throw WireError("a " + std::to_string(rows) + "x" + std::to_string(cols) + " matrix in " +
                        std::to_string(total) + " bytes");
    if (destination.data) {
        if (type != destination.type || cells != destination.cells)
            throw WireError("not the matrix that was expected");
        rooms = {{destination.data, cells * cellSize(type)}};
        return;
    }
    auto m = Dense::create(type, rows, cols);
    rooms = {{reinterpret_cast<std::byte *>(m->mutableView<uint8_t>().data), cells * cellSize(type)}};
    value = std::move(m);
}

void Decoder::startCsr(ByteReader &r, uint64_t rows, uint64_t cols) {
    ValueType type = readType(r);
    stored = r.number<uint64_t>();
    auto flags = r.number<uint8_t>();
    bool wide = flags & kWide, pattern = flags & kPattern;
    if (flags > (kWide | kPattern | kShown) || wide != needsWideIndex(cols) || type == ValueType::Str)
        throw WireError("a sparse matrix of unknown form");
    uint64_t perStored = (wide ? 8 : 4) + (pattern ? 0 : cellSize(type));
    unsigned __int128 bytes =
        static_cast<unsigned __int128>(stored) * perStored + (static_cast<unsigned __int128>(rows) + 1) * 8 + kCsrHead;
    if (bytes != total)
        throw WireError("a sparse matrix with " + std::to_string(stored) + " cells in " + std::to_string(total) +
                        " bytes");
    if (found) {
        uint64_t width = wide ? 8 : 4, capacity = found->columns.bytes / width;
        firstStored = found->columns.begin / width;
        bool isRight = found->columns.begin % width == 0 && pattern == !found->values.buffer;
        if (!pattern) {
            capacity = std::min(capacity, found->values.bytes / cellSize(type));
            isRight = isRight && found->values.begin == firstStored * cellSize(type);
        }
        if (!isRight || firstStored > capacity || stored > capacity - firstStored)
            throw WireError("arrays that are not those of the matrix");
        auto m = Csr::withCells(type, rows, cols, capacity, found->columns.buffer, found->values.buffer);
        rooms.push_back({reinterpret_cast<std::byte *>(m->mutableOffsets()), (rows + 1) * 8});
        value = flags & kShown ? Csr::shown(*m, true) : std::move(m);
        return;
    }
    auto m = Csr::create(type, rows, cols, stored, pattern ? Csr::Values::AllOnes : Csr::Values::Stored);
    rooms.push_back({reinterpret_cast<std::byte *>(m->mutableOffsets()), (rows + 1) * 8});
    withIndexType(wide, [&]<class I>(TypeTag<I>) {
        rooms.push_back({reinterpret_cast<std::byte *>(m->mutableColumns<I>()), stored * sizeof(I)});
    });
    if (!pattern)
        rooms.push_back({reinterpret_cast<std::byte *>(m->mutableValues<uint8_t>()), stored * cellSize(type)});
    value = flags & kShown ? Csr::shown(*m, true) : std::move(m);
}

void Decoder::checkContent() {
    if (value.isCsr()) {
        Csr &m = value.csr();
        if (m.offsets()[0] != 0 || m.offsets()[m.rows()] != stored)
            throw WireError("a sparse matrix whose rows do not cover its cells");
        // Inside of the matrix, before anything is looked up through an offset.
        for (size_t r = 0; r < m.rows(); ++r)
            if (m.offsets()[r] > m.offsets()[r + 1] || m.offsets()[r + 1] > stored)
                throw WireError("a sparse matrix whose offsets descend");
        for (size_t r = 0; r <= m.rows() && firstStored > 0; ++r)
            m.mutableOffsets()[r] += firstStored;
        if (!m.isPattern() && m.type() == ValueType::Bool)
            requireTruthValues(m.type(), m.values<std::byte>() + firstStored, stored);
        try {
            m.check();
        } catch (const Error &e) {
            throw WireError(e.message);
        }
    } else if (value.isMatrix() && value.dense().type() == ValueType::Bool) {
        requireTruthValues(ValueType::Bool, value.dense().view<std::byte>().data, value.dense().cells());
    }
}

Value Decoder::take() {
    if (!isComplete())
        throw WireError("an object ends after " + std::to_string(received) + " of " + std::to_string(total) + " bytes");
    if (isCollected) {
        ByteReader r(head);
        r.raw(1);
        auto type = r.number<uint8_t>();
        auto rows = r.number<uint64_t>(), cols = r.number<uint64_t>();
        try {
            if (type == kScalar) {
                value = readScalar(r);
            } else if (type == kFrame) {
                value = readFrame(r, rows, cols, total);
            } else {
                r.raw(kDenseHead - kPrefixBytes);
                auto m = Dense::create(ValueType::Str, rows, cols);
                readCells(r, *m);
                value = std::move(m);
            }
        } catch (const Error &e) {
            throw WireError(e.message);
        }
        r.end();
    }
    checkContent();
    return std::move(value);
}

} // namespace daphne::dist
