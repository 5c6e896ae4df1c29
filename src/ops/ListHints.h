// SPDX-License-Identifier: Apache-2.0
/// What to write instead where an operator finds a list.
#pragma once

#include <string_view>

namespace daphne::ops {

constexpr std::string_view hintForList(std::string_view mnemonic) {
    if (mnemonic == "ewEq" || mnemonic == "ewNeq")
        return "equal(a, b) compares lists, element by element";
    if (mnemonic == "ewAdd" || mnemonic == "ewConcat")
        return "extend(l, m) joins lists, append(l, x) adds an element";
    return "map(l, x -> ...) computes with each element";
}

} // namespace daphne::ops
