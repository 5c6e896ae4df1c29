// SPDX-License-Identifier: Apache-2.0
#include "codegen/Runtime.h"

#include <algorithm>
#include <cmath>

#include "base/Error.h"
#include "exec/CallKernel.h"
#include "exec/Distribution.h"
#include "exec/Region.h"
#include "kernels/Exponential.h"

namespace daphne::codegen {

namespace {

const char *kindName(ValueKind kind) {
    switch (kind) {
    case ValueKind::Scalar: return "a scalar";
    case ValueKind::Matrix: return "a matrix";
    case ValueKind::Frame: return "a frame";
    case ValueKind::List: return "a list";
    default: return "a value";
    }
}

/// Cells that were computed on other machines may be read after this.
void bringHere(Matrix &matrix) {
    if (exec::Distribution *distribution = exec::activeDistribution())
        distribution->bringHere(Value(Ref<Matrix>::share(&matrix)));
}

} // namespace

extern "C" {

void daphne_call(Context *context, const Kernel *kernel, Slot *results, Slot *args, uint64_t counts,
                 uint64_t consumable, uint64_t castTarget) {
    size_t numArgs = counts & 0xffffffff, numResults = counts >> 32;
    exec::callKernel(*context, *kernel, {results, numResults}, {args, numArgs}, consumable, castTarget);
}

void daphne_run_region(Context *context, exec::Region *region, Slot *results, Slot *args, uint64_t consumable) {
    std::span<Slot> out(results, region->outputs.size());
    std::ranges::fill(out, Slot{});
    // Value has the layout of Slot; borrowed arguments are never destroyed here.
    region->run(*context, {reinterpret_cast<Value *>(args), region->numInputs},
                {reinterpret_cast<Value *>(results), out.size()}, consumable);
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

uint64_t daphne_expect(Context *, uint64_t tag, uint64_t bits, uint64_t expectedTag) {
    if (tag == expectedTag)
        return bits;
    Value v = Value::adopt({tag, bits});
    std::string found = describe(v);
    v.detach();
    auto kind = static_cast<ValueKind>(expectedTag & 0xff);
    std::string wanted = kindName(kind);
    if (kind == ValueKind::Scalar)
        wanted += " of type " + std::string(dslName(static_cast<ValueType>(expectedTag >> 8 & 0xff)));
    throw executionError("expected " + wanted + ", got " + found);
}

void daphne_expect_matrix(Context *, Object *object, uint64_t valueType, int64_t rows, int64_t cols) {
    auto &m = static_cast<Matrix &>(*object);
    auto wanted = static_cast<ValueType>(valueType);
    bool typeFits = wanted == ValueType::Unknown || m.type() == wanted;
    bool shapeFits =
        (rows < 0 || m.rows() == static_cast<uint64_t>(rows)) && (cols < 0 || m.cols() == static_cast<uint64_t>(cols));
    if (typeFits && shapeFits)
        return;
    auto dimension = [](int64_t n) { return n < 0 ? std::string("?") : std::to_string(n); };
    throw executionError("expected a matrix of " + std::string(dslName(wanted)) + " with shape " + dimension(rows) +
                         "x" + dimension(cols) + ", got " + std::string(dslName(m.type())) + " with shape " +
                         m.shapeText());
}

void daphne_expect_frame(Context *, Object *object, Object *like, int64_t rows) {
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
    throw executionError("expected a frame with " + rowsText + "columns " + columnsText(wanted) + ", got " +
                         std::to_string(found.rows()) + " rows and columns " + columnsText(found));
}

Object *daphne_plain_matrix(Object *object) {
    auto &m = static_cast<Matrix &>(*object);
    if (!m.isCsr() || !static_cast<Csr &>(m).isShownAsCsr())
        return object;
    Ref<Matrix> plain = Csr::shown(static_cast<Csr &>(m), false);
    object->release();
    return plain.detach();
}

Object *daphne_csr_matrix(Object *object) {
    auto &m = static_cast<Matrix &>(*object);
    bringHere(m);
    if (m.isCsr() && static_cast<Csr &>(m).isShownAsCsr())
        return object;
    Ref<Matrix> csr =
        m.isCsr() ? Csr::shown(static_cast<Csr &>(m), true) : Csr::shown(*toCsr(static_cast<Dense &>(m)), true);
    object->release();
    return csr.detach();
}

void daphne_division_by_zero(Context *) { throw executionError("integer division by zero"); }

void daphne_stack_overflow(Context *) {
    throw executionError("the recursion is too deep: the stack is exhausted")
        .withHint("check that the recursion ends, or write it as a loop");
}

void daphne_fail(Context *, const char *message) { throw executionError(message); }

Object *daphne_map(Context *context, Object *object, MapFunction function, uint64_t resultType) {
    auto &matrix = static_cast<Matrix &>(*object);
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
                function(context, source.row(r), target.row(r), in.cols());
        });
    });
    return out.detach();
}

Object *daphne_string_cell(const void *cell) { return new StringObject(*static_cast<const std::string *>(cell)); }

void daphne_set_string_cell(void *cell, Object *text) {
    *static_cast<std::string *>(cell) = static_cast<StringObject *>(text)->text;
    text->release();
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
        DAPHNE_SYMBOL(daphne_retain),
        DAPHNE_SYMBOL(daphne_release),
        DAPHNE_SYMBOL(daphne_retain_value),
        DAPHNE_SYMBOL(daphne_release_value),
        DAPHNE_SYMBOL(daphne_expect),
        DAPHNE_SYMBOL(daphne_expect_matrix),
        DAPHNE_SYMBOL(daphne_expect_frame),
        DAPHNE_SYMBOL(daphne_plain_matrix),
        DAPHNE_SYMBOL(daphne_csr_matrix),
        DAPHNE_SYMBOL(daphne_division_by_zero),
        DAPHNE_SYMBOL(daphne_stack_overflow),
        DAPHNE_SYMBOL(daphne_fail),
        DAPHNE_SYMBOL(daphne_map),
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
