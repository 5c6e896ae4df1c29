// SPDX-License-Identifier: Apache-2.0
#include <cmath>

#include "loops/Loops.h"

namespace peer {

/// sum((X*2+Y)/(abs(Z)+1))
Answer cellsSum(const Arguments &arguments) {
    auto cells = static_cast<int64_t>(arguments.number("rows") * arguments.number("cols"));
    Buffer<double> first = uniform(cells, 0, 1, 1), second = uniform(cells, 0, 1, 2), third = uniform(cells, -1, 1, 3);
    const double *x = first.data(), *y = second.data(), *z = third.data();
    double sum = 0;
    double seconds = steadySeconds([&] {
        sum = 0;
#pragma omp parallel for simd reduction(+ : sum)
        for (int64_t i = 0; i < cells; ++i)
            sum += (x[i] * 2 + y[i]) / (std::abs(z[i]) + 1);
    });
    return {seconds, {sum}};
}

/// sqrt(exp(-(X^2))+Y)
Answer cellsMap(const Arguments &arguments) {
    auto cells = static_cast<int64_t>(arguments.number("rows") * arguments.number("cols"));
    Buffer<double> first = uniform(cells, 0, 1, 1), second = uniform(cells, 0, 1, 2);
    const double *x = first.data(), *y = second.data();
    Buffer<double> result(cells);
    double *r = result.data();
    double seconds = steadySeconds([&] {
#pragma omp parallel for simd
        for (int64_t i = 0; i < cells; ++i)
            r[i] = std::sqrt(std::exp(-(x[i] * x[i])) + y[i]);
    });
    double sum = 0;
    for (double cell : result)
        sum += cell;
    return {seconds, {r[0], sum}};
}

} // namespace peer
