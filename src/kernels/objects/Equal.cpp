// SPDX-License-Identifier: Apache-2.0
/// equal: whether two values of any kinds hold the same, down to the cells of
/// the matrices in lists. Representations and value types make no difference.
#include <set>
#include <utility>

#include "base/Cancellable.h"
#include "data/Sequence.h"
#include "kernels/KernelTable.h"
#include "kernels/csr/CsrParts.h"
#include "kernels/elementwise/Convert.h"

namespace daphne {

namespace {

/// As `==`, but NaN equals NaN.
template <class T> bool sameCell(const T &a, const T &b) {
    if constexpr (std::is_floating_point_v<T>)
        return a == b || (a != a && b != b);
    else
        return a == b;
}

bool sameDense(const Dense &a, const Dense &b) {
    return withValueType(a.type(), [&]<class T>(TypeTag<T>) {
        auto x = a.view<T>(), y = b.view<T>();
        for (size_t r : cancellableRows(x))
            for (size_t c = 0; c < x.cols; ++c)
                if (!sameCell(x(r, c), y(r, c)))
                    return false;
        return true;
    });
}

/// Stored cells are not zero, so both have the same ones.
bool sameSparse(const Csr &a, const Csr &b) {
    return withIndexType(a.hasWideIndex(), [&]<class I>(TypeTag<I>) {
        return withNumericType(a.type(), [&]<class T>(TypeTag<T>) {
            auto x = a.view<T, I>(), y = b.view<T, I>();
            for (size_t r : cancellableRows(x)) {
                if (x.count(r) != y.count(r))
                    return false;
                for (uint64_t i = x.offsets[r], k = y.offsets[r]; i < x.offsets[r + 1]; ++i, ++k)
                    if (x.columns[i] != y.columns[k] || !sameCell(x.value(i), y.value(k)))
                        return false;
            }
            return true;
        });
    });
}

bool sameMatrix(const Matrix &a, const Matrix &b) {
    if (a.rows() != b.rows() || a.cols() != b.cols())
        return false;
    const bool text = a.type() == ValueType::Str;
    if (text != (b.type() == ValueType::Str))
        return false;
    if (&a == &b)
        return true;
    const ValueType type = mostGeneral(a.type(), b.type());
    if (a.isCsr() && b.isCsr())
        return sameSparse(*converted(static_cast<const Csr &>(a), type), *converted(static_cast<const Csr &>(b), type));
    auto dense = [&](const Matrix &m) {
        return convertMatrix(m.isCsr() ? *toDense(static_cast<const Csr &>(m)) : static_cast<const Dense &>(m), type);
    };
    return sameDense(*dense(a), *dense(b));
}

bool sameFrame(const Frame &a, const Frame &b) {
    if (a.rows() != b.rows() || a.labels != b.labels)
        return false;
    for (size_t c = 0; c < a.cols(); ++c)
        if (!sameMatrix(*a.columns[c], *b.columns[c]))
            return false;
    return true;
}

bool sameScalar(const Value &a, const Value &b) {
    if (a.isString() || b.isString())
        return a.isString() && b.isString() && a.text() == b.text();
    return withNumericType(mostGeneral(a.scalarType(), b.scalarType()),
                           [&]<class T>(TypeTag<T>) { return sameCell(a.as<T>(), b.as<T>()); });
}

/// Of values that are no lists.
bool sameValue(const Value &a, const Value &b) {
    for (const Value *v : {&a, &b})
        if (isFunction(*v))
            throw executionError("functions cannot be compared").withHint("compare what they yield");
    if (a.kind() != b.kind())
        return false;
    switch (a.kind()) {
    case ValueKind::Scalar: return sameScalar(a, b);
    case ValueKind::Matrix: return sameMatrix(a.matrix(), b.matrix());
    case ValueKind::Frame: return sameFrame(a.frame(), b.frame());
    default: return true;
    }
}

/// Lists may be nested deeper than the stack allows, and hold the same list in many places.
bool same(const Value &a, const Value &b) {
    std::vector<std::pair<const Value *, const Value *>> open{{&a, &b}};
    std::set<std::pair<const Object *, const Object *>> compared;
    while (!open.empty()) {
        auto [x, y] = open.back();
        open.pop_back();
        if (!x->isList() || !y->isList()) {
            if (!sameValue(*x, *y))
                return false;
            continue;
        }
        if (!compared.emplace(x->object(), y->object()).second)
            continue;
        const auto &xs = sequenceOf(*x).elements, &ys = sequenceOf(*y).elements;
        if (xs.size() != ys.size())
            return false;
        for (size_t i = xs.size(); i-- > 0;)
            open.emplace_back(&xs[i], &ys[i]);
    }
    return true;
}

Value equal(KernelCall &, AnyValue a, AnyValue b) { return Value::scalar(same(a.value, b.value)); }

} // namespace

void addEqual(KernelTable &t) { t.add<&equal>("equal"); }

} // namespace daphne
