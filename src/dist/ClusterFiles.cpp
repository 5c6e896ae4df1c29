// SPDX-License-Identifier: Apache-2.0
/// Matrices that are files which workers can read: everybody reads the rows it needs, when it needs them.
#include <algorithm>
#include <cstring>

#include "base/Error.h"
#include "dist/Cluster.h"
#include "io/Rows.h"
#include "sched/Scheduler.h"

namespace daphne::dist {

namespace {

/// Smaller files are read at once.
constexpr uint64_t kLeastBytes = 1 << 20;

std::byte *rowOf(const Value &matrix, uint64_t row) {
    return withNumericType(matrix.matrix().type(), [&]<class T>(TypeTag<T>) {
        return reinterpret_cast<std::byte *>(matrix.dense().mutableView<T>().data + row * matrix.matrix().cols());
    });
}

} // namespace

std::optional<Value> Cluster::readLater(Context &context, const std::string &name) {
    std::string path = absoluteName(name);
    std::optional<FileState> state = stateOf(path);
    // Where the compiler chooses representations, some text files are lists of coordinates.
    if (!state || state->bytes < kLeastBytes || peers.numAlive() == 0 || context.representation.byEstimate)
        return std::nullopt;
    std::optional<io::FileInfo> info = io::inspectRows(path);
    if (!info)
        return std::nullopt;
    std::vector<uint32_t> readers = peers.whoReads(path, *state);
    if (readers.empty())
        return std::nullopt;
    scheduler = context.scheduler;
    auto rows = static_cast<uint64_t>(info->rows);
    Value matrix = Dense::create(info->type, rows, static_cast<uint64_t>(info->cols));
    PlacementRecord &record = placements.of(matrix);
    record.file = std::make_shared<const FileRows>(path, *state, std::move(readers));
    record.unread = {{0, rows}};
    return matrix;
}

/// Rows that nobody has read here yet.
void Cluster::readHere(PlacementRecord &record, RowRange wanted) {
    std::vector<RowRange> left;
    for (RowRange range : record.unread) {
        RowRange now{std::max(range.begin, wanted.begin), std::min(range.end, wanted.end)};
        if (now.begin >= now.end) {
            left.push_back(range);
            continue;
        }
        const std::string &path = record.file->path;
        if (stateOf(path) != record.file->state)
            throw executionError("file \"" + path + "\" has changed since it was read");
        sched::Pool *pool = scheduler ? &scheduler->pool() : nullptr;
        Ref<Dense> rows = io::readRows(path, now.begin, now.size(), pool);
        std::memcpy(rowOf(record.matrix, now.begin), rowOf(Value(rows), 0), rows->cells() * cellSize(rows->type()));
        if (range.begin < now.begin)
            left.push_back({range.begin, now.begin});
        if (now.end < range.end)
            left.push_back({now.end, range.end});
    }
    record.unread = std::move(left);
}

void Cluster::beforeWriting() {
    for (const Value &matrix : placements.unread())
        bringHere(matrix);
}

} // namespace daphne::dist
