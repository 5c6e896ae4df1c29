// SPDX-License-Identifier: Apache-2.0
/// Quantile functions of distributions: the number below which a share u of all
/// draws lies, 0 < u < 1. Those of continuous distributions are precise to about
/// 1e-14 of the result. No state.
#pragma once

#include <cstdint>

namespace daphne {

/// Of the standard normal distribution.
double normalQuantile(double u);
/// Of the exponential distribution with rate 1.
double exponentialQuantile(double u);
/// Of the gamma distribution with scale 1; shape > 0.
double gammaQuantile(double u, double shape);
/// a > 0, b > 0
double betaQuantile(double u, double a, double b);
/// The least k with P(X <= k) >= u; lambda >= 0.
int64_t poissonQuantile(double u, double lambda);
/// Likewise; 0 <= p <= 1.
int64_t binomialQuantile(double u, int64_t n, double p);

} // namespace daphne
