// SPDX-License-Identifier: Apache-2.0
/// Partitioning schemes: how a loop of N units is cut into tasks for P workers.
/// Pure functions of the loop and the step: no clock, no thread, no matrix.
///
/// All formulas work on unsigned 64-bit integers, products on 128 bits. Sizes
/// are clamped by ChunkSequence (at least 1 and the grain, at most what
/// remains), so that no formula can lose or repeat a unit.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

namespace daphne::sched {

struct SchemeParams {
    uint64_t fissStages = 0; ///< planned stages of FISS; 0: as many as FAC2 has batches, at least 2
    uint64_t vissX = 4;      ///< divisor of the first size of VISS, > 0
    double plsSwr = 0.5;     ///< static share of PLS, in (0, 1]

    // Of the further schemes.
    double unitMean = 0, unitDeviation = 0; ///< measured time of a unit; mean 0: unknown
    double requestTime = 0;                 ///< measured time to get a task
    double tapAlpha = 1.3;                  ///< caution of TAP
    std::span<const double> weights = {};   ///< relative speeds of the workers, > 0; those not given: 1
    uint64_t seed = 1;                      ///< of RAND
};

struct Loop {
    uint64_t total = 0;   ///< N, units
    uint32_t workers = 1; ///< P, at least 1
    uint64_t grain = 1;   ///< least size of a task but the last; 0 means 1
    SchemeParams params = {};
    const void *context = nullptr; ///< of the scheme; set by ChunkSequence
};

/// What a scheme computes once per loop; each uses what it needs.
struct SchemeConstants {
    uint64_t first = 0;    ///< size of the first tasks
    uint64_t change = 0;   ///< decrement or increment
    uint64_t boundary = 0; ///< step or number of remaining units at which the formula changes
    uint64_t grain = 1;    ///< least size
    void *state = nullptr; ///< of schemes that are not built in
};

/// What the next size depends on.
struct Step {
    uint64_t index = 0;     ///< i
    uint64_t remaining = 0; ///< R, before this step
    uint64_t previous = 0;  ///< size of the step before, unclamped; 0 at the start
    uint32_t worker = 0;    ///< who asks; known to adaptive schemes only
};

/// What a worker tells an adaptive scheme about a finished task.
struct Feedback {
    uint32_t worker = 0;
    uint64_t units = 0, execNs = 0, overheadNs = 0;
};

/// One row per scheme.
struct Scheme {
    std::string_view name;
    /// Stateless: the size follows from the step number alone, so that workers can compute it without each other.
    /// Adaptive: from what was measured, so that no task is known before a worker asks for it.
    enum class Kind : uint8_t { Stateless, Stateful, Adaptive } kind;
    SchemeConstants (*prepare)(const Loop &loop);
    uint64_t (*size)(const Loop &loop, const SchemeConstants &constants, const Step &step);
    /// Stateful schemes: nearly the same size as a function of the step number alone (Eleliemy, Ciorba 2021).
    uint64_t (*closedForm)(const Loop &loop, uint64_t index);
    std::string_view doc;          ///< one line for users
    bool equalSizes = false;       ///< all tasks but the last have the same size
    const void *context = nullptr; ///< what schemes that are not built in work with
    uint32_t blocksPerWorker = 0;  ///< if not 0: so many blocks, the first ones one unit longer than the others
    bool ownBlocks = false;        ///< every worker has a block of its own; idle ones take a quarter of another's rest
    bool needsInput = false;       ///< a profile or weights; without them it is FAC2
    uint32_t samplesPerTask = 1;   ///< adaptive schemes: parts of a task that are measured one by one
    /// After the last step: undoes prepare. Or null.
    void (*finish)(const Loop &loop, const SchemeConstants &constants) = nullptr;
    /// Adaptive schemes: a task is done. Or null.
    void (*update)(const Loop &loop, const SchemeConstants &constants, const Feedback &feedback) = nullptr;
};

/// The thirteen that need no knowledge of the work, in the order of the documentation.
std::span<const Scheme> schemes();
/// Whether users mean the same: upper and lower case are equal.
bool sameSchemeName(std::string_view a, std::string_view b);
/// By name, upper or lower case, also among the further schemes; null if there is none.
const Scheme *findScheme(std::string_view name);

/// The size of all tasks but the last where the scheme makes them equal, else 0.
uint64_t fixedSize(const Scheme &scheme, const Loop &loop);

/// Grain of AUTO: max(1, floor(N / (2^f 2P))), f = floor(log2(N/P) / 1.618).
uint64_t automaticGrain(uint64_t total, uint32_t workers);
/// Batches that FAC2 needs with grain 1.
uint64_t numFactoringBatches(uint64_t total, uint32_t workers);

/// The sizes of all tasks of a loop, one after the other.
class ChunkSequence {
  public:
    ChunkSequence(const Scheme &scheme, const Loop &loop);
    ~ChunkSequence();
    ChunkSequence(const ChunkSequence &) = delete;
    ChunkSequence &operator=(const ChunkSequence &) = delete;
    /// Size of the next task; 0 if nothing is left.
    uint64_t next(uint32_t worker = 0);
    /// Adaptive schemes: a task is done.
    void update(const Feedback &feedback);
    uint64_t remaining() const { return step.remaining; }
    uint64_t index() const { return step.index; }

  private:
    const Scheme &scheme;
    Loop loop;
    SchemeConstants constants;
    Step step;
};

} // namespace daphne::sched
