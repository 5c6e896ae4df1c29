// SPDX-License-Identifier: Apache-2.0
#include "ops/QueryBlock.h"

#include <algorithm>
#include <charconv>
#include <cstdio>

#include "base/Error.h"
#include "ops/Operands.h"

namespace daphne::ops {

namespace {

using NodeKind = QueryBlock::NodeKind;

std::string quoted(std::string_view text) {
    std::string out = "'";
    for (char c : text) {
        if (c == '\'' || c == '\\')
            out += '\\';
        out += c;
    }
    return out + "'";
}

std::string constantText(const Constant &c) {
    if (c.type == ValueType::Str)
        return quoted(c.s);
    if (!isFloat(c.type))
        return std::to_string(c.i);
    char buffer[40];
    std::snprintf(buffer, sizeof buffer, "%a", c.d);
    return buffer;
}

/// Words, quoted strings and line ends.
class Reader {
  public:
    explicit Reader(std::string_view text) : rest(text) {}
    bool atEnd() const { return rest.empty(); }
    std::string word() {
        skipBlanks();
        if (!rest.empty() && rest[0] == '\'')
            return string();
        size_t n = std::min(rest.find_first_of(" \n"), rest.size());
        std::string result(rest.substr(0, n));
        rest.remove_prefix(n);
        return result;
    }
    bool atLineEnd() {
        skipBlanks();
        return rest.empty() || rest[0] == '\n';
    }
    void nextLine() {
        if (!rest.empty())
            rest.remove_prefix(1);
    }
    template <class T> T number(int base = 10) {
        std::string w = word();
        T x{};
        auto [end, error] = std::from_chars(w.data(), w.data() + w.size(), x, base);
        if (error != std::errc() || end != w.data() + w.size())
            throw internalError("text of a query block: expected a number, got " + w);
        return x;
    }
    ValueType type() {
        std::string w = word();
        for (int t = 0; t < kNumValueTypes; ++t)
            if (dslName(static_cast<ValueType>(t)) == w)
                return static_cast<ValueType>(t);
        if (ValueType t = parseValueType(w); isTime(t))
            return t;
        throw internalError("text of a query block: unknown type " + w);
    }

  private:
    void skipBlanks() {
        while (!rest.empty() && rest[0] == ' ')
            rest.remove_prefix(1);
    }
    std::string string() {
        std::string out;
        size_t i = 1;
        for (; i < rest.size() && rest[i] != '\''; ++i) {
            if (rest[i] == '\\' && i + 1 < rest.size())
                ++i;
            out += rest[i];
        }
        rest.remove_prefix(std::min(i + 1, rest.size()));
        return out;
    }
    std::string_view rest;
};

void appendNode(std::string &out, const QueryBlock::Node &n) {
    switch (n.kind) {
    case NodeKind::Column: out += "column " + std::to_string(n.source) + " " + quoted(n.name); break;
    case NodeKind::Constant: out += "constant " + constantText(n.constant); break;
    case NodeKind::Scalar: out += "scalar " + std::to_string(n.operand); break;
    case NodeKind::Member: out += "member " + std::to_string(n.operand) + " " + std::to_string(n.operands[0]); break;
    case NodeKind::Call:
        out += n.name;
        for (size_t o : n.operands)
            out += " " + std::to_string(o);
        break;
    }
}

QueryBlock::Node parseNode(Reader &in, const std::string &what, ValueType type) {
    QueryBlock::Node n{.type = type};
    if (what == "column") {
        n.kind = NodeKind::Column;
        n.source = in.number<size_t>();
        n.name = in.word();
    } else if (what == "constant") {
        n.constant.type = type;
        if (type == ValueType::Str)
            n.constant.s = in.word();
        else if (isFloat(type))
            n.constant.d = std::strtod(in.word().c_str(), nullptr);
        else
            n.constant.i = in.number<int64_t>();
    } else if (what == "scalar") {
        n.kind = NodeKind::Scalar;
        n.operand = in.number<size_t>();
    } else if (what == "member") {
        n.kind = NodeKind::Member;
        n.operand = in.number<size_t>();
        n.operands = {in.number<size_t>()};
    } else {
        n.kind = NodeKind::Call;
        n.name = what;
        while (!in.atLineEnd())
            n.operands.push_back(in.number<size_t>());
    }
    return n;
}

} // namespace

bool isBlockAggregate(std::string_view function) {
    constexpr std::string_view kFunctions[] = {"SUM", "COUNT", "MIN", "MAX", "AVG"};
    return std::find(std::begin(kFunctions), std::end(kFunctions), function) != std::end(kFunctions);
}

size_t QueryBlock::add(Node node) {
    auto found = std::find(nodes.begin(), nodes.end(), node);
    if (found == nodes.end())
        found = nodes.insert(found, std::move(node));
    return static_cast<size_t>(found - nodes.begin());
}

void QueryBlock::dropUnused() {
    std::vector<bool> used(nodes.size());
    auto use = [&](size_t node) {
        if (node != kNoNode)
            used[node] = true;
    };
    for (size_t c : conditions)
        use(c);
    for (const Output &o : outputs)
        use(o.node);
    for (const Aggregate &a : aggregates) {
        use(a.node);
        use(a.mask);
    }
    for (size_t n = nodes.size(); n-- > 0;) // operands come before users
        if (used[n])
            for (size_t o : nodes[n].operands)
                use(o);
    std::vector<size_t> numberOf(nodes.size());
    std::vector<Node> kept;
    for (size_t n = 0; n < nodes.size(); ++n)
        if (used[n]) {
            numberOf[n] = kept.size();
            kept.push_back(std::move(nodes[n]));
        }
    auto renumber = [&](size_t &node) {
        if (node != kNoNode)
            node = numberOf[node];
    };
    for (Node &n : kept)
        for (size_t &o : n.operands)
            renumber(o);
    for (size_t &c : conditions)
        renumber(c);
    for (Output &o : outputs)
        renumber(o.node);
    for (Aggregate &a : aggregates) {
        renumber(a.node);
        renumber(a.mask);
    }
    nodes = std::move(kept);
}

FrameSchema QueryBlock::schema() const {
    FrameSchema s;
    for (const Output &o : outputs) {
        s.labels.push_back(o.label);
        s.types.push_back(nodes[o.node].type);
    }
    for (const Aggregate &a : aggregates) {
        s.labels.push_back(a.label);
        s.types.push_back(a.type);
    }
    return s;
}

std::string QueryBlock::expressionText(size_t node, int depth) const {
    constexpr int kMaxDepth = 8; // shared parts are written again and again
    if (depth > kMaxDepth)
        return "...";
    const Node &n = nodes[node];
    switch (n.kind) {
    case NodeKind::Column: return sources[n.source] + "." + n.name;
    case NodeKind::Constant: {
        if (!isFloat(n.type))
            return constantText(n.constant);
        char buffer[40];
        std::snprintf(buffer, sizeof buffer, "%g", n.constant.d);
        return buffer;
    }
    case NodeKind::Scalar: return "$" + std::to_string(n.operand);
    case NodeKind::Member: return expressionText(n.operands[0], depth + 1) + " in $" + std::to_string(n.operand);
    case NodeKind::Call: break;
    }
    std::string_view user = userName(n.name);
    if (n.operands.size() == 2 && user != n.name)
        return "(" + expressionText(n.operands[0], depth + 1) + " " + std::string(user) + " " +
               expressionText(n.operands[1], depth + 1) + ")";
    std::string out = n.name + "(";
    for (size_t i = 0; i < n.operands.size(); ++i)
        out += (i ? ", " : "") + expressionText(n.operands[i], depth + 1);
    return out + ")";
}

std::string QueryBlock::text() const {
    std::string out;
    for (const std::string &s : sources)
        out += "from " + quoted(s) + "\n";
    for (const Node &n : nodes) {
        out += "node " + std::string(dslName(n.type)) + " ";
        appendNode(out, n);
        out += "\n";
    }
    for (size_t c : conditions)
        out += "where " + std::to_string(c) + "\n";
    if (isGrouped)
        out += "group\n";
    for (const Output &o : outputs)
        out += "output " + quoted(o.label) + " " + std::to_string(o.node) + "\n";
    for (const Aggregate &a : aggregates) {
        out += "aggregate " + a.function + " " + quoted(a.label) + " " + std::string(dslName(a.type)) + " " +
               std::to_string(a.node);
        out += (a.mask == kNoNode ? "" : " " + std::to_string(a.mask)) + "\n";
    }
    return out;
}

QueryBlock QueryBlock::parse(std::string_view text) {
    QueryBlock b;
    for (Reader in(text); !in.atEnd(); in.nextLine()) {
        std::string what = in.word();
        if (what == "from") {
            b.sources.push_back(in.word());
        } else if (what == "node") {
            ValueType type = in.type();
            b.nodes.push_back(parseNode(in, in.word(), type));
        } else if (what == "where") {
            b.conditions.push_back(in.number<size_t>());
        } else if (what == "group") {
            b.isGrouped = true;
        } else if (what == "output") {
            std::string label = in.word();
            b.outputs.push_back({label, in.number<size_t>()});
        } else if (what == "aggregate") {
            Aggregate a{.function = in.word()};
            a.label = in.word();
            a.type = in.type();
            a.node = in.number<size_t>();
            if (!in.atLineEnd())
                a.mask = in.number<size_t>();
            b.aggregates.push_back(std::move(a));
        } else {
            throw internalError("text of a query block: unknown line " + what);
        }
    }
    return b;
}

} // namespace daphne::ops
