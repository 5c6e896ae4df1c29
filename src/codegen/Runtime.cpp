// SPDX-License-Identifier: Apache-2.0
#include "codegen/Runtime.h"

#include <algorithm>
#include <cmath>

#include "base/Error.h"
#include "data/Sequence.h"
#include "exec/Backend.h"
#include "exec/CallKernel.h"
#include "exec/Region.h"
#include "kernels/elementwise/Exponential.h"
#include "ops/WholeNumber.h"

namespace daphne::codegen {

namespace {

const char *kindName(ValueKind kind) {
    switch (kind) {
    case ValueKind::Scalar: return "a scalar";
    case ValueKind::Matrix: return "a matrix";
    case ValueKind::Frame: return "a frame";
    case ValueKind::List: return "a list";
    default: return kind == kFunctionKind ? "a function" : "a value";
    }
}

/// Cells that were computed on other machines may be read after this.
void bringHere(Matrix &matrix) { exec::bringHere(Value(Ref<Matrix>::share(&matrix))); }

/// Runs the body of a runtime function. Generated frames have no clean-up of their own.
template <class Body> auto guarded(ThreadContext *thread, Body &&body) {
    try {
        return body();
    } catch (...) {
        thread->releaseRoots();
        throw;
    }
}

void releaseConsumed(Slot *args, uint64_t consumable) {
    for (; consumable; consumable &= consumable - 1)
        Value::adopt(std::exchange(args[__builtin_ctzll(consumable)], Slot{}));
}

void throwIfCancelled(const ThreadContext &thread, Slot *args, uint64_t consumable) {
    if (!thread.cancelFlag->load(std::memory_order_relaxed))
        return;
    releaseConsumed(args, consumable);
    throw cancelledError();
}

[[noreturn]] void fail(ThreadContext *thread, const Error &error) {
    thread->releaseRoots();
    throw error;
}

} // namespace

extern "C" {

void daphne_call(ThreadContext *thread, const Kernel *kernel, Slot *results, Slot *args, uint64_t counts,
                 uint64_t consumable, uint64_t castTarget) {
    size_t numArgs = counts & 0xffffffff, numResults = counts >> 32;
    guarded(thread, [&] {
        throwIfCancelled(*thread, args, consumable);
        exec::callKernel(*thread, *kernel, {results, numResults}, {args, numArgs}, consumable, castTarget);
    });
}

void daphne_run_region(ThreadContext *thread, const exec::Region *region, Slot *results, Slot *args,
                       uint64_t consumable) {
    std::span<Slot> out(results, region->outputs.size());
    std::ranges::fill(out, Slot{});
    // Value has the layout of Slot; borrowed arguments are never destroyed here.
    auto *inputs = reinterpret_cast<Value *>(args);
    guarded(thread, [&] {
        throwIfCancelled(*thread, args, consumable);
        try {
            region->run(*thread, {inputs, region->numInputs}, {reinterpret_cast<Value *>(results), out.size()},
                        consumable);
        } catch (...) {
            releaseConsumed(args, consumable); // what the region has not taken yet
            for (Slot &result : out)
                Value::adopt(std::exchange(result, Slot{}));
            throw;
        }
    });
}

void daphne_clear_roots(exec::RootFrame *frame) { std::fill_n(frame->slots, frame->numSlots, nullptr); }

void daphne_keep(ThreadContext *thread, Object *object) {
    if (object)
        guarded(thread, [&] { thread->kept.push_back(Ref<Object>::adopt(object)); });
}

void daphne_retain(Object *object) {
    if (object)
        object->retain();
}

void daphne_release(Object *object) {
    if (object)
        object->release();
}

void daphne_retain_value(uint64_t tag, uint64_t bits) {
    Value borrowed = Value::adopt({tag, bits});
    if (borrowed.isObject() && bits)
        borrowed.object()->retain();
    borrowed.detach();
}

void daphne_release_value(uint64_t tag, uint64_t bits) {
    Value owned = Value::adopt({tag, bits});
    if (!bits)
        owned.detach(); // a number, or a value of a path that never ran
}

uint64_t daphne_expect(ThreadContext *thread, uint64_t tag, uint64_t bits, uint64_t expectedTag) {
    if (tag == expectedTag)
        return bits;
    Value v = Value::adopt({tag, bits});
    std::string found = describe(v);
    auto kind = static_cast<ValueKind>(expectedTag & 0xff);
    std::string wanted = kindName(kind);
    if (kind == ValueKind::Scalar)
        wanted += " of type " + std::string(dslName(static_cast<ValueType>(expectedTag >> 8 & 0xff)));
    Error error = executionError("expected " + wanted + ", got " + found);
    if (kind == ValueKind::List && (v.isMatrix() || v.isFrame()))
        error.withHint("rows and columns are separated by a comma: X[i, ] is a row, X[i, j] a cell");
    v.detach();
    fail(thread, error);
}

/// Where the elements of a list are said to be matrices of one type.
void daphne_expect_list(ThreadContext *thread, Object *object, uint64_t valueType) {
    auto &list = static_cast<Sequence &>(*object);
    auto wanted = static_cast<ValueType>(valueType);
    if (list.elements.empty() || list.matrixType() == wanted)
        return;
    fail(thread, executionError("expected a list of matrices of " + std::string(dslName(wanted)) +
                                ", got one with other elements"));
}

void daphne_expect_matrix(ThreadContext *thread, Object *object, uint64_t valueType, int64_t rows, int64_t cols) {
    auto &m = static_cast<Matrix &>(*object);
    auto wanted = static_cast<ValueType>(valueType);
    bool typeFits = wanted == ValueType::Unknown || m.type() == wanted;
    bool shapeFits =
        (rows < 0 || m.rows() == static_cast<uint64_t>(rows)) && (cols < 0 || m.cols() == static_cast<uint64_t>(cols));
    if (typeFits && shapeFits)
        return;
    auto dimension = [](int64_t n) { return n < 0 ? std::string("?") : std::to_string(n); };
    fail(thread, executionError("expected a matrix of " + std::string(dslName(wanted)) + " with shape " +
                                dimension(rows) + "x" + dimension(cols) + ", got " + std::string(dslName(m.type())) +
                                " with shape " + m.shapeText()));
}

void daphne_expect_frame(ThreadContext *thread, Object *object, Object *like, int64_t rows) {
    auto &found = static_cast<Frame &>(*object), &wanted = static_cast<Frame &>(*like);
    auto columnsText = [](const Frame &f) {
        std::string text = "[";
        for (size_t c = 0; c < f.cols(); ++c)
            text += (c ? ", " : "") + f.labels[c] + ": " + std::string(dslName(f.columns[c]->type()));
        return text + "]";
    };
    auto sameType = [](const Ref<Dense> &a, const Ref<Dense> &b) { return a->type() == b->type(); };
    bool columnsFit = found.labels == wanted.labels &&
                      std::equal(found.columns.begin(), found.columns.end(), wanted.columns.begin(), sameType);
    if (columnsFit && (rows < 0 || found.rows() == static_cast<uint64_t>(rows)))
        return;
    std::string rowsText = rows < 0 ? "" : std::to_string(rows) + " rows and ";
    fail(thread, executionError("expected a frame with " + rowsText + "columns " + columnsText(wanted) + ", got " +
                                std::to_string(found.rows()) + " rows and columns " + columnsText(found)));
}

Object *daphne_plain_matrix(ThreadContext *thread, Object *object) {
    auto &m = static_cast<Matrix &>(*object);
    if (!m.isCsr() || !static_cast<Csr &>(m).isShownAsCsr())
        return object;
    Ref<Matrix> plain = guarded(thread, [&] { return Ref<Matrix>(Csr::shown(static_cast<Csr &>(m), false)); });
    object->release();
    return plain.detach();
}

Object *daphne_csr_matrix(ThreadContext *thread, Object *object) {
    auto &m = static_cast<Matrix &>(*object);
    if (m.isCsr() && static_cast<Csr &>(m).isShownAsCsr())
        return object;
    Ref<Matrix> csr = guarded(thread, [&] {
        bringHere(m);
        return Ref<Matrix>(m.isCsr() ? Csr::shown(static_cast<Csr &>(m), true)
                                     : Csr::shown(*toCsr(static_cast<Dense &>(m)), true));
    });
    object->release();
    return csr.detach();
}

void daphne_division_by_zero(ThreadContext *thread) { fail(thread, executionError("integer division by zero")); }

void daphne_not_whole(ThreadContext *thread, double x) {
    fail(thread, executionError(ops::notWholeText(x)).withHint(std::string(ops::kWholeNumberHint)));
}

void daphne_stack_overflow(ThreadContext *thread) {
    fail(thread, executionError("the recursion is too deep: the stack is exhausted")
                     .withHint("check that the recursion ends, or write it as a loop"));
}

void daphne_cancelled(ThreadContext *thread) { fail(thread, cancelledError()); }

void daphne_fail(ThreadContext *thread, const char *message) { fail(thread, executionError(message)); }

/// The function may throw: then everything was released when it did.
static Object *map(ThreadContext *thread, const Slot *slots, MapFunction function, uint64_t resultType) {
    auto *object = reinterpret_cast<Object *>(slots[0].bits);
    auto &matrix = static_cast<Matrix &>(*object);
    // Calls of kernels inside of the function use the area of their own function for arguments, not this one.
    bringHere(matrix);
    Ref<Dense> cells =
        matrix.isCsr() ? toDense(static_cast<Csr &>(matrix)) : Ref<Dense>::share(static_cast<Dense *>(object));
    const Dense &in = *cells;
    auto type = static_cast<ValueType>(resultType);
    Ref<Dense> out = Dense::create(type, in.rows(), in.cols());
    withValueType(in.type(), [&]<class T>(TypeTag<T>) {
        withValueType(type, [&]<class R>(TypeTag<R>) {
            auto source = in.view<T>();
            auto target = out->mutableView<R>();
            for (size_t r = 0; r < in.rows(); ++r)
                function(thread, source.row(r), target.row(r), in.cols(), slots);
        });
    });
    return out.detach();
}

Object *daphne_map(ThreadContext *thread, const Slot *slots, MapFunction function, uint64_t resultType) {
    return guarded(thread, [&] { return map(thread, slots, function, resultType); });
}

Object *daphne_string_cell(ThreadContext *thread, const void *cell) {
    return guarded(thread, [&] { return new StringObject(*static_cast<const std::string *>(cell)); });
}

void daphne_set_string_cell(ThreadContext *thread, void *cell, Object *text) {
    auto owned = Ref<StringObject>::adopt(static_cast<StringObject *>(text));
    guarded(thread, [&] { *static_cast<std::string *>(cell) = owned->text; });
}

} // extern "C"

std::span<const RuntimeSymbol> runtimeSymbols() {
    using Unary = double (*)(double);
    using Binary = double (*)(double, double);
    using UnaryFloat = float (*)(float);
    using BinaryFloat = float (*)(float, float);
#define DAPHNE_SYMBOL(name) {#name, reinterpret_cast<void *>(&name)}
#define DAPHNE_MATH(name)                                                                                              \
    {#name, reinterpret_cast<void *>(static_cast<Unary>(&::name))}, {                                                  \
        #name "f", reinterpret_cast<void *>(static_cast<UnaryFloat>(&::name##f))                                       \
    }
    static const RuntimeSymbol symbols[] = {
        DAPHNE_SYMBOL(daphne_call),
        DAPHNE_SYMBOL(daphne_run_region),
        DAPHNE_SYMBOL(daphne_clear_roots),
        DAPHNE_SYMBOL(daphne_keep),
        DAPHNE_SYMBOL(daphne_cancelled),
        DAPHNE_SYMBOL(daphne_retain),
        DAPHNE_SYMBOL(daphne_release),
        DAPHNE_SYMBOL(daphne_retain_value),
        DAPHNE_SYMBOL(daphne_release_value),
        DAPHNE_SYMBOL(daphne_expect),
        DAPHNE_SYMBOL(daphne_expect_matrix),
        DAPHNE_SYMBOL(daphne_expect_list),
        DAPHNE_SYMBOL(daphne_expect_frame),
        DAPHNE_SYMBOL(daphne_plain_matrix),
        DAPHNE_SYMBOL(daphne_csr_matrix),
        DAPHNE_SYMBOL(daphne_division_by_zero),
        DAPHNE_SYMBOL(daphne_not_whole),
        DAPHNE_SYMBOL(daphne_stack_overflow),
        DAPHNE_SYMBOL(daphne_fail),
        DAPHNE_SYMBOL(daphne_map),
        DAPHNE_SYMBOL(daphne_keep_value),
        DAPHNE_SYMBOL(daphne_try),
        DAPHNE_SYMBOL(daphne_string_cell),
        DAPHNE_SYMBOL(daphne_set_string_cell),
        // The same functions as in the loops over matrices.
        {"exp", reinterpret_cast<void *>(static_cast<Unary>(&exponential))},
        {"expf", reinterpret_cast<void *>(static_cast<UnaryFloat>(&exponential))},
        {"tanh", reinterpret_cast<void *>(static_cast<Unary>(&hyperbolicTangent))},
        {"tanhf", reinterpret_cast<void *>(static_cast<UnaryFloat>(&hyperbolicTangent))},
        DAPHNE_MATH(sin),
        DAPHNE_MATH(cos),
        DAPHNE_MATH(tan),
        DAPHNE_MATH(sinh),
        DAPHNE_MATH(cosh),
        DAPHNE_MATH(atan),
        DAPHNE_MATH(floor),
        DAPHNE_MATH(ceil),
        DAPHNE_MATH(round),
        {"pow", reinterpret_cast<void *>(static_cast<Binary>(&::pow))},
        {"fmod", reinterpret_cast<void *>(static_cast<Binary>(&::fmod))},
        {"fmodf", reinterpret_cast<void *>(static_cast<BinaryFloat>(&::fmodf))},
    };
#undef DAPHNE_MATH
#undef DAPHNE_SYMBOL
    return symbols;
}

} // namespace daphne::codegen
