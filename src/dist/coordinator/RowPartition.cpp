// SPDX-License-Identifier: Apache-2.0
#include "dist/coordinator/RowPartition.h"

#include <algorithm>
#include <numeric>

namespace daphne::dist {

namespace {

/// Blocks for each participant that make rounding to them harmless.
constexpr uint64_t kManyBlocks = 4;

uint64_t blockFor(const PartitionRequest &request, size_t participants) {
    for (uint64_t block : request.preferred)
        if (block % request.block == 0 && request.rows / block >= kManyBlocks * participants)
            return block;
    return request.block;
}

/// The first row before which the share of the work is done.
uint64_t rowAt(const PartitionRequest &request, double share) {
    if (!request.rowOffsets)
        return static_cast<uint64_t>(static_cast<double>(request.rows) * share);
    const uint64_t *o = request.rowOffsets;
    auto weight = [&](uint64_t row) { return static_cast<double>(o[row] - o[0] + row); };
    double wanted = weight(request.rows) * share;
    uint64_t low = 0, high = request.rows;
    while (low < high) {
        uint64_t middle = low + (high - low) / 2;
        weight(middle) < wanted ? low = middle + 1 : high = middle;
    }
    return low;
}

} // namespace

std::vector<RowRange> partitionByWeight(const PartitionRequest &request, std::span<const double> weights) {
    size_t n = weights.size();
    uint64_t block = blockFor(request, n), blocks = (request.rows + block - 1) / block;
    std::vector<uint64_t> ends(n);
    double total = std::accumulate(weights.begin(), weights.end(), 0.0), sum = 0;
    bool equal = std::ranges::all_of(weights, [&](double w) { return w == weights.front(); });
    for (size_t i = 0; i < n; ++i) {
        sum += weights[i];
        if (blocks < n)
            ends[i] = std::min<uint64_t>(i + 1, blocks);
        else if (equal && !request.rowOffsets) // the first ones one longer, as everybody does
            ends[i] = (i + 1) * (blocks / n) + std::min<uint64_t>(i + 1, blocks % n);
        else
            ends[i] = (rowAt(request, i + 1 == n ? 1.0 : sum / total) + block / 2) / block;
    }
    ends[n - 1] = blocks;
    std::vector<RowRange> ranges(n);
    uint64_t begin = 0;
    for (size_t i = 0; i < n; ++i) {
        uint64_t end = std::clamp(ends[i] * block, begin, request.rows);
        if (ends[i] >= blocks)
            end = request.rows;
        ranges[i] = {begin, end};
        begin = end;
    }
    return ranges;
}

std::vector<RowRange> partitionRounded(const PartitionRequest &request, std::span<const RowRange> ranges) {
    bool fits =
        std::ranges::all_of(ranges, [&](RowRange r) { return r.end % request.block == 0 || r.end == request.rows; });
    uint64_t block = fits ? 1 : blockFor(request, ranges.size()), begin = 0;
    std::vector<RowRange> rounded;
    for (RowRange range : ranges) {
        uint64_t end = std::min(request.rows, (range.end + block / 2) / block * block);
        rounded.push_back({begin, range.end == request.rows ? request.rows : end});
        begin = rounded.back().end;
    }
    return rounded;
}

std::vector<RowRange> partitionByScheme(const PartitionRequest &request, const sched::Scheme &scheme, uint32_t machines,
                                        uint64_t leastRows) {
    uint64_t block = blockFor(request, machines), blocks = (request.rows + block - 1) / block;
    sched::Loop loop{.total = blocks, .workers = machines, .grain = std::max<uint64_t>(1, leastRows / block)};
    sched::ChunkSequence sizes(scheme, loop);
    std::vector<RowRange> ranges;
    uint64_t begin = 0;
    while (uint64_t size = sizes.next()) {
        uint64_t end = std::min(request.rows, (begin + size) * block);
        ranges.push_back({begin * block, end});
        begin += size;
    }
    return ranges;
}

} // namespace daphne::dist
