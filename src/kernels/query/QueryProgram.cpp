// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <bit>

#include "base/Cancellable.h"
#include "kernels/query/Batch.h"
#include "kernels/relational/Like.h"
#include "ops/OpName.h"

namespace daphne::query {

using Node = ops::QueryBlock::Node;
using Kind = ops::QueryBlock::NodeKind;

namespace {

ops::Constant constantOfScalar(const Value &v) {
    ops::Constant c;
    c.type = v.scalarType();
    if (v.isString())
        c.s = v.text();
    else if (isFloat(c.type))
        c.d = v.as<double>();
    else
        c.i = v.as<int64_t>();
    return c;
}

bool holds(std::string_view compare, std::string_view a, std::string_view b) {
    int order = a.compare(b);
    if (compare == "ewEq")
        return order == 0;
    if (compare == "ewNeq")
        return order != 0;
    if (compare == "ewLt")
        return order < 0;
    if (compare == "ewLe")
        return order <= 0;
    return compare == "ewGt" ? order > 0 : order >= 0;
}

} // namespace

QueryProgram::QueryProgram(const ops::QueryBlock &b, std::vector<const Relation *> r, std::span<const Value> s)
    : block(b), relations(std::move(r)), scalars(s), places(numNodes()), constants(numNodes()), isPrepared(numNodes()) {
    for (size_t k = 0; k < relations.size(); ++k) {
        if (relations[k]->source != Relation::kNoSource)
            places[block.nodes.size() + relations[k]->source] = {k, nullptr};
        for (const auto &[node, column] : relations[k]->columns)
            places[node] = {k, &column};
    }
    for (size_t i = 0; i < block.nodes.size(); ++i) {
        if (block.nodes[i].kind == Kind::Constant)
            constants[i] = block.nodes[i].constant;
        if (block.nodes[i].kind == Kind::Scalar)
            constants[i] = constantOfScalar(scalars[block.nodes[i].operand]);
    }
}

CellClass QueryProgram::cellClass(size_t node) const {
    return node < block.nodes.size() ? classOf(block.nodes[node].type) : CellClass::Integer;
}

bool QueryProgram::isTruth(size_t node) const {
    static constexpr std::string_view kNames[] = {"ewEq", "ewNeq", "ewLt", "ewLe", "ewGt",
                                                  "ewGe", "ewAnd", "ewOr", "like"};
    const Node *n = nodeAt(node);
    return n && (n->kind == Kind::Member || (n->kind == Kind::Call && std::find(std::begin(kNames), std::end(kNames),
                                                                                n->name) != std::end(kNames)));
}

const std::vector<uint8_t> *QueryProgram::truthOfCodes(size_t node, size_t &column) const {
    auto found = truths.find(node);
    if (found == truths.end())
        return nullptr;
    column = found->second.first;
    return &found->second.second;
}

/// Truth per entry of the dictionary, for what depends on one column of strings alone. Operands have been prepared.
bool QueryProgram::findTruthOfCodes(size_t node) {
    if (truths.contains(node))
        return true;
    const Node &n = block.nodes[node];
    if (n.operands.empty() || n.operands.size() > 2)
        return false;
    auto isText = [&](size_t o) { return block.nodes[o].kind == Kind::Column && cellClass(o) == CellClass::Text; };
    auto forEntries = [&](size_t column, auto &&isTrue) {
        const Dictionary &dictionary = *dictionaryOf(column);
        std::vector<uint8_t> table(dictionary.size());
        for (uint32_t code = 0; code < table.size(); ++code)
            table[code] = isTrue(dictionary[code]);
        truths[node] = {column, std::move(table)};
        return true;
    };
    if (n.kind == Kind::Member) {
        if (!isText(n.operands[0]))
            return false;
        auto set = scalars[n.operand].dense().codes();
        std::vector<uint8_t> used(set.dictionary->size());
        for (size_t r : cancellableRows(set.view))
            used[set.view(r, 0)] = 1;
        return forEntries(n.operands[0], [&](std::string_view text) {
            uint32_t code = set.dictionary->find(text);
            return code != Dictionary::kNone && used[code];
        });
    }
    if (n.kind != Kind::Call)
        return false;
    if (ops::isNamed(n.name, "ewAnd") || ops::isNamed(n.name, "ewOr")) {
        if (!truths.contains(n.operands[0]) || !truths.contains(n.operands[1]))
            return false;
        const auto &[a, left] = truths[n.operands[0]];
        const auto &[b, right] = truths[n.operands[1]];
        if (a != b)
            return false;
        std::vector<uint8_t> table(left.size());
        for (size_t i = 0; i < table.size(); ++i)
            table[i] = ops::isNamed(n.name, "ewAnd") ? left[i] & right[i] : left[i] | right[i];
        truths[node] = {a, std::move(table)};
        return true;
    }
    size_t a = n.operands[0], b = n.operands.back();
    if (n.operands.size() == 2 && cellClass(a) == CellClass::Text && (isText(a) || isText(b))) {
        bool isLeft = isText(a);
        const auto &other = constants[isLeft ? b : a];
        if (!other)
            return false;
        return forEntries(isLeft ? a : b, [&](std::string_view text) {
            if (ops::isNamed(n.name, "like"))
                return fitsPattern(text, other->s);
            return isLeft ? holds(n.name, text, other->s) : holds(n.name, other->s, text);
        });
    }
    // NOT is written as a comparison with 0.
    if (ops::isNamed(n.name, "ewEq") && constants[b] && !isFloat(constants[b]->type) && constants[b]->i == 0 &&
        truths.contains(a)) {
        auto [column, table] = truths[a];
        for (uint8_t &t : table)
            t ^= 1;
        truths[node] = {column, std::move(table)};
        return true;
    }
    return false;
}

/// Once per different string instead of once per row, if there are many more rows.
void QueryProgram::findRanks(size_t node) {
    const auto &o = block.nodes[node].operands;
    const Dictionary &a = *dictionaryOf(o[0]), &b = *dictionaryOf(o[1]);
    if (4 * (a.size() + b.size()) > relations[0]->rows)
        return;
    std::vector<std::string_view> all;
    for (uint32_t code = 0; code < a.size(); ++code)
        all.push_back(a[code]);
    for (uint32_t code = 0; code < b.size(); ++code)
        all.push_back(b[code]);
    std::sort(all.begin(), all.end());
    auto rank = [&](const Dictionary &d) {
        std::vector<uint32_t> numbers(d.size());
        for (uint32_t code = 0; code < numbers.size(); ++code)
            numbers[code] = static_cast<uint32_t>(std::lower_bound(all.begin(), all.end(), d[code]) - all.begin());
        return numbers;
    };
    ranks[node] = {rank(a), rank(b)};
}

void QueryProgram::findMembers(size_t node) {
    const Dense &set = scalars[block.nodes[node].operand].dense();
    std::vector<int64_t> cells(set.rows());
    withNumericType(set.type(), [&]<class T>(TypeTag<T>) {
        auto in = set.view<T>();
        size_t kept = 0;
        for (size_t r = 0; r < cells.size(); ++r) {
            if constexpr (std::is_floating_point_v<T>) {
                if (in(r, 0) == in(r, 0)) // NaN is in no set
                    cells[kept++] = std::bit_cast<int64_t>(static_cast<double>(in(r, 0)) + 0.0);
            } else {
                cells[kept++] = static_cast<int64_t>(in(r, 0));
            }
        }
        cells.resize(kept);
    });
    std::sort(cells.begin(), cells.end());
    members[node] = std::move(cells);
}

void QueryProgram::prepare(size_t node) {
    if (node >= block.nodes.size() || isPrepared[node])
        return;
    isPrepared[node] = true;
    // Parts first: what they are decides what the whole is.
    const Node &n = block.nodes[node];
    for (size_t o : n.operands)
        prepare(o);
    if (findTruthOfCodes(node))
        return;
    if (n.kind == Kind::Member)
        findMembers(node);
    if (isTruth(node) && n.operands.size() == 2 && cellClass(n.operands[0]) == CellClass::Text)
        findRanks(node);
}

} // namespace daphne::query
