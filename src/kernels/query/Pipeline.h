// SPDX-License-Identifier: Apache-2.0
/// One pass over a relation: its rows go, batch by batch, through filters and
/// probes of join tables into a sink. Nothing is written between the steps but
/// positions of rows.
///
/// The rows are cut into pieces of fixed size; whatever the workers do, a sink
/// sees the rows of a piece in order and gets the pieces' numbers.
#pragma once

#include <string>

#include "kernels/query/Aggregator.h"
#include "kernels/query/JoinTable.h"

namespace daphne::query {

constexpr size_t kPieceRows = size_t(1) << 16;
inline size_t numPieces(size_t rows) { return (rows + kPieceRows - 1) / kPieceRows; }

/// The key of a join on both sides: one word that is equal for equal keys. Several columns are mixed into one, so
/// their equality has to be checked again.
struct JoinKey {
    std::vector<size_t> nodes;                    ///< of this side
    std::vector<bool> isReal;                     ///< compared as real numbers
    std::vector<std::vector<int64_t>> codeOfCode; ///< strings: codes of the other side's dictionary, -1 if not there
};
/// Words of a batch. missing[i], if wanted, becomes 1 where the key equals nothing (NaN).
void keyWords(const JoinKey &key, Evaluator &cells, int64_t *words, uint8_t *missing);

struct PipelineStep {
    enum class Kind : uint8_t { Filter, Probe } kind;
    size_t node = 0;                  ///< Filter: the condition
    size_t relation = 0;              ///< Probe: the number of the relation that is found
    const JoinTable *table = nullptr; ///< Probe
    JoinKey key = {};                 ///< Probe: of the rows found so far
};

/// Where the rows of a pipeline end.
class Sink {
  public:
    virtual ~Sink() = default;
    struct Worker {
        virtual ~Worker() = default;
    };
    virtual std::unique_ptr<Worker> makeWorker() = 0;
    virtual void beginPiece(Worker &worker, size_t piece) = 0;
    virtual void take(Worker &worker, size_t piece, Evaluator &cells) = 0;
    virtual void endPiece(Worker &worker, size_t piece) = 0;
};

/// Runs all rows of relation 0 of the program through the steps.
void runPipeline(RunContext &context, const std::string &site, const QueryProgram &program,
                 const std::vector<PipelineStep> &steps, Sink &sink);

/// Keeps columns: cells of the nodes for all rows that arrive.
class ColumnSink final : public Sink {
  public:
    ColumnSink(const QueryProgram &program, std::vector<size_t> nodes, size_t numPieces)
        : program(program), nodes(std::move(nodes)), pieces(numPieces) {}
    std::unique_ptr<Worker> makeWorker() override { return std::make_unique<Worker>(); }
    void beginPiece(Worker &, size_t piece) override { pieces[piece].columns.resize(nodes.size()); }
    void take(Worker &, size_t piece, Evaluator &cells) override;
    void endPiece(Worker &, size_t) override {}
    /// One column per node, and the number of rows.
    std::vector<Ref<Dense>> columns(RunContext &context, size_t &rows);

  private:
    struct Piece {
        std::vector<std::vector<std::byte>> columns;
        size_t rows = 0;
    };
    ValueType typeOf(size_t node) const { return program.nodeAt(node) ? program.nodeAt(node)->type : ValueType::Size; }
    const QueryProgram &program;
    std::vector<size_t> nodes;
    std::vector<Piece> pieces;
};

class GroupSink final : public Sink {
  public:
    GroupSink(RunContext &context, const QueryProgram &program, size_t numPieces)
        : groups(context, program, numPieces) {}
    std::unique_ptr<Worker> makeWorker() override;
    void beginPiece(Worker &worker, size_t piece) override;
    void take(Worker &worker, size_t piece, Evaluator &cells) override;
    void endPiece(Worker &worker, size_t piece) override;
    Ref<Frame> result() { return groups.result(); }

  private:
    struct GroupWorker;
    Aggregator groups;
};

} // namespace daphne::query
