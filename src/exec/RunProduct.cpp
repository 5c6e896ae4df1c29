// SPDX-License-Identifier: Apache-2.0
#include "exec/RunProduct.h"

#include "exec/BoundLoop.h"
#include "kernels/csr/CsrProducts.h"
#include "kernels/products/RowwiseProduct.h"

namespace daphne::exec {

namespace {

struct Product {
    const Value &lhs, &rhs;
    TransposeFlags transpose;
};

Product productOf(const KernelCall &call, ops::ProductForm form) {
    if (form == ops::ProductForm::Gram)
        return {call.args[0], call.args[0], {true, false}};
    return {call.args[0], call.args[1], {call.args[2].as<bool>(), call.args[3].as<bool>()}};
}

void bind(BoundLoop &bound, size_t p, const Csr &m) {
    uint64_t *words = bound.arguments.param(p);
    words[0] = reinterpret_cast<uint64_t>(m.offsets());
    words[1] = withIndexType(m.hasWideIndex(),
                             [&]<class I>(TypeTag<I>) { return reinterpret_cast<uint64_t>(m.columns<I>()); });
    words[2] = reinterpret_cast<uint64_t>(m.values<uint8_t>());
}

void bind(BoundLoop &bound, size_t p, const Dense &m) {
    uint64_t *words = bound.arguments.param(p);
    words[0] = reinterpret_cast<uint64_t>(m.storage());
    words[1] = m.skip();
}

} // namespace

bool runProduct(Placement &placement, KernelCall &call, ops::ProductForm kind) {
    using Role = LoopOperand::Role;
    Product product = productOf(call, kind);
    if (!product.lhs.isMatrix() || !product.rhs.isMatrix() || (call.wantsCsr & 1))
        return false;
    auto form = rowwiseProductOf(product.lhs.matrix(), product.rhs.matrix(), product.transpose);
    if (!form)
        return false;
    LoopProgram program = LoopProgram::of(*form);
    BoundLoop bound(program);
    bound.rows = product.lhs.matrix().rows();
    bound.cols = form->cols;
    bound.site = "matMul";
    bound.serialNs = form->nsPerRow() * static_cast<double>(bound.rows);
    bound.nsPerStored = form->nsPerStored();
    if (product.lhs.isCsr())
        bound.rowOffsets = product.lhs.csr().offsets();
    bound.arguments.words[LoopArguments::kColumns] = bound.cols;
    LoopTask task(bound);
    task.operands.push_back({Role::Split, 0, product.lhs});
    if (form->form != RowwiseProduct::Form::Gram)
        task.operands.push_back({form->isDeep() ? Role::Split : Role::Whole, 0, product.rhs});
    size_t last = task.operands.size();
    task.operands.push_back({form->isDeep() ? Role::Collected : Role::Result, 0, {}});
    Backend &backend = placement.choose(call.context, task);
    if (&backend == &cpuBackend())
        return false;
    if (form->form == RowwiseProduct::Form::SparseRows) {
        bringHere(product.rhs);
        if (hasNonFinite(product.rhs.dense())) // absent cells count then
            return false;
    }
    Ref<Dense> result = Dense::create(form->type, bound.outputRows(last), bound.outputColumns(last));
    task.operands[last].value = result;
    for (size_t p = 0; p < task.operands.size(); ++p)
        if (const Value &v = task.operands[p].value; v.isCsr())
            bind(bound, p, v.csr());
        else
            bind(bound, p, v.dense());
    if (backend.run(call.context, task) != Outcome::Done)
        return false;
    task.operands.clear();
    if (form->isDeep()) {
        Ref<Dense> blocks = std::exchange(result, Dense::create(form->type, form->cols, form->width));
        addUpGroups(*blocks, task.sums[last], *result);
        finishDeepProduct(*form, *result);
    }
    call.results[0] = std::move(result);
    return true;
}

} // namespace daphne::exec
