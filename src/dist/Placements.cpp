// SPDX-License-Identifier: Apache-2.0
#include "dist/Placements.h"

#include <algorithm>

namespace daphne::dist {

bool PlacementRecord::isHere() const {
    return unread.empty() && std::ranges::all_of(parts, [](const Part &p) { return p.isHere; });
}

uint64_t PlacementRecord::cellsElsewhere() const {
    uint64_t cells = 0;
    for (const Part &part : parts)
        cells += part.isHere ? 0 : part.end - part.begin;
    return cells;
}

std::optional<ReadRows> PlacementRecord::toRead(uint32_t worker, uint64_t object, RowRange cells) const {
    uint64_t cols = matrix.matrix().cols(), perRow = matrix.isCsr() ? 1 : cols;
    ReadRows message{object, version, cols, cells.begin, cells.size(), {}};
    if (matrix.isCsr()) {
        const Csr &m = matrix.csr();
        message.isSparse = true;
        message.type = m.type();
        message.isPattern = m.isPattern();
        message.stored = m.offsets()[cells.end] - m.offsets()[cells.begin];
        message.storedInAll = m.nonZeros();
    }
    for (const FilePart &file : files) {
        if (file.rows.end * perRow <= cells.begin || cells.end <= file.rows.begin * perRow)
            continue;
        if (!std::ranges::count(file.readers, worker))
            return std::nullopt;
        message.pieces.push_back({file.path, file.state, file.rows.begin, file.col});
    }
    return message.pieces.empty() ? std::nullopt : std::optional(std::move(message));
}

PlacementRecord &Placements::of(const Value &matrix) {
    PlacementRecord &record = records[matrix.object()];
    if (record.version == 0) {
        record.matrix = matrix;
        record.version = nextVersion++;
    }
    return record;
}

PlacementRecord *Placements::find(const Object &matrix) {
    auto it = records.find(&matrix);
    return it == records.end() ? nullptr : &it->second;
}

void Placements::retire(const PlacementRecord &record) {
    for (const Part &part : record.parts)
        garbage[part.worker].push_back(part.object);
    if (record.wasSent && !record.wasRead)
        unreadResults.push_back(record.source);
    if (record.wasExchanged && !record.wasUsedWhole)
        unusedWholes.push_back(record.source);
}

bool Placements::isHere(const Value &matrix, RowRange cells) const {
    auto it = records.find(matrix.object());
    if (it == records.end())
        return true;
    const PlacementRecord &record = it->second;
    return record.unread.empty() && std::ranges::none_of(record.parts, [&](const Part &part) {
               return !part.isHere && part.begin < cells.end && cells.begin < part.end;
           });
}

std::vector<PlacementRecord *> Placements::withCellsOf(const Dense &matrix) {
    std::vector<PlacementRecord *> found;
    if (PlacementRecord *own = find(matrix))
        found.push_back(own);
    auto isSame = [&](const Dense &m) {
        return &m != &matrix && m.cells() == matrix.cells() && m.type() == matrix.type() && m.contiguous() &&
               m.view<std::byte>().data == matrix.view<std::byte>().data;
    };
    if (matrix.type() != ValueType::Str && matrix.contiguous())
        for (auto &[object, record] : records)
            if (!record.matrix.isCsr() && isSame(record.matrix.dense()))
                found.push_back(&record);
    return found;
}

void Placements::erase(const Object &matrix) {
    auto it = records.find(&matrix);
    if (it == records.end())
        return;
    retire(it->second);
    records.erase(it);
}

void Placements::sweep() {
    // A lineage holds matrices, too: what goes may be the last to know others.
    for (bool again = true; again;) {
        again = false;
        for (auto it = records.begin(); it != records.end();) {
            if (!it->second.matrix.object()->unique()) {
                ++it;
                continue;
            }
            retire(it->second);
            it = records.erase(it);
            again = true;
        }
    }
}

void Placements::dropWorker(uint32_t worker) {
    garbage.erase(worker);
    for (auto &[object, record] : records) {
        std::erase_if(record.parts, [&](const Part &p) { return p.worker == worker && p.isHere; });
        for (Part &part : record.parts)
            if (part.worker == worker)
                part.worker = Part::kNobody;
        record.cut.clear();
        // Whoever comes back need not see the same files.
        for (FilePart &file : record.files)
            std::erase(file.readers, worker);
        if (std::ranges::count(record.homes, worker, [](auto &home) { return home.second; }))
            record.homes.clear();
    }
}

void Placements::forgetCuts() {
    for (auto &[object, record] : records) {
        record.cut.clear();
        std::erase_if(record.parts, [&](const Part &p) {
            bool isCopy = p.isHere && !p.isWhole;
            if (isCopy)
                garbage[p.worker].push_back(p.object);
            return isCopy;
        });
    }
}

std::vector<Value> Placements::unread() const {
    std::vector<Value> found;
    for (auto &[object, record] : records)
        if (!record.unread.empty())
            found.push_back(record.matrix);
    return found;
}

std::vector<Value> Placements::incomplete() const {
    std::vector<Value> found;
    for (auto &[object, record] : records)
        if (!record.isHere())
            found.push_back(record.matrix);
    return found;
}

void Placements::clear() {
    for (auto &[object, record] : records)
        retire(record);
    records.clear();
}

} // namespace daphne::dist
