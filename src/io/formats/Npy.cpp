// SPDX-License-Identifier: Apache-2.0
/// Files with one NumPy array (numpy.save): matrices, and frames as structured
/// arrays.
#include "data/CopyCells.h"
#include "io/NpyArray.h"

namespace daphne::io {

namespace {

std::optional<Metadata> describe(ReadJob &job) {
    ByteCursor in(job.text(), job.path);
    return readNpyHeader(in).metadata();
}

Value readMatrix(ReadJob &job) {
    ByteCursor in(job.text(), job.path);
    NpyHeader h = readNpyHeader(in);
    auto m = readNpyMatrix(in, h, job);
    return inWantedForm(converted(*m, resultType(job, m->type())), job.request);
}

Value readFrame(ReadJob &job) {
    ByteCursor in(job.text(), job.path);
    NpyHeader h = readNpyHeader(in);
    return readNpyFrame(in, h, job);
}

/// Rows that lie one after another.
std::optional<Metadata> describeRows(ReadJob &job) {
    ByteCursor in(job.text(), job.path);
    NpyHeader h = readNpyHeader(in);
    if (h.structured || h.columnMajor || h.rows == 0 || h.cols == 0 || !isNumeric(h.fields[0].type()))
        return std::nullopt;
    Metadata meta = h.metadata();
    meta.valueType = resultType(job, meta.valueType);
    return meta;
}

Ref<Dense> readRows(ReadJob &job, size_t first, size_t count) {
    ByteCursor in(job.text(), job.path);
    NpyHeader h = readNpyHeader(in);
    if (!describeRows(job) || first > h.rows || count > h.rows - first)
        throw job.error("it does not have the rows that are wanted");
    in.seek(in.position() + first * h.cols * h.cellBytes);
    h.rows = count;
    auto m = readNpyMatrix(in, h, job);
    return converted(*m, resultType(job, m->type()));
}

void writeMatrix(const Matrix &m, WriteJob &job) { writeNpy(*denseOf(m), job.file); }
void writeFrame(const Frame &f, WriteJob &job) { writeNpy(f, job.file); }

} // namespace

void addNpy(FormatTable &t) {
    t.add({.extension = "npy",
           .title = "NumPy array",
           .describe = describe,
           .readMatrix = readMatrix,
           .readFrame = readFrame,
           .writeMatrix = writeMatrix,
           .writeFrame = writeFrame,
           .describeRows = describeRows,
           .readRows = readRows});
}

} // namespace daphne::io
