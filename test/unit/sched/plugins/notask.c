/* SPDX-License-Identifier: Apache-2.0 */
/* A scheme that must be refused: it has no formula. */
#include "sched/PluginAbi.h"

static const daphne_part_vtable kScheme = {DAPHNE_SCHED_ABI, "NOTASK", "refused", 1, 0, 0, 0, 0, 0};

int daphne_register_partitioners(void (*add)(const daphne_part_vtable *)) { return add(&kScheme), 0; }
