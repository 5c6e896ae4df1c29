// SPDX-License-Identifier: Apache-2.0
#include "kernels/query/Pipeline.h"

#include <algorithm>
#include <bit>
#include <cstring>

#include "base/WideVectors.h"
#include "kernels/RowBlocks.h"

namespace daphne::query {

namespace {

/// Bytes that are 0 or 1, eight at a time; what lies behind n counts as 0.
uint64_t eightAt(const uint8_t *truth, size_t i, size_t n) {
    uint64_t eight = 0;
    std::memcpy(&eight, truth + i, i + 8 <= n ? 8 : n - i);
    return eight;
}

/// Eight sums at a time, one in each byte of a word, as long as none can overflow.
size_t countTrue(const uint8_t *truth, size_t n) {
    constexpr size_t kMostWords = 255;
    constexpr uint64_t kEverySecond = 0x00ff00ff00ff00ff, kOnes = 0x0001000100010001;
    size_t count = 0;
    for (size_t i = 0; i < n;) {
        uint64_t sums = 0;
        for (size_t end = std::min(n, i + 8 * kMostWords); i < end; i += 8)
            sums += eightAt(truth, i, n);
        uint64_t pairs = (sums & kEverySecond) + (sums >> 8 & kEverySecond);
        count += pairs * kOnes >> 48;
    }
    return count;
}

/// to[i] = a[i] & b[i]; to may be a, and is not b.
void bothTrue(const uint8_t *a, const uint8_t *b, uint8_t *to, size_t n) {
    vectorised([=] {
        const uint8_t *__restrict other = b;
        uint8_t *__restrict result = to;
        if (a == to)
            for (size_t i = 0; i < n; ++i)
                result[i] &= other[i];
        else
            for (size_t i = 0; i < n; ++i)
                result[i] = a[i] & other[i];
    });
}

/// Positions i with truth[i] = 1.
size_t selected(const uint8_t *truth, size_t n, uint32_t *positions) {
    size_t count = 0;
    for (size_t i = 0; i < n; i += 8)
        for (uint64_t eight = eightAt(truth, i, n); eight != 0; eight &= eight - 1)
            positions[count++] = static_cast<uint32_t>(i + static_cast<size_t>(std::countr_zero(eight)) / 8);
    return count;
}

/// One worker's way through the steps.
class Walk {
  public:
    Walk(const QueryProgram &program, const std::vector<PipelineStep> &steps, Sink &sink)
        : program(program), steps(steps), sink(sink), worker(sink.makeWorker()), cells(program), scratch(steps.size()) {
        for (size_t s = 0; s <= steps.size(); ++s)
            batches.emplace_back(program.relations.size());
        findNeeded();
    }

    void runPiece(size_t piece, size_t begin, size_t end) {
        this->piece = piece;
        sink.beginPiece(*worker, piece);
        for (size_t first = begin; first < end; first += kBatch) {
            Batch &b = batches[0];
            b.n = std::min(kBatch, end - first);
            b.isRun = true;
            b.first = static_cast<uint32_t>(first);
            push(0);
        }
        sink.endPiece(*worker, piece);
    }

  private:
    struct Scratch {
        std::array<uint32_t, kBatch> positions, found;
        std::array<int64_t, kBatch> words;
        std::array<uint8_t, kBatch> truth;
    };

    /// Relations found before a step that it or something after it reads.
    void findNeeded() {
        std::vector<size_t> found{0};
        for (const PipelineStep &step : steps) {
            live.push_back(found);
            if (step.kind == PipelineStep::Kind::Probe)
                found.push_back(step.relation);
        }
        live.push_back(found);
    }

    /// The batch before step s goes on.
    void push(size_t s) {
        Batch &b = batches[s];
        if (b.n == 0)
            return;
        cells.start(b);
        if (s == steps.size())
            sink.take(*worker, piece, cells);
        else if (steps[s].kind == PipelineStep::Kind::Filter)
            filter(s);
        else
            probe(s);
    }

    /// Filters of a run of rows are evaluated together as long as many rows are left.
    void filter(size_t s) {
        const Batch &in = batches[s];
        const uint8_t *truth = cells.truth(steps[s].node);
        Scratch &mine = scratch[s];
        size_t last = s;
        if (in.isRun)
            while (last + 1 < steps.size() && steps[last + 1].kind == PipelineStep::Kind::Filter) {
                if (countTrue(truth, in.n) < in.n / 8)
                    break;
                const uint8_t *more = cells.truth(steps[++last].node);
                bothTrue(truth, more, mine.truth.data(), in.n);
                truth = mine.truth.data();
            }
        size_t count = selected(truth, in.n, mine.positions.data());
        Batch &out = batches[last + 1];
        if (count == in.n && in.isRun) {
            out.isRun = true;
            out.first = in.first;
            out.n = in.n;
        } else {
            keep(in, out, live[last + 1], mine.positions.data(), count);
        }
        push(last + 1);
    }

    static void keep(const Batch &in, Batch &out, const std::vector<size_t> &relations, const uint32_t *positions,
                     size_t count) {
        out.isRun = false;
        out.n = count;
        for (size_t k : relations) {
            uint32_t *to = out.rows[k].data();
            const uint32_t *from = in.rows[k].data();
            if (k == 0 && in.isRun)
                for (size_t i = 0; i < count; ++i)
                    to[i] = in.first + positions[i];
            else
                for (size_t i = 0; i < count; ++i)
                    to[i] = from[positions[i]];
        }
    }

    void probe(size_t s) {
        const Batch &in = batches[s];
        const PipelineStep &step = steps[s];
        Scratch &mine = scratch[s];
        const int64_t *words = mine.words.data();
        if (step.key.nodes.size() == 1 && !step.key.isReal[0] && step.key.codeOfCode[0].empty())
            words = cells.keys(step.key.nodes[0]);
        else
            keyWords(step.key, cells, mine.words.data(), nullptr);
        step.table->find(words, in.n, mine.found.data());
        Batch &out = batches[s + 1];
        if (step.table->isUnique()) {
            size_t count = 0;
            uint32_t *rows = out.rows[step.relation].data();
            for (size_t i = 0; i < in.n; ++i) {
                mine.positions[count] = static_cast<uint32_t>(i);
                rows[count] = mine.found[i];
                count += mine.found[i] != JoinTable::kNone;
            }
            keep(in, out, live[s], mine.positions.data(), count);
            return push(s + 1);
        }
        size_t count = 0;
        auto flush = [&] {
            keep(in, out, live[s], mine.positions.data(), count);
            push(s + 1);
            count = 0;
        };
        for (size_t i = 0; i < in.n; ++i)
            for (uint32_t row = mine.found[i]; row != JoinTable::kNone; row = step.table->next(row)) {
                mine.positions[count] = static_cast<uint32_t>(i);
                out.rows[step.relation][count] = row;
                if (++count == kBatch)
                    flush();
            }
        if (count > 0)
            flush();
    }

    const QueryProgram &program;
    const std::vector<PipelineStep> &steps;
    Sink &sink;
    std::unique_ptr<Sink::Worker> worker;
    Evaluator cells;
    std::vector<Scratch> scratch;
    std::vector<Batch> batches;
    std::vector<std::vector<size_t>> live;
    size_t piece = 0;
};

} // namespace

void keyWords(const JoinKey &key, Evaluator &cells, int64_t *words, uint8_t *missing) {
    size_t n = cells.size();
    for (size_t k = 0; k < key.nodes.size(); ++k) {
        const int64_t *in = nullptr;
        const double *reals = nullptr;
        if (key.isReal[k])
            reals = cells.reals(key.nodes[k]);
        else
            in = cells.keys(key.nodes[k]);
        const auto &translated = key.codeOfCode[k];
        for (size_t i = 0; i < n; ++i) {
            int64_t word = reals                ? Evaluator::keyOf(reals[i])
                           : translated.empty() ? in[i]
                                                : translated[static_cast<size_t>(in[i])];
            if (missing && reals && reals[i] != reals[i])
                missing[i] = 1;
            words[i] = k == 0 ? word
                              : static_cast<int64_t>(mixBits(static_cast<uint64_t>(words[i]) * 0x9e3779b97f4a7c15ull +
                                                             static_cast<uint64_t>(word)));
        }
    }
    if (key.nodes.empty()) // all rows match
        std::fill_n(words, n, 0);
}

void runPipeline(RunContext &context, const std::string &site, const QueryProgram &program,
                 const std::vector<PipelineStep> &steps, Sink &sink) {
    size_t rows = program.relations[0]->rows;
    double ns = static_cast<double>(rows) * (2.0 + 3.0 * static_cast<double>(steps.size()));
    std::vector<std::unique_ptr<Walk>> walks(numWorkers(context));
    forRows(context, {.site = site, .rows = rows, .grain = kPieceRows, .block = kPieceRows, .serialNs = ns},
            [&](uint64_t begin, uint64_t end, uint32_t worker) {
                if (!walks[worker])
                    walks[worker] = std::make_unique<Walk>(program, steps, sink);
                for (uint64_t b = begin; b < end; b += kPieceRows)
                    walks[worker]->runPiece(b / kPieceRows, b, std::min<uint64_t>(end, b + kPieceRows));
            });
}

// ---------------------------------------------------------------------- sinks

void ColumnSink::take(Worker &, size_t piece, Evaluator &cells) {
    Piece &p = pieces[piece];
    size_t n = cells.size();
    for (size_t k = 0; k < nodes.size(); ++k) {
        auto &out = p.columns[k];
        auto append = [&]<class T, class S>(TypeTag<T>, const S *in) {
            size_t at = out.size();
            out.resize(at + n * sizeof(T));
            auto *to = reinterpret_cast<T *>(out.data() + at);
            if constexpr (std::is_same_v<T, S>)
                std::memcpy(to, in, n * sizeof(T));
            else
                for (size_t i = 0; i < n; ++i)
                    to[i] = static_cast<T>(in[i]);
        };
        ValueType type = typeOf(nodes[k]);
        if (type == ValueType::Str)
            append(TypeTag<uint32_t>{}, cells.codes(nodes[k]));
        else
            withNumericType(type, [&]<class T>(TypeTag<T> tag) {
                if constexpr (std::is_floating_point_v<T>)
                    append(tag, cells.reals(nodes[k]));
                else
                    append(tag, cells.integers(nodes[k]));
            });
    }
    p.rows += n;
}

std::vector<Ref<Dense>> ColumnSink::columns(RunContext &context, size_t &rows) {
    std::vector<size_t> begins(pieces.size() + 1, 0);
    for (size_t p = 0; p < pieces.size(); ++p)
        begins[p + 1] = begins[p] + pieces[p].rows;
    rows = begins.back();
    std::vector<Ref<Dense>> result;
    std::vector<std::byte *> targets;
    std::vector<size_t> sizes;
    for (size_t node : nodes) {
        ValueType type = typeOf(node);
        bool isText = type == ValueType::Str;
        sizes.push_back(isText ? sizeof(uint32_t) : cellSize(type));
        if (isText) {
            Buffer *codes = Buffer::create(ValueType::UI32, rows, Buffer::Init::None);
            targets.push_back(codes->data());
            result.push_back(Dense::coded(program.dictionaryOf(node), codes, rows));
        } else {
            result.push_back(Dense::create(type, rows, 1));
            targets.push_back(withNumericType(type, [&]<class T>(TypeTag<T>) {
                return reinterpret_cast<std::byte *>(result.back()->mutableView<T>().data);
            }));
        }
    }
    forRows(context,
            {.site = "collect rows",
             .rows = pieces.size(),
             .grain = 1,
             .serialNs = static_cast<double>(rows * nodes.size())},
            [&](uint64_t begin, uint64_t end, uint32_t) {
                for (uint64_t p = begin; p < end; ++p)
                    for (size_t k = 0; k < nodes.size(); ++k)
                        if (pieces[p].rows > 0) {
                            std::memcpy(targets[k] + begins[p] * sizes[k], pieces[p].columns[k].data(),
                                        pieces[p].rows * sizes[k]);
                            pieces[p].columns[k] = {};
                        }
            });
    return result;
}

struct GroupSink::GroupWorker : Sink::Worker {
    std::shared_ptr<Aggregator::Worker> state;
    explicit GroupWorker(std::shared_ptr<Aggregator::Worker> s) : state(std::move(s)) {}
};

std::unique_ptr<Sink::Worker> GroupSink::makeWorker() { return std::make_unique<GroupWorker>(groups.makeWorker()); }
void GroupSink::beginPiece(Worker &w, size_t) { groups.beginPiece(*static_cast<GroupWorker &>(w).state); }
void GroupSink::take(Worker &w, size_t, Evaluator &cells) { groups.add(*static_cast<GroupWorker &>(w).state, cells); }
void GroupSink::endPiece(Worker &w, size_t piece) { groups.endPiece(*static_cast<GroupWorker &>(w).state, piece); }

} // namespace daphne::query
