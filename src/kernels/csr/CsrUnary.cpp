// SPDX-License-Identifier: Apache-2.0
/// Elementwise functions of a Csr. Where f(0) = 0 only stored cells are visited
/// and the structure is shared with the argument; else the result is dense,
/// filled with f(0).
#include <algorithm>
#include <cstring>
#include <new>

#include "base/Cancellable.h"
#include "kernels/RawCells.h"
#include "kernels/csr/StoredValues.h"
#include "kernels/elementwise/ElementwiseUnary.h"

namespace daphne {

namespace {

/// Maps stored cells block by block and calls put(position, mapped, n).
template <class Put> void mapStored(const KernelCall &call, const UnaryLoop &loop, const Csr &m, Put &&put) {
    constexpr size_t kBlock = 4096;
    alignas(64) std::byte out[kBlock * 8];
    StoredValues values(m, loop.type);
    uint64_t end = m.offsets()[m.rows()];
    CancelCountdown look;
    for (uint64_t begin = m.offsets()[0]; begin < end; begin += kBlock) {
        size_t n = std::min<uint64_t>(kBlock, end - begin);
        const std::byte *in = values.at(begin, n);
        size_t done = loop.cells(in, out, n);
        if (done != n)
            outsideDomain(call, loop.type, in + done * cellSize(loop.type),
                          " at row " + std::to_string(rowOfPosition(m, begin + done)) + ", column " +
                              std::to_string(columnOfPosition(m, begin + done)));
        put(begin, out, n);
        look.after(n);
    }
}

Ref<Csr> mapSparse(const KernelCall &call, const UnaryLoop &loop, const Csr &m) {
    BufferRef values;
    try {
        values = BufferRef(Buffer::create(loop.type, m.capacity(), Buffer::Init::None));
    } catch (const std::bad_alloc &) {
        throwOutOfMemory(loop.type, m.rows(), m.cols());
    }
    size_t bytes = cellSize(loop.type);
    mapStored(call, loop, m, [&](uint64_t at, const std::byte *cells, size_t n) {
        std::memcpy(values.as<std::byte>() + at * bytes, cells, n * bytes);
    });
    return withoutZeros(Csr::withStructureOf(m, loop.type, std::move(values)));
}

Ref<Dense> mapToDense(const KernelCall &call, const UnaryLoop &loop, const Csr &m, const std::byte *ofZero) {
    auto result = Dense::create(loop.type, m.rows(), m.cols());
    withCellSize(cellSize(loop.type), [&]<class Bits>(TypeTag<Bits>) {
        Bits *out = reinterpret_cast<Bits *>(mutableRawCells(*result).data);
        for (auto [begin, end] : cancellablePieces(m.cells()))
            std::fill(out + begin, out + end, *reinterpret_cast<const Bits *>(ofZero));
        withIndexType(m.hasWideIndex(), [&]<class I>(TypeTag<I>) {
            const I *columns = m.columns<I>();
            size_t row = 0;
            mapStored(call, loop, m, [&](uint64_t at, const std::byte *cells, size_t n) {
                for (size_t i = 0; i < n; ++i) {
                    while (m.offsets()[row + 1] <= at + i)
                        ++row;
                    out[row * m.cols() + columns[at + i]] = reinterpret_cast<const Bits *>(cells)[i];
                }
            });
        });
    });
    return result;
}

Value map(KernelCall &call, const Csr &m) {
    UnaryLoop loop = call.kernel.cells->unary(m.type());
    alignas(8) std::byte zero[8] = {}, ofZero[8] = {};
    if (loop.cells(zero, ofZero, 1) != 1)
        return runDense(call); // absent cells are outside of the domain, unless there are none
    if (!loadScalar(loop.type, ofZero).as<bool>())
        return settled(call, mapSparse(call, loop, m));
    return mapToDense(call, loop, m, ofZero);
}

} // namespace

void addCsrUnary(KernelTable &t) {
    for (const CellFunction &f : CellTable::get().functions())
        if (f.unary)
            t.addSparse<&map>(f.op->mnemonic);
}

} // namespace daphne
