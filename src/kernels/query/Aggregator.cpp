// SPDX-License-Identifier: Apache-2.0
#include "kernels/query/Aggregator.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>

#include "base/Cancellable.h"
#include "kernels/RowBlocks.h"

namespace daphne::query {

using ops::QueryBlock;

namespace {

constexpr size_t kNoNode = QueryBlock::kNoNode;
/// Groups are found by index up to this many possible keys, with copies of records up to fewer.
constexpr uint64_t kMaxIndexes = 1 << 16, kMaxCopied = 1 << 10;
constexpr uint32_t kCopies = 4;

double realOf(uint64_t word) { return std::bit_cast<double>(word); }
uint64_t wordOf(double x) { return std::bit_cast<uint64_t>(x); }

/// Adds x to a sum and its rounding error to the word after it.
void addReal(uint64_t *sum, double x) {
    double high = realOf(sum[0]), total = high + x, part = total - high;
    double error = (high - (total - part)) + (x - part);
    sum[0] = wordOf(total);
    sum[1] = wordOf(realOf(sum[1]) + error);
}

/// The extreme of no cells yet: a NaN that no cell is, for those are made canonical.
constexpr uint64_t kNothingYet = 0xfff8'0000'0000'0001;

/// NaN wins, and keeps what it has won: no number is beyond it.
template <bool isMin> void takeExtreme(uint64_t *best, double x) {
    if (x != x)
        *best = wordOf(std::numeric_limits<double>::quiet_NaN());
    else if (*best == kNothingYet || (isMin ? x < realOf(*best) : x > realOf(*best)))
        *best = wordOf(x);
}

uint64_t hashOfWords(const uint64_t *words, size_t n) {
    uint64_t h = 0;
    for (size_t k = 0; k < n; ++k)
        h = mixBits(h * 0x9e3779b97f4a7c15ull + words[k]);
    return h;
}

} // namespace

/// Numbers groups in the order in which they come.
class Aggregator::Table {
  public:
    explicit Table(const Aggregator &a) : aggregator(a) {}
    void clear() {
        groups = {};
        std::fill(slots.begin(), slots.end(), kFree);
        if (slots.size() > kKeptSlots) {
            slots.clear();
            slots.shrink_to_fit();
        }
    }
    uint32_t insert(const uint64_t *words, uint64_t hash) {
        size_t n = groups.hashes.size(), width = aggregator.keyWords;
        if (2 * (n + 1) > slots.size())
            grow();
        size_t mask = slots.size() - 1, slot = hash & mask;
        for (; slots[slot] != kFree; slot = (slot + 1) & mask) {
            uint32_t g = slots[slot];
            if (groups.hashes[g] == hash && std::equal(words, words + width, groups.keys.data() + g * width))
                return g;
        }
        slots[slot] = static_cast<uint32_t>(n);
        groups.keys.insert(groups.keys.end(), words, words + width);
        groups.hashes.push_back(hash);
        groups.records.resize((n + 1) * aggregator.recordWords);
        aggregator.clear(groups.records.data() + n * aggregator.recordWords);
        return static_cast<uint32_t>(n);
    }
    Groups groups;

  private:
    static constexpr uint32_t kFree = ~uint32_t(0);
    static constexpr size_t kKeptSlots = 1 << 18;
    void grow() {
        std::vector<uint32_t> fresh(std::max<size_t>(256, 4 * slots.size()), kFree);
        size_t mask = fresh.size() - 1;
        for (uint32_t g = 0; g < groups.hashes.size(); ++g) {
            size_t slot = groups.hashes[g] & mask;
            while (fresh[slot] != kFree)
                slot = (slot + 1) & mask;
            fresh[slot] = g;
        }
        slots.swap(fresh);
    }
    const Aggregator &aggregator;
    std::vector<uint32_t> slots;
};

struct Aggregator::Worker {
    explicit Worker(const Aggregator &a) : table(a), words(a.keyWords * kBatch) {}
    Table table; ///< if groups are hashed
    /// If groups are found by index. Where there are many of them, most may never come: a record begins when its first
    /// row does, and has a bit in `seen` then.
    std::unique_ptr<uint64_t[]> records;
    std::vector<uint64_t> seen;
    std::vector<uint64_t> words; ///< keys of a batch, one row after another
    std::array<uint32_t, kBatch> recordOf;
};

// ----------------------------------------------------------------------- plan

Aggregator::~Aggregator() = default;

Aggregator::Aggregator(RunContext &context, const QueryProgram &program, size_t numPieces)
    : context(context), program(program), pieces(numPieces) {
    planKeys(context);
    accumulator(Primitive::Count, kNoNode, kNoNode); // tells which groups there are
    for (const QueryBlock::Aggregate &a : program.block.aggregates) {
        bool isReal = a.node != kNoNode && program.cellClass(a.node) == CellClass::Real;
        size_t count = accumulator(Primitive::Count, kNoNode, a.mask), main = count;
        if (a.function == "AVG")
            main = accumulator(Primitive::SumReal, a.node, a.mask);
        else if (a.function == "SUM")
            main = accumulator(isReal ? Primitive::SumReal : Primitive::SumInteger, a.node, a.mask);
        else if (a.function == "MIN")
            main = accumulator(isReal ? Primitive::MinReal : Primitive::MinInteger, a.node, a.mask);
        else if (a.function == "MAX")
            main = accumulator(isReal ? Primitive::MaxReal : Primitive::MaxInteger, a.node, a.mask);
        partsOf.push_back({main, count});
    }
}

size_t Aggregator::accumulator(Primitive kind, size_t node, size_t mask) {
    Accumulator a{kind, node, mask};
    auto found = std::find(accumulators.begin(), accumulators.end(), a);
    if (found == accumulators.end()) {
        a.offset = recordWords;
        recordWords += kind == Primitive::SumReal ? 2 : 1;
        found = accumulators.insert(found, a);
    }
    return static_cast<size_t>(found - accumulators.begin());
}

void Aggregator::planKeys(RunContext &context) {
    for (const QueryBlock::Output &o : program.block.outputs) {
        Key key{.node = o.node};
        auto [relation, column] = program.placeOf(o.node);
        if (program.cellClass(o.node) == CellClass::Text) {
            key.size = column->dictionary->size();
        } else if (program.isTruth(o.node)) {
            key.size = 2;
        } else if (program.cellClass(o.node) == CellClass::Integer && column) {
            IntegerRange range = rangeOf(context, *column, program.relations[relation]->rows);
            key.min = range.min;
            key.size = range.size();
        }
        if (key.size > 0)
            key.bits = std::max(1, static_cast<int>(std::bit_width(key.size - 1)));
        keys.push_back(key);
    }
    // Wide keys have a word for themselves, the others share words.
    size_t word = 0;
    int used = 0;
    for (Key &key : keys) {
        if (used + key.bits > 64) {
            ++word;
            used = 0;
        }
        key.word = word;
        key.shift = used;
        used += key.bits;
    }
    keyWords = word + 1;
    uint64_t product = 1;
    size_t rows = program.relations.empty() ? 0 : program.relations[0]->rows;
    uint64_t limit = std::min<uint64_t>(kMaxIndexes, std::max<uint64_t>(64, rows / 4));
    for (Key &key : keys) {
        key.stride = product;
        if (key.size == 0 || key.size > limit / product) {
            product = 0;
            break;
        }
        product *= key.size;
    }
    numIndexes = product;
}

// ----------------------------------------------------------------------- rows

void Aggregator::clear(uint64_t *record) const {
    for (const Accumulator &a : accumulators)
        switch (a.kind) {
        case Primitive::Count:
        case Primitive::SumInteger: record[a.offset] = 0; break;
        case Primitive::SumReal: record[a.offset] = record[a.offset + 1] = wordOf(0.0); break;
        case Primitive::MinInteger: record[a.offset] = static_cast<uint64_t>(INT64_MAX); break;
        case Primitive::MaxInteger: record[a.offset] = static_cast<uint64_t>(INT64_MIN); break;
        case Primitive::MinReal:
        case Primitive::MaxReal: record[a.offset] = kNothingYet; break;
        }
}

std::shared_ptr<Aggregator::Worker> Aggregator::makeWorker() const { return std::make_shared<Worker>(*this); }

void Aggregator::beginPiece(Worker &w) const {
    if (numIndexes == 0)
        return w.table.clear();
    size_t words = numIndexes * numCopies() * recordWords;
    if (!w.records) {
        w.records = std::make_unique_for_overwrite<uint64_t[]>(words);
        w.seen.assign(numCopies() == 1 ? (numIndexes + 63) / 64 : 0, 0);
    }
    if (numCopies() > 1)
        for (size_t at = 0; at < words; at += recordWords)
            clear(w.records.get() + at);
}

/// Begins the records that come for the first time in this piece.
void Aggregator::beginRecords(Worker &w, size_t n) const {
    for (size_t i = 0; i < n; ++i) {
        uint32_t at = w.recordOf[i];
        uint64_t bit = uint64_t(1) << at % 64, &word = w.seen[at / 64];
        if (word & bit)
            continue;
        word |= bit;
        clear(w.records.get() + at * recordWords);
    }
}

void Aggregator::add(Worker &w, Evaluator &cells) const {
    size_t n = cells.size();
    if (numIndexes > 0) {
        bool first = true;
        for (const Key &key : keys) {
            const int64_t *in = cells.keys(key.node);
            for (size_t i = 0; i < n; ++i) {
                auto at =
                    static_cast<uint32_t>((static_cast<uint64_t>(in[i]) - static_cast<uint64_t>(key.min)) * key.stride);
                w.recordOf[i] = first ? at : w.recordOf[i] + at;
            }
            first = false;
        }
        if (first)
            std::fill_n(w.recordOf.begin(), n, 0);
        if (numCopies() == 1)
            beginRecords(w, n);
        else
            for (size_t i = 0; i < n; ++i)
                w.recordOf[i] = w.recordOf[i] * kCopies + static_cast<uint32_t>(i % kCopies);
        return addCells(w.records.get(), w.recordOf.data(), cells);
    }
    std::fill_n(w.words.begin(), n * keyWords, 0);
    for (const Key &key : keys) {
        const int64_t *in = cells.keys(key.node);
        for (size_t i = 0; i < n; ++i)
            w.words[i * keyWords + key.word] |= (static_cast<uint64_t>(in[i]) - static_cast<uint64_t>(key.min))
                                                << key.shift;
    }
    for (size_t i = 0; i < n; ++i) {
        const uint64_t *words = w.words.data() + i * keyWords;
        w.recordOf[i] = w.table.insert(words, hashOfWords(words, keyWords));
    }
    addCells(w.table.groups.records.data(), w.recordOf.data(), cells);
}

void Aggregator::addCells(uint64_t *records, const uint32_t *recordOf, Evaluator &cells) const {
    size_t n = cells.size(), width = recordWords;
    for (const Accumulator &a : accumulators) {
        uint64_t *first = records + a.offset;
        const uint8_t *mask = a.mask == kNoNode ? nullptr : cells.truth(a.mask);
        auto each = [&](auto &&update) {
            if (mask) {
                for (size_t i = 0; i < n; ++i)
                    if (mask[i])
                        update(first + recordOf[i] * width, i);
            } else {
                for (size_t i = 0; i < n; ++i)
                    update(first + recordOf[i] * width, i);
            }
        };
        switch (a.kind) {
        case Primitive::Count: each([](uint64_t *r, size_t) { ++*r; }); break;
        case Primitive::SumInteger:
            each([in = cells.integers(a.node)](uint64_t *r, size_t i) { *r += static_cast<uint64_t>(in[i]); });
            break;
        case Primitive::SumReal: each([in = cells.reals(a.node)](uint64_t *r, size_t i) { addReal(r, in[i]); }); break;
        case Primitive::MinInteger:
            each([in = cells.integers(a.node)](uint64_t *r, size_t i) {
                *r = static_cast<uint64_t>(std::min(static_cast<int64_t>(*r), in[i]));
            });
            break;
        case Primitive::MaxInteger:
            each([in = cells.integers(a.node)](uint64_t *r, size_t i) {
                *r = static_cast<uint64_t>(std::max(static_cast<int64_t>(*r), in[i]));
            });
            break;
        case Primitive::MinReal:
            each([in = cells.reals(a.node)](uint64_t *r, size_t i) { takeExtreme<true>(r, in[i]); });
            break;
        case Primitive::MaxReal:
            each([in = cells.reals(a.node)](uint64_t *r, size_t i) { takeExtreme<false>(r, in[i]); });
            break;
        }
    }
}

void Aggregator::endPiece(Worker &w, size_t piece) {
    if (numIndexes == 0) {
        pieces[piece] = std::move(w.table.groups);
        return;
    }
    Groups &out = pieces[piece];
    std::vector<uint64_t> words(keyWords);
    auto take = [&](uint64_t index, const uint64_t *record) {
        std::fill(words.begin(), words.end(), 0);
        for (const Key &key : keys)
            words[key.word] |= (index / key.stride % key.size) << key.shift;
        out.keys.insert(out.keys.end(), words.begin(), words.end());
        out.hashes.push_back(hashOfWords(words.data(), keyWords));
        out.records.insert(out.records.end(), record, record + recordWords);
    };
    if (numCopies() == 1) {
        for (size_t k = 0; k < w.seen.size(); ++k)
            for (uint64_t bits = std::exchange(w.seen[k], 0); bits != 0; bits &= bits - 1) {
                uint64_t index = 64 * k + static_cast<uint64_t>(std::countr_zero(bits));
                take(index, w.records.get() + index * recordWords);
            }
        return;
    }
    for (uint64_t index = 0; index < numIndexes; ++index) {
        uint64_t *record = w.records.get() + index * kCopies * recordWords;
        for (uint32_t c = 1; c < kCopies; ++c)
            mergeRecord(record, record + c * recordWords);
        if (record[0] != 0)
            take(index, record);
    }
}

uint32_t Aggregator::numCopies() const { return numIndexes <= kMaxCopied ? kCopies : 1; }

// ---------------------------------------------------------------------- merge

void Aggregator::mergeRecord(uint64_t *into, const uint64_t *from) const {
    for (const Accumulator &a : accumulators) {
        uint64_t *r = into + a.offset;
        const uint64_t *x = from + a.offset;
        switch (a.kind) {
        case Primitive::Count:
        case Primitive::SumInteger: *r += *x; break;
        case Primitive::SumReal:
            addReal(r, realOf(x[0]));
            r[1] = wordOf(realOf(r[1]) + realOf(x[1]));
            break;
        case Primitive::MinInteger:
            *r = static_cast<uint64_t>(std::min(static_cast<int64_t>(*r), static_cast<int64_t>(*x)));
            break;
        case Primitive::MaxInteger:
            *r = static_cast<uint64_t>(std::max(static_cast<int64_t>(*r), static_cast<int64_t>(*x)));
            break;
        case Primitive::MinReal:
            if (*x != kNothingYet)
                takeExtreme<true>(r, realOf(*x));
            break;
        case Primitive::MaxReal:
            if (*x != kNothingYet)
                takeExtreme<false>(r, realOf(*x));
            break;
        }
    }
}

namespace {
constexpr int kPartBits = 4;
} // namespace

/// Groups whose hash begins with one of the parts, in the order of the pieces.
Aggregator::Groups Aggregator::mergePieces(size_t firstPart, size_t lastPart) const {
    Table table(*this);
    for (const Groups &piece : pieces)
        for (size_t g : cancellable(piece.hashes.size())) {
            size_t part = piece.hashes[g] >> (64 - kPartBits);
            if (part < firstPart || part >= lastPart)
                continue;
            uint32_t at = table.insert(piece.keys.data() + g * keyWords, piece.hashes[g]);
            mergeRecord(table.groups.records.data() + at * recordWords, piece.records.data() + g * recordWords);
        }
    return std::move(table.groups);
}

Ref<Frame> Aggregator::result() {
    size_t numEntries = 0;
    for (const Groups &piece : pieces)
        numEntries += piece.hashes.size();
    Groups all;
    if (pieces.size() == 1) {
        all = std::move(pieces[0]);
    } else {
        constexpr size_t kParts = size_t(1) << kPartBits;
        std::array<Groups, kParts> merged;
        uint32_t workers = numParts(context, numEntries, 40.0 * static_cast<double>(numEntries), kParts);
        forParts(context, "merge groups", workers, [&](uint32_t w) {
            merged[w] = mergePieces(beginOfPart(kParts, workers, w), beginOfPart(kParts, workers, w + 1));
        });
        for (Groups &part : merged) {
            all.keys.insert(all.keys.end(), part.keys.begin(), part.keys.end());
            all.hashes.insert(all.hashes.end(), part.hashes.begin(), part.hashes.end());
            all.records.insert(all.records.end(), part.records.begin(), part.records.end());
        }
    }
    return sorted(all);
}

} // namespace daphne::query
