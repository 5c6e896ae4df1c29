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
    // Lists and frames hold matrices, so they go first, while everything they release is still there.
    for (Object *o = first; o; o = o->next)
        o->retain();
    for (Object *o = first; o;) {
        Object *following = o->next;
        if (o->kind == ObjectKind::List || o->kind == ObjectKind::Frame)
            delete o;
        o = following;
    }
    while (first)
        delete first;
    currentScope = outer;
}

} // namespace daphne
