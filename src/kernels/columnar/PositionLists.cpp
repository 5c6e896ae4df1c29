// SPDX-License-Identifier: Apache-2.0
/// Position lists: what two have in common, all of both, and the cells they
/// choose.
#include "base/Cancellable.h"
#include "kernels/RowBlocks.h"
#include "kernels/reorganise/Selection.h"

namespace daphne {

namespace {

std::span<const size_t> positionsOf(const KernelCall &call, size_t i) {
    const Value &v = call.args[i];
    if (!v.isMatrix() || v.dense().cols() != 1 || !v.dense().contiguous() ||
        (v.valueType() != ValueType::Size && v.valueType() != ValueType::UI64))
        wrongArgument(call, i, "a position list");
    return {v.dense().view<uint64_t>().data, v.dense().rows()};
}

Ref<Dense> listOf(std::span<const size_t> positions) {
    auto result = Dense::create(ValueType::Size, positions.size(), 1);
    std::copy(positions.begin(), positions.end(), result->mutableView<uint64_t>().data);
    return result;
}

/// Positions in both of two ascending lists.
Value colIntersect(KernelCall &call, const Value &, const Value &) {
    auto a = positionsOf(call, 0), b = positionsOf(call, 1);
    std::vector<size_t> both(std::min(a.size(), b.size()));
    size_t i = 0, j = 0, n = 0;
    CancelCountdown look;
    while (i < a.size() && j < b.size()) {
        look.after(1);
        size_t x = a[i], y = b[j];
        both[n] = x;
        n += x == y;
        i += x <= y;
        j += y <= x;
    }
    return listOf(std::span(both).first(n));
}

/// Positions in one or both of two ascending lists, each once.
Value colMerge(KernelCall &call, const Value &, const Value &) {
    auto a = positionsOf(call, 0), b = positionsOf(call, 1);
    std::vector<size_t> all(a.size() + b.size());
    size_t i = 0, j = 0, n = 0;
    CancelCountdown look;
    while (i < a.size() && j < b.size()) {
        look.after(1);
        size_t x = a[i], y = b[j];
        all[n++] = std::min(x, y);
        i += x <= y;
        j += y <= x;
    }
    n = static_cast<size_t>(std::copy(a.begin() + i, a.end(), all.begin() + n) - all.begin());
    n = static_cast<size_t>(std::copy(b.begin() + j, b.end(), all.begin() + n) - all.begin());
    return listOf(std::span(all).first(n));
}

size_t numRowsOf(const KernelCall &call) {
    const Value &x = call.args[0];
    if (!x.isMatrix() && !x.isFrame())
        wrongArgument(call, 0, "a column or a frame");
    return x.isFrame() ? x.frame().rows() : x.dense().rows();
}

/// Cells of a column of numbers, or codes of its strings, at the positions, on all workers.
template <class T> void gather(RunContext &context, DenseView<const T> in, std::span<const size_t> positions, T *out) {
    constexpr size_t kBlock = 16384;
    constexpr double kNsPerCell = 2;
    forRowBlocks(context, "colProject", positions.size(), kBlock, kNsPerCell * static_cast<double>(positions.size()),
                 [&](uint64_t begin, uint64_t end) {
                     for (size_t k = begin; k < end; ++k)
                         out[k] = in(positions[k], 0);
                 });
}

Ref<Dense> project(RunContext &context, const Dense &column, std::span<const size_t> positions) {
    if (column.cols() != 1)
        return pickRows(column, positions);
    if (column.type() == ValueType::Str) {
        auto in = column.codes();
        BufferRef codes(Buffer::create(ValueType::UI32, positions.size(), Buffer::Init::None));
        gather(context, in.view, positions, codes.as<uint32_t>());
        return Dense::coded(in.dictionary, codes.detach(), positions.size());
    }
    auto result = Dense::create(column.type(), positions.size(), 1);
    withNumericType(column.type(), [&]<class T>(TypeTag<T>) {
        gather(context, column.view<T>(), positions, result->mutableView<T>().data);
    });
    return result;
}

/// colProject(column or frame, positions [, number of rows the positions were chosen from])
Value colProject(KernelCall &call, const Value &x, const Value &, std::span<const Value> from) {
    size_t n = numRowsOf(call);
    if (!from.empty() && from[0].as<uint64_t>() != n)
        throw executionError("a row filter needs one entry per row, got " + std::to_string(from[0].as<uint64_t>()) +
                             " entries for " + std::to_string(n) + " rows");
    auto positions = positionsOf(call, 1);
    if (x.isMatrix())
        return project(call.context, x.dense(), positions);
    auto result = Ref<Frame>::make(positions.size());
    for (size_t c = 0; c < x.frame().cols(); ++c)
        result->addColumn(x.frame().labels[c], project(call.context, *x.frame().columns[c], positions));
    return result;
}

} // namespace

void addPositionLists(KernelTable &t) {
    t.add<&colIntersect>("colIntersect");
    t.add<&colMerge>("colMerge");
    t.add<&colProject>("colProject");
}

} // namespace daphne
