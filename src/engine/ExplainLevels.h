// SPDX-License-Identifier: Apache-2.0
/// The levels of --explain in pipeline order, with their names, configuration
/// keys and the header line printed above the module.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

namespace daphne::engine {

enum class ExplainLevel : uint8_t {
    Parsing,
    ParsingSimplified,
    Sql,
    PropertyInference,
    Columnar,
    SelectMatrixRepr,
    TransferDataProps,
    PhyOpSelection,
    TypeAdaptation,
    Vectorized,
    ObjRefMgnt,
    Kernels,
    Codegen,
    CodegenSparsityFusion,
    CodegenDaphneIrToMlir,
    CodegenMlirSpecific,
    Llvm,
    Loops,
};

struct ExplainRow {
    ExplainLevel level;
    std::string_view name, configKey, header;
    std::string_view alias = {};
};

/// One row per level, in the order of the enumeration.
std::span<const ExplainRow> explainTable();
/// The row of a level by name (any case) or alias; nullptr if there is none.
const ExplainRow *findExplainLevel(std::string_view name);
inline const ExplainRow &explainRow(ExplainLevel level) { return explainTable()[static_cast<size_t>(level)]; }

} // namespace daphne::engine
