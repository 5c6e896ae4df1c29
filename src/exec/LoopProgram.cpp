// SPDX-License-Identifier: Apache-2.0
#include "exec/LoopProgram.h"

namespace daphne::exec {

std::string LoopProgram::text() const {
    std::string out = flat ? "flat" : "rows";
    if (narrow)
        out += " of " + std::to_string(narrow);
    if (multiplyAdd)
        out += " fma";
    if (hasCsr)
        out += csrPattern ? " pattern" : " csr", out += csrWide ? "64" : "32";
    out += '\n';
    auto number = [&](auto x) { out += ' ', out += std::to_string(static_cast<int>(x)); };
    for (const LoopParam &p : params) {
        out += 'p';
        number(p.kind), number(p.type), number(p.isOutput() ? p.node : 0);
        if (p.kind == LoopParam::Kind::SumsOfOuter)
            number(p.side), number(p.width);
        out += '\n';
    }
    for (const LoopNode &n : nodes) {
        out += 'n';
        number(n.kind), number(n.space), number(n.sparse), number(n.level), number(n.type), number(n.compute);
        number(n.function), number(n.kind == LoopNode::Kind::Input ? n.param : 0);
        if (n.kind == LoopNode::Kind::Product)
            number(n.param), number(n.packed), number(n.depth);
        for (size_t i = 0; i < n.numOperands; ++i)
            number(n.operands[i]);
        out += '\n';
    }
    return out;
}

} // namespace daphne::exec
