// SPDX-License-Identifier: Apache-2.0
// Which operand can be a matrix, and of which value types, is asked of the inference rules; what a kernel takes without
// a conversion is asked of the kernel table.
#include <array>
#include <vector>

#include "driver/reference/Reference.h"
#include "engine/interactive/OperandTypes.h"
#include "kernels/KernelTable.h"
#include "ops/Registry.h"

namespace daphne::driver {

namespace {

using engine::isNumber, engine::numOperands, engine::resultsOf;
using ops::Arg, ops::BuiltinInfo, ops::OpInfo, ops::Registry, ops::TypeDesc;

/// Whether the rule lets operand i be a matrix of a value type; the others are not known.
bool acceptsMatrix(const OpInfo &op, size_t i, ValueType type) {
    std::vector<Arg> args(numOperands(op));
    args[i].type = TypeDesc::matrix(type);
    return resultsOf(op, args).has_value();
}

struct MatrixOperand {
    size_t position;
    std::vector<ValueType> types; ///< it can have
};

std::vector<MatrixOperand> matrixOperands(const OpInfo &op, const Kernel &kernel) {
    std::vector<MatrixOperand> operands;
    for (size_t i = 0; i < numOperands(op); ++i) {
        MatrixOperand operand{i, {}};
        for (int t = 0; t < kNumValueTypes && !isNumber(kernel, i); ++t)
            if (acceptsMatrix(op, i, static_cast<ValueType>(t)))
                operand.types.push_back(static_cast<ValueType>(t));
        if (!operand.types.empty())
            operands.push_back(std::move(operand));
    }
    return operands;
}

std::string typesText(const std::vector<ValueType> &types) {
    bool strings = !types.empty() && types.back() == ValueType::Str;
    size_t numbers = types.size() - strings;
    std::string text;
    if (numbers == size_t(ValueType::F64) + 1)
        text = "all numeric";
    else
        for (size_t i = 0; i < numbers; ++i)
            text += (i ? ", " : "") + std::string(dslName(types[i]));
    return text + (strings ? text.empty() ? "str" : ", str" : "");
}

/// One list if all operands have the same.
std::string typesText(const std::vector<MatrixOperand> &operands) {
    bool same = true;
    std::string each;
    for (const MatrixOperand &operand : operands) {
        same &= operand.types == operands.front().types;
        each += (each.empty() ? "" : "; ") + typesText(operand.types);
    }
    return same ? typesText(operands.front().types) : each;
}

/// How scripts write the operation.
std::string usersOf(const OpInfo &op) {
    std::string text;
    auto add = [&](std::string_view name) { text += (text.empty() ? "`" : ", `") + std::string(name) + "`"; };
    std::string_view written = ops::userName(op.mnemonic);
    bool isBuiltin = false;
    for (const BuiltinInfo &b : Registry::get().builtins())
        if (b.row->op == op.mnemonic || b.row->rowOp == op.mnemonic || b.row->colOp == op.mnemonic) {
            add(b.name);
            isBuiltin |= b.name == written;
        }
    if (!isBuiltin && written != op.mnemonic)
        add(written);
    // A bar would end the cell.
    for (size_t at = 0; (at = text.find('|', at)) != text.npos; at += 2)
        text.insert(at, "\\");
    return text;
}

struct Row {
    const OpInfo *op;
    const Kernel *kernel;
    std::vector<MatrixOperand> matrices;

    bool hasOnlyStrings() const { return matrices.front().types.front() == ValueType::Str; }
};

/// bit k of csr: the k-th matrix operand is a CSR matrix.
bool isNative(const Row &row, unsigned csr) {
    std::array<bool, 64> forms{};
    for (size_t k = 0; k < row.matrices.size(); ++k)
        forms[row.matrices[k].position] = csr >> k & 1;
    return row.kernel->isNative(std::span(forms).first(numOperands(*row.op)));
}

std::string combinationText(size_t numMatrices, unsigned csr) {
    std::string text;
    for (size_t k = 0; k < numMatrices; ++k)
        text += (k ? ", " : "") + std::string(csr >> k & 1 ? "CSR" : "dense");
    return text;
}

std::vector<Row> rows() {
    std::vector<Row> result;
    for (const OpInfo *op : Registry::get().ops()) {
        const Kernel *kernel = KernelTable::get().find(op->mnemonic);
        if (!kernel)
            continue;
        if (Row row{op, kernel, matrixOperands(*op, *kernel)}; !row.matrices.empty())
            result.push_back(std::move(row));
    }
    return result;
}

/// Operations with one number of matrix operands: a column per combination with a CSR matrix in it.
void appendTable(std::string &out, const std::vector<Row> &all, size_t numMatrices) {
    std::string head, rule, body;
    for (unsigned csr = 1; csr < 1u << numMatrices; ++csr) {
        head += " " + combinationText(numMatrices, csr) + " |";
        rule += "---|";
    }
    for (const Row &row : all) {
        if (row.matrices.size() != numMatrices)
            continue;
        body +=
            "| `" + std::string(row.op->mnemonic) + "` | " + usersOf(*row.op) + " | " + typesText(row.matrices) + " |";
        for (unsigned csr = 1; csr < 1u << numMatrices; ++csr)
            body += row.hasOnlyStrings() ? " – |" : isNative(row, csr) ? " native |" : " converted |";
        body += "\n";
    }
    if (!body.empty())
        out += "\n## " + std::to_string(numMatrices) + (numMatrices == 1 ? " matrix operand" : " matrix operands") +
               "\n\n| Operation | Written | Value types |" + head + "\n|---|---|---|" + rule + "\n" + body;
}

} // namespace

std::string representationsMarkdown() {
    std::vector<Row> all = rows();
    size_t most = 0, native = 0, combinations = 0;
    for (const Row &row : all) {
        most = std::max(most, row.matrices.size());
        if (row.hasOnlyStrings())
            continue;
        for (unsigned csr = 1; csr < 1u << row.matrices.size(); ++csr) {
            ++combinations;
            native += isNative(row, csr);
        }
    }
    std::string out =
        "# Operations and representations\n\n"
        "Written by `daphne --builtins=representations` from the tables of operations and kernels; this page is not "
        "edited.\n\nEvery operation takes matrices in every combination of representations and gives the same result. "
        "*native*: a kernel works on the stored cells as they are. *converted*: CSR operands become dense ones first, "
        "which the plan shows as `densify` where the compiler knows the representation. All-dense operands are always "
        "native; where an operand may also be a scalar, a scalar counts as dense. Strings are always dense. Value "
        "types are "
        "listed per matrix operand where they differ.\n\n" +
        std::to_string(native) + " of " + std::to_string(combinations) +
        " combinations with a CSR operand are native.\n";
    for (size_t n = 1; n <= most; ++n)
        appendTable(out, all, n);
    return out;
}

} // namespace daphne::driver
