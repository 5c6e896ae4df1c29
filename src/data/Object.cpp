// SPDX-License-Identifier: Apache-2.0
#include "data/Object.h"

namespace daphne {

namespace {
thread_local ObjectScope *currentScope = nullptr;
}

Object::Object(ObjectKind kind) : kind(kind), scope(currentScope) {
    if (!scope)
        return;
    next = scope->first;
    if (next)
        next->previous = this;
    scope->first = this;
    ++scope->live;
}

Object::~Object() {
    if (!scope)
        return;
    if (previous)
        previous->next = next;
    else
        scope->first = next;
    if (next)
        next->previous = previous;
    --scope->live;
}

ObjectScope::ObjectScope() : outer(std::exchange(currentScope, this)) {}

ObjectScope::~ObjectScope() {
    // First pin all survivors: destroying a list or frame releases its members.
    for (Object *o = first; o; o = o->next)
        o->retain();
    while (first) {
        Object *o = first;
        o->refs.store(1, std::memory_order_relaxed);
        o->release();
    }
    currentScope = outer;
}

} // namespace daphne
