// SPDX-License-Identifier: Apache-2.0
#include "kernels/query/Relation.h"

#include <mutex>

#include "base/WideVectors.h"
#include "kernels/RowBlocks.h"

namespace daphne::query {

InputColumn inputColumn(const Ref<Dense> &column) {
    if (column->type() == ValueType::Str) {
        auto codes = column->codes();
        if (codes.view.contiguous())
            return {column, codes.view.data, codes.dictionary};
        BufferRef dense(Buffer::create(ValueType::UI32, column->rows(), Buffer::Init::None));
        for (size_t r = 0; r < column->rows(); ++r)
            dense.as<uint32_t>()[r] = codes.view(r, 0);
        return inputColumn(Dense::coded(codes.dictionary, dense.detach(), column->rows()));
    }
    if (!column->contiguous())
        return inputColumn(column->copy());
    const void *data =
        withNumericType(column->type(), [&]<class T>(TypeTag<T>) -> const void * { return column->view<T>().data; });
    return {column, data};
}

IntegerRange rangeOf(RunContext &context, const InputColumn &column, size_t rows) {
    IntegerRange all;
    if (rows == 0)
        return all;
    std::mutex lock;
    withNumericType(column.type(), [&]<class T>(TypeTag<T>) {
        if constexpr (std::is_integral_v<T>) {
            auto *cells = static_cast<const T *>(column.data);
            all = {static_cast<int64_t>(cells[0]), static_cast<int64_t>(cells[0])};
            forRowBlocks(context, "range of keys", rows, 1 << 16, 0.3 * static_cast<double>(rows),
                         [&](size_t begin, size_t end) {
                             int64_t low = INT64_MAX, high = INT64_MIN;
                             vectorised([&] {
                                 for (size_t r = begin; r < end; ++r) {
                                     auto x = static_cast<int64_t>(cells[r]);
                                     low = x < low ? x : low;
                                     high = x > high ? x : high;
                                 }
                             });
                             std::lock_guard guard(lock);
                             all = {std::min(all.min, low), std::max(all.max, high)};
                         });
        }
    });
    return all;
}

} // namespace daphne::query
