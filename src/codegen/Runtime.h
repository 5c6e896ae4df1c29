// SPDX-License-Identifier: Apache-2.0
/// Functions generated code calls besides kernels. They may throw Error, which
/// unwinds through generated frames to Program::run.
#pragma once

#include <cstdint>
#include <span>

#include "data/Value.h"
#include "exec/Region.h"
#include "kernels/KernelTable.h"

namespace daphne::codegen {

extern "C" {
/// Runs a kernel. counts = numArgs | numResults << 32. results[i].tag holds the expected tag on entry (0: anything).
void daphne_call(Context *context, const Kernel *kernel, Slot *results, Slot *args, uint64_t counts,
                 uint64_t consumable, uint64_t castTarget);
/// Runs a region; arguments in `consumable` are taken over.
void daphne_run_region(Context *context, exec::Region *region, Slot *results, Slot *args, uint64_t consumable);
void daphne_retain(Object *object);
void daphne_release(Object *object);
void daphne_retain_value(uint64_t tag, uint64_t bits);
void daphne_release_value(uint64_t tag, uint64_t bits);
/// Checks a value of run-time type against what the compiler expects; returns its bits.
uint64_t daphne_expect(Context *context, uint64_t tag, uint64_t bits, uint64_t expectedTag);
/// Checks value type (11 = any) and shape (-1 = any) of a matrix.
void daphne_expect_matrix(Context *context, Object *matrix, uint64_t valueType, int64_t rows, int64_t cols);
/// Checks labels and types of a frame against those of another one, and its number of rows (-1 = any).
void daphne_expect_frame(Context *context, Object *frame, Object *like, int64_t rows);
/// The matrix where the plan does not speak of Csr any more; takes and returns a reference.
Object *daphne_plain_matrix(Object *matrix);
/// The matrix where the plan begins to speak of a Csr; takes and returns a reference.
Object *daphne_csr_matrix(Object *matrix);
void daphne_division_by_zero(Context *context);
void daphne_stack_overflow(Context *context);
void daphne_fail(Context *context, const char *message);
/// Applies function(context, in, out, n) to blocks of contiguous cells.
using MapFunction = void (*)(Context *, const void *in, void *out, uint64_t n);
Object *daphne_map(Context *context, Object *matrix, MapFunction function, uint64_t resultType);
Object *daphne_string_cell(const void *cell);
void daphne_set_string_cell(void *cell, Object *text);
}

/// Name and address of everything above and of the mathematical functions generated code uses.
struct RuntimeSymbol {
    const char *name;
    void *address;
};
std::span<const RuntimeSymbol> runtimeSymbols();

} // namespace daphne::codegen
