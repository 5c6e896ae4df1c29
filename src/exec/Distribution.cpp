// SPDX-License-Identifier: Apache-2.0
#include "exec/Distribution.h"

#include <utility>

#include "kernels/PairwiseRows.h"

namespace daphne::exec {

namespace {
thread_local Distribution *current = nullptr;
}

Distribution *activeDistribution() { return current; }

DistributionScope::DistributionScope(Distribution *distribution) : outer(std::exchange(current, distribution)) {}
DistributionScope::~DistributionScope() { current = outer; }

void addUpGroups(Dense &groups, const std::vector<GroupsInRow> &rows, Dense &result) {
    withNumericType(groups.type(), [&]<class T>(TypeTag<T>) {
        if constexpr (!std::is_same_v<T, bool>) {
            T *first = groups.mutableView<T>().data;
            PairwiseRows<T> sum(groups.cols());
            for (uint64_t g = 0; rows.empty() && g < groups.rows(); ++g)
                sum.add(first + g * groups.cols());
            for (auto [row, level] : rows)
                sum.add(first + row * groups.cols(), level);
            sum.total(result.mutableView<T>().data);
        }
    });
}

} // namespace daphne::exec
