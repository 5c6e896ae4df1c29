// SPDX-License-Identifier: Apache-2.0
/// Lists. append and remove update the list in place if nobody else sees it, so
/// that a list used as a work queue costs no copy per step.
#include "base/Utf8.h"
#include "kernels/KernelTable.h"

namespace daphne {

namespace {

void needElementType(const List &list, const Matrix &element) {
    if (list.elementType != element.type())
        throw executionError("the matrices of a list need one value type, got " +
                             std::string(dslName(list.elementType)) + " and " + std::string(dslName(element.type())));
}

Value createList(KernelCall &call, AnyValues all) {
    std::span<const Value> elements = all.values;
    for (size_t i = 0; i < elements.size(); ++i)
        if (!elements[i].isMatrix())
            wrongArgument(call, i, "a matrix");
    if (elements.empty())
        throw executionError("a list needs at least one matrix");
    auto result = Ref<List>::make(elements[0].matrix().type());
    for (const Value &e : elements) {
        needElementType(*result, e.matrix());
        result->elements.push_back(e.matrixRef());
    }
    return result;
}

/// args[0] itself if nobody else holds it, else a copy of the list (not of its matrices).
Ref<List> ownList(KernelCall &call) {
    Value &given = call.args[0];
    if ((call.consumable & 1) && given.list().unique()) {
        auto *list = &given.list();
        given.detach();
        return Ref<List>::adopt(list);
    }
    auto copy = Ref<List>::make(given.list().elementType);
    copy->elements = given.list().elements;
    return copy;
}

Value append(KernelCall &call, const List &list, const Matrix &element) {
    needElementType(list, element);
    auto result = ownList(call);
    result->elements.push_back(call.args[1].matrixRef());
    return result;
}

std::array<Value, 2> remove(KernelCall &call, const List &list, int64_t position) {
    if (position < 0 || static_cast<size_t>(position) >= list.elements.size())
        throw executionError("position " + std::to_string(position) + " is out of range: the list has " +
                             std::to_string(list.elements.size()) + " elements");
    auto result = ownList(call);
    auto at = result->elements.begin() + position;
    Value element(*at);
    result->elements.erase(at);
    return {Value(std::move(result)), std::move(element)};
}

Value length(KernelCall &call, const Value &x) {
    if (x.isString())
        return Value::size(numCodePoints(x.text()));
    if (!x.isList())
        wrongArgument(call, 0, "a list or a string");
    return Value::size(x.list().elements.size());
}

} // namespace

void addLists(KernelTable &t) {
    t.add<&createList>("createList");
    t.add<&append>("append");
    t.add<&remove>("remove");
    t.add<&length>("length");
}

} // namespace daphne
