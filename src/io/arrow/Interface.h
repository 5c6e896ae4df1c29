// SPDX-License-Identifier: Apache-2.0
/// What passes between Daphne and the library libdaphne_arrow, the only part that is
/// compiled against Arrow C++ and loads it: tables as streams of record batches in
/// the layout of Arrow's C data interface and C stream interface, which is fixed
/// for all versions. Daphne itself needs no Arrow.
#pragma once

#include <cstddef>
#include <cstdint>

extern "C" {

// The names of the guards are Arrow's, whose headers have the same structures.
#ifndef ARROW_C_DATA_INTERFACE
#define ARROW_C_DATA_INTERFACE
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

#endif

#ifndef ARROW_C_STREAM_INTERFACE
#define ARROW_C_STREAM_INTERFACE
/// Batches of a table, each a structure with one child per column; a released array at the end.
struct ArrowArrayStream {
    int (*get_schema)(ArrowArrayStream *, ArrowSchema *out);
    int (*get_next)(ArrowArrayStream *, ArrowArray *out);
    const char *(*get_last_error)(ArrowArrayStream *);
    void (*release)(ArrowArrayStream *);
    void *private_data;
};

#endif

/// Where a function of the library leaves a text for the user if it fails.
struct DaphneArrowMessage {
    char text[1024];
};

/// A file of which nothing but its description has been read. Functions give 0, or not 0 and a message. Released by
/// the host, as structures of Arrow are.
struct DaphneArrowFile {
    ArrowSchema schema; ///< of all columns; the library keeps it
    int64_t rows;       ///< -1: only reading tells
    /// How many cells of a column are null; -1: only reading tells.
    int64_t (*nulls)(const DaphneArrowFile *, size_t column);
    /// The table of some columns, ascending, at least one if there are any; the others are not read. With threads Arrow
    /// may use its own.
    int (*read)(DaphneArrowFile *, const size_t *columns, size_t n, bool threads, ArrowArrayStream *out,
                DaphneArrowMessage *);
    void (*release)(DaphneArrowFile *);
    void *own; ///< of the library
};

/// Functions of the library. Format is "parquet" or "arrow".
using DaphneArrowOpen = int(const char *path, const char *format, DaphneArrowFile *out, DaphneArrowMessage *);
using DaphneArrowWrite = int(const char *path, const char *format, ArrowArrayStream *in, DaphneArrowMessage *);
}
