// SPDX-License-Identifier: Apache-2.0
#include "kernels/query/JoinTree.h"
#include "ops/OpName.h"

#include <algorithm>

namespace daphne::query {

using ops::QueryBlock;
using Kind = QueryBlock::NodeKind;

void collectColumns(const QueryBlock &block, size_t node, std::set<size_t> &columns) {
    // Operands come before users; expressions may share parts.
    std::vector<bool> needed(node + 1);
    needed[node] = true;
    for (size_t n = node + 1; n-- > 0;) {
        if (!needed[n])
            continue;
        if (block.nodes[n].kind == Kind::Column)
            columns.insert(n);
        for (size_t o : block.nodes[n].operands)
            needed[o] = true;
    }
}

std::set<size_t> sourcesOf(const QueryBlock &block, size_t node) {
    std::set<size_t> columns, sources;
    collectColumns(block, node, columns);
    for (size_t c : columns)
        sources.insert(block.nodes[c].source);
    return sources;
}

namespace {

struct Equality {
    size_t condition, a, b; ///< columns of different sources
};

std::vector<Equality> equalities(const QueryBlock &block) {
    std::vector<Equality> found;
    for (size_t c : block.conditions) {
        const auto &n = block.nodes[c];
        if (n.kind != Kind::Call || n.name != "ewEq")
            continue;
        const auto &a = block.nodes[n.operands[0]], &b = block.nodes[n.operands[1]];
        if (a.kind == Kind::Column && b.kind == Kind::Column && a.source != b.source)
            found.push_back({c, n.operands[0], n.operands[1]});
    }
    return found;
}

class Planner {
  public:
    Planner(const QueryBlock &block, const std::vector<SourceFacts> &facts, const std::vector<double> &rowsPerKey)
        : block(block), facts(facts), rowsPerKey(rowsPerKey), all(equalities(block)) {}

    JoinTree run() {
        size_t n = block.sources.size();
        tree.members.resize(n);
        for (size_t s = 1; s < n; ++s)
            if (facts[s].rows > facts[tree.root].rows)
                tree.root = s;
        std::vector<bool> isIn(n);
        isIn[tree.root] = true;
        for (size_t step = 1; step < n; ++step) {
            size_t next = attachBest(isIn);
            isIn[next] = true;
        }
        for (size_t s = 0; s < n; ++s)
            for (size_t up = s; up != JoinTree::kNone; up = tree.members[up].parent)
                tree.members[up].below.insert(s);
        placeConditions();
        estimate(tree.root);
        return std::move(tree);
    }

  private:
    /// The edge to a new source with the fewest rows per key; without edges, the smallest source.
    size_t attachBest(const std::vector<bool> &isIn) {
        size_t best = JoinTree::kNone, parent = tree.root;
        std::vector<JoinTree::Edge> edges;
        double cost = 0;
        for (size_t lower = 0; lower < isIn.size(); ++lower) {
            if (isIn[lower])
                continue;
            for (size_t upper = 0; upper < isIn.size(); ++upper) {
                if (!isIn[upper])
                    continue;
                auto between = edgesBetween(upper, lower);
                double rows = facts[lower].rows;
                for (const JoinTree::Edge &e : between)
                    rows = std::min(rows, rowsPerKey[e.lower]);
                // Equally good edges: the smaller source first, as it may be below others.
                double c = rows + 1e-12 * facts[lower].rows;
                bool isEdge = !between.empty(), hasEdge = !edges.empty();
                if (best == JoinTree::kNone || (isEdge && !hasEdge) || (isEdge == hasEdge && c < cost)) {
                    best = lower;
                    parent = upper;
                    edges = between;
                    cost = c;
                }
            }
        }
        tree.members[best].parent = parent;
        tree.members[best].edges = edges;
        tree.members[parent].children.push_back(best);
        return best;
    }

    std::vector<JoinTree::Edge> edgesBetween(size_t upper, size_t lower) const {
        std::vector<JoinTree::Edge> edges;
        for (const Equality &e : all) {
            size_t a = block.nodes[e.a].source, b = block.nodes[e.b].source;
            if (a == upper && b == lower)
                edges.push_back({e.a, e.b});
            else if (a == lower && b == upper)
                edges.push_back({e.b, e.a});
        }
        return edges;
    }

    /// A single equality of an edge is what the join checks anyway.
    bool isChecked(size_t condition) const {
        for (const JoinTree::Member &m : tree.members)
            if (m.edges.size() == 1) {
                const auto &o = block.nodes[condition].operands;
                const JoinTree::Edge &e = m.edges[0];
                bool isEq = ops::isNamed(block.nodes[condition].name, "ewEq");
                if (isEq && o.size() == 2 &&
                    ((o[0] == e.upper && o[1] == e.lower) || (o[1] == e.upper && o[0] == e.lower)))
                    return true;
            }
        return false;
    }

    void placeConditions() {
        for (size_t c : block.conditions) {
            if (isChecked(c))
                continue;
            std::set<size_t> sources = sourcesOf(block, c);
            size_t place = sources.empty() ? tree.root : *sources.begin();
            auto hasAll = [&](size_t s) {
                return std::includes(tree.members[s].below.begin(), tree.members[s].below.end(), sources.begin(),
                                     sources.end());
            };
            while (!hasAll(place))
                place = tree.members[place].parent;
            tree.members[place].conditions.push_back(c);
        }
        for (auto &m : tree.members)
            std::stable_partition(m.conditions.begin(), m.conditions.end(),
                                  [&](size_t c) { return sourcesOf(block, c).size() <= 1; });
    }

    void estimate(size_t s) {
        JoinTree::Member &m = tree.members[s];
        double rows = facts[s].rows * facts[s].selectivity;
        for (size_t child : m.children) {
            estimate(child);
            const JoinTree::Member &lower = tree.members[child];
            double perKey = facts[child].rows;
            for (const JoinTree::Edge &e : lower.edges)
                perKey = std::min(perKey, rowsPerKey[e.lower]);
            rows *= facts[child].rows > 0 ? perKey * lower.estimatedRows / facts[child].rows : 0;
        }
        for (size_t c : m.conditions) // between sources; of one source alone are in its selectivity
            if (sourcesOf(block, c).size() > 1)
                rows *= 0.1;
        m.estimatedRows = rows;
    }

    const QueryBlock &block;
    const std::vector<SourceFacts> &facts;
    const std::vector<double> &rowsPerKey;
    std::vector<Equality> all;
    JoinTree tree;
};

} // namespace

JoinTree detail::planJoins(const QueryBlock &block, const std::vector<SourceFacts> &facts,
                           const std::vector<double> &rowsPerKey) {
    return Planner(block, facts, rowsPerKey).run();
}

} // namespace daphne::query
