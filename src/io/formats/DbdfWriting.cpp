// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "base/Cancellable.h"
#include "io/files/Bytes.h"
#include "io/formats/DbdfLayout.h"

namespace daphne::io::dbdf {

namespace {

ValueType storedType(ValueType t) {
    return t == ValueType::Bool ? ValueType::UI8 : t == ValueType::Size ? ValueType::UI64 : t;
}

uint8_t codeOf(ValueType t) {
    return static_cast<uint8_t>(std::find(std::begin(kTypes), std::end(kTypes), storedType(t)) - std::begin(kTypes));
}

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

} // namespace

void write(const Matrix &m, WriteJob &job) {
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

void write(const Frame &f, WriteJob &job) {
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
    for (size_t r : cancellableRows(f)) {
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

} // namespace daphne::io::dbdf
