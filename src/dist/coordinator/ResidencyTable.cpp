// SPDX-License-Identifier: Apache-2.0
#include "dist/coordinator/ResidencyTable.h"

#include <algorithm>

namespace daphne::dist {

bool ResidencyRecord::isHere() const {
    return unread.empty() && std::ranges::all_of(parts, [](const Part &p) { return p.isHere; });
}

uint64_t ResidencyRecord::cellsElsewhere() const {
    uint64_t cells = 0;
    for (const Part &part : parts)
        cells += part.isHere ? 0 : part.end - part.begin;
    return cells;
}

std::optional<ReadRows> ResidencyRecord::toRead(uint32_t worker, uint64_t object, RowRange cells) const {
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

ResidencyRecord &ResidencyTable::of(const Value &matrix) {
    ResidencyRecord &record = records[matrix.object()];
    if (record.version == 0) {
        record.fetcher = &fetcher;
        record.matrix = matrix;
        record.version = nextVersion++;
    }
    return record;
}

ResidencyRecord *ResidencyTable::find(const Object &matrix) {
    auto it = records.find(&matrix);
    return it == records.end() ? nullptr : &it->second;
}

void ResidencyTable::publish(ResidencyRecord &record) {
    if (record.matrix.isCsr())
        return; // all cells are here
    Dense &matrix = record.matrix.dense();
    if (!record.isHere() || (record.wasSent && !record.wasRead))
        matrix.setResidency(&record);
    else
        withdraw(record);
}

/// Another record may have been published for the same cells.
void ResidencyTable::withdraw(ResidencyRecord &record) {
    if (!record.matrix.isCsr() && record.matrix.dense().residency() == &record)
        record.matrix.dense().setResidency(nullptr);
}

void ResidencyTable::retire(ResidencyRecord &record) {
    withdraw(record);
    for (const Part &part : record.parts)
        garbage[part.worker].push_back(part.object);
    if (record.wasSent && !record.wasRead)
        unreadResults.push_back(record.source);
    if (record.wasExchanged && !record.wasUsedWhole)
        unusedWholes.push_back(record.source);
}

bool ResidencyTable::isHere(const Value &matrix, RowRange cells) const {
    auto it = records.find(matrix.object());
    if (it == records.end())
        return true;
    const ResidencyRecord &record = it->second;
    return record.unread.empty() && std::ranges::none_of(record.parts, [&](const Part &part) {
               return !part.isHere && part.begin < cells.end && cells.begin < part.end;
           });
}

std::vector<ResidencyRecord *> ResidencyTable::withCellsOf(const Dense &matrix) {
    std::vector<ResidencyRecord *> found;
    if (ResidencyRecord *own = find(matrix))
        found.push_back(own);
    auto isSame = [&](const Dense &m) {
        return &m != &matrix && m.cells() == matrix.cells() && m.type() == matrix.type() && m.contiguous() &&
               m.storage() == matrix.storage();
    };
    if (matrix.type() != ValueType::Str && matrix.contiguous())
        for (auto &[object, record] : records)
            if (!record.matrix.isCsr() && isSame(record.matrix.dense()))
                found.push_back(&record);
    return found;
}

void ResidencyTable::erase(const Object &matrix) {
    auto it = records.find(&matrix);
    if (it == records.end())
        return;
    retire(it->second);
    records.erase(it);
}

void ResidencyTable::sweep() {
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

void ResidencyTable::dropWorker(uint32_t worker) {
    garbage.erase(worker);
    for (auto &[object, record] : records) {
        std::erase_if(record.parts, [&](const Part &p) { return p.worker == worker && p.isHere; });
        for (Part &part : record.parts)
            if (part.worker == worker)
                part.worker = Part::kNobody;
        record.partition.clear();
        // Whoever comes back need not see the same files.
        for (FilePart &file : record.files)
            std::erase(file.readers, worker);
        if (std::ranges::count(record.homes, worker, [](auto &home) { return home.second; }))
            record.homes.clear();
    }
}

void ResidencyTable::forgetPartitions() {
    for (auto &[object, record] : records) {
        record.partition.clear();
        std::erase_if(record.parts, [&](const Part &p) {
            bool isCopy = p.isHere && !p.isWhole;
            if (isCopy)
                garbage[p.worker].push_back(p.object);
            return isCopy;
        });
    }
}

std::vector<Value> ResidencyTable::unread() const {
    std::vector<Value> found;
    for (auto &[object, record] : records)
        if (!record.unread.empty())
            found.push_back(record.matrix);
    return found;
}

std::vector<Value> ResidencyTable::incomplete() const {
    std::vector<Value> found;
    for (auto &[object, record] : records)
        if (!record.isHere())
            found.push_back(record.matrix);
    return found;
}

void ResidencyTable::clear() {
    for (auto &[object, record] : records)
        retire(record);
    records.clear();
}

} // namespace daphne::dist
