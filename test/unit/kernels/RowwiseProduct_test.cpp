// SPDX-License-Identifier: Apache-2.0
/// Parts of products, computed by whoever, are the product of the kernel to the last bit.
#include "kernels/products/RowwiseProduct.h"

#include <cstdlib>
#include <cstring>

#include <gtest/gtest.h>

#include "kernels/Run.h"
#include "kernels/aggregates/PairwiseRows.h"
#include "kernels/products/BlasProcessor.h"

namespace daphne {

namespace {

using Form = RowwiseProduct::Form;

Value numbers(ValueType type, size_t rows, size_t cols, uint64_t seed) {
    auto m = Dense::create(type, rows, cols);
    withNumericType(type, [&]<class T>(TypeTag<T>) {
        T *x = m->mutableView<T>().data;
        uint64_t state = seed;
        for (size_t i = 0; i < rows * cols; ++i) {
            state = state * 6364136223846793005u + 1442695040888963407u;
            x[i] = static_cast<T>(static_cast<double>(state >> 40) / (1 << 24) - 0.5);
        }
    });
    return m;
}

Value byKernel(const Value &a, const Value &b, TransposeFlags transpose) {
    RunContext context;
    const Kernel &kernel = *KernelTable::get().find("matMul");
    Value args[] = {a, b, Value::scalar(transpose.lhs), Value::scalar(transpose.rhs)}, result;
    KernelCall call{context, kernel, args, {&result, 1}};
    kernel.run(call);
    return result;
}

const std::byte *cellsOf(const Value &v) {
    return withNumericType(v.dense().type(), [&]<class T>(TypeTag<T>) {
        return reinterpret_cast<const std::byte *>(v.dense().view<T>().data);
    });
}

/// Partial results, which are overwritten, become a deep product.
Value sumOf(const RowwiseProduct &product, Dense &parts) {
    auto result = Dense::create(product.type, product.cols, product.width);
    withNumericType(product.type, [&]<class T>(TypeTag<T>) {
        if constexpr (std::is_floating_point_v<T>)
            sumGroups(parts.mutableView<T>().data, parts.rows(), parts.cols(), result->mutableView<T>().data);
    });
    finishDeepProduct(product, *result);
    return result;
}

std::optional<Form> formOf(const Value &a, const Value &b, TransposeFlags transpose) {
    auto product = rowwiseProductOf(a.matrix(), b.matrix(), transpose);
    return product ? std::optional(product->form) : std::nullopt;
}

struct Case {
    const char *name;
    ValueType type;
    size_t rows, cols, width;
    Form form;
};

class Parts : public testing::TestWithParam<Case> {};
INSTANTIATE_TEST_SUITE_P(OfProducts, Parts,
                         testing::Values(Case{"Rows", ValueType::F64, 1500, 70, 90, Form::Rows},
                                         Case{"RowsOfFloats", ValueType::F32, 1031, 300, 17, Form::Rows},
                                         Case{"RowsByTransposed", ValueType::F64, 800, 33, 250, Form::RowsByTransposed},
                                         Case{"Sums", ValueType::F64, 20000, 70, 30, Form::Sums},
                                         Case{"SumsInLargeBlocks", ValueType::F32, 40000, 300, 200, Form::Sums},
                                         Case{"Gram", ValueType::F64, 17001, 50, 50, Form::Gram},
                                         Case{"GramOfFloats", ValueType::F32, 9000, 64, 64, Form::Gram}),
                         [](const auto &info) { return info.param.name; });

TEST_P(Parts, GiveTheBitsOfTheKernelWhoeverComputesThem) {
    auto [name, type, rows, cols, width, form] = GetParam();
    bool isDeep = form >= Form::Sums, byTransposed = form == Form::RowsByTransposed;
    Value a = numbers(type, rows, cols, 1);
    Value b = form == Form::Gram ? a
              : isDeep           ? numbers(type, rows, width, 2)
              : byTransposed     ? numbers(type, width, cols, 2)
                                 : numbers(type, cols, width, 2);
    TransposeFlags transpose{isDeep, byTransposed};
    auto product = rowwiseProductOf(a.dense(), b.dense(), transpose);
    ASSERT_TRUE(product && product->isPossible());
    EXPECT_EQ(*product, (RowwiseProduct{form, type, cols, width}));
    uint64_t block = product->block(), numBlocks = (rows + block - 1) / block;
    Ref<Dense> parts = isDeep ? Dense::create(type, numBlocks, cols * width) : Dense::create(type, rows, width);
    size_t cell = cellSize(type), perBlock = (isDeep ? cols * width : block * width) * cell;
    // From the last block to the first, each as a matrix of its own: positions must not matter.
    for (uint64_t k = numBlocks; k-- > 0;) {
        uint64_t begin = k * block, count = std::min(rows - begin, block);
        const std::byte *right = cellsOf(b) + (isDeep ? begin * width * cell : 0);
        ProductArguments arguments{cellsOf(a) + begin * cols * cell, cols, right, byTransposed ? cols : width,
                                   const_cast<std::byte *>(cellsOf(Value(parts))) + k * perBlock};
        multiplyRows(*product, arguments, 0, count);
    }
    Value found = isDeep ? sumOf(*product, *parts) : Value(parts);
    Value wanted = byKernel(a, b, transpose);
    ASSERT_EQ(found.dense().cells(), wanted.dense().cells());
    EXPECT_EQ(std::memcmp(cellsOf(found), cellsOf(wanted), wanted.dense().cells() * cell), 0);
    // All at once.
    ProductArguments whole{cellsOf(a), cols, cellsOf(b), byTransposed ? cols : width,
                           const_cast<std::byte *>(cellsOf(Value(parts)))};
    multiplyRows(*product, whole, 0, rows);
    found = isDeep ? sumOf(*product, *parts) : Value(parts);
    EXPECT_EQ(std::memcmp(cellsOf(found), cellsOf(wanted), wanted.dense().cells() * cell), 0);
}

TEST(RowwiseProduct, OfSparseRowsHasTheBitsOfTheKernel) {
    for (ValueType type : {ValueType::F64, ValueType::F32})
        for (bool isPattern : {false, true})
            for (size_t width : {2, 7, 40}) {
                Value dense = numbers(type, 900, 300, 4);
                withNumericType(type, [&]<class T>(TypeTag<T>) {
                    T *x = dense.dense().mutableView<T>().data;
                    for (size_t i = 0; i < 900 * 300; ++i)
                        x[i] = x[i] < T(0.45) ? T(0) : isPattern ? T(1) : x[i]; // some rows are long, some empty
                });
                Value sparse = toCsr(dense.dense());
                if (isPattern)
                    sparse = Csr::withStructureOf(sparse.csr(), type, BufferRef());
                Value b = numbers(type, 300, width, 5);
                auto product = rowwiseProductOf(sparse.matrix(), b.matrix(), {false, false});
                ASSERT_TRUE(product && product->isPossible());
                EXPECT_EQ(*product, (RowwiseProduct{Form::SparseRows, type, 300, width, false, isPattern}));
                Ref<Dense> found = Dense::create(type, 900, width);
                const Csr &s = sparse.csr();
                ProductArguments arguments{reinterpret_cast<const std::byte *>(s.values<uint8_t>()),
                                           0,
                                           cellsOf(b),
                                           width,
                                           const_cast<std::byte *>(cellsOf(Value(found))),
                                           s.offsets(),
                                           reinterpret_cast<const std::byte *>(s.columns<uint32_t>())};
                for (uint64_t begin : {600, 0, 17})
                    multiplyRows(*product, arguments, begin, begin == 600 ? 900 : begin == 0 ? 17 : 600);
                Value wanted = byKernel(sparse, b, {false, false});
                EXPECT_EQ(std::memcmp(cellsOf(Value(found)), cellsOf(wanted), 900 * width * cellSize(type)), 0);
            }
    Value s = toCsr(numbers(ValueType::F64, 90, 30, 4).dense());
    EXPECT_FALSE(formOf(s, numbers(ValueType::F64, 30, 1, 4), {false, false})); // a vector
    EXPECT_FALSE(formOf(s, numbers(ValueType::F64, 90, 5, 4), {true, false}));
    EXPECT_FALSE(formOf(s, s, {true, false}));
    EXPECT_FALSE(formOf(numbers(ValueType::F64, 90, 90, 4), s, {false, false}));
}

TEST(RowwiseProduct, OtherProductsAreNone) {
    auto f64 = [](size_t rows, size_t cols) { return numbers(ValueType::F64, rows, cols, 3); };
    EXPECT_FALSE(formOf(f64(500, 60), f64(60, 1), {false, false}));                         // a vector
    EXPECT_FALSE(formOf(f64(1, 600), f64(600, 60), {false, false}));                        // a row
    EXPECT_FALSE(formOf(f64(500, 60), f64(60, 5), {false, false}));                         // narrow: a fused loop
    EXPECT_FALSE(formOf(f64(3, 4), f64(4, 5), {false, false}));                             // tiny
    EXPECT_FALSE(formOf(f64(100, 300), f64(100, 70), {true, false}));                       // rows of t(A)
    EXPECT_FALSE(formOf(f64(500, 60), numbers(ValueType::F32, 60, 70, 3), {false, false})); // two types
    EXPECT_FALSE(formOf(numbers(ValueType::SI64, 500, 60, 3), numbers(ValueType::SI64, 60, 70, 3), {false, false}));
    EXPECT_FALSE(formOf(f64(500, 60), f64(61, 70), {false, false})); // none at all
    EXPECT_FALSE(formOf(f64(0, 60), f64(60, 70), {false, false}));
    Value a = f64(500, 60);
    EXPECT_FALSE(formOf(a, a, {false, true})); // a triangle, from the left
    Value deep = f64(20, 9000);
    EXPECT_FALSE(formOf(deep, f64(9000, 30), {false, false})); // deep, but not by rows
}

/// New processors are unknown to old libraries, which is no reason to use none of their instructions.
TEST(BlasProcessor, HasTheVectorsOfThisProcessor) {
    std::string name = blasLoops();
    EXPECT_TRUE(name.starts_with("OpenBLAS")) << name;
#if defined(__x86_64__)
    if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") && !std::getenv("OPENBLAS_CORETYPE")) {
        for (const char *old : {"Prescott", "Core2", "Nehalem", "Sandybridge", "Generic", "Unknown", "Atom"})
            EXPECT_EQ(name.find(old), name.npos) << name;
    }
#endif
}

} // namespace

} // namespace daphne
