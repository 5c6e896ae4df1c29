// SPDX-License-Identifier: Apache-2.0
#include "exec/AllFinite.h"

#include <atomic>

#include "base/Cancellable.h"
#include "kernels/RowBlocks.h"
#include "kernels/aggregates/Reduction.h"

namespace daphne::exec {

namespace {

/// x - x is zero just for finite numbers.
template <class T> bool allFinite(const T *x, size_t n) {
    return vectorised([=] {
               T lanes[8] = {};
               size_t i = 0;
               for (; i + 8 <= n; i += 8)
                   for (size_t l = 0; l < 8; ++l)
                       lanes[l] += x[i + l] - x[i + l];
               for (; i < n; ++i)
                   lanes[0] += x[i] - x[i];
               return mergeLanes<Plus>(lanes);
           }) == 0;
}

} // namespace

bool allFinite(RunContext &context, const Dense &m) {
    constexpr uint64_t kBlock = 1 << 16;
    constexpr double kNsPerCell = 0.5;
    auto test = [&]<class T>(TypeTag<T>) {
        auto v = m.view<T>();
        if (!m.contiguous()) {
            for (size_t r : cancellableRows(v))
                if (!allFinite(v.row(r), v.cols))
                    return false;
            return true;
        }
        std::atomic<bool> all{true};
        uint64_t cells = v.rows * v.cols;
        forRowBlocks(context, "isfinite", cells, kBlock, static_cast<double>(cells) * kNsPerCell,
                     [&](uint64_t begin, uint64_t end) {
                         if (!allFinite(v.data + begin, end - begin))
                             all = false;
                     });
        return all.load();
    };
    return m.type() == ValueType::F32 ? test(TypeTag<float>{}) : test(TypeTag<double>{});
}

} // namespace daphne::exec
