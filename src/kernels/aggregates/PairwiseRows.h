// SPDX-License-Identifier: Apache-2.0
/// Sums of groups of rows, a number per column, added up pairwise: group 2k and
/// 2k + 1 first, then pairs of pairs. So rounding errors grow with the logarithm
/// of the number of groups, and whoever has 2^n adjacent groups, the first of
/// them a multiple of 2^n, can add them up alone: everybody agrees on the sum of
/// all, to the last bit, whoever added what.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <deque>
#include <utility>
#include <vector>

#include "kernels/aggregates/Reduction.h"

namespace daphne {

/// The sum of 2^level groups from `first` on; `first` is a multiple of their number.
struct GroupNode {
    uint64_t first = 0;
    uint32_t level = 0;
    uint64_t end() const { return first + (uint64_t(1) << level); }
    bool operator==(const GroupNode &) const = default;
};

/// The fewest nodes that together are groups [begin, end), in order: at most two per level.
inline std::vector<GroupNode> nodesOf(uint64_t begin, uint64_t end) {
    std::vector<GroupNode> nodes;
    while (begin < end) {
        uint32_t level = begin ? static_cast<uint32_t>(__builtin_ctzll(begin)) : 63;
        while ((end - begin) >> level == 0)
            --level;
        nodes.push_back({begin, level});
        begin = nodes.back().end();
    }
    return nodes;
}

/// into[c] += more[c]
template <class T> void addSums(T *into, const T *more, size_t cells) {
    vectorised([=] {
#pragma GCC ivdep
        for (size_t c = 0; c < cells; ++c)
            into[c] = wrappingSum(into[c], more[c]);
    });
}

/// Adds up sums of groups that come in order. It works in the memory they are in, which must stay.
template <class T> class PairwiseRows {
  public:
    explicit PairwiseRows(size_t cells) : cells(cells) {}
    PairwiseRows(const PairwiseRows &) = delete;
    PairwiseRows &operator=(const PairwiseRows &) = delete;

    /// Zeros, to be added when they are the sums of a group. For who has no memory for all groups.
    T *room() {
        if (spare.empty())
            spare.push_back(own.emplace_back(cells).data());
        T *zeros = spare.back();
        spare.pop_back();
        std::fill_n(zeros, cells, T(0));
        return zeros;
    }
    /// The next 2^level groups; those before are a multiple of them.
    void add(T *sums, uint32_t level = 0) {
        uint64_t groups = uint64_t(1) << level;
        for (; count & groups; groups <<= 1, ++level) {
            addSums(partial[level], sums, cells);
            spare.push_back(std::exchange(sums, partial[level]));
        }
        count = (count & ~(groups - 1)) | groups;
        partial[level] = sums;
    }
    /// Of all groups; zeros if there were none.
    void total(T *out) const {
        std::fill_n(out, cells, T(0));
        for (uint32_t level = 0; level < 64; ++level)
            if (count >> level & 1)
                addSums(out, partial[level], cells);
    }

  private:
    size_t cells;
    uint64_t count = 0;            ///< of groups
    std::array<T *, 64> partial{}; ///< [k] is set where bit k of count is
    std::vector<T *> spare;
    std::deque<std::vector<T>> own;
};

/// The sum of `count` groups of so many cells, one behind the other; they are overwritten.
template <class T> void sumGroups(T *groups, uint64_t count, size_t cells, T *out) {
    PairwiseRows<T> sum(cells);
    for (uint64_t g = 0; g < count; ++g)
        sum.add(groups + g * cells);
    sum.total(out);
}

/// Groups [begin, end) of so many cells are at `groups`, one behind the other. They become the nodes of nodesOf(begin,
/// end), also one behind the other. How many.
template <class T> size_t mergeGroups(T *groups, uint64_t begin, uint64_t end, size_t cells) {
    std::vector<GroupNode> nodes = nodesOf(begin, end);
    T *to = groups;
    for (const GroupNode &node : nodes) {
        T *first = groups + (node.first - begin) * cells;
        PairwiseRows<T> sum(cells);
        for (uint64_t g = 0; g < uint64_t(1) << node.level; ++g)
            sum.add(first + g * cells); // ends up in the first one
        if (to != first)
            std::copy_n(first, cells, to);
        to += cells;
    }
    return nodes.size();
}

} // namespace daphne
