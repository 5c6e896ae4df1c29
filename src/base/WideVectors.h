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
/// A loop that writes bytes should capture by value: bytes may be anything, also
/// what was captured by reference, which would be read again for every cell. The
/// copies belong to the loop.
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

#if defined(__x86_64__) && defined(__GNUC__)
template <class Loop> [[gnu::target("avx2,bmi,bmi2"), gnu::flatten, gnu::noinline]] auto runWide(Loop loop) {
    return loop();
}
/// Only where fusesMultiplyAdd().
template <class Loop> [[gnu::target("avx2,bmi,bmi2,fma"), gnu::flatten, gnu::noinline]] auto runFused(Loop loop) {
    return loop();
}
#else
template <class Loop> auto runFused(Loop loop) { return loop(); }
template <class Loop> auto runWide(Loop loop) { return loop(); }
#endif
template <class Loop> [[gnu::flatten, gnu::noinline]] auto runNarrow(Loop loop) { return loop(); }

} // namespace detail

template <class Loop> auto vectorised(const Loop &loop) {
    return detail::useWideVectors ? detail::runWide(loop) : detail::runNarrow(loop);
}

} // namespace daphne
