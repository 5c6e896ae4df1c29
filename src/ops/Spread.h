// SPDX-License-Identifier: Apache-2.0
/// Any number of operands that are spread over each other: the shape of the result.
#pragma once

#include "ops/Rules.h"

namespace daphne::ops {

class Spread {
  public:
    explicit Spread(const InferCall &call) : call(call) {}
    /// A scalar, a matrix or unknown. Throws if it does not fit the others.
    void add(const TypeDesc &t) {
        anyUnknown |= t.isUnknown();
        if (!t.isMatrix())
            return;
        if (!shape.isMatrix()) {
            shape = t;
            return;
        }
        rule::Shape both = rule::broadcast(call, shape, t);
        shape = TypeDesc::matrix(ValueType::Unknown, both.rows, both.cols);
    }
    /// Scalar if all of them are. An unknown operand may turn out to be a matrix.
    TypeDesc result(ValueType type) const {
        if (!shape.isMatrix())
            return anyUnknown ? TypeDesc::unknown() : TypeDesc::scalar(type);
        auto grown = [&](int64_t n) { return anyUnknown && n == 1 ? -1 : n; };
        return TypeDesc::matrix(type, grown(shape.rows), grown(shape.cols));
    }

  private:
    const InferCall &call;
    TypeDesc shape = TypeDesc::unknown();
    bool anyUnknown = false;
};

/// A frame with one column as that column, everything else as it is. Throws for other frames.
TypeDesc columnOf(const InferCall &call, size_t i);

} // namespace daphne::ops
