// SPDX-License-Identifier: Apache-2.0
/// Comparisons and logical functions.
#include "kernels/cells/BinaryLoop.h"

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

template <class Op> bool compareText(const std::string &a, const std::string &b) {
    return Op::template apply<const std::string &>(a, b);
}

template <class Op> void addComparison(CellTable &t, ops::OpName name) {
    t.add(name, {.binary = compare<Op>, .text = {.compare = compareText<Op>}});
}

} // namespace

void addTruth(CellTable &t) {
    addComparison<Eq>(t, "ewEq");
    addComparison<Neq>(t, "ewNeq");
    addComparison<Lt>(t, "ewLt");
    addComparison<Le>(t, "ewLe");
    addComparison<Gt>(t, "ewGt");
    addComparison<Ge>(t, "ewGe");
    t.add("ewAnd", {.binary = logical<And>});
    t.add("ewOr", {.binary = logical<Or>});
    t.add("outerXor", {.binary = logical<Xor>});
}

} // namespace daphne
