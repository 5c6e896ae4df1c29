// SPDX-License-Identifier: Apache-2.0
#include "kernels/relational/RowKeys.h"

#include <bit>

#include "base/Cancellable.h"
#include "base/Error.h"
#include "data/CopyCells.h"
#include "data/Dictionary.h"

namespace daphne::relational {

namespace {

constexpr uint64_t kNanCode = 0x7ff8000000000000ull;

/// Equal for equal numbers of one type.
template <class T> uint64_t codeOf(T x) {
    if constexpr (std::is_floating_point_v<T>) {
        double d = static_cast<double>(x);
        return d != d ? kNanCode : std::bit_cast<uint64_t>(d + 0.0); // -0 + 0 is 0
    } else {
        return static_cast<uint64_t>(x);
    }
}

[[noreturn]] void tooMany() { throw executionError("more than 4 billion different rows or strings"); }

} // namespace

// ------------------------------------------------------------------ PairTable

PairTable::PairTable(size_t expected) { grow(std::bit_ceil(std::max<size_t>(16, 2 * expected))); }

size_t PairTable::slotOf(uint32_t prefix, uint64_t code) const {
    size_t slot = mixBits(code + prefix * 0x9e3779b97f4a7c15ull) & mask;
    while (entries[slot].id != kNone && (entries[slot].code != code || entries[slot].prefix != prefix))
        slot = (slot + 1) & mask;
    return slot;
}

void PairTable::grow(size_t numSlots) {
    std::vector<Entry> old(numSlots, Entry{0, 0, kNone});
    old.swap(entries);
    mask = numSlots - 1;
    CancelCountdown look;
    for (const Entry &e : old) {
        look.after(1);
        if (e.id != kNone)
            entries[slotOf(e.prefix, e.code)] = e;
    }
}

uint32_t PairTable::insert(uint32_t prefix, uint64_t code) {
    size_t slot = slotOf(prefix, code);
    if (entries[slot].id != kNone)
        return entries[slot].id;
    if (count + 1 >= kNone)
        tooMany();
    auto id = static_cast<uint32_t>(count++);
    entries[slot] = {code, prefix, id};
    if (2 * count > entries.size())
        grow(2 * entries.size());
    return id;
}

uint32_t PairTable::find(uint32_t prefix, uint64_t code) const { return entries[slotOf(prefix, code)].id; }

// ---------------------------------------------------------------- StringTable

size_t StringTable::slotOf(uint64_t hash, std::string_view text) const {
    size_t mask = entries.size() - 1, slot = hash & mask;
    while (entries[slot].id != kNone && (entries[slot].hash != hash || texts[entries[slot].id] != text))
        slot = (slot + 1) & mask;
    return slot;
}

void StringTable::grow() {
    std::vector<Entry> old(std::max<size_t>(16, 2 * entries.size()));
    old.swap(entries);
    CancelCountdown look;
    for (const Entry &e : old) {
        look.after(1);
        if (e.id != kNone)
            entries[slotOf(e.hash, texts[e.id])] = e;
    }
}

uint32_t StringTable::insert(std::string_view text) {
    if (2 * (texts.size() + 1) > entries.size())
        grow();
    uint64_t hash = hashOfText(text);
    Entry &e = entries[slotOf(hash, text)];
    if (e.id == kNone) {
        if (texts.size() + 1 >= kNone)
            tooMany();
        e = {hash, static_cast<uint32_t>(texts.size())};
        texts.push_back(text);
    }
    return e.id;
}

uint32_t StringTable::find(std::string_view text) const {
    if (entries.empty())
        return kNone;
    return entries[slotOf(hashOfText(text), text)].id;
}

// --------------------------------------------------------------------- groups

namespace {

/// Replaces the numbers of row prefixes by those of the prefixes longer by one column.
void extendIds(std::vector<uint32_t> &ids, const Dense &column, PairTable &pairs, StringTable &strings) {
    withValueType(column.type(), [&]<class T>(TypeTag<T>) {
        auto cells = column.view<T>();
        for (size_t r : cancellable(ids.size())) {
            if constexpr (std::is_same_v<T, std::string>)
                ids[r] = pairs.insert(ids[r], strings.insert(cells(r, 0)));
            else
                ids[r] = pairs.insert(ids[r], codeOf(cells(r, 0)));
        }
    });
}

} // namespace

RowGroups groupRows(size_t numRows, const Columns &keys) {
    RowGroups groups;
    groups.idOfRow.assign(numRows, 0);
    for (const Ref<Dense> &column : keys) {
        PairTable pairs;
        StringTable strings;
        extendIds(groups.idOfRow, *column, pairs, strings);
    }
    for (size_t r : cancellable(numRows))
        if (groups.idOfRow[r] == groups.firstRow.size())
            groups.firstRow.push_back(r);
    return groups;
}

// ---------------------------------------------------------------------- joins

RowIndex::RowIndex(size_t numRows, Columns columns, NanRule nans)
    : keys(std::move(columns)), nans(nans), pairs(keys.size()), strings(keys.size()) {
    std::vector<uint32_t> ids(numRows, 0);
    for (size_t k = 0; k < keys.size(); ++k)
        extendIds(ids, *keys[k], pairs[k], strings[k]);
    // Rows in the order of their keys, by counting.
    size_t numKeys = keys.empty() ? 1 : pairs.back().size();
    begins.assign(numKeys + 1, 0);
    for (size_t r : cancellable(numRows))
        ++begins[ids[r] + 1];
    for (size_t i = 0; i < numKeys; ++i)
        begins[i + 1] += begins[i];
    rowsByKey.resize(numRows);
    std::vector<size_t> next(begins.begin(), begins.end() - 1);
    for (size_t r : cancellable(numRows))
        rowsByKey[next[ids[r]]++] = r;
}

std::vector<uint32_t> RowIndex::find(size_t numRows, const Columns &others) const {
    std::vector<uint32_t> ids(numRows, 0);
    for (size_t k = 0; k < keys.size(); ++k)
        withValueType(others[k]->type(), [&]<class T>(TypeTag<T>) {
            auto cells = others[k]->view<T>();
            auto findCell = [&](uint32_t prefix, const T &cell) {
                if constexpr (std::is_same_v<T, std::string>) {
                    uint32_t text = strings[k].find(cell);
                    return text == kNone ? kNone : pairs[k].find(prefix, text);
                } else {
                    if constexpr (std::is_floating_point_v<T>)
                        if (cell != cell && nans == NanRule::Differs)
                            return kNone;
                    return pairs[k].find(prefix, codeOf(cell));
                }
            };
            for (size_t r : cancellable(numRows))
                if (ids[r] != kNone)
                    ids[r] = findCell(ids[r], cells(r, 0));
        });
    return ids;
}

void alignKeys(Columns &lhs, Columns &rhs) {
    for (size_t k = 0; k < lhs.size(); ++k) {
        ValueType a = lhs[k]->type(), b = rhs[k]->type();
        if ((a == ValueType::Str) != (b == ValueType::Str))
            throw executionError("cannot compare a column of type " + std::string(dslName(a)) + " with one of type " +
                                 std::string(dslName(b)));
        ValueType common = mostGeneral(a, b);
        lhs[k] = converted(*lhs[k], common);
        rhs[k] = converted(*rhs[k], common);
    }
}

} // namespace daphne::relational
