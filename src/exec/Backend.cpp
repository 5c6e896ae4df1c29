// SPDX-License-Identifier: Apache-2.0
#include "exec/Backend.h"

#include "kernels/aggregates/PairwiseRows.h"

namespace daphne::exec {

const std::string &LoopTask::text() const {
    if (programText.empty())
        programText = bound.program.text();
    return programText;
}

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
