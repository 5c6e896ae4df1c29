// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "base/Error.h"
#include "ops/QueryBlock.h"

namespace daphne::ops {
namespace {

using Kind = QueryBlock::NodeKind;

QueryBlock example() {
    QueryBlock b;
    b.sources = {"t", "it's"};
    size_t a = b.add({.kind = Kind::Column, .type = ValueType::SI64, .name = "a", .source = 0});
    size_t x = b.add({.kind = Kind::Column, .type = ValueType::F64, .name = "x y", .source = 1});
    size_t s = b.add({.kind = Kind::Column, .type = ValueType::Str, .name = "s", .source = 1});
    size_t half = b.add({.type = ValueType::F64, .constant = {.type = ValueType::F64, .d = 0.1}});
    size_t text = b.add({.type = ValueType::Str, .constant = {.type = ValueType::Str, .s = "o'c\\lock\n"}});
    size_t k = b.add({.kind = Kind::Scalar, .type = ValueType::SI64, .operand = 1});
    size_t sum = b.add({.kind = Kind::Call, .type = ValueType::F64, .name = "ewAdd", .operands = {x, half}});
    b.conditions = {b.add({.kind = Kind::Call, .type = ValueType::SI64, .name = "ewEq", .operands = {s, text}}),
                    b.add({.kind = Kind::Call, .type = ValueType::SI64, .name = "ewLt", .operands = {a, k}}),
                    b.add({.kind = Kind::Member, .type = ValueType::SI64, .operand = 0, .operands = {a}})};
    b.isGrouped = true;
    b.outputs = {{"t.a", a}};
    b.aggregates = {{"SUM", "SUM(z)", ValueType::F64, sum, k}, {"COUNT", "n", ValueType::SI64, QueryBlock::kNoNode}};
    return b;
}

TEST(QueryBlock, ItsTextMeansTheSame) { EXPECT_EQ(QueryBlock::parse(example().text()), example()); }

TEST(QueryBlock, EqualNodesAreOne) {
    QueryBlock b = example();
    size_t n = b.nodes.size();
    EXPECT_EQ(b.add({.kind = Kind::Column, .type = ValueType::SI64, .name = "a", .source = 0}), 0u);
    EXPECT_EQ(b.nodes.size(), n);
}

TEST(QueryBlock, ItsSchemaHasKeysThenAggregates) {
    FrameSchema s = example().schema();
    EXPECT_EQ(s.labels, (std::vector<std::string>{"t.a", "SUM(z)", "n"}));
    EXPECT_EQ(s.types, (std::vector<ValueType>{ValueType::SI64, ValueType::F64, ValueType::SI64}));
}

TEST(QueryBlock, ForgetsWhatNothingNeeds) {
    QueryBlock b = example();
    size_t needed = b.nodes.size();
    b.nodes.insert(b.nodes.begin(), {.kind = Kind::Column, .type = ValueType::Str, .name = "unused", .source = 0});
    for (size_t i = 1; i < b.nodes.size(); ++i)
        for (size_t &o : b.nodes[i].operands)
            ++o;
    for (size_t &c : b.conditions)
        ++c;
    ++b.outputs[0].node;
    ++b.aggregates[0].node;
    ++b.aggregates[0].mask;
    b.dropUnused();
    EXPECT_EQ(b.nodes.size(), needed);
    EXPECT_EQ(b, example());
}

TEST(QueryBlock, ExpressionsReadLikeOnesOfTheLanguage) {
    QueryBlock b = example();
    EXPECT_EQ(b.expressionText(b.aggregates[0].node), "(it's.x y + 0.1)");
}

TEST(QueryBlock, RefusesOtherTexts) {
    EXPECT_THROW(QueryBlock::parse("select everything\n"), Error);
    EXPECT_THROW(QueryBlock::parse("where x\n"), Error);
    EXPECT_THROW(QueryBlock::parse("node si99 constant 1\n"), Error);
}

} // namespace
} // namespace daphne::ops
