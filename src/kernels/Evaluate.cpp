// SPDX-License-Identifier: Apache-2.0
#include "kernels/Evaluate.h"

#include <vector>

#include "kernels/KernelTable.h"

namespace daphne {

namespace {

using ops::Constant;

/// Longest string a fold may produce: folding must not make the program large.
constexpr size_t kMaxFoldedString = 1 << 16;

Value toValue(const Constant &c) {
    if (c.type == ValueType::Str)
        return Value::string(c.s);
    return withNumericType(c.type, [&]<class T>(TypeTag<T>) {
        return Value::scalar(std::is_floating_point_v<T> ? static_cast<T>(c.d) : static_cast<T>(c.i), c.type);
    });
}

Constant toConstant(const Value &v) {
    Constant c;
    c.type = v.scalarType();
    if (c.type == ValueType::Str)
        c.s = v.text();
    else if (isFloat(c.type))
        c.d = v.as<double>();
    else if (c.type == ValueType::UI64 || c.type == ValueType::Size)
        c.i = static_cast<int64_t>(v.as<uint64_t>());
    else
        c.i = v.as<int64_t>();
    return c;
}

} // namespace

std::optional<Constant> evaluate(const ops::OpInfo &op, std::span<const Constant> args,
                                 const ops::TypeDesc &castTarget) {
    if (op.sideEffect || op.numResults != 1 || args.empty())
        return std::nullopt;
    const Kernel *kernel = KernelTable::get().find(op.mnemonic);
    if (!kernel)
        return std::nullopt;
    std::vector<Value> values;
    values.reserve(args.size());
    for (const Constant &c : args)
        values.push_back(toValue(c));
    RunContext context;
    Value result;
    KernelCall call{context, *kernel, values, {&result, 1}};
    call.castTarget.tag = static_cast<uint64_t>(castTarget.kind) | static_cast<uint64_t>(castTarget.valueType) << 8;
    kernel->run(call);
    if (!result.isScalar() || (result.isString() && result.text().size() > kMaxFoldedString))
        return std::nullopt;
    return toConstant(result);
}

} // namespace daphne
