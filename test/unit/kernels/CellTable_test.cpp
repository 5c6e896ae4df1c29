// SPDX-License-Identifier: Apache-2.0
#include "kernels/cells/CellTable.h"

#include <cmath>
#include <gtest/gtest.h>

namespace daphne::test {
namespace {

using ops::Family, ops::OpInfo, ops::Registry;

TEST(CellTable, EveryElementwiseRowOfNumbersHasAFunctor) {
    for (const OpInfo *op : Registry::get().ops()) {
        bool isElementwise =
            op->family == Family::EwUnary || op->family == Family::EwBinary || op->family == Family::Outer;
        if (isElementwise && !op->cells.empty()) {
            const CellFunction *f = CellTable::get().of(*op);
            ASSERT_TRUE(f) << op->mnemonic;
            EXPECT_EQ(f->unary != nullptr, op->family == Family::EwUnary) << op->mnemonic;
        }
    }
}

/// What the functor says of a number, and what the row says.
TEST(CellTable, FunctorsAndRowsAgreeAboutDomains) {
    const double inf = HUGE_VAL;
    const double numbers[] = {
        -inf,  -1e300, -2, -1.0000000000000002, -1, -0.5, -0.0, 0.0, 0.5, 0.9999999999999999, 1, 1.0000000000000002, 2,
        1e300, inf,    NAN};
    for (const CellFunction &f : CellTable::get().functions()) {
        if (!f.unary)
            continue;
        UnaryLoop loop = f.unary(ValueType::F64);
        EXPECT_EQ(loop.hasDomain, !f.op->domain.isEverything()) << f.op->mnemonic;
        for (double x : numbers) {
            double out;
            bool isOutside = x < f.op->domain.low || x > f.op->domain.high;
            EXPECT_EQ(loop.cells(&x, &out, 1), isOutside ? 0u : 1u) << f.op->mnemonic << " of " << x;
        }
    }
}

TEST(CellTable, RowsThatKeepZerosHaveFunctionsThatDo) {
    for (const CellFunction &f : CellTable::get().functions()) {
        if (!f.unary)
            continue;
        double zero = 0, out = 1;
        bool kept = f.unary(ValueType::F64).cells(&zero, &out, 1) == 1 && out == 0;
        EXPECT_EQ(kept, f.op->zeroPreserving) << f.op->mnemonic;
    }
}

} // namespace
} // namespace daphne::test
