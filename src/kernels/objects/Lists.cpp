// SPDX-License-Identifier: Apache-2.0
/// Lists. append and remove update the list in place if nobody else sees it, so
/// that a list used as a work queue costs no copy per step.
#include "kernels/objects/Lists.h"

#include <iterator>
#include <utility>

#include "kernels/KernelTable.h"
#include "ops/Range.h"

namespace daphne {

namespace {

Sequence &listArgument(KernelCall &call, size_t i) {
    if (!call.args[i].isList())
        wrongArgument(call, i, "a list");
    return sequenceOf(call.args[i]);
}

Value createList(KernelCall &, AnyValues all) {
    auto result = Ref<Sequence>::make();
    result->elements.assign(all.values.begin(), all.values.end());
    return makeList(std::move(result));
}

/// args[0] itself if nobody else holds it, else a copy of the list (not of its elements).
Ref<Sequence> ownList(KernelCall &call) {
    Value &given = call.args[0];
    if ((call.consumable & 1) && given.object()->unique()) {
        auto *list = &sequenceOf(given);
        given.detach();
        return Ref<Sequence>::adopt(list);
    }
    auto copy = Ref<Sequence>::make();
    copy->elements = sequenceOf(given).elements;
    copy->emptied = sequenceOf(given).emptied;
    return copy;
}

[[noreturn]] void outOfRange(int64_t position, size_t length) {
    Error error = executionError("position " + std::to_string(position) + " is out of range: the list has " +
                                 std::to_string(length) + " elements");
    if (position == static_cast<int64_t>(length))
        error.withHint("append(list, elem) makes a list longer");
    throw error;
}

size_t positionIn(const std::vector<Value> &elements, int64_t position) {
    if (position < 0 || static_cast<size_t>(position) >= elements.size())
        outOfRange(position, elements.size());
    return static_cast<size_t>(position);
}

/// append(list, element [, position, all]): at the end; with a position in its place, or, if `all` is true, all
/// elements of a list at the end.
Value append(KernelCall &call, AnyValue, AnyValue element, AnyValues rest) {
    listArgument(call, 0);
    bool further = rest.values.size() == 2, all = further && rest.values[1].as<bool>();
    if (all)
        listArgument(call, 1);
    auto result = ownList(call);
    auto &elements = result->elements;
    if (all) {
        // A list may be extended by itself.
        std::vector<Value> more = sequenceOf(element.value).elements;
        elements.insert(elements.end(), std::make_move_iterator(more.begin()), std::make_move_iterator(more.end()));
    } else if (further) {
        elements[positionIn(elements, rest.values[0].as<int64_t>())] = element.value;
    } else {
        elements.push_back(element.value);
    }
    return makeList(std::move(result));
}

/// remove(list, position [, place]): the place stays, empty, if `place` is true, until append fills it.
std::array<Value, 2> remove(KernelCall &call, AnyValue, int64_t position, AnyValues rest) {
    size_t at = positionIn(listArgument(call, 0).elements, position);
    auto result = ownList(call);
    Value element = std::exchange(result->elements[at], Value());
    if (rest.values.empty()) {
        result->elements.erase(result->elements.begin() + static_cast<ptrdiff_t>(at));
        if (result->elements.empty())
            result->emptied = element.isMatrix() ? element.matrix().type() : ValueType::Unknown;
    }
    return {makeList(std::move(result)), std::move(element)};
}

Value length(KernelCall &call, AnyValue) { return Value::size(listArgument(call, 0).elements.size()); }

} // namespace

Value elementAt(const Sequence &list, int64_t position) {
    auto n = static_cast<int64_t>(list.elements.size());
    auto at = ops::normalisePosition(position, n);
    if (!at)
        outOfRange(position, list.elements.size());
    return list.elements[static_cast<size_t>(*at)];
}

Value pickElements(const Sequence &list, std::span<const size_t> positions) {
    auto result = Ref<Sequence>::make();
    for (size_t p : positions)
        result->elements.push_back(list.elements[p]);
    return makeList(std::move(result));
}

void addLists(KernelTable &t) {
    t.add<&createList>("createList");
    t.add<&append>("append");
    t.add<&remove>("remove");
    t.add<&length>("length");
}

} // namespace daphne
