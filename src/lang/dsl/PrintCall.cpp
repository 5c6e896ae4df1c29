// SPDX-License-Identifier: Apache-2.0
#include "lang/dsl/PrintCall.h"

namespace daphne::lang {

namespace {

bool isFlag(const Expr *e) {
    if (e->kind == ExprKind::BoolLit)
        return true;
    return e->kind == ExprKind::IntLit && as<IntLit>(e).type == ValueType::SI64 &&
           (as<IntLit>(e).value == 0 || as<IntLit>(e).value == 1);
}

} // namespace

PrintCall::PrintCall(const Call &call) {
    auto set = [&](const Expr *&place, const CallArg &arg) {
        if (place && !twice)
            twice = &arg;
        place = arg.value;
    };
    std::vector<const Expr *> positional;
    for (const CallArg &arg : call.args)
        if (arg.keyword.empty())
            positional.push_back(arg.value);
    bool flags = positional.size() == 2 || positional.size() == 3;
    for (size_t i = 1; i < positional.size(); ++i)
        flags &= isFlag(positional[i]);
    if (flags) {
        newline = positional[1];
        err = positional.size() > 2 ? positional[2] : nullptr;
        positional.resize(1);
    }
    values = std::move(positional);
    for (const CallArg &arg : call.args) {
        if (arg.keyword.empty())
            continue;
        if (arg.keyword == "arg" && !values.empty() && !twice)
            twice = &arg;
        else if (arg.keyword == "arg")
            values.push_back(arg.value);
        else if (arg.keyword == "newline")
            set(newline, arg);
        else if (arg.keyword == "err")
            set(err, arg);
        else if (arg.keyword == "sep")
            set(sep, arg);
        else if (arg.keyword == "digits")
            set(digits, arg);
        else if (!wrong)
            wrong = &arg;
    }
}

} // namespace daphne::lang
