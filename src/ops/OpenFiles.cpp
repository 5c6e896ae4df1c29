// SPDX-License-Identifier: Apache-2.0
/// Files a script opens, reads in parts and closes by itself; marks for profilers.
#include "ops/Operands.h"

namespace daphne::ops {

namespace {

using namespace rule;

/// openFile, openDevice, openFileOnTarget: strings to a handle.
Types handle(const InferCall &call) {
    for (size_t i = 0; i < call.args.size(); ++i)
        needString(call, i);
    return {TypeDesc::scalar(ValueType::SI64)};
}

Types close(const InferCall &call) {
    needNumericScalar(call, 0);
    return {};
}

/// readCsv(fileOrDescriptor, numRows, numCols, delimiter)
Types readCsv(const InferCall &call) {
    needScalar(call, 0);
    int64_t rows = sizeOperand(call, 1), cols = sizeOperand(call, 2);
    needString(call, 3);
    return {TypeDesc::matrix(ValueType::F64, rows, cols)};
}

Types region(const InferCall &call) {
    needString(call, 0);
    return {};
}

/// What these do depends on what was done before.
constexpr OpInfo effect(Mnemonic name, uint8_t numArgs, uint8_t numResults, InferFn infer) {
    return {.mnemonic = name,
            .minArgs = numArgs,
            .maxArgs = numArgs,
            .numResults = numResults,
            .infer = infer,
            .mayFail = always,
            .sideEffect = true};
}

// clang-format off: one row per line or paragraph
constexpr OpInfo kOps[] = {
    effect("openFile", 1, 1, handle),
    effect("openDevice", 1, 1, handle),
    effect("openFileOnTarget", 2, 1, handle),
    effect("close", 1, 0, close),
    effect("readCsv", 4, 1, readCsv),
    effect("startProfiling", 1, 0, region),
    effect("stopProfiling", 1, 0, region),
};

constexpr Builtin kBuiltins[] = {
    {.signature = "openFile(filename)", .op = "openFile",
     .doc = "Opens a file for reading and returns its handle, a number. Files that are not closed are closed when the "
            "program ends.",
     .example = "write([1.5, 2.5, 3.5], \"example.csv\");\nf = openFile(\"example.csv\");\n"
                "print(readCsv(f, 1, 1, \",\")); print(readCsv(f, 2, 1, \",\")); close(f);",
     .expect = "DenseMatrix(1x1, double)\n1.5\nDenseMatrix(2x1, double)\n2.5\n3.5\n"},
    {.signature = "openDevice(device)", .op = "openDevice",
     .doc = "Opens a device file for reading and returns its handle.",
     .example = "f = openDevice(\"/dev/null\"); close(f); print(\"closed\");", .expect = "closed\n"},
    {.signature = "openFileOnTarget(target, filename)", .op = "openFileOnTarget",
     .doc = "Opens a file in the directory target for reading and returns its handle.",
     .example = "write([7.0], \"example.csv\");\nf = openFileOnTarget(\".\", \"example.csv\");\n"
                "print(readCsv(f, 1, 1, \",\"));",
     .expect = "DenseMatrix(1x1, double)\n7\n"},
    {.signature = "close(handle)", .op = "close", .doc = "Closes an open file.",
     .example = "write([7.0], \"example.csv\");\nclose(openFile(\"example.csv\")); print(\"closed\");",
     .expect = "closed\n"},
    {.signature = "readCsv(fileOrDescriptor, numRows, numCols, delimiter)", .op = "readCsv",
     .doc = "Reads the next numRows lines of an open file (a handle), or the first ones of a file (a name), as a "
            "matrix of f64. Every line has numCols fields with the one-character delimiter between them. Further lines "
            "are left.",
     .example = "write([1.0, 2.0, 3.0, 4.0](2, 2), \"example.csv\");\nprint(readCsv(\"example.csv\", 2, 2, \",\"));",
     .expect = "DenseMatrix(2x2, double)\n1 2\n3 4\n"},
    {.signature = "startProfiling(region)", .op = "startProfiling",
     .doc = "Marks the begin of a named region for profilers. Starting a region twice is an error.",
     .example = "startProfiling(\"sums\"); print(sum([1, 2])); stopProfiling(\"sums\");", .expect = "3\n"},
    {.signature = "stopProfiling(region)", .op = "stopProfiling",
     .doc = "Marks the end of a named region for profilers. Stopping a region that was not started is an error.",
     .example = "startProfiling(\"sums\"); print(sum([1, 2])); stopProfiling(\"sums\");", .expect = "3\n"},
};
// clang-format on

} // namespace

void addOpenFiles(Registry &r) {
    r.add(kOps);
    r.add(kBuiltins);
}

} // namespace daphne::ops
