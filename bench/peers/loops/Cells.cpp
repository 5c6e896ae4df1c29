// SPDX-License-Identifier: Apache-2.0
#include <cmath>

#include "loops/Loops.h"

namespace peer {

namespace {

struct Inputs {
    int64_t cells;
    Buffer<double> x, y, z;
};

Inputs makeInputs(const Arguments &arguments) {
    size_t cells = arguments.number("rows") * arguments.number("cols");
    return {static_cast<int64_t>(cells), uniform(cells, 0, 1, 1), uniform(cells, 0, 1, 2), uniform(cells, -1, 1, 3)};
}

} // namespace

/// sum((X*2+Y)/(abs(Z)+1))
Answer cellsSum(const Arguments &arguments) {
    Inputs in = makeInputs(arguments);
    const double *x = in.x.data(), *y = in.y.data(), *z = in.z.data();
    Stopwatch watch;
    double sum = 0;
#pragma omp parallel for simd reduction(+ : sum)
    for (int64_t i = 0; i < in.cells; ++i)
        sum += (x[i] * 2 + y[i]) / (std::abs(z[i]) + 1);
    return {watch.seconds(), {sum}};
}

/// sqrt(exp(-(X^2))+Y), the result in fresh memory
Answer cellsMap(const Arguments &arguments) {
    Inputs in = makeInputs(arguments);
    const double *x = in.x.data(), *y = in.y.data();
    Stopwatch watch;
    Buffer<double> result(in.cells);
    double *r = result.data();
#pragma omp parallel for simd
    for (int64_t i = 0; i < in.cells; ++i)
        r[i] = std::sqrt(std::exp(-(x[i] * x[i])) + y[i]);
    double seconds = watch.seconds(), sum = 0;
    for (double cell : result)
        sum += cell;
    return {seconds, {r[0], sum}};
}

} // namespace peer
