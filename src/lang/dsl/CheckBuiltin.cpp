// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "lang/dsl/Checker.h"
#include "lang/dsl/Habits.h"
#include "lang/dsl/PrintCall.h"

namespace daphne::lang {

using ops::BuiltinInfo;

namespace {

std::string quoted(std::string_view name) { return "'" + std::string(name) + "'"; }

/// Numbers of arguments that a signature cannot express.
struct ArityRule {
    std::string_view name;
    bool (*allows)(size_t numArgs);
    std::string_view text;
};
constexpr auto evenFromFour = [](size_t n) { return n >= 4 && n % 2 == 0; };
constexpr ArityRule kArityRules[] = {
    {"bin", [](size_t n) { return n == 2 || n == 4; }, "2 or 4 arguments: both bounds or none"},
    {"histogram", [](size_t n) { return n == 2 || n == 4; }, "2 or 4 arguments: both bounds or none"},
    {"where", [](size_t n) { return n == 1 || n == 3; }, "1 or 3 arguments: a condition, or also two values"},
    {"order", evenFromFour, "an even number of arguments, at least 4: data, positions, as many flags, one flag"},
    {"antiJoin", evenFromFour, "an even number of arguments, at least 4"},
    {"fullOuterJoin", evenFromFour, "an even number of arguments, at least 4"},
    {"leftOuterJoin", evenFromFour, "an even number of arguments, at least 4"},
    {"thetaJoin", [](size_t n) { return n >= 5 && n % 3 == 2; },
     "two frames and conditions of three arguments each: label, comparison, label"},
};

std::string arityText(const BuiltinInfo &b) {
    size_t least = b.numRequired, most = b.params.size();
    auto arguments = [](size_t n) { return std::to_string(n) + (n == 1 ? " argument" : " arguments"); };
    if (b.variadic)
        return "at least " + arguments(least);
    if (least == most)
        return most == 0 ? "no arguments" : arguments(most);
    return std::to_string(least) + " to " + arguments(most);
}

/// Constant a default in a signature stands for. Small integers get the narrowest type, so that they never widen the
/// result (builtins 1, seq). `none` is an option that is not given: -1 of the narrowest type.
ops::Arg defaultArg(std::string_view literal) {
    using ops::Constant;
    auto arg = [](Constant c) { return ops::Arg{ops::TypeDesc::scalar(c.type), c}; };
    if (literal == "none")
        return arg({.type = ValueType::SI8, .i = -1, .d = 0, .s = {}});
    if (literal == "true" || literal == "false")
        return arg({.type = ValueType::Bool, .i = literal == "true", .d = 0, .s = {}});
    if (literal.starts_with('"'))
        return arg({.type = ValueType::Str, .i = 0, .d = 0, .s = decodeEscapes(rawString(literal))});
    bool negative = literal.starts_with('-');
    std::string_view digits = literal.substr(negative);
    if (digits.find_first_of(".enai") == digits.npos) {
        int64_t value = decodeInt(digits).value;
        return arg(
            {.type = value < 128 ? ValueType::SI8 : ValueType::SI64, .i = negative ? -value : value, .d = 0, .s = {}});
    }
    FloatValue value = decodeFloat(digits);
    return arg({.type = value.type, .i = 0, .d = negative ? -value.value : value.value, .s = {}});
}

/// What stands for a parameter with the default `none`.
bool isLeftOut(const ops::Constant &c) { return c.type == ValueType::SI8 && c.i == -1; }

/// Axes have other numbers elsewhere: a keyword that looks the same would give other results.
std::string hintForKeyword(const BuiltinInfo &b, std::string_view keyword) {
    constexpr std::string_view kAxes[] = {"axis", "dim", "dims", "margin", "MARGIN"};
    if (b.hasAxis() && std::ranges::find(kAxes, keyword) != std::end(kAxes)) {
        std::string name(b.name);
        return name + "(X, 0) has a result per row, " + name + "(X, 1) per column";
    }
    std::vector<std::string_view> names;
    for (const BuiltinInfo::Param &p : b.params)
        names.push_back(p.name);
    std::string near = nearest(keyword, names);
    return near.empty() ? "it is " + std::string(b.row->signature) : "did you mean '" + near + "'?";
}

} // namespace

bool isAxis(const ops::Constant &c) {
    return isIntegerLike(c.type) && c.type != ValueType::Bool && (c.i == 0 || c.i == 1);
}

Checker::CallResult Checker::checkPrint(const Call &call, const BuiltinInfo &builtin) {
    checkArguments(call);
    if (!checkKeywordOrder(call))
        return {};
    PrintCall print(call);
    std::string signature = "it is " + std::string(builtin.row->signature);
    if (print.wrong)
        report(print.wrong->span, quoted(call.callee) + " has no parameter " + quoted(print.wrong->keyword))
            .withHint(signature);
    else if (print.twice)
        report(print.twice->span, "the argument " + quoted(print.twice->keyword) + " is given twice")
            .withHint(signature);
    else if (print.values.empty())
        report(call.span, quoted(call.callee) + " takes " + arityText(builtin) + ", got 0").withHint(signature);
    else
        return {true, {}};
    return {};
}

Checker::CallResult Checker::checkBuiltinCall(const Call &call, const BuiltinInfo &builtin) {
    if (builtin.row->op == "print")
        return checkPrint(call, builtin);
    CheckedCall checked = checkArguments(call);
    auto bound = bindArguments(checked, builtin);
    if (!bound)
        return {};
    if (builtin.theme == kSecondOrder)
        return checkSecondOrder(checked, builtin, *bound);
    // Further errors leave number and types of the results as they are.
    bool good = checkBuiltinConstants(checked, builtin, *bound);
    if (builtin.name == "createFrame")
        good &= checkCreateFrame(checked);
    if (!good)
        return {};
    return {true, builtinResults(builtin, *bound)};
}

bool Checker::checkArity(const Call &call, const BuiltinInfo &builtin) {
    size_t given = call.args.size();
    bool fits = given >= builtin.numRequired && (builtin.variadic || given <= builtin.params.size());
    std::string wanted = arityText(builtin);
    for (const ArityRule &rule : kArityRules)
        if (rule.name == builtin.name && !rule.allows(given)) {
            fits = false;
            wanted = rule.text;
        }
    if (!fits) {
        std::string_view habit = hintForArity(builtin.name, given);
        report(call.span, quoted(call.callee) + " takes " + wanted + ", got " + std::to_string(given))
            .withHint(habit.empty() ? "it is " + std::string(builtin.row->signature) : std::string(habit));
    }
    return fits;
}

/// Arguments in the order of the parameters, those of a variadic tail included.
std::optional<std::vector<Known>> Checker::bindArguments(const CheckedCall &checked, const BuiltinInfo &builtin) {
    const Call &call = checked.call;
    if (!checkKeywordOrder(call) || !checkArity(call, builtin))
        return std::nullopt;
    std::string signature = "it is " + std::string(builtin.row->signature);
    size_t numParams = builtin.params.size();
    std::vector<const Known *> bound(std::max(numParams, call.args.size()), nullptr);
    size_t numPositional = 0;
    for (size_t i = 0; i < call.args.size(); ++i) {
        const CallArg &arg = call.args[i];
        if (arg.keyword.empty()) {
            bound[numPositional++] = &checked.values[i];
            continue;
        }
        if (builtin.row->positionalOnly) {
            report(arg.span, quoted(call.callee) + " takes no keyword arguments").withHint(signature);
            return std::nullopt;
        }
        auto named = [&](const BuiltinInfo::Param &p) { return p.name == arg.keyword; };
        auto p = static_cast<size_t>(std::find_if(builtin.params.begin(), builtin.params.end(), named) -
                                     builtin.params.begin());
        if (p == numParams) {
            report(arg.span, quoted(call.callee) + " has no parameter " + quoted(arg.keyword))
                .withHint(hintForKeyword(builtin, arg.keyword));
            return std::nullopt;
        }
        if (bound[p]) {
            report(arg.span, "the argument " + quoted(arg.keyword) + " is given twice").withHint(signature);
            return std::nullopt;
        }
        bound[p] = &checked.values[i];
    }
    std::vector<Known> ordered;
    size_t numGiven = call.args.size(), numBound = bound.size();
    while (numBound > numGiven && !bound[numBound - 1])
        --numBound;
    for (size_t i = 0; i < numBound; ++i) {
        // A keyword may skip parameters that have a default.
        if (!bound[i] && i < numParams && !builtin.params[i].defaultLiteral.empty()) {
            ops::Arg arg = defaultArg(builtin.params[i].defaultLiteral);
            ordered.push_back({arg.type, arg.constant});
            continue;
        }
        if (!bound[i]) {
            report(call.span, "the argument " + quoted(builtin.params[i].name) + " of " + quoted(call.callee) +
                                  " is missing, although a later one is given")
                .withHint(signature);
            return std::nullopt;
        }
        ordered.push_back(*bound[i]);
    }
    // Four arguments of ctable mean the shape instead of the weight, but only by position.
    if (builtin.name == "ctable" && numGiven == 4 && numPositional != 4) {
        report(call.span, "'ctable' with four arguments takes no keywords").withHint(signature);
        return std::nullopt;
    }
    return ordered;
}

bool Checker::checkBuiltinConstants(const CheckedCall &checked, const BuiltinInfo &builtin,
                                    const std::vector<Known> &bound) {
    const Call &call = checked.call;
    auto spanOfParam = [&](size_t p) {
        for (size_t i = 0; i < call.args.size(); ++i)
            if (call.args[i].keyword.empty() ? i == p : call.args[i].keyword == builtin.params[p].name)
                return call.args[i].span;
        return call.span;
    };
    bool good = true;
    if (builtin.isAxisCall(bound.size())) {
        const auto &axis = bound[builtin.axisPosition()].constant;
        if (!axis || !(isAxis(*axis) || (builtin.isForm() && isLeftOut(*axis)))) {
            good = false;
            report(spanOfParam(builtin.axisPosition()),
                   "the axis of " + quoted(call.callee) + " must be " +
                       (axis ? "0 or 1" : "a constant: 0, 1, or a variable directly assigned one"))
                .withHint("0 aggregates each row, 1 each column");
        }
    }
    for (size_t p = 0; p < bound.size() && p < 8; ++p)
        if ((builtin.row->parseTimeConstants >> p & 1) && !bound[p].constant) {
            good = false;
            report(spanOfParam(p), "the argument " +
                                       quoted(builtin.params[std::min(p, builtin.params.size() - 1)].name) + " of " +
                                       quoted(call.callee) + " must be a constant")
                .withHint("a literal, or a variable directly assigned one");
        }
    return good;
}

/// Columns, then either no labels or one for each.
bool Checker::checkCreateFrame(const CheckedCall &checked) {
    const Call &call = checked.call;
    size_t numColumns = 0, numLabels = 0, numUnknown = 0;
    for (size_t i = 0; i < checked.values.size(); ++i) {
        const Type &type = checked.values[i].type;
        SourceSpan where = call.args[i].span;
        if (type.isUnknown()) {
            ++numUnknown;
        } else if (type.isString()) {
            ++numLabels;
        } else if (!type.isMatrix()) {
            report(where, "'createFrame' takes columns (matrices) and labels (strings), this is " + type.typeText());
            return false;
        } else if (numLabels > 0) {
            report(where, "'createFrame' takes all columns before the labels");
            return false;
        } else {
            ++numColumns;
        }
    }
    if (numUnknown > 0 || (numColumns > 0 && (numLabels == 0 || numLabels == numColumns)))
        return true;
    report(call.span, numColumns == 0
                          ? "'createFrame' needs at least one column"
                          : "'createFrame' needs as many labels as columns or none, got " + std::to_string(numColumns) +
                                " columns and " + std::to_string(numLabels) + " labels");
    return false;
}

void Checker::appendDefaults(const BuiltinInfo &builtin, std::vector<ops::Arg> &args) {
    for (size_t p = args.size(); p < builtin.params.size(); ++p) {
        std::string_view literal = builtin.params[p].defaultLiteral;
        if (literal.empty())
            return;
        args.push_back(defaultArg(literal));
    }
}

std::vector<Checker::Type> Checker::builtinResults(const BuiltinInfo &builtin, const std::vector<Known> &bound) {
    const ops::Builtin &row = *builtin.row;
    std::vector<ops::Arg> args;
    for (const Known &k : bound)
        args.push_back({k.type, k.constant});
    ops::Mnemonic mnemonic = row.op;
    if (builtin.isAxisCall(bound.size())) {
        auto axis = static_cast<ptrdiff_t>(builtin.axisPosition());
        if (!isLeftOut(*bound[axis].constant))
            mnemonic = bound[axis].constant->i == 0 ? row.rowOp : row.colOp;
        args.erase(args.begin() + axis);
    } else if (builtin.isGroupedCall(bound.size())) {
        mnemonic = row.groupOp;
    } else if (!builtin.hasAxis()) {
        appendDefaults(builtin, args);
    }
    const ops::OpInfo *op = ops::Registry::get().findOp(mnemonic);
    // That a file holds a matrix or a frame is all that reading it tells.
    if (builtin.name == "readMatrix")
        return {Type::matrix(ValueType::Unknown)};
    if (builtin.name == "readFrame")
        return {Type::frame(nullptr)};
    if (row.atParse == ops::ResultAtParse::Unknown)
        return std::vector<Type>(op ? op->numResults : 1);
    // One op serves both triangles; which one makes no difference to the type.
    if (mnemonic == "tri")
        args.insert(args.begin() + 1, defaultArg("true"));
    if (row.chains)
        for (; args.size() > 2; args.erase(args.begin() + 1))
            args[0] = {run.types.infer(op, {args[0], args[1]}).front(), {}};
    return run.types.infer(op, args);
}

} // namespace daphne::lang
