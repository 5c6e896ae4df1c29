// SPDX-License-Identifier: Apache-2.0
#include "engine/interactive/OperandTypes.h"

#include <algorithm>

#include "base/Error.h"

namespace daphne::engine {

using ops::Arg, ops::BuiltinInfo, ops::OpInfo, ops::Registry, ops::TypeDesc;

namespace {

/// Operations with more operands are asked with this many.
constexpr size_t kFewOperands = 2;

struct Candidate {
    const char *name;
    TypeDesc type;
};

std::vector<Candidate> candidates() {
    return {{"matrix", TypeDesc::matrix(ValueType::F64)},
            {"matrix of integers", TypeDesc::matrix(ValueType::SI64)},
            {"matrix of text", TypeDesc::matrix(ValueType::Str)},
            {"number", TypeDesc::scalar(ValueType::F64)},
            {"integer", TypeDesc::scalar(ValueType::SI64)},
            {"text", TypeDesc::scalar(ValueType::Str)},
            {"frame", TypeDesc::frame(nullptr)},
            {"list", TypeDesc::list(ValueType::F64)}};
}

/// A more special candidate that goes without saying where the other one is taken.
const char *impliedBy(std::string_view name) {
    return name == "matrix of integers" ? "matrix" : name == "integer" ? "number" : "";
}

std::vector<Arg> unknownOperands(const OpInfo &op, size_t atLeast) {
    size_t n = std::max(numOperands(op), atLeast);
    return std::vector<Arg>(op.maxArgs == ops::kVariadic ? n : std::min<size_t>(n, op.maxArgs));
}

bool takes(const OpInfo &op, size_t i, const TypeDesc &type) {
    std::vector<Arg> operands = unknownOperands(op, i + 1);
    if (i >= operands.size())
        return false;
    operands[i].type = type;
    return resultsOf(op, operands).has_value();
}

} // namespace

size_t numOperands(const OpInfo &op) {
    return op.maxArgs != ops::kVariadic ? op.maxArgs : std::max<size_t>(op.minArgs, kFewOperands);
}

std::optional<std::vector<TypeDesc>> resultsOf(const OpInfo &op, const std::vector<Arg> &operands) {
    try {
        return op.infer({op, operands, {}});
    } catch (const Error &) {
        return std::nullopt;
    }
}

bool isNumber(const Kernel &kernel, size_t i) { return i < kernel.params.size() && kernel.params[i] != ParamKind::Any; }

std::string parameterTypes(const BuiltinInfo &b, size_t i) {
    const OpInfo *op = Registry::get().findOp(b.row->op);
    if (b.hasAxis() && i >= b.axisPosition()) {
        if (i > b.axisPosition())
            return "integer";
        return b.row->groupOp.empty() ? "0 or 1" : "0 or 1, or a matrix of integers";
    }
    if (!op)
        return "";
    const Kernel *kernel = KernelTable::get().find(op->mnemonic);
    if (kernel && isNumber(*kernel, i))
        return kernel->params[i] == ParamKind::Real   ? "number"
               : kernel->params[i] == ParamKind::Bool ? "true or false"
                                                      : "integer";
    std::vector<std::string_view> taken;
    size_t numCandidates = 0;
    for (const Candidate &c : candidates()) {
        numCandidates += *impliedBy(c.name) == 0;
        if (takes(*op, i, c.type) && std::ranges::find(taken, impliedBy(c.name)) == taken.end())
            taken.push_back(c.name);
    }
    if (taken.size() == numCandidates)
        return "anything";
    std::string text;
    for (std::string_view name : taken)
        text += (text.empty() ? "" : ", ") + std::string(name);
    return text;
}

std::string resultTypes(const OpInfo &op) {
    std::vector<std::string> lines;
    auto add = [&](const std::string &operand, const std::vector<TypeDesc> &results) {
        std::string line = operand.empty() ? "" : "`" + operand + "` → ";
        for (size_t i = 0; i < results.size(); ++i) {
            const TypeDesc &t = results[i];
            if (!t.isComplete() && !t.isFrame() && !t.isList())
                return;
            line += (i ? ", `" : "`") + t.typeText() + "`";
        }
        if (!results.empty() && std::ranges::find(lines, line) == lines.end())
            lines.push_back(std::move(line));
    };
    if (op.maxArgs == 0)
        add("", resultsOf(op, {}).value_or(std::vector<TypeDesc>()));
    else
        for (const Candidate &first : candidates()) {
            std::vector<Arg> operands = unknownOperands(op, 1);
            operands[0].type = first.type;
            if (!resultsOf(op, operands))
                continue;
            // The other operands are like the first one if they may be, else numbers, else not known.
            for (size_t i = 1; i < operands.size(); ++i)
                for (const TypeDesc &type : {first.type, TypeDesc::scalar(ValueType::SI64), TypeDesc::unknown()}) {
                    operands[i].type = type;
                    if (resultsOf(op, operands))
                        break;
                }
            add(first.type.typeText(), *resultsOf(op, operands));
        }
    std::string text;
    for (const std::string &line : lines)
        text += (text.empty() ? "" : "; ") + line;
    return text;
}

} // namespace daphne::engine
