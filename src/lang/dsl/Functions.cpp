// SPDX-License-Identifier: Apache-2.0
#include "lang/dsl/Functions.h"

#include <algorithm>

namespace daphne::lang {

bool Function::accepts(const std::vector<ops::TypeDesc> &args) const {
    if (args.size() != params.size())
        return false;
    for (size_t i = 0; i < args.size(); ++i)
        if (!params[i].compatible(args[i]))
            return false;
    return true;
}

std::string Function::signature() const {
    std::string out(def->name);
    out += '(';
    for (const Param &p : def->params) {
        if (&p != def->params.data())
            out += ", ";
        out += p.name;
        if (p.typed)
            out += ": " + textOf(p.type);
    }
    return out + ')';
}

const std::vector<Function *> &Functions::overloads(std::string_view name) const {
    static const std::vector<Function *> kNone;
    auto it = table.find(name);
    return it == table.end() ? kNone : it->second;
}

std::vector<std::string_view> Functions::names() const {
    std::vector<std::string_view> out;
    for (auto &[name, overloads] : table)
        out.push_back(name);
    std::sort(out.begin(), out.end());
    return out;
}

bool isSignatureType(const TypeSpec &spec) {
    return spec.dataType == DataType::None || spec.dataType == DataType::Matrix;
}

ops::TypeDesc typeOf(const TypeSpec &spec) {
    switch (spec.dataType) {
    case DataType::None: return ops::TypeDesc::scalar(spec.valueType);
    case DataType::Matrix: return ops::TypeDesc::matrix(spec.valueType);
    default: return ops::TypeDesc::unknown();
    }
}

std::string textOf(const TypeSpec &spec) {
    std::string value(spec.valueType == ValueType::Unknown ? "" : dslName(spec.valueType));
    std::string data;
    switch (spec.dataType) {
    case DataType::None: return value;
    case DataType::Scalar: data = "scalar"; break;
    case DataType::Matrix: data = "matrix"; break;
    case DataType::Frame: data = "frame"; break;
    }
    return value.empty() ? data : data + "<" + value + ">";
}

std::string textOf(const std::vector<ops::TypeDesc> &types) {
    std::string out = "(";
    for (const ops::TypeDesc &t : types) {
        if (&t != types.data())
            out += ", ";
        out += t.typeText();
    }
    return out + ")";
}

} // namespace daphne::lang
