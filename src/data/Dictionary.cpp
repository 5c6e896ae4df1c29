// SPDX-License-Identifier: Apache-2.0
#include "data/Dictionary.h"

#include <algorithm>
#include <cstring>
#include <numeric>

#include "base/Cancellable.h"
#include "base/Error.h"

namespace daphne {

namespace {

template <class Word> uint64_t load(const char *p) {
    Word word;
    std::memcpy(&word, p, sizeof word);
    return word;
}

/// Both halves of the product.
uint64_t fold(uint64_t x, uint64_t y) {
    auto product = static_cast<unsigned __int128>(x) * y;
    return static_cast<uint64_t>(product) ^ static_cast<uint64_t>(product >> 64);
}

/// For texts that mostly are equal, and short. As in hashOfText, words may overlap.
bool areEqual(std::string_view x, std::string_view y) {
    if (x.size() != y.size())
        return false;
    const char *a = x.data(), *b = y.data();
    size_t n = x.size();
    if (n >= 8) {
        for (size_t i = 0; i + 8 < n; i += 8)
            if (load<uint64_t>(a + i) != load<uint64_t>(b + i))
                return false;
        return load<uint64_t>(a + n - 8) == load<uint64_t>(b + n - 8);
    }
    if (n >= 4)
        return load<uint32_t>(a) == load<uint32_t>(b) && load<uint32_t>(a + n - 4) == load<uint32_t>(b + n - 4);
    return n == 0 || (a[0] == b[0] && a[n / 2] == b[n / 2] && a[n - 1] == b[n - 1]);
}

} // namespace

uint64_t hashOfText(std::string_view text) {
    constexpr uint64_t kFirst = 0xa0761d6478bd642f, kSecond = 0xe7037ed1a0b428db;
    const char *p = text.data();
    size_t n = text.size();
    uint64_t h = kFirst, low = 0, high = 0;
    // Words may overlap; the length tells apart what would then be the same.
    if (n >= 8) {
        for (size_t i = 0; i + 16 < n; i += 16)
            h = fold(load<uint64_t>(p + i) ^ kSecond, load<uint64_t>(p + i + 8) ^ h);
        low = load<uint64_t>(p + (n > 16 ? n - 16 : 0));
        high = load<uint64_t>(p + n - 8);
    } else if (n >= 4) {
        low = load<uint32_t>(p);
        high = load<uint32_t>(p + n - 4);
    } else if (n > 0) {
        low = load<uint8_t>(p) << 16 | load<uint8_t>(p + n / 2) << 8 | load<uint8_t>(p + n - 1);
    }
    return fold(fold(low ^ kSecond, high ^ h) ^ n, kFirst);
}

size_t Dictionary::slotOf(uint64_t hash, std::string_view text) const {
    size_t mask = entries.size() - 1, slot = hash & mask;
    auto part = static_cast<uint32_t>(hash >> 32);
    for (; entries[slot].code != kNone; slot = (slot + 1) & mask) {
        if (entries[slot].hash != part)
            continue;
        if (areEqual(texts[entries[slot].code], text))
            break;
    }
    return slot;
}

void Dictionary::grow() {
    std::vector<Entry> fresh(std::max<size_t>(64, 2 * entries.size()));
    size_t mask = fresh.size() - 1;
    for (size_t k : cancellable(texts.size())) {
        auto code = static_cast<uint32_t>(k);
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
