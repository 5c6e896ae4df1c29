// SPDX-License-Identifier: Apache-2.0
#include "transforms/Passes.h"

#include "ir/Dialect.h"
#include "kernels/KernelTable.h"

namespace daphne::transforms {

using namespace mlir;
using ir::DaphneOp;

namespace {

bool isCsr(Type type) {
    auto m = dyn_cast<ir::MatrixType>(type);
    return m && m.representation() == ops::Representation::Csr;
}

/// No kernel of the operation takes its operands in the representations they have.
bool needsConversion(DaphneOp op) {
    llvm::SmallVector<bool> csr;
    for (Type type : op->getOperandTypes())
        csr.push_back(isCsr(type));
    if (!llvm::is_contained(csr, true))
        return false;
    const Kernel *kernel = KernelTable::get().find(op.mnemonic());
    return kernel && !kernel->isNative({csr.data(), csr.size()});
}

Type denseType(Type type) {
    auto m = cast<ir::MatrixType>(type);
    return ir::MatrixType::get(m.element(), m.rows(), m.cols(), m.sparsity(), ops::Representation::Dense);
}

} // namespace

void selectRepresentations(ModuleOp module, double threshold) {
    module->setAttr(ir::kCsrThreshold, Builder(module.getContext()).getF64FloatAttr(threshold));
    inferTypes(module);
}

void adaptRepresentations(ModuleOp module) {
    OpBuilder builder(module.getContext());
    module.walk([&](DaphneOp op) {
        if (!needsConversion(op))
            return;
        builder.setInsertionPoint(op);
        for (OpOperand &operand : op->getOpOperands())
            if (Type type = operand.get().getType(); isCsr(type))
                operand.set(
                    ir::createOp(builder, op.getLoc(), "densify", operand.get(), denseType(type))->getResult(0));
    });
}

} // namespace daphne::transforms
