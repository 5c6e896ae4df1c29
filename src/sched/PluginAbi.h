/* SPDX-License-Identifier: Apache-2.0 */
/* What a library with scheduling policies of its own exports, in plain C. Include this file, fill tables, define one or
 * both of the functions at its end, and name the library: daphne --sched-plugin=path/to/lib.so[:args]
 *
 * Tables and their texts must stay valid while the library is loaded. Functions must not throw. They are called by one
 * thread at a time for one state, but different states may be in use at the same time. */
#ifndef DAPHNE_SCHED_PLUGIN_ABI_H
#define DAPHNE_SCHED_PLUGIN_ABI_H

#include <stdint.h>

#define DAPHNE_SCHED_ABI 1

#ifdef __cplusplus
extern "C" {
#endif

/* The loop that is going to be cut. */
typedef struct {
    uint32_t abi;     /* DAPHNE_SCHED_ABI of the caller */
    uint32_t workers; /* P, at least 1 */
    uint64_t total;   /* N, units of work (rows, or weight) */
    uint64_t grain;   /* g, least size of a task, at least 1 */
} daphne_part_cfg;

enum { DAPHNE_PART_STATELESS = 0, DAPHNE_PART_STATEFUL = 1, DAPHNE_PART_ADAPTIVE = 2 };

/* A partitioning scheme. */
typedef struct {
    uint32_t abi;     /* DAPHNE_SCHED_ABI */
    const char *name; /* value of --partitioning: letters, digits, '_' and '-' */
    const char *help; /* one line for --help */
    uint32_t kind;    /* one of the above */
    /* State of one loop; may be null. args: what follows the library's name, "" if nothing does. Null: no state. */
    void *(*create)(const daphne_part_cfg *cfg, const char *args);
    /* Size of the next task. Sizes are clamped to [max(1, g), remaining]; 0 counts as a mistake of the scheme. worker
     * is who asks; schemes that are not adaptive are asked in advance, by worker 0. Null: size_at is asked. */
    uint64_t (*get_task)(void *state, uint64_t step, uint64_t remaining, uint32_t worker);
    /* Stateless schemes: the size as a function of the step alone. Or null. */
    uint64_t (*size_at)(void *state, uint64_t step);
    /* Adaptive schemes: a worker has finished a task. Or null. */
    void (*update)(void *state, uint32_t worker, uint64_t units, uint64_t exec_ns, uint64_t overhead_ns);
    void (*destroy)(void *state); /* or null */
} daphne_part_vtable;

/* Calls add for every scheme; returns 0 unless something went wrong. */
int daphne_register_partitioners(void (*add)(const daphne_part_vtable *));

#ifdef __cplusplus
}
#endif

#endif
