// SPDX-License-Identifier: Apache-2.0
#include "base/Error.h"
#include "kernels/BinaryLoop.h"

namespace daphne {

namespace {

struct Eq {
    template <class T> static bool apply(T a, T b) { return a == b; }
};
struct Neq {
    template <class T> static bool apply(T a, T b) { return a != b; }
};
struct Lt {
    template <class T> static bool apply(T a, T b) { return a < b; }
};
struct Le {
    template <class T> static bool apply(T a, T b) { return a <= b; }
};
struct Gt {
    template <class T> static bool apply(T a, T b) { return a > b; }
};
struct Ge {
    template <class T> static bool apply(T a, T b) { return a >= b; }
};
/// Without short circuit, so that the loops have no branches.
struct And {
    template <class T> static bool apply(T a, T b) { return (a != T(0)) & (b != T(0)); }
};
struct Or {
    template <class T> static bool apply(T a, T b) { return (a != T(0)) | (b != T(0)); }
};
struct Xor {
    template <class T> static bool apply(T a, T b) { return (a != T(0)) ^ (b != T(0)); }
};

/// 0 or 1 in the type of the operands.
template <class Op> BinaryLoops compare(ValueType g) {
    return withNumericType(g, [&]<class T>(TypeTag<T>) { return BinaryLoop<Op, T, T>::table(g, g); });
}

/// As compare, but never in floating point.
template <class Op> BinaryLoops logical(ValueType g) {
    return withNumericType(g, [&]<class T>(TypeTag<T>) {
        if constexpr (std::is_floating_point_v<T>)
            return BinaryLoop<Op, T, uint64_t>::table(g, ValueType::UI64);
        else
            return BinaryLoop<Op, T, T>::table(g, g);
    });
}

} // namespace

BinaryLoops truthLoops(BinaryOp op, ValueType g) {
    switch (op) {
    case BinaryOp::Eq: return compare<Eq>(g);
    case BinaryOp::Neq: return compare<Neq>(g);
    case BinaryOp::Lt: return compare<Lt>(g);
    case BinaryOp::Le: return compare<Le>(g);
    case BinaryOp::Gt: return compare<Gt>(g);
    case BinaryOp::Ge: return compare<Ge>(g);
    case BinaryOp::And: return logical<And>(g);
    case BinaryOp::Or: return logical<Or>(g);
    case BinaryOp::Xor: return logical<Xor>(g);
    default: throw internalError("not a comparison or logical operation");
    }
}

BinaryLoops binaryLoops(BinaryOp op, ValueType g) {
    return op < BinaryOp::Eq ? arithmeticLoops(op, g) : truthLoops(op, g);
}

} // namespace daphne
