// SPDX-License-Identifier: Apache-2.0
/// TypeDesc: what the compiler knows about a value. The dialect's types carry
/// the same facts; parser, inference and kernels' documentation speak this one.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/ValueType.h"

namespace daphne::ops {

enum class Kind : uint8_t { Unknown, Scalar, Matrix, Frame, List };
enum class Representation : uint8_t { Dense, Csr };

struct FrameSchema {
    std::vector<std::string> labels;
    std::vector<ValueType> types;
    bool operator==(const FrameSchema &) const = default;
};

struct TypeDesc {
    Kind kind = Kind::Unknown;
    ValueType valueType = ValueType::Unknown; ///< scalars, matrices, lists (of their elements)
    int64_t rows = -1, cols = -1;             ///< matrices and frames; -1 = unknown
    double sparsity = -1;                     ///< estimated fraction of non-zeros; -1 = unknown
    Representation representation = Representation::Dense;
    std::shared_ptr<const FrameSchema> schema = nullptr; ///< frames; null = unknown

    static TypeDesc unknown() { return {}; }
    static TypeDesc scalar(ValueType vt) { return {.kind = Kind::Scalar, .valueType = vt}; }
    static TypeDesc matrix(ValueType vt, int64_t rows = -1, int64_t cols = -1, double sparsity = -1) {
        return {.kind = Kind::Matrix, .valueType = vt, .rows = rows, .cols = cols, .sparsity = sparsity};
    }
    static TypeDesc list(ValueType vt) { return {.kind = Kind::List, .valueType = vt}; }
    static TypeDesc frame(std::shared_ptr<const FrameSchema> schema, int64_t rows = -1, int64_t cols = -1) {
        return {.kind = Kind::Frame, .rows = rows, .cols = cols, .schema = std::move(schema)};
    }

    bool isUnknown() const { return kind == Kind::Unknown; }
    bool isScalar() const { return kind == Kind::Scalar; }
    bool isMatrix() const { return kind == Kind::Matrix; }
    bool isFrame() const { return kind == Kind::Frame; }
    bool isList() const { return kind == Kind::List; }
    bool isString() const { return isScalar() && valueType == ValueType::Str; }
    /// Data type and value type(s) are known (shapes may not be).
    bool isComplete() const;
    bool hasShape() const { return rows >= 0 && cols >= 0; }

    /// The same data type and value type(s), whatever shapes, sparsity and labels. Unknown parts never match.
    bool sameType(const TypeDesc &o) const;
    /// As sameType, but unknown on either side matches anything.
    bool compatible(const TypeDesc &o) const;
    /// For users: "f64", "matrix<f64>", "matrix<f64> 3x4", "frame [a: si64]", "unknown".
    std::string text() const;
    /// Without shape.
    std::string typeText() const;
    std::string shapeText() const; ///< "3x4", "?x4"

    bool operator==(const TypeDesc &o) const;
};

/// What is known of a value that may come from either side of a merge: facts that differ become unknown.
TypeDesc join(const TypeDesc &a, const TypeDesc &b);

/// A scalar known at compile time. Integer-like values are in i (unsigned ones as the same bits), floats in d.
struct Constant {
    ValueType type = ValueType::SI64;
    int64_t i = 0;
    double d = 0;
    std::string s;

    /// Numbers as double / truncated to integer; strings: 0.
    double asDouble() const;
    int64_t asInt() const;
    bool operator==(const Constant &) const = default;
};

/// Operand of an operation as inference sees it.
struct Arg {
    TypeDesc type;
    std::optional<Constant> constant;
};

} // namespace daphne::ops
