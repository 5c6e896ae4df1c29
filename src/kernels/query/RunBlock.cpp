// SPDX-License-Identifier: Apache-2.0
#include "kernels/query/RunBlock.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <numeric>

#include "kernels/RowBlocks.h"
#include "kernels/query/JoinTree.h"
#include "kernels/query/Pipeline.h"
#include "kernels/relational/FrameColumns.h"
#include "kernels/reorganise/RadixSort.h"

namespace daphne::query {

using ops::QueryBlock;
using Kind = QueryBlock::NodeKind;

namespace {

using NodeSet = std::set<size_t>;

/// Conditions on one and the same column of strings become one: they are looked up together, per different string.
void mergeTextConditions(QueryBlock &block) {
    std::map<size_t, size_t> conditionOf; // column -> position in conditions
    std::vector<size_t> merged;
    for (size_t c : block.conditions) {
        NodeSet columns;
        collectColumns(block, c, columns);
        size_t column = columns.size() == 1 ? *columns.begin() : 0;
        if (columns.size() != 1 || block.nodes[column].type != ValueType::Str) {
            merged.push_back(c);
        } else if (auto [at, isNew] = conditionOf.try_emplace(column, merged.size()); isNew) {
            merged.push_back(c);
        } else {
            size_t &other = merged[at->second];
            other = block.add({.kind = Kind::Call, .type = ValueType::SI64, .name = "ewAnd", .operands = {other, c}});
        }
    }
    block.conditions = std::move(merged);
}

class Runner {
  public:
    Runner(RunContext &context, const QueryBlock &block, std::span<const Value> operands)
        : context(context), block(block), scalars(operands.subspan(block.sources.size())) {
        for (size_t s = 0; s < block.sources.size(); ++s)
            bind(s, operands[s].frame());
    }

    Ref<Frame> run() {
        std::vector<SourceFacts> facts;
        for (size_t s = 0; s < sources.size(); ++s)
            facts.push_back(factsOf(s));
        tree = planJoins(block, facts, [&](size_t column) { return rowsPerKey(column); });
        return block.isGrouped ? groups() : rows();
    }

  private:
    size_t positions(size_t source) const { return block.nodes.size() + source; }

    void bind(size_t s, const Frame &frame) {
        if (frame.rows() > kMaxRows)
            throw executionError("queries take frames of up to 4294967294 rows, got " + std::to_string(frame.rows()));
        Relation &r = sources.emplace_back();
        r.rows = frame.rows();
        r.source = s;
        for (size_t n = 0; n < block.nodes.size(); ++n)
            if (const auto &node = block.nodes[n]; node.kind == Kind::Column && node.source == s)
                r.columns[n] = inputColumn(frame.columns[relational::positionOf(frame, node.name)]);
    }

    // ---- estimates

    /// Rows at equal distances.
    static std::vector<uint32_t> sampleOf(size_t rows) {
        size_t n = std::min(rows, kBatch);
        std::vector<uint32_t> sample(n);
        for (size_t i = 0; i < n; ++i)
            sample[i] = static_cast<uint32_t>(rows / n * i + rows % n * i / n);
        return sample;
    }

    /// Share of sampled rows for which each condition on a source alone holds.
    SourceFacts factsOf(size_t s) {
        SourceFacts facts{static_cast<double>(sources[s].rows)};
        auto sample = sampleOf(sources[s].rows);
        if (sample.empty())
            return facts;
        QueryProgram program(block, {&sources[s]}, scalars);
        Evaluator cells(program);
        Batch batch(1);
        batch.n = sample.size();
        std::copy(sample.begin(), sample.end(), batch.rows[0].begin());
        cells.start(batch);
        for (size_t c : block.conditions)
            if (sourcesOf(block, c) == NodeSet{s}) {
                program.prepare(c);
                const uint8_t *truth = cells.truth(c);
                double share = static_cast<double>(std::accumulate(truth, truth + batch.n, size_t(0))) /
                               static_cast<double>(batch.n);
                selectivity[c] = share;
                facts.selectivity *= std::max(share, 0.5 / static_cast<double>(batch.n));
            }
        return facts;
    }

    /// Exact for small sources; for others a sample without repetitions means a key.
    double rowsPerKey(size_t column) {
        const Relation &r = sources[block.nodes[column].source];
        auto sample = sampleOf(r.rows);
        if (sample.empty())
            return 1;
        QueryProgram program(block, {&r}, scalars);
        Evaluator cells(program);
        Batch batch(1);
        batch.n = sample.size();
        std::copy(sample.begin(), sample.end(), batch.rows[0].begin());
        cells.start(batch);
        const int64_t *keys = cells.keys(column);
        std::vector<int64_t> sorted(keys, keys + batch.n);
        std::sort(sorted.begin(), sorted.end());
        auto different = static_cast<double>(std::unique(sorted.begin(), sorted.end()) - sorted.begin());
        auto n = static_cast<double>(batch.n), rows = static_cast<double>(r.rows);
        // Few different cells in the sample are all there are; many mean about as many per row.
        return different < 0.5 * n ? rows / different : n / different;
    }

    // ---- pipelines

    /// Rows of a source that satisfy its conditions and those below it, with the columns that are wanted above.
    struct Stage {
        std::vector<std::unique_ptr<Relation>> found; ///< of the children, in the order of probing
        std::vector<std::unique_ptr<JoinTable>> tables;
        std::unique_ptr<QueryProgram> program;
        std::vector<PipelineStep> steps;
    };

    NodeSet columnsOf(size_t node) const {
        NodeSet columns;
        collectColumns(block, node, columns);
        return columns;
    }

    size_t sourceOf(size_t node) const {
        return node >= block.nodes.size() ? node - block.nodes.size() : block.nodes[node].source;
    }

    /// Runs what is below s and makes the steps of its own pipeline.
    Stage stageOf(size_t s, NodeSet wanted) {
        const JoinTree::Member &m = tree.members[s];
        Stage stage;
        for (size_t c : m.conditions)
            wanted.merge(columnsOf(c));
        struct Child {
            size_t source;
            std::unique_ptr<Relation> relation;
            double share; ///< of its rows that are left
        };
        std::vector<Child> children;
        for (size_t child : m.children) {
            NodeSet below;
            for (size_t node : wanted)
                if (tree.members[child].below.contains(sourceOf(node)))
                    below.insert(node);
            for (const JoinTree::Edge &e : tree.members[child].edges)
                below.insert(e.lower);
            auto relation = std::make_unique<Relation>(runBelow(child, below));
            double share = sources[child].rows
                               ? static_cast<double>(relation->rows) / static_cast<double>(sources[child].rows)
                               : 0;
            children.push_back({child, std::move(relation), share});
        }
        std::stable_sort(children.begin(), children.end(),
                         [](const Child &a, const Child &b) { return a.share < b.share; });
        std::vector<const Relation *> relations{&sources[s]};
        for (const Child &c : children)
            relations.push_back(c.relation.get());
        stage.program = std::make_unique<QueryProgram>(block, relations, scalars);
        NodeSet available{s};
        std::vector<size_t> waiting = m.conditions;
        std::stable_sort(waiting.begin(), waiting.end(), [&](size_t a, size_t b) {
            return (selectivity.contains(a) ? selectivity[a] : 1) < (selectivity.contains(b) ? selectivity[b] : 1);
        });
        auto addFilters = [&] {
            std::erase_if(waiting, [&](size_t c) {
                NodeSet needed = sourcesOf(block, c);
                if (!std::includes(available.begin(), available.end(), needed.begin(), needed.end()))
                    return false;
                stage.program->prepare(c);
                stage.steps.push_back({PipelineStep::Kind::Filter, c});
                return true;
            });
        };
        addFilters();
        for (size_t k = 0; k < children.size(); ++k) {
            const auto &edges = tree.members[children[k].source].edges;
            stage.steps.push_back(probeOf(stage, edges, *children[k].relation, k + 1));
            available.insert(tree.members[children[k].source].below.begin(),
                             tree.members[children[k].source].below.end());
            addFilters();
        }
        for (Child &c : children)
            stage.found.push_back(std::move(c.relation));
        return stage;
    }

    /// The join table of a relation, and how keys are looked up in it.
    PipelineStep probeOf(Stage &stage, const std::vector<JoinTree::Edge> &edges, const Relation &relation,
                         size_t number) {
        JoinKey lower, upper;
        QueryProgram lowerProgram(block, {&relation}, scalars);
        for (const JoinTree::Edge &e : edges) {
            CellClass a = stage.program->cellClass(e.upper), b = lowerProgram.cellClass(e.lower);
            bool isReal = a == CellClass::Real || b == CellClass::Real;
            std::vector<int64_t> codeOfCode;
            if (a == CellClass::Text && stage.program->dictionaryOf(e.upper) != lowerProgram.dictionaryOf(e.lower)) {
                const Dictionary &from = *stage.program->dictionaryOf(e.upper),
                                 &to = *lowerProgram.dictionaryOf(e.lower);
                for (uint32_t code = 0; code < from.size(); ++code) {
                    uint32_t other = to.find(from[code]);
                    codeOfCode.push_back(other == Dictionary::kNone ? -1 : static_cast<int64_t>(other));
                }
            }
            upper.nodes.push_back(e.upper);
            upper.isReal.push_back(isReal);
            upper.codeOfCode.push_back(std::move(codeOfCode));
            lower.nodes.push_back(e.lower);
            lower.isReal.push_back(isReal);
            lower.codeOfCode.emplace_back();
        }
        BufferRef memory(Buffer::create(ValueType::SI64, relation.rows, Buffer::Init::None));
        std::span<int64_t> words(memory.as<int64_t>(), relation.rows);
        bool anyReal = std::find(lower.isReal.begin(), lower.isReal.end(), true) != lower.isReal.end();
        std::vector<uint8_t> missing(anyReal ? relation.rows : 0);
        forRowBlocks(context, "keys of join", relation.rows, kBatch, 3.0 * static_cast<double>(relation.rows),
                     [&](size_t begin, size_t end) {
                         Evaluator cells(lowerProgram);
                         Batch batch(1);
                         batch.n = end - begin;
                         batch.isRun = true;
                         batch.first = static_cast<uint32_t>(begin);
                         cells.start(batch);
                         keyWords(lower, cells, words.data() + begin, anyReal ? missing.data() + begin : nullptr);
                     });
        stage.tables.push_back(std::make_unique<JoinTable>(context, words, anyReal ? missing.data() : nullptr,
                                                           stage.program->relations[0]->rows));
        isUnique &= stage.tables.back()->isUnique();
        return {PipelineStep::Kind::Probe, 0, number, stage.tables.back().get(), std::move(upper)};
    }

    /// Runs a pipeline and, for --statistics, says how many rows it gave beside how many were expected.
    template <class RowsOf> void runStage(const char *what, size_t s, Stage &stage, Sink &sink, RowsOf &&finish) {
        auto start = std::chrono::steady_clock::now();
        std::string site = std::string(what) + " " + block.sources[s];
        runPipeline(context, site, *stage.program, stage.steps, sink);
        size_t rows = finish();
        if (!context.scheduler || !context.scheduler->settings().statistics)
            return;
        std::chrono::duration<double, std::nano> time = std::chrono::steady_clock::now() - start;
        site += ": " + std::to_string(sources[s].rows) + " rows";
        for (size_t child : tree.members[s].children)
            site += ", join " + block.sources[child];
        if (what != std::string("group")) // the number of groups is not estimated
            site += ", expected " + std::to_string(std::llround(tree.members[s].estimatedRows));
        site += ", got " + std::to_string(rows);
        context.scheduler->noteCall(site, time.count());
    }

    Relation runBelow(size_t s, const NodeSet &wanted) {
        const JoinTree::Member &m = tree.members[s];
        if (m.conditions.empty() && m.children.empty())
            return sources[s]; // shares its columns
        Stage stage = stageOf(s, wanted);
        std::vector<size_t> nodes(wanted.begin(), wanted.end());
        ColumnSink sink(*stage.program, nodes, numPieces(sources[s].rows));
        Relation result;
        std::vector<Ref<Dense>> columns;
        runStage("filter", s, stage, sink, [&] {
            columns = sink.columns(context, result.rows);
            return result.rows;
        });
        for (size_t k = 0; k < nodes.size(); ++k)
            result.columns[nodes[k]] = inputColumn(columns[k]);
        return result;
    }

    // ---- results

    Ref<Frame> groups() {
        NodeSet wanted;
        auto want = [&](size_t node) {
            if (node != QueryBlock::kNoNode)
                wanted.merge(columnsOf(node));
        };
        for (const auto &o : block.outputs)
            want(o.node);
        for (const auto &a : block.aggregates) {
            want(a.node);
            want(a.mask);
        }
        Stage stage = stageOf(tree.root, wanted);
        prepareResults(*stage.program);
        GroupSink sink(context, *stage.program, numPieces(sources[tree.root].rows));
        Ref<Frame> result;
        runStage("group", tree.root, stage, sink, [&] {
            result = sink.result();
            return result->rows();
        });
        return result;
    }

    void prepareResults(QueryProgram &program) {
        for (const auto &o : block.outputs)
            program.prepare(o.node);
        for (const auto &a : block.aggregates)
            for (size_t node : {a.node, a.mask})
                if (node != QueryBlock::kNoNode)
                    program.prepare(node);
    }

    Ref<Frame> rows() {
        NodeSet wanted;
        for (const auto &o : block.outputs)
            wanted.merge(columnsOf(o.node));
        if (sources.size() > 1)
            for (size_t s = 0; s < sources.size(); ++s)
                wanted.insert(positions(s));
        Stage stage = stageOf(tree.root, wanted);
        prepareResults(*stage.program);
        // Rows come in the order of the root; others may be wanted in between.
        bool isOrdered = tree.root == 0 && isUnique;
        std::vector<size_t> nodes;
        for (const auto &o : block.outputs)
            nodes.push_back(o.node);
        if (!isOrdered)
            for (size_t s = 0; s < sources.size(); ++s)
                nodes.push_back(positions(s));
        ColumnSink sink(*stage.program, nodes, numPieces(sources[tree.root].rows));
        size_t numRows = 0;
        std::vector<Ref<Dense>> columns;
        runStage("select", tree.root, stage, sink, [&] {
            columns = sink.columns(context, numRows);
            return numRows;
        });
        auto result = Ref<Frame>::make(numRows);
        if (!isOrdered && numRows > 1)
            sortByPositions(columns, numRows);
        for (size_t k = 0; k < block.outputs.size(); ++k)
            result->addColumn(block.outputs[k].label, columns[k]);
        return result;
    }

    /// By the position in the first source, then in the second ...; the columns of positions are the last ones.
    void sortByPositions(std::vector<Ref<Dense>> &columns, size_t numRows) {
        std::vector<uint64_t> order(numRows);
        std::iota(order.begin(), order.end(), uint64_t(0));
        for (size_t k = columns.size(); k-- > block.outputs.size();)
            radixReorder(context, ValueType::UI64, columns[k]->view<uint64_t>().data, 1, true, order.data(), numRows);
        for (size_t k = 0; k < block.outputs.size(); ++k)
            columns[k] = relational::pickOrDefault(*columns[k], order);
    }

    RunContext &context;
    const QueryBlock &block;
    std::span<const Value> scalars;
    std::vector<Relation> sources;
    std::map<size_t, double> selectivity; ///< of conditions on one source
    JoinTree tree;
    bool isUnique = true; ///< no join so far finds more than one row
};

Value queryBlock(KernelCall &call, const std::string &text, std::span<const Value> operands) {
    QueryBlock block = QueryBlock::parse(text);
    for (size_t s = 0; s < block.sources.size(); ++s)
        if (s >= operands.size() || !operands[s].isFrame())
            wrongArgument(call, s + 1, "a frame");
    return runBlock(call.context, std::move(block), operands);
}

} // namespace

Ref<Frame> runBlock(RunContext &context, QueryBlock block, std::span<const Value> operands) {
    mergeTextConditions(block);
    return Runner(context, block, operands).run();
}

} // namespace daphne::query

namespace daphne {

void addRunBlock(KernelTable &t) { t.add<&query::queryBlock>("queryBlock"); }

} // namespace daphne
