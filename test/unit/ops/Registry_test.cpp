// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>
#include <set>

#include "ops/Registry.h"

namespace daphne::ops {
namespace {

const Registry &registry() { return Registry::get(); }

TEST(Registry, FindsOpsAndBuiltins) {
    ASSERT_TRUE(registry().findOp("ewAdd"));
    EXPECT_EQ(registry().findOp("ewAdd")->family, Family::EwBinary);
    EXPECT_EQ(registry().findOp("nothing"), nullptr);
    EXPECT_EQ(registry().findOp(""), nullptr);
    ASSERT_TRUE(registry().findBuiltin("exp"));
    EXPECT_EQ(registry().findBuiltin("exp")->row->op, "ewExp");
    EXPECT_EQ(registry().findBuiltin("Exp"), nullptr);
}

TEST(Registry, TakesSignaturesApart) {
    const BuiltinInfo *sum = registry().findBuiltin("sum");
    ASSERT_TRUE(sum);
    ASSERT_EQ(sum->params.size(), 3u);
    EXPECT_EQ(sum->params[0].name, "arg");
    EXPECT_FALSE(sum->params[0].optional);
    EXPECT_EQ(sum->params[1].name, "axisOrGroups");
    EXPECT_TRUE(sum->params[1].optional);
    EXPECT_EQ(sum->params[1].defaultLiteral, "");
    EXPECT_EQ(sum->numRequired, 1u);
    EXPECT_TRUE(sum->params[2].optional);
    EXPECT_TRUE(sum->hasAxis());
    EXPECT_FALSE(sum->isAxisCall(1));
    EXPECT_TRUE(sum->isAxisCall(2));
    EXPECT_FALSE(sum->isGroupedCall(2));
    EXPECT_TRUE(sum->isGroupedCall(3));
    const BuiltinInfo *idx = registry().findBuiltin("idxMin");
    ASSERT_TRUE(idx);
    EXPECT_EQ(idx->numRequired, 2u);
    EXPECT_FALSE(idx->variadic);
    EXPECT_TRUE(idx->isAxisCall(2));
    EXPECT_FALSE(idx->isGroupedCall(2));
}

TEST(Registry, FormsAreFoundByKeywordsOnly) {
    const Registry &r = Registry::get();
    std::vector<std::string_view> keywords{"axisOrGroups", "ddof"};
    const BuiltinInfo *form = r.findForm("var", keywords);
    ASSERT_NE(form, nullptr);
    EXPECT_EQ(form->name, "var");
    EXPECT_EQ(form->row->op, "sampleVarAll");
    EXPECT_EQ(form->axisPosition(), 1u);
    EXPECT_TRUE(form->isAxisCall(3));
    EXPECT_FALSE(form->isGroupedCall(3));
    EXPECT_EQ(r.findForm("var", std::vector<std::string_view>{"axisOrGroups"}), nullptr);
    EXPECT_EQ(r.findForm("mean", keywords), nullptr);
    EXPECT_NE(r.findBuiltin("var"), form);
    for (const BuiltinInfo &b : r.builtins())
        EXPECT_FALSE(b.isForm()) << b.name;
    EXPECT_EQ(userName("sampleVarRow"), "var");
    EXPECT_EQ(r.builtinOf("sampleStddevCol")->name, "stddev");
    EXPECT_EQ(r.builtinOf("sliceRow"), nullptr);
}

TEST(Registry, ReadsDefaultsAndVariableArguments) {
    const BuiltinInfo *print = registry().findBuiltin("print"), *stop = registry().findBuiltin("stop");
    const BuiltinInfo *createList = registry().findBuiltin("createList");
    ASSERT_TRUE(print && stop && createList);
    ASSERT_EQ(print->params.size(), 5u);
    EXPECT_EQ(print->params[1].name, "newline");
    EXPECT_EQ(print->params[1].defaultLiteral, "true");
    EXPECT_EQ(print->params[2].defaultLiteral, "false");
    EXPECT_EQ(print->numRequired, 1u);
    EXPECT_EQ(stop->params[0].defaultLiteral, "\"unspecified reason\"");
    EXPECT_EQ(stop->numRequired, 0u);
    EXPECT_TRUE(createList->variadic);
    EXPECT_TRUE(print->variadic);
    EXPECT_EQ(print->variadicParam, 0u);
}

TEST(Registry, EveryBuiltinIsComplete) {
    for (const BuiltinInfo &b : registry().builtins()) {
        EXPECT_FALSE(b.row->doc.empty()) << b.name;
        for (std::string_view op : {b.row->op, b.row->rowOp, b.row->colOp, b.row->groupOp})
            EXPECT_TRUE(op.empty() || registry().findOp(op)) << b.name << " calls " << op;
        std::set<std::string_view> names;
        for (const auto &p : b.params)
            EXPECT_TRUE(names.insert(p.name).second) << b.name << " has two parameters " << p.name;
    }
}

TEST(Registry, EveryOpHasARule) {
    for (const OpInfo *op : registry().ops()) {
        EXPECT_NE(op->infer, nullptr) << op->mnemonic;
        EXPECT_LE(op->minArgs, op->maxArgs) << op->mnemonic;
        EXPECT_EQ(registry().findOp(op->mnemonic), op);
    }
}

TEST(Registry, MapsOperatorsBothWays) {
    for (const char *token : {"+", "-", "*", "/", "^", "%", "@", "==", "!=", "<", "<=", ">", ">=", "&&", "||"}) {
        std::string_view mnemonic = operatorMnemonic(token);
        EXPECT_FALSE(mnemonic.empty()) << token;
        EXPECT_EQ(userName(mnemonic), token);
    }
    EXPECT_EQ(operatorMnemonic("="), "");
    EXPECT_EQ(userName("ewNot"), "!");
    EXPECT_EQ(userName("sumRow"), "sum");
    EXPECT_EQ(userName("ewExp"), "exp");
    EXPECT_EQ(userName("condition"), "condition");
}

} // namespace
} // namespace daphne::ops
