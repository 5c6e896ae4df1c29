// SPDX-License-Identifier: Apache-2.0
#include "base/MemoryLimit.h"

#include <algorithm>
#include <fstream>
#include <string>

#include <sys/resource.h>
#include <unistd.h>

namespace daphne {

namespace {

/// The number in a file of the system; what cannot be read, or is no number ("max"), is the fallback.
uint64_t numberIn(const std::string &path, uint64_t fallback) {
    std::ifstream file(path);
    uint64_t number = 0;
    return file >> number ? number : fallback;
}

/// The line "name number" of a file of the system.
uint64_t figureIn(const std::string &path, const std::string &name) {
    std::ifstream file(path);
    std::string word;
    for (uint64_t number = 0; file >> word >> number;)
        if (word == name)
            return number;
    return 0;
}

struct GroupFiles {
    const char *limit, *used, *statistics, *reclaimable;
};
constexpr GroupFiles kUnified{"memory.max", "memory.current", "memory.stat", "inactive_file"};
constexpr GroupFiles kOld{"memory.limit_in_bytes", "memory.usage_in_bytes", "memory.stat", "total_inactive_file"};
/// The old files write no limit as a very large number.
constexpr uint64_t kLargestLimit = uint64_t(1) << 60;

uint64_t leftIn(const std::string &directory, const GroupFiles &files) {
    uint64_t limit = numberIn(directory + "/" + files.limit, kNoMemoryLimit);
    if (limit >= kLargestLimit)
        return kNoMemoryLimit;
    uint64_t used = numberIn(directory + "/" + files.used, 0);
    used -= std::min(used, figureIn(directory + "/" + files.statistics, files.reclaimable));
    return limit - std::min(limit, used);
}

} // namespace

uint64_t addressSpaceLeft() {
    rlimit limit{};
    if (getrlimit(RLIMIT_AS, &limit) != 0 || limit.rlim_cur == RLIM_INFINITY)
        return kNoMemoryLimit;
    uint64_t used = numberIn("/proc/self/statm", 0) * static_cast<uint64_t>(sysconf(_SC_PAGESIZE));
    return limit.rlim_cur - std::min<uint64_t>(limit.rlim_cur, used);
}

uint64_t groupMemoryLeft() {
    uint64_t left = kNoMemoryLimit;
    std::ifstream groups("/proc/self/cgroup"); // lines "0::/a/b" or "4:memory:/a/b"
    for (std::string line; std::getline(groups, line);) {
        size_t first = line.find(':'), second = line.find(':', first + 1);
        if (first == line.npos || second == line.npos)
            continue;
        std::string controllers = line.substr(first + 1, second - first - 1), group = line.substr(second + 1);
        bool isOld = ("," + controllers + ",").find(",memory,") != std::string::npos;
        if ((!controllers.empty() && !isOld) || !group.starts_with('/'))
            continue;
        std::string root = isOld ? "/sys/fs/cgroup/memory" : "/sys/fs/cgroup";
        // Every group above counts as well. In a container the root is its own group.
        for (; !group.empty(); group.resize(group.rfind('/')))
            left = std::min(left, leftIn(root + (group == "/" ? "" : group), isOld ? kOld : kUnified));
        left = std::min(left, leftIn(root, isOld ? kOld : kUnified));
    }
    return left;
}

} // namespace daphne
