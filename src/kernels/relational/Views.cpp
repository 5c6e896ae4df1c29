// SPDX-License-Identifier: Apache-2.0
/// The frames that queries call by name. The compiler follows names where it
/// can; view() is for the rest, such as names registered in only one branch.
#include "data/NullIndicator.h"
#include "kernels/KernelTable.h"

namespace daphne {

namespace {

void registerView(KernelCall &call, const std::string &name, const Frame &) {
    call.context.views.insert_or_assign(name, call.args[1]);
}

Value view(KernelCall &call, const std::string &name) {
    auto found = call.context.views.find(name);
    if (found == call.context.views.end())
        throw executionError("no table \"" + name + "\" has been registered when the query is run");
    return found->second;
}

/// A query whose tables are known only now cannot tell which columns are indicators of nulls.
Value withoutNulls(KernelCall &call, const Frame &frame) {
    for (size_t indicator : findIndicators(frame))
        if (indicator != kNoIndicator)
            throw executionError("the table has the null indicator \"" + frame.labels[indicator] +
                                 "\", but its columns were not known when the query was compiled")
                .withHint("read the file under a constant name, with the labels in its meta data");
    return call.args[0];
}

} // namespace

void addViews(KernelTable &t) {
    t.add<&registerView>("registerView");
    t.add<&view>("view");
    t.add<&withoutNulls>("withoutNulls");
}

} // namespace daphne
