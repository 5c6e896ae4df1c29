// SPDX-License-Identifier: Apache-2.0
/// Uniqued storage of the dialect's parametric types; private to src/ir.
#pragma once

#include "ir/Dialect.h"

namespace daphne::ir::detail {

struct MatrixTypeStorage : mlir::TypeStorage {
    using KeyTy = std::tuple<mlir::Type, int64_t, int64_t, double, ops::Representation>;
    explicit MatrixTypeStorage(const KeyTy &k)
        : element(std::get<0>(k)), rows(std::get<1>(k)), cols(std::get<2>(k)), sparsity(std::get<3>(k)),
          representation(std::get<4>(k)) {}
    bool operator==(const KeyTy &k) const { return k == KeyTy(element, rows, cols, sparsity, representation); }
    static llvm::hash_code hashKey(const KeyTy &k) {
        return llvm::hash_combine(std::get<0>(k), std::get<1>(k), std::get<2>(k),
                                  llvm::bit_cast<uint64_t>(std::get<3>(k)), static_cast<int>(std::get<4>(k)));
    }
    static MatrixTypeStorage *construct(mlir::TypeStorageAllocator &allocator, const KeyTy &key) {
        return new (allocator.allocate<MatrixTypeStorage>()) MatrixTypeStorage(key);
    }
    mlir::Type element;
    int64_t rows, cols;
    double sparsity;
    ops::Representation representation;
};

struct FrameTypeStorage : mlir::TypeStorage {
    using KeyTy = std::tuple<int64_t, int64_t, mlir::ArrayAttr, mlir::ArrayAttr>;
    explicit FrameTypeStorage(const KeyTy &k)
        : rows(std::get<0>(k)), cols(std::get<1>(k)), labels(std::get<2>(k)), types(std::get<3>(k)) {}
    bool operator==(const KeyTy &k) const { return k == KeyTy(rows, cols, labels, types); }
    static llvm::hash_code hashKey(const KeyTy &k) { return llvm::hash_value(k); }
    static FrameTypeStorage *construct(mlir::TypeStorageAllocator &allocator, const KeyTy &key) {
        return new (allocator.allocate<FrameTypeStorage>()) FrameTypeStorage(key);
    }
    int64_t rows, cols;
    mlir::ArrayAttr labels, types;
};

struct ListTypeStorage : mlir::TypeStorage {
    using KeyTy = mlir::Type;
    explicit ListTypeStorage(KeyTy element) : element(element) {}
    bool operator==(const KeyTy &k) const { return k == element; }
    static ListTypeStorage *construct(mlir::TypeStorageAllocator &allocator, const KeyTy &key) {
        return new (allocator.allocate<ListTypeStorage>()) ListTypeStorage(key);
    }
    mlir::Type element;
};

} // namespace daphne::ir::detail
