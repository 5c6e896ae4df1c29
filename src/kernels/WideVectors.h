// SPDX-License-Identifier: Apache-2.0
/// Loops compiled twice: for every x86-64 processor, and for those with 256-bit
/// vectors (AVX2). The choice is made when a loop is entered.
///
///     vectorised([&] {
///         for (size_t i = 0; i < n; ++i)
///             out[i] = a[i] + b[i];
///     });
///
/// Results do not depend on the choice: both versions do the same operations in
/// the same order, no multiplication is fused with an addition, and a sum of
/// several lanes has to name its lanes. What a loop calls is inlined into it.
///
/// A few algorithms are worth another rule: narrow products and exponential
/// functions fuse where the processor can, in kernels and compiled loops alike.
#pragma once

namespace daphne {

/// Whether wide loops run on this processor.
bool hasWideVectors();
/// For tests: false makes the loops run as on the oldest processor, true as on this one.
void allowWideVectors(bool allowed);

/// Whether narrow products and exponential functions fuse multiplications with additions: has FMA and AVX2.
bool fusesMultiplyAdd();

namespace detail {

extern bool useWideVectors;

// A copy of what the loop captures: cells of bytes could be part of the caller's, which would then be read anew in
// every step, and nothing would be vectorised.
#if defined(__x86_64__) && defined(__GNUC__)
template <class Loop> [[gnu::target("avx2,bmi,bmi2"), gnu::flatten, gnu::noinline]] auto runWide(const Loop &loop) {
    const Loop own = loop;
    return own();
}
/// Only where fusesMultiplyAdd().
template <class Loop>
[[gnu::target("avx2,bmi,bmi2,fma"), gnu::flatten, gnu::noinline]] auto runFused(const Loop &loop) {
    const Loop own = loop;
    return own();
}
#else
template <class Loop> auto runFused(const Loop &loop) { return loop(); }
template <class Loop> auto runWide(const Loop &loop) { return loop(); }
#endif
template <class Loop> [[gnu::flatten, gnu::noinline]] auto runNarrow(const Loop &loop) {
    const Loop own = loop;
    return own();
}

} // namespace detail

template <class Loop> auto vectorised(const Loop &loop) {
    return detail::useWideVectors ? detail::runWide(loop) : detail::runNarrow(loop);
}

} // namespace daphne
