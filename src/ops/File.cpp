// SPDX-License-Identifier: Apache-2.0
/// Reading and writing files.
#include "ops/Operands.h"

namespace daphne::ops {

namespace {

using namespace rule;

/// read(filename, isFrame, labels of the columns that are wanted...); the flag is absent while parsing, without labels
/// all columns are wanted.
Types read(const InferCall &call) {
    needString(call, 0);
    for (size_t i = 2; i < call.args.size(); ++i)
        needString(call, i);
    auto isFrame = call.args.size() > 1 ? flagOperand(call, 1) : std::nullopt;
    if (!isFrame)
        return {TypeDesc::unknown()};
    return {*isFrame ? TypeDesc::frame(nullptr) : TypeDesc::matrix(ValueType::Unknown)};
}

/// write(arg, filename)
Types write(const InferCall &call) {
    needMatrixOrFrame(call, 0);
    needString(call, 1);
    return {};
}

// Files may change between two reads and are changed by writes, so the order of both is kept.
// clang-format off: one row per line or paragraph
constexpr OpInfo kOps[] = {
    {.mnemonic = "read", .minArgs = 2, .maxArgs = kVariadic, .infer = read, .mayFail = always, .sideEffect = true,
     .effects = Effect::ReadsFile},
    {.mnemonic = "write", .minArgs = 2, .maxArgs = 2, .numResults = 0, .infer = write, .mayFail = always,
     .sideEffect = true, .effects = Effect::WritesFile},
};

constexpr std::string_view kWriteDoc =
    "Writes a matrix or frame to a file, in the format of its extension, and filename.meta beside it.";

constexpr Builtin kBuiltins[] = {
    {.signature = "readMatrix(filename)", .op = "read", .atParse = ResultAtParse::Unknown,
     .doc = "Reads a matrix from a file in the format of its extension. Type and shape come from filename.meta, or "
            "from the data if there is no such file.",
     .example = "write([1.5, 2.5], \"example.csv\");\nprint(readMatrix(\"example.csv\"));",
     .expect = "DenseMatrix(2x1, double)\n1.5\n2.5\n"},
    {.signature = "readFrame(filename)", .op = "read", .atParse = ResultAtParse::Unknown,
     .doc = "Reads a frame from a file in the format of its extension. Labels and types come from filename.meta, or "
            "from the data if there is no such file.",
     .example = "write({\"a\": [1, 2]}, \"example.csv\");\nprint(readFrame(\"example.csv\"));",
     .expect = "Frame(2x1, [a:int64_t])\n1\n2\n"},
    {.signature = "write(arg, filename)", .op = "write", .doc = kWriteDoc,
     .example = "write([1, 2], \"example.csv\");\nprint(readMatrix(\"example.csv\"));",
     .expect = "DenseMatrix(2x1, int64_t)\n1\n2\n"},
    {.signature = "writeMatrix(arg, filename)", .op = "write", .doc = kWriteDoc,
     .example = "writeMatrix([3], \"example.csv\");\nprint(readMatrix(\"example.csv\"));",
     .expect = "DenseMatrix(1x1, int64_t)\n3\n"},
    {.signature = "writeFrame(arg, filename)", .op = "write", .doc = kWriteDoc,
     .example = "writeFrame({\"b\": [\"x\"]}, \"example.csv\");\nprint(readFrame(\"example.csv\"));",
     .expect = "Frame(1x1, [b:std::string])\nx\n"},
};
// clang-format on

} // namespace

void addFile(Registry &r) {
    r.add(kOps);
    r.add(kBuiltins);
}

} // namespace daphne::ops
