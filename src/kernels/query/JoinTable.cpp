// SPDX-License-Identifier: Apache-2.0
#include "kernels/query/JoinTable.h"

#include <algorithm>
#include <atomic>
#include <bit>

#include "base/Cancellable.h"
#include "kernels/RowBlocks.h"

namespace daphne::query {

namespace {

/// Arrays up to some times as long as there are rows are faster than hashing, and not much larger. If there are more
/// lookups than cells, filling the array costs less than it saves.
constexpr uint64_t kArrayPerRow = 32, kSmallArray = 1 << 16;

/// Parts of the table for which keys are looked through by workers of their own.
constexpr size_t kRowsPerPart = 1 << 16;
constexpr int kMaxPartBits = 6;

} // namespace

JoinTable::JoinTable(RunContext &context, std::span<const int64_t> keys, const uint8_t *skip, size_t numLookups) {
    int64_t low = INT64_MAX, high = INT64_MIN;
    for (size_t r : cancellable(keys.size()))
        if (!skip || !skip[r]) {
            low = std::min(low, keys[r]);
            high = std::max(high, keys[r]);
        }
    if (high < low)
        low = high = 0;
    min = low;
    uint64_t range = static_cast<uint64_t>(high) - static_cast<uint64_t>(low);
    if (range < std::max<uint64_t>({kSmallArray, kArrayPerRow * keys.size(), numLookups})) {
        makeArray(range + 1);
        index(context, keys, skip);
    } else {
        hash(context, keys, skip);
    }
}

void JoinTable::makeArray(size_t n) {
    memory = BufferRef(Buffer::create(ValueType::UI32, n, Buffer::Init::None));
    rowOfKey = {memory.as<uint32_t>(), n};
    std::fill(rowOfKey.begin(), rowOfKey.end(), kNone);
}

/// Each worker goes through all keys and takes those of its part of the array, from the last row to the first.
void JoinTable::index(RunContext &context, std::span<const int64_t> keys, const uint8_t *skip) {
    uint32_t parts = numParts(context, keys.size(), 3.0 * static_cast<double>(keys.size()), rowOfKey.size());
    std::atomic<bool> hasEqual{false};
    auto fill = [&](uint32_t part, bool chain) {
        uint64_t begin = beginOfPart(rowOfKey.size(), parts, part), end = beginOfPart(rowOfKey.size(), parts, part + 1);
        bool equal = false;
        for (size_t done : cancellable(keys.size())) {
            size_t r = keys.size() - 1 - done;
            uint64_t at = static_cast<uint64_t>(keys[r]) - static_cast<uint64_t>(min);
            if (at < begin || at >= end || (skip && skip[r]))
                continue;
            equal |= rowOfKey[at] != kNone;
            if (chain)
                nextRow[r] = rowOfKey[at];
            rowOfKey[at] = static_cast<uint32_t>(r);
        }
        if (equal)
            hasEqual = true;
    };
    forParts(context, "build join", parts, [&](uint32_t part) { fill(part, false); });
    if (!hasEqual)
        return;
    std::fill(rowOfKey.begin(), rowOfKey.end(), kNone);
    nextRow.assign(keys.size(), kNone);
    forParts(context, "build join", parts, [&](uint32_t part) { fill(part, true); });
}

void JoinTable::hash(RunContext &context, std::span<const int64_t> keys, const uint8_t *skip) {
    partBits = std::min(kMaxPartBits, static_cast<int>(std::bit_width(keys.size() / kRowsPerPart)));
    // Parts are filled unevenly: twice the slots, and one more for every part that is full by accident.
    size_t perPart = keys.size() >> partBits;
    slotBits = static_cast<int>(std::bit_width(2 * perPart + perPart / 2 + 64));
    entries.assign(size_t(1) << (partBits + slotBits), {0, kNone});
    uint32_t workers = numParts(context, keys.size(), 10.0 * static_cast<double>(keys.size()), size_t(1) << partBits);
    std::atomic<bool> hasEqual{false};
    uint64_t mask = (uint64_t(1) << slotBits) - 1, numParts = uint64_t(1) << partBits;
    auto fill = [&](uint32_t worker, bool chain) {
        uint64_t begin = beginOfPart(numParts, workers, worker), end = beginOfPart(numParts, workers, worker + 1);
        bool equal = false;
        for (size_t done : cancellable(keys.size())) {
            size_t r = keys.size() - 1 - done;
            uint64_t h = mixBits(static_cast<uint64_t>(keys[r]));
            uint64_t part = partBits ? h >> (64 - partBits) : 0;
            if (part < begin || part >= end || (skip && skip[r]))
                continue;
            Entry *slots = entries.data() + (part << slotBits);
            uint64_t slot = h & mask;
            while (slots[slot].row != kNone && slots[slot].key != keys[r])
                slot = (slot + 1) & mask;
            equal |= slots[slot].row != kNone;
            if (chain)
                nextRow[r] = slots[slot].row;
            slots[slot] = {keys[r], static_cast<uint32_t>(r)};
        }
        if (equal)
            hasEqual = true;
    };
    forParts(context, "build join", workers, [&](uint32_t worker) { fill(worker, false); });
    if (!hasEqual)
        return;
    std::fill(entries.begin(), entries.end(), Entry{0, kNone});
    nextRow.assign(keys.size(), kNone);
    forParts(context, "build join", workers, [&](uint32_t worker) { fill(worker, true); });
}

void JoinTable::find(const int64_t *keys, size_t n, uint32_t *first) const {
    if (!rowOfKey.empty()) {
        uint64_t size = rowOfKey.size();
        const uint32_t *rows = rowOfKey.data();
        for (size_t i = 0; i < n; ++i) {
            uint64_t at = static_cast<uint64_t>(keys[i]) - static_cast<uint64_t>(min);
            first[i] = at < size ? rows[at] : kNone;
        }
        return;
    }
    uint64_t mask = (uint64_t(1) << slotBits) - 1;
    for (size_t i = 0; i < n; ++i) {
        uint64_t h = mixBits(static_cast<uint64_t>(keys[i]));
        const Entry *slots = entries.data() + ((partBits ? h >> (64 - partBits) : 0) << slotBits);
        uint64_t slot = h & mask;
        while (slots[slot].row != kNone && slots[slot].key != keys[i])
            slot = (slot + 1) & mask;
        first[i] = slots[slot].row;
    }
}

} // namespace daphne::query
