// SPDX-License-Identifier: Apache-2.0
#include "ops/TypeDesc.h"

#include <algorithm>
#include <cmath>

#include "ops/FunctionKind.h"

namespace daphne::ops {

bool TypeDesc::isComplete() const {
    switch (kind) {
    case Kind::Unknown: return false;
    case Kind::Frame: return schema != nullptr;
    default: return valueType != ValueType::Unknown;
    }
}

namespace {
bool sameColumns(const TypeDesc &a, const TypeDesc &b) {
    return a.schema && b.schema && a.schema->types == b.schema->types;
}
} // namespace

bool TypeDesc::sameType(const TypeDesc &o) const {
    if (!isComplete() || !o.isComplete() || kind != o.kind)
        return false;
    return kind == Kind::Frame ? sameColumns(*this, o) : valueType == o.valueType;
}

bool TypeDesc::compatible(const TypeDesc &o) const {
    if (isUnknown() || o.isUnknown())
        return true;
    if (kind != o.kind)
        return false;
    if (kind == Kind::Frame)
        return !schema || !o.schema || sameColumns(*this, o);
    return valueType == ValueType::Unknown || o.valueType == ValueType::Unknown || valueType == o.valueType;
}

bool TypeDesc::operator==(const TypeDesc &o) const {
    bool schemas = schema == o.schema || (schema && o.schema && *schema == *o.schema);
    return kind == o.kind && valueType == o.valueType && rows == o.rows && cols == o.cols && sparsity == o.sparsity &&
           representation == o.representation && schemas;
}

std::string TypeDesc::shapeText() const {
    auto dim = [](int64_t n) { return n < 0 ? std::string("?") : std::to_string(n); };
    return dim(rows) + "x" + dim(cols);
}

std::string TypeDesc::typeText() const {
    auto vt = std::string(dslName(valueType));
    if (kind == kFunctionKind)
        return "function";
    switch (kind) {
    case Kind::Unknown: return "unknown";
    case Kind::Scalar: return vt;
    case Kind::Matrix: return valueType == ValueType::Unknown ? "matrix" : "matrix<" + vt + ">";
    case Kind::List: return valueType == ValueType::Unknown ? "list" : "list<matrix<" + vt + ">>";
    case Kind::Frame: break;
    }
    std::string out = "frame";
    if (schema) {
        out += " [";
        for (size_t i = 0; i < schema->types.size(); ++i) {
            if (i)
                out += ", ";
            if (i < schema->labels.size())
                out += schema->labels[i] + ": ";
            out += dslName(schema->types[i]);
        }
        out += "]";
    }
    return out;
}

std::string TypeDesc::text() const {
    std::string out = typeText();
    if ((isMatrix() || isFrame()) && (rows >= 0 || cols >= 0))
        out += " " + shapeText();
    return out;
}

TypeDesc join(const TypeDesc &a, const TypeDesc &b) {
    if (a == b)
        return a;
    if (a.kind != b.kind)
        return TypeDesc::unknown();
    TypeDesc r = a;
    if (a.valueType != b.valueType)
        r.valueType = ValueType::Unknown;
    if (a.kind == Kind::Scalar && r.valueType == ValueType::Unknown)
        return TypeDesc::unknown();
    if (a.rows != b.rows)
        r.rows = -1;
    if (a.cols != b.cols)
        r.cols = -1;
    if (a.sparsity != b.sparsity)
        r.sparsity = -1;
    if (a.representation != b.representation)
        r.representation = Representation::Dense;
    bool sameSchema = a.schema && b.schema && *a.schema == *b.schema;
    if (!sameSchema)
        r.schema = nullptr;
    return r;
}

double Constant::asDouble() const {
    if (isFloat(type))
        return d;
    return isSigned(type) || type == ValueType::Bool ? static_cast<double>(i)
                                                     : static_cast<double>(static_cast<uint64_t>(i));
}

int64_t Constant::asInt() const {
    if (!isFloat(type))
        return i;
    if (std::isnan(d))
        return 0;
    if (d >= 9223372036854775808.0)
        return INT64_MAX;
    if (d < -9223372036854775808.0)
        return INT64_MIN;
    return static_cast<int64_t>(d);
}

} // namespace daphne::ops
