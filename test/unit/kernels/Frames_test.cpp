// SPDX-License-Identifier: Apache-2.0
#include "kernels/Run.h"

namespace daphne::test {
namespace {

using S = std::vector<std::string>;

Value frame() { return run("createFrame", {column<int64_t>({1, 2}), column<double>({.5, 1}), text("a"), text("b")}); }

TEST(CreateFrame, TakesColumnsAndLabels) {
    EXPECT_EQ(printed(frame()), "Frame(2x2, [a:int64_t, b:double])\n1 0.5\n2 1\n");
    EXPECT_EQ(run("createFrame", {column<int64_t>({1}), strings(1, 1, {"x"})}).frame().labels, (S{"col_0", "col_1"}));
    EXPECT_EQ(run("createFrame", {matrix<double>(0, 1, {})}).frame().shapeText(), "0x1");
    EXPECT_EQ(printed(run("createFrame", {column<bool>({true})})), "Frame(1x1, [col_0:bool])\n1\n");
}

TEST(CreateFrame, AcceptsWindowsAsColumns) {
    EXPECT_EQ(printed(run("createFrame", {windowed(column<int64_t>({7, 8}))})), "Frame(2x1, [col_0:int64_t])\n7\n8\n");
}

TEST(CreateFrame, RejectsWrongArguments) {
    Value c = column<int64_t>({1, 2});
    EXPECT_NE(failure("createFrame", {c, c, text("a")}), "");
    EXPECT_NE(failure("createFrame", {c, text("a"), text("b")}), "");
    EXPECT_NE(failure("createFrame", {c, text("a"), c, text("b")}), "");
    EXPECT_NE(failure("createFrame", {text("a")}), "");
    EXPECT_NE(failure("createFrame", {number(1.0)}), "");
    EXPECT_NE(failure("createFrame", {c, column<int64_t>({1})}), "");
    EXPECT_NE(failure("createFrame", {rowVector<int64_t>({1, 2})}), "");
    EXPECT_NE(failure("createFrame", {c, c, text("a"), text("a")}), "");
}

TEST(SetColLabels, RenamesEveryColumn) {
    EXPECT_EQ(run("setColLabels", {frame(), text("x"), text("a")}).frame().labels, (S{"x", "a"}));
    EXPECT_NE(failure("setColLabels", {frame(), text("x")}), "");
    EXPECT_NE(failure("setColLabels", {frame(), text("x"), text("x")}), "");
    EXPECT_NE(failure("setColLabels", {frame(), text("x"), number(1.0)}), "");
    EXPECT_NE(failure("setColLabels", {column<double>({1}), text("x")}), "");
}

TEST(SetColLabelsPrefix, ReplacesTheTextBeforeTheFirstDot) {
    Value f = run("setColLabels", {frame(), text("old.x.y"), text("z")});
    EXPECT_EQ(run("setColLabelsPrefix", {f, text("p")}).frame().labels, (S{"p.x.y", "p.z"}));
    Value clash = run("setColLabels", {frame(), text("a.x"), text("b.x")});
    EXPECT_NE(failure("setColLabelsPrefix", {clash, text("p")}), "");
    EXPECT_EQ(f.frame().labels, (S{"old.x.y", "z"})) << "the argument is unchanged";
}

} // namespace
} // namespace daphne::test
