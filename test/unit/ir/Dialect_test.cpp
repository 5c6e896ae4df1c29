// SPDX-License-Identifier: Apache-2.0
#include "ir/Dialect.h"

#include "ops/InternalOps.h"

#include <gtest/gtest.h>
#include <set>

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/OwningOpRef.h"

namespace daphne::ir {
namespace {

class DialectTest : public ::testing::Test {
  protected:
    DialectTest() { context.loadDialect<DaphneDialect, mlir::func::FuncDialect>(); }

    std::vector<const ops::OpInfo *> rows() const {
        std::vector<const ops::OpInfo *> all = ops::Registry::get().ops();
        for (const ops::OpInfo &row : ops::internalOps())
            all.push_back(&row);
        return all;
    }
    mlir::OwningOpRef<mlir::Operation *> create(const std::string &name) {
        mlir::OperationState state(mlir::UnknownLoc::get(&context), name);
        return mlir::Operation::create(state);
    }

    mlir::MLIRContext context;
};

TEST_F(DialectTest, EveryNameHasATypeIdOfItsOwn) {
    std::set<const void *> ids;
    for (const ops::OpInfo *row : rows()) {
        mlir::OperationName name("daphne." + std::string(row->mnemonic), &context);
        ASSERT_TRUE(name.isRegistered()) << name.getStringRef().str();
        EXPECT_TRUE(ids.insert(name.getTypeID().getAsOpaquePointer()).second) << name.getStringRef().str();
        // What an MLIR with assertions demands: the TypeID leads to this name and no other.
        auto found = mlir::RegisteredOperationName::lookup(name.getTypeID(), &context);
        ASSERT_TRUE(found);
        EXPECT_EQ(found->getStringRef(), name.getStringRef());
    }
}

TEST_F(DialectTest, MlirListsEveryNameOnce) {
    std::multiset<std::string> listed;
    for (mlir::RegisteredOperationName name : context.getRegisteredOperations())
        if (name.getDialectNamespace() == "daphne")
            listed.insert(name.getStringRef().str());
    EXPECT_EQ(listed.size(), rows().size() + 2); // pipeline and yield
    EXPECT_EQ(std::set<std::string>(listed.begin(), listed.end()).size(), listed.size());
}

TEST_F(DialectTest, OperationsOfEveryRowAreDaphneOpsAndKnowTheirRow) {
    for (const ops::OpInfo *row : rows()) {
        auto op = create("daphne." + std::string(row->mnemonic));
        ASSERT_TRUE(mlir::isa<DaphneOp>(*op)) << std::string(row->mnemonic);
        EXPECT_EQ(&mlir::cast<DaphneOp>(*op).info(), row);
        EXPECT_FALSE((mlir::isa<PipelineOp, YieldOp>(*op)));
    }
}

TEST_F(DialectTest, OtherOperationsAreNone) {
    EXPECT_FALSE(mlir::isa<DaphneOp>(*create("func.return")));
    EXPECT_FALSE(mlir::isa<DaphneOp>(*create("daphne.yield")));
    EXPECT_TRUE(mlir::isa<YieldOp>(*create("daphne.yield")));
    context.allowUnregisteredDialects();
    EXPECT_FALSE(mlir::isa<DaphneOp>(*create("daphne.noSuchOperation")));
    EXPECT_FALSE(mlir::isa<DaphneOp>(*create("other.sumAll")));
}

} // namespace
} // namespace daphne::ir
