// SPDX-License-Identifier: Apache-2.0
/// What every kernel test needs: run a kernel by mnemonic, make literal
/// matrices, read cells and printed text. Tests only.
#pragma once

#include <gtest/gtest.h>
#include <initializer_list>
#include <string>
#include <unistd.h>
#include <vector>

#include "kernels/KernelTable.h"

namespace daphne::test {

/// Runs a kernel and returns all its results.
inline std::vector<Value> runAll(std::string_view mnemonic, std::vector<Value> args, size_t numResults = 1,
                                 uint64_t consumable = 0, Slot castTarget = {}) {
    const Kernel *kernel = KernelTable::get().find(mnemonic);
    if (!kernel)
        throw std::logic_error("no kernel " + std::string(mnemonic));
    static RunContext context;
    std::vector<Value> results(numResults);
    KernelCall call{context, *kernel, args, results, consumable, castTarget};
    kernel->run(call);
    return results;
}

/// Runs a kernel with one result.
inline Value run(std::string_view mnemonic, std::vector<Value> args) {
    return std::move(runAll(mnemonic, std::move(args))[0]);
}

/// As run, with arguments (bits of `consumable`) the kernel may overwrite. Move them in, or they are shared.
inline Value runConsuming(std::string_view mnemonic, uint64_t consumable, std::vector<Value> args) {
    return std::move(runAll(mnemonic, std::move(args), 1, consumable)[0]);
}

/// The message of the error a kernel throws, "" if it succeeds.
inline std::string failure(std::string_view mnemonic, std::vector<Value> args) {
    try {
        runAll(mnemonic, std::move(args));
    } catch (const Error &e) {
        EXPECT_EQ(e.stage, Stage::Execute) << e.message;
        return e.message;
    }
    return {};
}

/// cast to a kind (None = keep) and value type (Unknown = keep).
inline Value cast(const Value &v, ValueKind kind, ValueType type) {
    Slot target{static_cast<uint64_t>(kind) | static_cast<uint64_t>(type) << 8, 0};
    return std::move(runAll("cast", {v}, 1, 0, target)[0]);
}

/// A matrix of cells given row by row: matrix<double>(2, 2, {1, 2, 3, 4}).
template <class T> Value matrix(size_t rows, size_t cols, std::initializer_list<T> cells) {
    auto m = Dense::create(valueTypeOf<T>(), rows, cols);
    auto out = m->template mutableView<T>();
    size_t i = 0;
    for (const T &x : cells)
        out.data[i++] = x;
    if (i != rows * cols)
        throw std::logic_error("matrix literal with a wrong number of cells");
    return m;
}
/// n x 1.
template <class T> Value column(std::initializer_list<T> cells) { return matrix<T>(cells.size(), 1, cells); }
/// 1 x n.
template <class T> Value rowVector(std::initializer_list<T> cells) { return matrix<T>(1, cells.size(), cells); }
inline Value strings(size_t rows, size_t cols, std::initializer_list<std::string> cells) {
    return matrix<std::string>(rows, cols, cells);
}
template <class T> Value number(T x) { return Value::scalar(x); }
inline Value text(std::string s) { return Value::string(std::move(s)); }

/// The same matrix as a window inside a larger one: rows are not adjacent in memory.
inline Value windowed(const Value &v) {
    const Dense &m = v.dense();
    auto big = Dense::create(m.type(), m.rows() + 2, m.cols() + 3, Buffer::Init::Zero);
    withValueType(m.type(), [&]<class T>(TypeTag<T>) {
        auto in = m.view<T>();
        auto out = big->mutableView<T>();
        for (size_t r = 0; r < m.rows(); ++r)
            for (size_t c = 0; c < m.cols(); ++c)
                out(r + 1, c + 2) = in(r, c);
    });
    return Dense::window(*big, 1, 1 + m.rows(), 2, 2 + m.cols());
}

/// Cells row by row; the value must be a matrix of T.
template <class T> std::vector<T> cells(const Value &v) {
    EXPECT_TRUE(v.isMatrix()) << describe(v);
    EXPECT_EQ(cppName(v.valueType()), cppName(valueTypeOf<T>()));
    std::vector<T> out;
    auto view = v.dense().view<T>();
    for (size_t r = 0; r < view.rows; ++r)
        out.insert(out.end(), view.row(r), view.row(r) + view.cols);
    return out;
}

/// What print writes for a value.
inline std::string printed(const Value &v, bool newline = true) {
    std::string text;
    RunContext context;
    context.out = Output([&](std::string_view piece) { text += piece; });
    const Kernel *kernel = KernelTable::get().find("print");
    std::vector<Value> args{v, Value::scalar(newline), Value::scalar(false)};
    KernelCall call{context, *kernel, args, {}, 0, {}};
    kernel->run(call);
    context.out.flush();
    return text;
}

} // namespace daphne::test
