// SPDX-License-Identifier: Apache-2.0
#include "ops/KernelName.h"

#include "ops/Registry.h"

namespace daphne::ops {

namespace {

std::string cellName(ValueType vt) { return vt == ValueType::Str ? "string" : std::string(cppName(vt)); }

std::string typeName(const TypeDesc &t) {
    switch (t.kind) {
    case Kind::Scalar:
        if (t.valueType == ValueType::Str)
            return "char";
        return t.valueType == ValueType::Size ? "size_t" : std::string(cppName(t.valueType));
    case Kind::Matrix:
        return (t.representation == Representation::Csr ? "CSRMatrix_" : "DenseMatrix_") + cellName(t.valueType);
    case Kind::Frame: return "Frame";
    case Kind::List: return "List_DenseMatrix_" + cellName(t.valueType);
    case Kind::Unknown: break;
    }
    return "Structure";
}

void replaceAll(std::string &text, std::string_view from, std::string_view to) {
    for (size_t at = text.find(from); at != text.npos; at = text.find(from, at + to.size()))
        text.replace(at, from.size(), to);
}

} // namespace

std::string kernelName(std::string_view mnemonic, const std::vector<TypeDesc> &results,
                       const std::vector<TypeDesc> &args) {
    std::string name = "_" + std::string(mnemonic);
    for (const TypeDesc &t : results)
        name += "__" + typeName(t);
    const OpInfo *info = Registry::get().findOp(mnemonic);
    bool variadic = info && info->maxArgs == kVariadic;
    for (size_t i = 0; i < args.size(); ++i) {
        name += "__" + typeName(args[i]);
        if (variadic) {
            // A run of arguments of one kind is one group with its count.
            while (i + 1 < args.size() && args[i + 1].kind == args[i].kind)
                ++i;
            name += "_variadic__size_t";
        }
    }
    return name;
}

bool sameKernel(std::string_view a, std::string_view b) {
    std::string x(a), y(b);
    replaceAll(x, "CSRMatrix_", "DenseMatrix_");
    replaceAll(y, "CSRMatrix_", "DenseMatrix_");
    return x == y;
}

} // namespace daphne::ops
