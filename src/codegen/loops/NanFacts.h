// SPDX-License-Identifier: Apache-2.0
/// Which values of a loop program are known never to be NaN, so that minima and
/// maxima of them pay nothing for the rule that NaN wins.
#pragma once

#include <vector>

#include "exec/LoopProgram.h"

namespace daphne::codegen {

class NanFacts {
  public:
    explicit NanFacts(const exec::LoopProgram &program);
    bool isNever(size_t node) const { return facts[node] >= Fact::NeverNan; }

  private:
    enum class Fact : uint8_t { Unknown, NeverNan, Finite };
    Fact factOf(const exec::LoopProgram &program, const exec::LoopNode &n) const;
    Fact ofProduct(const exec::LoopProgram &program, const exec::LoopNode &n) const;
    std::vector<Fact> facts; ///< by node
};

} // namespace daphne::codegen
