// SPDX-License-Identifier: Apache-2.0
/// Objects that hold values of any kinds: lists, and functions with what they
/// have captured. Both are reference-counted like all objects; chains of them
/// may be longer than the stack is deep.
#pragma once

#include <string>
#include <vector>

#include "data/Value.h"

namespace daphne {

/// What a list holds. A function is one, too: how it is printed, its number, then what it has captured.
class Sequence final : public Object {
  public:
    Sequence() : Object(ObjectKind::List) {}
    /// The value type if there are elements and all of them are matrices of one; of an empty list `emptied`; else
    /// Unknown.
    ValueType matrixType() const;

    std::vector<Value> elements;
    ValueType emptied = ValueType::Unknown; ///< what matrixType() was of the list whose elements are gone

  protected:
    ~Sequence() override;
};

/// The kind of values that are functions, behind those that all of the runtime knows.
constexpr ValueKind kFunctionKind{static_cast<uint8_t>(ValueKind::List) + 1};

inline bool isFunction(const Value &v) { return v.kind() == kFunctionKind; }
/// Of a list or function.
inline Sequence &sequenceOf(const Value &v) { return *static_cast<Sequence *>(v.object()); }
Value makeList(Ref<Sequence> elements);
/// The first element is the text, the second the number.
Value makeFunction(Ref<Sequence> parts);

} // namespace daphne
