// SPDX-License-Identifier: Apache-2.0
#include "io/text/TextPieces.h"

#include <algorithm>
#include <cstring>

#include "base/WideVectors.h"

namespace daphne::io {

Error locatedError(std::string_view text, const std::string &path, const TextError &error) {
    auto offset = std::min(static_cast<size_t>(error.at - text.data()), text.size());
    std::string_view before = text.substr(0, offset);
    size_t line = countLineEnds(before) + 1;
    size_t column = error.field > 0 ? error.field : offset - (before.rfind('\n') + 1) + 1;
    return executionError("file \"" + path + "\", line " + std::to_string(line) + ", column " + std::to_string(column) +
                          ": " + error.what);
}

std::string shownWord(std::string_view word) {
    constexpr size_t kMost = 40;
    std::string shown;
    for (char c : word.substr(0, kMost)) {
        if (static_cast<unsigned char>(c) >= 0x20 && static_cast<unsigned char>(c) < 0x7f) {
            shown += c;
            continue;
        }
        constexpr char kHex[] = "0123456789abcdef";
        shown += "\\x";
        shown += kHex[static_cast<unsigned char>(c) >> 4];
        shown += kHex[c & 15];
    }
    return word.size() > kMost ? shown + "..." : shown;
}

std::vector<std::string_view> cutAtLineEnds(std::string_view text, size_t pieceBytes) {
    std::vector<std::string_view> pieces;
    while (!text.empty()) {
        size_t end = text.size();
        if (pieceBytes < text.size()) {
            const void *lineEnd = std::memchr(text.data() + pieceBytes - 1, '\n', text.size() - pieceBytes + 1);
            if (lineEnd)
                end = static_cast<size_t>(static_cast<const char *>(lineEnd) - text.data()) + 1;
        }
        pieces.push_back(text.substr(0, end));
        text.remove_prefix(end);
    }
    return pieces;
}

namespace {

/// What one run of at most 255 characters adds to the facts.
struct RunFacts {
    uint8_t lineEnds = 0;
    uint8_t bits = 0; ///< the top bit: of c if it is not ASCII, of c - 1 if it is NUL
    uint8_t quotes = 0, shortLines = 0;
};

/// Without branches and with small counters: many characters at once. There are two characters before the run.
[[gnu::always_inline]] inline RunFacts factsOfRun(const char *p, size_t n, uint8_t quote) {
    RunFacts facts;
    for (size_t i = 0; i < n; ++i) {
        auto c = static_cast<uint8_t>(p[i]);
        auto isEnd = static_cast<uint8_t>(c == '\n');
        facts.lineEnds = static_cast<uint8_t>(facts.lineEnds + isEnd);
        facts.bits = static_cast<uint8_t>(facts.bits | c | (c - 1));
        facts.quotes = static_cast<uint8_t>(facts.quotes | (c == quote));
        facts.shortLines = static_cast<uint8_t>(facts.shortLines | (isEnd & ((p[i - 1] == '\n') | (p[i - 2] == '\n'))));
    }
    return facts;
}

} // namespace

TextFacts factsOf(std::string_view text, char quote) {
    constexpr size_t kRun = 224;
    TextFacts facts;
    RunFacts any;
    auto note = [&](RunFacts run) {
        facts.numLineEnds += run.lineEnds;
        any.bits |= run.bits;
        any.quotes |= run.quotes;
        any.shortLines |= run.shortLines;
    };
    auto asByte = static_cast<uint8_t>(quote);
    // The first two have no characters before them: as if these were no line ends.
    size_t start = std::min<size_t>(2, text.size());
    char first[4] = {' ', ' '};
    std::copy_n(text.data(), start, first + 2);
    note(factsOfRun(first + 2, start, asByte));
    vectorised([&] {
        for (size_t begin = start; begin < text.size(); begin += kRun) {
            const char *p = text.data() + begin;
            // A constant length where that is possible: nothing is left over behind the vectors.
            note(text.size() - begin >= kRun ? factsOfRun(p, kRun, asByte)
                                             : factsOfRun(p, text.size() - begin, asByte));
        }
    });
    facts.isPlain = (any.bits & 0x80) == 0;
    facts.hasQuotes = any.quotes != 0 && quote != 0;
    facts.hasShortLines = any.shortLines != 0;
    return facts;
}

size_t countLineEnds(std::string_view text) {
    size_t total = 0;
    // Short runs with small counters: the compiler works on many characters at once.
    for (size_t begin = 0; begin < text.size(); begin += 4096) {
        uint16_t count = 0;
        const char *p = text.data() + begin;
        for (size_t i = 0, n = std::min<size_t>(4096, text.size() - begin); i < n; ++i)
            count = static_cast<uint16_t>(count + (p[i] == '\n'));
        total += count;
    }
    return total;
}

} // namespace daphne::io
