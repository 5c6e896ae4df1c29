// SPDX-License-Identifier: Apache-2.0
#include "driver/reference/Reference.h"

#include <cctype>
#include <map>
#include <vector>

#include "engine/interactive/Help.h"
#include "engine/interactive/OperandTypes.h"
#include "ops/Registry.h"

namespace daphne::driver {

namespace {

using engine::describeParameter, engine::isParseTimeConstant, engine::numResults, engine::parameterTypes,
    engine::resultTypes;
using ops::Builtin, ops::BuiltinInfo, ops::Family, ops::OpInfo, ops::Registry;

/// "LinearAlgebra" -> "Linear algebra"
std::string titleOf(std::string_view camelCase) {
    std::string title;
    for (char c : camelCase) {
        bool startsWord = std::isupper(static_cast<unsigned char>(c)) && !title.empty();
        if (startsWord)
            title += ' ';
        title += startsWord ? static_cast<char>(std::tolower(static_cast<unsigned char>(c))) : c;
    }
    return title;
}

std::string sectionOf(const BuiltinInfo &b) {
    const OpInfo *op = Registry::get().findOp(b.row->op);
    switch (op ? op->family : Family::Call) {
    case Family::EwUnary: return "Elementwise functions";
    case Family::EwBinary: return "Elementwise functions of two arguments";
    case Family::Outer: return "All pairs";
    case Family::AggAll:
    case Family::AggRow:
    case Family::AggCol: return "Aggregates";
    case Family::Cumulative: return "Running aggregates";
    case Family::Call: break;
    }
    return titleOf(b.theme);
}

std::map<std::string, std::vector<const BuiltinInfo *>> sections() {
    std::map<std::string, std::vector<const BuiltinInfo *>> result;
    for (const BuiltinInfo &b : Registry::get().builtins())
        result[sectionOf(b)].push_back(&b);
    return result;
}

/// Where a page's own heading can be linked to: "Linear algebra" -> "linear-algebra".
std::string anchorOf(std::string_view heading) {
    std::string anchor;
    for (char c : heading)
        if (std::isalnum(static_cast<unsigned char>(c)) || c == '_')
            anchor += static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
        else if (c == ' ')
            anchor += '-';
    return anchor;
}

void appendBuiltin(std::string &out, const BuiltinInfo &b) {
    const Builtin &row = *b.row;
    out +=
        "\n### " + std::string(b.name) + "\n\n`" + std::string(row.signature) + "`\n\n" + std::string(row.doc) + "\n";
    if (!b.params.empty()) {
        out += "\n| Parameter | Takes |\n|---|---|\n";
        for (size_t i = 0; i < b.params.size(); ++i)
            out += "| `" + std::string(b.params[i].name) + "` | " + describeParameter(b, i) + " |\n";
    }
    if (row.positionalOnly)
        out += "\nArguments are given by position only.\n";
    if (size_t n = numResults(b); n != 1)
        out += n == 0 ? "\nNo result.\n" : "\n" + std::to_string(n) + " results.\n";
    auto appendResults = [&](const char *title, std::string_view mnemonic) {
        const OpInfo *op = Registry::get().findOp(mnemonic);
        if (std::string types = op ? resultTypes(*op) : ""; !types.empty())
            out += "\n" + std::string(title) + ": " + types + ".\n";
    };
    appendResults("Result", row.op);
    if (b.hasAxis())
        appendResults("With an axis", row.rowOp);
    if (row.example.empty())
        return;
    out += "\n```daphne\n" + std::string(row.example) + "\n```\n";
    if (!row.expect.empty())
        out += "```text\n" + std::string(row.expect) + "```\n";
}

/// A JSON string.
std::string quoted(std::string_view text) {
    std::string out = "\"";
    for (char c : text) {
        switch (c) {
        case '"': out += "\\\""; break;
        case '\\': out += "\\\\"; break;
        case '\n': out += "\\n"; break;
        case '\t': out += "\\t"; break;
        default:
            if (static_cast<unsigned char>(c) < 0x20) {
                char code[8];
                std::snprintf(code, sizeof code, "\\u%04x", c);
                out += code;
            } else {
                out += c;
            }
        }
    }
    return out + '"';
}

std::string_view truth(bool yes) { return yes ? "true" : "false"; }

std::string parameterJson(const BuiltinInfo &b, size_t i) {
    const BuiltinInfo::Param &p = b.params[i];
    std::string out = "{\"name\": " + quoted(p.name) + ", \"optional\": " + std::string(truth(p.optional));
    if (std::string types = parameterTypes(b, i); !types.empty())
        out += ", \"takes\": " + quoted(types);
    if (!p.defaultLiteral.empty())
        out += ", \"default\": " + quoted(p.defaultLiteral);
    if (isParseTimeConstant(b, i))
        out += ", \"parseTimeConstant\": true";
    return out + "}";
}

std::string builtinJson(const BuiltinInfo &b) {
    const Builtin &row = *b.row;
    std::string params;
    for (size_t i = 0; i < b.params.size(); ++i)
        params += (i ? ", " : "") + parameterJson(b, i);
    return "  {\"name\": " + quoted(b.name) + ",\n   \"section\": " + quoted(sectionOf(b)) +
           ",\n   \"signature\": " + quoted(row.signature) + ",\n   \"parameters\": [" + params +
           "],\n   \"variadic\": " + std::string(truth(b.variadic)) +
           ", \"positionalOnly\": " + std::string(truth(row.positionalOnly)) +
           ", \"results\": " + std::to_string(numResults(b)) + ",\n   \"doc\": " + quoted(row.doc) +
           ",\n   \"example\": " + quoted(row.example) + ",\n   \"expect\": " + quoted(row.expect) + "}";
}

} // namespace

std::string referenceText(std::string_view form) {
    if (form == "json")
        return builtinsJson();
    return form == "representations" ? representationsMarkdown() : builtinsMarkdown();
}

std::string builtinsMarkdown() {
    auto all = sections();
    std::string out =
        "# Builtin functions\n\n"
        "Written by `daphne --builtins=md` from the table of builtins; change the rows in `src/ops`, not "
        "this page.\n\nIn signatures, `[, x]` is optional, `x = 1` has a default, and `x...` stands for any "
        "number of arguments. Parameter names are keywords: `seq(from = 1, to = 3)`. Which operations work "
        "on sparse matrices directly: [representations](representations.md).\n\n";
    for (auto &[title, builtins] : all) {
        out += "- [" + title + "](#" + anchorOf(title) + "):";
        for (const BuiltinInfo *b : builtins)
            out += " [" + std::string(b->name) + "](#" + anchorOf(b->name) + ")";
        out += "\n";
    }
    for (auto &[title, builtins] : all) {
        out += "\n## " + title + "\n";
        for (const BuiltinInfo *b : builtins)
            appendBuiltin(out, *b);
    }
    return out;
}

std::string builtinsJson() {
    std::string out = "[\n";
    for (const BuiltinInfo &b : Registry::get().builtins())
        out += (out.size() > 2 ? ",\n" : "") + builtinJson(b);
    return out + "\n]\n";
}

} // namespace daphne::driver
