/* SPDX-License-Identifier: Apache-2.0 */
/* A scheme of your own: every task is a 1/(k P)-th of what remains; k follows the name of the library.
 *   daphne --sched-plugin=./libtaper.so:3 --partitioning=TAPER script.daph */
#include <stdlib.h>

#include "sched/PluginAbi.h"

static void *create(const daphne_part_cfg *loop, const char *args) {
    uint64_t *divisor = malloc(sizeof *divisor), k = strtoull(args, NULL, 10);
    if (divisor)
        *divisor = loop->workers * (k ? k : 2);
    return divisor;
}
static uint64_t nextSize(void *divisor, uint64_t step, uint64_t remaining, uint32_t worker) {
    (void)step, (void)worker;
    return divisor ? remaining / *(uint64_t *)divisor + 1 : remaining;
}
static const daphne_part_vtable kTaper = {.abi = DAPHNE_SCHED_ABI,
                                          .name = "TAPER",
                                          .help = "a 1/(k P)-th of what remains; k is its argument, 2 by default",
                                          .kind = DAPHNE_PART_STATEFUL,
                                          .create = create,
                                          .get_task = nextSize,
                                          .destroy = free};

int daphne_register_partitioners(void (*add)(const daphne_part_vtable *)) { return add(&kTaper), 0; }
