// SPDX-License-Identifier: Apache-2.0
/// Lists. append and remove update the list in place if nobody else sees it, so
/// that a list used as a work queue costs no copy per step.
#include "kernels/objects/Lists.h"

#include <algorithm>
#include <iterator>
#include <numeric>
#include <utility>

#include "base/Utf8.h"
#include "kernels/KernelTable.h"
#include "kernels/reorganise/CellOrder.h"
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

Error outOfRange(int64_t position, size_t length) {
    return executionError("position " + std::to_string(position) + " is out of range: the list has " +
                          std::to_string(length) + (length == 1 ? " element" : " elements"));
}

size_t positionIn(const std::vector<Value> &elements, int64_t position) {
    if (position >= 0 && static_cast<size_t>(position) < elements.size())
        return static_cast<size_t>(position);
    Error error = outOfRange(position, elements.size());
    if (position < 0)
        error.withHint("the last element is at length(l) - 1");
    throw error;
}

/// A position that may count from the end, of an element to be replaced.
size_t placeIn(const std::vector<Value> &elements, int64_t position) {
    auto length = static_cast<int64_t>(elements.size());
    if (auto at = ops::normalisePosition(position, length))
        return static_cast<size_t>(*at);
    Error error = outOfRange(position, elements.size());
    if (position == length)
        error.withHint("append(list, elem) makes a list longer");
    throw error;
}

Value append(KernelCall &call, AnyValue, AnyValue element) {
    listArgument(call, 0);
    auto result = ownList(call);
    result->elements.push_back(element.value);
    return makeList(std::move(result));
}

Value extend(KernelCall &call, AnyValue, AnyValue) {
    listArgument(call, 0);
    std::vector<Value> more = listArgument(call, 1).elements; // it may be the same list
    auto result = ownList(call);
    result->elements.insert(result->elements.end(), std::make_move_iterator(more.begin()),
                            std::make_move_iterator(more.end()));
    return makeList(std::move(result));
}

Value element(KernelCall &call, AnyValue, int64_t position) {
    const auto &elements = listArgument(call, 0).elements;
    return elements[positionIn(elements, position)];
}

std::array<Value, 2> remove(KernelCall &call, AnyValue, int64_t position) {
    size_t at = positionIn(listArgument(call, 0).elements, position);
    auto result = ownList(call);
    Value element = std::move(result->elements[at]);
    result->elements.erase(result->elements.begin() + static_cast<ptrdiff_t>(at));
    if (result->elements.empty())
        result->emptied = element.isMatrix() ? element.matrix().type() : ValueType::Unknown;
    return {makeList(std::move(result)), std::move(element)};
}

/// The place stays, empty, until putElement fills it.
std::array<Value, 2> takeElement(KernelCall &call, AnyValue, int64_t position) {
    size_t at = placeIn(listArgument(call, 0).elements, position);
    auto result = ownList(call);
    Value element = std::exchange(result->elements[at], Value());
    return {makeList(std::move(result)), std::move(element)};
}

Value putElement(KernelCall &call, AnyValue, AnyValue element, int64_t position) {
    size_t at = placeIn(listArgument(call, 0).elements, position);
    auto result = ownList(call);
    result->elements[at] = element.value;
    return makeList(std::move(result));
}

[[noreturn]] void wrongKind(const Value &x, const std::string &message, bool withHint, const std::string &hint) {
    Error error = executionError(message + ", this is " + describe(x));
    throw withHint ? error.withHint(hint) : error;
}

/// asList(x, message, hint): x if it is a list; else the message says what it was needed for, and the hint what to do
/// with a matrix or frame.
Value asList(KernelCall &, AnyValue x, const std::string &message, const std::string &hint) {
    if (!x.value.isList())
        wrongKind(x.value, message, x.value.isMatrix() || x.value.isFrame(), hint);
    return x.value;
}

/// asTable(x, message, hint): x if it is a matrix or frame; the hint says what to do with a list.
Value asTable(KernelCall &, AnyValue x, const std::string &message, const std::string &hint) {
    if (!x.value.isMatrix() && !x.value.isFrame())
        wrongKind(x.value, message, x.value.isList(), hint);
    return x.value;
}

Value function(KernelCall &call, AnyValue) {
    return makeFunction(Ref<Sequence>::share(&listArgument(call, 0)));
}

Value functionParts(KernelCall &, AnyValue x) {
    if (!isFunction(x.value))
        throw executionError("only functions can be called, this is " + describe(x.value));
    return makeList(Ref<Sequence>::share(&sequenceOf(x.value)));
}

/// Numbers of any types, or strings. NaN comes last.
bool keyComesBefore(const Value &a, const Value &b) {
    if (a.isString())
        return a.text() < b.text();
    return withNumericType(mostGeneral(a.scalarType(), b.scalarType()),
                           [&]<class T>(TypeTag<T>) { return comesBefore(a.as<T>(), b.as<T>(), true); });
}

/// The positions of the keys in a list in their order; equal ones keep theirs.
Value orderOfKeys(KernelCall &call, AnyValue) {
    const auto &keys = listArgument(call, 0).elements;
    for (const Value &key : keys) {
        if (!key.isScalar())
            throw executionError("keys must be numbers or strings, this is " + describe(key));
        if (key.isString() != keys[0].isString())
            throw executionError("keys must be all numbers or all strings, got " + describe(keys[0]) + " and " +
                                 describe(key));
    }
    auto order = Dense::create(ValueType::SI64, keys.size(), 1);
    int64_t *positions = order->mutableView<int64_t>().row(0);
    std::iota(positions, positions + keys.size(), 0);
    std::stable_sort(positions, positions + keys.size(), [&](int64_t a, int64_t b) {
        return keyComesBefore(keys[static_cast<size_t>(a)], keys[static_cast<size_t>(b)]);
    });
    return order;
}

Value length(KernelCall &call, AnyValue x) {
    if (x.value.isString())
        return Value::size(numCodePoints(x.value.text()));
    if (x.value.isMatrix()) {
        const Matrix &m = x.value.matrix();
        if (m.rows() != 1 && m.cols() != 1)
            throw executionError("needs one row or one column, got " + m.shapeText())
                .withHint("nrow, ncol and ncell tell the size of a matrix");
        return Value::size(m.cells());
    }
    if (!x.value.isList())
        wrongArgument(call, 0, "a list, a string, or one row or column of a matrix");
    return Value::size(sequenceOf(x.value).elements.size());
}

} // namespace

Value elementAt(const Sequence &list, int64_t position) {
    auto n = static_cast<int64_t>(list.elements.size());
    auto at = ops::normalisePosition(position, n);
    if (!at)
        throw outOfRange(position, list.elements.size());
    return list.elements[static_cast<size_t>(*at)];
}

Value pickElements(const Sequence &list, std::span<const size_t> positions) {
    auto result = Ref<Sequence>::make();
    for (size_t p : positions)
        result->elements.push_back(list.elements[p]);
    result->emptied = list.matrixType();
    return makeList(std::move(result));
}

void addLists(KernelTable &t) {
    t.add<&createList>("createList");
    t.add<&append>("append");
    t.add<&extend>("extend");
    t.add<&remove>("remove");
    t.add<&takeElement>("takeElement");
    t.add<&putElement>("putElement");
    t.add<&function>("function");
    t.add<&functionParts>("functionParts");
    t.add<&element>("element");
    t.add<&length>("length");
    t.add<&asList>("asList");
    t.add<&asTable>("asTable");
    t.add<&orderOfKeys>("orderOfKeys");
}

} // namespace daphne
