// SPDX-License-Identifier: Apache-2.0
#include "exec/PlanText.h"

#include <algorithm>
#include <cstdio>
#include <set>

namespace daphne::exec {

namespace {

template <class... Args> std::string formatted(const char *format, Args... args) {
    char text[160];
    std::snprintf(text, sizeof text, format, args...);
    return text;
}

std::string scaled(double value, const char *unit) {
    const char *prefixes[] = {"", "k", "M", "G", "T"};
    size_t k = 0;
    while (value >= 1000 && k + 1 < std::size(prefixes)) {
        value /= 1000;
        ++k;
    }
    return formatted(value < 10 && k > 0 ? "%.1f %s%s" : "%.0f %s%s", value, prefixes[k], unit);
}

std::string timeText(double ns) {
    if (ns < 1e3)
        return formatted("%.0f ns", ns);
    return ns < 1e6 ? formatted("%.1f us", ns / 1e3) : formatted("%.1f ms", ns / 1e6);
}

class PlanWriter {
  public:
    PlanWriter(const Region &region, const PlannedRegion &planned, const std::span<const Value> *inputs,
               const PlanTextOptions &options)
        : region(region), planned(planned), plan(planned.plan), inputs(inputs), options(options) {}

    std::string text() {
        std::string out = "region at " + options.placeOf(region.ops.front().callSite) + ", inputs";
        for (size_t i = 0; i < region.numInputs; ++i)
            out += (i ? ", " : " ") + factText(plan.facts[i]);
        out += "\n";
        if (planned.kernelsOnly)
            out += "  all of it is so small that kernels run one after another\n";
        for (size_t s = 0; s < plan.steps.size(); ++s)
            out += plan.steps[s].fused ? loopText(plan.steps[s], planned.codes[s]) : kernelText(plan.steps[s]);
        return out;
    }

  private:
    std::string factText(const Fact &f) const {
        switch (f.form) {
        case Fact::Form::Unknown: return "?";
        case Fact::Form::Scalar: return std::string(dslName(f.type));
        case Fact::Form::Dense: return shape(f) + " " + std::string(dslName(f.type));
        case Fact::Form::Csr:
            return shape(f) + " " + std::string(dslName(f.type)) + (f.pattern ? " CSR of ones" : " CSR");
        }
        return "?";
    }
    static std::string shape(const Fact &f) { return std::to_string(f.rows) + "x" + std::to_string(f.cols); }

    /// Cells of a value that a loop reads or writes; of a sparse one the stored ones, if they are known.
    double cellsOf(uint16_t v) const {
        const Fact &f = plan.facts[v];
        if (!f.isMatrix())
            return 0;
        if (f.form == Fact::Form::Csr)
            return storedOf(v);
        return static_cast<double>(f.rows) * static_cast<double>(f.cols);
    }
    double storedOf(uint16_t v) const {
        if (inputs && v < inputs->size() && (*inputs)[v].isCsr())
            return static_cast<double>((*inputs)[v].csr().nonZeros());
        return 0;
    }
    double bytesOf(uint16_t v) const {
        const Fact &f = plan.facts[v];
        double cell = static_cast<double>(cellSize(f.type));
        if (f.form == Fact::Form::Csr)
            cell = (f.pattern ? 0 : cell) + (f.wide ? 8 : 4);
        double offsets = f.form == Fact::Form::Csr ? 8.0 * static_cast<double>(f.rows) : 0;
        return cellsOf(v) * cell + offsets;
    }

    std::string loopText(const PlanStep &step, const StepCode &code) const {
        std::set<uint16_t> made, read;
        for (uint16_t op : step.ops)
            made.insert(static_cast<uint16_t>(region.numInputs + op));
        double flops = 0;
        std::string names;
        for (uint16_t op : step.ops) {
            names += (names.empty() ? "" : ", ") + std::string(ops::userName(region.ops[op].info->mnemonic));
            double cells = cellsOf(static_cast<uint16_t>(region.numInputs + op));
            for (uint16_t v : region.ops[op].operands) {
                cells = std::max(cells, cellsOf(v));
                if (!made.contains(v))
                    read.insert(v);
            }
            bool isProduct = productForm(region.ops[op], plan.facts) != ProductForm::None;
            flops += cells * (isProduct ? 2 : 1);
        }
        double in = 0, out = 0;
        for (uint16_t v : read)
            in += bytesOf(v);
        for (auto &[v, rows, cols] : step.resultShapes)
            out += static_cast<double>(rows * cols * cellSize(plan.facts[v].type));
        double stored = step.csr >= 0 ? storedOf(static_cast<uint16_t>(step.csr)) : 0;
        std::string text =
            "  loop over " + std::to_string(step.rows) + (step.cols > 1 ? " rows: " : " cells: ") + names;
        text += "\n    reads " + scaled(in, "B") + ", writes " + scaled(out, "B") + ", " + scaled(flops, "flop") +
                (step.csr >= 0 ? ", stored cells only" : "") + "; estimate " +
                timeText(step.serialNs + stored * step.nsPerStored) + " on one thread, kernels " +
                timeText(step.kernelNs + stored * step.kernelNsPerStored);
        text += "\n    " + std::string(options.scheme) + " on up to " + std::to_string(options.numThreads) +
                (options.numThreads == 1 ? " thread" : " threads") +
                (options.otherMachines ? ", here or on other machines, whatever is faster" : ", here");
        if (options.measured)
            text += measuredText(code);
        return text + "\n";
    }

    static std::string measuredText(const StepCode &code) {
        StepCode::Times t = code.times();
        std::string text = "\n    took " + timeText(t.loopNs) + " in " + std::to_string(t.loops) + " loops";
        if (t.kernels > 0)
            text += "; kernels instead " + std::to_string(t.kernels) + " times, " + timeText(t.kernelNs);
        return text;
    }

    std::string kernelText(const PlanStep &step) const {
        std::string text;
        for (uint16_t op : step.ops) {
            text += "  kernel " + std::string(ops::userName(region.ops[op].info->mnemonic)) + " at " +
                    options.placeOf(region.ops[op].callSite);
            if (const char *why = plan.notFused[op])
                text += ": not fused, " + std::string(why);
            text += "\n";
        }
        return text;
    }

    const Region &region;
    const PlannedRegion &planned;
    const Plan &plan;
    const std::span<const Value> *inputs;
    const PlanTextOptions &options;
};

} // namespace

std::string planText(const Region &region, const PlannedRegion &plan, const std::span<const Value> *inputs,
                     const PlanTextOptions &options) {
    return PlanWriter(region, plan, inputs, options).text();
}

} // namespace daphne::exec
