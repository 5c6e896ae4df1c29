// SPDX-License-Identifier: Apache-2.0
#include "kernels/Broadcast.h"
#include "kernels/ElementwiseBinary.h"
#include "kernels/RawCells.h"

namespace daphne {

namespace {

/// result(i, j) = lhs(i, 0) op rhs(0, j): one loop per row with a single left operand.
Value allPairs(BinaryOp op, const Dense &lhs, const Dense &rhs) {
    BinaryLoops loops = binaryLoops(op, mostGeneral(lhs.type(), rhs.type()));
    size_t rows = lhs.rows(), cols = rhs.cols();
    Ref<Dense> a = convertMatrix(lhs, loops.compute), b = convertMatrix(rhs, loops.compute);
    auto left = rawCells(*a), right = rawCells(*b);
    auto result = Dense::create(loops.result, rows, cols);
    auto out = mutableRawCells(*result);
    for (size_t r = 0; r < rows; ++r) {
        size_t done = loops.leftSingle(left.row(r), right.data, out.row(r), cols);
        if (done != cols)
            domainError(op, loops.compute, left.row(r), right.cell(0, done),
                        " at row " + std::to_string(r) + ", column " + std::to_string(done));
    }
    return result;
}

Value allPairsOfStrings(BinaryOp op, const Dense &lhs, const Dense &rhs) {
    Ref<Dense> a = convertMatrix(lhs, ValueType::Str), b = convertMatrix(rhs, ValueType::Str);
    auto left = a->view<std::string>(), right = b->view<std::string>();
    bool text = op == BinaryOp::Concat || op == BinaryOp::Min || op == BinaryOp::Max;
    auto result = Dense::create(text ? ValueType::Str : ValueType::SI64, left.rows, right.cols);
    for (size_t r = 0; r < left.rows; ++r)
        for (size_t c = 0; c < right.cols; ++c)
            if (text)
                result->mutableView<std::string>()(r, c) = combineText(op, left(r, 0), right(0, c));
            else
                result->mutableView<int64_t>()(r, c) = compareText(op, left(r, 0), right(0, c));
    return result;
}

template <BinaryOp Op> Value outer(KernelCall &call, const Dense &lhs, const Dense &rhs) {
    if (lhs.cols() != 1)
        wrongArgument(call, 0, "a matrix with one column");
    if (rhs.rows() != 1)
        wrongArgument(call, 1, "a matrix with one row");
    if (worksOnStrings(call, Op, lhs.type(), rhs.type()))
        return allPairsOfStrings(Op == BinaryOp::Add ? BinaryOp::Concat : Op, lhs, rhs);
    return allPairs(Op, lhs, rhs);
}

} // namespace

void addOuter(KernelTable &t) {
    t.add<&outer<BinaryOp::Add>>("outerAdd");
    t.add<&outer<BinaryOp::Sub>>("outerSub");
    t.add<&outer<BinaryOp::Mul>>("outerMul");
    t.add<&outer<BinaryOp::Div>>("outerDiv");
    t.add<&outer<BinaryOp::Pow>>("outerPow");
    t.add<&outer<BinaryOp::Mod>>("outerMod");
    t.add<&outer<BinaryOp::Log>>("outerLog");
    t.add<&outer<BinaryOp::Min>>("outerMin");
    t.add<&outer<BinaryOp::Max>>("outerMax");
    t.add<&outer<BinaryOp::Eq>>("outerEq");
    t.add<&outer<BinaryOp::Neq>>("outerNeq");
    t.add<&outer<BinaryOp::Lt>>("outerLt");
    t.add<&outer<BinaryOp::Le>>("outerLe");
    t.add<&outer<BinaryOp::Gt>>("outerGt");
    t.add<&outer<BinaryOp::Ge>>("outerGe");
    t.add<&outer<BinaryOp::And>>("outerAnd");
    t.add<&outer<BinaryOp::Or>>("outerOr");
    t.add<&outer<BinaryOp::Xor>>("outerXor");
    t.add<&outer<BinaryOp::Concat>>("outerConcat");
}

} // namespace daphne
