// SPDX-License-Identifier: Apache-2.0
/// Values of daphne.h: memory of the host as matrices and back, without copying
/// where the layout allows.
#include <algorithm>
#include <cstring>

#include "capi/Handles.h"
#include "data/Sequence.h"

using namespace daphne;
using namespace daphne::capi;

static_assert(DAPHNE_BOOL == static_cast<int>(ValueType::Bool) && DAPHNE_SIZE == static_cast<int>(ValueType::Size) &&
              DAPHNE_F64 == static_cast<int>(ValueType::F64) && DAPHNE_STR == static_cast<int>(ValueType::Str) &&
              DAPHNE_ANY == static_cast<int>(ValueType::Unknown));

namespace {

ValueType numericType(uint32_t type) {
    need(type < DAPHNE_STR, "cells of this type are no numbers");
    return static_cast<ValueType>(type);
}

void needShape(uint64_t rows, uint64_t cols, size_t cellBytes) {
    unsigned __int128 bytes = static_cast<unsigned __int128>(rows) * cols * cellBytes;
    need(bytes <= INT64_MAX, "a matrix of this shape cannot be in memory");
}

/// Several buffers over memory that is released once, when the last of them goes.
class SharedRelease {
  public:
    SharedRelease(daphne_release release, void *user, int buffers) : release(release), user(user), left(buffers) {}
    static void drop(void *self) {
        auto *shared = static_cast<SharedRelease *>(self);
        if (shared->left.fetch_sub(1, std::memory_order_acq_rel) == 1) {
            if (shared->release)
                shared->release(shared->user);
            delete shared;
        }
    }

  private:
    daphne_release release;
    void *user;
    std::atomic<int> left;
};

bool isAligned(const void *p, size_t bytes) { return reinterpret_cast<uintptr_t>(p) % bytes == 0; }

/// Bools of others may be any byte; ours are 0 or 1.
bool hasOnlyTruthValues(const void *cells, uint64_t count) {
    auto *bytes = static_cast<const uint8_t *>(cells);
    uint8_t all = 0;
    for (uint64_t i = 0; i < count; ++i)
        all |= bytes[i];
    return all <= 1;
}

Ref<Dense> denseOf(const daphne_dense &view, daphne_release release, void *user) {
    ValueType type = numericType(view.type);
    size_t cell = cellSize(type);
    needShape(view.rows, view.cols, cell);
    need(view.data || view.rows * view.cols == 0, "daphne_value_dense: there are no cells");
    int64_t rowBytes = view.row_bytes ? view.row_bytes : static_cast<int64_t>(view.cols * cell);
    bool hasOneRow = view.rows <= 1;
    need(hasOneRow || rowBytes >= 0, "daphne_value_dense: rows go backwards");
    need(hasOneRow || static_cast<uint64_t>(rowBytes) >= view.cols * cell, "daphne_value_dense: rows overlap");
    bool canBorrow = isAligned(view.data, cell) && (hasOneRow || rowBytes % static_cast<int64_t>(cell) == 0) &&
                     view.rows * view.cols > 0;
    size_t skip = hasOneRow ? view.cols : static_cast<size_t>(rowBytes) / cell;
    if (canBorrow && type == ValueType::Bool)
        for (uint64_t r = 0; r < view.rows; ++r)
            if (!hasOnlyTruthValues(static_cast<const char *>(view.data) + r * static_cast<uint64_t>(rowBytes),
                                    view.cols))
                throw UsageError("daphne_value_dense: a bool is neither 0 nor 1");
    if (canBorrow) {
        size_t cells = (view.rows - 1) * skip + view.cols;
        return Dense::over(type, Buffer::borrow(type, view.data, cells, release, user), view.rows, view.cols, skip);
    }
    auto copy = Dense::create(type, view.rows, view.cols);
    auto *to = reinterpret_cast<char *>(copy->mutableView<uint8_t>().data);
    for (uint64_t r = 0; r < view.rows; ++r)
        std::memcpy(to + r * view.cols * cell,
                    static_cast<const char *>(view.data) + static_cast<int64_t>(r) * rowBytes, view.cols * cell);
    if (release)
        release(user);
    return copy;
}

// ---- sparse matrices

template <class Offset, class Column> struct ForeignCsr {
    const Offset *offsets;
    const Column *columns;
};

/// Offsets ascend and columns are inside; whether it is also canonical: columns ascend, no zeros.
template <class Offset, class Column> bool checkStructure(const daphne_csr &view) {
    auto *offsets = static_cast<const Offset *>(view.offsets);
    auto *columns = static_cast<const Column *>(view.columns);
    need(offsets[0] == 0, "daphne_value_csr: the first offset is not 0");
    bool ascends = true;
    for (uint64_t r = 0; r < view.rows; ++r) {
        if (offsets[r + 1] < offsets[r])
            throw UsageError("daphne_value_csr: the offsets of row " + std::to_string(r) + " descend");
        for (auto k = static_cast<uint64_t>(offsets[r]); k < static_cast<uint64_t>(offsets[r + 1]); ++k) {
            if (static_cast<uint64_t>(columns[k]) >= view.cols)
                throw UsageError("daphne_value_csr: row " + std::to_string(r) + " has a cell in column " +
                                 std::to_string(columns[k]) + " of " + std::to_string(view.cols));
            ascends &= k == static_cast<uint64_t>(offsets[r]) || columns[k - 1] < columns[k];
        }
    }
    return ascends;
}

/// A copy with our index types, columns in order, equal ones added up, without zeros.
template <class Offset, class Column> Ref<Csr> canonicalCopy(const daphne_csr &view, ValueType type) {
    auto *offsets = static_cast<const Offset *>(view.offsets);
    auto *columns = static_cast<const Column *>(view.columns);
    auto stored = static_cast<uint64_t>(offsets[view.rows]);
    auto result = Csr::create(type, view.rows, view.cols, stored);
    withIndexType(result->hasWideIndex(), [&]<class I>(TypeTag<I>) {
        withNumericType(type, [&]<class T>(TypeTag<T>) {
            auto *values = static_cast<const T *>(view.values);
            uint64_t *toOffsets = result->mutableOffsets();
            I *toColumns = result->template mutableColumns<I>();
            T *toValues = result->template mutableValues<T>();
            std::vector<std::pair<uint64_t, T>> row;
            uint64_t at = 0;
            for (uint64_t r = 0; r < view.rows; ++r) {
                row.clear();
                for (auto k = static_cast<uint64_t>(offsets[r]); k < static_cast<uint64_t>(offsets[r + 1]); ++k)
                    row.emplace_back(columns[k], values ? values[k] : T(1));
                std::stable_sort(row.begin(), row.end(), [](auto &a, auto &b) { return a.first < b.first; });
                for (size_t i = 0; i < row.size();) {
                    T sum = row[i].second;
                    size_t next = i + 1;
                    for (; next < row.size() && row[next].first == row[i].first; ++next)
                        sum = static_cast<T>(sum + row[next].second);
                    if (sum != T(0)) {
                        toColumns[at] = static_cast<I>(row[i].first);
                        toValues[at++] = sum;
                    }
                    i = next;
                }
                toOffsets[r + 1] = at;
            }
        });
    });
    return result;
}

template <class F> decltype(auto) withWidths(const daphne_csr &view, F &&f) {
    bool wideOffsets = view.offset_bits == 64, wideColumns = view.column_bits == 64;
    if (wideOffsets)
        return wideColumns ? f(TypeTag<uint64_t>{}, TypeTag<uint64_t>{}) : f(TypeTag<uint64_t>{}, TypeTag<uint32_t>{});
    return wideColumns ? f(TypeTag<uint32_t>{}, TypeTag<uint64_t>{}) : f(TypeTag<uint32_t>{}, TypeTag<uint32_t>{});
}

bool hasZero(const daphne_csr &view, ValueType type, uint64_t stored) {
    return view.values && withNumericType(type, [&]<class T>(TypeTag<T>) {
               auto *values = static_cast<const T *>(view.values);
               return std::find(values, values + stored, T(0)) != values + stored;
           });
}

template <class Offset> BufferRef wideOffsets(const Offset *offsets, uint64_t count) {
    BufferRef wide(Buffer::create(ValueType::UI64, count, Buffer::Init::None));
    std::copy_n(offsets, count, wide.as<uint64_t>());
    return wide;
}

Ref<Csr> csrOf(const daphne_csr &view, daphne_release release, void *user) {
    ValueType type = numericType(view.type);
    needShape(view.rows, view.cols, 1);
    need(view.offset_bits == 32 || view.offset_bits == 64, "daphne_value_csr: offsets have 32 or 64 bits");
    need(view.column_bits == 32 || view.column_bits == 64, "daphne_value_csr: columns have 32 or 64 bits");
    need(view.offsets, "daphne_value_csr: there are no offsets");
    need(isAligned(view.offsets, view.offset_bits / 8), "daphne_value_csr: offsets are not aligned");
    return withWidths(view, [&]<class Offset, class Column>(TypeTag<Offset>, TypeTag<Column>) -> Ref<Csr> {
        auto stored = static_cast<uint64_t>(static_cast<const Offset *>(view.offsets)[view.rows]);
        need(view.columns || stored == 0, "daphne_value_csr: there are no columns");
        need(isAligned(view.columns, sizeof(Column)), "daphne_value_csr: columns are not aligned");
        need(isAligned(view.values, cellSize(type)), "daphne_value_csr: values are not aligned");
        bool isCanonical =
            (view.flags & DAPHNE_CANONICAL) || (checkStructure<Offset, Column>(view) && !hasZero(view, type, stored));
        bool fits = sizeof(Column) == (needsWideIndex(view.cols) ? 8 : 4);
        if (!isCanonical || !fits || stored == 0) {
            auto copy = canonicalCopy<Offset, Column>(view, type);
            if (release)
                release(user);
            return copy;
        }
        constexpr bool kSharesOffsets = sizeof(Offset) == 8;
        BufferRef wide;
        if constexpr (!kSharesOffsets)
            wide = wideOffsets(static_cast<const Offset *>(view.offsets), view.rows + 1);
        auto *shared = new SharedRelease(release, user, 1 + (kSharesOffsets ? 1 : 0) + (view.values ? 1 : 0));
        auto borrow = [&](ValueType t, const void *cells, uint64_t count) {
            return BufferRef(Buffer::borrow(t, cells, count, &SharedRelease::drop, shared));
        };
        if constexpr (kSharesOffsets)
            wide = borrow(ValueType::UI64, view.offsets, view.rows + 1);
        return Csr::over(type, view.rows, view.cols, std::move(wide),
                         borrow(sizeof(Column) == 8 ? ValueType::UI64 : ValueType::UI32, view.columns, stored),
                         view.values ? borrow(type, view.values, stored) : BufferRef());
    });
}

const Value &valueOf(const daphne_value *value) {
    need(value, "there is no value");
    return value->value;
}

bool isStrings(const Value &v) { return v.isMatrix() && v.matrix().type() == ValueType::Str; }

/// A matrix whose first stored cell is at position 0.
Ref<Csr> wholeCsr(const Csr &m) {
    uint64_t first = m.offsets()[0], stored = m.nonZeros();
    auto copy =
        Csr::create(m.type(), m.rows(), m.cols(), stored, m.isPattern() ? Csr::Values::AllOnes : Csr::Values::Stored);
    for (size_t r = 0; r <= m.rows(); ++r)
        copy->mutableOffsets()[r] = m.offsets()[r] - first;
    withIndexType(m.hasWideIndex(), [&]<class I>(TypeTag<I>) {
        std::copy_n(m.columns<I>() + first, stored, copy->template mutableColumns<I>());
    });
    if (!m.isPattern())
        withNumericType(m.type(), [&]<class T>(TypeTag<T>) {
            std::copy_n(m.values<T>() + first, stored, copy->template mutableValues<T>());
        });
    return copy;
}

} // namespace

daphne_value *daphne::capi::newValue(Value v) {
    auto handle = std::make_unique<daphne_value>();
    handle->value = v.isCsr() && v.csr().offsets()[0] != 0 ? Value(wholeCsr(v.csr())) : std::move(v);
    return handle.release();
}

extern "C" {

int daphne_value_dense(const daphne_dense *view, daphne_release release, void *user, daphne_value **value,
                       daphne_error **error) {
    return guarded(error, [&] {
        need(value, "daphne_value_dense: nowhere to put the value");
        *value = newValue(denseOf(known(view, "daphne_value_dense: view"), release, user));
    });
}

int daphne_value_csr(const daphne_csr *view, daphne_release release, void *user, daphne_value **value,
                     daphne_error **error) {
    return guarded(error, [&] {
        need(value, "daphne_value_csr: nowhere to put the value");
        *value = newValue(csrOf(known(view, "daphne_value_csr: view"), release, user));
    });
}

int daphne_value_number(uint32_t type, uint64_t bits, daphne_value **value, daphne_error **error) {
    return guarded(error, [&] {
        need(value, "daphne_value_number: nowhere to put the value");
        Slot slot{slotTag(ValueKind::Scalar, numericType(type)), bits};
        *value = newValue(withNumericType(numericType(type), [&]<class T>(TypeTag<T>) {
            // Bits that do not belong to the number are dropped.
            return Value::scalar(Value::adopt(slot).as<T>(), numericType(type));
        }));
    });
}

int daphne_value_text(const char *text, size_t length, daphne_value **value, daphne_error **error) {
    return guarded(error, [&] {
        need(value && (text || length == 0), "daphne_value_text: text or value is missing");
        *value = newValue(Value::string(std::string(text, length)));
    });
}

int daphne_value_strings(const char *const *cells, uint64_t rows, uint64_t cols, daphne_value **value,
                         daphne_error **error) {
    return guarded(error, [&] {
        needShape(rows, cols, sizeof(std::string));
        need(value && (cells || rows * cols == 0), "daphne_value_strings: cells or value is missing");
        auto m = Dense::create(ValueType::Str, rows, cols);
        auto out = m->mutableView<std::string>();
        for (uint64_t i = 0; i < rows * cols; ++i) {
            need(cells[i], "daphne_value_strings: a cell is missing");
            out.data[i] = cells[i];
        }
        *value = newValue(std::move(m));
    });
}

int daphne_value_packed_strings(const char *bytes, const int64_t *offsets, uint64_t rows, uint64_t cols,
                                daphne_value **value, daphne_error **error) {
    return guarded(error, [&] {
        needShape(rows, cols, sizeof(std::string));
        need(value && offsets, "daphne_value_packed_strings: offsets or value is missing");
        auto m = Dense::create(ValueType::Str, rows, cols);
        auto out = m->mutableView<std::string>();
        for (uint64_t i = 0; i < rows * cols; ++i) {
            need(offsets[i] >= 0 && offsets[i] <= offsets[i + 1], "daphne_value_packed_strings: offsets descend");
            need(bytes || offsets[i] == offsets[i + 1], "daphne_value_packed_strings: there is no text");
            if (offsets[i] < offsets[i + 1])
                out.data[i].assign(bytes + offsets[i], static_cast<size_t>(offsets[i + 1] - offsets[i]));
        }
        *value = newValue(std::move(m));
    });
}

int daphne_value_frame(const char *const *labels, daphne_value *const *columns, size_t num_columns,
                       daphne_value **value, daphne_error **error) {
    return guarded(error, [&] {
        need(value && (num_columns == 0 || (labels && columns)), "daphne_value_frame: something is missing");
        Ref<Frame> frame;
        for (size_t c = 0; c < num_columns; ++c) {
            const Value &column = valueOf(columns[c]);
            need(labels[c], "daphne_value_frame: a label is missing");
            need(column.isMatrix(), "daphne_value_frame: a column is no matrix");
            Ref<Dense> cells = column.isCsr() ? toDense(column.csr()) : column.denseRef();
            if (!cells->contiguous())
                cells = cells->copy();
            if (!frame)
                frame = Ref<Frame>::make(cells->rows());
            frame->addColumn(labels[c], std::move(cells));
        }
        *value = newValue(frame ? std::move(frame) : Ref<Frame>::make(size_t(0)));
    });
}

int daphne_value_list(daphne_value *const *elements, size_t num_elements, daphne_value **value, daphne_error **error) {
    return guarded(error, [&] {
        need(value && (elements || num_elements == 0), "daphne_value_list: something is missing");
        auto list = Ref<Sequence>::make();
        for (size_t i = 0; i < num_elements; ++i)
            list->elements.push_back(valueOf(elements[i]));
        *value = newValue(makeList(std::move(list)));
    });
}

daphne_value *daphne_value_retain(daphne_value *value) {
    if (value)
        value->refs.fetch_add(1, std::memory_order_relaxed);
    return value;
}

void daphne_value_free(daphne_value *value) {
    if (value && value->refs.fetch_sub(1, std::memory_order_acq_rel) == 1)
        delete value;
}

void daphne_describe(const daphne_value *value, daphne_input *what) {
    if (!what)
        return;
    daphne_input found{};
    found.rows = found.cols = -1;
    found.type = DAPHNE_ANY;
    if (value && isFunction(value->value)) {
        found.kind = DAPHNE_FUNCTION;
    } else if (value) {
        const Value &v = value->value;
        switch (v.kind()) {
        case ValueKind::None: break;
        case ValueKind::Scalar:
            found.kind = v.isString() ? DAPHNE_TEXT : DAPHNE_NUMBER;
            found.type = static_cast<uint32_t>(v.scalarType());
            break;
        case ValueKind::Matrix:
            found.kind = v.isCsr() ? DAPHNE_CSR : DAPHNE_DENSE;
            found.type = static_cast<uint32_t>(v.matrix().type());
            found.rows = static_cast<int64_t>(v.matrix().rows());
            found.cols = static_cast<int64_t>(v.matrix().cols());
            break;
        case ValueKind::Frame:
            found.kind = DAPHNE_FRAME;
            found.rows = static_cast<int64_t>(v.frame().rows());
            found.cols = static_cast<int64_t>(v.frame().cols());
            break;
        case ValueKind::List:
            found.kind = DAPHNE_LIST;
            found.type = static_cast<uint32_t>(v.valueType());
            break;
        }
    }
    copyOut(found, *what);
}

int daphne_get_dense(const daphne_value *value, daphne_dense *view, daphne_error **error) {
    return guarded(error, [&] {
        const Value &v = valueOf(value);
        need(view, "daphne_get_dense: nowhere to put the view");
        need(v.isMatrix() && !v.isCsr(), "daphne_get_dense: the value is no dense matrix");
        const Dense &m = v.dense();
        need(m.type() != ValueType::Str, "daphne_get_dense: cells are strings; daphne_get_text has them");
        daphne_dense found{};
        found.type = static_cast<uint32_t>(m.type());
        found.rows = m.rows();
        found.cols = m.cols();
        withNumericType(m.type(), [&]<class T>(TypeTag<T>) {
            found.data = m.view<T>().data;
            found.row_bytes = static_cast<int64_t>(m.view<T>().skip * sizeof(T));
        });
        bool isOnlyHandle = value->refs.load(std::memory_order_acquire) == 1;
        found.flags = isOnlyHandle && m.isExclusive() ? DAPHNE_EXCLUSIVE : 0;
        copyOut(found, *view);
    });
}

int daphne_get_csr(const daphne_value *value, daphne_csr *view, daphne_error **error) {
    return guarded(error, [&] {
        const Value &v = valueOf(value);
        need(view, "daphne_get_csr: nowhere to put the view");
        need(v.isCsr(), "daphne_get_csr: the value is no sparse matrix");
        const Csr &m = v.csr();
        daphne_csr found{};
        found.size = sizeof found;
        found.type = static_cast<uint32_t>(m.type());
        found.rows = m.rows();
        found.cols = m.cols();
        found.offset_bits = 64;
        found.column_bits = m.hasWideIndex() ? 64 : 32;
        found.offsets = m.offsets();
        found.flags = DAPHNE_CANONICAL;
        withIndexType(m.hasWideIndex(), [&]<class I>(TypeTag<I>) { found.columns = m.columns<I>(); });
        found.values = m.values<uint8_t>();
        *view = found;
    });
}

int daphne_get_number(const daphne_value *value, uint32_t *type, uint64_t *bits, daphne_error **error) {
    return guarded(error, [&] {
        const Value &v = valueOf(value);
        need(v.isScalar() && !v.isString(), "daphne_get_number: the value is no number");
        if (type)
            *type = static_cast<uint32_t>(v.scalarType());
        if (bits)
            *bits = v.raw().bits;
    });
}

int daphne_get_text(const daphne_value *value, uint64_t row, uint64_t col, const char **text, size_t *length,
                    daphne_error **error) {
    return guarded(error, [&] {
        const Value &v = valueOf(value);
        const std::string *found = nullptr;
        if (v.isString() && row == 0 && col == 0) {
            found = &v.text();
        } else if (v.isMatrix() && v.matrix().type() == ValueType::Str) {
            need(row < v.matrix().rows() && col < v.matrix().cols(), "daphne_get_text: there is no such cell");
            found = &v.dense().view<std::string>()(row, col);
        }
        need(found, "daphne_get_text: the value is no text");
        if (text)
            *text = found->c_str();
        if (length)
            *length = found->size();
    });
}

int daphne_get_packed_strings(const daphne_value *value, const char **bytes, const int64_t **offsets,
                              daphne_error **error) {
    return guarded(error, [&] {
        const Value &v = valueOf(value);
        need(bytes && offsets, "daphne_get_packed_strings: nowhere to put the text");
        need(isStrings(v), "daphne_get_packed_strings: the value is no matrix of strings");
        std::call_once(value->isPacked, [&] {
            auto packed = std::make_unique<PackedStrings>();
            auto cells = v.dense().view<std::string>();
            packed->offsets.reserve(cells.rows * cells.cols + 1);
            packed->offsets.push_back(0);
            for (size_t r = 0; r < cells.rows; ++r)
                for (size_t c = 0; c < cells.cols; ++c) {
                    packed->bytes += cells(r, c);
                    packed->offsets.push_back(static_cast<int64_t>(packed->bytes.size()));
                }
            value->packed = std::move(packed);
        });
        *bytes = value->packed->bytes.data();
        *offsets = value->packed->offsets.data();
    });
}

int daphne_get_codes(const daphne_value *value, daphne_dense *codes, daphne_value **strings, daphne_error **error) {
    return guarded(error, [&] {
        const Value &v = valueOf(value);
        need(codes && strings, "daphne_get_codes: nowhere to put the codes");
        need(isStrings(v), "daphne_get_codes: the value is no matrix of strings");
        Dense::Codes found = v.dense().codes();
        auto distinct = Dense::create(ValueType::Str, found.dictionary->size(), 1);
        auto out = distinct->mutableView<std::string>();
        for (size_t i = 0; i < found.dictionary->size(); ++i)
            out.data[i] = (*found.dictionary)[static_cast<uint32_t>(i)];
        daphne_dense view{};
        view.type = DAPHNE_UI32;
        view.data = found.view.data;
        view.rows = found.view.rows;
        view.cols = found.view.cols;
        view.row_bytes = static_cast<int64_t>(found.view.skip * sizeof(uint32_t));
        copyOut(view, *codes);
        *strings = newValue(std::move(distinct));
    });
}

uint64_t daphne_frame_width(const daphne_value *value) {
    return value && value->value.isFrame() ? value->value.frame().cols() : 0;
}

const char *daphne_frame_label(const daphne_value *value, uint64_t column) {
    return column < daphne_frame_width(value) ? value->value.frame().labels[column].c_str() : nullptr;
}

uint64_t daphne_list_length(const daphne_value *value) {
    return value && value->value.isList() ? sequenceOf(value->value).elements.size() : 0;
}

daphne_value *daphne_get_part(const daphne_value *value, uint64_t index) {
    try {
        if (index < daphne_frame_width(value))
            return newValue(Value(value->value.frame().columns[index]));
        if (index < daphne_list_length(value))
            return newValue(sequenceOf(value->value).elements[index]);
    } catch (const std::bad_alloc &) {
    }
    return nullptr;
}

} // extern "C"
