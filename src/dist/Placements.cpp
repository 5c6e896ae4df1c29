// SPDX-License-Identifier: Apache-2.0
#include "dist/Placements.h"

#include <algorithm>
#include <atomic>

namespace daphne::dist {

namespace {
std::atomic<Placements *> current{nullptr};
}

bool PlacementRecord::isHere() const {
    return std::ranges::all_of(parts, [](const Part &p) { return p.isHere; });
}

Placements::Placements() {
    current = this;
    Object::setFarewell(&Placements::farewell);
}

Placements::~Placements() {
    Object::setFarewell(nullptr);
    current = nullptr;
}

void Placements::farewell(Object *object) {
    if (Placements *all = current)
        all->erase(*object);
}

PlacementRecord &Placements::of(const Value &matrix) {
    std::lock_guard lock(mutex);
    auto &record = records[matrix.object()];
    if (!record) {
        matrix.object()->track();
        record = std::make_unique<PlacementRecord>();
        record->version = nextVersion++;
    }
    return *record;
}

PlacementRecord *Placements::find(const Object &matrix) {
    std::lock_guard lock(mutex);
    auto it = records.find(&matrix);
    return it == records.end() ? nullptr : it->second.get();
}

void Placements::retire(PlacementRecord &record) {
    for (const Part &part : record.parts)
        garbage[part.worker].push_back(part.object);
}

void Placements::erase(const Object &matrix) {
    std::unique_ptr<PlacementRecord> record; // its lineage holds matrices that may die with it: without the lock
    std::lock_guard lock(mutex);
    auto it = records.find(&matrix);
    if (it == records.end())
        return;
    record = std::move(it->second);
    records.erase(it);
    retire(*record);
}

void Placements::dropWorker(uint32_t worker) {
    std::lock_guard lock(mutex);
    garbage.erase(worker);
    for (auto &[object, record] : records) {
        std::erase_if(record->parts, [&](const Part &p) { return p.worker == worker && p.isHere; });
        record->cut.clear();
    }
}

void Placements::discard(uint32_t worker, uint64_t object) {
    std::lock_guard lock(mutex);
    garbage[worker].push_back(object);
}

std::map<uint32_t, std::vector<uint64_t>> Placements::takeGarbage() {
    std::lock_guard lock(mutex);
    return std::exchange(garbage, {});
}

std::vector<Object *> Placements::incomplete() {
    std::lock_guard lock(mutex);
    std::vector<Object *> found;
    for (auto &[object, record] : records)
        if (!record->isHere())
            found.push_back(const_cast<Object *>(object));
    return found;
}

void Placements::dropLineages() {
    std::vector<std::shared_ptr<const Lineage>> dropped; // die after the lock is released
    std::lock_guard lock(mutex);
    for (auto &[object, record] : records)
        if (record->lineage)
            dropped.push_back(std::move(record->lineage));
}

} // namespace daphne::dist
