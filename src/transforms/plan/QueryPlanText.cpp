// SPDX-License-Identifier: Apache-2.0
#include "transforms/plan/QueryPlanText.h"

#include <cmath>

#include "kernels/query/JoinTree.h"
#include "ops/OpName.h"

namespace daphne::transforms {

using ops::QueryBlock;
using query::JoinTree;
using Kind = QueryBlock::NodeKind;

namespace {

/// Rows of sources of which nothing is known.
constexpr double kUnknownRows = 1000;

/// Share of rows for which a condition holds, by its form.
double selectivityOf(const QueryBlock &block, size_t node) {
    const auto &n = block.nodes[node];
    if (n.kind != Kind::Call)
        return 0.3;
    if (ops::isNamed(n.name, "ewEq"))
        return 0.05;
    if (ops::isNamed(n.name, "ewNeq"))
        return 0.95;
    if (ops::isNamed(n.name, "like"))
        return 0.2;
    if (ops::isNamed(n.name, "ewAnd") || ops::isNamed(n.name, "ewOr")) {
        double a = selectivityOf(block, n.operands[0]), b = selectivityOf(block, n.operands[1]);
        return ops::isNamed(n.name, "ewAnd") ? a * b : a + b - a * b;
    }
    return 0.3;
}

class Text {
  public:
    Text(const QueryBlock &block, const std::vector<int64_t> &rows) : block(block), rows(rows) {
        std::vector<query::SourceFacts> facts;
        for (size_t s = 0; s < block.sources.size(); ++s) {
            query::SourceFacts f{rows[s] < 0 ? kUnknownRows : static_cast<double>(rows[s])};
            for (size_t c : block.conditions)
                if (query::sourcesOf(block, c) == std::set<size_t>{s})
                    f.selectivity *= selectivityOf(block, c);
            facts.push_back(f);
        }
        tree = query::planJoins(block, facts, [](size_t) { return 1.0; });
        add(tree.root, 0);
        addResult();
    }
    std::vector<std::string> lines;

  private:
    void add(size_t s, int depth) {
        const JoinTree::Member &m = tree.members[s];
        std::string line(2 * static_cast<size_t>(depth), ' ');
        line += (depth == 0 ? "scan " : m.edges.empty() ? "product with " : "join ") + block.sources[s];
        for (size_t i = 0; i < m.edges.size(); ++i)
            line += (i ? " and " : " on ") + block.expressionText(m.edges[i].upper) + " = " +
                    block.expressionText(m.edges[i].lower);
        for (size_t i = 0; i < m.conditions.size(); ++i)
            line += (i ? " and " : " where ") + block.expressionText(m.conditions[i]);
        line += ": " + (rows[s] < 0 ? std::string("?") : std::to_string(rows[s])) + " rows, about " +
                std::to_string(std::llround(std::max(1.0, m.estimatedRows))) + " left";
        lines.push_back(line);
        for (size_t child : m.children)
            add(child, depth + 1);
    }

    void addResult() {
        std::string line = block.isGrouped ? "group by" : "select";
        for (size_t i = 0; i < block.outputs.size(); ++i)
            line += (i ? ", " : " ") + block.expressionText(block.outputs[i].node);
        for (const auto &a : block.aggregates)
            line +=
                ", " + a.function + "(" + (a.node == QueryBlock::kNoNode ? "*" : block.expressionText(a.node)) + ")";
        lines.push_back(line);
    }

    const QueryBlock &block;
    const std::vector<int64_t> &rows;
    JoinTree tree;
};

} // namespace

std::vector<std::string> planText(const QueryBlock &block, const std::vector<int64_t> &rows) {
    return Text(block, rows).lines;
}

} // namespace daphne::transforms
