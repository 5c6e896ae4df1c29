// SPDX-License-Identifier: Apache-2.0
/// Parts of query blocks: join tables, the order of joins. Whole blocks are compared with SQLite.
#include <gtest/gtest.h>

#include <random>
#include <unordered_map>

#include "kernels/query/JoinTable.h"
#include "kernels/query/JoinTree.h"
#include "sched/Scheduler.h"

namespace daphne::query {
namespace {

using Kind = ops::QueryBlock::NodeKind;

std::vector<uint32_t> rowsOf(const JoinTable &table, int64_t key) {
    std::vector<uint32_t> rows;
    uint32_t row = JoinTable::kNone;
    for (table.find(&key, 1, &row); row != JoinTable::kNone; row = table.next(row))
        rows.push_back(row);
    return rows;
}

/// Keys from a range of the given width, as many as n, on several threads.
void checkTable(size_t n, uint64_t width, uint32_t threads) {
    std::mt19937_64 random(n + width);
    std::vector<int64_t> keys(n);
    for (int64_t &k : keys)
        k = static_cast<int64_t>(random() % width) - static_cast<int64_t>(width / 3);
    sched::Settings settings;
    settings.threads.numThreads = threads;
    sched::Scheduler scheduler(settings);
    RunContext context;
    context.scheduler = &scheduler;
    JoinTable table(context, keys, nullptr);
    std::unordered_map<int64_t, std::vector<uint32_t>> expected;
    for (size_t r = 0; r < n; ++r)
        expected[keys[r]].push_back(static_cast<uint32_t>(r));
    EXPECT_EQ(table.isUnique(), expected.size() == n);
    for (const auto &[key, rows] : expected)
        ASSERT_EQ(rowsOf(table, key), rows) << key;
    EXPECT_TRUE(rowsOf(table, INT64_MAX).empty());
    EXPECT_TRUE(rowsOf(table, INT64_MIN).empty());
}

TEST(JoinTable, FindsAllRowsOfAKeyInOrder) {
    for (uint32_t threads : {1u, 3u}) {
        checkTable(1, 1, threads);
        checkTable(1000, 50, threads);
        checkTable(1000, uint64_t(1) << 60, threads);
        checkTable(200000, 400000, threads);
        checkTable(200000, uint64_t(1) << 60, threads);
        checkTable(200000, 70000, threads);
    }
}

TEST(JoinTable, IsEmptyWithoutRows) {
    RunContext context;
    JoinTable table(context, {}, nullptr);
    EXPECT_TRUE(rowsOf(table, 0).empty());
    EXPECT_TRUE(table.isUnique());
}

TEST(JoinTable, LeavesRowsOut) {
    RunContext context;
    std::vector<int64_t> keys{7, 7, 8};
    uint8_t skip[] = {1, 0, 1};
    JoinTable table(context, keys, skip);
    EXPECT_EQ(rowsOf(table, 7), std::vector<uint32_t>{1});
    EXPECT_TRUE(rowsOf(table, 8).empty());
}

TEST(JoinTable, KeysAtTheEndsOfTheirTypeAreFound) {
    RunContext context;
    std::vector<int64_t> keys{INT64_MIN, INT64_MAX, 0};
    JoinTable table(context, keys, nullptr);
    EXPECT_EQ(rowsOf(table, INT64_MIN), std::vector<uint32_t>{0});
    EXPECT_EQ(rowsOf(table, INT64_MAX), std::vector<uint32_t>{1});
}

// ------------------------------------------------------------- order of joins

struct Query {
    ops::QueryBlock block;
    size_t column(size_t source, const std::string &name) {
        return block.add({.kind = Kind::Column, .type = ValueType::SI64, .name = name, .source = source});
    }
    void equal(size_t a, size_t b) {
        block.conditions.push_back(
            block.add({.kind = Kind::Call, .type = ValueType::SI64, .name = "ewEq", .operands = {a, b}}));
    }
};

TEST(JoinTree, TheLargestSourceIsPassedOver) {
    Query q;
    q.block.sources = {"small", "large"};
    q.equal(q.column(0, "k"), q.column(1, "k"));
    JoinTree tree = planJoins(q.block, {{10}, {1000}}, [](size_t) { return 1.0; });
    EXPECT_EQ(tree.root, 1u);
    EXPECT_EQ(tree.members[0].parent, 1u);
    ASSERT_EQ(tree.members[0].edges.size(), 1u);
    EXPECT_TRUE(tree.members[1].conditions.empty()) << "the join itself checks the equality";
}

TEST(JoinTree, PrefersEdgesWithFewRowsPerKey) {
    // Customers can be found by their key from orders or by their nation from suppliers.
    Query q;
    q.block.sources = {"items", "orders", "suppliers", "customers"};
    q.equal(q.column(0, "order"), q.column(1, "order"));
    q.equal(q.column(0, "supplier"), q.column(2, "supplier"));
    q.equal(q.column(1, "customer"), q.column(3, "customer"));
    size_t nation = q.column(3, "nation");
    q.equal(nation, q.column(2, "nation"));
    JoinTree tree = planJoins(q.block, {{6000}, {1500}, {100}, {150}},
                              [&](size_t column) { return q.block.nodes[column].name == "nation" ? 6.0 : 1.0; });
    EXPECT_EQ(tree.root, 0u);
    EXPECT_EQ(tree.members[3].parent, 1u);
    EXPECT_EQ(tree.members[0].conditions.size(), 1u) << "equal nations are checked where both are known";
}

TEST(JoinTree, ConditionsGoAsFarDownAsPossible) {
    Query q;
    q.block.sources = {"a", "b"};
    size_t x = q.column(1, "x"), one = q.block.add({.type = ValueType::SI64, .constant = {.i = 1}});
    q.equal(q.column(0, "k"), q.column(1, "k"));
    q.block.conditions.push_back(
        q.block.add({.kind = Kind::Call, .type = ValueType::SI64, .name = "ewLt", .operands = {x, one}}));
    JoinTree tree = planJoins(q.block, {{1000}, {10, 0.5}}, [](size_t) { return 1.0; });
    EXPECT_EQ(tree.members[1].conditions.size(), 1u);
    EXPECT_EQ(tree.members[1].estimatedRows, 5);
    EXPECT_EQ(tree.members[0].estimatedRows, 500);
}

TEST(JoinTree, SourcesWithoutEqualitiesAreProducts) {
    Query q;
    q.block.sources = {"a", "b"};
    JoinTree tree = planJoins(q.block, {{3}, {4}}, [](size_t) { return 1.0; });
    EXPECT_EQ(tree.root, 1u);
    EXPECT_TRUE(tree.members[0].edges.empty());
    EXPECT_EQ(tree.members[1].estimatedRows, 12);
}

} // namespace
} // namespace daphne::query
