// SPDX-License-Identifier: Apache-2.0
/// Writing text in parallel: rows are formatted on all workers, some thousand
/// at a time, and go to the file in their order. Memory: about a MiB per worker.
#pragma once

#include <charconv>
#include <chrono>
#include <cmath>
#include <condition_variable>
#include <mutex>
#include <string>

#include "base/ActiveRun.h"
#include "base/Progress.h"
#include "io/FormatTable.h"
#include "io/text/TextPieces.h"

namespace daphne::io {

/// Decimal; floats in the shortest form that reads back as the same number, nan without a sign.
template <class T> void appendNumber(std::string &out, T x) {
    char text[40];
    if constexpr (std::is_same_v<T, bool>) {
        out += x ? '1' : '0';
    } else {
        if constexpr (std::is_floating_point_v<T>)
            if (std::isnan(x)) {
                out += "nan";
                return;
            }
        auto [end, error] = std::to_chars(text, text + sizeof text, x);
        out.append(text, end);
    }
}

/// Lets tasks on several threads do something one after another, in the order of their numbers. Tasks must be begun in
/// that order.
class Turns {
  public:
    /// f() as soon as all tasks before this one are done; not at all if one of them failed, or if the run is cancelled:
    /// then tasks before this one may never begin.
    template <class F> void take(size_t task, F &&f) {
        {
            std::unique_lock lock(mutex);
            while (next != task) {
                if (next == kFailed)
                    return;
                changed.wait_for(lock, std::chrono::milliseconds(10));
                throwIfCancelled();
            }
        }
        try {
            f();
        } catch (...) {
            end(kFailed);
            throw;
        }
        end(task + 1);
    }

  private:
    static constexpr size_t kFailed = ~size_t(0);
    void end(size_t following) {
        {
            std::lock_guard lock(mutex);
            next = following;
        }
        changed.notify_all();
    }
    std::mutex mutex;
    std::condition_variable changed;
    size_t next = 0;
};

/// Calls append(row, text) for all rows; a row has about cellsPerRow cells. While one worker writes, others format.
template <class Append> void writeRowsInParallel(WriteJob &job, size_t rows, size_t cellsPerRow, Append &&append) {
    constexpr size_t kCellsPerTask = size_t(1) << 16;
    size_t rowsPerTask = std::max<size_t>(1, kCellsPerTask / std::max<size_t>(1, cellsPerRow));
    Turns turns;
    forEachTask(job.request.pool, (rows + rowsPerTask - 1) / rowsPerTask, [&](size_t task) {
        sched::NoLoopsHere scratch;
        thread_local std::string text;
        text.clear();
        size_t begin = task * rowsPerTask, end = std::min(rows, begin + rowsPerTask);
        try {
            for (size_t r = begin; r < end; ++r)
                append(r, text);
        } catch (...) {
            turns.take(task, [] { throw; });
            throw;
        }
        turns.take(task, [&] {
            job.file.write(text);
            setProgress(end, rows);
        });
    });
}

} // namespace daphne::io
