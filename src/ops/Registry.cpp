// SPDX-License-Identifier: Apache-2.0
#include "ops/Registry.h"

#include <algorithm>
#include <array>
#include <cctype>

#include "base/Error.h"

namespace daphne::ops {

#define DAPHNE_OPS(name) void add##name(Registry &);
#include "OpsList.inc"
#undef DAPHNE_OPS

int64_t InferCall::dimension(size_t i) const {
    if (i >= args.size() || !args[i].constant || args[i].constant->type == ValueType::Str)
        return -1;
    return std::max<int64_t>(args[i].constant->asInt(), -1);
}

namespace {

/// Takes a signature "name(a, b = 1[, c])" apart. Rows are ours, so a malformed one is an internal error.
class SignatureParser {
  public:
    explicit SignatureParser(const Builtin &row) : text(row.signature) { info.row = &row; }

    BuiltinInfo parse() {
        info.name = identifier();
        expect('(');
        while (peek() != ')')
            parameter();
        expect(')');
        if (at != text.size() || depth != 0)
            malformed();
        return std::move(info);
    }

  private:
    void parameter() {
        // Brackets may stand before or after the comma: "[, x]" and "[x]".
        if (!info.params.empty() && peek() == ',') {
            ++at;
        } else if (peek() == '[') {
            ++at;
            ++depth;
            if (!info.params.empty())
                expect(',');
        } else if (!info.params.empty()) {
            malformed();
        }
        BuiltinInfo::Param p{.name = identifier(), .optional = depth > 0, .defaultLiteral = {}};
        if (peek() == '=') {
            ++at;
            p.defaultLiteral = literal();
            p.optional = true;
        }
        if (text.substr(at).starts_with("...")) {
            at += 3;
            info.variadic = true;
            info.variadicParam = info.params.size();
        }
        for (; peek() == ']'; ++at)
            --depth;
        info.numRequired += !p.optional;
        info.params.push_back(p);
    }

    std::string_view identifier() {
        peek();
        size_t begin = at;
        while (at < text.size() && (std::isalnum(static_cast<unsigned char>(text[at])) || text[at] == '_'))
            ++at;
        if (at == begin)
            malformed();
        return text.substr(begin, at - begin);
    }

    std::string_view literal() {
        peek();
        size_t begin = at;
        bool inString = false;
        auto ends = [](char c) { return c == ',' || c == '[' || c == ']' || c == ')'; };
        for (; at < text.size() && (inString || !ends(text[at])); ++at)
            inString ^= text[at] == '"' && text[at - 1] != '\\';
        std::string_view found = text.substr(begin, at - begin);
        while (!found.empty() && found.back() == ' ')
            found.remove_suffix(1);
        if (found.empty())
            malformed();
        return found;
    }

    /// Next character after blanks, '\0' at the end.
    char peek() {
        while (at < text.size() && text[at] == ' ')
            ++at;
        return at < text.size() ? text[at] : '\0';
    }
    void expect(char c) {
        if (peek() != c)
            malformed();
        ++at;
    }
    [[noreturn]] void malformed() const {
        throw internalError("malformed signature of a builtin: " + std::string(text));
    }

    std::string_view text;
    size_t at = 0;
    int depth = 0;
    BuiltinInfo info;
};

} // namespace

Registry::Registry() {
#define DAPHNE_OPS(name)                                                                                               \
    currentTheme = #name;                                                                                              \
    add##name(*this);
#include "OpsList.inc"
#undef DAPHNE_OPS
    auto byMnemonic = [](const OpInfo *a, const OpInfo *b) { return a->mnemonic < b->mnemonic; };
    std::sort(opTable.begin(), opTable.end(), byMnemonic);
    for (size_t i = 1; i < opTable.size(); ++i)
        if (opTable[i - 1]->mnemonic == opTable[i]->mnemonic)
            throw internalError("two ops are called " + std::string(opTable[i]->mnemonic));
    auto byName = [](const BuiltinInfo &a, const BuiltinInfo &b) { return a.name < b.name; };
    std::sort(allBuiltins.begin(), allBuiltins.end(), byName);
    for (size_t i = 1; i < allBuiltins.size(); ++i)
        if (allBuiltins[i - 1].name == allBuiltins[i].name)
            throw internalError("two builtins are called " + std::string(allBuiltins[i].name));
}

const Registry &Registry::get() {
    static const Registry registry;
    return registry;
}

void Registry::add(std::span<const OpInfo> rows) {
    for (const OpInfo &row : rows)
        opTable.push_back(&row);
}

void Registry::add(std::span<const Builtin> rows) {
    for (const Builtin &row : rows) {
        auto &list = row.formWithKeyword.empty() ? allBuiltins : forms;
        list.push_back(SignatureParser(row).parse());
        list.back().theme = currentTheme;
    }
}

const OpInfo *Registry::findOp(std::string_view mnemonic) const {
    auto it = std::lower_bound(opTable.begin(), opTable.end(), mnemonic,
                               [](const OpInfo *op, std::string_view name) { return op->mnemonic < name; });
    return it != opTable.end() && (*it)->mnemonic == mnemonic ? *it : nullptr;
}

const BuiltinInfo *Registry::findBuiltin(std::string_view name) const {
    auto it = std::lower_bound(allBuiltins.begin(), allBuiltins.end(), name,
                               [](const BuiltinInfo &b, std::string_view wanted) { return b.name < wanted; });
    return it != allBuiltins.end() && it->name == name ? &*it : nullptr;
}

const BuiltinInfo *Registry::findForm(std::string_view name, std::span<const std::string_view> keywords) const {
    auto it = std::ranges::find_if(forms, [&](const BuiltinInfo &b) {
        return b.name == name && std::ranges::find(keywords, b.row->formWithKeyword) != keywords.end();
    });
    return it != forms.end() ? &*it : nullptr;
}

const BuiltinInfo *Registry::builtinOf(std::string_view mnemonic) const {
    for (const std::vector<BuiltinInfo> *list : {&allBuiltins, &forms})
        for (const BuiltinInfo &b : *list)
            for (std::string_view op : {b.row->op, b.row->rowOp, b.row->colOp, b.row->groupOp})
                if (op == mnemonic)
                    return &b;
    return nullptr;
}

std::vector<const OpInfo *> Registry::ops() const { return opTable; }

namespace {
struct OperatorName {
    std::string_view token;
    Mnemonic mnemonic;
};
constexpr std::array<OperatorName, 15> kOperators = {{
    {"+", "ewAdd"},
    {"-", "ewSub"},
    {"*", "ewMul"},
    {"/", "ewDiv"},
    {"^", "ewPow"},
    {"%", "ewMod"},
    {"@", "matMul"},
    {"==", "ewEq"},
    {"!=", "ewNeq"},
    {"<", "ewLt"},
    {"<=", "ewLe"},
    {">", "ewGt"},
    {">=", "ewGe"},
    {"&&", "ewAnd"},
    {"||", "ewOr"},
}};
/// Ops of the language's own syntax that is not infix.
constexpr std::array<OperatorName, 3> kOtherSyntax = {{{"!", "ewNot"}, {"?:", "cond"}, {"as", "cast"}}};
} // namespace

Mnemonic operatorMnemonic(std::string_view token) {
    for (const OperatorName &o : kOperators)
        if (o.token == token)
            return o.mnemonic;
    return {};
}

std::vector<std::string_view> operatorTokens() {
    std::vector<std::string_view> tokens;
    for (const OperatorName &o : kOperators)
        tokens.push_back(o.token);
    return tokens;
}

std::string_view userName(std::string_view mnemonic) {
    for (const OperatorName &o : kOperators)
        if (o.mnemonic == mnemonic)
            return o.token;
    for (const OperatorName &o : kOtherSyntax)
        if (o.mnemonic == mnemonic)
            return o.token;
    // Only messages need this, so a scan is fast enough.
    const BuiltinInfo *builtin = Registry::get().builtinOf(mnemonic);
    return builtin ? builtin->name : mnemonic;
}

} // namespace daphne::ops
