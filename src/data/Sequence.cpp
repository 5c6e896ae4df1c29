// SPDX-License-Identifier: Apache-2.0
#include "data/Sequence.h"

#include <algorithm>
#include <iterator>

namespace daphne {

ValueType Sequence::matrixType() const {
    if (elements.empty())
        return emptied;
    for (const Value &e : elements)
        if (!e.isMatrix() || e.matrix().type() != elements[0].matrix().type())
            return ValueType::Unknown;
    return elements[0].matrix().type();
}

/// Sequences inside of this one are put aside until it is gone, so that their depth needs no stack.
Sequence::~Sequence() {
    static thread_local std::vector<Value> *waiting = nullptr;
    if (waiting) {
        std::ranges::move(elements, std::back_inserter(*waiting));
        return;
    }
    if (!std::ranges::any_of(elements, [](const Value &v) { return v.isList() || isFunction(v); }))
        return;
    std::vector<Value> inTurn = std::move(elements);
    waiting = &inTurn;
    while (!inTurn.empty()) {
        Value last = std::move(inTurn.back());
        inTurn.pop_back();
    }
    waiting = nullptr;
}

namespace {
Value tagged(ValueKind kind, Ref<Sequence> s) {
    return Value::adopt({slotTag(kind), reinterpret_cast<uint64_t>(static_cast<Object *>(s.detach()))});
}
} // namespace

Value makeList(Ref<Sequence> elements) { return tagged(ValueKind::List, std::move(elements)); }
Value makeFunction(Ref<Sequence> parts) { return tagged(kFunctionKind, std::move(parts)); }

} // namespace daphne
