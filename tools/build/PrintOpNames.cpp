// SPDX-License-Identifier: Apache-2.0
/// Prints the names of all operations, sorted, as the lines of OpNames.inc; see
/// ops/OpName.h. The build runs it as soon as the rows are compiled. A builtin
/// or an operator that calls an operation without a row ends the build here.
#include <algorithm>
#include <cstdio>
#include <exception>

#include "ops/InternalOps.h"

using namespace daphne::ops;

namespace {

bool isKnown(const std::vector<std::string_view> &names, std::string_view name, std::string_view user) {
    if (name.empty() || std::ranges::binary_search(names, name))
        return true;
    fprintf(stderr, "%.*s calls the operation '%.*s', which has no row\n", static_cast<int>(user.size()), user.data(),
            static_cast<int>(name.size()), name.data());
    return false;
}

bool print() {
    std::vector<std::string_view> names;
    for (const OpInfo *row : Registry::get().ops())
        names.push_back(row->mnemonic);
    for (const OpInfo &row : internalOps())
        names.push_back(row.mnemonic);
    std::ranges::sort(names);
    bool ok = true;
    for (const BuiltinInfo &b : Registry::get().builtins())
        for (std::string_view op : {b.row->op, b.row->rowOp, b.row->colOp, b.row->groupOp})
            ok &= isKnown(names, op, b.name);
    for (std::string_view token : operatorTokens())
        ok &= isKnown(names, operatorMnemonic(token), token);
    for (std::string_view name : names)
        printf("\"%.*s\",\n", static_cast<int>(name.size()), name.data());
    return ok;
}

} // namespace

int main() {
    try {
        return print() ? 0 : 1;
    } catch (const std::exception &e) {
        fprintf(stderr, "%s\n", e.what());
        return 1;
    }
}
