// SPDX-License-Identifier: Apache-2.0
/// Functions generated code calls besides kernels. They may throw Error, which
/// unwinds through generated frames to Executable::run.
#pragma once

#include <cstdint>
#include <span>

#include "data/Value.h"
#include "exec/Region.h"
#include "exec/ThreadContext.h"
#include "kernels/KernelTable.h"

namespace daphne::codegen {

using exec::ThreadContext;

/// Functions that may throw take the ThreadContext first: they release what generated code owns before they let an
/// exception go.
extern "C" {
/// Runs a kernel. counts = numArgs | numResults << 32. results[i].tag holds the expected tag on entry (0: anything).
/// Arguments in `consumable` are taken over.
void daphne_call(ThreadContext *thread, const Kernel *kernel, Slot *results, Slot *args, uint64_t counts,
                 uint64_t consumable, uint64_t castTarget);
/// Runs a region; arguments in `consumable` are taken over.
void daphne_run_region(ThreadContext *thread, const exec::Region *region, Slot *results, Slot *args,
                       uint64_t consumable);
void daphne_retain(Object *object);
void daphne_release(Object *object);
void daphne_retain_value(uint64_t tag, uint64_t bits);
void daphne_release_value(uint64_t tag, uint64_t bits);
/// Empties all slots of a new frame.
void daphne_clear_roots(exec::RootFrame *frame);
/// The run takes over a reference until it ends.
void daphne_keep(ThreadContext *thread, Object *object);
/// Checks a value of run-time type against what the compiler expects; returns its bits.
uint64_t daphne_expect(ThreadContext *thread, uint64_t tag, uint64_t bits, uint64_t expectedTag);
/// Checks value type (11 = any) and shape (-1 = any) of a matrix.
void daphne_expect_matrix(ThreadContext *thread, Object *matrix, uint64_t valueType, int64_t rows, int64_t cols);
void daphne_expect_list(ThreadContext *thread, Object *list, uint64_t valueType);
/// Checks labels and types of a frame against those of another one, and its number of rows (-1 = any).
void daphne_expect_frame(ThreadContext *thread, Object *frame, Object *like, int64_t rows);
/// The matrix where the plan does not speak of Csr any more; takes and returns a reference.
Object *daphne_plain_matrix(ThreadContext *thread, Object *matrix);
/// The matrix where the plan begins to speak of a Csr; takes and returns a reference.
Object *daphne_csr_matrix(ThreadContext *thread, Object *matrix);
void daphne_division_by_zero(ThreadContext *thread);
/// x, a position or size, has a fraction.
void daphne_not_whole(ThreadContext *thread, double x);
void daphne_stack_overflow(ThreadContext *thread);
void daphne_cancelled(ThreadContext *thread);
void daphne_fail(ThreadContext *thread, const char *message);
/// Applies function(thread, in, out, n) to blocks of contiguous cells.
/// slots: the matrix and what else the function takes before the cell.
using MapFunction = void (*)(ThreadContext *, const void *in, void *out, uint64_t n, const Slot *slots);
Object *daphne_map(ThreadContext *thread, const Slot *slots, MapFunction function, uint64_t resultType);
/// A variable outlives the function that runs under a guard: the slot takes a reference of its own.
void daphne_keep_value(Slot *kept, uint64_t tag, uint64_t bits);
/// Runs function(thread, arguments) under a guard. `args` are numVariables variables and the arguments, borrowed;
/// `results` are what ir/Try.h says, and the caller's.
using TryFunction = void (*)(ThreadContext *, Slot *arguments);
struct Places;
void daphne_try(ThreadContext *thread, TryFunction function, Slot *results, Slot *args, uint64_t numVariables,
                uint64_t numResults, const Places *places);
Object *daphne_string_cell(ThreadContext *thread, const void *cell);
void daphne_set_string_cell(ThreadContext *thread, void *cell, Object *text);
}

/// Name and address of everything above and of the mathematical functions generated code uses.
struct RuntimeSymbol {
    const char *name;
    void *address;
};
std::span<const RuntimeSymbol> runtimeSymbols();

} // namespace daphne::codegen
