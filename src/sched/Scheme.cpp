// SPDX-License-Identifier: Apache-2.0
#include "sched/Scheme.h"

#include <algorithm>
#include <cmath>

#include "sched/FurtherSchemes.h"

namespace daphne::sched {

namespace {

using Wide = unsigned __int128;

constexpr uint64_t ceilDiv(Wide a, Wide b) { return static_cast<uint64_t>((a + b - 1) / b); }
constexpr uint64_t floorDiv(Wide a, Wide b) { return static_cast<uint64_t>(a / b); }

/// ceil(x), forgiving the rounding errors of a product of powers.
uint64_t ceilOf(double x) { return static_cast<uint64_t>(std::ceil(x - 1e-9 * std::max(1.0, x))); }

SchemeConstants withGrain(const Loop &loop) { return {.grain = std::max<uint64_t>(1, loop.grain)}; }

// ---- STATIC, MSTATIC: blocks whose sizes differ by at most one (Li et al. 1993)

SchemeConstants balancedBlocks(const Loop &loop, uint64_t blocks) {
    SchemeConstants c = withGrain(loop);
    c.first = loop.total / blocks;
    c.boundary = loop.total % blocks;
    return c;
}
SchemeConstants prepareStatic(const Loop &loop) { return balancedBlocks(loop, loop.workers); }
SchemeConstants prepareMstatic(const Loop &loop) { return balancedBlocks(loop, uint64_t(4) * loop.workers); }
uint64_t block(const Loop &, const SchemeConstants &c, const Step &s) { return c.first + (s.index < c.boundary); }

// ---- SS: one unit (Tang, Yew 1986); AUTO: with a grain of its own (Mohammed et al. 2022)

uint64_t one(const Loop &, const SchemeConstants &, const Step &) { return 1; }
SchemeConstants prepareAuto(const Loop &loop) {
    SchemeConstants c = withGrain(loop);
    c.grain = std::max(c.grain, automaticGrain(loop.total, loop.workers));
    return c;
}

// ---- GSS: a P-th of the rest (Polychronopoulos, Kuck 1987)

uint64_t guided(const Loop &loop, const SchemeConstants &, const Step &s) { return ceilDiv(s.remaining, loop.workers); }
uint64_t guidedClosed(const Loop &loop, uint64_t i) {
    double p = loop.workers;
    return ceilOf(std::pow((p - 1) / p, static_cast<double>(i)) * static_cast<double>(loop.total) / p);
}

// ---- TSS: linear decrease (Tzen, Ni 1993); TFSS: in batches (Chronopoulos et al. 2001)

SchemeConstants prepareTrapezoid(const Loop &loop) {
    SchemeConstants c = withGrain(loop);
    c.first = ceilDiv(loop.total, Wide(2) * loop.workers);
    uint64_t steps = ceilDiv(Wide(2) * loop.total, Wide(c.first) + 1);
    c.change = steps > 1 && c.first > 0 ? (c.first - 1) / (steps - 1) : 0;
    return c;
}
uint64_t trapezoidAt(const SchemeConstants &c, uint64_t j) {
    Wide less = Wide(j) * c.change;
    return less + 1 >= c.first ? 1 : c.first - static_cast<uint64_t>(less);
}
uint64_t trapezoid(const Loop &, const SchemeConstants &c, const Step &s) { return trapezoidAt(c, s.index); }
uint64_t trapezoidBatch(const Loop &loop, const SchemeConstants &c, const Step &s) {
    if (s.index % loop.workers != 0)
        return s.previous;
    Wide sum = 0;
    for (uint64_t j = 0; j < loop.workers; ++j)
        sum += trapezoidAt(c, s.index + j);
    return floorDiv(sum, loop.workers);
}

// ---- FAC2: half of the rest per batch (Flynn Hummel et al. 1992)

uint64_t factoring(const Loop &loop, const SchemeConstants &c, const Step &s) {
    if (s.index % loop.workers != 0)
        return s.previous;
    return std::max(c.grain, ceilDiv(s.remaining, Wide(2) * loop.workers));
}
uint64_t factoringClosed(const Loop &loop, uint64_t i) {
    uint64_t batch = i / loop.workers;
    return batch >= 63 ? 1 : ceilDiv(loop.total, Wide(loop.workers) << (batch + 1));
}

// ---- FISS: constant increase per batch, VISS: increase that halves (Philip, Das 1997)

SchemeConstants prepareFixedIncrease(const Loop &loop) {
    SchemeConstants c = withGrain(loop);
    uint64_t stages = loop.params.fissStages;
    if (stages == 0)
        stages = std::max<uint64_t>(2, numFactoringBatches(loop.total, loop.workers));
    Wide divisor = (Wide(stages) + 2) * loop.workers;
    c.first = std::max<uint64_t>(1, floorDiv(loop.total, divisor));
    c.change = stages < 2 ? 0 : floorDiv(Wide(4) * loop.total, divisor * stages * (stages - 1));
    return c;
}
uint64_t fixedIncrease(const Loop &loop, const SchemeConstants &c, const Step &s) {
    return c.first + s.index / loop.workers * c.change;
}
SchemeConstants prepareVariableIncrease(const Loop &loop) {
    SchemeConstants c = withGrain(loop);
    c.first = std::max<uint64_t>(1, floorDiv(loop.total, Wide(loop.params.vissX) * loop.workers));
    return c;
}
/// first * (2 - 2^-batch), rounded down.
uint64_t variableIncrease(const Loop &loop, const SchemeConstants &c, const Step &s) {
    uint64_t batch = std::min<uint64_t>(s.index / loop.workers, 62);
    return floorDiv(Wide(c.first) * ((uint64_t(2) << batch) - 1), Wide(1) << batch);
}

// ---- PLS: a static share, then guided (Shih et al. 2007)

SchemeConstants preparePerformance(const Loop &loop) {
    SchemeConstants c = withGrain(loop);
    double share = static_cast<double>(loop.total) * loop.params.plsSwr;
    c.first = ceilOf(share / loop.workers);
    double rest = std::floor(static_cast<double>(loop.total) - share);
    c.boundary = rest <= 0 ? 0 : std::min(loop.total, static_cast<uint64_t>(rest));
    return c;
}
uint64_t performance(const Loop &loop, const SchemeConstants &c, const Step &s) {
    return s.remaining > c.boundary ? c.first : ceilDiv(s.remaining, loop.workers);
}
uint64_t performanceClosed(const Loop &loop, uint64_t i) {
    uint64_t first = preparePerformance(loop).first;
    if (i < loop.workers)
        return first;
    Wide fixed = Wide(first) * loop.workers;
    double rest = fixed >= loop.total ? 0 : static_cast<double>(loop.total - static_cast<uint64_t>(fixed));
    double p = loop.workers;
    return ceilOf(std::pow((p - 1) / p, static_cast<double>(i - loop.workers)) * rest / p);
}

// ---- MFSC: as many tasks as factoring, all of one size (Carino, Banicescu 2008)

SchemeConstants prepareFixedSize(const Loop &loop) {
    SchemeConstants c = withGrain(loop);
    auto t = static_cast<double>(ceilDiv(loop.total, loop.workers));
    c.first = t <= 1 ? 1 : static_cast<uint64_t>(std::floor(t / std::log2(t) + 0.55));
    return c;
}
uint64_t sameSize(const Loop &, const SchemeConstants &c, const Step &) { return c.first; }

// ---- PSS: the rest over one and a half times the workers expected to be free (Girkar et al. 2006)

uint64_t probabilistic(const Loop &loop, const SchemeConstants &, const Step &s) {
    return ceilDiv(Wide(2) * s.remaining, Wide(3) * loop.workers);
}
uint64_t probabilisticClosed(const Loop &loop, uint64_t i) {
    double share = 2.0 / (3.0 * loop.workers);
    return ceilOf(std::pow(1 - share, static_cast<double>(i)) * share * static_cast<double>(loop.total));
}

using enum Scheme::Kind;
constexpr Scheme kSchemes[] = {
    {"STATIC", Stateless, prepareStatic, block, nullptr, "one block per worker, sizes differing by at most one", false,
     nullptr, 1},
    {"SS", Stateless, withGrain, one, nullptr, "one unit (or grain) at a time", true},
    {"GSS", Stateful, withGrain, guided, guidedClosed, "a P-th of what remains"},
    {"TSS", Stateless, prepareTrapezoid, trapezoid, nullptr, "sizes decrease linearly"},
    {"FAC2", Stateful, withGrain, factoring, factoringClosed, "batches of P equal tasks, half of what remains each"},
    {"TFSS", Stateless, prepareTrapezoid, trapezoidBatch, nullptr, "batches of P equal tasks, decreasing linearly"},
    {"FISS", Stateless, prepareFixedIncrease, fixedIncrease, nullptr, "batches of P equal tasks, increasing linearly"},
    {"VISS", Stateless, prepareVariableIncrease, variableIncrease, nullptr,
     "batches of P equal tasks, the increase halving each time"},
    {"PLS", Stateful, preparePerformance, performance, performanceClosed, "a static part, the rest as GSS"},
    {"MSTATIC", Stateless, prepareMstatic, block, nullptr, "four blocks per worker", false, nullptr, 4},
    {"MFSC", Stateless, prepareFixedSize, sameSize, nullptr, "equal tasks, about as many as FAC2 makes", true},
    {"PSS", Stateful, withGrain, probabilistic, probabilisticClosed, "two thirds of a P-th of what remains"},
    {"AUTO", Stateless, prepareAuto, one, nullptr, "equal tasks of a size found from N and P", true},
};

} // namespace

bool sameSchemeName(std::string_view a, std::string_view b) {
    auto upper = [](char c) { return c >= 'a' && c <= 'z' ? static_cast<char>(c - 'a' + 'A') : c; };
    return std::equal(a.begin(), a.end(), b.begin(), b.end(), [&](char x, char y) { return upper(x) == upper(y); });
}

std::span<const Scheme> schemes() { return kSchemes; }

const Scheme *findScheme(std::string_view name) {
    for (std::span<const Scheme> table : {schemes(), furtherSchemes()})
        for (const Scheme &s : table)
            if (sameSchemeName(s.name, name))
                return &s;
    return nullptr;
}

uint64_t fixedSize(const Scheme &scheme, const Loop &loop) {
    if (!scheme.equalSizes)
        return 0;
    SchemeConstants c = scheme.prepare(loop);
    return std::max(c.grain, scheme.size(loop, c, {.remaining = loop.total}));
}

uint64_t automaticGrain(uint64_t total, uint32_t workers) {
    constexpr double kPhi = 1.618;
    uint64_t f = 0;
    if (total > workers)
        f = static_cast<uint64_t>(std::log2(static_cast<double>(total) / workers) / kPhi);
    return std::max<uint64_t>(1, floorDiv(total, Wide(2) * workers << f));
}

uint64_t numFactoringBatches(uint64_t total, uint32_t workers) {
    uint64_t batches = 0;
    for (uint64_t remaining = total; remaining > 0; ++batches) {
        Wide batch = Wide(ceilDiv(remaining, Wide(2) * workers)) * workers;
        remaining -= static_cast<uint64_t>(std::min<Wide>(batch, remaining));
    }
    return batches;
}

ChunkSequence::ChunkSequence(const Scheme &scheme, const Loop &loop)
    : scheme(scheme), loop(loop), step{.remaining = loop.total} {
    this->loop.context = scheme.context;
    constants = scheme.prepare(this->loop);
}

ChunkSequence::~ChunkSequence() {
    if (scheme.finish)
        scheme.finish(loop, constants);
}

void ChunkSequence::update(const Feedback &feedback) {
    if (scheme.update)
        scheme.update(loop, constants, feedback);
}

uint64_t ChunkSequence::next(uint32_t worker) {
    if (step.remaining == 0)
        return 0;
    step.worker = worker;
    uint64_t size = scheme.size(loop, constants, step);
    step.previous = size;
    size = std::min(std::max(size, constants.grain), step.remaining);
    ++step.index;
    step.remaining -= size;
    return size;
}

} // namespace daphne::sched
