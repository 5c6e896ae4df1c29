/* SPDX-License-Identifier: Apache-2.0 */
/* An adaptive scheme: 10 units first, then as many as this worker was told it finished, and one more. Its argument is
 * the size of the first task; the state is counted, so that tests see whether all of it is destroyed. */
#include <stdlib.h>

#include "sched/PluginAbi.h"

enum { kMostWorkers = 64 };
typedef struct {
    uint64_t first, done[kMostWorkers];
} State;
int64_t daphne_test_states = 0;

static void *create(const daphne_part_cfg *loop, const char *args) {
    (void)loop;
    State *state = calloc(1, sizeof *state);
    state->first = *args ? strtoull(args, 0, 10) : 10;
    ++daphne_test_states;
    return state;
}
static uint64_t nextSize(void *opaque, uint64_t step, uint64_t remaining, uint32_t worker) {
    (void)step, (void)remaining;
    State *state = opaque;
    return state->done[worker % kMostWorkers] ? state->done[worker % kMostWorkers] + 1 : state->first;
}
static void update(void *opaque, uint32_t worker, uint64_t units, uint64_t execNs, uint64_t overheadNs) {
    (void)execNs, (void)overheadNs;
    ((State *)opaque)->done[worker % kMostWorkers] = units;
}
static void destroy(void *opaque) {
    free(opaque);
    --daphne_test_states;
}
static const daphne_part_vtable kGrow = {
    DAPHNE_SCHED_ABI, "GROW", "one more than before", DAPHNE_PART_ADAPTIVE, create, nextSize, 0, update, destroy};

int daphne_register_partitioners(void (*add)(const daphne_part_vtable *)) { return add(&kGrow), 0; }
