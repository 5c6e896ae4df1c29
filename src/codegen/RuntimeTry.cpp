// SPDX-License-Identifier: Apache-2.0
/// try: the one place besides Executable::run where errors of generated code
/// are caught.
#include "codegen/Runtime.h"

#include <algorithm>

#include "codegen/Executable.h"
#include "exec/GuardFrame.h"
#include "ir/Try.h"

namespace daphne::codegen {

namespace {

/// Errors of the script. A stop, the end of the run by its host and our own bugs go on.
bool isCatchable(const Error &e) { return (e.stage == Stage::Execute || e.stage == Stage::Compile) && !e.isStop; }

std::string placeText(const Places &places, SourceSpan span) {
    if (!span.known() || !places.sources)
        return "";
    LineColumn at = places.sources->position(span.fileId, span.begin);
    return places.sources->name(span.fileId) + ":" + std::to_string(at.line) + ":" + std::to_string(at.column);
}

/// How the block was left, message and place.
void tellFailure(const ThreadContext &thread, std::span<Value> results, size_t numVariables, const Places &places,
                 Error e) {
    if (thread.callSite < places.callSites->size())
        e.at((*places.callSites)[thread.callSite].span);
    results[numVariables] = Value::scalar(ir::kFailed);
    results[results.size() - 2] = Value::string(e.message);
    results[results.size() - 1] = Value::string(placeText(places, e.where));
}

/// A path that never ran leaves no object where there should be one.
bool isMissing(const Slot &slot) {
    Value v = Value::adopt(slot);
    bool missing = v.isObject() && slot.bits == 0;
    v.detach();
    return missing;
}

Slot shared(const Slot &borrowed) {
    if (isMissing(borrowed))
        return {};
    Value v = Value::adopt(borrowed);
    Slot reference = Value(v).detach();
    v.detach();
    return reference;
}

} // namespace

extern "C" {

void daphne_keep_value(Slot *kept, uint64_t tag, uint64_t bits) {
    // Value has the layout of Slot.
    reinterpret_cast<Value &>(*kept) = Value::adopt(shared({tag, bits}));
}

void daphne_try(ThreadContext *thread, TryFunction function, Slot *results, Slot *args, uint64_t numVariables,
                uint64_t numResults, const Places *places) {
    for (uint64_t i = 0; i < numResults; ++i)
        results[i] = i < numVariables ? shared(args[i]) : Slot{};
    std::span<Value> kept(reinterpret_cast<Value *>(results), numResults);
    exec::GuardFrame guard{.outer = thread->roots, .kept = results};
    thread->roots = guard.asRoot();
    try {
        try {
            function(thread, args + numVariables);
        } catch (const Error &e) {
            if (!isCatchable(e))
                throw;
            tellFailure(*thread, kept, numVariables, *places, e);
        } catch (const std::bad_alloc &) {
            tellFailure(*thread, kept, numVariables, *places, executionError("out of memory"));
        }
        thread->roots = guard.outer;
    } catch (...) {
        thread->roots = guard.outer;
        std::ranges::fill(kept, Value());
        thread->releaseRoots();
        throw;
    }
}

} // extern "C"

} // namespace daphne::codegen
