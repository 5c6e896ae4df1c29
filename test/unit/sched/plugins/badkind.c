/* SPDX-License-Identifier: Apache-2.0 */
/* A scheme that must be refused: it is of a kind that does not exist. */
#include "sched/PluginAbi.h"

static uint64_t one(void *state, uint64_t step, uint64_t remaining, uint32_t worker) {
    (void)state, (void)step, (void)remaining, (void)worker;
    return 1;
}
static const daphne_part_vtable kScheme = {DAPHNE_SCHED_ABI, "KIND", "refused", 3, 0, one, 0, 0, 0};

int daphne_register_partitioners(void (*add)(const daphne_part_vtable *)) { return add(&kScheme), 0; }
