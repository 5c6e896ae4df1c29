// SPDX-License-Identifier: Apache-2.0
/// Which row of the table a call of a builtin means.
#pragma once

#include <string_view>
#include <vector>

#include "lang/dsl/Ast.h"
#include "ops/Registry.h"

namespace daphne::lang {

/// Null if there is no builtin of that name.
inline const ops::BuiltinInfo *calledBuiltin(const Call &call) {
    std::vector<std::string_view> keywords;
    for (const CallArg &arg : call.args)
        if (!arg.keyword.empty())
            keywords.push_back(arg.keyword);
    const ops::BuiltinInfo *form = keywords.empty() ? nullptr : ops::Registry::get().findForm(call.callee, keywords);
    return form ? form : ops::Registry::get().findBuiltin(call.callee);
}

} // namespace daphne::lang
