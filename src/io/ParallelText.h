// SPDX-License-Identifier: Apache-2.0
/// Writing text in parallel: rows are formatted on all workers, some thousand
/// at a time, and go to the file in their order. Memory: a few MiB per worker.
#pragma once

#include <charconv>
#include <cmath>
#include <string>
#include <vector>

#include "base/Progress.h"
#include "io/FormatTable.h"
#include "io/TextPieces.h"

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

/// Calls append(row, text) for all rows; a row has about cellsPerRow cells.
template <class Append> void writeRowsInParallel(WriteJob &job, size_t rows, size_t cellsPerRow, Append &&append) {
    constexpr size_t kCellsPerTask = size_t(1) << 16;
    size_t rowsPerTask = std::max<size_t>(1, kCellsPerTask / std::max<size_t>(1, cellsPerRow));
    sched::Pool *pool = job.request.pool;
    size_t tasksAtOnce = pool ? 4 * pool->numWorkers() : 1;
    std::vector<std::string> texts(tasksAtOnce);
    for (size_t begin = 0; begin < rows; begin += tasksAtOnce * rowsPerTask) {
        size_t left = rows - begin;
        size_t numTasks = std::min(tasksAtOnce, (left + rowsPerTask - 1) / rowsPerTask);
        forEachTask(pool, numTasks, [&](size_t i) {
            size_t first = begin + i * rowsPerTask, last = std::min(rows, first + rowsPerTask);
            texts[i].clear();
            for (size_t r = first; r < last; ++r)
                append(r, texts[i]);
        });
        for (size_t i = 0; i < numTasks; ++i)
            job.file.write(texts[i]);
        setProgress(std::min(rows, begin + tasksAtOnce * rowsPerTask), rows);
    }
}

} // namespace daphne::io
