// SPDX-License-Identifier: Apache-2.0
/// Programs from elsewhere: what the planner writes comes back as it was, and
/// nothing else is accepted.
#include "exec/ParseProgram.h"

#include <gtest/gtest.h>
#include <random>

#include "exec/Plan.h"
#include "exec/RandomRecipes.h"

namespace daphne::test {

namespace {

using exec::LoopProgram;

std::vector<LoopProgram> programsOf(uint64_t seed) {
    exec::LoopEngine engine{{.jit = false}, nullptr};
    Recipe recipe = RandomRecipes(seed).make();
    auto region = recipe.build(engine);
    std::vector<exec::Fact> facts;
    for (const Value &v : recipe.inputs)
        facts.push_back(exec::factOf(v, true));
    std::vector<LoopProgram> programs;
    for (const exec::PlanStep &step : exec::makePlan(*region, facts).steps)
        if (step.fused)
            programs.push_back(step.program);
    return programs;
}

bool isRejected(const std::string &text) {
    try {
        exec::parseProgram(text);
        return false;
    } catch (const Error &e) {
        EXPECT_EQ(e.stage, Stage::Execute) << text;
        return true;
    }
}

TEST(ParseProgram, WhatThePlannerWritesComesBackAsItWas) {
    size_t count = 0;
    for (uint64_t seed = 1; seed <= 1500; ++seed)
        for (const LoopProgram &program : programsOf(seed)) {
            LoopProgram again = exec::parseProgram(program.text());
            ASSERT_EQ(again.text(), program.text());
            ASSERT_EQ(again.numLevels, program.numLevels) << program.text();
            ASSERT_EQ(again.faults, program.faults) << program.text();
            ASSERT_EQ(again.hasCsr ? again.csrNode : 0, program.hasCsr ? program.csrNode : 0) << program.text();
            ++count;
        }
    EXPECT_GT(count, 500u);
}

TEST(ParseProgram, DamagedProgramsAreRejectedOrMeanTheSame) {
    std::mt19937_64 random(1);
    for (uint64_t seed = 1; seed <= 200; ++seed)
        for (const LoopProgram &program : programsOf(seed))
            for (int k = 0; k < 20; ++k) {
                std::string text = program.text();
                size_t at = random() % text.size();
                switch (random() % 3) {
                case 0: text[at] = static_cast<char>(random()); break;
                case 1: text.erase(at, 1 + random() % 5); break;
                default: text.insert(at, std::to_string(random() % 300));
                }
                isRejected(text); // or it is another program of the planner; never a crash
            }
}

TEST(ParseProgram, ProductsOfMatricesComeBackAsTheyWere) {
    using Form = RowwiseProduct::Form;
    for (ValueType type : {ValueType::F32, ValueType::F64})
        for (RowwiseProduct product : {RowwiseProduct{Form::Rows, type, 300, 5000},
                                       {Form::RowsByTransposed, type, 70000, 1},
                                       {Form::SparseRows, type, uint64_t(1) << 33, 2, true, false},
                                       {Form::SparseRows, type, 5, 200, false, true},
                                       {Form::Sums, type, 1, 40},
                                       {Form::Gram, type, 512, 512}}) {
            LoopProgram again = exec::parseProgram(LoopProgram::of(product).text());
            EXPECT_EQ(again.product, product);
            EXPECT_EQ(again.hasCsr, product.form == Form::SparseRows);
            EXPECT_EQ(again.csrWide, product.isWide);
            EXPECT_EQ(again.csrPattern, product.isPattern);
            EXPECT_EQ(again.text(), LoopProgram::of(product).text());
        }
}

TEST(ParseProgram, LiesAboutProductsOfMatricesAreRejected) {
    EXPECT_FALSE(isRejected("product 0 9 300 200 0 0\n"));
    for (const char *text : {
             "product 5 9 300 200 0 0\n", // no such form
             "product 0 5 300 200 0 0\n", // integers
             "product 0 99 300 200 0 0\n",
             "product 0 9 0 200 0 0\n", // nothing
             "product 0 9 300 0 0 0\n",
             "product 0 9 2147483648 2 0 0\n", // more than BLAS can count
             "product 1 9 2 2147483648 0 0\n",
             "product 2 9 300 1 0 0\n", // a vector
             "product 2 9 1152921504606846976 200 1 0\n",
             "product 3 9 513 512 0 0\n", // too many cells to be summed
             "product 3 9 4294967296 4294967296 0 0\n",
             "product 4 9 300 200 0 0\n", // a matrix and another one
             "product 0 9 300 200 1 0\n", // columns of a dense matrix
             "product 0 9 300 200 0 1\n",
             "product 2 9 300 200 2 0\n",
             "product 0 9 300 200 0\n",
             "product 0 9 300 200 0 0 7\n",
             "product 0 9 300  200 0 0\n",
             "product 0 9 -300 200 0 0\n",
             "product 0 9 0300 200 0 0\n",
             "product 0 9 18446744073709551617 200 0 0\n",
             "product\n",
             "product 0 9 300 200 0 0",
             "product 0 9 300 200 0 0\np 2 9 0\n",
             "products 0 9 300 200 0 0\n",
         })
        EXPECT_TRUE(isRejected(text)) << text;
}

TEST(ParseProgram, LiesAboutNodesAreRejected) {
    const std::string good = std::string(fusesMultiplyAdd() ? "flat fma" : "flat") +
                             "\np 2 9 0\np 8 9 1\nn 0 2 0 0 9 9 0 0\nn 1 2 0 0 9 9 ewAbs 0 0\n";
    EXPECT_FALSE(isRejected(good));
    auto with = [&](const std::string &from, const std::string &to) {
        std::string text = good;
        text.replace(text.find(from), from.size(), to);
        return text;
    };
    EXPECT_TRUE(isRejected(""));
    EXPECT_TRUE(isRejected(with("flat", "wide")));
    EXPECT_TRUE(isRejected(with("flat", "flat csr32")));
    EXPECT_TRUE(isRejected(with("p 8 9 1", "p 8 9 7")));         // an output of a node that does not exist
    EXPECT_TRUE(isRejected(with("p 8 9 1", "p 8 8 1")));         // of another type
    EXPECT_TRUE(isRejected(with("p 2 9 0", "p 3 9 0")));         // a flat program without rows
    EXPECT_TRUE(isRejected(with("ewAbs 0 0\n", "ewAbs 0 5\n"))); // an operand that comes later
    EXPECT_TRUE(isRejected(with("n 1 2 0 0 9 9 ewAbs", "n 1 3 0 0 9 9 ewAbs"))); // another space
    EXPECT_TRUE(isRejected(with("n 1 2 0 0 9 9 ewAbs", "n 1 2 0 3 9 9 ewAbs"))); // another level
    EXPECT_TRUE(isRejected(with("ewAbs", "ewAbsent")));                          // an unknown function
    EXPECT_TRUE(isRejected(with("ewAbs", "1")));                                 // no name
    EXPECT_TRUE(isRejected(with("ewAbs", "ewAdd")));                             // a function of two numbers
    EXPECT_TRUE(isRejected(with("n 0 2 0 0 9 9 0", "n 0 2 0 0 9 9 ewAbs")));     // an input that computes
    EXPECT_TRUE(isRejected(with("n 1 2 0 0 9 9 ewAbs", "n 1 2 0 0 6 9 ewAbs"))); // another type than its function gives
    EXPECT_TRUE(isRejected(with("n 0 2", "n  0 2")));                            // not as the planner writes it
    EXPECT_TRUE(isRejected(good + "p 2 9 0\n"));
    EXPECT_TRUE(isRejected(good.substr(0, good.size() - 1)));
    EXPECT_TRUE(isRejected(std::string(2 << 20, 'x')));
}

} // namespace

} // namespace daphne::test
