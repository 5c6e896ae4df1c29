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
           .writeFrame = writeFrame});
}

} // namespace daphne::io
