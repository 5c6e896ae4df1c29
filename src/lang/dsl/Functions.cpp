// SPDX-License-Identifier: Apache-2.0
#include "lang/dsl/Functions.h"

#include <algorithm>

#include "base/Widening.h"
#include "ops/FunctionKind.h"

namespace daphne::lang {

bool Function::accepts(const std::vector<ops::TypeDesc> &args) const {
    if (args.size() != params.size())
        return false;
    for (size_t i = 0; i < args.size(); ++i)
        if (!params[i].compatible(args[i]))
            return false;
    return true;
}

size_t Function::numRequired() const {
    return static_cast<size_t>(std::ranges::count(def->params, nullptr, &Param::defaultValue));
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
        if (p.defaultValue)
            out += " = ...";
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

bool Bound::usesDefaults() const { return std::ranges::find(argumentOf, kDefault) != argumentOf.end(); }

Bound bindToParams(const FuncDef &def, std::span<const CallArg> args) {
    Bound bound;
    size_t numParams = def.params.size();
    bound.argumentOf.assign(numParams, Bound::kDefault);
    auto fail = [&](Bound::Problem problem, size_t where) {
        bound.problem = problem;
        bound.where = where;
        return bound;
    };
    for (size_t a = 0; a < args.size(); ++a) {
        size_t p = a;
        if (!args[a].keyword.empty()) {
            auto named = std::ranges::find(def.params, args[a].keyword, &Param::name);
            p = static_cast<size_t>(named - def.params.begin());
            if (p == numParams)
                return fail(Bound::Problem::UnknownKeyword, a);
        }
        if (p >= numParams)
            return fail(Bound::Problem::TooMany, a);
        if (bound.argumentOf[p] != Bound::kDefault)
            return fail(Bound::Problem::GivenTwice, a);
        bound.argumentOf[p] = a;
    }
    for (size_t p = 0; p < numParams; ++p)
        if (bound.argumentOf[p] == Bound::kDefault && !def.params[p].defaultValue)
            return fail(Bound::Problem::Missing, p);
    return bound;
}

bool takes(const ops::TypeDesc &param, const ops::TypeDesc &arg) {
    if (param.compatible(arg))
        return true;
    return param.kind == arg.kind && (param.isScalar() || param.isMatrix()) && widens(arg.valueType, param.valueType);
}

bool fits(const FuncDef &def, const Bound &bound, const std::vector<ops::TypeDesc> &args, Fit fit) {
    if (bound.problem != Bound::Problem::None || (fit == Fit::Exact && bound.usesDefaults()))
        return false;
    for (size_t p = 0; p < def.params.size(); ++p) {
        size_t a = bound.argumentOf[p];
        if (a == Bound::kDefault || !def.params[p].typed)
            continue;
        ops::TypeDesc declared = typeOf(def.params[p]);
        if (fit == Fit::Exact ? !declared.compatible(args[a]) : !takes(declared, args[a]))
            return false;
    }
    return true;
}

bool isSignatureType(const TypeSpec &spec) {
    switch (spec.dataType) {
    case DataType::None:
    case DataType::Matrix:
    case DataType::List:
    case DataType::Function: return true;
    case DataType::Frame: return spec.valueType == ValueType::Unknown;
    case DataType::Scalar: break;
    }
    return false;
}

ops::TypeDesc typeOf(const TypeSpec &spec) {
    switch (spec.dataType) {
    case DataType::None: return ops::TypeDesc::scalar(spec.valueType);
    case DataType::Matrix: return ops::TypeDesc::matrix(spec.valueType);
    case DataType::Frame: return ops::TypeDesc::frame(nullptr);
    case DataType::List: return ops::TypeDesc::list(ValueType::Unknown);
    default: return ops::TypeDesc::unknown();
    }
}

ops::TypeDesc typeOf(const Param &param) {
    if (!param.typed)
        return ops::TypeDesc::unknown();
    return param.type.dataType == DataType::Function ? ops::functionType() : typeOf(param.type);
}

std::string textOf(const TypeSpec &spec) {
    std::string value(spec.valueType == ValueType::Unknown ? "" : dslName(spec.valueType));
    std::string data;
    switch (spec.dataType) {
    case DataType::None: return value;
    case DataType::Scalar: data = "scalar"; break;
    case DataType::Matrix: data = "matrix"; break;
    case DataType::Frame: data = "frame"; break;
    case DataType::List: data = "list"; break;
    case DataType::Function: data = "function"; break;
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
