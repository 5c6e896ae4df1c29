// SPDX-License-Identifier: Apache-2.0
#include "engine/ExplainLevels.h"

#include "engine/OptionTable.h"

namespace daphne::engine {

namespace {
using enum ExplainLevel;

constexpr ExplainRow kLevels[] = {
    {Parsing, "parsing", "explain_parsing", "IR after parsing:"},
    {ParsingSimplified, "parsing_simplified", "explain_parsing_simplified",
     "IR after parsing and some simplifications:"},
    {Sql, "sql", "explain_sql", "IR after SQL parsing:"},
    {PropertyInference, "property_inference", "explain_property_inference", "IR after inference:"},
    {Columnar, "columnar", "explain_columnar", "IR after lowering to columnar ops:"},
    {SelectMatrixRepr, "select_matrix_repr", "explain_select_matrix_repr",
     "IR after selecting matrix representations:"},
    {TransferDataProps, "transfer_data_props", "explain_transfer_data_props", "IR after transferring data properties:"},
    {PhyOpSelection, "phy_op_selection", "explain_phy_op_selection", "IR after selecting physical operators:"},
    {TypeAdaptation, "type_adaptation", "explain_type_adaptation", "IR after type adaptation:"},
    {Vectorized, "vectorized", "explain_vectorized", "IR after vectorization:"},
    {ObjRefMgnt, "obj_ref_mgnt", "explain_obj_ref_mgnt", "IR after managing object references:"},
    {Kernels, "kernels", "explain_kernels", "IR after kernel lowering:"},
    {Codegen, "codegen", "explain_mlir_codegen", "IR after codegen:", "mlir_codegen"},
    {CodegenSparsityFusion, "mlir_codegen_sparsity_exploiting_op_fusion",
     "explain_mlir_codegen_sparsity_exploiting_op_fusion", "IR after codegen (sparsity-exploiting operator fusion):"},
    {CodegenDaphneIrToMlir, "mlir_codegen_daphneir_to_mlir", "explain_mlir_codegen_daphneir_to_mlir",
     "IR after codegen (DaphneIR to MLIR):"},
    {CodegenMlirSpecific, "mlir_codegen_mlir_specific", "explain_mlir_codegen_mlir_specific",
     "IR after codegen (MLIR-specific):"},
    {Llvm, "llvm", "explain_llvm", "IR after llvm lowering:"},
    {Loops, "loops", "explain_loops", "Loops as planned:"},
};

consteval bool inOrderOfTheEnumeration() {
    for (size_t i = 0; i < std::size(kLevels); ++i)
        if (static_cast<size_t>(kLevels[i].level) != i)
            return false;
    return true;
}
static_assert(inOrderOfTheEnumeration());
} // namespace

std::span<const ExplainRow> explainTable() { return kLevels; }

const ExplainRow *findExplainLevel(std::string_view name) {
    for (const ExplainRow &row : kLevels)
        if (sameWord(row.name, name) || (!row.alias.empty() && sameWord(row.alias, name)))
            return &row;
    return nullptr;
}

} // namespace daphne::engine
