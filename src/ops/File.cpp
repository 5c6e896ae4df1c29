// SPDX-License-Identifier: Apache-2.0
/// Reading and writing files.
#include "ops/Operands.h"

namespace daphne::ops {

namespace {

using namespace rule;

/// read(filename, isFrame, header, delimiter, quote, nulls, lenient, labels of the columns that are wanted...); without
/// labels all columns are wanted. An option that is not given is -1 of si8.
Types read(const InferCall &call) {
    constexpr size_t kNulls = 5;
    needString(call, 0);
    for (size_t i = 2; i < 7 && i < call.args.size(); ++i)
        if (i != kNulls)
            needScalar(call, i);
    const TypeDesc nulls = call.args.size() > kNulls ? call.type(kNulls) : TypeDesc::unknown();
    if (nulls.isMatrix() && nulls.valueType != ValueType::Str && nulls.valueType != ValueType::Unknown)
        wrongOperand(call, kNulls, "a text or a matrix of texts");
    for (size_t i = 7; i < call.args.size(); ++i)
        needString(call, i);
    auto isFrame = flagOperand(call, 1);
    if (!isFrame)
        return {TypeDesc::unknown()};
    return {*isFrame ? TypeDesc::frame(nullptr) : TypeDesc::matrix(ValueType::Unknown)};
}

/// write(arg, filename, header, delimiter, quote, nulls, digits)
Types write(const InferCall &call) {
    needMatrixOrFrame(call, 0);
    needString(call, 1);
    for (size_t i = 2; i < call.args.size(); ++i)
        needScalar(call, i);
    return {};
}

// Files may change between two reads and are changed by writes, so the order of both is kept.
// clang-format off: one row per line or paragraph
constexpr OpInfo kOps[] = {
    {.mnemonic = "read", .minArgs = 7, .maxArgs = kVariadic, .infer = read, .mayFail = always, .sideEffect = true,
     .effects = Effect::ReadsFile},
    {.mnemonic = "write", .minArgs = 7, .maxArgs = 7, .numResults = 0, .infer = write, .mayFail = always,
     .sideEffect = true, .effects = Effect::WritesFile},
};

constexpr std::string_view kWriteDoc =
    "Writes a matrix or frame to a file, in the format of its extension, and filename.meta beside it. Options of CSV "
    "files: header (whether the first line holds the labels), delimiter, quote, nulls (the text for nulls) and digits "
    "(significant digits of floats; 0: the fewest that read back as the same number).";

constexpr Builtin kBuiltins[] = {
    {.signature = "readMatrix(filename, header = none, delimiter = none, quote = none, nulls = none, lenient = none)",
     .op = "read", .atParse = ResultAtParse::Unknown,
     .doc = "Reads a matrix from a file in the format of its extension. Type and shape come from filename.meta, or "
            "from the data if there is no such file. Options of CSV files: header (whether the first line holds the "
            "labels; without it, the metadata or the data tell), delimiter, quote, nulls (a text or a matrix of texts "
            "for missing values) and lenient (reads mistakes as well as possible, which are errors otherwise).",
     .example = "write([1.5, 2.5], \"example.csv\");\nprint(readMatrix(\"example.csv\"));",
     .expect = "DenseMatrix(2x1, double)\n1.5\n2.5\n"},
    {.signature = "readFrame(filename, header = none, delimiter = none, quote = none, nulls = none, lenient = none)",
     .op = "read", .atParse = ResultAtParse::Unknown,
     .doc = "Reads a frame from a file in the format of its extension. Labels and types come from filename.meta, or "
            "from the data if there is no such file. Options are those of readMatrix.",
     .example = "write({\"a\": [1, 2]}, \"example.csv\", header = true);\nprint(readFrame(\"example.csv\"));",
     .expect = "Frame(2x1, [a:int64_t])\n1\n2\n"},
    {.signature = "write(arg, filename, header = false, delimiter = \",\", quote = \"\\\"\", nulls = \"\", digits = 0)",
     .op = "write", .doc = kWriteDoc,
     .example = "write([1, 2], \"example.csv\", delimiter = \";\");\nprint(readMatrix(\"example.csv\"));",
     .expect = "DenseMatrix(2x1, int64_t)\n1\n2\n"},
    {.signature =
         "writeMatrix(arg, filename, header = false, delimiter = \",\", quote = \"\\\"\", nulls = \"\", digits = 0)",
     .op = "write", .doc = kWriteDoc,
     .example = "writeMatrix([3], \"example.csv\");\nprint(readMatrix(\"example.csv\"));",
     .expect = "DenseMatrix(1x1, int64_t)\n3\n"},
    {.signature =
         "writeFrame(arg, filename, header = false, delimiter = \",\", quote = \"\\\"\", nulls = \"\", digits = 0)",
     .op = "write", .doc = kWriteDoc,
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
