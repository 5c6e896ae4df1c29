// SPDX-License-Identifier: Apache-2.0
#include "codegen/loops/NanFacts.h"

#include <algorithm>

namespace daphne::codegen {

using exec::LoopNode;
using exec::LoopProgram;
using Kind = LoopNode::Kind;

NanFacts::NanFacts(const LoopProgram &program) {
    for (const LoopNode &n : program.nodes) // operands come first
        facts.push_back(isFloat(n.type) ? factOf(program, n) : Fact::Finite);
}

NanFacts::Fact NanFacts::factOf(const LoopProgram &program, const LoopNode &n) const {
    auto of = [&](size_t k) { return facts[n.operands[k]]; };
    switch (n.kind) {
    case Kind::Input: return n.sparse && program.csrPattern ? Fact::Finite : Fact::Unknown; // all ones
    case Kind::Convert: // numbers of f64 may be too large for f32
        return isFloat(n.compute) && n.type == ValueType::F32 ? std::min(of(0), Fact::NeverNan) : of(0);
    case Kind::Cond: return std::min(of(1), of(2));
    case Kind::ReduceRow: // of no cells it is infinite
        return propertiesOf(n.reduce()).orders ? std::min(of(0), Fact::NeverNan) : Fact::Unknown;
    case Kind::Unary:
        if (n.applies("ewMinus") || n.applies("ewAbs"))
            return of(0);
        return n.applies("ewIsnan") || n.applies("ewNotNan") ? Fact::Finite : Fact::Unknown;
    case Kind::Binary: break;
    default: return Fact::Unknown;
    }
    if (n.cells->binary(program.generalType(n)).yieldsTruth)
        return Fact::Finite;
    if (n.applies("ewMin") || n.applies("ewMax"))
        return std::min(of(0), of(1));
    return n.applies("ewMul") ? ofProduct(program, n) : Fact::Unknown;
}

/// Finite numbers have a product, though perhaps an infinite one. Inputs that stored cells are multiplied with are
/// known to be finite before the loop runs: absent cells have to stay zero.
NanFacts::Fact NanFacts::ofProduct(const LoopProgram &program, const LoopNode &n) const {
    const LoopNode &a = program.nodes[n.operands[0]], &b = program.nodes[n.operands[1]];
    auto isFinite = [&](size_t k, const LoopNode &factor, const LoopNode &other) {
        return facts[n.operands[k]] == Fact::Finite || (other.sparse && !factor.sparse && factor.kind == Kind::Input);
    };
    return isFinite(0, a, b) && isFinite(1, b, a) ? Fact::NeverNan : Fact::Unknown;
}

} // namespace daphne::codegen
