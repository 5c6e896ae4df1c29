// SPDX-License-Identifier: Apache-2.0
/// What the arguments of a call of print mean (language 1.7): one or two further
/// positional arguments, all literals true, false, 0 or 1, are flags; otherwise
/// all positional arguments are values.
#pragma once

#include <vector>

#include "lang/dsl/Ast.h"

namespace daphne::lang {

struct PrintCall {
    std::vector<const Expr *> values;
    /// Null where not given.
    const Expr *newline = nullptr, *err = nullptr, *sep = nullptr, *digits = nullptr;
    const CallArg *wrong = nullptr; ///< the first argument with a keyword that print does not have
    const CallArg *twice = nullptr; ///< the first keyword for what is given already

    explicit PrintCall(const Call &call);
    /// The published form: one value, and no more than its flags.
    bool isPlain() const { return values.size() == 1 && !sep && !digits; }
};

} // namespace daphne::lang
