// SPDX-License-Identifier: Apache-2.0
/// Groups of rows with equal keys, and aggregates of their cells.
///
/// Rows come in pieces (fixed ranges of the first relation). Every piece has its
/// own table of groups; the tables are merged in the order of the pieces, on all
/// workers by parts of the hash. So results depend neither on the number of
/// workers nor on who did what. Sums of real numbers are kept with their rounding
/// errors (two numbers each), so that the order of the rows hardly ever shows.
///
/// Keys are packed into as few words as their ranges allow. If all keys together
/// have few possible values, groups are found by index, without hashing, and some
/// copies of their records take turns: sums of equal groups need not wait for each
/// other.
#pragma once

#include "kernels/query/Batch.h"

namespace daphne::query {

class Aggregator {
  public:
    /// The relations of the program must be complete: ranges of keys are taken from them.
    Aggregator(RunContext &context, const QueryProgram &program, size_t numPieces);

    /// What a worker needs to add rows to a piece.
    struct Worker;
    std::shared_ptr<Worker> makeWorker() const;
    void beginPiece(Worker &worker) const;
    void add(Worker &worker, Evaluator &cells) const;
    void endPiece(Worker &worker, size_t piece);
    ~Aggregator();

    /// Groups sorted by their keys.
    Ref<Frame> result();

  private:
    enum class Primitive : uint8_t { Count, SumInteger, SumReal, MinInteger, MaxInteger, MinReal, MaxReal };
    struct Accumulator {
        Primitive kind;
        size_t node, mask;
        size_t offset = 0; ///< in the record of a group, in words
        bool operator==(const Accumulator &o) const { return kind == o.kind && node == o.node && mask == o.mask; }
    };
    /// Where a key is in the packed words.
    struct Key {
        size_t node;
        int64_t min = 0;
        int bits = 64;
        size_t word = 0;
        int shift = 0;
        uint64_t stride = 0; ///< of the index, if groups are found by index
        uint64_t size = 0;   ///< of the range, 0 if not known
    };
    /// Groups of one piece or part: keys, hashes and records one after another.
    struct Groups {
        std::vector<uint64_t> keys, hashes, records;
    };
    class Table;

    void planKeys(RunContext &context);
    size_t accumulator(Primitive kind, size_t node, size_t mask);
    void clear(uint64_t *record) const;
    /// Of each record, if groups are found by index.
    uint32_t numCopies() const;
    void beginRecords(Worker &worker, size_t n) const;
    void addCells(uint64_t *records, const uint32_t *recordOf, Evaluator &cells) const;
    void mergeRecord(uint64_t *into, const uint64_t *from) const;
    Groups mergePieces(size_t firstPart, size_t lastPart) const;
    int64_t keyCell(const uint64_t *words, const Key &key) const;
    Ref<Dense> keyColumn(const Groups &all, const Key &key, std::span<const uint64_t> order) const;
    Ref<Dense> aggregateColumn(const Groups &all, size_t aggregate, std::span<const uint64_t> order) const;
    static double totalOf(const uint64_t *sum);
    Ref<Frame> sorted(const Groups &all) const;

    RunContext &context;
    const QueryProgram &program;
    std::vector<Key> keys;
    size_t keyWords = 1, recordWords = 0;
    uint64_t numIndexes = 0; ///< 0: groups are hashed
    std::vector<Accumulator> accumulators;
    struct Parts {
        size_t main, count; ///< accumulators of an aggregate
    };
    std::vector<Parts> partsOf;
    std::vector<Groups> pieces;
};

} // namespace daphne::query
