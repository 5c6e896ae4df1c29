// SPDX-License-Identifier: Apache-2.0
/// Random operands for every op: by family, and for the family Call by a table
/// of makers per mnemonic. Most tuples fit the op, some do not. Tests only.
#pragma once

#include <map>

#include "data/Sequence.h"
#include "kernels/ColumnOperands.h"
#include "kernels/NeuralOperands.h"
#include "kernels/RandomMatrices.h"
#include "ops/Registry.h"

namespace daphne::test {

/// How exactly results of two representations must agree.
enum class Exactness : uint8_t {
    Exact,
    Elementwise, ///< a few units in the last place: vectorised functions may round differently
    Sums,        ///< an absolute error in proportion to the operands, too: the order of additions is free
};

struct OperandMaker {
    Operands (*make)(RandomMatrices &);
    Exactness exactness = Exactness::Exact;
};

namespace make {

using R = RandomMatrices;
inline Value number(int64_t x) { return R::integer(x); }

/// A second size that usually equals the first.
inline size_t matching(R &r, size_t n) { return r.oneIn(10) ? r.size() : n; }
inline size_t multiple(R &r, size_t n) { return n * r.positiveSize(); }

inline Operands one(R &r) { return {{r.matrix()}}; }
inline Operands formatted(R &r) { return {{Value::string("{:>9}"), r.matrix()}}; }
inline Operands square(R &r) {
    size_t n = r.size();
    return {{r.matrix(n, matching(r, n))}};
}
inline Operands symmetric(R &r) {
    size_t n = r.size();
    auto m = r.matrix(n, matching(r, n));
    if (m->rows() == m->cols() && !r.oneIn(4))
        withNumericType(m->type(), [&]<class T>(TypeTag<T>) {
            auto v = m->mutableView<T>();
            for (size_t i = 0; i < n; ++i)
                for (size_t k = 0; k < i; ++k)
                    v(i, k) = v(k, i);
        });
    return {{m}};
}
inline Operands symmetricFloats(R &r) {
    r.allowSpecialValues(false);
    Operands o = symmetric(r);
    o.args[0] = cast(o.args[0], ValueKind::Matrix, r.floatType());
    return o;
}
inline Operands column(R &r) { return {{r.matrix(r.size(), matching(r, 1))}}; }

/// The second operand of a broadcast: same shape, a row, a column, one cell, a scalar, or something that may not fit.
inline Operands broadcast(R &r) {
    size_t rows = r.size(), cols = r.size();
    ValueType type = r.numericType();
    Value full = r.matrix(type, rows, cols), other;
    if (r.oneIn(3))
        type = r.numericType();
    switch (r.below(7)) {
    case 0: other = r.matrix(type, 1, cols); break;
    case 1: other = r.matrix(type, rows, 1); break;
    case 2: other = r.matrix(type, 1, 1); break;
    case 3: other = r.scalar(type); break;
    default: other = r.matrix(type, matching(r, rows), matching(r, cols));
    }
    if (r.oneIn(20))
        other = r.strings(rows, cols);
    if (r.oneIn(3))
        std::swap(full, other);
    return {{full, other}};
}
inline Operands outer(R &r) {
    ValueType type = r.numericType();
    return {{r.matrix(type, r.size(), matching(r, 1)),
             r.matrix(r.oneIn(2) ? type : r.numericType(), matching(r, 1), r.size())}};
}

inline Operands castTo(R &r) {
    constexpr ValueKind kKinds[] = {ValueKind::None, ValueKind::Matrix, ValueKind::Scalar, ValueKind::Frame};
    ValueKind kind = r.anyOf(kKinds);
    Value x = kind == ValueKind::Scalar && !r.oneIn(3) ? r.matrix(1, 1) : r.matrix();
    ValueType type = r.oneIn(4) ? ValueType::Unknown : static_cast<ValueType>(r.below(kNumValueTypes));
    return {{x}, Slot{static_cast<uint64_t>(kind) | static_cast<uint64_t>(type) << 8, 0}};
}
inline Operands conditional(R &r) {
    size_t rows = r.size(), cols = r.size();
    ValueType type = r.numericType();
    Operands o;
    o.args.push_back(r.oneIn(3) ? r.scalar() : Value(r.matrix(rows, cols)));
    for (int branch = 0; branch < 2; ++branch)
        o.args.push_back(r.oneIn(4) ? r.scalar(type)
                                    : Value(r.matrix(r.oneIn(12) ? r.numericType() : type, matching(r, rows), cols)));
    return o;
}
inline Operands condition(R &r) { return {{r.matrix(matching(r, 1), 1)}}; }

// ------------------------------------------------------------------ indexing

/// A range of positions of [0, n), now and then outside.
inline std::pair<int64_t, int64_t> range(R &r, size_t n) {
    int64_t low = static_cast<int64_t>(r.below(n + 1)), high = low + static_cast<int64_t>(r.below(n + 2 - size_t(low)));
    return {low - r.oneIn(10), high + r.oneIn(10)};
}
template <bool Rows> Operands slice(R &r) {
    Value x = r.matrix();
    auto [low, high] = range(r, Rows ? x.matrix().rows() : x.matrix().cols());
    return {{x, number(low), number(high)}};
}
inline ValueType positionType(R &r) {
    constexpr ValueType kTypes[] = {ValueType::SI64, ValueType::F64, ValueType::Size, ValueType::UI8};
    return r.anyOf(kTypes);
}
template <bool Rows> Operands extract(R &r) {
    Value x = r.matrix();
    int64_t n = static_cast<int64_t>(Rows ? x.matrix().rows() : x.matrix().cols());
    if (r.oneIn(4))
        return {{x, number(static_cast<int64_t>(r.below(size_t(n) + 1)) - r.oneIn(6))}};
    return {
        {x, r.integers(positionType(r), n ? r.size() : 0, matching(r, 1), 0, std::max<int64_t>(0, n - !r.oneIn(20)))}};
}
template <bool Rows> Operands filter(R &r) {
    Value x = r.matrix();
    size_t n = Rows ? x.matrix().rows() : x.matrix().cols();
    return {{x, r.matrix(matching(r, n), matching(r, 1))}};
}
/// insertRow, insertCol, insert
template <bool Rows, bool Cols> Operands insertion(R &r) {
    ValueType type = r.numericType();
    size_t rows = r.size(), cols = r.size();
    std::pair<int64_t, int64_t> rowRange{0, rows}, colRange{0, cols};
    if (Rows)
        rowRange = range(r, rows);
    if (Cols)
        colRange = range(r, cols);
    auto length = [&](const std::pair<int64_t, int64_t> &p) {
        return matching(r, static_cast<size_t>(std::max<int64_t>(0, p.second - p.first)));
    };
    ValueType other = r.oneIn(20) ? r.numericType() : type;
    Operands o{{r.matrix(type, rows, cols),
                r.oneIn(4) ? r.scalar(other) : Value(r.matrix(other, length(rowRange), length(colRange)))}};
    for (auto [used, p] : {std::pair{Rows, rowRange}, {Cols, colRange}})
        if (used) {
            o.args.push_back(number(p.first));
            o.args.push_back(number(p.second));
        }
    return o;
}

inline size_t numNonZeros(const Value &m) {
    size_t n = 0;
    withNumericType(m.valueType(), [&]<class T>(TypeTag<T>) {
        auto cells = m.dense().view<T>();
        for (size_t i = 0; i < m.dense().cells(); ++i)
            n += cells.data[i] != T(0);
    });
    return n;
}
/// x and marks of its shape
inline Operands markedCells(R &r) {
    size_t rows = r.size(), cols = r.size();
    return {{r.matrix(rows, cols), r.matrix(matching(r, rows), matching(r, cols))}};
}
/// x, what is put into it, marks of its shape
inline Operands insertionIntoCells(R &r) {
    Operands o = markedCells(r);
    ValueType type = o.args[0].valueType();
    o.args.insert(o.args.begin() + 1,
                  r.oneIn(3) ? r.scalar(type) : Value(r.matrix(type, matching(r, numNonZeros(o.args[1])), 1)));
    return o;
}
/// x, what is put into it, marks of rows and of columns
inline Operands insertionIntoMarked(R &r) {
    size_t size[] = {r.size(), r.size()}, selected[2];
    ValueType type = r.numericType();
    Operands o{{r.matrix(type, size[0], size[1]), Value()}};
    for (int d = 0; d < 2; ++d) {
        bool all = r.oneIn(3);
        o.args.push_back(all ? Value::scalar(true) : Value(r.matrix(matching(r, size[d]), 1)));
        selected[d] = all ? size[d] : numNonZeros(o.args.back());
    }
    o.args[1] = r.oneIn(3) ? r.scalar(type) : Value(r.matrix(type, matching(r, selected[0]), selected[1]));
    return o;
}

// ------------------------------------------------------------- linear algebra

inline Operands product(R &r) {
    bool transposed[] = {r.oneIn(3), r.oneIn(3)};
    size_t rows = r.size(), common = r.size(), cols = r.oneIn(3) ? 1 : r.size(), other = matching(r, common);
    ValueType type = r.numericType(), second = r.oneIn(3) ? r.numericType() : type;
    return {{transposed[0] ? r.matrix(type, common, rows) : r.matrix(type, rows, common),
             transposed[1] ? r.matrix(second, cols, other) : r.matrix(second, other, cols),
             Value::scalar(transposed[0]), Value::scalar(transposed[1])}};
}
inline Operands gemv(R &r) {
    size_t rows = r.size();
    return {{r.matrix(rows, r.size()), r.matrix(matching(r, rows), matching(r, 1))}};
}
/// A dominant diagonal keeps the system well conditioned.
inline Operands system(R &r) {
    r.allowSpecialValues(false);
    size_t n = r.size();
    ValueType type = r.oneIn(2) ? ValueType::F64 : r.numericType();
    auto a = r.matrix(type, n, matching(r, n));
    if (!r.oneIn(8))
        withNumericType(type, [&]<class T>(TypeTag<T>) {
            for (size_t i = 0; i < std::min(a->rows(), a->cols()); ++i)
                a->mutableView<T>()(i, i) = static_cast<T>(100);
        });
    return {{a, r.matrix(matching(r, n), r.positiveSize())}};
}

// ------------------------------------------------------------- reorganisation

inline Operands bindColumns(R &r) {
    size_t rows = r.size();
    return {{r.matrix(rows, r.size()), r.matrix(matching(r, rows), r.size())}};
}
inline Operands membership(R &r) { return {{r.matrix(r.size(), matching(r, 1)), r.matrix(r.size(), matching(r, 1))}}; }
inline Operands bindRows(R &r) {
    size_t cols = r.size();
    return {{r.matrix(r.size(), cols), r.matrix(r.size(), matching(r, cols))}};
}
inline Operands reshape(R &r) {
    size_t rows = r.size(), cols = r.size(), parts = r.positiveSize();
    Value x = r.matrix(rows * parts, cols);
    return {{x, number(int64_t(rows)), number(int64_t(cols * parts + r.oneIn(12)))}};
}
inline Operands order(R &r) {
    size_t cols = r.positiveSize(), keys = 1 + r.below(2);
    Operands o{{r.matrix(r.size(), cols)}};
    for (size_t k = 0; k < keys; ++k)
        o.args.push_back(number(int64_t(r.below(cols + r.oneIn(12)))));
    for (size_t k = 0; k < keys + 1; ++k)
        o.args.push_back(r.flag());
    return o;
}
inline Operands replace(R &r) {
    ValueType type = r.numericType();
    Value x = r.matrix(type, r.size(), r.size());
    auto other = [&] { return r.oneIn(4) ? r.scalar() : r.scalar(type); };
    return {{x, r.oneIn(4) ? Value::scalar(std::numeric_limits<double>::quiet_NaN()) : other(), other()}};
}
inline Operands triangle(R &r) {
    Operands o = square(r);
    for (int i = 0; i < 3; ++i)
        o.args.push_back(r.flag());
    return o;
}

// ------------------------------------------------- preprocessing and networks

inline Operands contingency(R &r) {
    size_t n = r.size();
    auto coordinates = [&] { return r.integers(positionType(r), matching(r, n), matching(r, 1), 0, 6); };
    Operands o{{coordinates(), coordinates()}};
    size_t form = r.below(4);
    if (form & 1)
        o.args.push_back(r.scalar());
    if (form & 2)
        for (int i = 0; i < 2; ++i)
            o.args.push_back(number(static_cast<int64_t>(r.below(9)) - 1));
    return o;
}
inline Operands recode(R &r) { return {{r.matrix(r.size(), matching(r, 1)), r.flag()}}; }
inline Operands oneHot(R &r) {
    size_t cols = r.size();
    return {{r.integers(r.numericType(), r.size(), cols, 0, 3),
             r.integers(ValueType::SI64, 1, matching(r, cols), -1 - r.oneIn(12), r.oneIn(4) ? 2 : 5)}};
}
inline Operands bins(R &r) {
    Operands o{{r.matrix(), number(static_cast<int64_t>(r.below(6)) + !r.oneIn(8))}};
    if (r.oneIn(2)) {
        o.args.push_back(number(-2));
        o.args.push_back(number(3));
    }
    return o;
}
inline Operands quantize(R &r) {
    return {{r.matrix(r.oneIn(4) ? r.numericType() : ValueType::F32, r.size(), r.size()), Value::scalar(-1.0f),
             Value::scalar(2.0f)}};
}
inline Operands bias(R &r) {
    size_t channels = r.positiveSize();
    ValueType type = r.numericType();
    return {{r.matrix(type, r.size(), multiple(r, channels) + r.oneIn(10)),
             r.matrix(r.oneIn(3) ? r.numericType() : type, channels, matching(r, 1))}};
}

/// f(values, groupIds, numGroups)
inline Operands groups(R &r) {
    size_t rows = r.size();
    return {{r.matrix(rows, matching(r, 1)), r.integers(positionType(r), matching(r, rows), 1, 0, 3 + r.oneIn(12)),
             number(4)}};
}
/// q is a number or a vector.
inline Operands quantiles(R &r) {
    Value x = r.matrix();
    if (r.oneIn(2))
        return {{x, Value::scalar(0.25 * static_cast<double>(r.below(5 + r.oneIn(12))))}};
    auto q = r.integers(ValueType::F64, r.size(), 1, 0, 4);
    for (size_t i = 0; i < q->rows(); ++i)
        q->mutableView<double>().data[i] /= 4;
    return {{x, q}};
}
inline Operands twoAny(R &r) { return {{r.matrix(), r.matrix()}}; }
inline Operands norm(R &r) {
    r.allowSpecialValues(false);
    const Value kKinds[] = {Value::string("fro"), number(1), number(2), Value::scalar(HUGE_VAL), number(3)};
    return {{r.matrix(), kKinds[r.below(5)]}};
}
inline Operands finite(R &r) {
    r.allowSpecialValues(false);
    return one(r);
}
inline Operands invertible(R &r) { return {{system(r).args[0]}}; }
/// Symmetric with a dominant diagonal.
inline Operands positiveDefinite(R &r) {
    Operands o = symmetricFloats(r);
    Dense &m = o.args[0].dense();
    withNumericType(m.type(), [&]<class T>(TypeTag<T>) {
        for (size_t i = 0; i < std::min(m.rows(), m.cols()); ++i)
            m.mutableView<T>()(i, i) = T(100);
    });
    return o;
}

/// cg, gmres: a dominant diagonal, one column on the right.
template <bool Restarts> Operands iterative(R &r) {
    Operands o = positiveDefinite(r);
    size_t n = o.args[0].dense().rows();
    o.args.push_back(r.matrix(ValueType::F64, matching(r, n), matching(r, 1)));
    const Value kNames[] = {Value::string("none"), Value::string("jacobi"), Value::string("ilu0"), Value::string("x")};
    o.args.insert(o.args.end(), {Value::scalar(1e-10), number(100), kNames[r.below(4)]});
    if (Restarts)
        o.args.push_back(number(int64_t(1 + r.below(5))));
    return o;
}
inline Operands finiteSquare(R &r) {
    r.allowSpecialValues(false);
    return square(r);
}
inline Operands leastSquares(R &r) {
    r.allowSpecialValues(false);
    size_t rows = r.size();
    return {{r.matrix(rows, r.size()), r.matrix(matching(r, rows), r.size())}};
}
inline Operands complexColumns(R &r) {
    r.allowSpecialValues(false);
    size_t rows = r.size(), cols = r.size();
    Operands o{{r.matrix(rows, cols)}};
    if (r.oneIn(2))
        o.args.push_back(r.matrix(matching(r, rows), cols));
    return o;
}

// ----------------------------------------------------------------- statistics

inline Operands twoColumnSets(R &r) {
    r.allowSpecialValues(false);
    size_t rows = r.size();
    Operands o{{r.matrix(rows, r.size()), number(0), number(int64_t(r.below(2)))}};
    if (r.oneIn(2))
        o.args[1] = r.matrix(matching(r, rows), r.size());
    return o;
}
inline Operands withDdof(R &r) { return {{r.matrix(), number(static_cast<int64_t>(r.size()))}}; }
inline Operands lagged(R &r) { return {{r.matrix(), number(int64_t(r.below(4)))}}; }
inline Operands sorted(R &r) {
    Operands o{{r.matrix(), r.flag()}};
    if (r.oneIn(2))
        o.args.push_back(number(int64_t(r.below(2))));
    return o;
}
inline Operands chosenCells(R &r) {
    Operands o = conditional(r);
    if (r.oneIn(3))
        o.args.resize(1);
    return o;
}
inline Operands firstRows(R &r) { return {{r.matrix(), number(int64_t(r.below(6)))}}; }

// -------------------------------------------------------------- other objects

inline Operands frame(R &r) {
    size_t rows = r.size();
    Operands o;
    for (size_t n = 1 + r.below(3); o.args.size() < n;)
        o.args.push_back(r.matrix(matching(r, rows), matching(r, 1)));
    return o;
}
inline Operands elements(R &r) {
    ValueType type = r.numericType();
    Operands o;
    for (size_t n = 1 + r.below(3); o.args.size() < n;)
        o.args.push_back(r.matrix(r.oneIn(12) ? r.numericType() : type, r.size(), r.size()));
    return o;
}
inline Value list(R &r, ValueType type) {
    auto l = Ref<Sequence>::make();
    l->emptied = type;
    for (size_t n = r.below(4); l->elements.size() < n;)
        l->elements.push_back(r.matrix(type, r.size(), r.size()));
    return makeList(std::move(l));
}
inline Operands append(R &r) {
    ValueType type = r.numericType();
    return {{list(r, type), r.matrix(r.oneIn(12) ? r.numericType() : type, r.size(), r.size())}};
}
inline Operands remove(R &r) { return {{list(r, r.numericType()), number(int64_t(r.below(4)))}}; }
inline Operands justList(R &r) { return {{list(r, r.numericType())}}; }
inline Operands print(R &r) {
    return {{r.oneIn(4) ? list(r, r.numericType()) : r.matrix(), r.flag(), r.flag()}};
}
inline Operands printValues(R &r) {
    Operands o{{r.flag(), r.flag(), Value::string("; "), number(int64_t(r.below(19)))}};
    o.args.push_back(r.oneIn(2) ? r.scalar() : Value(r.matrix())); // every representation of each matrix is tried
    o.args.push_back(r.matrix());
    return o;
}
/// The file is named by the test.
inline Operands write(R &r) {
    return {{r.matrix(r.positiveSize(), r.positiveSize()), Value::string(""), Value::scalar(false), Value::string(","),
             Value::string("\""), Value::string(""), Value::scalar(int64_t(0))}};
}

} // namespace make

/// Makers for ops of the family Call.
inline const std::map<std::string_view, OperandMaker> &callOperandMakers() {
    using namespace make;
    constexpr auto Elementwise = Exactness::Elementwise, Sums = Exactness::Sums;
    static const std::map<std::string_view, OperandMaker> makers = {
        {"affine", {affine, Sums}},
        {"append", {append}},
        {"avgPool2d", {pool, Sums}},
        {"avgPool2dBackward", {poolBackward, Sums}},
        {"batchNorm2d", {batchNorm, Sums}},
        {"batchNorm2dBackward", {batchNormBackward, Sums}},
        {"biasAdd", {bias, Elementwise}},
        {"bin", {bins}},
        {"cast", {castTo}},
        {"cholesky", {positiveDefinite, Sums}},
        {"colBind", {bindColumns}},
        {"colCalcMul", {columnAndOther}},
        {"colCalcSub", {columnAndOther}},
        {"colGroupFirst", {oneKeyColumn}},
        {"colGroupNext", {groupsAndKeys}},
        {"colIntersect", {twoPositionLists}},
        {"colJoin", {twoKeyColumns}},
        {"colMerge", {twoPositionLists}},
        {"colProject", {columnAndPositions}},
        {"colSelectEq", {columnAndOther}},
        {"colSelectGe", {columnAndOther}},
        {"colSelectGt", {columnAndOther}},
        {"colSelectLe", {columnAndOther}},
        {"colSelectLt", {columnAndOther}},
        {"colSelectNeq", {columnAndOther}},
        {"colSemiJoin", {twoKeyColumns}},
        {"colSumAll", {oneColumn, Sums}},
        {"colSumGrp", {cellsOfGroups, Sums}},
        {"cond", {conditional}},
        {"condition", {condition}},
        {"conv2d", {convolution, Sums}},
        {"conv2dBackwardData", {dataGradient, Sums}},
        {"conv2dBackwardFilter", {filterGradient, Sums}},
        {"countGrp", {groups, Sums}},
        {"createFrame", {frame}},
        {"createList", {elements}},
        {"ctable", {contingency, Sums}},
        {"densify", {one}},
        {"det", {invertible, Sums}},
        {"diagMatrix", {column}},
        {"diagVector", {square}},
        {"describe", {one, Sums}},
        {"sampleVarAll", {withDdof, Sums}},
        {"sampleVarRow", {withDdof, Sums}},
        {"sampleVarCol", {withDdof, Sums}},
        {"sampleStddevAll", {withDdof, Sums}},
        {"sampleStddevRow", {withDdof, Sums}},
        {"sampleStddevCol", {withDdof, Sums}},
        {"diff", {lagged}},
        {"eigenGeneral", {finiteSquare, Sums}},
        {"fft", {complexColumns, Sums}},
        {"eigenCal", {symmetricFloats, Sums}},
        {"extractCol", {extract<false>}},
        {"extractRow", {extract<true>}},
        {"cg", {iterative<false>, Sums}},
        {"cor", {twoColumnSets, Sums}},
        {"cov", {twoColumnSets, Sums}},
        {"gmres", {iterative<true>, Sums}},
        {"head", {firstRows}},
        {"histogram", {bins}},
        {"ifft", {complexColumns, Sums}},
        {"lstsq", {leastSquares, Sums}},
        {"pinv", {finite, Sums}},
        {"sort", {sorted}},
        {"tail", {firstRows}},
        {"unique", {one}},
        {"where", {chosenCells}},
        {"filterCol", {filter<false>}},
        {"filterCells", {markedCells}},
        {"filterRow", {filter<true>}},
        {"format", {formatted}},
        {"gemv", {gemv, Sums}},
        {"insert", {insertion<true, true>}},
        {"insertCells", {insertionIntoCells}},
        {"insertCol", {insertion<false, true>}},
        {"insertMarked", {insertionIntoMarked}},
        {"insertRow", {insertion<true, false>}},
        {"inv", {invertible, Sums}},
        {"equal", {twoAny}},
        {"isMember", {membership}},
        {"isSymmetric", {symmetric}},
        {"kron", {twoAny}},
        {"length", {justList}},
        {"lu", {finite, Sums}},
        {"matMul", {product, Sums}},
        {"maxGrp", {groups, Sums}},
        {"maxPool2d", {pool}},
        {"maxPool2dBackward", {poolBackward, Sums}},
        {"meanGrp", {groups, Sums}},
        {"minGrp", {groups, Sums}},
        {"norm", {norm, Sums}},
        {"numCells", {one}},
        {"numCols", {one}},
        {"numRows", {one}},
        {"oneHot", {oneHot}},
        {"order", {order}},
        {"print", {print}},
        {"printValues", {printValues}},
        {"qr", {finite, Sums}},
        {"quantileAll", {quantiles, Sums}},
        {"quantileCol", {quantiles, Sums}},
        {"quantileRow", {quantiles, Sums}},
        {"quantize", {quantize}},
        {"recode", {recode}},
        {"relu", {one}},
        {"remove", {remove}},
        {"replace", {replace}},
        {"reshape", {reshape}},
        {"reverse", {one}},
        {"rowBind", {bindRows}},
        {"sliceCol", {slice<false>}},
        {"sliceRow", {slice<true>}},
        {"softmax", {one, Sums}},
        {"solve", {system, Sums}},
        {"sparsity", {one}},
        {"stddevGrp", {groups, Sums}},
        {"sumGrp", {groups, Sums}},
        {"svd", {finite, Sums}},
        {"syrk", {one, Sums}},
        {"transpose", {one}},
        {"tri", {triangle}},
        {"typeOf", {one}},
        {"toStr", {one}},
        {"varGrp", {groups, Sums}},
        {"write", {write}},
    };
    return makers;
}

/// Ops that never see a numeric matrix or a list, with the reason.
inline const std::map<std::string_view, std::string_view> &opsWithoutMatrices() {
    static const std::map<std::string_view, std::string_view> ops = {
        {"antiJoin", "takes frames, whose columns are dense"},
        {"assert", "its operands are scalars"},
        {"cartesian", "takes frames, whose columns are dense"},
        {"columnOf", "takes frames, whose columns are dense"},
        {"close", "its operand is a handle"},
        {"eye", "its operands are scalars"},
        {"ones", "its operands are scalars"},
        {"randBeta", "its operands are scalars"},
        {"randBinom", "its operands are scalars"},
        {"randExp", "its operands are scalars"},
        {"randGamma", "its operands are scalars"},
        {"randPoisson", "its operands are scalars"},
        {"randn", "its operands are scalars"},
        {"zeros", "its operands are scalars"},
        {"chars", "strings only"},
        {"contains", "strings only"},
        {"endsWith", "strings only"},
        {"ewLower", "strings only"},
        {"ewUpper", "strings only"},
        {"element", "its operand is a list"},
        {"asList", "its operand is a list"},
        {"asTable", "passes its operand on"},
        {"extend", "its operands are lists"},
        {"function", "its operand is a list"},
        {"functionParts", "its operand is a function"},
        {"putElement", "its operand is a list"},
        {"takeElement", "its operand is a list"},
        {"orderOfKeys", "its operand is a list of scalars"},
        {"decides", "looks at scalars only"},
        {"except", "takes frames, whose columns are dense"},
        {"fill", "its operands are scalars"},
        {"find", "strings only"},
        {"fullOuterJoin", "takes frames, whose columns are dense"},
        {"group", "takes frames, whose columns are dense"},
        {"groupJoin", "takes frames, whose columns are dense"},
        {"groupSum", "takes frames, whose columns are dense"},
        {"innerJoin", "takes frames, whose columns are dense"},
        {"insertInColumn", "takes frames, whose columns are dense"},
        {"intersect", "takes frames, whose columns are dense"},
        {"isNum", "strings only"},
        {"join", "strings only"},
        {"leftOuterJoin", "takes frames, whose columns are dense"},
        {"like", "strings only"},
        {"limitRows", "takes frames, whose columns are dense"},
        {"matrixConstant", "its operands are scalars"},
        {"merge", "takes frames, whose columns are dense"},
        {"now", "no operands"},
        {"openDevice", "its operand is a string"},
        {"openFile", "its operand is a string"},
        {"openFileOnTarget", "its operands are strings"},
        {"position", "its operand is a scalar"},
        {"padLeft", "strings only"},
        {"padRight", "strings only"},
        {"parseInt", "strings only"},
        {"parseNum", "strings only"},
        {"queryBlock", "takes frames, whose columns are dense"},
        {"randMatrix", "its operands are scalars"},
        {"rangeCount", "its operands are scalars"},
        {"rangeEnd", "its operands are scalars"},
        {"read", "its operands are scalars"},
        {"readCsv", "its operands are scalars"},
        {"regexFind", "strings only"},
        {"regexMatch", "strings only"},
        {"regexReplace", "strings only"},
        {"regexSplit", "strings only"},
        {"registerView", "takes frames, whose columns are dense"},
        {"repeat", "strings only"},
        {"sample", "its operands are scalars"},
        {"setColumn", "takes frames, whose columns are dense"},
        {"semiJoin", "takes frames, whose columns are dense"},
        {"seq", "its operands are scalars"},
        {"setColLabels", "takes frames, whose columns are dense"},
        {"setColLabelsPrefix", "takes frames, whose columns are dense"},
        {"split", "strings only"},
        {"splitPart", "strings only"},
        {"startProfiling", "its operand is a string"},
        {"startsWith", "strings only"},
        {"stop", "its operand is a string"},
        {"stopProfiling", "its operand is a string"},
        {"strReplace", "strings only"},
        {"strlen", "strings only"},
        {"substr", "strings only"},
        {"thetaJoin", "takes frames, whose columns are dense"},
        {"trim", "strings only"},
        {"trimLeft", "strings only"},
        {"trimRight", "strings only"},
        {"view", "its operand is a string"},
        {"withoutNulls", "takes frames, whose columns are dense"},
    };
    return ops;
}

/// The maker of an op; make is null if there is none.
inline OperandMaker operandMaker(const ops::OpInfo &op) {
    using ops::Family;
    switch (op.family) {
    case Family::EwUnary: return {make::one, Exactness::Elementwise};
    case Family::EwBinary: return {make::broadcast, Exactness::Elementwise};
    case Family::Outer: return {make::outer, Exactness::Elementwise};
    case Family::AggAll:
    case Family::AggRow:
    case Family::AggCol:
    case Family::Cumulative:
        // Results of integer type and extremes are compared exactly in any case or within an error far below a cell.
        return {make::one, Exactness::Sums};
    case Family::Call: break;
    }
    auto it = callOperandMakers().find(op.mnemonic);
    return it == callOperandMakers().end() ? OperandMaker{nullptr} : it->second;
}

} // namespace daphne::test
