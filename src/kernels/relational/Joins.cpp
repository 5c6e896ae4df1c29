// SPDX-License-Identifier: Apache-2.0
/// Joins of two frames. Rows of results are in the order of the left frame,
/// matches of one row in the order of the right frame.
#include <algorithm>

#include "base/Calendar.h"
#include "base/Cancellable.h"
#include "data/CopyCells.h"
#include "kernels/relational/FrameColumns.h"
#include "kernels/times/TimeTotals.h"
#include "ops/SumTypes.h"

namespace daphne {

namespace {

using namespace relational;

struct RowPairs {
    std::vector<size_t> lhs, rhs;
};

/// Equality of the given columns of two frames, found by hashing.
struct Equality {
    Columns lhs, rhs;
    RowIndex index;
    std::vector<uint32_t> keyOfRow; ///< of the left rows; kNone without a match

    Equality(const Frame &l, const std::vector<std::string> &lhsOn, const Frame &r,
             const std::vector<std::string> &rhsOn)
        : lhs(columnsOf(l, lhsOn)), rhs(aligned(columnsOf(r, rhsOn))), index(r.rows(), rhs, NanRule::Differs),
          keyOfRow(index.find(l.rows(), lhs)) {}
    std::span<const size_t> matches(size_t lhsRow) const {
        return keyOfRow[lhsRow] == kNone ? std::span<const size_t>() : index.rows(keyOfRow[lhsRow]);
    }

  private:
    Columns aligned(Columns r) {
        alignKeys(lhs, r);
        return r;
    }
};

enum class Unmatched { Drop, Keep };

RowPairs matchingPairs(const Equality &keys, size_t numLhsRows, Unmatched unmatched) {
    RowPairs pairs;
    pairs.lhs.reserve(numLhsRows);
    pairs.rhs.reserve(numLhsRows);
    CancelCountdown look;
    for (size_t l = 0; l < numLhsRows; ++l) {
        auto matches = keys.matches(l);
        look.after(matches.size() + 1);
        for (size_t r : matches) {
            pairs.lhs.push_back(l);
            pairs.rhs.push_back(r);
        }
        if (matches.empty() && unmatched == Unmatched::Keep) {
            pairs.lhs.push_back(l);
            pairs.rhs.push_back(kNoRow);
        }
    }
    return pairs;
}

/// The labels after the two frames: those of lhs, then as many of rhs.
Equality equalityOf(KernelCall &call, const Frame &lhs, const Frame &rhs) {
    size_t n = (call.args.size() - 2) / 2;
    return {lhs, textArguments(call, 2, n), rhs, textArguments(call, 2 + n, n)};
}

Value innerJoin(KernelCall &call, const Frame &lhs, const Frame &rhs, std::span<const Value>) {
    Equality keys(lhs, textArguments(call, 2, 1), rhs, textArguments(call, 3, 1));
    RowPairs pairs = matchingPairs(keys, lhs.rows(), Unmatched::Drop);
    return besideEachOther(lhs, pairs.lhs, rhs, pairs.rhs);
}

Value leftOuterJoin(KernelCall &call, const Frame &lhs, const Frame &rhs, std::span<const Value>) {
    RowPairs pairs = matchingPairs(equalityOf(call, lhs, rhs), lhs.rows(), Unmatched::Keep);
    return besideEachOther(lhs, pairs.lhs, rhs, pairs.rhs);
}

Value fullOuterJoin(KernelCall &call, const Frame &lhs, const Frame &rhs, std::span<const Value>) {
    RowPairs pairs = matchingPairs(equalityOf(call, lhs, rhs), lhs.rows(), Unmatched::Keep);
    std::vector<bool> matched(rhs.rows());
    for (size_t k : cancellable(pairs.rhs.size()))
        if (size_t r = pairs.rhs[k]; r != kNoRow)
            matched[r] = true;
    for (size_t r : cancellable(rhs.rows()))
        if (!matched[r]) {
            pairs.lhs.push_back(kNoRow);
            pairs.rhs.push_back(r);
        }
    return besideEachOther(lhs, pairs.lhs, rhs, pairs.rhs);
}

/// Left rows that have a match, or that have none.
std::vector<size_t> rowsWhere(const Equality &keys, bool hasMatch) {
    std::vector<size_t> rows;
    for (size_t l : cancellable(keys.keyOfRow.size()))
        if ((keys.keyOfRow[l] != kNone) == hasMatch)
            rows.push_back(l);
    return rows;
}

Value antiJoin(KernelCall &call, const Frame &lhs, const Frame &rhs, std::span<const Value>) {
    auto rows = rowsWhere(equalityOf(call, lhs, rhs), false);
    auto result = Ref<Frame>::make(rows.size());
    for (size_t c = 0; c < lhs.cols(); ++c)
        result->addColumn(lhs.labels[c], pickOrDefault(*lhs.columns[c], rows));
    return result;
}

std::array<Value, 2> semiJoin(KernelCall &call, const Frame &lhs, const Frame &rhs, std::span<const Value>) {
    auto lhsOn = textArguments(call, 2, 1);
    auto rows = rowsWhere({lhs, lhsOn, rhs, textArguments(call, 3, 1)}, true);
    auto result = Ref<Frame>::make(rows.size());
    result->addColumn(lhsOn[0], pickOrDefault(*columnsOf(lhs, lhsOn)[0], rows));
    return {result, positionColumn(rows)};
}

/// Sums of the matching cells for every key of lhs that has a match; of equal keys of lhs the first counts.
std::array<Value, 2> groupJoin(KernelCall &, const Frame &lhs, const Frame &rhs, const std::string &lhsOn,
                               const std::string &rhsOn, const std::string &rhsAgg) {
    Equality keys(lhs, {lhsOn}, rhs, {rhsOn});
    const Dense &summed = *columnsOf(rhs, std::span(&rhsAgg, 1))[0];
    if (summed.type() == ValueType::Str)
        throw executionError("cannot sum the strings of column \"" + rhsAgg + "\"");
    if (isMoment(summed.type()))
        throw executionError("cannot sum the cells of column \"" + rhsAgg + "\", which are of type " +
                             std::string(dslName(summed.type())));
    std::vector<size_t> rows;
    std::vector<bool> taken(keys.index.numKeys());
    for (size_t l : cancellable(lhs.rows()))
        if (uint32_t key = keys.keyOfRow[l]; key != kNone && !taken[key]) {
            taken[key] = true;
            rows.push_back(l);
        }
    auto cells = converted(summed, ops::sumPrecision(summed.type()));
    Ref<Dense> sums;
    auto forMatches = [&](auto &&f) {
        CancelCountdown look;
        for (size_t k = 0; k < rows.size(); ++k, look.after(1 + keys.matches(rows[k - 1]).size()))
            for (size_t r : keys.matches(rows[k]))
                f(k, r);
    };
    if (summed.type() == ValueType::Duration) {
        std::vector<DurationTotal> totals(rows.size());
        auto in = cells->view<int64_t>();
        forMatches([&](size_t k, size_t r) { totals[k].add(in(r, 0), MissingCells::Win); });
        sums = totalsOf(totals, Total::Sum);
    } else {
        sums = Dense::create(cells->type(), rows.size(), 1, Buffer::Init::Zero);
        withNumericType(cells->type(), [&]<class T>(TypeTag<T>) {
            auto in = cells->view<T>();
            T *out = sums->mutableView<T>().data;
            forMatches([&](size_t k, size_t r) { out[k] = sumOfCells(out[k], in(r, 0)); });
        });
    }
    auto result = Ref<Frame>::make(rows.size());
    result->addColumn(lhsOn, pickOrDefault(*lhs.columns[positionOf(lhs, lhsOn)], rows));
    result->addColumn("SUM(" + rhsAgg + ")", converted(*sums, ops::sumType(summed.type())));
    return {result, positionColumn(rows)};
}

Value cartesian(KernelCall &, const Frame &lhs, const Frame &rhs) {
    size_t numPairs = 0;
    if (__builtin_mul_overflow(lhs.rows(), rhs.rows(), &numPairs) || numPairs > (size_t(1) << 48))
        throw executionError("the product of " + lhs.shapeText() + " and " + rhs.shapeText() + " is too large");
    RowPairs pairs;
    pairs.lhs.reserve(numPairs);
    pairs.rhs.reserve(numPairs);
    for (size_t l : cancellable(lhs.rows(), rhs.rows()))
        for (size_t r = 0; r < rhs.rows(); ++r) {
            pairs.lhs.push_back(l);
            pairs.rhs.push_back(r);
        }
    return besideEachOther(lhs, pairs.lhs, rhs, pairs.rhs);
}

// ---- theta joins

enum class Compare { Eq, Neq, Lt, Le, Gt, Ge };

Compare compareNamed(const std::string &text) {
    static constexpr std::pair<std::string_view, Compare> kNames[] = {
        {"=", Compare::Eq}, {"==", Compare::Eq}, {"<>", Compare::Neq}, {"!=", Compare::Neq},
        {"<", Compare::Lt}, {"<=", Compare::Le}, {">", Compare::Gt},   {">=", Compare::Ge}};
    for (auto [name, compare] : kNames)
        if (name == text)
            return compare;
    throw executionError("unknown comparison \"" + text + "\"").withHint("one of = <> != < <= > >=");
}

template <class T> bool holds(Compare compare, const T &a, const T &b) {
    switch (compare) {
    case Compare::Eq: return a == b;
    case Compare::Neq: return a != b;
    case Compare::Lt: return a < b;
    case Compare::Le: return a <= b;
    case Compare::Gt: return a > b;
    case Compare::Ge: return a >= b;
    }
    return false;
}

struct Condition {
    Compare compare;
    Columns lhs, rhs; ///< one column each, of equal types
};

/// Keeps the right rows for which the condition holds with one left row.
void keepMatches(const Condition &c, size_t lhsRow, std::vector<size_t> &rhsRows) {
    ValueType type = c.lhs[0]->type();
    withValueType(type, [&]<class T>(TypeTag<T>) {
        const T &cell = c.lhs[0]->view<T>()(lhsRow, 0);
        auto others = c.rhs[0]->view<T>();
        auto isNat = [&](const T &x) {
            if constexpr (std::is_integral_v<T>)
                return isTime(type) && static_cast<int64_t>(x) == calendar::natOf(type);
            else
                return false;
        };
        std::erase_if(rhsRows, [&](size_t r) {
            const T &other = others(r, 0);
            return isNat(cell) || isNat(other) ? c.compare != Compare::Neq : !holds(c.compare, cell, other);
        });
    });
}

/// Equalities are found by hashing, the other conditions are tried on what is left.
Value thetaJoin(KernelCall &call, const Frame &lhs, const Frame &rhs, std::span<const Value> rest) {
    if (rest.empty() || rest.size() % 3 != 0)
        throw executionError("needs conditions of a left label, a comparison and a right label each");
    std::vector<std::string> lhsOn, rhsOn;
    std::vector<Condition> others;
    for (size_t i = 2; i < call.args.size(); i += 3) {
        auto texts = textArguments(call, i, 3);
        Compare compare = compareNamed(texts[1]);
        if (compare == Compare::Eq) {
            lhsOn.push_back(texts[0]);
            rhsOn.push_back(texts[2]);
            continue;
        }
        Condition c{compare, columnsOf(lhs, std::span(&texts[0], 1)), columnsOf(rhs, std::span(&texts[2], 1))};
        alignKeys(c.lhs, c.rhs);
        others.push_back(std::move(c));
    }
    Equality keys(lhs, lhsOn, rhs, rhsOn); // without equalities every pair is a candidate
    RowPairs pairs;
    std::vector<size_t> candidates;
    CancelCountdown look;
    for (size_t l = 0; l < lhs.rows(); ++l) {
        auto matches = keys.matches(l);
        look.after(1 + matches.size() * (1 + others.size()));
        candidates.assign(matches.begin(), matches.end());
        for (const Condition &c : others)
            keepMatches(c, l, candidates);
        pairs.lhs.insert(pairs.lhs.end(), candidates.size(), l);
        pairs.rhs.insert(pairs.rhs.end(), candidates.begin(), candidates.end());
    }
    return besideEachOther(lhs, pairs.lhs, rhs, pairs.rhs);
}

} // namespace

void addJoins(KernelTable &t) {
    t.add<&innerJoin>("innerJoin");
    t.add<&leftOuterJoin>("leftOuterJoin");
    t.add<&fullOuterJoin>("fullOuterJoin");
    t.add<&antiJoin>("antiJoin");
    t.add<&semiJoin>("semiJoin");
    t.add<&groupJoin>("groupJoin");
    t.add<&cartesian>("cartesian");
    t.add<&thetaJoin>("thetaJoin");
}

} // namespace daphne
