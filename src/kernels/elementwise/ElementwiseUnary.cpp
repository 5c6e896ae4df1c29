// SPDX-License-Identifier: Apache-2.0
#include "kernels/elementwise/ElementwiseUnary.h"

#include "kernels/RawCells.h"
#include "kernels/elementwise/Broadcast.h"
#include "kernels/objects/CellText.h"
#include "ops/Registry.h"

namespace daphne {

namespace {

/// "for negative numbers", "below 1", "outside [-1, 1]".
std::string complementOf(const ops::Domain &domain) {
    std::string low = printedText(domain.low), high = printedText(domain.high);
    if (domain.high == ops::Domain().high)
        return domain.low == 0 ? "for negative numbers" : "below " + low;
    return domain.low == ops::Domain().low ? "above " + high : "outside [" + low + ", " + high + "]";
}

} // namespace

void outsideDomain(const KernelCall &call, ValueType t, const void *cell, const std::string &place) {
    std::string text =
        withNumericType(t, [&]<class T>(TypeTag<T>) { return printedText(*static_cast<const T *>(cell)); });
    std::string name(ops::userName(call.mnemonic()));
    throw executionError(name + " is not defined " + complementOf(call.kernel.cells->op->domain) + ": " + name + "(" +
                         text + ")" + place);
}

namespace {

Value mapScalar(const KernelCall &call, const UnaryLoop &loop, const Value &arg) {
    alignas(8) std::byte in[8], out[8];
    storeScalar(arg, loop.type, in);
    if (loop.cells(in, out, 1) != 1)
        outsideDomain(call, loop.type, in, "");
    return loadScalar(loop.type, out);
}

/// result(i, j) = f(arg(i, j))
Value map(KernelCall &call, const Value &arg) {
    if ((!arg.isScalar() && !arg.isMatrix()) || arg.valueType() == ValueType::Str)
        wrongArgument(call, 0, "a number or a numeric matrix");
    UnaryLoop loop = call.kernel.cells->unary(arg.valueType());
    if (arg.isScalar())
        return mapScalar(call, loop, arg);
    MatrixShape shape = shapeOf(arg);
    Ref<Dense> result = call.reuseOrCreate(0, loop.type, shape.rows, shape.cols);
    if (shape.cells() == 0)
        return result;
    MatrixShape walked = Operand::isFlat(arg, shape) ? MatrixShape{1, shape.cells()} : shape;
    Operand in(arg, loop.type, walked);
    auto out = mutableRawCells(*result);
    forEachChunk(walked, in.needsStaging(), [&](const Chunk &chunk) {
        const void *cells = in.at(chunk).data;
        size_t first = chunk.row * walked.cols + chunk.col;
        size_t done = loop.cells(cells, out.data + first * out.cellBytes, chunk.numCells);
        if (done == chunk.numCells)
            return;
        size_t at = first + done;
        outsideDomain(call, loop.type, static_cast<const std::byte *>(cells) + done * out.cellBytes,
                      " at row " + std::to_string(at / shape.cols) + ", column " + std::to_string(at % shape.cols));
    });
    return result;
}

} // namespace

void addElementwiseUnary(KernelTable &t) {
    for (const CellFunction &f : CellTable::get().functions())
        if (f.unary)
            t.add<&map>(f.op->mnemonic, f);
}

} // namespace daphne
