// SPDX-License-Identifier: Apache-2.0
#include "engine/Program.h"

#include "base/Stack.h"
#include "codegen/Executable.h"
#include "engine/EngineState.h"
#include "kernels/KernelTable.h"

namespace daphne::engine {

ops::TypeDesc typeOf(const Value &v) {
    switch (v.kind()) {
    case ValueKind::Scalar: return ops::TypeDesc::scalar(v.scalarType());
    case ValueKind::Matrix:
        return ops::TypeDesc::matrix(v.matrix().type(), static_cast<int64_t>(v.matrix().rows()),
                                     static_cast<int64_t>(v.matrix().cols()));
    case ValueKind::List: return ops::TypeDesc::list(v.list().elementType);
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
        return !wanted.schema || (wanted.schema->labels == found.schema->labels &&
                                  wanted.schema->types == found.schema->types);
    }
    bool sameType = wanted.valueType == ValueType::Unknown || wanted.valueType == found.valueType;
    return sameType && (!wanted.isMatrix() || (fits(wanted.rows, found.rows) && fits(wanted.cols, found.cols)));
}

} // namespace

Program::Program() = default;
Program::~Program() = default;

void Program::checkInputs(const std::vector<Value> &inputs) const {
    if (inputs.size() != inputNames.size())
        throw executionError("the program has " + std::to_string(inputNames.size()) + " inputs, got " +
                             std::to_string(inputs.size()) + " values");
    for (size_t i = 0; i < inputs.size(); ++i)
        if (ops::TypeDesc found = typeOf(inputs[i]); !fits(inputNames[i].type, found))
            throw executionError("input '" + inputNames[i].name + "' was declared as " +
                                 inputNames[i].type.text() + ", got " + describe(inputs[i]))
                .withHint("compile the program for inputs of this type and shape");
}

std::vector<Value> Program::run(std::vector<Value> inputs, const RunOptions &options) const {
    RunContext run;
    run.active.cancelFlag = options.cancelFlag;
    run.active.progress = options.progress;
    run.out = Output(options.out);
    run.err = Output(options.err);
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
