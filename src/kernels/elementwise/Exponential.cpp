// SPDX-License-Identifier: Apache-2.0
#include "kernels/elementwise/Exponential.h"

#include "base/WideVectors.h"
#include "kernels/cells/BinaryLoop.h"

namespace daphne {

namespace {

template <template <bool> class Function, class T> void forCells(const T *in, T *out, size_t n) {
    if (fusesMultiplyAdd())
        detail::runFused([=] {
            DAPHNE_INDEPENDENT_CELLS
            for (size_t i = 0; i < n; ++i)
                out[i] = static_cast<T>(Function<true>::of(static_cast<double>(in[i])));
        });
    else
        vectorised([=] {
            DAPHNE_INDEPENDENT_CELLS
            for (size_t i = 0; i < n; ++i)
                out[i] = static_cast<T>(Function<false>::of(static_cast<double>(in[i])));
        });
}

template <template <bool> class Function, class T> T forOne(T x) {
    T result;
    forCells<Function>(&x, &result, 1);
    return result;
}

template <bool Fused> struct Exponential {
    static double of(double x) { return detail::exponential<Fused>(x); }
};
template <bool Fused> struct HyperbolicTangent {
    static double of(double x) { return detail::hyperbolicTangent<Fused>(x); }
};
template <bool Fused> struct NaturalLogarithm {
    static double of(double x) { return detail::naturalLogarithm<Fused>(x); }
};

} // namespace

double exponential(double x) { return forOne<Exponential>(x); }
double hyperbolicTangent(double x) { return forOne<HyperbolicTangent>(x); }
double naturalLogarithm(double x) { return forOne<NaturalLogarithm>(x); }
float exponential(float x) { return forOne<Exponential>(x); }
float hyperbolicTangent(float x) { return forOne<HyperbolicTangent>(x); }
float naturalLogarithm(float x) { return forOne<NaturalLogarithm>(x); }

template <class T> void exponentials(const T *in, T *out, size_t n) { forCells<Exponential>(in, out, n); }
template <class T> void hyperbolicTangents(const T *in, T *out, size_t n) { forCells<HyperbolicTangent>(in, out, n); }
template <class T> void naturalLogarithms(const T *in, T *out, size_t n) { forCells<NaturalLogarithm>(in, out, n); }

template void exponentials(const double *, double *, size_t);
template void exponentials(const float *, float *, size_t);
template void hyperbolicTangents(const double *, double *, size_t);
template void hyperbolicTangents(const float *, float *, size_t);
template void naturalLogarithms(const double *, double *, size_t);
template void naturalLogarithms(const float *, float *, size_t);

} // namespace daphne
