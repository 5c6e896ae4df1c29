// SPDX-License-Identifier: Apache-2.0
/// A block of a query as one operation: rows of several frames that satisfy all
/// conditions, and either columns computed from them or aggregates of groups of
/// them.
///
///     sources:    the frames; a row of the block is one row of each
///     conditions: which combinations of rows count (joins are conditions, too)
///     outputs:    columns of the result, or keys of groups
///     aggregates: columns after the keys; groups are sorted by their keys
///
/// Without aggregates and grouping, rows come in the order of the first source,
/// then of the second and so on. In which order the sources are joined and what is
/// filtered when is decided when the block is run.
///
/// Expressions are a list of nodes, operands before users. The whole block has a
/// text, which is how it travels in DaphneIR.
#pragma once

#include <string>
#include <vector>

#include "ops/TypeDesc.h"

namespace daphne::ops {

struct QueryBlock {
    enum class NodeKind : uint8_t {
        Column,   ///< `name` of source `source`
        Constant, ///< `constant`
        Scalar,   ///< scalar operand `operand` of the operation, counted behind the sources
        Member,   ///< whether operands[0] is in the n x 1 matrix `operand`, counted like scalars
        Call,     ///< the op `name` on operands, cell by cell
    };
    struct Node {
        NodeKind kind = NodeKind::Constant;
        ValueType type = ValueType::Unknown;
        std::string name = {};
        size_t source = 0, operand = 0;
        Constant constant = {};
        std::vector<size_t> operands = {};
        bool operator==(const Node &) const = default;
    };
    struct Output {
        std::string label;
        size_t node;
        bool operator==(const Output &) const = default;
    };
    static constexpr size_t kNoNode = ~size_t(0);
    struct Aggregate {
        std::string function; ///< SUM, COUNT, MIN, MAX, AVG
        std::string label;
        ValueType type;
        size_t node;           ///< what is aggregated
        size_t mask = kNoNode; ///< only rows where it is not 0 count
        bool operator==(const Aggregate &) const = default;
    };

    std::vector<std::string> sources; ///< their names, for people
    std::vector<Node> nodes;
    std::vector<size_t> conditions;
    std::vector<Output> outputs;
    bool isGrouped = false;
    std::vector<Aggregate> aggregates;

    /// Index of an equal node, a new one if there is none.
    size_t add(Node node);
    /// Forgets nodes that nothing needs.
    void dropUnused();
    /// Labels and types of the result.
    FrameSchema schema() const;
    /// The expression as a person would write it, (t.a + 1); deep inside "...".
    std::string expressionText(size_t node, int depth = 0) const;

    std::string text() const;
    /// Inverse of text(). Throws Error (internal) for anything else.
    static QueryBlock parse(std::string_view text);
    bool operator==(const QueryBlock &) const = default;
};

/// Functions that a block can compute per group.
bool isBlockAggregate(std::string_view function);

} // namespace daphne::ops
