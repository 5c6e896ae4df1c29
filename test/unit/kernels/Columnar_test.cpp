// SPDX-License-Identifier: Apache-2.0
/// Column operators: every one gives what the operation on frames or matrices gives that it stands for.
#include <algorithm>
#include <random>

#include "kernels/Run.h"
#include "sched/Scheduler.h"

namespace daphne::test {
namespace {

using Positions = std::vector<size_t>;
using S = std::vector<std::string>;

Positions listed(const Value &v) {
    EXPECT_EQ(v.valueType(), ValueType::Size);
    auto view = v.dense().view<uint64_t>();
    return {view.data, view.data + view.rows};
}

Value list(std::initializer_list<uint64_t> positions) {
    Value v = column<uint64_t>(positions);
    v.dense().retag(ValueType::Size);
    return v;
}

/// On several threads, so that pieces of columns are made by different workers.
std::vector<Value> runOnThreads(std::string_view mnemonic, std::vector<Value> args, size_t numResults = 1) {
    sched::Settings settings;
    settings.threads.numThreads = 3;
    sched::Scheduler scheduler(settings);
    RunContext context;
    context.scheduler = &scheduler;
    const Kernel *kernel = KernelTable::get().find(mnemonic);
    std::vector<Value> results(numResults);
    KernelCall call{context, *kernel, args, results, 0, {}};
    kernel->run(call);
    return results;
}

Value randomColumn(ValueType type, size_t n, uint32_t seed, int distinct = 5) {
    std::mt19937 random(seed);
    auto m = Dense::create(type, n, 1);
    withValueType(type, [&]<class T>(TypeTag<T>) {
        T *out = m->mutableView<T>().data;
        for (size_t r = 0; r < n; ++r) {
            auto x = static_cast<int>(random() % static_cast<unsigned>(distinct));
            if constexpr (std::is_same_v<T, std::string>)
                out[r] = std::string(1, static_cast<char>('a' + x));
            else
                out[r] = static_cast<T>(x);
        }
    });
    return m;
}

// ---- selections

constexpr std::string_view kComparisons[] = {"Eq", "Neq", "Lt", "Le", "Gt", "Ge"};

/// Rows in which the elementwise comparison is true.
Positions expectedRows(std::string_view comparison, const Value &a, const Value &b) {
    Value bits = cast(run("ew" + std::string(comparison), {a, b}), ValueKind::Matrix, ValueType::SI64);
    Positions rows;
    for (size_t r = 0; r < bits.dense().rows(); ++r)
        if (bits.dense().view<int64_t>()(r, 0) != 0)
            rows.push_back(r);
    return rows;
}

TEST(ColSelect, ChoosesTheRowsInWhichTheComparisonIsTrue) {
    constexpr size_t kRows = 150000; // several pieces
    constexpr ValueType kTypes[] = {ValueType::Bool, ValueType::UI8, ValueType::SI32, ValueType::SI64,
                                    ValueType::UI64, ValueType::F32, ValueType::F64,  ValueType::Str};
    for (ValueType type : kTypes) {
        Value a = randomColumn(type, kRows, 1), b = randomColumn(type, kRows, 2);
        Value scalar = type == ValueType::Str ? text("c") : number(int64_t(2));
        for (std::string_view c : kComparisons)
            for (const Value &other : {b, scalar})
                EXPECT_EQ(listed(runOnThreads("colSelect" + std::string(c), {a, other})[0]), expectedRows(c, a, other))
                    << c << " " << dslName(type);
    }
}

TEST(ColSelect, ComparesDifferentTypesAsTheElementwiseComparisonDoes) {
    Value a = column<int64_t>({-1, 0, (int64_t(1) << 53) + 1, 3}), b = column<double>({-1, 0.5, 9007199254740992.0, 3});
    Value u = column<uint64_t>({~uint64_t(0), 0, 1, 3});
    for (std::string_view c : kComparisons) {
        EXPECT_EQ(listed(run("colSelect" + std::string(c), {a, b})), expectedRows(c, a, b)) << c;
        EXPECT_EQ(listed(run("colSelect" + std::string(c), {a, u})), expectedRows(c, a, u)) << c;
        EXPECT_EQ(listed(run("colSelect" + std::string(c), {windowed(a), windowed(b)})), expectedRows(c, a, b)) << c;
    }
}

TEST(ColSelect, TreatsNanAsComparisonsDo) {
    Value a = column<double>({std::nan(""), 0, 1});
    EXPECT_EQ(listed(run("colSelectNeq", {a, number(0.0)})), (Positions{0, 2}));
    EXPECT_EQ(listed(run("colSelectEq", {a, a})), (Positions{1, 2}));
    EXPECT_EQ(listed(run("colSelectGe", {a, number(0.0)})), (Positions{1, 2}));
}

TEST(ColSelect, TakesNoRows) {
    EXPECT_TRUE(listed(run("colSelectEq", {matrix<double>(0, 1, {}), number(1.0)})).empty());
    EXPECT_TRUE(listed(run("colSelectEq", {strings(0, 1, {}), text("a")})).empty());
}

TEST(ColSelect, RejectsOtherShapesAndTypes) {
    EXPECT_NE(failure("colSelectEq", {matrix<double>(1, 2, {1, 2}), number(1.0)}), "");
    EXPECT_NE(failure("colSelectEq", {column<double>({1, 2}), column<double>({1})}), "");
    EXPECT_NE(failure("colSelectEq", {column<double>({1, 2}), text("a")}), "");
    EXPECT_NE(failure("colSelectEq", {strings(1, 1, {"a"}), number(1.0)}), "");
}

// ---- position lists

TEST(PositionLists, IntersectAndMergeAreThoseOfSets) {
    std::mt19937 random(5);
    for (size_t size : {0, 1, 10, 1000}) {
        Positions a, b, both, all;
        for (size_t p = 0; p < size; ++p) {
            if (random() % 2)
                a.push_back(p);
            if (random() % 3 == 0)
                b.push_back(p);
        }
        auto asValue = [](const Positions &p) {
            auto m = Dense::create(ValueType::Size, p.size(), 1);
            std::copy(p.begin(), p.end(), m->mutableView<uint64_t>().data);
            return Value(m);
        };
        std::set_intersection(a.begin(), a.end(), b.begin(), b.end(), std::back_inserter(both));
        std::set_union(a.begin(), a.end(), b.begin(), b.end(), std::back_inserter(all));
        EXPECT_EQ(listed(run("colIntersect", {asValue(a), asValue(b)})), both);
        EXPECT_EQ(listed(run("colMerge", {asValue(a), asValue(b)})), all);
    }
}

TEST(ColProject, FetchesCellsOfColumnsAndFrames) {
    Value rows = list({2, 0, 2});
    EXPECT_EQ(cells<double>(run("colProject", {column<double>({5, 6, 7}), rows})), (std::vector<double>{7, 5, 7}));
    EXPECT_EQ(cells<double>(run("colProject", {windowed(column<double>({5, 6, 7})), rows})),
              (std::vector<double>{7, 5, 7}));
    EXPECT_EQ(cells<std::string>(run("colProject", {strings(3, 1, {"x", "y", "z"}), rows})), (S{"z", "x", "z"}));
    EXPECT_EQ(cells<int64_t>(run("colProject", {matrix<int64_t>(3, 2, {1, 2, 3, 4, 5, 6}), rows})),
              (std::vector<int64_t>{5, 6, 1, 2, 5, 6}));
    Value frame =
        run("createFrame", {column<int64_t>({1, 2, 3}), strings(3, 1, {"x", "y", "z"}), text("a"), text("s")});
    EXPECT_EQ(printed(run("colProject", {frame, rows})), "Frame(3x2, [a:int64_t, s:std::string])\n3 z\n1 x\n3 z\n");
}

TEST(ColProject, ChecksTheNumberOfRowsIfItIsGiven) {
    Value c = column<double>({5, 6, 7});
    EXPECT_EQ(failure("colProject", {c, list({0}), Value::size(3)}), "");
    EXPECT_EQ(failure("colProject", {c, list({0}), Value::size(2)}),
              "a row filter needs one entry per row, got 2 entries for 3 rows");
    EXPECT_NE(failure("colProject", {c, column<double>({0})}), "");
    EXPECT_NE(failure("colProject", {number(1.0), list({0})}), "");
}

// ---- joins

TEST(ColJoin, GivesPairsInTheOrderOfTheLeftSide) {
    auto rows = runAll("colJoin", {column<int64_t>({3, 1, 2, 1}), column<double>({1, 2, 1, 9})}, 2);
    EXPECT_EQ(listed(rows[0]), (Positions{1, 1, 2, 3, 3}));
    EXPECT_EQ(listed(rows[1]), (Positions{0, 2, 1, 0, 2}));
    rows = runAll("colJoin", {strings(2, 1, {"b", "a"}), strings(2, 1, {"a", "c"})}, 2);
    EXPECT_EQ(listed(rows[0]), (Positions{1}));
    EXPECT_EQ(listed(rows[1]), (Positions{0}));
    Value nan = column<double>({std::nan("")});
    EXPECT_TRUE(listed(runAll("colJoin", {nan, nan}, 2)[0]).empty()) << "NaN equals nothing";
    EXPECT_NE(failure("colJoin", {nan, strings(1, 1, {"a"})}), "");
}

TEST(ColJoin, AgreesWithTheJoinOfFrames) {
    Value a = randomColumn(ValueType::SI64, 100000, 1, 300000), b = randomColumn(ValueType::SI64, 70000, 2, 300000);
    auto rows = runOnThreads("colJoin", {a, b}, 2);
    Value x = run("createFrame", {a, run("seq", {number(int64_t(0)), number(int64_t(99999)), number(int64_t(1))}),
                                  text("k"), text("p")});
    Value y = run("createFrame", {b, run("seq", {number(int64_t(0)), number(int64_t(69999)), number(int64_t(1))}),
                                  text("l"), text("q")});
    Value joined = run("innerJoin", {x, y, text("k"), text("l")});
    for (size_t side : {0, 1}) {
        const Dense &expected = *joined.frame().columns[2 * side + 1];
        ASSERT_EQ(expected.rows(), rows[side].dense().rows());
        for (size_t r = 0; r < expected.rows(); ++r)
            ASSERT_EQ(static_cast<uint64_t>(expected.view<int64_t>()(r, 0)), rows[side].dense().view<uint64_t>()(r, 0));
    }
}

TEST(ColSemiJoin, GivesTheRowsThatHaveAMatch) {
    EXPECT_EQ(listed(run("colSemiJoin", {column<int64_t>({3, 1, 2, 1}), column<int64_t>({1, 1, 2})})),
              (Positions{1, 2, 3}));
}

// ---- groups

TEST(ColGroup, NumbersGroupsInTheOrderOfTheirKeys) {
    auto first = runAll("colGroupFirst", {strings(5, 1, {"b", "a", "b", "c", "a"})}, 2);
    EXPECT_EQ(cells<uint32_t>(first[0]), (std::vector<uint32_t>{1, 0, 1, 2, 0}));
    EXPECT_EQ(listed(first[1]), (Positions{1, 0, 3}));
    auto next = runAll("colGroupNext", {first[0], first[1], column<double>({2, std::nan(""), 1, 0, 7})}, 2);
    EXPECT_EQ(cells<uint32_t>(next[0]), (std::vector<uint32_t>{3, 1, 2, 4, 0})) << "NaN comes last";
    EXPECT_EQ(listed(next[1]), (Positions{4, 1, 2, 0, 3}));
    EXPECT_NE(failure("colGroupNext", {first[0], first[1], column<double>({1})}), "");
}

TEST(ColSumGrp, IsExactWithAndWithoutSplitting) {
    std::mt19937_64 random(9);
    constexpr size_t kRows = 20000, kGroups = 7;
    auto values = Dense::create(ValueType::SI64, kRows, 1);
    auto numbers = Dense::create(ValueType::UI32, kRows, 1);
    std::vector<uint64_t> expected(kGroups);
    for (size_t r = 0; r < kRows; ++r) {
        // Small ones of both signs, some that need more than 32 bits, some at the limits.
        uint64_t x = random();
        if (r % 3)
            x = static_cast<uint64_t>(static_cast<int64_t>(x) >> 40);
        if (r % 101 == 0)
            x = uint64_t(1) << 63;
        auto group = static_cast<uint32_t>(random() % kGroups);
        values->mutableView<int64_t>()(r, 0) = static_cast<int64_t>(x);
        numbers->mutableView<uint32_t>()(r, 0) = group;
        expected[group] += x;
    }
    for (bool split : {false, true}) {
        Value sums = run("colSumGrp", {values, numbers, list({0, 0, 0, 0, 0, 0, 0}), Value::scalar(split)});
        for (size_t k = 0; k < kGroups; ++k)
            EXPECT_EQ(static_cast<uint64_t>(sums.dense().view<int64_t>()(k, 0)), expected[k]) << k << " " << split;
    }
}

TEST(ColSumGrp, CountsTruthValuesAndKeepsInfinities) {
    Value numbers = column<uint32_t>({0, 0, 1});
    Value rows = list({0, 2}), no = Value::scalar(false);
    EXPECT_EQ(cells<int64_t>(run("colSumGrp", {column<bool>({true, true, false}), numbers, rows, no})),
              (std::vector<int64_t>{2, 0}));
    constexpr double kInf = std::numeric_limits<double>::infinity();
    EXPECT_EQ(cells<double>(run("colSumGrp", {column<double>({kInf, 1, 0.5}), numbers, rows, no})),
              (std::vector<double>{kInf, 0.5}));
    EXPECT_NE(failure("colSumGrp", {strings(3, 1, {"a", "b", "c"}), numbers, rows, no}), "");
    EXPECT_NE(failure("colSumGrp", {column<double>({1}), numbers, rows, no}), "");
    EXPECT_NE(failure("colSumGrp", {column<double>({1, 2, 3}), column<double>({0, 0, 1}), rows, no}), "");
}

} // namespace
} // namespace daphne::test
