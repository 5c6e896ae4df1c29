// SPDX-License-Identifier: Apache-2.0
/// Names of operations that the compiler of C++ has checked. Whoever writes the
/// name of an operation in code writes an OpName:
///
///     op.is("cast"), asOp(op, "map"), row.mnemonic == "ewPow", t.add<&f>("fill")
///
/// A name without a row in src/ops does not compile. The list of names is
/// printed from the rows while building (tools/build/PrintOpNames.cpp), so src/ops itself
/// cannot use it; what its rows say about each other is checked by that program.
#pragma once

#include <algorithm>
#include <iterator>

#include "ops/Registry.h"

namespace daphne::ops {

/// Sorted.
inline constexpr std::string_view kOpNames[] = {
#include "OpNames.inc"
};

class OpName : public std::string_view {
  public:
    template <size_t N> consteval OpName(const char (&text)[N]) : std::string_view(text, N - 1) {
        if (!std::binary_search(std::begin(kOpNames), std::end(kOpNames), std::string_view(*this)))
            throw "no row of src/ops has this mnemonic";
    }
    constexpr OpName(const Mnemonic &ofRow) : std::string_view(ofRow) {}
};

constexpr bool operator==(const OpName &a, const OpName &b) { return std::string_view(a) == std::string_view(b); }
constexpr bool operator==(const Mnemonic &a, const OpName &b) { return std::string_view(a) == std::string_view(b); }

/// For names that come as text: of queries, of operators.
constexpr bool isNamed(std::string_view text, OpName name) { return text == std::string_view(name); }
constexpr bool isOneOf(std::string_view text, std::initializer_list<OpName> names) {
    for (std::string_view name : names)
        if (text == name)
            return true;
    return false;
}

} // namespace daphne::ops
