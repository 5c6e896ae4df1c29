// SPDX-License-Identifier: Apache-2.0
#include "sched/TaskTable.h"

namespace daphne::sched {

void TaskSequence::build(const Scheme &scheme, const Loop &loop, uint64_t begin) {
    first = begin;
    limit = begin + loop.total;
    equalSize = fixedSize(scheme, loop);
    if (equalSize) {
        numTasks = loop.total / equalSize + (loop.total % equalSize != 0);
        return;
    }
    begins.clear();
    begins.push_back(begin);
    ChunkSequence chunks(scheme, loop);
    while (uint64_t size = chunks.next())
        begins.push_back(begins.back() + size);
    numTasks = begins.size() - 1;
}

} // namespace daphne::sched
