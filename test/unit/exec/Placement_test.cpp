// SPDX-License-Identifier: Apache-2.0
/// Which backend a loop gets; costs are made up, nothing runs.
#include "exec/Placement.h"

#include <gtest/gtest.h>

#include "kernels/RunContext.h"

namespace daphne::exec {

namespace {

class Stand : public Backend {
  public:
    std::string_view name() const override { return "stand-in"; }
    Estimate estimate(const RunContext &, const LoopTask &) override { return answer; }
    Outcome run(RunContext &, LoopTask &) override { return Outcome::Done; }
    bool takesRowsElsewhere() const override { return true; }
    uint64_t leastBlocks(const RunContext &, const LoopEngine &) const override { return 1; }
    Value readMatrix(RunContext &, const std::string &, bool, const std::function<Value()> &readAll) override {
        ++numRead;
        return readAll();
    }
    void beforeWriting() override { ++numWritten; }
    Estimate answer;
    int numRead = 0, numWritten = 0;
};

/// Cells that are elsewhere until somebody wants them.
class Far : public Residency {
  public:
    explicit Far(Dense &matrix) : matrix(matrix) { matrix.setResidency(this); }
    void bringHere() override {
        matrix.setResidency(nullptr);
        ++numFetched;
    }
    double nsToBringHere() const override { return 1e6; }
    Dense &matrix;
    int numFetched = 0;
};

class Placing : public testing::Test {
  protected:
    Placing() {
        program.flat = true;
        bound.rows = 100;
        bound.serialNs = 1000;
        matrix = Dense::create(ValueType::F64, 100, 1, Buffer::Init::Zero);
    }
    Backend &choose(LoopOperand::Role role = LoopOperand::Role::Split) {
        LoopTask task(bound);
        task.operands = {{role, 0, matrix}};
        Backend &chosen = placement.choose(context, task);
        numOperands = task.operands.size();
        return chosen;
    }
    RunContext context;
    LoopProgram program;
    BoundLoop bound{program};
    Stand other;
    Placement placement{{&other}};
    Value matrix;
    size_t numOperands = 0;
};

TEST_F(Placing, TakesTheCheapest) {
    other.answer = {.ns = 999};
    EXPECT_EQ(&choose(), &other);
    EXPECT_EQ(numOperands, 1u);
    other.answer = {.ns = 1001};
    EXPECT_EQ(&choose(), &cpuBackend());
    EXPECT_EQ(numOperands, 0u) << "references would keep results from taking inputs over";
}

TEST_F(Placing, ThisCpuRunsWhatOthersRefuse) {
    other.answer = Estimate::refuse("it has no room");
    EXPECT_EQ(&choose(), &cpuBackend());
    other.answer = Estimate::demanded();
    EXPECT_EQ(&choose(), &other);
    bound.serialNs = 0;
    EXPECT_EQ(&choose(), &other) << "whatever it costs";
}

TEST_F(Placing, RowsMoveWhenTheMissedTimeHasPaidForIt) {
    other.answer = {.ns = 400, .onceNs = 1500}; // a gain of 600 each time
    EXPECT_EQ(&choose(), &cpuBackend());
    EXPECT_EQ(&choose(), &cpuBackend());
    EXPECT_EQ(&choose(), &other) << "three times 600 are more than 1500";
    // Rows that have to be moved again were moved in vain.
    for (int i = 0; i < 4; ++i)
        EXPECT_EQ(&choose(), &cpuBackend()) << i;
    EXPECT_EQ(&choose(), &other);
    // Rows that are there end all caution.
    other.answer = {.ns = 400};
    EXPECT_EQ(&choose(), &other);
    other.answer = {.ns = 400, .onceNs = 1500};
    EXPECT_EQ(&choose(), &cpuBackend());
    EXPECT_EQ(&choose(), &cpuBackend());
    EXPECT_EQ(&choose(), &other);
    other.answer = {.ns = 400, .onceNs = 600};
    EXPECT_EQ(&choose(), &other) << "gained at once";
}

TEST_F(Placing, CellsComeOnlyWhereTheyAreNeeded) {
    Far far(matrix.dense());
    other.answer = {.ns = 2000};
    EXPECT_EQ(&choose(), &other) << "this CPU would have to fetch cells";
    EXPECT_EQ(far.numFetched, 0);
    EXPECT_EQ(&choose(LoopOperand::Role::Whole), &other);
    EXPECT_EQ(far.numFetched, 1) << "everybody gets all of it from here";
    matrix.dense().setResidency(&far);
    other.answer = {.ns = 2e6};
    EXPECT_EQ(&choose(), &cpuBackend());
    EXPECT_EQ(far.numFetched, 2);
    EXPECT_EQ(matrix.residency(), nullptr);
}

TEST_F(Placing, BackendsReadFilesAndHearOfWriting) {
    Value read = placement.readMatrix(context, "x.csv", false, [&] { return matrix; });
    EXPECT_EQ(read.object(), matrix.object());
    EXPECT_EQ(other.numRead, 1);
    placement.beforeWriting();
    EXPECT_EQ(other.numWritten, 1);
}

TEST(Residencies, WindowsShareThem) {
    auto whole = Dense::create(ValueType::F64, 10, 4, Buffer::Init::Zero);
    Far far(*whole);
    auto part = Dense::window(*whole, 2, 5, 1, 3), column = Dense::reshaped(*whole, 40, 1);
    EXPECT_EQ(part->residency(), &far);
    EXPECT_EQ(part->storage(), whole->storage() + (2 * 4 + 1) * sizeof(double));
    bringHere(Value(part));
    EXPECT_EQ(far.numFetched, 1);
    EXPECT_EQ(column->residency(), nullptr);
    bringHere(Value(column));
    bringHere(Value::scalar(1.0));
    EXPECT_EQ(far.numFetched, 1);
}

#ifndef NDEBUG
TEST(Residencies, DebugBuildsNoticeReadersThatDoNotAsk) {
    auto m = Dense::create(ValueType::F64, 2, 2, Buffer::Init::Zero);
    Far far(*m);
    EXPECT_THROW(m->view<double>(), Error);
    bringHere(Value(m));
    EXPECT_NO_THROW(m->view<double>());
}
#endif

} // namespace

} // namespace daphne::exec
