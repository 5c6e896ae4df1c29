// SPDX-License-Identifier: Apache-2.0
/// Matrices of random numbers that follow a distribution.
#include "ops/Operands.h"

namespace daphne::ops {

namespace {

using namespace rule;

/// (numRows, numCols, parameters of the distribution..., seed)
template <ValueType cell> Types drawn(const InferCall &call) {
    for (size_t i = 2; i < call.args.size(); ++i)
        needNumericScalar(call, i);
    return {TypeDesc::matrix(cell, sizeOperand(call, 0), sizeOperand(call, 1))};
}

/// Unseeded draws differ from call to call.
constexpr OpInfo draws(Mnemonic name, uint8_t numArgs, InferFn infer = drawn<ValueType::F64>) {
    return {.mnemonic = name,
            .minArgs = numArgs,
            .maxArgs = numArgs,
            .infer = infer,
            .mayFail = always,
            .sideEffect = true};
}

// clang-format off: one row per line or paragraph
constexpr OpInfo kOps[] = {
    draws("randn", 5),
    draws("randExp", 4),
    draws("randGamma", 5),
    draws("randBeta", 5),
    draws("randPoisson", 4, drawn<ValueType::SI64>),
    draws("randBinom", 5, drawn<ValueType::SI64>),
};

constexpr Builtin kBuiltins[] = {
    {.signature = "randn(numRows, numCols, mean = 0, stddev = 1, seed = -1)", .op = "randn",
     .doc = "Normally distributed random numbers. Equal seeds give equal numbers, each of which depends on nothing but "
            "seed and position; seed -1 gives others in every run.",
     .example = "print(randn(1, 3, 0, 1, 7));", .expect = "DenseMatrix(1x3, double)\n0.674969 0.824894 -2.38874\n"},
    {.signature = "randExp(numRows, numCols, rate = 1, seed = -1)", .op = "randExp",
     .doc = "Exponentially distributed random numbers with mean 1 / rate; seeds as for randn.",
     .example = "print(randExp(1, 3, 2, 7));", .expect = "DenseMatrix(1x3, double)\n0.693452 0.793066 0.00424452\n"},
    {.signature = "randGamma(numRows, numCols, shape, scale = 1, seed = -1)", .op = "randGamma",
     .doc = "Random numbers of a gamma distribution with mean shape * scale; seeds as for randn.",
     .example = "print(mean(randGamma(1000, 1, 2, 3, 7)) > 5);", .expect = "1\n"},
    {.signature = "randBeta(numRows, numCols, a, b, seed = -1)", .op = "randBeta",
     .doc = "Random numbers of a beta distribution with mean a / (a + b); seeds as for randn.",
     .example = "print(mean(randBeta(1000, 1, 3, 1, 7)) > 0.7);", .expect = "1\n"},
    {.signature = "randPoisson(numRows, numCols, lambda, seed = -1)", .op = "randPoisson",
     .doc = "Random counts (si64) of a Poisson distribution with mean lambda; seeds as for randn.",
     .example = "print(randPoisson(1, 3, 4, 7));", .expect = "DenseMatrix(1x3, int64_t)\n5 6 0\n"},
    {.signature = "randBinom(numRows, numCols, n, p, seed = -1)", .op = "randBinom",
     .doc = "Random numbers (si64) of successes among n trials with probability p; seeds as for randn.",
     .example = "print(randBinom(1, 3, 10, 0.5, 7));", .expect = "DenseMatrix(1x3, int64_t)\n6 6 1\n"},
};
// clang-format on

} // namespace

void addDistributions(Registry &r) {
    r.add(kOps);
    r.add(kBuiltins);
}

} // namespace daphne::ops
