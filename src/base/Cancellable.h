// SPDX-License-Identifier: Apache-2.0
/// Serial loops that stop when the host cancels the run (ActiveRun):
///
///     for (size_t r : cancellableRows(matrix)) ...          0 .. rows - 1
///     for (size_t i : cancellable(n)) ...                   0 .. n - 1
///     for (auto [begin, end] : cancellablePieces(n)) ...    [0, n) cut for loops that the compiler vectorises
///     CancelCountdown look; ... look.after(cells);          loops of another form
///
/// They look at the flag once in kCellsPerCancelTest cells, which costs nothing measurable, and throw the Error of a
/// cancelled run there. A step is a comparison and an addition, as without them. Loops that run on the pool look at
/// the flag between their tasks (sched/ParallelFor.h); a task or part that may take long does it by itself.
#pragma once

#include <algorithm>
#include <cstddef>

#include "base/ActiveRun.h"

namespace daphne {

/// Even at 100 ns per cell, for hashing or texts, these are few enough.
constexpr size_t kCellsPerCancelTest = size_t(1) << 18;

class CancelCountdown {
  public:
    /// So many cells more are done.
    void after(size_t cells) {
        if (cells < left)
            left -= cells;
        else
            look();
    }

  private:
    void look() {
        throwIfCancelled();
        left = kCellsPerCancelTest;
    }
    size_t left = kCellsPerCancelTest;
};

/// The numbers from 0 to n - 1, each of which stands for so many cells of work.
class CancellableSteps {
  public:
    struct End {};
    class Iterator {
      public:
        Iterator(size_t n, size_t step) : stop(std::min(n, step)), n(n), step(step) {}
        size_t operator*() const { return i; }
        Iterator &operator++() {
            ++i;
            return *this;
        }
        bool operator!=(End) { return i != stop || goesOn(); }

      private:
        bool goesOn() {
            if (i == n)
                return false;
            throwIfCancelled();
            stop += std::min(n - stop, step);
            return true;
        }
        size_t i = 0, stop, n, step;
    };

    CancellableSteps(size_t n, size_t step) : n(n), step(step) {}
    Iterator begin() const { return {n, step}; }
    End end() const { return {}; }

  private:
    size_t n, step;
};

namespace detail {
/// Steps between two looks, if n of them are so many cells of work together.
inline size_t stepsBetweenLooks(size_t n, size_t cells) {
    if (cells <= kCellsPerCancelTest)
        return std::max<size_t>(1, n);
    return std::max<size_t>(1, kCellsPerCancelTest / (cells / std::max<size_t>(1, n) + 1));
}
} // namespace detail

inline CancellableSteps cancellable(size_t n, size_t cellsPerStep = 1) {
    return {n, detail::stepsBetweenLooks(n, n * cellsPerStep)};
}

/// The rows of anything that has rows and columns, or knows its stored cells.
template <class M> CancellableSteps cancellableRows(const M &m) {
    if constexpr (requires { m.nonZeros(); })
        return {m.rows(), detail::stepsBetweenLooks(m.rows(), m.rows() + m.nonZeros())};
    else if constexpr (requires { m.offsets[0]; })
        return {m.rows, detail::stepsBetweenLooks(m.rows, m.rows + (m.offsets[m.rows] - m.offsets[0]))};
    else if constexpr (requires { m.rows(); })
        return {m.rows(), detail::stepsBetweenLooks(m.rows(), m.rows() * m.cols())};
    else
        return {m.rows, detail::stepsBetweenLooks(m.rows, m.rows * m.cols)};
}

/// Pieces of [0, n).
class CancellablePieces {
  public:
    struct Piece {
        size_t begin, end;
    };
    struct End {};
    class Iterator {
      public:
        explicit Iterator(size_t n) : n(n) {}
        Piece operator*() const { return {at, std::min(n, at + kCellsPerCancelTest)}; }
        Iterator &operator++() {
            at = (**this).end;
            return *this;
        }
        bool operator!=(End) {
            if (at >= n)
                return false;
            if (at > 0)
                throwIfCancelled();
            return true;
        }

      private:
        size_t at = 0, n;
    };

    explicit CancellablePieces(size_t n) : n(n) {}
    Iterator begin() const { return Iterator(n); }
    End end() const { return {}; }

  private:
    size_t n;
};

inline CancellablePieces cancellablePieces(size_t n) { return CancellablePieces(n); }

} // namespace daphne
