// SPDX-License-Identifier: Apache-2.0
#include "base/Cancellable.h"
#include "kernels/RawCells.h"
#include "kernels/elementwise/Broadcast.h"
#include "kernels/elementwise/ElementwiseBinary.h"

namespace daphne {

namespace {

/// result(i, j) = f(lhs(i, 0), rhs(0, j)): one loop per row with a single left operand.
Value allPairs(const CellFunction &f, const Dense &lhs, const Dense &rhs) {
    BinaryLoops loops = f.binary(mostGeneral(lhs.type(), rhs.type()));
    size_t rows = lhs.rows(), cols = rhs.cols();
    Ref<Dense> a = convertMatrix(lhs, loops.compute), b = convertMatrix(rhs, loops.compute);
    auto left = rawCells(*a), right = rawCells(*b);
    auto result = Dense::create(loops.result, rows, cols);
    auto out = mutableRawCells(*result);
    for (size_t r : cancellable(rows, cols)) {
        size_t done = loops.leftSingle(left.row(r), right.data, out.row(r), cols);
        if (done != cols)
            domainError(f, loops, left.row(r), right.cell(0, done),
                        " at row " + std::to_string(r) + ", column " + std::to_string(done));
    }
    return result;
}

Value allPairsOfStrings(const TextFunction &f, const Dense &lhs, const Dense &rhs) {
    Ref<Dense> a = convertMatrix(lhs, ValueType::Str), b = convertMatrix(rhs, ValueType::Str);
    auto left = a->view<std::string>(), right = b->view<std::string>();
    auto result = Dense::create(f.combine ? ValueType::Str : ValueType::SI64, left.rows, right.cols);
    for (size_t r : cancellable(left.rows, right.cols))
        for (size_t c = 0; c < right.cols; ++c)
            if (f.combine)
                result->mutableView<std::string>()(r, c) = f.combine(left(r, 0), right(0, c));
            else
                result->mutableView<int64_t>()(r, c) = f.compare(left(r, 0), right(0, c));
    return result;
}

Value outer(KernelCall &call, const Dense &lhs, const Dense &rhs) {
    const CellFunction &f = *call.kernel.cells;
    if (lhs.cols() != 1)
        wrongArgument(call, 0, "a matrix with one column");
    if (rhs.rows() != 1)
        wrongArgument(call, 1, "a matrix with one row");
    if (worksOnStrings(call, f, lhs.type(), rhs.type()))
        return allPairsOfStrings(f.text, lhs, rhs);
    return allPairs(f, lhs, rhs);
}

} // namespace

void addOuter(KernelTable &t) {
    for (const ops::OpInfo *op : ops::Registry::get().ops())
        if (op->family == ops::Family::Outer)
            t.add<&outer>(op->mnemonic, cellFunction(op->cells));
}

} // namespace daphne
