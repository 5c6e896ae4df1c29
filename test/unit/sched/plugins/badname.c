/* SPDX-License-Identifier: Apache-2.0 */
/* A scheme that must be refused: it has a name that no command line can spell. */
#include "sched/PluginAbi.h"

static uint64_t one(void *state, uint64_t step, uint64_t remaining, uint32_t worker) {
    (void)state, (void)step, (void)remaining, (void)worker;
    return 1;
}
static const daphne_part_vtable kScheme = {DAPHNE_SCHED_ABI, "A B", "refused", 1, 0, one, 0, 0, 0};

int daphne_register_partitioners(void (*add)(const daphne_part_vtable *)) { return add(&kScheme), 0; }
