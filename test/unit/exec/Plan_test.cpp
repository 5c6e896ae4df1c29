// SPDX-License-Identifier: Apache-2.0
/// What is fused: typical programs become the loops one would write by hand, and
/// nothing stands in a loop that needs a value before it is there.
#include "exec/Plan.h"

#include <algorithm>

#include "exec/RandomRecipes.h"

namespace daphne::test {

namespace {

using exec::Plan;
using exec::PlanStep;
using Id = Recipe::Id;

class Planned {
  public:
    explicit Planned(const Recipe &recipe) : region(recipe.build(engine)) {
        std::vector<exec::Fact> facts;
        for (const Value &v : recipe.inputs)
            facts.push_back(exec::factOf(v, true));
        plan = exec::makePlan(*region, facts);
    }

    /// One line per step, in order: "loop ewAdd sumAll; kernel sort".
    std::string text() const {
        std::string text;
        for (const PlanStep &step : plan.steps) {
            text += (text.empty() ? "" : "; ") + std::string(step.fused ? "loop" : "kernel");
            for (uint16_t op : step.ops)
                text += " " + std::string(region->ops[op].info->mnemonic);
        }
        return text;
    }

    /// "" if every operation stands in one step and everything it needs is there in time.
    std::string fault() const {
        constexpr size_t kNowhere = ~size_t(0);
        std::vector<size_t> stepOf(region->ops.size(), kNowhere);
        for (size_t s = 0; s < plan.steps.size(); ++s)
            for (uint16_t op : plan.steps[s].ops)
                if (std::exchange(stepOf[op], s) != kNowhere)
                    return "operation " + std::to_string(op) + " stands in two steps";
        for (size_t op = 0; op < stepOf.size(); ++op) {
            if (stepOf[op] == kNowhere)
                return "operation " + std::to_string(op) + " stands in no step";
            for (uint16_t v : region->ops[op].operands)
                if (v >= region->numInputs && !isThere(v - region->numInputs, op, stepOf))
                    return "operation " + std::to_string(op) + " needs the result of " +
                           std::to_string(v - region->numInputs) + " too early";
        }
        return {};
    }

  private:
    /// Whether the result of `maker` can be read by `reader`: aggregates over rows exist only after their loop.
    bool isThere(size_t maker, size_t reader, const std::vector<size_t> &stepOf) const {
        if (stepOf[maker] != stepOf[reader])
            return stepOf[maker] < stepOf[reader];
        const PlanStep &step = plan.steps[stepOf[maker]];
        const exec::RegionOp &op = region->ops[maker];
        exec::ProductForm form = exec::productForm(op, plan.facts);
        bool late = op.info->family == ops::Family::AggAll || op.info->family == ops::Family::AggCol ||
                    form == exec::ProductForm::ColumnSums || form == exec::ProductForm::SumOfOuter;
        auto at = [&](size_t o) { return std::ranges::find(step.ops, o) - step.ops.begin(); };
        return step.fused && !late && at(maker) < at(reader);
    }

    exec::LoopEngine engine{{.jit = false}, nullptr};
    std::unique_ptr<exec::Region> region;
    Plan plan;
};

Value zeros(size_t rows, size_t cols, ValueType type = ValueType::F64) {
    return Dense::create(type, rows, cols, Buffer::Init::Zero);
}
/// n x n with some ones.
Value graph(size_t n) {
    auto m = Dense::create(ValueType::F64, n, n, Buffer::Init::Zero);
    for (size_t i = 0; i < n; ++i)
        m->mutableView<double>()(i, (i * 7 + 1) % n) = 1;
    auto csr = toCsr(*m);
    return Csr::withStructureOf(*csr, ValueType::F64, BufferRef());
}

std::string planOf(const Recipe &r) {
    Planned planned(r);
    EXPECT_EQ(planned.fault(), "") << r.text() << planned.text();
    return planned.text();
}

// ---------------------------------------------------------- typical programs

TEST(Plan, ConnectedComponentsUpdateAndTestInOneLoop) {
    Recipe r;
    Id g = r.input(graph(50)), c = r.input(zeros(50, 1)), zero = r.input(number(0.0));
    (void)zero;
    Id neighbours = r.add("maxRow", {r.add("ewMul", {g, r.add("transpose", {c})})});
    Id u = r.add("ewMax", {neighbours, c});
    Id diff = r.add("sumAll", {r.add("ewNeq", {u, c})});
    r.output(u);
    r.output(diff);
    EXPECT_EQ(planOf(r), "kernel transpose; loop ewMul maxRow ewMax ewNeq sumAll");
}

TEST(Plan, PageRankIsOneLoop) {
    Recipe r;
    Id g = r.input(graph(50)), p = r.input(zeros(50, 1)), degree = r.input(zeros(50, 1));
    Id damping = r.input(number(0.85)), jump = r.input(number(0.003));
    Id q = r.product(g, p);
    Id next = r.add("ewAdd", {r.add("ewMul", {q, damping}), jump});
    Id shared = r.add("ewDiv", {next, degree});
    Id change = r.add("sumAll", {r.add("ewAbs", {r.add("ewSub", {next, p})})});
    r.output(shared);
    r.output(change);
    EXPECT_EQ(planOf(r), "loop matMul ewMul ewAdd ewDiv ewSub ewAbs sumAll");
}

TEST(Plan, NBodyForcesAreOneLoopWithoutMatricesOfDifferences) {
    Recipe r;
    Id x = r.input(zeros(40, 1)), y = r.input(zeros(40, 1)), xt = r.input(zeros(1, 40)), yt = r.input(zeros(1, 40));
    Id mass = r.input(zeros(40, 1)), eps = r.input(number(1e-3)), two = r.input(number(2.0));
    Id exponent = r.input(number(-1.5));
    Id dx = r.add("outerSub", {x, xt}), dy = r.add("outerSub", {y, yt});
    Id squares = r.add("ewAdd", {r.add("ewPow", {dx, two}), r.add("ewPow", {dy, two})});
    Id inverse = r.add("ewPow", {r.add("ewAdd", {squares, eps}), exponent});
    r.output(r.product(r.add("ewMul", {dx, inverse}), mass));
    r.output(r.product(r.add("ewMul", {dy, inverse}), mass));
    EXPECT_EQ(planOf(r), "loop outerSub outerSub ewPow ewPow ewAdd ewAdd ewPow ewMul matMul ewMul matMul");
}

TEST(Plan, ProductWithAMatrixAndItsTransposeReadsItOnce) {
    Recipe r;
    Id x = r.input(zeros(100, 20)), p = r.input(zeros(20, 1));
    r.output(r.product(x, r.product(x, p), true));
    EXPECT_EQ(planOf(r), "loop matMul matMul");
}

TEST(Plan, AnIterationOfKMeansReadsThePointsOnce) {
    Recipe r;
    Id x = r.input(zeros(100, 20)), c = r.input(zeros(10, 20)), squares = r.input(zeros(1, 10));
    Id two = r.input(number(2.0));
    Id distances = r.add("ewSub", {squares, r.add("ewMul", {two, r.product(x, c, false, true)})});
    Id nearest = r.add("ewLe", {distances, r.add("minRow", {distances})});
    Id shares = r.add("ewDiv", {nearest, r.add("sumRow", {nearest})});
    r.output(r.product(shares, x, true));
    r.output(r.add("sumCol", {shares}));
    EXPECT_EQ(planOf(r), "loop matMul ewMul ewSub minRow ewLe sumRow ewDiv matMul sumCol");
}

TEST(Plan, WideProductsAreKernels) {
    Recipe r;
    Id x = r.input(zeros(100, 20)), y = r.input(zeros(20, 16)), z = r.input(zeros(100, 65));
    r.output(r.product(x, y));
    r.output(r.product(x, z, true));
    EXPECT_EQ(planOf(r), "kernel matMul; kernel matMul");
}

TEST(Plan, RowsOfAMatrixMadeInALoopAreMultipliedAfterIt) {
    Recipe r;
    Id x = r.input(zeros(100, 20)), y = r.input(zeros(20, 5));
    r.output(r.product(r.add("ewAdd", {x, x}), y));
    EXPECT_EQ(planOf(r), "loop ewAdd; loop matMul");
}

TEST(Plan, SoftmaxIsOneLoop) {
    Recipe r;
    Id x = r.input(zeros(100, 20));
    Id e = r.add("ewExp", {r.add("ewSub", {x, r.add("maxRow", {x})})});
    r.output(r.add("ewDiv", {e, r.add("sumRow", {e})}));
    EXPECT_EQ(planOf(r), "loop maxRow ewSub ewExp sumRow ewDiv");
}

TEST(Plan, NormalisationOfColumnsIsALoopPerAggregate) {
    Recipe r;
    Id x = r.input(zeros(100, 20)), two = r.input(number(2.0));
    Id centred = r.add("ewSub", {x, r.add("meanCol", {x})});
    Id deviation = r.add("ewSqrt", {r.add("meanCol", {r.add("ewPow", {centred, two})})});
    r.output(r.add("ewDiv", {centred, deviation}));
    std::string text = planOf(r);
    EXPECT_TRUE(text.starts_with("loop meanCol; loop ewSub ewPow meanCol; ")) << text;
    EXPECT_TRUE(text.ends_with("; loop ewDiv")) << text;
}

TEST(Plan, SeveralResultsComeFromOnePass) {
    Recipe r;
    Id x = r.input(zeros(100, 20)), y = r.input(zeros(100, 20));
    r.output(r.add("ewAdd", {x, y}));
    r.output(r.add("ewMul", {x, y}));
    r.output(r.add("sumRow", {x}));
    r.output(r.add("sumCol", {y}));
    EXPECT_EQ(planOf(r), "loop ewAdd ewMul sumRow sumCol");
}

// ---------------------------------------------------------- illegal borders

TEST(Plan, TheSumOfAllCellsIsThereOnlyAfterItsLoop) {
    Recipe r;
    Id x = r.input(zeros(100, 20));
    r.output(r.add("ewDiv", {x, r.add("sumAll", {x})}));
    EXPECT_EQ(planOf(r), "loop sumAll; loop ewDiv");
}

TEST(Plan, ColumnSumsAreThereOnlyAfterTheirLoop) {
    Recipe r;
    Id x = r.input(zeros(100, 20));
    r.output(r.add("ewSub", {x, r.add("sumCol", {x})}));
    EXPECT_EQ(planOf(r), "loop sumCol; loop ewSub");
}

TEST(Plan, AVectorMadeRowByRowIsSpreadOverColumnsOnlyAfterItsLoop) {
    Recipe r;
    Id x = r.input(zeros(30, 30)), v = r.input(zeros(30, 1));
    Id doubled = r.add("ewAdd", {v, v});
    r.output(r.add("ewMul", {x, r.add("transpose", {doubled})}));
    EXPECT_EQ(planOf(r), "loop ewAdd; kernel transpose; loop ewMul");
}

TEST(Plan, AVectorMadeRowByRowIsGatheredOnlyAfterItsLoop) {
    Recipe r;
    Id g = r.input(graph(30)), v = r.input(zeros(30, 1));
    Id doubled = r.add("ewAdd", {v, v});
    r.output(r.product(g, doubled));
    EXPECT_EQ(planOf(r), "loop ewAdd; loop matMul");
}

TEST(Plan, DifferentNumbersOfRowsAreDifferentLoops) {
    Recipe r;
    Id x = r.input(zeros(100, 20)), y = r.input(zeros(99, 20));
    r.output(r.add("ewAbs", {x}));
    r.output(r.add("ewAbs", {y}));
    r.output(r.add("ewSqrt", {x}));
    EXPECT_EQ(planOf(r), "loop ewAbs ewSqrt; loop ewAbs");
}

TEST(Plan, StoredCellsOfTwoMatricesAreTwoLoops) {
    Recipe r;
    Id g = r.input(graph(30)), h = r.input(graph(30));
    r.output(r.add("maxRow", {g}));
    r.output(r.add("maxRow", {h}));
    EXPECT_EQ(planOf(r), "loop maxRow; loop maxRow");
}

TEST(Plan, ASparseResultIsMadeByItsKernel) {
    Recipe r;
    Id g = r.input(graph(30)), v = r.input(zeros(1, 30));
    Id weighted = r.add("ewMul", {g, v});
    r.output(weighted);
    r.output(r.add("maxRow", {weighted}));
    EXPECT_EQ(planOf(r), "kernel ewMul; kernel maxRow");
}

TEST(Plan, OperationsThatFillAbsentCellsAreKernels) {
    Recipe r;
    Id g = r.input(graph(30)), v = r.input(zeros(1, 30));
    Id filled = r.add("ewAdd", {g, v});
    r.output(r.add("sumRow", {filled}));
    EXPECT_EQ(planOf(r), "kernel ewAdd; kernel sumRow");
}

TEST(Plan, ShapesThatDoNotFitAreLeftToKernels) {
    Recipe r;
    Id x = r.input(zeros(100, 20)), y = r.input(zeros(99, 20));
    Id wrong = r.add("ewAdd", {x, y});
    r.output(r.add("ewAbs", {wrong}));
    EXPECT_EQ(planOf(r), "kernel ewAdd; kernel ewAbs");
}

TEST(Plan, OneCellIsNoLoop) {
    Recipe r;
    Id x = r.input(zeros(1, 1)), y = r.input(zeros(1, 1));
    r.output(r.add("ewAdd", {x, y}));
    EXPECT_EQ(planOf(r), "kernel ewAdd");
}

TEST(Plan, RandomRegionsHaveEverythingInTime) {
    for (uint64_t seed = 1; seed <= 300; ++seed) {
        Recipe r = RandomRecipes(seed).make();
        Planned planned(r);
        ASSERT_EQ(planned.fault(), "") << "seed " << seed << "\n" << r.text() << planned.text();
    }
}

} // namespace

} // namespace daphne::test
