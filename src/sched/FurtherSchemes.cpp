// SPDX-License-Identifier: Apache-2.0
#include "sched/FurtherSchemes.h"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <vector>

namespace daphne::sched {

namespace {

/// ceil(x) of a size, forgiving rounding errors; what is no size becomes 1.
uint64_t ceilOf(double x) {
    constexpr double kMost = 18446744073709549568.0; // the largest double below 2^64
    double size = std::ceil(x - 1e-9 * std::max(1.0, x));
    return size >= 1 ? static_cast<uint64_t>(std::min(size, kMost)) : 1;
}

SchemeConstants withGrain(const Loop &loop) { return {.grain = std::max<uint64_t>(1, loop.grain)}; }

/// Half of the rest, shared by P.
uint64_t factoringSize(const Loop &loop, uint64_t remaining) {
    uint64_t divisor = uint64_t(2) * loop.workers;
    return remaining / divisor + (remaining % divisor != 0);
}
bool startsBatch(const Loop &loop, const Step &s) { return s.index % loop.workers == 0; }

uint64_t factoring2(const Loop &loop, const SchemeConstants &c, const Step &s) {
    return startsBatch(loop, s) ? std::max(c.grain, factoringSize(loop, s.remaining)) : s.previous;
}
bool hasProfile(const Loop &loop) { return loop.params.unitMean > 0; }

// ---- FSC: the constant size that balances overhead and imbalance (Kruskal, Weiss 1985)

SchemeConstants prepareFixed(const Loop &loop) {
    SchemeConstants c = withGrain(loop);
    double p = loop.workers, sigma = loop.params.unitDeviation;
    if (loop.workers == 1 || sigma <= 0) { // as STATIC
        c.first = loop.total / loop.workers;
        c.boundary = loop.total % loop.workers;
        return c;
    }
    double x = std::numbers::sqrt2 * static_cast<double>(loop.total) * loop.params.requestTime;
    c.first = ceilOf(std::pow(x / (sigma * p * std::sqrt(std::log(p))), 2.0 / 3));
    return c;
}
uint64_t fixed(const Loop &loop, const SchemeConstants &c, const Step &s) {
    return hasProfile(loop) ? c.first + (s.index < c.boundary) : factoring2(loop, c, s);
}

// ---- FAC: batches whose share follows from mean and deviation (Flynn Hummel et al. 1992)

uint64_t factoring(const Loop &loop, const SchemeConstants &c, const Step &s) {
    if (!hasProfile(loop))
        return factoring2(loop, c, s);
    if (!startsBatch(loop, s))
        return s.previous;
    double p = loop.workers, rest = static_cast<double>(s.remaining);
    double b = p * loop.params.unitDeviation / (2 * std::sqrt(rest) * loop.params.unitMean);
    double x = s.index == 0 ? 1 + b * b + b * std::sqrt(b * b + 2) : 2 + b * b + b * std::sqrt(b * b + 4);
    return ceilOf(rest / (x * p));
}

// ---- TAP: guided, less by what the deviation may cost (Lucco 1992)

uint64_t taper(const Loop &loop, const SchemeConstants &c, const Step &s) {
    if (!hasProfile(loop))
        return factoring2(loop, c, s);
    double v = loop.params.tapAlpha * loop.params.unitDeviation / loop.params.unitMean;
    double t = static_cast<double>(s.remaining) / loop.workers;
    return ceilOf(t + v * v / 2 - v * std::sqrt(2 * t + v * v / 4));
}

// ---- RAND: uniform between a hundredth and half of a P-th; a function of seed and step

SchemeConstants prepareRandom(const Loop &loop) {
    SchemeConstants c = withGrain(loop);
    uint64_t share = loop.total / loop.workers;
    c.first = std::max<uint64_t>(1, share / 100);
    c.boundary = std::max<uint64_t>(1, share / 2);
    return c;
}
uint64_t random(const Loop &loop, const SchemeConstants &c, const Step &s) {
    uint64_t z = loop.params.seed * 0xd1342543de82ef95 + (s.index + 1) * 0x9e3779b97f4a7c15; // splitmix64
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9;
    z = (z ^ (z >> 27)) * 0x94d049bb133111eb;
    return c.first + (z ^ (z >> 31)) % (c.boundary - c.first + 1);
}

uint64_t one(const Loop &, const SchemeConstants &, const Step &) { return 1; }

// ---- what weighted and adaptive schemes keep during a loop

template <class State> SchemeConstants prepareState(const Loop &loop) {
    SchemeConstants c = withGrain(loop);
    c.state = new State(loop);
    return c;
}
template <class State> State &stateOf(const SchemeConstants &c) { return *static_cast<State *>(c.state); }
template <class State> void finishState(const Loop &, const SchemeConstants &c) {
    delete static_cast<State *>(c.state);
}

/// One weight per worker with the sum P.
std::vector<double> normalWeights(const Loop &loop) {
    std::vector<double> weights(loop.workers, 1.0);
    double sum = 0;
    for (size_t w = 0; w < weights.size(); ++w) {
        if (w < loop.params.weights.size() && loop.params.weights[w] > 0)
            weights[w] = loop.params.weights[w];
        sum += weights[w];
    }
    for (double &weight : weights)
        weight *= static_cast<double>(loop.workers) / sum;
    return weights;
}

// ---- WF: FAC2 times the weight of who asks (Flynn Hummel et al. 1996)

struct WeightedState {
    explicit WeightedState(const Loop &loop) : weights(normalWeights(loop)) {}
    std::vector<double> weights;
    uint64_t batchSize = 0;
};
uint64_t weighted(const Loop &loop, const SchemeConstants &c, const Step &s) {
    auto &state = stateOf<WeightedState>(c);
    if (startsBatch(loop, s))
        state.batchSize = factoringSize(loop, s.remaining);
    return ceilOf(state.weights[s.worker % loop.workers] * static_cast<double>(state.batchSize));
}

// ---- AWF: weights from the measured speed, later tasks counting more (Banicescu et al. 2003; Carino, Banicescu 2008)

struct LearningState {
    explicit LearningState(const Loop &loop)
        : initial(normalWeights(loop)), workers(loop.workers), areGiven(!loop.params.weights.empty()) {
        Loop byUnits = loop;
        byUnits.grain = 1;
        probe = fixedSize(*findScheme("MFSC"), byUnits) / 2;
    }
    struct Worker {
        double tasks = 0, time = 0, units = 0; ///< times and units of task k weigh k
        double timePerUnit() const { return std::max(time, 1e-3) / units; }
    };
    /// m rho_p / sum of rho, over the m workers with data: their speeds relative to the mean.
    double weightOf(uint32_t worker) const {
        if (workers[worker].tasks == 0)
            return initial[worker];
        double speeds = 0, known = 0;
        for (const Worker &w : workers)
            if (w.tasks > 0) {
                speeds += 1 / w.timePerUnit();
                ++known;
            }
        return known / workers[worker].timePerUnit() / speeds;
    }
    std::vector<double> initial;
    std::vector<Worker> workers;
    uint64_t probe = 1, batchSize = 0;
    bool areGiven;
};
enum class Batches : bool { OfWorkers, OfOne };
enum class Times : bool { WithoutOverhead, WithOverhead };

template <Batches batches> uint64_t learning(const Loop &loop, const SchemeConstants &c, const Step &s) {
    auto &state = stateOf<LearningState>(c);
    if (batches == Batches::OfOne || startsBatch(loop, s))
        state.batchSize = factoringSize(loop, s.remaining);
    uint32_t worker = s.worker % loop.workers;
    if (state.workers[worker].tasks == 0 && !state.areGiven)
        return state.probe;
    return ceilOf(state.weightOf(worker) * static_cast<double>(state.batchSize));
}
template <Times times> double timeOf(const Feedback &f) {
    return static_cast<double>(f.execNs + (times == Times::WithOverhead ? f.overheadNs : 0));
}
template <Times times> void learn(const Loop &loop, const SchemeConstants &c, const Feedback &f) {
    auto &worker = stateOf<LearningState>(c).workers[f.worker % loop.workers];
    ++worker.tasks;
    worker.time += worker.tasks * timeOf<times>(f);
    worker.units += worker.tasks * static_cast<double>(f.units);
}

// ---- AF: mean and deviation of every worker, measured on parts of its tasks (Banicescu, Liu 2000)

struct FactorState {
    explicit FactorState(const Loop &loop) : workers(loop.workers), most(factoringSize(loop, loop.total)) {}
    struct Worker {
        double samples = 0, mean = 0, squares = 0; ///< of the time of a unit
        double variance() const { return samples > 1 ? squares / (samples - 1) : 0; }
    };
    std::vector<Worker> workers;
    uint64_t most; ///< units of a task
};
uint64_t adaptiveFactoring(const Loop &loop, const SchemeConstants &c, const Step &s) {
    constexpr uint64_t kFirst = 100;
    auto &state = stateOf<FactorState>(c);
    const FactorState::Worker &own = state.workers[s.worker % loop.workers];
    if (own.samples == 0)
        return std::min(kFirst, state.most);
    double d = 0, speeds = 0;
    for (const FactorState::Worker &w : state.workers) {
        const FactorState::Worker &known = w.samples > 0 ? w : own;
        d += known.variance() / known.mean;
        speeds += 1 / known.mean;
    }
    double timeForRest = static_cast<double>(s.remaining) / speeds;
    double time = d + 2 * timeForRest - std::sqrt(d * d + 4 * d * timeForRest);
    return std::min(state.most, ceilOf(time / (2 * own.mean)));
}
template <Times times> void sample(const Loop &loop, const SchemeConstants &c, const Feedback &f) {
    auto &worker = stateOf<FactorState>(c).workers[f.worker % loop.workers];
    double x = std::max(timeOf<times>(f), 1e-3) / static_cast<double>(f.units), before = x - worker.mean;
    worker.mean += before / ++worker.samples;
    worker.squares += before * (x - worker.mean);
}

// ---- the rows

using enum Scheme::Kind;

constexpr Scheme adaptiveRow(std::string_view name, std::string_view doc,
                             uint64_t (*size)(const Loop &, const SchemeConstants &, const Step &),
                             void (*update)(const Loop &, const SchemeConstants &, const Feedback &)) {
    return {.name = name,
            .kind = Adaptive,
            .prepare = prepareState<LearningState>,
            .size = size,
            .closedForm = nullptr,
            .doc = doc,
            .finish = finishState<LearningState>,
            .update = update};
}
constexpr Scheme samplingRow(std::string_view name, std::string_view doc,
                             void (*update)(const Loop &, const SchemeConstants &, const Feedback &)) {
    Scheme row = adaptiveRow(name, doc, adaptiveFactoring, update);
    row.prepare = prepareState<FactorState>;
    row.finish = finishState<FactorState>;
    row.samplesPerTask = 10;
    return row;
}
constexpr Scheme weightedRow() {
    Scheme row = adaptiveRow("WF", "FAC2 times the given weight of the worker", weighted, nullptr);
    row.prepare = prepareState<WeightedState>;
    row.finish = finishState<WeightedState>;
    row.needsInput = true;
    return row;
}
constexpr Scheme profiledRow(std::string_view name, std::string_view doc, SchemeConstants (*prepare)(const Loop &),
                             uint64_t (*size)(const Loop &, const SchemeConstants &, const Step &)) {
    return {.name = name,
            .kind = Stateful,
            .prepare = prepare,
            .size = size,
            .closedForm = nullptr,
            .doc = doc,
            .needsInput = true};
}
constexpr Scheme stealingRow() {
    return {.name = "STEAL",
            .kind = Stateless,
            .prepare = withGrain,
            .size = one,
            .closedForm = nullptr,
            .doc = "a block per worker, in grains; idle workers take a quarter of another's rest",
            .equalSizes = true,
            .ownBlocks = true};
}

constexpr auto kPerBatch = learning<Batches::OfWorkers>;
constexpr auto kPerRequest = learning<Batches::OfOne>;
constexpr Scheme kFurther[] = {
    profiledRow("FSC", "the best constant size for a measured mean, deviation and overhead", prepareFixed, fixed),
    profiledRow("FAC", "batches of P tasks for a measured mean and deviation", withGrain, factoring),
    profiledRow("MFAC", "as FAC", withGrain, factoring),
    profiledRow("TAP", "a P-th of what remains, less by a measured deviation", withGrain, taper),
    weightedRow(),
    adaptiveRow("AWF_B", "FAC2 times the measured speed of the worker", kPerBatch, learn<Times::WithoutOverhead>),
    adaptiveRow("AWF_C", "as AWF_B, every task from what then remains", kPerRequest, learn<Times::WithoutOverhead>),
    adaptiveRow("AWF_D", "as AWF_B, times include getting the task", kPerBatch, learn<Times::WithOverhead>),
    adaptiveRow("AWF_E", "as AWF_C, times include getting the task", kPerRequest, learn<Times::WithOverhead>),
    samplingRow("AF", "sizes from the measured mean and deviation of each worker", sample<Times::WithoutOverhead>),
    samplingRow("MAF", "as AF, times include getting the task", sample<Times::WithOverhead>),
    {"RAND", Stateless, prepareRandom, random, nullptr, "random between a hundredth and half of a P-th of the loop"},
    stealingRow(),
};

} // namespace

std::span<const Scheme> furtherSchemes() { return kFurther; }

} // namespace daphne::sched
