// SPDX-License-Identifier: Apache-2.0
/// Calls of builtins.
#include "irgen/Generator.h"

#include <filesystem>
#include <limits>

#include "io/Format.h"
#include "kernels/objects/CellText.h"
#include "lang/dsl/CalledBuiltin.h"
#include "lang/dsl/Lexer.h"
#include "lang/dsl/ParseTypes.h"
#include "lang/dsl/PrintCall.h"

namespace daphne::irgen {

using namespace lang;
using ops::BuiltinInfo;
using ops::Constant;
using ops::TypeDesc;
using IrValue = mlir::Value;

std::vector<IrValue> Generator::call(const Call &e) {
    auto functions = visibleFunctions(e.callee, e.calleeSpan);
    const BuiltinInfo *builtin = calledBuiltin(e);
    const bool hasOther = !functions.empty() || builtin;
    if (IrValue *v = find(e.callee); v && (typeOf(*v).isUnknown() || !hasOther)) {
        if (functionOf(*v) || !hasOther)
            return callValue(e, *v);
        if (anyFunctionValue)
            raise(compileError(e.calleeSpan, "only the run time knows whether the variable '" + std::string(e.callee) +
                                             "' holds a function, and there is a function of that name")
                  .withHint("give the variable another name"));
    }
    if (!functions.empty())
        return callFunction(e, functions);
    if (!builtin)
        throw internalError("function " + std::string(e.callee) + " passed the checks but does not exist").at(e.span);
    return builtin->theme == kSecondOrder ? callSecondOrder(e, *builtin) : callBuiltin(e, *builtin);
}

/// Defaults in the table are plain literals; integers get the smallest type, so that they never widen a result.
IrValue Generator::defaultValue(std::string_view literal, SourceSpan span) {
    if (literal == "none")
        return constant({.type = ValueType::SI8, .i = -1}, span);
    if (literal == "true" || literal == "false")
        return boolConstant(literal == "true", span);
    if (literal.front() == '"')
        return constant({.type = ValueType::Str, .s = decodeEscapes(rawString(literal))}, span);
    std::string text(literal);
    if (text.find_first_of(".en") != text.npos)
        return constant({.type = ValueType::F64, .d = std::stod(text)}, span);
    // The narrowest type widens nothing: seq(1u, 3u) stays unsigned.
    int64_t number = std::stoll(text);
    bool isSmall = number >= std::numeric_limits<int8_t>::min() && number <= std::numeric_limits<int8_t>::max();
    return constant({.type = isSmall ? ValueType::SI8 : ValueType::SI64, .i = number}, span);
}

namespace {

/// Arguments in the order of the parameters; null where an optional one was left out.
std::vector<const Expr *> inParameterOrder(const Call &e, const BuiltinInfo &b) {
    std::vector<const Expr *> args;
    for (const CallArg &a : e.args) {
        if (a.keyword.empty()) {
            args.push_back(a.value);
            continue;
        }
        for (size_t i = 0; i < b.params.size(); ++i)
            if (b.params[i].name == a.keyword) {
                args.resize(std::max(args.size(), i + 1));
                args[i] = a.value;
            }
    }
    return args;
}

} // namespace

/// op(op(a, b), c) ...; matrices get the value type of the result first, so that no step rounds.
IrValue Generator::chain(ops::OpName mnemonic, std::vector<IrValue> operands, const Site &site, std::string_view hint) {
    ValueType general = ValueType::Bool;
    for (IrValue v : operands)
        general = mostGeneral(general, typeOf(v).isMatrix() ? typeOf(v).valueType : ValueType::Unknown);
    for (size_t i = 0; i < operands.size() && isNumeric(general); ++i)
        operands[i] = emitCast(operands[i], TypeDesc::matrix(general), site.operands[i]);
    IrValue result = operands[0];
    for (size_t i = 1; i < operands.size(); ++i)
        result = emit(mnemonic, {result, operands[i]}, {site.span, {site.operands[0], site.operands[i]}}, hint);
    return result;
}

std::vector<IrValue> Generator::callPrint(const Call &e) {
    PrintCall print(e);
    // Operands are evaluated in the order they are written.
    std::map<const Expr *, IrValue> values;
    for (const CallArg &a : e.args)
        values[a.value] = expr(a.value);
    IrValue newline = print.newline ? values[print.newline] : boolConstant(true, e.span);
    IrValue err = print.err ? values[print.err] : boolConstant(false, e.span);
    if (print.isPlain())
        return emitMulti("print", {values[print.values[0]], newline, err}, {e.span, {}}, e.hint);
    IrValue sep = print.sep ? values[print.sep] : constant({.type = ValueType::Str, .s = " "}, e.span);
    IrValue digits = print.digits ? values[print.digits] : intConstant(kPrintedDigits, e.span);
    std::vector<IrValue> operands{newline, err, sep, digits};
    for (const Expr *value : print.values)
        operands.push_back(values[value]);
    return emitMulti("printValues", operands, {e.span, {}}, e.hint);
}

std::vector<IrValue> Generator::callBuiltin(const Call &e, const BuiltinInfo &builtin) {
    std::vector<const Expr *> args = inParameterOrder(e, builtin);
    ops::OpName mnemonic = builtin.isGroupedCall(args.size()) ? builtin.row->groupOp : builtin.row->op;
    if (mnemonic == "print")
        return callPrint(e);
    if (mnemonic == "assert") {
        assertion(e, args);
        return {};
    }
    bool hasAxis = builtin.isAxisCall(args.size());
    Site site{e.span, {}};
    std::vector<IrValue> operands;
    // Operands are evaluated in the order they are written.
    std::map<const Expr *, IrValue> values;
    for (const CallArg &a : e.args)
        values[a.value] = expr(a.value);
    for (size_t i = 0; i < args.size(); ++i) {
        bool isAxis = hasAxis && i == builtin.axisPosition();
        if (!args[i]) {
            if (isAxis)
                continue; // over all cells
            operands.push_back(defaultValue(builtin.params[i].defaultLiteral, e.span));
            continue;
        }
        if (isAxis) {
            auto axis = ir::constantOf(values[args[i]]);
            if (!axis)
                throw parseError(args[i]->span, "the axis must be a constant");
            mnemonic = axis->asInt() == 0 ? builtin.row->rowOp : builtin.row->colOp;
            continue;
        }
        operands.push_back(values[args[i]]);
        site.operands.push_back(args[i]->span);
    }
    if (!builtin.hasAxis())
        for (size_t i = args.size(); i < builtin.params.size(); ++i)
            if (!builtin.params[i].defaultLiteral.empty())
                operands.push_back(defaultValue(builtin.params[i].defaultLiteral, e.span));

    if (mnemonic == "read")
        return readFile(e, operands, e.callee == "readFrame");
    if (mnemonic == "tri")
        operands.insert(operands.begin() + 1, boolConstant(e.callee == "upperTri", e.span));
    if (mnemonic == "sparsity" && typeOf(operands[0]).sparsity >= 0 && e.hint.empty())
        return {constant({.type = ValueType::F64, .d = typeOf(operands[0]).sparsity}, e.span)};
    if (mnemonic == "sql")
        return {sqlQuery(operands[0], e.span)};
    if (mnemonic == "registerView") {
        registerView(operands, e.span);
        return {};
    }
    if (mnemonic == "write")
        noteWrite(operands[1]);
    if (builtin.row->chains && operands.size() > 2)
        return {chain(mnemonic, std::move(operands), site, e.hint)};
    if (site.operands.size() > 2)
        site.operands.clear(); // labels under many arguments say nothing
    std::vector<IrValue> results = emitMulti(mnemonic, operands, site, e.hint);
    if (mnemonic == "stop")
        throw DeadCode{}; // nothing after it runs
    return results;
}

/// The message is evaluated only if the condition fails; by default it is what the condition says.
void Generator::assertion(const Call &e, const std::vector<const Expr *> &args) {
    const SourceSpan span = args[0]->span;
    auto fail = [&] {
        IrValue message;
        if (args.size() > 1) {
            message = expr(args[1]);
        } else {
            std::string_view text = options.sources && span.known() ? options.sources->text(span.fileId) : "";
            message = constant(
                {.type = ValueType::Str, .s = std::string(text.substr(span.begin, span.end - span.begin))}, span);
        }
        emitMulti("assert", message, {e.span, {}});
    };
    IrValue holds = condition(args[0]);
    std::optional<bool> known = constantBool(holds);
    if (!known) {
        Path success = path({}, [] {}), failure = path({}, fail);
        merge(holds, std::move(success), std::move(failure), {}, e.span);
    } else if (!*known) {
        fail();
    }
}

static std::string normalised(const std::string &filename) {
    return std::filesystem::path(filename).lexically_normal().string();
}

void Generator::noteWrite(IrValue filename) {
    auto name = ir::constantOf(filename);
    if (name && name->type == ValueType::Str)
        writtenFiles.insert(normalised(name->s));
    else
        writesAnyFile = true;
}

bool Generator::mayBeWritten(const std::string &filename) const {
    return writesAnyFile || writtenFiles.contains(normalised(filename));
}

/// A constant file name tells types and shape at compile time; a run-time check guards against a changed file.
std::vector<IrValue> Generator::readFile(const Call &e, std::vector<IrValue> operands, bool isFrame) {
    operands.insert(operands.begin() + 1, boolConstant(isFrame, e.span));
    // Labels may come from a header that only the call knows of.
    bool hasOptions = e.args.size() > 1;
    IrValue value = emit("read", operands, {e.span, {}}, e.hint);
    auto name = ir::constantOf(operands[0]);
    if (!name || name->type != ValueType::Str || mayBeWritten(name->s) || (isFrame && hasOptions))
        return {value};
    std::optional<io::FileInfo> info;
    inspectedFiles.push_back(name->s);
    try {
        info = io::inspect(name->s, isFrame);
    } catch (Error &error) {
        error.stage = Stage::Compile;
        raise(std::move(error.at(e.span)));
    }
    if (!info)
        return {value};
    TypeDesc type = TypeDesc::matrix(info->type, info->rows, info->cols, info->sparsity);
    if (isFrame) {
        auto schema = std::make_shared<ops::FrameSchema>();
        schema->labels = info->labels;
        schema->types = info->types;
        type = TypeDesc::frame(schema, info->rows, info->cols);
    }
    return {adapt(value, type, e.span)};
}

} // namespace daphne::irgen
