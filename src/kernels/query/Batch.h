// SPDX-License-Identifier: Apache-2.0
/// Some combinations of rows on their way through a pipeline, and the cells of
/// expressions for them. Everything is done for kBatch rows at a time, so that
/// what one step writes is in the cache when the next one reads it.
#pragma once

#include <array>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "kernels/query/Relation.h"

namespace daphne::query {

constexpr size_t kBatch = 2048;

/// n combinations: rows[k][i] is the row of relation k in combination i. The rows of relation 0 may be
/// first, first + 1, ... instead.
struct Batch {
    size_t n = 0;
    bool isRun = false;
    uint32_t first = 0;
    std::vector<std::array<uint32_t, kBatch>> rows;

    explicit Batch(size_t numRelations) : rows(numRelations) {}
};

/// What is the same for all workers: where columns are, what strings mean.
class QueryProgram {
  public:
    /// The relations must outlive the program. Scalars are the operands behind the sources.
    QueryProgram(const ops::QueryBlock &block, std::vector<const Relation *> relations, std::span<const Value> scalars);
    const ops::QueryBlock &block;
    std::vector<const Relation *> relations;

    struct Place {
        size_t relation = 0;
        const InputColumn *column = nullptr; ///< null for positions that are the rows of the relation themselves
    };
    /// Nodes of the block and positions of its sources.
    size_t numNodes() const { return block.nodes.size() + block.sources.size(); }
    /// Null for positions.
    const ops::QueryBlock::Node *nodeAt(size_t node) const {
        return node < block.nodes.size() ? &block.nodes[node] : nullptr;
    }
    /// Of a column or of positions.
    Place placeOf(size_t node) const { return places[node]; }
    /// Truth of a node that only depends on one column of strings, per code; null if it is not such a node.
    const std::vector<uint8_t> *truthOfCodes(size_t node, size_t &column) const;
    CellClass cellClass(size_t node) const;
    /// Comparisons, AND, OR, patterns, membership: cells are 0 or 1.
    bool isTruth(size_t node) const;
    const std::shared_ptr<const Dictionary> &dictionaryOf(size_t node) const { return places[node].column->dictionary; }
    const ops::Constant *constantOf(size_t node) const { return constants[node] ? &*constants[node] : nullptr; }
    /// Sorted cells of the set of a Member node.
    const std::vector<int64_t> &membersOf(size_t node) const { return members.at(node); }

    /// Comparisons of two columns of strings: numbers per code that order like the strings; null if not worthwhile.
    struct TextRanks {
        std::vector<uint32_t> left, right;
    };
    const TextRanks *ranksOf(size_t node) const {
        auto found = ranks.find(node);
        return found == ranks.end() ? nullptr : &found->second;
    }

    /// Makes everything known that evaluating the node needs. Called before the pipeline runs.
    void prepare(size_t node);

  private:
    bool findTruthOfCodes(size_t node);
    void findMembers(size_t node);
    void findRanks(size_t node);
    std::span<const Value> scalars;
    std::vector<Place> places;
    std::vector<std::optional<ops::Constant>> constants;
    std::map<size_t, std::pair<size_t, std::vector<uint8_t>>> truths; ///< node -> column, truth per code
    std::map<size_t, std::vector<int64_t>> members;
    std::map<size_t, TextRanks> ranks;
    std::vector<bool> isPrepared;
};

/// Cells of expressions for one batch at a time; one per worker.
class Evaluator {
  public:
    explicit Evaluator(const QueryProgram &program);
    /// The batch must stay as it is until the next call.
    void start(const Batch &batch);

    /// Cells of a node of the class; valid until start().
    const int64_t *integers(size_t node);
    const double *reals(size_t node);
    const uint32_t *codes(size_t node);
    /// 1 where the cell is not 0.
    const uint8_t *truth(size_t node);
    /// Equal for equal cells: integers, codes of strings, or the bits of real numbers (-0 as 0, one NaN).
    const int64_t *keys(size_t node);
    static int64_t keyOf(double x);
    size_t size() const { return batch->n; }

  private:
    struct Register {
        std::unique_ptr<std::byte[]> memory;
        const void *cells = nullptr;
        uint64_t epoch = 0;
    };
    enum Form : uint8_t { AsIs, AsReal, AsTruth, AsKey };
    template <class T, class F> const T *make(size_t node, Form form, F &&fill);
    template <class T> const T *load(size_t node, Form form);
    template <class T> bool constantCell(size_t node, T &cell) const;
    template <class T> const T *cellsAs(size_t node);
    template <class T> void arithmetic(const ops::QueryBlock::Node &n, T *out);
    template <class T, class R, class F> void pairwise(size_t a, size_t b, R *out, F f);
    void compareTexts(size_t node, uint8_t *out);
    void truthInto(size_t node, uint8_t *out);

    const QueryProgram &program;
    const Batch *batch = nullptr;
    uint64_t epoch = 0;
    std::vector<std::array<Register, 4>> registers;
};

} // namespace daphne::query
