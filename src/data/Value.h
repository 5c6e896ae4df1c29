// SPDX-License-Identifier: Apache-2.0
/// Value: one run-time value of any DaphneDSL type, 16 bytes, owning. It is what
/// kernels take and return and what generated code stores in its argument area
/// (Slot is its bit layout).
#pragma once

#include <bit>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/ValueType.h"
#include "data/Csr.h"
#include "data/Dense.h"
#include "data/Object.h"

namespace daphne {

/// Kinds of run-time values. The order of Scalar..List is the order of TypeDesc's kinds.
enum class ValueKind : uint8_t { None, Scalar, Matrix, Frame, List };

/// Bit layout shared with generated code.
///   tag  = kind | valueType << 8   (valueType only for scalars; Str scalars point to a StringObject)
///   bits = the number: integers sign- or zero-extended to 64 bits by their type, bool 0/1, f64 bits,
///          f32 bits in the low half; or the Object pointer
struct Slot {
    uint64_t tag = 0;
    uint64_t bits = 0;
};

constexpr uint64_t slotTag(ValueKind kind, ValueType type = ValueType::Bool) {
    return static_cast<uint64_t>(kind) | (kind == ValueKind::Scalar ? static_cast<uint64_t>(type) << 8 : 0);
}

class StringObject final : public Object {
  public:
    explicit StringObject(std::string text) : Object(ObjectKind::String), text(std::move(text)) {}
    std::string text;
};

class Frame;

class Value {
  public:
    Value() = default;
    Value(const Value &o) : slot(o.slot) {
        if (isObject())
            object()->retain();
    }
    Value(Value &&o) noexcept : slot(std::exchange(o.slot, Slot{})) {}
    Value &operator=(Value o) noexcept {
        std::swap(slot, o.slot);
        return *this;
    }
    ~Value() {
        if (isObject())
            object()->release();
    }

    /// A number, stored as its C++ type says; type may retag (Size instead of UI64).
    template <class T> static Value scalar(T x, ValueType type = valueTypeOf<T>()) {
        static_assert(std::is_arithmetic_v<T>);
        Value v;
        v.slot.tag = slotTag(ValueKind::Scalar, type);
        v.slot.bits = toBits(x);
        return v;
    }
    static Value size(uint64_t x) { return scalar(x, ValueType::Size); }
    static Value string(std::string text);
    Value(Ref<Matrix> m);
    Value(Ref<Dense> m) : Value(Ref<Matrix>(std::move(m))) {}
    Value(Ref<Csr> m) : Value(Ref<Matrix>(std::move(m))) {}
    Value(Ref<Frame> f);

    ValueKind kind() const { return static_cast<ValueKind>(slot.tag & 0xff); }
    bool isScalar() const { return kind() == ValueKind::Scalar; }
    bool isMatrix() const { return kind() == ValueKind::Matrix; }
    bool isFrame() const { return kind() == ValueKind::Frame; }
    bool isList() const { return kind() == ValueKind::List; }
    bool isString() const { return isScalar() && scalarType() == ValueType::Str; }
    /// Scalars: their value type.
    ValueType scalarType() const { return static_cast<ValueType>(slot.tag >> 8 & 0xff); }
    /// Scalars, matrices and lists: the value type; Unknown otherwise.
    ValueType valueType() const;

    /// The number converted to T like a C++ static_cast, saturating where that would be undefined.
    /// Needs isScalar() and not isString().
    template <class T> T as() const;
    const std::string &text() const { return static_cast<StringObject *>(object())->text; }
    /// Matrices of either representation; dense() and csr() need the right one.
    Matrix &matrix() const { return *static_cast<Matrix *>(object()); }
    bool isCsr() const { return isMatrix() && matrix().isCsr(); }
    Dense &dense() const { return static_cast<Dense &>(matrix()); }
    Csr &csr() const { return static_cast<Csr &>(matrix()); }
    /// Matrices: knows where the cells are that are not here; null: all cells are here.
    Residency *residency() const { return isCsr() ? csr().residency() : dense().residency(); }
    Frame &frame() const;
    Ref<Matrix> matrixRef() const { return Ref<Matrix>::share(&matrix()); }
    Ref<Dense> denseRef() const { return Ref<Dense>::share(&dense()); }
    Ref<Csr> csrRef() const { return Ref<Csr>::share(&csr()); }

    bool isObject() const {
        return slot.tag > slotTag(ValueKind::Scalar, ValueType::F64) || kind() > ValueKind::Scalar;
    }
    Object *object() const { return reinterpret_cast<Object *>(slot.bits); }

    Slot raw() const { return slot; }
    /// Takes over the reference in the slot.
    static Value adopt(Slot s) {
        Value v;
        v.slot = s;
        return v;
    }
    /// Gives the reference away.
    Slot detach() { return std::exchange(slot, Slot{}); }

  private:
    template <class T> static uint64_t toBits(T x) {
        if constexpr (std::is_same_v<T, double>)
            return std::bit_cast<uint64_t>(x);
        else if constexpr (std::is_same_v<T, float>)
            return std::bit_cast<uint32_t>(x);
        else
            return static_cast<uint64_t>(static_cast<int64_t>(x));
    }
    Slot slot;
};
static_assert(sizeof(Value) == 16);

/// Conversion rule of casts: float to integer truncates toward zero, NaN becomes 0 and values out of range
/// saturate (no undefined behaviour); integers wrap; anything to bool is != 0.
template <class To, class From> constexpr To convertNumber(From x) {
    if constexpr (std::is_same_v<To, bool>) {
        return x != From(0);
    } else if constexpr (std::is_floating_point_v<From> && std::is_integral_v<To>) {
        using Limits64 = int64_t;
        if (x != x)
            return To(0);
        if constexpr (std::is_same_v<To, uint64_t>) {
            // Negative numbers wrap like the signed conversion would.
            if (x >= From(18446744073709551616.0))
                return ~uint64_t(0);
            if (x >= From(9223372036854775808.0))
                return static_cast<uint64_t>(x);
        }
        if (x >= From(9223372036854775808.0))
            return static_cast<To>(INT64_MAX);
        if (x < From(-9223372036854775808.0))
            return static_cast<To>(INT64_MIN);
        return static_cast<To>(static_cast<Limits64>(x));
    } else {
        return static_cast<To>(x);
    }
}

template <class T> T Value::as() const {
    return withNumericType(scalarType(), [&]<class S>(TypeTag<S>) -> T {
        if constexpr (std::is_same_v<S, double>)
            return convertNumber<T>(std::bit_cast<double>(slot.bits));
        else if constexpr (std::is_same_v<S, float>)
            return convertNumber<T>(std::bit_cast<float>(static_cast<uint32_t>(slot.bits)));
        else
            return convertNumber<T>(static_cast<S>(slot.bits));
    });
}

/// Table: one n x 1 matrix and one unique label per column.
class Frame final : public Object {
  public:
    explicit Frame(size_t rows) : Object(ObjectKind::Frame), numRows(rows) {}
    size_t rows() const { return numRows; }
    size_t cols() const { return columns.size(); }
    /// Throws Error (status 3) on a wrong number of rows, more than one column or a duplicate label.
    void addColumn(std::string label, Ref<Dense> column);
    /// Position of a label or npos.
    size_t find(std::string_view label) const;
    static constexpr size_t npos = ~size_t(0);
    std::string shapeText() const { return std::to_string(rows()) + "x" + std::to_string(cols()); }

    std::vector<Ref<Dense>> columns;
    std::vector<std::string> labels;

  private:
    size_t numRows;
};

inline Frame &Value::frame() const { return *static_cast<Frame *>(object()); }

} // namespace daphne
