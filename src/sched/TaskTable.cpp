// SPDX-License-Identifier: Apache-2.0
#include "sched/TaskTable.h"

#include <algorithm>

namespace daphne::sched {

void TaskSequence::build(const Scheme &scheme, const Loop &loop, uint64_t begin) {
    first = begin;
    limit = begin + loop.total;
    size = fixedSize(scheme, loop);
    numLonger = 0;
    if (scheme.blocksPerWorker) {
        uint64_t blocks = uint64_t(scheme.blocksPerWorker) * loop.workers, grain = std::max<uint64_t>(1, loop.grain);
        size = std::max(grain, loop.total / blocks);
        numLonger = loop.total / blocks < grain ? 0 : loop.total % blocks;
    }
    if (size) {
        uint64_t rest = loop.total - numLonger; // what would be left if the longer ones were not longer
        numTasks = rest / size + (rest % size != 0);
        return;
    }
    begins.clear();
    begins.push_back(begin);
    ChunkSequence chunks(scheme, loop);
    while (uint64_t length = chunks.next())
        begins.push_back(begins.back() + length);
    numTasks = begins.size() - 1;
}

} // namespace daphne::sched
