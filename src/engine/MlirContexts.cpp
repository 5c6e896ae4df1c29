// SPDX-License-Identifier: Apache-2.0
#include "engine/MlirContexts.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/MLIRContext.h"

#include "ir/Dialect.h"

namespace daphne::engine {

namespace {
constexpr int kMostUses = 64;
}

struct MlirContexts::Loan::Entry {
    Entry() : context(mlir::MLIRContext::Threading::DISABLED) {
        context.loadDialect<mlir::func::FuncDialect, mlir::scf::SCFDialect, ir::DaphneDialect>();
    }
    mlir::MLIRContext context;
    int uses = 0;
};

MlirContexts::MlirContexts() = default;
MlirContexts::~MlirContexts() = default;

MlirContexts::Loan::Loan(MlirContexts &owner) : owner(owner) {
    std::unique_lock lock(owner.mutex);
    if (!owner.free.empty()) {
        entry = std::move(owner.free.back());
        owner.free.pop_back();
    }
    lock.unlock();
    if (!entry)
        entry = std::make_unique<Entry>();
}

MlirContexts::Loan::~Loan() {
    if (!entry || ++entry->uses == kMostUses)
        return;
    std::lock_guard lock(owner.mutex);
    owner.free.push_back(std::move(entry));
}

mlir::MLIRContext &MlirContexts::Loan::context() const { return entry->context; }

void MlirContexts::Loan::abandon() { [[maybe_unused]] Entry *leaked = entry.release(); }

} // namespace daphne::engine
