// SPDX-License-Identifier: Apache-2.0
#include "exec/LoopProgram.h"

namespace daphne::exec {

LoopProgram LoopProgram::of(const RowwiseProduct &product) {
    using Form = RowwiseProduct::Form;
    using Kind = LoopParam::Kind;
    LoopProgram program;
    program.flat = false;
    program.product = product;
    program.hasCsr = product.form == Form::SparseRows;
    program.csrWide = product.isWide;
    program.csrPattern = product.isPattern;
    program.params.push_back({program.hasCsr ? Kind::Csr : Kind::Full, product.type});
    if (product.form != Form::Gram)
        program.params.push_back({product.isDeep() ? Kind::Side : Kind::Right, product.type});
    program.params.push_back({product.isDeep() ? Kind::SumsOfProducts : Kind::OutProduct, product.type});
    return program;
}

std::string LoopProgram::text() const {
    std::string out = product ? "product" : flat ? "flat" : "rows";
    auto number = [&](auto x) { out += ' ', out += std::to_string(static_cast<uint64_t>(x)); };
    if (product) {
        number(product->form), number(product->type), number(product->cols), number(product->width);
        number(product->isWide), number(product->isPattern);
        return out + '\n';
    }
    if (narrow)
        out += " of " + std::to_string(narrow);
    if (multiplyAdd)
        out += " fma";
    if (hasCsr)
        out += csrPattern ? " pattern" : " csr", out += csrWide ? "64" : "32";
    out += '\n';
    for (const LoopParam &p : params) {
        out += 'p';
        number(p.kind), number(p.type), number(p.isOutput() ? p.node : 0);
        if (p.kind == LoopParam::Kind::SumsOfOuter)
            number(p.side), number(p.width);
        if (p.kind == LoopParam::Kind::FoldOfAll)
            number(p.fold);
        out += '\n';
    }
    for (const LoopNode &n : nodes) {
        out += 'n';
        number(n.kind), number(n.space), number(n.sparse), number(n.level), number(n.type), number(n.compute);
        if (n.cells)
            out += ' ', out += n.cells->op->mnemonic;
        else
            number(n.function);
        number(n.kind == LoopNode::Kind::Input ? n.param : 0);
        if (n.kind == LoopNode::Kind::Product)
            number(n.param), number(n.packed), number(n.depth);
        for (size_t i = 0; i < n.numOperands; ++i)
            number(n.operands[i]);
        out += '\n';
    }
    return out;
}

} // namespace daphne::exec
