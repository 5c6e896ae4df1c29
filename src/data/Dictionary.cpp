// SPDX-License-Identifier: Apache-2.0
#include "data/Dictionary.h"

#include <algorithm>
#include <cstring>
#include <numeric>

#include "base/Error.h"

namespace daphne {

uint64_t hashOfText(std::string_view text) {
    uint64_t h = text.size() * 0x9e3779b97f4a7c15ull;
    const char *p = text.data();
    size_t left = text.size();
    for (; left >= 8; p += 8, left -= 8) {
        uint64_t word;
        std::memcpy(&word, p, 8);
        h = mixBits(h ^ word);
    }
    uint64_t tail = 0;
    if (left > 0)
        std::memcpy(&tail, p, left);
    return mixBits(h ^ tail ^ (uint64_t(left) << 56));
}

size_t Dictionary::slotOf(uint64_t hash, std::string_view text) const {
    size_t mask = entries.size() - 1, slot = hash & mask;
    auto part = static_cast<uint32_t>(hash >> 32);
    while (entries[slot].code != kNone && (entries[slot].hash != part || texts[entries[slot].code] != text))
        slot = (slot + 1) & mask;
    return slot;
}

void Dictionary::grow() {
    std::vector<Entry> fresh(std::max<size_t>(64, 2 * entries.size()));
    size_t mask = fresh.size() - 1;
    for (uint32_t code = 0; code < texts.size(); ++code) {
        uint64_t hash = hashOfText(texts[code]);
        size_t slot = hash & mask;
        while (fresh[slot].code != kNone)
            slot = (slot + 1) & mask;
        fresh[slot] = {static_cast<uint32_t>(hash >> 32), code};
    }
    entries.swap(fresh);
}

std::string_view Dictionary::keep(std::string_view text) {
    constexpr size_t kBlock = size_t(1) << 16;
    if (blockSize - used < text.size()) {
        blockSize = std::max(text.size(), kBlock);
        used = 0;
        blocks.push_back(std::make_unique_for_overwrite<char[]>(blockSize));
    }
    if (text.empty())
        return {};
    char *place = blocks.back().get() + used;
    std::memcpy(place, text.data(), text.size());
    used += text.size();
    return {place, text.size()};
}

uint32_t Dictionary::insert(std::string_view text) {
    if (2 * (texts.size() + 1) > entries.size())
        grow();
    uint64_t hash = hashOfText(text);
    Entry &e = entries[slotOf(hash, text)];
    if (e.code == kNone) {
        if (texts.size() + 1 >= kNone)
            throw executionError("more than 4 billion different strings");
        e = {static_cast<uint32_t>(hash >> 32), static_cast<uint32_t>(texts.size())};
        texts.push_back(keep(text));
    }
    return e.code;
}

uint32_t Dictionary::find(std::string_view text) const {
    return entries.empty() ? kNone : entries[slotOf(hashOfText(text), text)].code;
}

std::vector<uint32_t> Dictionary::ranks() const {
    std::vector<uint32_t> order(size()), rank(size());
    std::iota(order.begin(), order.end(), uint32_t(0));
    std::sort(order.begin(), order.end(), [&](uint32_t a, uint32_t b) { return texts[a] < texts[b]; });
    for (uint32_t i = 0; i < order.size(); ++i)
        rank[order[i]] = i;
    return rank;
}

} // namespace daphne
