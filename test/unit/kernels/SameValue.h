// SPDX-License-Identifier: Apache-2.0
/// Whether two run-time values are the same, whatever their representation, and
/// where they differ if not. Tests only.
#pragma once

#include <cmath>
#include <limits>

#include "data/Sequence.h"
#include "kernels/OperandMakers.h"

namespace daphne::test {

/// Allowed difference of two floating-point cells.
struct Tolerance {
    double relative = 0; ///< in units of the type's epsilon
    double absolute = 0; ///< in units of the type's epsilon
};

template <class T> bool sameCell(const T &a, const T &b, const Tolerance &tolerance) {
    if constexpr (std::is_floating_point_v<T>) {
        if (a == b || (std::isnan(a) && std::isnan(b)))
            return true;
        if (!std::isfinite(a) || !std::isfinite(b))
            return false;
        double epsilon = std::numeric_limits<T>::epsilon(), difference = std::fabs(double(a) - double(b));
        return difference <= epsilon * (tolerance.relative * std::fabs(double(a)) + tolerance.absolute);
    } else {
        return a == b;
    }
}

template <class T> std::string cellText(const T &x) {
    if constexpr (std::is_same_v<T, std::string>)
        return '"' + x + '"';
    else if constexpr (std::is_floating_point_v<T>) {
        char text[40];
        snprintf(text, sizeof text, "%.17g", double(x));
        return text;
    } else
        return std::to_string(x);
}

inline Ref<Dense> denseOf(const Matrix &m) {
    if (m.isCsr())
        return toDense(static_cast<const Csr &>(m));
    return Ref<Dense>::share(static_cast<Dense *>(const_cast<Matrix *>(&m)));
}

/// "" if equal, else the first difference.
inline std::string difference(const Matrix &expected, const Matrix &actual, const Tolerance &tolerance) {
    if (actual.isCsr())
        static_cast<const Csr &>(actual).check();
    if (expected.type() != actual.type() || expected.shapeText() != actual.shapeText())
        return "expected a " + std::string(dslName(expected.type())) + " matrix " + expected.shapeText() + ", got " +
               std::string(dslName(actual.type())) + " " + actual.shapeText();
    Ref<Dense> a = denseOf(expected), b = denseOf(actual);
    return withValueType(a->type(), [&]<class T>(TypeTag<T>) -> std::string {
        auto x = a->view<T>(), y = b->view<T>();
        for (size_t r = 0; r < x.rows; ++r)
            for (size_t c = 0; c < x.cols; ++c)
                if (!sameCell<T>(x(r, c), y(r, c), tolerance))
                    return "cell (" + std::to_string(r) + ", " + std::to_string(c) + ") of " + expected.shapeText() +
                           ": expected " + cellText<T>(x(r, c)) + ", got " + cellText<T>(y(r, c));
        return {};
    });
}

inline std::string difference(const Value &expected, const Value &actual, const Tolerance &tolerance) {
    if (expected.kind() != actual.kind())
        return "expected " + describe(expected) + ", got " + describe(actual);
    switch (expected.kind()) {
    case ValueKind::None: return {};
    case ValueKind::Matrix: return difference(expected.matrix(), actual.matrix(), tolerance);
    case ValueKind::Scalar: break;
    case ValueKind::List:
        if (describe(expected) != describe(actual))
            return "expected " + describe(expected) + ", got " + describe(actual);
        for (size_t i = 0; i < sequenceOf(expected).elements.size(); ++i)
            if (std::string d = difference(sequenceOf(expected).elements[i], sequenceOf(actual).elements[i], tolerance);
                !d.empty())
                return "element " + std::to_string(i) + ": " + d;
        return {};
    case ValueKind::Frame:
        if (describe(expected) != describe(actual) || expected.frame().labels != actual.frame().labels)
            return "expected " + describe(expected) + ", got " + describe(actual) + " or other labels";
        for (size_t i = 0; i < expected.frame().cols(); ++i)
            if (std::string d = difference(*expected.frame().columns[i], *actual.frame().columns[i], tolerance);
                !d.empty())
                return "column " + std::to_string(i) + ": " + d;
        return {};
    }
    if (expected.scalarType() != actual.scalarType())
        return "expected " + describe(expected) + ", got " + describe(actual);
    if (expected.isString())
        return expected.text() == actual.text() ? "" : "expected " + expected.text() + ", got " + actual.text();
    return withNumericType(expected.scalarType(), [&]<class T>(TypeTag<T>) -> std::string {
        T a = expected.as<T>(), b = actual.as<T>();
        return sameCell<T>(a, b, tolerance) ? "" : "expected " + cellText<T>(a) + ", got " + cellText<T>(b);
    });
}

} // namespace daphne::test
