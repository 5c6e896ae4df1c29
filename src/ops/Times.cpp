// SPDX-License-Identifier: Apache-2.0
#include "ops/Times.h"

#include <algorithm>

#include "base/Calendar.h"
#include "ops/InternalOps.h"
#include "ops/Operands.h"
#include "ops/Spread.h"

namespace daphne::ops {

namespace {

using namespace rule;
using enum ValueType;

bool isKnown(ValueType t) { return t != Unknown; }

// ---------------------------------------------------------------- times as operands

[[noreturn]] void reject(const InferCall &call, const std::string &hint = {}) {
    std::string types;
    for (size_t i = 0; i < call.args.size(); ++i)
        types += (i == 0 ? "" : i + 1 == call.args.size() ? " and " : ", ") + call.type(i).text();
    throw compileError({}, "'" + std::string(userName(call.op.mnemonic)) + "' does not work on " + types)
        .withHint(hint);
}

ValueType sum(ValueType a, ValueType b) {
    if (isMoment(b) || (b == Duration && !isMoment(a)))
        std::swap(a, b);
    if (a == Date && isIntegerLike(b))
        return Date;
    if (isMoment(a) && b == Duration)
        return Timestamp;
    return a == Duration && b == Duration ? Duration : Unknown;
}
ValueType difference(ValueType a, ValueType b) {
    if (a == Date && b == Date)
        return SI64;
    if (a == Date && isIntegerLike(b))
        return Date;
    if (isMoment(a) && isMoment(b))
        return Duration;
    if (isMoment(a) && b == Duration)
        return Timestamp;
    return a == Duration && b == Duration ? Duration : Unknown;
}
ValueType product(ValueType a, ValueType b) {
    return (a == Duration && isNumeric(b)) || (isNumeric(a) && b == Duration) ? Duration : Unknown;
}
ValueType quotient(ValueType a, ValueType b) {
    if (a == Duration && b == Duration)
        return F64;
    return a == Duration && isNumeric(b) ? Duration : Unknown;
}
bool areComparable(ValueType a, ValueType b) {
    return (isMoment(a) && isMoment(b)) || (a == Duration && b == Duration);
}
ValueType comparison(ValueType a, ValueType b) { return areComparable(a, b) ? SI64 : Unknown; }
ValueType extreme(ValueType a, ValueType b) { return !areComparable(a, b) ? Unknown : a == b ? a : Timestamp; }

struct Combination {
    std::string_view mnemonic;
    ValueType (*result)(ValueType, ValueType);
};
constexpr Combination kCombinations[] = {
    {"ewAdd", sum},
    {"ewSub", difference},
    {"ewMul", product},
    {"ewDiv", quotient},
    {"ewEq", comparison},
    {"ewNeq", comparison},
    {"ewLt", comparison},
    {"ewLe", comparison},
    {"ewGt", comparison},
    {"ewGe", comparison},
    {"ewMin", extreme},
    {"ewMax", extreme},
    {"ewFmin", extreme},
    {"ewFmax", extreme},
    {"colCalcSub", difference},
    {"colCalcMul", product},
    {"colSelectEq", comparison},
    {"colSelectNeq", comparison},
    {"colSelectLt", comparison},
    {"colSelectLe", comparison},
    {"colSelectGt", comparison},
    {"colSelectGe", comparison},
};

/// Cell by cell with another operand.
Types combined(const InferCall &call) {
    ValueType a = call.type(0).valueType, b = call.type(1).valueType, result = Unknown;
    for (const TypeDesc *t : {&call.args[0].type, &call.args[1].type})
        if (t->isFrame() || t->isList())
            reject(call);
    if (isKnown(a) && isKnown(b)) {
        result = combinedTimes(call.op.mnemonic, a, b);
        bool isText = a == Str || b == Str;
        if (result == Unknown)
            reject(call, isText                     ? "date(\"2024-01-31\") makes a date of a text"
                         : isFloat(a) || isFloat(b) ? "days(n), hours(n) ... make a duration of a number"
                                                    : "");
    }
    Spread spread(call);
    spread.add(call.type(0));
    spread.add(call.type(1));
    return {spread.result(result)};
}

/// Column operators on one column and another, or a scalar.
Types calculated(const InferCall &call) {
    std::vector<Arg> numbers(call.args.begin(), call.args.end());
    for (Arg &arg : numbers)
        arg.type.valueType = SI64;
    Types shape = call.op.infer({call.op, numbers, call.castTarget});
    for (TypeDesc &t : shape)
        t.valueType = combined(call)[0].valueType;
    return shape;
}
/// Positions of rows.
Types selected(const InferCall &call) {
    combined(call);
    return {TypeDesc::matrix(Size, -1, 1)};
}
/// Keys, and what they are compared with: infer asks whether they are alike.
Types comparable(const InferCall &call) {
    ValueType a = call.type(0).valueType, b = call.type(1).valueType;
    if (isKnown(a) && isKnown(b) && !areAlike(a, b))
        reject(call);
    return call.op.infer(call);
}

/// Texts and times are joined like texts and numbers.
Types added(const InferCall &call) {
    bool isText = call.type(0).valueType == Str || call.type(1).valueType == Str;
    return isText ? call.op.infer(call) : combined(call);
}

/// As for numbers, with results of the operand's type.
Types likeNumbers(const InferCall &call) {
    std::vector<Arg> numbers(call.args.begin(), call.args.end());
    numbers[0].type.valueType = SI64;
    Types results = call.op.infer({call.op, numbers, call.castTarget});
    for (TypeDesc &t : results)
        t.valueType = call.type(0).valueType;
    return results;
}
Types ofDurations(const InferCall &call) {
    if (call.type(0).valueType != Duration)
        reject(call,
               call.op.mnemonic.starts_with("mean") ? "the mean of differences is a duration: t0 + mean(t - t0)" : "");
    return likeNumbers(call);
}
/// Positions and counts, which do not depend on the type.
Types positions(const InferCall &call) {
    std::vector<Arg> numbers(call.args.begin(), call.args.end());
    numbers[0].type.valueType = SI64;
    return call.op.infer({call.op, numbers, call.castTarget});
}
Types isMissing(const InferCall &call) {
    Spread spread(call);
    spread.add(call.type(0));
    return {spread.result(SI64)};
}

/// Cells of several operands come together, so they have one type; the other operands are numbers.
template <size_t First, size_t Count> Types together(const InferCall &call) {
    ValueType type = Unknown;
    for (size_t i = 0; i < call.args.size(); ++i)
        if ((i < First || i - First >= Count) && isTime(call.type(i).valueType))
            wrongOperand(call, i, "a number");
    for (size_t i = First; i < std::min(call.args.size(), First + Count); ++i) {
        ValueType t = call.type(i).valueType;
        if (!isKnown(t))
            continue;
        if (isKnown(type) && t != type)
            reject(call);
        type = t;
    }
    return call.op.infer(call);
}

/// Only one operand may hold times, the others are numbers.
template <size_t Position> Types onlyAt(const InferCall &call) {
    for (size_t i = 0; i < call.args.size(); ++i)
        if (i != Position && isTime(call.type(i).valueType))
            wrongOperand(call, i, "a number");
    return call.op.infer(call);
}

Types anywhere(const InferCall &call) { return call.op.infer(call); }

Types castTimes(const InferCall &call) {
    ValueType from = call.type(0).valueType, to = call.castTarget.valueType;
    if (isKnown(to))
        needCastOfTimes(from, to);
    return call.op.infer(call);
}

Types sequence(const InferCall &call) {
    ValueType from = call.type(0).valueType, to = call.type(1).valueType;
    const TypeDesc &step = call.args.size() > 2 ? call.type(2) : TypeDesc::scalar(SI64);
    for (size_t i = 0; i < call.args.size(); ++i)
        needScalar(call, i);
    bool fits = (isMoment(from) || !isKnown(from)) && (isMoment(to) || !isKnown(to));
    if (!fits)
        reject(call, "both ends of a sequence are dates or timestamps");
    ValueType t = step.valueType;
    if (!isKnown(t) || !isKnown(from) || !isKnown(to))
        return {TypeDesc::matrix(Unknown, -1, 1)};
    bool onlyDates = from == Date && to == Date;
    if (isIntegerLike(t) && !onlyDates)
        reject(call, "the step between timestamps is a duration, hours(1), or a unit, \"hour\"");
    if (!isIntegerLike(t) && t != Duration && t != Str)
        reject(call, "a step is a number of days, a duration or a unit");
    if (t != Str || !call.args[2].constant)
        return {TypeDesc::matrix(t == Str ? Unknown : onlyDates && t != Duration ? Date : Timestamp, -1, 1)};
    auto unit = calendar::parseUnit(call.args[2].constant->s);
    if (!unit)
        throw wrong(call, "\"" + call.args[2].constant->s + "\" is no unit")
            .withHint("units are year quarter month week day hour minute second");
    return {TypeDesc::matrix(onlyDates && *unit <= calendar::Unit::Day ? Date : Timestamp, -1, 1)};
}

/// What a rule may say of operands that are there: cells that only move fail as those of other types do.
enum class Cells : uint8_t { Move, Compute };

struct Row {
    std::string_view mnemonic;
    InferFn rule;
    Cells cells = Cells::Move;
};
// clang-format off: one operation, or one family of them, per line
/// All operations that take dates, timestamps and durations.
constexpr Row kRows[] = {
    {"adapt", anywhere}, {"densify", anywhere}, {"cast", castTimes, Cells::Compute},
    // arithmetic, comparisons
    {"ewAdd", added, Cells::Compute}, {"ewSub", combined, Cells::Compute}, {"ewMul", combined, Cells::Compute},
    {"ewDiv", combined, Cells::Compute},
    {"ewEq", combined, Cells::Compute}, {"ewNeq", combined, Cells::Compute}, {"ewLt", combined, Cells::Compute},
    {"ewLe", combined, Cells::Compute}, {"ewGt", combined, Cells::Compute}, {"ewGe", combined, Cells::Compute},
    {"ewMin", combined, Cells::Compute}, {"ewMax", combined, Cells::Compute}, {"ewFmin", combined, Cells::Compute},
    {"ewFmax", combined, Cells::Compute},
    {"ewIsnan", isMissing}, {"ewConcat", anywhere}, {"isMember", comparable, Cells::Compute},
    // aggregates
    {"minAll", likeNumbers}, {"minRow", likeNumbers}, {"minCol", likeNumbers}, {"minGrp", likeNumbers, Cells::Compute},
    {"maxAll", likeNumbers}, {"maxRow", likeNumbers}, {"maxCol", likeNumbers}, {"maxGrp", likeNumbers, Cells::Compute},
    {"minCum", likeNumbers}, {"maxCum", likeNumbers}, {"countGrp", positions, Cells::Compute},
    {"idxminRow", positions}, {"idxminCol", positions}, {"idxmaxRow", positions}, {"idxmaxCol", positions},
    {"nanMinAll", likeNumbers}, {"nanMinRow", likeNumbers}, {"nanMinCol", likeNumbers},
    {"nanMaxAll", likeNumbers}, {"nanMaxRow", likeNumbers}, {"nanMaxCol", likeNumbers},
    {"nanIdxMinAll", positions, Cells::Compute}, {"nanIdxMinRow", positions, Cells::Compute},
    {"nanIdxMinCol", positions, Cells::Compute}, {"nanIdxMaxAll", positions, Cells::Compute},
    {"nanIdxMaxRow", positions, Cells::Compute}, {"nanIdxMaxCol", positions, Cells::Compute},
    {"nanCountAll", positions}, {"nanCountRow", positions}, {"nanCountCol", positions},
    {"sumAll", ofDurations, Cells::Compute}, {"sumRow", ofDurations, Cells::Compute},
    {"sumCol", ofDurations, Cells::Compute}, {"sumGrp", ofDurations, Cells::Compute},
    {"meanAll", ofDurations, Cells::Compute}, {"meanRow", ofDurations, Cells::Compute},
    {"meanCol", ofDurations, Cells::Compute}, {"meanGrp", ofDurations, Cells::Compute},
    {"nanSumAll", ofDurations, Cells::Compute}, {"nanSumRow", ofDurations, Cells::Compute},
    {"nanSumCol", ofDurations, Cells::Compute}, {"nanMeanAll", ofDurations, Cells::Compute},
    {"nanMeanRow", ofDurations, Cells::Compute}, {"nanMeanCol", ofDurations, Cells::Compute},
    {"describe", anywhere},
    // order
    {"order", onlyAt<0>}, {"sort", onlyAt<0>}, {"unique", onlyAt<0>}, {"recode", onlyAt<0>},
    // making and moving cells
    {"seq", sequence, Cells::Compute}, {"fill", onlyAt<0>}, {"matrixConstant", together<0, kVariadic>},
    {"createFrame", anywhere}, {"createList", anywhere}, {"append", anywhere}, {"putElement", anywhere}, {"registerView", anywhere},
    {"colBind", together<0, kVariadic>}, {"rowBind", together<0, kVariadic>}, {"transpose", anywhere},
    {"reshape", onlyAt<0>}, {"reverse", anywhere}, {"replace", together<0, 3>}, {"diagVector", anywhere},
    {"extractCol", onlyAt<0>}, {"extractRow", onlyAt<0>}, {"sliceCol", onlyAt<0>}, {"sliceRow", onlyAt<0>},
    {"filterCol", onlyAt<0>}, {"filterRow", onlyAt<0>}, {"filterCells", onlyAt<0>},
    {"head", onlyAt<0>}, {"tail", onlyAt<0>}, {"cond", together<1, 2>}, {"where", together<1, 2>},
    {"insert", together<0, 2>}, {"insertCol", together<0, 2>}, {"insertRow", together<0, 2>},
    {"insertMarked", together<0, 2>}, {"insertCells", together<0, 2>},
    {"setColumn", anywhere}, {"insertInColumn", onlyAt<1>},
    // questions
    {"equal", anywhere}, {"asList", anywhere}, {"asTable", anywhere}, {"functionParts", anywhere},
    {"length", anywhere}, {"numCells", anywhere}, {"numCols", anywhere}, {"numRows", anywhere}, {"typeOf", anywhere},
    // texts, output
    {"format", anywhere}, {"toStr", onlyAt<0>}, {"print", anywhere}, {"printValues", anywhere},
    {"write", onlyAt<0>},
    // queries by columns
    {"colSelectEq", selected, Cells::Compute}, {"colSelectNeq", selected, Cells::Compute},
    {"colSelectLt", selected, Cells::Compute}, {"colSelectLe", selected, Cells::Compute},
    {"colSelectGt", selected, Cells::Compute}, {"colSelectGe", selected, Cells::Compute},
    {"colProject", onlyAt<0>}, {"colJoin", comparable, Cells::Compute}, {"colSemiJoin", comparable, Cells::Compute},
    {"colGroupFirst", onlyAt<0>}, {"colGroupNext", onlyAt<2>}, {"colSumGrp", ofDurations, Cells::Compute},
    {"colSumAll", ofDurations, Cells::Compute}, {"colCalcSub", calculated, Cells::Compute},
    {"colCalcMul", calculated, Cells::Compute},
    // functions of times
    {"date", anywhere}, {"timestamp", anywhere}, {"year", anywhere}, {"quarter", anywhere}, {"month", anywhere},
    {"week", anywhere}, {"day", anywhere}, {"yearDay", anywhere}, {"weekday", anywhere}, {"hour", anywhere},
    {"minute", anywhere}, {"second", anywhere}, {"micros", anywhere}, {"truncate", anywhere},
    {"addMonths", anywhere}, {"isNat", anywhere}, {"natToEpoch", anywhere},
};
// clang-format on

const Row *rowOf(std::string_view mnemonic) {
    auto at = std::find_if(std::begin(kRows), std::end(kRows), [&](const Row &r) { return r.mnemonic == mnemonic; });
    return at == std::end(kRows) ? nullptr : at;
}

// -------------------------------------------------------- operations that make times

/// A cell of one of these types.
struct CellKind {
    const char *name;
    bool (*fits)(ValueType);
};
constexpr CellKind kNumbers = {"a number or a numeric matrix", [](ValueType t) { return isNumeric(t); }};
constexpr CellKind kTexts = {"a string, a matrix or a column of strings", [](ValueType t) { return t == Str; }};
constexpr CellKind kMoments = {"a date, a timestamp or a matrix of them", [](ValueType t) { return isMoment(t); }};

TypeDesc cells(const InferCall &call, size_t i, const CellKind &kind) {
    TypeDesc t = columnOf(call, i);
    bool fits = t.isUnknown() || ((t.isScalar() || t.isMatrix()) && (!isKnown(t.valueType) || kind.fits(t.valueType)));
    if (!fits)
        wrongOperand(call, i, kind.name);
    return t;
}

Types spread(const InferCall &call, ValueType result, std::initializer_list<const CellKind *> kinds) {
    Spread all(call);
    size_t i = 0;
    for (const CellKind *kind : kinds)
        if (i < call.args.size())
            all.add(cells(call, i++, *kind));
    for (; i < call.args.size(); ++i)
        all.add(cells(call, i, **(kinds.end() - 1)));
    return {all.result(result)};
}

/// Of a text with or without a pattern, of numbers (year, month, day ...), or of another moment.
template <ValueType T> Types moment(const InferCall &call) {
    if (call.args.size() >= 3) {
        for (const Arg &arg : call.args)
            if (arg.constant && isFloat(arg.constant->type) && !isWhole(arg.constant->d))
                throw compileError({}, notWholeText(arg.constant->d)).withHint(std::string(kWholeNumberHint));
        return spread(call, T, {&kNumbers});
    }
    TypeDesc first = columnOf(call, 0);
    if (isMoment(first.valueType) && call.args.size() == 1)
        return spread(call, T, {&kMoments});
    if (call.args.size() == 2 && call.args[1].constant && call.args[1].constant->type == Str)
        if (std::string problem = calendar::problemOf(call.args[1].constant->s); !problem.empty())
            throw wrong(call, problem).withHint("parts are %Y %m %d %H %M %S %f %j and %%");
    return spread(call, T, {&kTexts, &kTexts});
}

Types durationOfText(const InferCall &call) { return spread(call, Duration, {&kTexts}); }
Types durationOfNumber(const InferCall &call) { return spread(call, Duration, {&kNumbers}); }
Types part(const InferCall &call) { return spread(call, SI64, {&kMoments}); }

TypeDesc like(const TypeDesc &result, const TypeDesc &first) {
    TypeDesc t = result;
    if (!t.isUnknown())
        t.valueType = first.valueType;
    return t;
}

Types truncated(const InferCall &call) {
    if (const auto &unit = call.args[1].constant; unit && unit->type == Str && !calendar::parseUnit(unit->s))
        throw wrong(call, "\"" + unit->s + "\" is no unit")
            .withHint("units are year quarter month week day hour minute second");
    return {like(spread(call, Unknown, {&kMoments, &kTexts})[0], columnOf(call, 0))};
}
Types monthsAdded(const InferCall &call) {
    return {like(spread(call, Unknown, {&kMoments, &kNumbers})[0], columnOf(call, 0))};
}

/// For queries, whose columns may turn out to be of any type: whether cells are nat.
Types isNat(const InferCall &call) {
    const TypeDesc &t = call.type(0);
    if (t.isFrame() || t.isList())
        wrongOperand(call, 0, "a scalar or a matrix");
    if (t.isUnknown())
        return {t};
    return {t.isScalar() ? TypeDesc::scalar(SI64) : TypeDesc::matrix(SI64, t.rows, t.cols)};
}

constexpr OpInfo row(Mnemonic name, uint8_t minArgs, uint8_t maxArgs, InferFn infer) {
    return {.mnemonic = name, .minArgs = minArgs, .maxArgs = maxArgs, .infer = infer, .mayFail = always};
}

// clang-format off: one row per line or paragraph
constexpr OpInfo kOps[] = {
    row("date", 1, 3, moment<Date>),
    row("timestamp", 1, 6, moment<Timestamp>),
    row("duration", 1, 1, durationOfText),
    row("weeks", 1, 1, durationOfNumber),
    row("days", 1, 1, durationOfNumber),
    row("hours", 1, 1, durationOfNumber),
    row("minutes", 1, 1, durationOfNumber),
    row("seconds", 1, 1, durationOfNumber),
    row("year", 1, 1, part),
    row("quarter", 1, 1, part),
    row("month", 1, 1, part),
    row("week", 1, 1, part),
    row("day", 1, 1, part),
    row("yearDay", 1, 1, part),
    row("weekday", 1, 1, part),
    row("hour", 1, 1, part),
    row("minute", 1, 1, part),
    row("second", 1, 1, part),
    row("micros", 1, 1, part),
    row("truncate", 2, 2, truncated),
    row("addMonths", 2, 2, monthsAdded),
    // 0 where a cell is no time.
    {.mnemonic = "isNat", .infer = isNat, .mayFail = [](const InferCall &call) { return call.type(0).isUnknown(); }},
    // What is no time stays as it is.
    {.mnemonic = "natToEpoch", .infer = sameAsFirst},
};

constexpr Builtin kBuiltins[] = {
    {.signature = "date(value[, patternOrMonth[, day]])", .op = "date", .positionalOnly = true,
     .doc = "A date of a text, 2024-02-29 or as a pattern of %Y %m %d %H %M %S %f %j says; of year, month and day; or of a "
            "timestamp. The empty text is nat, the missing date.",
     .example = "print(date(\"2024-02-29\") + 1); print(date(\"29.02.2024\", \"%d.%m.%Y\")); print(date(2024, 2, 29));",
     .expect = "2024-03-01\n2024-02-29\n2024-02-29\n"},
    {.signature = "timestamp(value[, patternOrMonth[, day[, hour[, minute[, second]]]]])", .op = "timestamp",
     .positionalOnly = true,
     .doc = "A timestamp, which has microseconds and no time zone, of a text, 2024-02-29T12:00:00 or as a pattern says; of "
            "year, month, day ...; or of a date, as its midnight. An offset from UTC in the text is applied.",
     .example = "print(timestamp(\"2024-01-31 12:00\")); print(timestamp(\"2024-01-31T12:00:00+02:00\"));",
     .expect = "2024-01-31T12:00:00\n2024-01-31T10:00:00\n"},
    {.signature = "duration(s)", .op = "duration", .doc = "A duration of a text like P1DT2H3M4.5S.",
     .example = "print(duration(\"P1DT2H\") / duration(\"PT1H\"));", .expect = "26\n"},
    {.signature = "weeks(n)", .op = "weeks", .doc = "A duration of n weeks.",
     .example = "print(weeks(1));", .expect = "P7D\n"},
    {.signature = "days(n)", .op = "days", .doc = "A duration of n days.",
     .example = "print(days(1.5));", .expect = "P1DT12H\n"},
    {.signature = "hours(n)", .op = "hours", .doc = "A duration of n hours.",
     .example = "print(timestamp(\"2024-01-31 12:00\") + hours([1, 2]));",
     .expect = "DenseMatrix(2x1, timestamp)\n2024-01-31T13:00:00\n2024-01-31T14:00:00\n"},
    {.signature = "minutes(n)", .op = "minutes", .doc = "A duration of n minutes.",
     .example = "print(minutes(90));", .expect = "PT1H30M\n"},
    {.signature = "seconds(n)", .op = "seconds", .doc = "A duration of n seconds.",
     .example = "print(seconds(-0.5));", .expect = "-PT0.5S\n"},
    {.signature = "year(t)", .op = "year", .doc = "The year of a date or timestamp.",
     .example = "print(year(date(\"2024-02-29\")));", .expect = "2024\n"},
    {.signature = "quarter(t)", .op = "quarter", .doc = "The quarter of the year, 1 to 4.",
     .example = "print(quarter(date(\"2024-05-01\")));", .expect = "2\n"},
    {.signature = "month(t)", .op = "month", .doc = "The month, 1 to 12.",
     .example = "print(month(date(\"2024-02-29\")));", .expect = "2\n"},
    {.signature = "week(t)", .op = "week", .doc = "The ISO week of the year, 1 to 53.",
     .example = "print(week(date(\"2024-12-30\")));", .expect = "1\n"},
    {.signature = "day(t)", .op = "day", .doc = "The day of the month.",
     .example = "print(day(date(\"2024-02-29\")));", .expect = "29\n"},
    {.signature = "yearDay(t)", .op = "yearDay", .doc = "The day of the year, 1 to 366.",
     .example = "print(yearDay(date(\"2024-12-31\")));", .expect = "366\n"},
    {.signature = "weekday(t)", .op = "weekday", .doc = "The day of the week, 1 for Monday to 7 for Sunday.",
     .example = "print(weekday(date(\"2024-02-29\")));", .expect = "4\n"},
    {.signature = "hour(t)", .op = "hour", .doc = "The hour of the day, 0 to 23.",
     .example = "print(hour(timestamp(\"2024-01-31 12:30\")));", .expect = "12\n"},
    {.signature = "minute(t)", .op = "minute", .doc = "The minute of the hour.",
     .example = "print(minute(timestamp(\"2024-01-31 12:30\")));", .expect = "30\n"},
    {.signature = "second(t)", .op = "second", .doc = "The second of the minute.",
     .example = "print(second(timestamp(\"2024-01-31T12:30:59.5\")));", .expect = "59\n"},
    {.signature = "micros(t)", .op = "micros", .doc = "The microseconds of the second.",
     .example = "print(micros(timestamp(\"2024-01-31T12:30:59.5\")));", .expect = "500000\n"},
    {.signature = "truncate(t, unit)", .op = "truncate",
     .doc = "The beginning of the year, quarter, month, week (Monday), day, hour, minute or second that a date or "
            "timestamp lies in.",
     .example = "print(truncate(date(\"2024-05-17\"), [\"month\", \"week\"]));",
     .expect = "DenseMatrix(2x1, date)\n2024-05-01\n2024-05-13\n"},
    {.signature = "addMonths(t, n)", .op = "addMonths",
     .doc = "The same day n months later, or the last day of that month if it is shorter.",
     .example = "print(addMonths(date(\"2024-01-31\"), [1, -2, 12]));",
     .expect = "DenseMatrix(3x1, date)\n2024-02-29\n2023-11-30\n2025-01-31\n"},
};
// clang-format on

} // namespace

void needCastOfTimes(ValueType from, ValueType to) {
    auto toNumber = [](ValueType a, ValueType b) { return isTime(a) && isNumeric(b) && b != Bool; };
    bool fits = from == to || from == Str || to == Str || (isMoment(from) && isMoment(to)) || toNumber(from, to) ||
                toNumber(to, from);
    if (!fits)
        throw compileError({}, "a " + std::string(dslName(from)) + " cannot be cast to " + std::string(dslName(to)));
}

void needOneTypeOfColumns(const std::vector<ValueType> &columns, ValueType wanted) {
    for (ValueType type : columns) {
        if (!isKnown(type) || columns[0] == Unknown ||
            (!isTime(type) && !isTime(isKnown(wanted) ? wanted : columns[0])))
            continue;
        if (isKnown(wanted))
            needCastOfTimes(type, wanted);
        else if (!areAlike(type, columns[0]))
            throw compileError({}, "columns of " + std::string(dslName(columns[0])) + " and " +
                                       std::string(dslName(type)) + " are no matrix of one type")
                .withHint("say which type it should have: as.matrix<str>(...)");
    }
}

ValueType combinedTimes(std::string_view mnemonic, ValueType a, ValueType b) {
    for (const Combination &c : kCombinations)
        if (c.mnemonic == mnemonic)
            return c.result(a, b);
    return Unknown;
}

std::vector<TypeDesc> resultsOfTimes(const InferCall &call) {
    if (call.op.infer == noInference)
        return call.op.infer(call);
    const Row *row = rowOf(call.op.mnemonic);
    if (!row)
        reject(call);
    return row->rule(call);
}

namespace {

/// Lists of times are lists like others.
bool hasTimes(const InferCall &call) {
    for (const Arg &arg : call.args)
        if (isTime(arg.type.valueType) && !arg.type.isList())
            return true;
    return false;
}

} // namespace

std::vector<TypeDesc> OpInfo::resultTypes(const InferCall &call) const {
    return hasTimes(call) ? resultsOfTimes(call) : infer(call);
}

bool OpInfo::canFail(const InferCall &call) const {
    if (hasTimes(call))
        if (const Row *row = rowOf(mnemonic); !row || row->cells == Cells::Compute)
            return true;
    return mayFail && mayFail(call);
}

void addTimes(Registry &registry) {
    registry.add(kOps);
    registry.add(kBuiltins);
}

} // namespace daphne::ops
