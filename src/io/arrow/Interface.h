// SPDX-License-Identifier: Apache-2.0
/// What passes between Daphne and the library libdaphne_arrow, the only part that is
/// compiled against Arrow C++ and loads it: tables as streams of record batches in
/// the layout of Arrow's C data interface and C stream interface, which is fixed
/// for all versions. Daphne itself needs no Arrow.
#pragma once

#include <cstddef>
#include <cstdint>

extern "C" {

/// The type of a column; `format` is a short code such as "g" for doubles. Field by field as Arrow defines it.
struct ArrowSchema {
    const char *format, *name, *metadata;
    int64_t flags, n_children;
    ArrowSchema **children, *dictionary;
    void (*release)(ArrowSchema *);
    void *private_data;
};

/// The cells of a column: buffers[0] tells which are there (one bit each, null: all), the others hold them.
struct ArrowArray {
    int64_t length, null_count, offset, n_buffers, n_children;
    const void **buffers;
    ArrowArray **children, *dictionary;
    void (*release)(ArrowArray *);
    void *private_data;
};

/// Batches of a table, each a structure with one child per column; a released array at the end.
struct ArrowArrayStream {
    int (*get_schema)(ArrowArrayStream *, ArrowSchema *out);
    int (*get_next)(ArrowArrayStream *, ArrowArray *out);
    const char *(*get_last_error)(ArrowArrayStream *);
    void (*release)(ArrowArrayStream *);
    void *private_data;
};

/// Functions of the library. Format is "parquet" or "arrow"; 0: done, else a text for the user is in message.
using DaphneArrowRead = int(const char *path, const char *format, ArrowArrayStream *out, char *message, size_t room);
using DaphneArrowWrite = int(const char *path, const char *format, ArrowArrayStream *in, char *message, size_t room);
}
