// SPDX-License-Identifier: Apache-2.0
/// Casts (language 8). The wanted kind and value type are in
/// KernelCall::castTarget: tag = kind | valueType << 8, kind None and value type
/// Unknown meaning "keep".
#include "base/Cancellable.h"
#include "data/Sequence.h"
#include "kernels/KernelTable.h"
#include "kernels/RawCells.h"
#include "kernels/csr/CsrParts.h"
#include "kernels/elementwise/Convert.h"

namespace daphne {

namespace {

ValueType orElse(ValueType wanted, ValueType own) { return wanted == ValueType::Unknown ? own : wanted; }

Value cellOf(const Dense &m) {
    if (m.type() == ValueType::Str)
        return Value::string(m.view<std::string>()(0, 0));
    return loadScalar(m.type(), rawCells(m).data);
}

Value toScalar(const Value &x, ValueType wanted) {
    if (x.isScalar())
        return convertScalar(x, orElse(wanted, x.scalarType()));
    size_t rows = x.isMatrix() ? x.dense().rows() : x.frame().rows();
    size_t cols = x.isMatrix() ? x.dense().cols() : x.frame().cols();
    if (rows != 1 || cols != 1)
        throw executionError("only a 1x1 matrix or frame can be cast to a scalar, got " + describe(x));
    Value cell = cellOf(x.isMatrix() ? x.dense() : *x.frame().columns[0]);
    return convertScalar(cell, orElse(wanted, cell.scalarType()));
}

Ref<Dense> scalarAsMatrix(const Value &x, ValueType wanted) {
    Value cell = convertScalar(x, orElse(wanted, x.scalarType()));
    auto m = Dense::create(cell.scalarType(), 1, 1);
    if (cell.isString())
        m->mutableView<std::string>()(0, 0) = cell.text();
    else
        storeScalar(cell, m->type(), mutableRawCells(*m).data);
    return m;
}

/// All columns in one type: the wanted one or that of the first column.
Ref<Dense> frameAsMatrix(const Frame &f, ValueType wanted) {
    if (f.cols() == 0 && wanted == ValueType::Unknown)
        throw executionError("a frame without columns has no value type").withHint("write as.matrix<f64>(...)");
    if (f.cols() == 1) // shares the column if it has the type already
        return convertMatrix(*f.columns[0], orElse(wanted, f.columns[0]->type()));
    auto m = Dense::create(orElse(wanted, f.cols() ? f.columns[0]->type() : wanted), f.rows(), f.cols());
    for (size_t c = 0; c < f.cols(); ++c) {
        Ref<Dense> column = convertMatrix(*f.columns[c], m->type());
        withValueType(m->type(), [&]<class T>(TypeTag<T>) {
            auto in = column->view<T>();
            auto out = m->mutableView<T>();
            for (size_t r : cancellableRows(in))
                out(r, c) = in(r, 0);
        });
    }
    return m;
}

Value toMatrix(const Value &x, ValueType wanted) {
    if (x.isScalar())
        return scalarAsMatrix(x, wanted);
    if (x.isFrame())
        return frameAsMatrix(x.frame(), wanted);
    return convertMatrix(x.dense(), orElse(wanted, x.valueType()));
}

/// Columns col_0, col_1, ...; they are windows of the matrix.
Value toFrame(const Value &x) {
    if (x.isFrame())
        return x;
    Ref<Dense> m = x.isScalar() ? scalarAsMatrix(x, ValueType::Unknown) : x.denseRef();
    auto f = Ref<Frame>::make(m->rows());
    for (size_t c = 0; c < m->cols(); ++c)
        f->addColumn("col_" + std::to_string(c), Dense::window(*m, 0, m->rows(), c, c + 1));
    return f;
}

Value cast(KernelCall &call, const Value &x) {
    auto kind = static_cast<ValueKind>(call.castTarget.tag & 0xff);
    auto wanted = static_cast<ValueType>(call.castTarget.tag >> 8 & 0xff);
    if (kind == ValueKind::None)
        kind = x.kind();
    if (isFunction(x) || x.isList() || kind == ValueKind::List || x.kind() == ValueKind::None)
        wrongArgument(call, 0, "a scalar, matrix or frame");
    switch (kind) {
    case ValueKind::Scalar: return toScalar(x, wanted);
    case ValueKind::Matrix: return toMatrix(x, wanted);
    default: break;
    }
    if (wanted != ValueType::Unknown)
        throw executionError("a frame cannot be cast to " + std::string(dslName(wanted)) +
                             " because each column has its own type");
    return toFrame(x);
}

/// Numbers of a Csr stay one, with another value type.
Value castCsr(KernelCall &call, const Csr &m) {
    auto kind = static_cast<ValueKind>(call.castTarget.tag & 0xff);
    auto wanted = orElse(static_cast<ValueType>(call.castTarget.tag >> 8 & 0xff), m.type());
    bool sameKind = kind == ValueKind::None || kind == ValueKind::Matrix;
    return sameKind && isNumeric(wanted) ? settled(call, converted(m, wanted)) : runDense(call);
}

/// The same matrix for a kernel that has no use for Csr.
Value densify(KernelCall &call, const Matrix &m) {
    return m.isCsr() ? toDense(static_cast<const Csr &>(m)) : call.args[0].denseRef();
}

} // namespace

void addCast(KernelTable &t) {
    t.add<&cast>("cast");
    t.addSparse<&castCsr>("cast");
    t.add<&densify>("densify");
}

} // namespace daphne
