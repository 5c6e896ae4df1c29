// SPDX-License-Identifier: Apache-2.0
/// + - * / == != < <= > >= min max and isNan of dates, timestamps and durations.
/// Whatever is computed with nat is nat; no comparison but != holds for it.
#include <cmath>

#include "base/Cancellable.h"
#include "kernels/columnar/PositionPieces.h"
#include "kernels/elementwise/Convert.h"
#include "kernels/times/TimeCells.h"
#include "ops/Registry.h"
#include "ops/Times.h"

namespace daphne {

namespace {

using calendar::kNat;

std::string name(const KernelCall &call) { return std::string(ops::userName(call.mnemonic())); }

[[noreturn]] void outOfRange(const KernelCall &call) {
    throw executionError("'" + name(call) + "': the result lies outside of the range of its type");
}
/// There is no nat among the integers.
int64_t notMissing(const KernelCall &call, int64_t x) {
    if (x == kNat)
        throw executionError("'" + name(call) + "': nat has no number").withHint("isNan(...) marks missing times");
    return x;
}

enum class Sign : uint8_t { Plus, Minus };

template <Sign sign> Value addTimes(KernelCall &call, const Value &lhs, const Value &rhs, ValueType type) {
    MatrixShape shape = spreadShape(call, call.args);
    bool inDays = (type == ValueType::Date || type == ValueType::SI64);
    auto unit = inDays ? TimeCells::Dates::AsDays : TimeCells::Dates::AsMicros;
    TimeCells a(lhs, shape, unit), b(rhs, shape, unit);
    bool aIsTime = isTime(lhs.valueType()), bIsTime = isTime(rhs.valueType());
    return makeTimes(call, lhs.isScalar() && rhs.isScalar(), shape, type, [&](size_t r, size_t c) {
        int64_t x = a.at(r, c), y = b.at(r, c), result;
        if ((aIsTime && x == kNat) || (bIsTime && y == kNat))
            return type == ValueType::SI64 ? notMissing(call, kNat) : kNat;
        bool overflows =
            sign == Sign::Plus ? __builtin_add_overflow(x, y, &result) : __builtin_sub_overflow(x, y, &result);
        if (overflows || result == kNat)
            outOfRange(call);
        return result;
    });
}

/// Numbers as cells of type f64, or nothing for integers, which are exact.
Value asFloats(const Value &v) {
    return v.isScalar() ? convertScalar(v, ValueType::F64) : Value(convertMatrix(v.dense(), ValueType::F64));
}
class FloatCells {
  public:
    FloatCells(const Value &v, MatrixShape result) : kept(asFloats(v)) {
        if (kept.isScalar()) {
            single = kept.as<double>();
            cells = &single;
        } else {
            cells = kept.dense().view<double>().data;
            steps = {kept.dense(), kept.dense().skip(), result};
        }
    }
    FloatCells(const FloatCells &) = delete;
    double at(size_t r, size_t c) const { return cells[steps.at(r, c)]; }

  private:
    Value kept;
    double single = 0;
    const double *cells = nullptr;
    Steps steps;
};

int64_t rounded(const KernelCall &call, double x) {
    if (x != x)
        return kNat;
    x = std::round(x);
    if (!(std::abs(x) < 9.2e18))
        outOfRange(call);
    return static_cast<int64_t>(x);
}

Value scaleDuration(KernelCall &call, const Value &duration, const Value &number, bool divides) {
    MatrixShape shape = spreadShape(call, call.args);
    bool areScalars = duration.isScalar() && number.isScalar();
    TimeCells a(duration, shape);
    if (isFloat(number.valueType())) {
        FloatCells b(number, shape);
        return makeTimes(call, areScalars, shape, ValueType::Duration, [&](size_t r, size_t c) {
            int64_t x = a.at(r, c);
            if (x == kNat)
                return kNat;
            double y = b.at(r, c);
            return rounded(call, divides ? static_cast<double>(x) / y : static_cast<double>(x) * y);
        });
    }
    TimeCells b(number, shape);
    return makeTimes(call, areScalars, shape, ValueType::Duration, [&](size_t r, size_t c) {
        int64_t x = a.at(r, c), y = b.at(r, c), result;
        if (x == kNat)
            return kNat;
        if (divides && y == 0)
            throw executionError("'/': division by zero");
        if (divides)
            return x / y;
        if (__builtin_mul_overflow(x, y, &result) || result == kNat)
            outOfRange(call);
        return result;
    });
}

Value ratio(KernelCall &call, const Value &lhs, const Value &rhs) {
    MatrixShape shape = spreadShape(call, call.args);
    TimeCells a(lhs, shape), b(rhs, shape);
    auto quotient = [&](size_t r, size_t c) {
        int64_t x = a.at(r, c), y = b.at(r, c);
        return x == kNat || y == kNat ? std::nan("") : static_cast<double>(x) / static_cast<double>(y);
    };
    if (lhs.isScalar() && rhs.isScalar())
        return Value::scalar(quotient(0, 0));
    auto result = Dense::create(ValueType::F64, shape.rows, shape.cols);
    auto out = result->mutableView<double>();
    for (size_t r = 0; r < shape.rows; ++r)
        for (size_t c = 0; c < shape.cols; ++c)
            out(r, c) = quotient(r, c);
    return result;
}

/// The type of the result; throws if there is none.
ValueType resultType(const KernelCall &call, const Value &lhs, const Value &rhs) {
    return ops::combinedTimes(call.mnemonic(), lhs.valueType(), rhs.valueType());
}

template <Sign sign> Value addOrSubtract(KernelCall &call, const Value &lhs, const Value &rhs) {
    if (lhs.valueType() == ValueType::Str || rhs.valueType() == ValueType::Str) {
        auto asText = [](const Value &v) {
            return v.isScalar() ? convertScalar(v, ValueType::Str) : Value(convertMatrix(v.dense(), ValueType::Str));
        };
        Value texts[] = {asText(lhs), asText(rhs)};
        KernelCall inner{call.context, call.kernel, texts, call.results};
        call.kernel.implementations[0].run(inner);
        return std::move(call.results[0]);
    }
    return addTimes<sign>(call, lhs, rhs, resultType(call, lhs, rhs));
}

Value multiply(KernelCall &call, const Value &lhs, const Value &rhs) {
    return isTime(lhs.valueType()) ? scaleDuration(call, lhs, rhs, false) : scaleDuration(call, rhs, lhs, false);
}
Value divide(KernelCall &call, const Value &lhs, const Value &rhs) {
    return isTime(rhs.valueType()) ? ratio(call, lhs, rhs) : scaleDuration(call, lhs, rhs, true);
}

enum class NatRule : uint8_t { Wins, Loses };

TimeCells::Dates unitOf(const Value &lhs, const Value &rhs) {
    return lhs.valueType() == rhs.valueType() ? TimeCells::Dates::AsDays : TimeCells::Dates::AsMicros;
}

template <class Compare> Value compare(KernelCall &call, const Value &lhs, const Value &rhs) {
    MatrixShape shape = spreadShape(call, call.args);
    TimeCells a(lhs, shape, unitOf(lhs, rhs)), b(rhs, shape, unitOf(lhs, rhs));
    return makeTimes(call, lhs.isScalar() && rhs.isScalar(), shape, ValueType::SI64, [&](size_t r, size_t c) {
        int64_t x = a.at(r, c), y = b.at(r, c);
        bool isMissing = x == kNat || y == kNat;
        return static_cast<int64_t>(isMissing ? Compare()(0.0, std::nan("")) : Compare()(x, y));
    });
}

/// The positions of the rows where the comparison holds.
template <class Compare> Value select(KernelCall &call, const Value &lhs, const Value &rhs) {
    Value truth = compare<Compare>(call, lhs, rhs);
    if (truth.isScalar() || truth.dense().cols() != 1 || truth.dense().rows() != lhs.dense().rows())
        throw executionError("a selection needs columns of equal length, got " + describe(lhs) + " and " +
                             describe(rhs));
    auto holds = truth.dense().view<int64_t>();
    columnar::PositionPieces pieces(holds.rows);
    CancelCountdown look;
    for (size_t begin = 0; begin < holds.rows; begin += columnar::kPieceRows, look.after(columnar::kPieceRows))
        pieces.at(begin).addWhere(begin, std::min(columnar::kPieceRows, holds.rows - begin),
                                  [&](size_t i) { return holds(begin + i, 0) != 0; });
    return pieces.list(call.context);
}

/// nat wins, or the other one does.
template <class Better, NatRule rule> Value extreme(KernelCall &call, const Value &lhs, const Value &rhs) {
    MatrixShape shape = spreadShape(call, call.args);
    TimeCells a(lhs, shape, unitOf(lhs, rhs)), b(rhs, shape, unitOf(lhs, rhs));
    return makeTimes(call, lhs.isScalar() && rhs.isScalar(), shape, resultType(call, lhs, rhs),
                     [&](size_t r, size_t c) {
                         int64_t x = a.at(r, c), y = b.at(r, c);
                         if (x == kNat || y == kNat)
                             return rule == NatRule::Wins || x == y ? kNat : x == kNat ? y : x;
                         return Better()(y, x) ? y : x;
                     });
}

Value isMissing(KernelCall &call, const Value &x) {
    MatrixShape shape = shapeOf(x);
    TimeCells cells(x, shape);
    return makeTimes(call, x.isScalar(), shape, ValueType::SI64,
                     [&](size_t r, size_t c) { return int64_t(cells.at(r, c) == kNat); });
}

} // namespace

void addTimeArithmetic(KernelTable &t) {
    t.addTimes<&addOrSubtract<Sign::Plus>>("ewAdd");
    t.addTimes<&addOrSubtract<Sign::Minus>>("ewSub");
    t.addTimes<&multiply>("ewMul");
    t.addTimes<&divide>("ewDiv");
    t.addTimes<&compare<std::equal_to<>>>("ewEq");
    t.addTimes<&compare<std::not_equal_to<>>>("ewNeq");
    t.addTimes<&compare<std::less<>>>("ewLt");
    t.addTimes<&compare<std::less_equal<>>>("ewLe");
    t.addTimes<&compare<std::greater<>>>("ewGt");
    t.addTimes<&compare<std::greater_equal<>>>("ewGe");
    t.addTimes<&extreme<std::less<>, NatRule::Wins>>("ewMin");
    t.addTimes<&extreme<std::greater<>, NatRule::Wins>>("ewMax");
    t.addTimes<&extreme<std::less<>, NatRule::Loses>>("ewFmin");
    t.addTimes<&extreme<std::greater<>, NatRule::Loses>>("ewFmax");
    t.addTimes<&isMissing>("ewIsnan");
    t.addTimes<&select<std::equal_to<>>>("colSelectEq");
    t.addTimes<&select<std::not_equal_to<>>>("colSelectNeq");
    t.addTimes<&select<std::less<>>>("colSelectLt");
    t.addTimes<&select<std::less_equal<>>>("colSelectLe");
    t.addTimes<&select<std::greater<>>>("colSelectGt");
    t.addTimes<&select<std::greater_equal<>>>("colSelectGe");
    t.addTimes<&addOrSubtract<Sign::Minus>>("colCalcSub");
    t.addTimes<&multiply>("colCalcMul");
}

} // namespace daphne
