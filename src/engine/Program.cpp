// SPDX-License-Identifier: Apache-2.0
#include "engine/Program.h"

#include "base/Stack.h"
#include "codegen/Executable.h"
#include "data/Sequence.h"
#include "engine/EngineState.h"
#include "exec/PlanText.h"
#include "kernels/KernelTable.h"

namespace daphne::engine {

ops::TypeDesc typeOf(const Value &v) {
    switch (v.kind()) {
    case ValueKind::Scalar: return ops::TypeDesc::scalar(v.scalarType());
    case ValueKind::Matrix:
        return ops::TypeDesc::matrix(v.matrix().type(), static_cast<int64_t>(v.matrix().rows()),
                                     static_cast<int64_t>(v.matrix().cols()));
    case ValueKind::List: return ops::TypeDesc::list(v.valueType());
    case ValueKind::Frame: {
        auto schema = std::make_shared<ops::FrameSchema>();
        schema->labels = v.frame().labels;
        for (const auto &column : v.frame().columns)
            schema->types.push_back(column->type());
        return ops::TypeDesc::frame(schema, static_cast<int64_t>(v.frame().rows()),
                                    static_cast<int64_t>(v.frame().cols()));
    }
    case ValueKind::None: break;
    }
    return ops::TypeDesc::unknown();
}

namespace {

bool fits(int64_t wanted, int64_t found) { return wanted < 0 || wanted == found; }

/// Whether code that was compiled for the one takes the other.
bool fits(const ops::TypeDesc &wanted, const ops::TypeDesc &found) {
    if (wanted.isUnknown())
        return true;
    if (wanted.kind != found.kind)
        return false;
    if (wanted.isFrame()) {
        if (!fits(wanted.rows, found.rows) || !fits(wanted.cols, found.cols))
            return false;
        return !wanted.schema ||
               (wanted.schema->labels == found.schema->labels && wanted.schema->types == found.schema->types);
    }
    bool sameType = wanted.valueType == ValueType::Unknown || wanted.valueType == found.valueType;
    return sameType && (!wanted.isMatrix() || (fits(wanted.rows, found.rows) && fits(wanted.cols, found.cols)));
}

} // namespace

/// Such a list has elements of every type.
static bool isEmptyList(const Value &v) { return v.isList() && sequenceOf(v).elements.empty(); }

Program::Program() = default;
Program::~Program() = default;

void Program::checkInputs(const std::vector<Value> &inputs) const {
    if (inputs.size() != inputNames.size())
        throw executionError("the program has " + std::to_string(inputNames.size()) + " inputs, got " +
                             std::to_string(inputs.size()) + " values");
    for (size_t i = 0; i < inputs.size(); ++i)
        if (ops::TypeDesc found = typeOf(inputs[i]);
            !fits(inputNames[i].type, found) && !(inputNames[i].type.isList() && isEmptyList(inputs[i])))
            throw executionError("input '" + inputNames[i].name + "' was declared as " + inputNames[i].type.text() +
                                 ", got " + describe(inputs[i]))
                .withHint("compile the program for inputs of this type and shape");
}

/// --explain=loops: plans as they are made; with --statistics once more when the run has ended, with what they took.
class Program::LoopExplainer : public exec::PlanObserver {
  public:
    explicit LoopExplainer(const Program &program) : program(program), engine(*program.engine) {
        const sched::Settings &scheduling = engine.scheduler.settings();
        text.scheme = scheduling.schemeGiven() ? std::string_view(scheduling.plan.scheme->name) : "DEFAULT";
        text.numThreads = engine.scheduler.numThreads();
        text.otherMachines = engine.machines && engine.machines->placement();
        text.placeOf = [this](uint64_t site) { return placeOf(site); };
    }
    void planned(const exec::Region &region, const exec::PlannedRegion &plan, std::span<const Value> inputs,
                 bool isKept) override {
        engine.host.explain(ExplainLevel::Loops, planText(region, plan, &inputs, text));
        if (isKept)
            seen.emplace_back(&region, &plan);
    }
    void endOfRun() {
        if (!engine.scheduler.settings().statistics || seen.empty())
            return;
        text.measured = true;
        std::string all;
        for (auto &[region, plan] : seen)
            all += planText(*region, *plan, nullptr, text);
        engine.host.explain(ExplainLevel::Loops, all);
    }

  private:
    std::string placeOf(uint64_t site) const {
        SourceSpan span = program.code->callSite(site).span;
        if (!span.known())
            return "?";
        LineColumn at = program.sources->position(span.fileId, span.begin);
        return program.sources->name(span.fileId) + ":" + std::to_string(at.line) + ":" + std::to_string(at.column);
    }

    const Program &program;
    EngineState &engine;
    exec::PlanTextOptions text;
    std::vector<std::pair<const exec::Region *, const exec::PlannedRegion *>> seen;
};

std::vector<Value> Program::run(std::vector<Value> inputs, const RunOptions &options) const {
    RunContext run;
    run.active.cancelFlag = options.cancelFlag;
    run.active.progress = options.progress;
    run.out = Output(options.out, options.passing);
    run.err = Output(options.err, options.passing);
    run.scheduler = &engine->scheduler;
    run.representation.byEstimate = engine->options.selectMatrixRepr;
    run.representation.threshold = engine->options.sparsityThreshold;
    if (options.views)
        run.views = *options.views;
    try {
        checkInputs(inputs);
        std::unique_lock<std::mutex> use;
        exec::Placement *placement = engine->machines ? engine->machines->placement() : nullptr;
        if (placement)
            use = std::unique_lock(engine->machinesInUse);
        // Machines forget how results were computed before the objects of the program go.
        struct EndOfProgram {
            Machines *machines;
            ~EndOfProgram() {
                if (machines)
                    machines->endOfProgram(Machines::Variables::Gone);
            }
        } end{placement ? engine->machines.get() : nullptr};
        ActiveRun::Scope scope(&run.active);
        exec::ThreadContext thread(run, scriptStackLimit(), placement);
        std::optional<LoopExplainer> explainer;
        if (engine->options.explains(ExplainLevel::Loops) && engine->host.explain)
            thread.planObserver = &explainer.emplace(*this);
        std::vector<Value> results;
        try {
            results = code->run(thread, std::move(inputs));
        } catch (...) {
            run.out.flush();
            run.err.flush();
            throw;
        }
        run.out.flush();
        run.err.flush();
        if (explainer)
            explainer->endOfRun();
        if (placement && (!results.empty() || options.views))
            engine->machines->endOfProgram(Machines::Variables::Stay);
        if (options.views)
            *options.views = std::move(run.views);
        return results;
    } catch (const Error &e) {
        throw Failure({e}, sources);
    } catch (const std::bad_alloc &) {
        throw Failure({executionError("out of memory")}, sources);
    }
}

} // namespace daphne::engine
