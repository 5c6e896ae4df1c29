// SPDX-License-Identifier: Apache-2.0
#include "lang/dsl/Variables.h"

#include <algorithm>

namespace daphne::lang {

const Variable *Variables::find(std::string_view name) const {
    auto it = slotOf.find(name);
    return it == slotOf.end() ? nullptr : &slots[it->second].variable;
}

void Variables::assign(std::string_view name, Known value, SourceSpan at) {
    auto it = slotOf.find(name);
    if (it == slotOf.end())
        define(name, std::move(value), at);
    else
        set(it->second, std::move(value), at);
}

void Variables::define(std::string_view name, Known value, SourceSpan at, Access access) {
    auto slot = static_cast<uint32_t>(slots.size());
    auto [it, isNew] = slotOf.try_emplace(name, slot);
    uint32_t hidden = isNew ? kNone : it->second;
    it->second = slot;
    slots.push_back({{name, std::move(value), at, access == Access::ReadOnly}, hidden, regionId});
}

void Variables::set(uint32_t slot, Known value, SourceSpan at) {
    Slot &s = slots[slot];
    // Variables of the region itself end with it, so only older ones need saving, and only once.
    if (regionId != 0 && slot < regionSlots && s.journaled != regionId) {
        journal.push_back({slot, s.variable});
        s.journaled = regionId;
    }
    s.variable.value = std::move(value);
    s.variable.assignedAt = at;
}

void Variables::forgetConstant(std::string_view name) {
    auto it = slotOf.find(name);
    if (it == slotOf.end())
        return;
    const Variable &v = slots[it->second].variable;
    if (!v.value.constant)
        return;
    Known value = v.value;
    value.constant.reset();
    set(it->second, std::move(value), v.assignedAt);
}

void Variables::closeScope() {
    uint32_t start = scopeStarts.back();
    scopeStarts.pop_back();
    while (slots.size() > start) {
        const Slot &s = slots.back();
        ended[s.variable.name] = s.variable.assignedAt;
        if (s.hidden == kNone)
            slotOf.erase(s.variable.name);
        else
            slotOf[s.variable.name] = s.hidden;
        slots.pop_back();
    }
}

Variables::Region Variables::openRegion() {
    Region region{journal.size(), static_cast<uint32_t>(slots.size()), regionSlots, regionId};
    regionId = ++lastRegionId;
    regionSlots = static_cast<uint32_t>(slots.size());
    return region;
}

std::vector<Variables::Change> Variables::changesSince(const Region &region) const {
    std::vector<Change> changes;
    uint32_t outer = region.numOuterSlots;
    for (size_t i = region.journalStart; i < journal.size(); ++i)
        if (journal[i].slot < outer)
            changes.push_back({journal[i].slot, slots[journal[i].slot].variable});
    return changes;
}

std::vector<Variables::Change> Variables::closeRegion(const Region &region) {
    std::vector<Change> changes;
    for (size_t i = journal.size(); i-- > region.journalStart;) {
        Saved &saved = journal[i];
        Slot &s = slots[saved.slot];
        changes.push_back({saved.slot, std::move(s.variable)});
        s.variable = std::move(saved.before);
        s.journaled = 0; // the outer region may save it a second time: the oldest value is restored last
    }
    journal.erase(journal.begin() + static_cast<ptrdiff_t>(region.journalStart), journal.end());
    regionId = region.outerId;
    regionSlots = region.numSlots;
    // Walked backwards, the first entry of a slot holds its last value.
    std::stable_sort(changes.begin(), changes.end(), [](auto &a, auto &b) { return a.slot < b.slot; });
    changes.erase(std::unique(changes.begin(), changes.end(), [](auto &a, auto &b) { return a.slot == b.slot; }),
                  changes.end());
    return changes;
}

std::vector<std::string_view> Variables::names() const {
    std::vector<std::string_view> out;
    for (auto &[name, slot] : slotOf)
        out.push_back(name);
    // The order of a hash table is not the same everywhere, messages must be.
    std::sort(out.begin(), out.end());
    return out;
}

std::optional<SourceSpan> Variables::findEnded(std::string_view name) const {
    auto it = ended.find(name);
    return it == ended.end() ? std::nullopt : std::optional(it->second);
}

} // namespace daphne::lang
