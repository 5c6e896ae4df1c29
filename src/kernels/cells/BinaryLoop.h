// SPDX-License-Identifier: Apache-2.0
/// Template of the three loops of a function of two numbers. A functor is a struct
/// with `T apply(T, T)` and, if it has a domain, `bool outside(T, T)` and `kOutside`,
/// what is said of a pair outside of it, and perhaps `kHint`. One that yields truth values returns bool.
#pragma once

#include "base/WideVectors.h"
#include "kernels/cells/CellTable.h"

namespace daphne {

template <class Op, class T>
concept HasDomain = requires(T x) { Op::outside(x, x); };

/// Equal storage of operand and result carries no dependence from cell to cell, which the compiler cannot see.
#define DAPHNE_INDEPENDENT_CELLS _Pragma("GCC ivdep")

template <class Op, class T, class R> struct BinaryLoop {
    static size_t cells(const void *lhs, const void *rhs, void *result, size_t n) {
        const T *a = static_cast<const T *>(lhs), *b = static_cast<const T *>(rhs);
        return run(n, static_cast<R *>(result), [a](size_t i) { return a[i]; }, [b](size_t i) { return b[i]; });
    }
    static size_t rightSingle(const void *lhs, const void *rhs, void *result, size_t n) {
        const T *a = static_cast<const T *>(lhs), b = *static_cast<const T *>(rhs);
        return run(n, static_cast<R *>(result), [a](size_t i) { return a[i]; }, [b](size_t) { return b; });
    }
    static size_t leftSingle(const void *lhs, const void *rhs, void *result, size_t n) {
        const T a = *static_cast<const T *>(lhs), *b = static_cast<const T *>(rhs);
        return run(n, static_cast<R *>(result), [a](size_t) { return a; }, [b](size_t i) { return b[i]; });
    }

    static BinaryLoops table(ValueType compute, ValueType result) {
        BinaryLoops loops{cells, rightSingle, leftSingle, compute, result};
        if constexpr (HasDomain<Op, T>)
            loops.outside = Op::kOutside;
        if constexpr (requires { Op::kHint; })
            loops.hint = Op::kHint;
        loops.yieldsTruth = std::is_same_v<decltype(Op::apply(0, 0)), bool>;
        return loops;
    }

  private:
    template <class A, class B> static size_t run(size_t n, R *out, A a, B b) {
        if constexpr (HasDomain<Op, T>) {
            for (size_t i = 0; i < n; ++i) {
                if (Op::outside(a(i), b(i)))
                    return i;
                out[i] = static_cast<R>(Op::apply(a(i), b(i)));
            }
        } else {
            vectorised([=] {
                DAPHNE_INDEPENDENT_CELLS
                for (size_t i = 0; i < n; ++i)
                    out[i] = static_cast<R>(Op::apply(a(i), b(i)));
            });
        }
        return n;
    }
};

} // namespace daphne
