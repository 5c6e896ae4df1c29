// SPDX-License-Identifier: Apache-2.0
/// Runs a recipe as a region and compares with the kernels: the same bits (all
/// NaN are one), the same error at the same operation, inputs untouched that were
/// not handed over. Makes recipes that differ smaller. Tests only.
#pragma once

#include <algorithm>
#include <bit>
#include <cstring>
#include <functional>
#include <map>

#include "exec/Placement.h"
#include "exec/Recipe.h"
#include "sched/Scheduler.h"

namespace daphne::test {

/// How a region is run.
struct Way {
    std::string name;
    exec::LoopEngine *engine = nullptr;
    sched::Scheduler *scheduler = nullptr;
    exec::Backend *other = nullptr; ///< besides this CPU
};

template <class T> bool sameBits(T a, T b) {
    if constexpr (std::is_floating_point_v<T>)
        if (a != a && b != b)
            return true;
    return std::memcmp(&a, &b, sizeof a) == 0;
}

template <class T> std::string bitsText(T x) {
    if constexpr (std::is_floating_point_v<T>) {
        char text[80];
        snprintf(text, sizeof text, "%.17g (%a)", double(x), double(x));
        return text;
    } else {
        return std::to_string(x);
    }
}

inline bool showsAsCsr(const Matrix &m) { return m.isCsr() && static_cast<const Csr &>(m).isShownAsCsr(); }

/// "" if both are the same to the last bit.
inline std::string bitDifference(const Value &expected, const Value &found) {
    if (expected.raw().tag != found.raw().tag)
        return "expected " + describe(expected) + ", got " + describe(found);
    if (expected.isScalar())
        return withNumericType(expected.scalarType(), [&]<class T>(TypeTag<T>) -> std::string {
            T a = expected.as<T>(), b = found.as<T>();
            return sameBits(a, b) ? "" : "expected " + bitsText(a) + ", got " + bitsText(b);
        });
    if (!expected.isMatrix())
        return {};
    if (describe(expected) != describe(found) || showsAsCsr(expected.matrix()) != showsAsCsr(found.matrix()))
        return "expected " + describeInput(expected) + ", got " + describeInput(found);
    if (found.isCsr())
        found.csr().check();
    Ref<Dense> x = denseOf(expected.matrix()), y = denseOf(found.matrix());
    return withNumericType(x->type(), [&]<class T>(TypeTag<T>) -> std::string {
        auto a = x->view<T>(), b = y->view<T>();
        size_t differ = 0;
        std::string first;
        for (size_t r = 0; r < a.rows; ++r)
            for (size_t c = 0; c < a.cols; ++c)
                if (!sameBits<T>(a(r, c), b(r, c)) && differ++ == 0)
                    first = "cell (" + std::to_string(r) + ", " + std::to_string(c) + ") of " + x->shapeText() +
                            ": expected " + bitsText<T>(a(r, c)) + ", got " + bitsText<T>(b(r, c));
        return differ > 1 ? first + " and " + std::to_string(differ - 1) + " more" : first;
    });
}

/// Matrices nobody else knows; an input that stands for two values still does.
inline std::vector<Value> freshCopies(const std::vector<Value> &values) {
    std::map<Object *, Value> copies;
    std::vector<Value> fresh;
    for (const Value &v : values) {
        if (!v.isMatrix()) {
            fresh.push_back(v);
            continue;
        }
        Value &copy = copies[v.object()];
        if (copy.kind() == ValueKind::None) {
            bool usualCsr = v.isCsr() && !v.csr().isPattern() && v.csr().offsets()[0] == 0;
            if (v.isCsr())
                copy = usualCsr ? Value(Csr::shown(*toCsr(*toDense(v.csr())), showsAsCsr(v.matrix()))) : v;
            else
                copy = v.dense().contiguous() ? Value(v.dense().copy()) : windowed(v);
        }
        fresh.push_back(copy);
    }
    return fresh;
}

/// A thread whose loops may run on another backend; null: they run here.
struct PlacedThread {
    PlacedThread(RunContext &context, exec::Backend *other)
        : placement({other}), context(context, 0, other ? &placement : nullptr) {}
    operator exec::ThreadContext &() { return context; }
    exec::Placement placement;
    exec::ThreadContext context;
};

inline Outcome runRegion(const Recipe &recipe, exec::Region &region, const Way &way, std::span<Value> inputs) {
    RunContext context;
    context.scheduler = way.scheduler;
    PlacedThread thread(context, way.other);
    Outcome outcome;
    outcome.values.resize(recipe.outputs.size());
    try {
        region.run(thread, inputs, outcome.values, recipe.consumable);
        for (const Value &v : outcome.values)
            exec::bringHere(v);
    } catch (const Error &e) {
        outcome.error = e.message;
        outcome.callSite = thread.context.callSite;
    }
    return outcome;
}

/// "" if the region gives what the kernels give. expected: of all operations of the recipe.
inline std::string differenceFromKernels(const Recipe &recipe, exec::Region &region, const Way &way,
                                         const Outcome &expected) {
    std::vector<Value> inputs = freshCopies(recipe.inputs);
    // Every third input that is handed over is still known to someone: its cells must stay.
    std::vector<Value> held(inputs.size());
    for (size_t i = 0; i < inputs.size(); ++i)
        if (i >= 64 || !(recipe.consumable >> i & 1) || i % 3 == 2)
            held[i] = inputs[i];
    Outcome found = runRegion(recipe, region, way, inputs);
    if (found.error != expected.error)
        return "expected error '" + expected.error + "', got '" + found.error + "'";
    if (found.failed() && found.callSite != expected.callSite)
        return "error '" + found.error + "' is located at operation " + std::to_string(found.callSite) +
               " instead of " + std::to_string(expected.callSite);
    if (!found.failed())
        for (size_t i = 0; i < recipe.outputs.size(); ++i)
            if (auto d = bitDifference(expected.values[Recipe::opOf(recipe.outputs[i])], found.values[i]); !d.empty())
                return "output " + std::to_string(i) + ": " + d;
    for (size_t i = 0; i < held.size(); ++i)
        if (held[i].kind() != ValueKind::None)
            if (auto d = bitDifference(recipe.inputs[i], held[i]); !d.empty())
                return "input " + std::to_string(i) + " was changed: " + d;
    return {};
}

inline std::string differenceFromKernels(const Recipe &recipe, const Way &way) {
    return differenceFromKernels(recipe, *recipe.build(*way.engine), way, runKernels(recipe));
}

/// Without operation i: what reads its result reads an input with the same cells.
inline std::optional<Recipe> withoutOperation(const Recipe &recipe, size_t i) {
    Outcome known = runKernels(recipe);
    Recipe smaller = recipe;
    std::optional<Recipe::Id> replacement;
    auto renamed = [&](Recipe::Id id) -> Recipe::Id {
        if (!Recipe::isResult(id) || Recipe::opOf(id) < i)
            return id;
        if (Recipe::opOf(id) > i)
            return static_cast<Recipe::Id>(id - 1);
        if (!replacement)
            replacement = smaller.input(i < known.values.size() ? known.values[i] : Value());
        return *replacement;
    };
    smaller.ops.erase(smaller.ops.begin() + static_cast<ptrdiff_t>(i));
    for (Recipe::Op &op : smaller.ops)
        for (Recipe::Id &id : op.operands)
            id = renamed(id);
    std::erase(smaller.outputs, static_cast<Recipe::Id>(Recipe::kFirstResult + i));
    for (Recipe::Id &id : smaller.outputs)
        id = renamed(id);
    bool needsFailed = replacement && i >= known.values.size();
    return needsFailed || smaller.ops.empty() ? std::nullopt : std::optional(smaller);
}

inline void dropUnusedInputs(Recipe &recipe) {
    std::vector<bool> used(recipe.inputs.size());
    for (Recipe::Op &op : recipe.ops)
        for (Recipe::Id id : op.operands)
            if (!Recipe::isResult(id))
                used[id] = true;
    for (size_t i = used.size(); i-- > 0;) {
        if (used[i])
            continue;
        recipe.inputs.erase(recipe.inputs.begin() + static_cast<ptrdiff_t>(i));
        uint64_t low = (uint64_t(1) << i) - 1;
        recipe.consumable = (recipe.consumable & low) | (recipe.consumable >> 1 & ~low);
        for (Recipe::Op &op : recipe.ops)
            for (Recipe::Id &id : op.operands)
                if (!Recipe::isResult(id) && id > i)
                    --id;
    }
}

inline size_t numUnread(const Recipe &recipe) {
    std::vector<bool> read(recipe.ops.size());
    for (const Recipe::Op &op : recipe.ops)
        for (Recipe::Id id : op.operands)
            if (Recipe::isResult(id))
                read[Recipe::opOf(id)] = true;
    for (Recipe::Id id : recipe.outputs)
        read[Recipe::opOf(id)] = true;
    return static_cast<size_t>(std::ranges::count(read, false));
}

/// A recipe that still differs, with as few operations, outputs and inputs handed over as is easily found.
/// No result becomes unread.
inline Recipe shrunk(Recipe recipe, const std::function<bool(const Recipe &)> &differs) {
    auto accept = [&](const Recipe &candidate) {
        if (numUnread(candidate) > numUnread(recipe) || !differs(candidate))
            return false;
        recipe = candidate;
        return true;
    };
    for (bool progress = true; progress;) {
        progress = false;
        for (size_t i = recipe.ops.size(); i-- > 0;)
            if (auto smaller = withoutOperation(recipe, i))
                progress |= accept(*smaller);
        for (size_t i = recipe.outputs.size(); i-- > 0;) {
            Recipe smaller = recipe;
            smaller.outputs.erase(smaller.outputs.begin() + static_cast<ptrdiff_t>(i));
            progress |= accept(smaller);
        }
        Recipe smaller = recipe;
        smaller.consumable = 0;
        if (recipe.consumable)
            progress |= accept(smaller);
    }
    Recipe tidy = recipe;
    dropUnusedInputs(tidy);
    accept(tidy);
    return recipe;
}

} // namespace daphne::test
