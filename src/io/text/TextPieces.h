// SPDX-License-Identifier: Apache-2.0
/// Texts worked on in parallel: cut at line ends, errors with their place. The
/// error that counts is the first one in the text, whatever the threads do.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/ActiveRun.h"
#include "base/Error.h"
#include "sched/ParallelFor.h"

namespace daphne::io {

/// Thrown by parsers; turned into an Error with line and column by locatedError().
struct TextError {
    const char *at; ///< inside of the text, or its end
    std::string what;
    size_t field = 0;       ///< of texts whose columns are fields: which one, from 1; 0: columns are bytes
    bool avoidable = false; ///< lenient reading makes the best of it
};

/// "file "x.csv", line 3, column 7: what" (status 3). Lines and columns count from 1.
Error locatedError(std::string_view text, const std::string &path, const TextError &error);

/// A word of a file for a message: short and printable.
std::string shownWord(std::string_view word);

/// Pieces of about the given size that end behind a line end; none is empty.
std::vector<std::string_view> cutAtLineEnds(std::string_view text, size_t pieceBytes);

size_t countLineEnds(std::string_view text);

/// What one sweep over a text tells.
struct TextFacts {
    size_t numLineEnds = 0;
    bool isPlain = true;        ///< nothing but ASCII characters other than NUL
    bool hasQuotes = false;     ///< the given character, if it is not NUL
    bool hasShortLines = false; ///< some line but the first has at most one character before its end
};
TextFacts factsOf(std::string_view text, char quote);

/// Bytes of one task of a parser: enough to forget what starting it costs, little enough to share work evenly.
constexpr size_t kPieceBytes = size_t(1) << 20;

/// Calls body(i) for all i in [0, n), on all workers of the pool or, without one, here.
template <class Body> void forEachTask(sched::Pool *pool, size_t n, Body &&body) {
    if (!pool || pool->numWorkers() == 1 || n < 2) {
        for (size_t i = 0; i < n; ++i) {
            throwIfCancelled();
            body(i);
        }
        return;
    }
    static const sched::Scheme *const oneByOne = sched::findScheme("SS");
    sched::parallelFor(*pool, n, {.scheme = oneByOne}, [&, run = ActiveRun::current()](sched::Range range, uint32_t) {
        ActiveRun::Scope scope(run); // tasks tell how far they are
        for (uint64_t i = range.begin; i < range.end; ++i)
            body(i);
    });
}

/// As forEachTask. Of several mistakes the one of the smallest i is thrown, as a loop on one thread would.
template <class Mistake = TextError, class Body> void forEachPiece(sched::Pool *pool, size_t n, Body &&body) {
    std::vector<std::optional<Mistake>> errors(n);
    std::atomic<size_t> firstFailed{n};
    forEachTask(pool, n, [&](size_t i) {
        if (i > firstFailed.load(std::memory_order_relaxed))
            return;
        try {
            body(i);
        } catch (Mistake &error) {
            errors[i] = std::move(error);
            size_t seen = firstFailed.load();
            while (i < seen && !firstFailed.compare_exchange_weak(seen, i))
                ;
        }
    });
    if (firstFailed < n)
        throw *errors[firstFailed];
}

} // namespace daphne::io
