// SPDX-License-Identifier: Apache-2.0
#include <limits>

#include "data/Sequence.h"
#include "kernels/Run.h"

namespace daphne::test {
namespace {

constexpr double kNan = std::numeric_limits<double>::quiet_NaN();

bool equal(const Value &a, const Value &b) {
    EXPECT_EQ(run("equal", {b, a}).as<bool>(), run("equal", {a, b}).as<bool>()) << "in the other order";
    return run("equal", {a, b}).as<bool>();
}
Value list(std::vector<Value> elements) {
    auto l = Ref<Sequence>::make();
    l->elements = std::move(elements);
    return makeList(std::move(l));
}

TEST(Equal, ComparesNumbersAsOperatorsDoAndNanWithItself) {
    EXPECT_TRUE(equal(number(1.0), number(int64_t(1))));
    EXPECT_FALSE(equal(number(1.0), number(int64_t(2))));
    EXPECT_TRUE(equal(number(kNan), number(kNan)));
    EXPECT_TRUE(equal(number(0.0), number(-0.0)));
    EXPECT_FALSE(equal(text("1"), number(1.0)));
    EXPECT_TRUE(equal(text("a"), text("a")));
}

TEST(Equal, ComparesShapesAndCellsWhateverTheirTypes) {
    EXPECT_TRUE(equal(column<int64_t>({1, 2}), column<double>({1, 2})));
    EXPECT_TRUE(equal(column<double>({kNan}), column<double>({kNan})));
    EXPECT_FALSE(equal(column<int64_t>({1, 2}), matrix<int64_t>(1, 2, {1, 2})));
    EXPECT_FALSE(equal(column<int64_t>({1}), number(int64_t(1))));
    EXPECT_FALSE(equal(matrix<double>(0, 2, {}), matrix<double>(0, 3, {})));
    EXPECT_FALSE(equal(strings(1, 1, {"1"}), column<double>({1})));
    EXPECT_TRUE(equal(strings(1, 2, {"a", ""}), strings(1, 2, {"a", ""})));
}

TEST(Equal, DoesNotSeeRepresentations) {
    Value dense = matrix<double>(2, 3, {0, 1.5, 0, 0, 0, -2});
    Value sparse = Csr::shown(*toCsr(dense.dense()), true);
    Value other = matrix<double>(2, 3, {0, 1.5, 0, 0, -2, 0});
    EXPECT_TRUE(equal(dense, sparse));
    EXPECT_TRUE(equal(sparse, Csr::shown(*toCsr(dense.dense()), true)));
    EXPECT_FALSE(equal(sparse, other));
    EXPECT_FALSE(equal(sparse, Csr::shown(*toCsr(other.dense()), true)));
}

TEST(Equal, ComparesListsElementByElement) {
    Value a = list({number(1.0), text("x"), list({column<double>({kNan})})});
    EXPECT_TRUE(equal(a, list({number(int64_t(1)), text("x"), list({column<double>({kNan})})})));
    EXPECT_FALSE(equal(a, list({number(1.0), text("x"), list({})})));
    EXPECT_FALSE(equal(a, list({number(1.0), text("x")})));
    EXPECT_FALSE(equal(list({}), number(0.0)));
}

TEST(Equal, NeedsNoStackForDeepLists) {
    Value a = list({}), b = list({});
    for (int i = 0; i < 300000; ++i) {
        a = list({std::move(a)});
        b = list({std::move(b)});
    }
    EXPECT_TRUE(equal(a, b));
}

TEST(Equal, DoesNotCompareFunctions) {
    auto parts = Ref<Sequence>::make();
    parts->elements = {text("function(x)"), number(int64_t(0))};
    Value f = makeFunction(parts);
    EXPECT_NE(failure("equal", {f, f}).find("functions cannot be compared"), std::string::npos);
    EXPECT_NE(failure("equal", {list({f}), list({number(1.0)})}), "");
}

TEST(Decides, IsTrueOfNumbersWithThatTruthValue) {
    Value yes = Value::scalar(true), no = Value::scalar(false);
    EXPECT_TRUE(run("decides", {number(0.5), yes}).as<bool>());
    EXPECT_FALSE(run("decides", {number(0.5), no}).as<bool>());
    EXPECT_TRUE(run("decides", {number(0.0), no}).as<bool>());
    EXPECT_FALSE(run("decides", {column<double>({1}), yes}).as<bool>());
    EXPECT_FALSE(run("decides", {text("a"), yes}).as<bool>());
}

TEST(OrderOfKeys, SortsNumbersOfAnyTypesOrStringsStably) {
    Value keys = list({number(2.5), number(int64_t(1)), number(kNan), Value::scalar(true), number(int64_t(-3))});
    EXPECT_EQ(printed(run("orderOfKeys", {keys})), "DenseMatrix(5x1, int64_t)\n4\n1\n3\n0\n2\n");
    EXPECT_EQ(printed(run("orderOfKeys", {list({text("b"), text("a")})})), "DenseMatrix(2x1, int64_t)\n1\n0\n");
    EXPECT_EQ(printed(run("orderOfKeys", {list({})})), "DenseMatrix(0x1, int64_t)\n");
    EXPECT_NE(failure("orderOfKeys", {list({number(1.0), text("a")})}), "");
    EXPECT_NE(failure("orderOfKeys", {list({column<double>({1})})}), "");
}

TEST(AsList, SaysWhatAListIsNeededFor) {
    EXPECT_EQ(printed(run("asList", {list({number(1.0)}), text("this needs a list"), text("hint")})), "List(1)\n1\n");
    std::string said = failure("asList", {column<double>({1}), text("this needs a list"), text("hint")});
    EXPECT_NE(said.find("this needs a list, this is matrix<f64> 1x1"), std::string::npos) << said;
}

} // namespace
} // namespace daphne::test
