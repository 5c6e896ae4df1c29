// SPDX-License-Identifier: Apache-2.0
#include "engine/Pipeline.h"

#include "transforms/Passes.h"

namespace daphne::engine {

namespace {

struct LoweringStage {
    ExplainLevel level;
    void (*run)(mlir::ModuleOp, const Options &); ///< null: nothing to do in this version of the plan
};

/// Scalars only: what the user wrote on matrices stays visible.
void simplifyScalars(mlir::ModuleOp module, const Options &) { transforms::foldScalars(module); }

void inferProperties(mlir::ModuleOp module, const Options &) {
    transforms::inferTypes(module);
    transforms::foldScalars(module);
}

void lowerToColumns(mlir::ModuleOp module, const Options &options) {
    if (options.columnar)
        transforms::lowerToColumns(module, options.optimisticSplitting ? transforms::Splitting::Optimistic
                                                                       : transforms::Splitting::Off);
}

void selectRepresentations(mlir::ModuleOp module, const Options &options) {
    if (options.selectMatrixRepr)
        transforms::selectRepresentations(module, options.sparsityThreshold);
}

void adaptTypes(mlir::ModuleOp module, const Options &) { transforms::adaptRepresentations(module); }

/// From what was written to what is cheapest.
void selectPhysicalOperators(mlir::ModuleOp module, const Options &options) {
    if (options.phyOpSelection) {
        transforms::eliminateCommonOps(module); // first: shared products must be seen as shared
        transforms::planQueries(module);
        transforms::simplifyAlgebra(module);
        transforms::simplifyTransposes(module);
        transforms::pushDownAggregates(module);
        transforms::orderMatMulChains(module);
        transforms::inferTypes(module);
        transforms::foldScalars(module);
        transforms::eliminateCommonOps(module);
    }
    transforms::eliminateDeadOps(module);
    if (options.phyOpSelection)
        transforms::pruneReads(module); // last: what is dead uses no column
}

void collectPipelines(mlir::ModuleOp module, const Options &options) {
    if (options.vec)
        transforms::collectPipelines(module,
                                     options.vecRestricted ? transforms::Fusion::Restricted : transforms::Fusion::All);
}

void manageReferences(mlir::ModuleOp module, const Options &options) {
    if (options.vec && options.jit && !options.vecAlways)
        transforms::dissolveTinyPipelines(module);
    if (options.objRefMgnt)
        transforms::manageReferences(module);
}

/// In the order of --explain. Levels up to Columnar keep one operation per operation of the language.
constexpr LoweringStage kStages[] = {
    {ExplainLevel::Parsing, nullptr},
    {ExplainLevel::ParsingSimplified, simplifyScalars},
    {ExplainLevel::Sql, nullptr},
    {ExplainLevel::PropertyInference, inferProperties},
    {ExplainLevel::Columnar, lowerToColumns},
    {ExplainLevel::SelectMatrixRepr, selectRepresentations},
    {ExplainLevel::TransferDataProps, nullptr},
    {ExplainLevel::PhyOpSelection, selectPhysicalOperators},
    {ExplainLevel::TypeAdaptation, adaptTypes},
    {ExplainLevel::Vectorized, collectPipelines},
    {ExplainLevel::ObjRefMgnt, manageReferences},
    {ExplainLevel::Kernels, nullptr},
    {ExplainLevel::Codegen, nullptr},
    {ExplainLevel::CodegenSparsityFusion, nullptr},
    {ExplainLevel::CodegenDaphneIrToMlir, nullptr},
    {ExplainLevel::CodegenMlirSpecific, nullptr},
};

} // namespace

std::string moduleText(mlir::ModuleOp module) {
    std::string text;
    llvm::raw_string_ostream out(text);
    module.print(out);
    out << "\n";
    return text;
}

void runPipeline(mlir::ModuleOp module, const Options &options,
                 const std::function<void(ExplainLevel, const std::string &)> &show) {
    for (const LoweringStage &stage : kStages) {
        if (stage.run)
            stage.run(module, options);
        if (options.explains(stage.level))
            show(stage.level, moduleText(module));
    }
}

} // namespace daphne::engine
