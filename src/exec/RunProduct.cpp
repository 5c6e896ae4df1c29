// SPDX-License-Identifier: Apache-2.0
#include "exec/RunProduct.h"

#include "exec/BoundLoop.h"
#include "kernels/RowwiseProduct.h"
#include "kernels/csr/CsrProducts.h"

namespace daphne::exec {

namespace {

struct Product {
    const Value &lhs, &rhs;
    TransposeFlags transpose;
};

/// What the call multiplies; nothing if it is no product.
std::optional<Product> productOf(const KernelCall &call) {
    ops::OpName name = call.kernel.mnemonic;
    if (name == "matMul")
        return Product{call.args[0], call.args[1], {call.args[2].as<bool>(), call.args[3].as<bool>()}};
    if (name == "syrk")
        return Product{call.args[0], call.args[0], {true, false}};
    return std::nullopt;
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
    withNumericType(m.type(), [&]<class T>(TypeTag<T>) {
        words[0] = reinterpret_cast<uint64_t>(m.view<T>().data);
        words[1] = m.view<T>().skip;
    });
}

} // namespace

bool runProductElsewhere(Distribution &distribution, KernelCall &call) {
    using Role = LoopOperand::Role;
    std::optional<Product> product = productOf(call);
    if (!product || !product->lhs.isMatrix() || !product->rhs.isMatrix() || (call.wantsCsr & 1))
        return false;
    auto form = rowwiseProductOf(product->lhs.matrix(), product->rhs.matrix(), product->transpose);
    if (!form)
        return false;
    LoopProgram program = LoopProgram::of(*form);
    BoundLoop bound(program);
    bound.rows = product->lhs.matrix().rows();
    bound.cols = form->cols;
    bound.site = "matMul";
    bound.serialNs = form->nsPerRow() * static_cast<double>(bound.rows);
    bound.nsPerStored = form->nsPerStored();
    if (product->lhs.isCsr())
        bound.rowOffsets = product->lhs.csr().offsets();
    bound.arguments.words[LoopArguments::kColumns] = bound.cols;
    DistributableLoop loop{bound, {}};
    loop.operands.push_back({Role::Split, 0, product->lhs});
    if (form->form != RowwiseProduct::Form::Gram)
        loop.operands.push_back({form->isDeep() ? Role::Split : Role::Whole, 0, product->rhs});
    size_t last = loop.operands.size();
    loop.operands.push_back({form->isDeep() ? Role::Collected : Role::Result, 0, {}});
    if (!distribution.wants(loop))
        return false;
    if (form->form == RowwiseProduct::Form::SparseRows) {
        distribution.bringHere(product->rhs);
        if (hasNonFinite(product->rhs.dense())) // absent cells count then
            return false;
    }
    Ref<Dense> result = Dense::create(form->type, bound.outputRows(last), bound.outputColumns(last));
    loop.operands[last].value = result;
    for (size_t p = 0; p < loop.operands.size(); ++p)
        if (const Value &v = loop.operands[p].value; v.isCsr())
            bind(bound, p, v.csr());
        else
            bind(bound, p, v.dense());
    if (!distribution.run(call.context, loop))
        return false;
    loop.operands.clear();
    if (form->isDeep()) {
        Ref<Dense> blocks = std::exchange(result, Dense::create(form->type, form->cols, form->width));
        addUpGroups(*blocks, loop.sums[last], *result);
        finishDeepProduct(*form, *result);
    }
    call.results[0] = std::move(result);
    return true;
}

} // namespace daphne::exec
