// SPDX-License-Identifier: Apache-2.0
#include "kernels/Run.h"

namespace daphne::test {
namespace {

Value two() { return run("createList", {column<int64_t>({1, 2}), column<int64_t>({3})}); }
size_t length(const Value &list) { return run("length", {list}).as<size_t>(); }

TEST(Lists, HoldMatricesOfOneValueType) {
    EXPECT_EQ(length(two()), 2u);
    EXPECT_EQ(run("length", {two()}).scalarType(), ValueType::Size);
    EXPECT_EQ(two().list().elementType, ValueType::SI64);
    EXPECT_NE(failure("createList", {column<int64_t>({1}), column<double>({1})}), "");
    EXPECT_NE(failure("createList", {number(1.0)}), "");
    EXPECT_NE(failure("append", {two(), column<double>({1})}), "");
    EXPECT_NE(failure("append", {column<double>({1}), column<double>({1})}), "");
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
