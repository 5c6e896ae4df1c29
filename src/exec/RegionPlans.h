// SPDX-License-Identifier: Apache-2.0
/// The plans of a region: one for each combination of types, shapes and
/// representations that its inputs had so far. A plan is published once and never
/// changes; readers take no lock. A region publishes kMost plans and keeps them;
/// a thread keeps plans for further combinations to itself (PrivatePlans).
#pragma once

#include <array>
#include <atomic>

#include "exec/KernelSequence.h"
#include "exec/LoopEngine.h"
#include "exec/Plan.h"

namespace daphne::exec {

/// The code of a step, which comes some time after its plan.
class StepCode {
  public:
    /// Null until there is code.
    LoopFunction function() const { return known.load(std::memory_order_acquire); }
    /// The first code stays; null changes nothing.
    void set(LoopCodeRef code);
    /// Time that kernels took which the loop would not have taken, with what is added now.
    double addSpent(double ns) { return spentNs.fetch_add(ns, std::memory_order_relaxed) + ns; }

    /// What the step took so far, as a loop and by kernels; noted while somebody observes plans.
    struct Times {
        uint64_t loops = 0, kernels = 0;
        double loopNs = 0, kernelNs = 0;
    };
    void note(bool wasLoop, double ns) {
        (wasLoop ? loops : kernels).fetch_add(1, std::memory_order_relaxed);
        (wasLoop ? loopNs : kernelNs).fetch_add(ns, std::memory_order_relaxed);
    }
    Times times() const { return {loops, kernels, loopNs, kernelNs}; }

  private:
    std::atomic<LoopFunction> known{nullptr};
    std::atomic<double> spentNs{0};
    std::atomic<uint64_t> loops{0}, kernels{0};
    std::atomic<double> loopNs{0}, kernelNs{0};
    std::mutex mutex;
    LoopCodeRef held; ///< keeps the code
};

struct PlannedRegion {
    std::vector<Fact> inputs;
    Plan plan;
    std::unique_ptr<StepCode[]> codes; ///< by step
    bool kernelsOnly = false;          ///< no step can ever pay as a loop
};

class RegionPlans {
  public:
    explicit RegionPlans(const Region &region);
    ~RegionPlans();
    RegionPlans(const RegionPlans &) = delete;
    RegionPlans &operator=(const RegionPlans &) = delete;

    /// The plan for these inputs; it stays at least until the thread asks for the plan of some other region or inputs.
    PlannedRegion &find(ThreadContext &thread, const LoopEngine &engine, std::span<const Value> inputs);

    std::vector<uint32_t> readers; ///< of every value, outputs counted once more
    const KernelSequence sequence;

    static constexpr size_t kMost = 16;
    /// Below this time, kernels are as fast as a loop.
    static constexpr double kLeastNs = 3e3;

  private:
    friend class PrivatePlans;
    bool isFor(const PlannedRegion &planned, std::span<const Value> inputs) const;
    void tell(ThreadContext &thread, const PlannedRegion &planned, std::span<const Value> inputs, bool isKept) const;
    std::unique_ptr<PlannedRegion> make(const LoopEngine &engine, std::span<const Value> inputs) const;

    const Region &region;
    std::vector<bool> valueDependent; ///< inputs whose value, not only its type, plans depend on
    std::array<std::atomic<PlannedRegion *>, kMost> published{};
};

/// Plans of one thread, for regions that have published enough; the ones not used for the longest time go.
class PrivatePlans {
  public:
    /// Null if there is none.
    PlannedRegion *find(const RegionPlans &plans, std::span<const Value> inputs);
    PlannedRegion &add(const RegionPlans &plans, std::unique_ptr<PlannedRegion> planned);

  private:
    struct Entry {
        const RegionPlans *plans;
        std::unique_ptr<PlannedRegion> planned;
    };
    std::vector<Entry> entries; ///< latest first
};

} // namespace daphne::exec
