// SPDX-License-Identifier: Apache-2.0
#include "data/Sequence.h"
#include "kernels/Run.h"

namespace daphne::test {
namespace {

Value two() { return run("createList", {column<int64_t>({1, 2}), column<int64_t>({3})}); }
size_t length(const Value &list) { return run("length", {list}).as<size_t>(); }

TEST(Lists, HoldAnything) {
    EXPECT_EQ(length(two()), 2u);
    EXPECT_EQ(run("length", {two()}).scalarType(), ValueType::Size);
    EXPECT_EQ(two().valueType(), ValueType::SI64);
    EXPECT_EQ(printed(run("createList", {})), "List(0)\n");
    Value mixed = run("createList", {column<int64_t>({1}), column<double>({1})});
    EXPECT_EQ(mixed.valueType(), ValueType::Unknown);
    EXPECT_EQ(printed(run("createList", {number(1.5), text("a")})), "List(2)\n1.5\na\n");
    EXPECT_EQ(printed(run("append", {two(), number(1.5)})).substr(0, 8), "List(3)\n");
    EXPECT_NE(failure("append", {column<double>({1}), column<double>({1})}), "");
}

TEST(Lists, MayBeNestedDeeperThanTheStack) {
    Value list = run("createList", {});
    for (int i = 0; i < 1000000; ++i)
        list = runConsuming("createList", 0, {std::move(list)});
    EXPECT_EQ(length(list), 1u);
}

TEST(Lists, AnElementMayBeTakenOutOfItsPlaceAndPutBack) {
    Value list = run("createList", {number(int64_t(1)), number(int64_t(2))});
    auto taken = runAll("takeElement", {list, number(int64_t(0))}, 2);
    EXPECT_EQ(taken[1].as<int64_t>(), 1);
    EXPECT_EQ(length(taken[0]), 2u);
    EXPECT_EQ(printed(run("putElement", {taken[0], text("a"), number(int64_t(0))})), "List(2)\na\n2\n");
    EXPECT_EQ(printed(run("putElement", {taken[0], text("a"), number(int64_t(-2))})), "List(2)\na\n2\n");
    EXPECT_EQ(printed(list), "List(2)\n1\n2\n");
    for (int64_t position : {2, -3}) {
        EXPECT_NE(failure("putElement", {list, text("a"), number(position)}), "");
        EXPECT_THROW(runAll("takeElement", {list, number(position)}, 2), Error);
    }
}

TEST(Lists, AreExtendedByOthersAndByThemselves) {
    Value list = run("createList", {number(int64_t(1)), number(int64_t(2))});
    EXPECT_EQ(printed(run("extend", {list, list})), "List(4)\n1\n2\n1\n2\n");
    EXPECT_EQ(printed(run("extend", {list, run("createList", {text("a")})})), "List(3)\n1\n2\na\n");
    EXPECT_NE(failure("extend", {list, number(1.0)}), "");
    EXPECT_NE(failure("extend", {number(1.0), list}), "");
}

TEST(Lists, HaveElementsAsRows) {
    Value list = run("createList", {number(int64_t(1)), text("a"), number(2.5)});
    EXPECT_EQ(run("extractRow", {list, number(int64_t(1))}).text(), "a");
    EXPECT_EQ(run("extractRow", {list, number(int64_t(-1))}).as<double>(), 2.5);
    EXPECT_NE(failure("extractRow", {list, number(int64_t(3))}), "");
    EXPECT_NE(failure("extractRow", {list, number(int64_t(-4))}), "");
    EXPECT_EQ(printed(run("sliceRow", {list, number(int64_t(1)), number(int64_t(3))})), "List(2)\na\n2.5\n");
    EXPECT_EQ(printed(run("extractRow", {list, column<int64_t>({2, 0})})), "List(2)\n2.5\n1\n");
    EXPECT_EQ(printed(run("filterRow", {list, column<int64_t>({1, 0, 1})})), "List(2)\n1\n2.5\n");
}

TEST(Lists, AppendMakesANewListUnlessNobodySeesTheOld) {
    Value list = two();
    EXPECT_EQ(length(run("append", {list, column<int64_t>({4})})), 3u);
    EXPECT_EQ(length(list), 2u);
    EXPECT_EQ(length(runConsuming("append", 1, {list, column<int64_t>({4})})), 3u);
    EXPECT_EQ(length(list), 2u);

    const Kernel *kernel = KernelTable::get().find("append");
    RunContext context;
    std::vector<Value> args, results(1);
    const Object *storage = list.object();
    args.push_back(std::move(list));
    args.push_back(column<int64_t>({4}));
    KernelCall call{context, *kernel, args, results, 1, {}};
    kernel->run(call);
    EXPECT_EQ(results[0].object(), storage);
    EXPECT_EQ(length(results[0]), 3u);
}

TEST(Lists, RemoveYieldsTheRestAndTheElement) {
    Value list = two();
    auto results = runAll("remove", {list, number(0.0)}, 2);
    EXPECT_EQ(length(results[0]), 1u);
    EXPECT_EQ(cells<int64_t>(results[1]), (std::vector<int64_t>{1, 2}));
    EXPECT_EQ(length(list), 2u);
}

TEST(Lists, MayBecomeEmptyAndGrowAgain) {
    Value list = run("createList", {column<double>({1})});
    list = runAll("remove", {list, number(int64_t(0))}, 2)[0];
    EXPECT_EQ(printed(list), "List(0, DenseMatrix, double)\n");
    EXPECT_EQ(length(run("append", {list, column<double>({1})})), 1u);
}

TEST(Lists, RemoveRejectsPositionsOutOfRange) {
    for (int64_t position : {-1, 2, 100})
        EXPECT_THROW(runAll("remove", {two(), number(position)}, 2), Error);
}

} // namespace
} // namespace daphne::test
