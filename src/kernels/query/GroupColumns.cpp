// SPDX-License-Identifier: Apache-2.0
/// Groups of an Aggregator as a frame.
#include <bit>
#include <cmath>
#include <numeric>

#include "base/Cancellable.h"
#include "kernels/aggregates/Extreme.h"
#include "kernels/query/Aggregator.h"
#include "kernels/reorganise/Ordering.h"

namespace daphne::query {

using ops::QueryBlock;

int64_t Aggregator::keyCell(const uint64_t *words, const Key &key) const {
    uint64_t packed = words[key.word] >> key.shift;
    if (key.bits < 64)
        packed &= (uint64_t(1) << key.bits) - 1;
    return static_cast<int64_t>(packed + static_cast<uint64_t>(key.min));
}

Ref<Dense> Aggregator::keyColumn(const Groups &all, const Key &key, std::span<const uint64_t> order) const {
    auto cell = [&](size_t i) { return keyCell(all.keys.data() + order[i] * keyWords, key); };
    ValueType type = program.block.nodes[key.node].type;
    if (type == ValueType::Str) {
        BufferRef codes(Buffer::create(ValueType::UI32, order.size(), Buffer::Init::None));
        for (size_t i : cancellable(order.size()))
            codes.as<uint32_t>()[i] = static_cast<uint32_t>(cell(i));
        return Dense::coded(program.dictionaryOf(key.node), codes.detach(), order.size());
    }
    auto result = Dense::create(type, order.size(), 1);
    withNumericType(type, [&]<class T>(TypeTag<T>) {
        T *out = result->mutableView<T>().data;
        for (size_t i : cancellable(order.size()))
            if constexpr (std::is_floating_point_v<T>)
                out[i] = static_cast<T>(std::bit_cast<double>(cell(i)));
            else
                out[i] = static_cast<T>(cell(i));
    });
    return result;
}

Ref<Dense> Aggregator::aggregateColumn(const Groups &all, size_t aggregate, std::span<const uint64_t> order) const {
    const QueryBlock::Aggregate &a = program.block.aggregates[aggregate];
    const Accumulator &main = accumulators[partsOf[aggregate].main], &count = accumulators[partsOf[aggregate].count];
    auto result = Dense::create(a.type, order.size(), 1);
    auto fill = [&](auto &&integer, auto &&real) {
        withNumericType(a.type, [&]<class T>(TypeTag<T>) {
            T *out = result->mutableView<T>().data;
            for (size_t i : cancellable(order.size())) {
                const uint64_t *record = all.records.data() + order[i] * recordWords;
                if constexpr (std::is_floating_point_v<T>)
                    out[i] = static_cast<T>(real(record));
                else
                    out[i] = static_cast<T>(integer(record));
            }
        });
    };
    auto cells = [&](const uint64_t *record) { return record[count.offset]; };
    switch (main.kind) {
    case Primitive::MinInteger:
    case Primitive::MaxInteger: // of no cell: 0
        fill([&](const uint64_t *r) { return cells(r) ? static_cast<int64_t>(r[main.offset]) : 0; },
             [](const uint64_t *) { return 0.0; });
        break;
    case Primitive::SumReal:
        fill([](const uint64_t *) { return int64_t(0); },
             [&](const uint64_t *r) {
                 double total = totalOf(r + main.offset);
                 return a.function == "AVG" ? total / static_cast<double>(cells(r)) : total;
             });
        break;
    default:
        fill([&](const uint64_t *r) { return static_cast<int64_t>(r[main.offset]); },
             [&](const uint64_t *r) { return canonical(std::bit_cast<double>(r[main.offset])); });
    }
    return result;
}

double Aggregator::totalOf(const uint64_t *sum) {
    double high = std::bit_cast<double>(sum[0]);
    return std::isfinite(high) ? high + std::bit_cast<double>(sum[1]) : high;
}

Ref<Frame> Aggregator::sorted(const Groups &all) const {
    size_t n = all.hashes.size();
    std::vector<uint64_t> asTheyCome(n);
    std::iota(asTheyCome.begin(), asTheyCome.end(), uint64_t(0));
    std::vector<SortKey> sortKeys;
    for (const Key &key : keys)
        sortKeys.push_back({keyColumn(all, key, asTheyCome), true});
    auto positions = sortedRows(context, n, sortKeys);
    std::span<const uint64_t> order(positions->view<uint64_t>().data, n);
    auto result = Ref<Frame>::make(n);
    for (size_t k = 0; k < keys.size(); ++k)
        result->addColumn(program.block.outputs[k].label, keyColumn(all, keys[k], order));
    for (size_t i = 0; i < partsOf.size(); ++i)
        result->addColumn(program.block.aggregates[i].label, aggregateColumn(all, i, order));
    return result;
}

} // namespace daphne::query
