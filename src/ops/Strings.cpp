// SPDX-License-Identifier: Apache-2.0
/// Functions of strings. Most of them work cell by cell on scalars, matrices and
/// frames with one column, which are spread over each other.
#include <cmath>

#include "base/Regex.h"
#include "base/Utf8.h"
#include "ops/FormatPattern.h"
#include "ops/Operands.h"
#include "ops/Spread.h"

namespace daphne::ops {

namespace {

using namespace rule;

// ------------------------------------------------------------------- operands

/// What an operand that is taken cell by cell holds.
enum class Cells : uint8_t {
    Text,
    Integer, ///< any number without a fraction
    Any,
};

void needIntegral(const InferCall &call, size_t i) {
    const auto &constant = call.args[i].constant;
    if (constant && isFloat(constant->type) && std::floor(constant->d) != constant->d)
        throw wrong(call, "argument " + std::to_string(i + 1) + " must be a whole number")
            .withHint("floor(...) rounds down");
}

TypeDesc cellsOperand(const InferCall &call, size_t i, Cells cells) {
    TypeDesc t = columnOf(call, i);
    if (t.isUnknown())
        return t;
    bool known = t.valueType != ValueType::Unknown, isText = t.valueType == ValueType::Str;
    bool fits = (t.isScalar() || t.isMatrix()) && (!known || cells == Cells::Any || isText == (cells == Cells::Text));
    if (!fits)
        wrongOperand(call, i,
                     cells == Cells::Any    ? "a scalar or a matrix"
                     : cells == Cells::Text ? "a string, a matrix or a column of strings"
                                            : "a number or a numeric matrix");
    if (cells == Cells::Integer)
        needIntegral(call, i);
    return t;
}

template <ValueType Result, Cells... kinds> Types cellwise(const InferCall &call) {
    constexpr Cells all[] = {kinds...};
    Spread spread(call);
    for (size_t i = 0; i < call.args.size(); ++i)
        spread.add(cellsOperand(call, i, all[i]));
    return {spread.result(Result)};
}

// -------------------------------------------------------- constants that are wrong

/// A check that throws as an operation does when it runs, made when the script is compiled.
template <class Check> void checkConstant(Check &&check) {
    try {
        check();
    } catch (Error &error) {
        error.stage = Stage::Compile;
        throw;
    }
}

const std::string *constantText(const InferCall &call, size_t i) {
    const auto &constant = call.args[i].constant;
    return constant && constant->type == ValueType::Str ? &constant->s : nullptr;
}

template <InferFn Rule> Types withSeparator(const InferCall &call) {
    if (const std::string *text = constantText(call, 1); text && text->empty())
        throw wrong(call, "the text to look for is empty").withHint("chars(s) gives the characters of a string");
    return Rule(call);
}

Types padded(const InferCall &call) {
    if (call.args.size() > 2)
        if (const std::string *fill = constantText(call, 2); fill && numCodePoints(*fill) != 1)
            throw wrong(call, "the third argument must be one character, got \"" + *fill + "\"");
    return cellwise<ValueType::Str, Cells::Text, Cells::Integer, Cells::Text>(call);
}

Types repeated(const InferCall &call) {
    const auto &count = call.args[1].constant;
    if (count && count->type != ValueType::Str && count->asDouble() < 0)
        throw wrong(call, "a count must not be negative, got " + std::to_string(count->asInt()));
    return cellwise<ValueType::Str, Cells::Text, Cells::Integer>(call);
}

Types parsedInt(const InferCall &call) {
    if (call.args.size() > 1)
        if (const auto &base = call.args[1].constant; base && base->type != ValueType::Str)
            if (base->asInt() < 2 || base->asInt() > 36)
                throw wrong(call, "a base is between 2 and 36, got " + std::to_string(base->asInt()));
    return cellwise<ValueType::SI64, Cells::Text, Cells::Integer>(call);
}

Types shownNumber(const InferCall &call) {
    if (call.args.size() > 1)
        if (const auto &digits = call.args[1].constant; digits && digits->type != ValueType::Str)
            if (digits->asInt() < 1 || digits->asInt() > 17)
                throw wrong(call, "digits are 1 to 17, got " + std::to_string(digits->asInt()));
    return cellwise<ValueType::Str, Cells::Any, Cells::Integer>(call);
}

/// Operand 1 is a pattern; a constant one is tried.
template <InferFn Rule> Types withPattern(const InferCall &call) {
    const std::string *pattern = constantText(call, 1);
    if (!pattern)
        return Rule(call);
    checkConstant([&] {
        auto regex = Regex::of(*pattern);
        if (call.args.size() < 3 || !call.args[2].constant)
            return;
        const Constant &third = *call.args[2].constant;
        third.type == ValueType::Str ? regex->checkReplacement(third.s) : regex->checkGroup(third.asInt());
    });
    return Rule(call);
}

// ------------------------------------------------------------------- whole strings

void needOneText(const InferCall &call, size_t i) {
    const TypeDesc &t = call.type(i);
    if (t.isMatrix() || t.isFrame())
        wrongOperand(call, i, "one string");
    needString(call, i);
}

Types pieces(const InferCall &call) {
    for (size_t i = 0; i < call.args.size(); ++i)
        needOneText(call, i);
    return {TypeDesc::matrix(ValueType::Str, -1, 1)};
}

Types joined(const InferCall &call) {
    TypeDesc t = columnOf(call, 0);
    bool isText = t.valueType == ValueType::Str || t.valueType == ValueType::Unknown;
    if (!t.isUnknown() && (!t.isMatrix() || !isText))
        wrongOperand(call, 0, "a matrix or a column of strings");
    needOneText(call, 1);
    return {TypeDesc::scalar(ValueType::Str)};
}

Types formatted(const InferCall &call) {
    Spread spread(call);
    spread.add(cellsOperand(call, 0, Cells::Text));
    std::vector<TypeDesc> values;
    for (size_t i = 1; i < call.args.size(); ++i) {
        values.push_back(cellsOperand(call, i, Cells::Any));
        spread.add(values.back());
    }
    if (const std::string *pattern = constantText(call, 0))
        checkConstant([&] {
            for (const FormatPiece &piece : parseFormat(*pattern, values.size()))
                if (piece.value != FormatPiece::kText)
                    checkFormat(piece.spec, values[piece.value].valueType);
        });
    return {spread.result(ValueType::Str)};
}

// --------------------------------------------------------------------- faults

/// For functions that are defined for all texts: only kinds and shapes can be wrong.
bool unlessCellsFit(const InferCall &call) {
    for (const Arg &arg : call.args)
        if (arg.type.isFrame() || isFloat(arg.type.valueType))
            return true;
    return unlessShapesKnown(call);
}

// ----------------------------------------------------------------------- rows

constexpr OpInfo row(Mnemonic name, uint8_t minArgs, uint8_t maxArgs, InferFn infer, FaultFn mayFail = always) {
    return {.mnemonic = name, .minArgs = minArgs, .maxArgs = maxArgs, .infer = infer, .mayFail = mayFail};
}

constexpr ValueType kStr = ValueType::Str, kInt = ValueType::SI64, kBool = ValueType::Bool;
constexpr Cells kText = Cells::Text, kInteger = Cells::Integer;
constexpr InferFn kTextOfText = cellwise<kStr, kText>, kTest = cellwise<kBool, kText, kText>;

// clang-format off: one row per line or paragraph
constexpr OpInfo kOps[] = {
    row("strlen", 1, 1, cellwise<kInt, kText>, unlessCellsFit),
    row("substr", 2, 3, cellwise<kStr, kText, kInteger, kInteger>, unlessCellsFit),
    row("trim", 1, 1, kTextOfText, unlessCellsFit),
    row("trimLeft", 1, 1, kTextOfText, unlessCellsFit),
    row("trimRight", 1, 1, kTextOfText, unlessCellsFit),
    row("ewLower", 1, 1, kTextOfText, unlessCellsFit),
    row("ewUpper", 1, 1, kTextOfText, unlessCellsFit),
    row("splitPart", 3, 3, withSeparator<cellwise<kStr, kText, kText, kInteger>>),
    row("split", 2, 2, withSeparator<pieces>),
    row("join", 2, 2, joined),
    row("chars", 1, 1, pieces),
    row("find", 2, 3, cellwise<kInt, kText, kText, kInteger>, unlessCellsFit),
    row("contains", 2, 2, kTest, unlessCellsFit),
    row("startsWith", 2, 2, kTest, unlessCellsFit),
    row("endsWith", 2, 2, kTest, unlessCellsFit),
    row("isNum", 1, 1, cellwise<kBool, kText>, unlessCellsFit),
    row("strReplace", 3, 3, withSeparator<cellwise<kStr, kText, kText, kText>>),
    row("padLeft", 2, 3, padded),
    row("padRight", 2, 3, padded),
    row("repeat", 2, 2, repeated),
    row("regexMatch", 2, 2, withPattern<kTest>),
    row("regexFind", 2, 3, withPattern<cellwise<kStr, kText, kText, kInteger>>),
    row("regexReplace", 3, 3, withPattern<cellwise<kStr, kText, kText, kText>>),
    row("regexSplit", 2, 2, withPattern<pieces>),
    row("parseNum", 1, 1, cellwise<ValueType::F64, kText>, unlessCellsFit),
    row("parseInt", 1, 2, parsedInt),
    row("toStr", 1, 2, shownNumber),
    row("format", 1, kVariadic, formatted),
};

constexpr Builtin kBuiltins[] = {
    {.signature = "strlen(s)", .op = "strlen", .doc = "Number of characters (code points) of a string.",
     .example = "print(strlen(\"größe\"));", .expect = "5\n"},
    {.signature = "substr(s, from[, to])", .op = "substr",
     .doc = "The characters from position `from` up to, but not including, `to` (default: the end). Negative "
            "positions count from the end; what lies outside of the string is left out.",
     .example = "print(substr(\"größe\", 1, 4)); print(substr(\"größe\", -2));", .expect = "röß\nße\n"},
    {.signature = "trim(s)", .op = "trim", .doc = "Without blanks, tabs and line breaks at both ends.",
     .example = "print(trim(\"  a b \") + \"|\");", .expect = "a b|\n"},
    {.signature = "trimLeft(s)", .op = "trimLeft", .doc = "Without blanks, tabs and line breaks at the beginning.",
     .example = "print(trimLeft(\"  a \") + \"|\");", .expect = "a |\n"},
    {.signature = "trimRight(s)", .op = "trimRight", .doc = "Without blanks, tabs and line breaks at the end.",
     .example = "print(trimRight(\" a  \") + \"|\");", .expect = " a|\n"},
    {.signature = "lower(arg)", .op = "ewLower", .doc = "ASCII letters in lower case.",
     .example = "print(lower(\"Daphne 1\"));", .expect = "daphne 1\n"},
    {.signature = "upper(arg)", .op = "ewUpper", .doc = "ASCII letters in upper case.",
     .example = "print(upper([\"ab\", \"Cd\"]));", .expect = "DenseMatrix(2x1, std::string)\nAB\nCD\n"},
    {.signature = "splitPart(s, sep, k)", .op = "splitPart",
     .doc = "Part k, counted from 0, of a string that is cut at every `sep`; negative k count from the end. Empty if "
            "there are not as many parts.",
     .example = "print(splitPart([\"a-b\", \"c\"], \"-\", 1));", .expect = "DenseMatrix(2x1, std::string)\nb\n\n"},
    {.signature = "split(s, sep)", .op = "split", .doc = "The parts of one string that is cut at every `sep`, as a column.",
     .example = "print(split(\"a,b,,c\", \",\"));", .expect = "DenseMatrix(4x1, std::string)\na\nb\n\nc\n"},
    {.signature = "join(M, sep)", .op = "join",
     .doc = "All cells of a matrix of strings, row by row, as one string with `sep` between them.",
     .example = "print(join([\"a\", \"b\", \"c\"], \", \"));", .expect = "a, b, c\n"},
    {.signature = "chars(s)", .op = "chars", .doc = "The characters of one string as a column.",
     .example = "print(chars(\"añb\"));", .expect = "DenseMatrix(3x1, std::string)\na\nñ\nb\n"},
    {.signature = "find(s, t, from = 0)", .op = "find",
     .doc = "Position of the first t in s, at `from` or behind it; -1 if there is none.",
     .example = "print(find(\"größe\", \"ß\")); print(find([\"ab\", \"ba\"], \"b\"));",
     .expect = "3\nDenseMatrix(2x1, int64_t)\n1\n0\n"},
    {.signature = "contains(s, t)", .op = "contains", .doc = "Whether t occurs in s.",
     .example = "print(contains([\"abc\", \"xyz\"], \"b\"));", .expect = "DenseMatrix(2x1, bool)\n1\n0\n"},
    {.signature = "startsWith(s, t)", .op = "startsWith", .doc = "Whether s begins with t.",
     .example = "print(startsWith(\"daphne\", \"da\"));", .expect = "1\n"},
    {.signature = "endsWith(s, t)", .op = "endsWith", .doc = "Whether s ends with t.",
     .example = "print(endsWith(\"x.csv\", \".csv\"));", .expect = "1\n"},
    {.signature = "isNum(s)", .op = "isNum", .doc = "Whether the whole text is a number, as parseNum reads it.",
     .example = "print(isNum([\"1.5e3\", \"1,5\", \"\"]));", .expect = "DenseMatrix(3x1, bool)\n1\n0\n0\n"},
    {.signature = "strReplace(s, old, new)", .op = "strReplace",
     .doc = "Every `old` in a string replaced by `new`; `replace` is for whole cells.",
     .example = "print(strReplace(\"a.b.c\", \".\", \"::\"));", .expect = "a::b::c\n"},
    {.signature = "padLeft(s, n, c = \" \")", .op = "padLeft",
     .doc = "At least n characters, filled with the character c at the left.",
     .example = "print(padLeft(\"7\", 3, \"0\"));", .expect = "007\n"},
    {.signature = "padRight(s, n, c = \" \")", .op = "padRight",
     .doc = "At least n characters, filled with the character c at the right.",
     .example = "print(padRight(\"ab\", 4) + \"|\");", .expect = "ab  |\n"},
    {.signature = "repeat(s, n)", .op = "repeat", .doc = "A string n times in a row.",
     .example = "print(repeat(\"ab\", 3));", .expect = "ababab\n"},
    {.signature = "regexMatch(s, re)", .op = "regexMatch",
     .doc = "Whether the regular expression (RE2 syntax) fits the whole text.",
     .example = "print(regexMatch([\"a1\", \"b\"], \"[a-z][0-9]\"));", .expect = "DenseMatrix(2x1, bool)\n1\n0\n"},
    {.signature = "regexFind(s, re, group = 0)", .op = "regexFind",
     .doc = "The first text that the regular expression fits, or one of its groups; empty if there is none.",
     .example = "print(regexFind(\"width: 20 cm\", \"([0-9]+) (cm|mm)\", 1));", .expect = "20\n"},
    {.signature = "regexReplace(s, re, to)", .op = "regexReplace",
     .doc = "Every text that the regular expression fits replaced; $0 to $9 in `to` are the match and its groups, $$ "
            "is a dollar.",
     .example = "print(regexReplace(\"2024-01-31\", \"(\\\\d+)-(\\\\d+)-(\\\\d+)\", \"$3.$2.$1\"));",
     .expect = "31.01.2024\n"},
    {.signature = "regexSplit(s, re)", .op = "regexSplit",
     .doc = "The parts of one string between the texts that the regular expression fits, as a column.",
     .example = "print(regexSplit(\"a, b;c\", \"[,;] *\"));", .expect = "DenseMatrix(3x1, std::string)\na\nb\nc\n"},
    {.signature = "parseNum(s)", .op = "parseNum", .doc = "The number that the whole text is, as f64; nan if it is none.",
     .example = "print(parseNum([\"1.5\", \"2e3\", \"x\"]));", .expect = "DenseMatrix(3x1, double)\n1.5\n2000\nnan\n"},
    {.signature = "parseInt(s, base = 10)", .op = "parseInt",
     .doc = "The integer that the whole text is, as si64; an error if it is none.",
     .example = "print(parseInt(\"-42\")); print(parseInt(\"ff\", 16));", .expect = "-42\n255\n"},
    {.signature = "toStr(x[, digits])", .op = "toStr",
     .doc = "Text of a value: of a floating-point number the shortest that reads back as the same number, or as many "
            "significant digits as given.",
     .example = "print(toStr(0.1)); print(toStr(2 / 3.0, 3)); print(toStr(7));", .expect = "0.1\n0.667\n7\n"},
    {.signature = "format(p, v...)", .op = "format", .positionalOnly = true,
     .doc = "The pattern with values in its places {}, {k} and {:spec}; {{ and }} are braces. A spec is "
            "[[fill](<|>|^)][+][0][width][,][.precision][type], a type one of d x b o (integers), g f e % (numbers) and "
            "s (strings); without a type, values are shown as by toStr.",
     .example = "print(format(\"{:>6.2f}|{:<4}|{:05d}\", 3.14159, \"ab\", 42));", .expect = "  3.14|ab  |00042\n"},
};
// clang-format on

} // namespace

TypeDesc columnOf(const InferCall &call, size_t i) {
    const TypeDesc &t = call.type(i);
    if (!t.isFrame())
        return t;
    if (t.cols >= 0 && t.cols != 1)
        throw rule::wrong(call, "a frame must have one column here, got " + t.text())
            .withHint("choose the column by its label: F[, \"label\"]");
    bool isKnown = t.schema && t.schema->types.size() == 1;
    return TypeDesc::matrix(isKnown ? t.schema->types[0] : ValueType::Unknown, t.rows, 1);
}

void addStrings(Registry &registry) {
    registry.add(kOps);
    registry.add(kBuiltins);
}

} // namespace daphne::ops
