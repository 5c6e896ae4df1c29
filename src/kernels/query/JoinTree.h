// SPDX-License-Identifier: Apache-2.0
/// In which order the sources of a query block are joined.
///
/// The sources form a tree: the one with the most rows is its root and is passed
/// over once; every other source is found from the one above it by the equality
/// of columns, after it has been filtered and joined with those below it. An edge
/// is better the fewer rows of the lower source there are per key. Conditions
/// belong to the lowest source below which everything they need can be found.
#pragma once

#include <set>
#include <vector>

#include "ops/QueryBlock.h"

namespace daphne::query {

/// What is known of the sources before anything is joined.
struct SourceFacts {
    double rows = 0;
    double selectivity = 1; ///< of the conditions on this source alone
};

struct JoinTree {
    static constexpr size_t kNone = ~size_t(0);
    struct Edge {
        size_t upper, lower; ///< columns (nodes of the block) of the source above and of this one
    };
    struct Member {
        size_t parent = kNone;
        std::vector<size_t> children;
        std::vector<Edge> edges;        ///< to the parent; none: every row goes with every row
        std::vector<size_t> conditions; ///< nodes; of this source alone first
        std::set<size_t> below;         ///< this source and all below it
        double estimatedRows = 0;
    };
    size_t root = 0;
    std::vector<Member> members; ///< one per source
};

/// rowsPerKey(column node) estimates how many rows of its source share a key.
template <class RowsPerKey>
JoinTree planJoins(const ops::QueryBlock &block, const std::vector<SourceFacts> &facts, RowsPerKey &&rowsPerKey);

/// Sources a node depends on.
std::set<size_t> sourcesOf(const ops::QueryBlock &block, size_t node);
/// Columns a node depends on.
void collectColumns(const ops::QueryBlock &block, size_t node, std::set<size_t> &columns);

namespace detail {
JoinTree planJoins(const ops::QueryBlock &block, const std::vector<SourceFacts> &facts,
                   const std::vector<double> &rowsPerKey);
} // namespace detail

template <class RowsPerKey>
JoinTree planJoins(const ops::QueryBlock &block, const std::vector<SourceFacts> &facts, RowsPerKey &&rowsPerKey) {
    std::vector<double> perNode(block.nodes.size(), 1);
    for (size_t n = 0; n < block.nodes.size(); ++n)
        if (block.nodes[n].kind == ops::QueryBlock::NodeKind::Column)
            perNode[n] = rowsPerKey(n);
    return detail::planJoins(block, facts, perNode);
}

} // namespace daphne::query
