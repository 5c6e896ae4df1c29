/* SPDX-License-Identifier: Apache-2.0 */
/* Two schemes that return nonsense: nothing at all, and sizes from 0 to far beyond the loop. */
#include "sched/PluginAbi.h"

static uint64_t nothing(void *state, uint64_t step, uint64_t remaining, uint32_t worker) {
    (void)state, (void)step, (void)remaining, (void)worker;
    return 0;
}
static uint64_t anything(void *state, uint64_t step) {
    (void)state;
    return step % 7 == 0 ? 0 : step % 50 == 49 ? UINT64_MAX : step * 2654435761u % 5;
}
static const daphne_part_vtable kNothing = {
    DAPHNE_SCHED_ABI, "NOTHING", "always 0", DAPHNE_PART_STATEFUL, 0, nothing, 0, 0, 0};
static const daphne_part_vtable kAnything = {DAPHNE_SCHED_ABI, "ANYTHING", 0, DAPHNE_PART_STATELESS, 0, 0,
                                             anything,         0,          0};

int daphne_register_partitioners(void (*add)(const daphne_part_vtable *)) {
    add(&kNothing);
    add(&kAnything);
    return 0;
}
