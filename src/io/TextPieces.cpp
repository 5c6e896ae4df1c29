// SPDX-License-Identifier: Apache-2.0
#include "io/TextPieces.h"

#include <algorithm>
#include <cstring>

namespace daphne::io {

Error locatedError(std::string_view text, const std::string &path, const TextError &error) {
    auto offset = std::min(static_cast<size_t>(error.at - text.data()), text.size());
    std::string_view before = text.substr(0, offset);
    size_t line = countLineEnds(before) + 1;
    size_t column = offset - (before.rfind('\n') + 1) + 1;
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

TextFacts factsOf(std::string_view text, char quote) {
    // So short that counters fit into bytes, and without branches inside: many characters at once.
    constexpr size_t kStep = 240;
    TextFacts facts;
    unsigned char bits = 0; // the top bit: of c if it is not ASCII, of c - 1 if it is NUL
    bool quotes = false, shortLines = false;
    auto look = [&](size_t begin, size_t end, auto atStart) {
        const char *p = text.data();
        uint8_t ends = 0, anyBits = 0, anyQuote = 0, anyShort = 0;
        for (size_t i = begin; i < end; ++i) {
            auto c = static_cast<uint8_t>(p[i]);
            auto isEnd = static_cast<uint8_t>(c == '\n');
            ends = static_cast<uint8_t>(ends + isEnd);
            anyBits = static_cast<uint8_t>(anyBits | c | (c - 1));
            anyQuote = static_cast<uint8_t>(anyQuote | (c == static_cast<uint8_t>(quote)));
            if constexpr (!atStart.value)
                anyShort = static_cast<uint8_t>(anyShort | (isEnd & ((p[i - 1] == '\n') | (p[i - 2] == '\n'))));
        }
        facts.numLineEnds += ends;
        bits |= anyBits;
        quotes |= anyQuote != 0;
        shortLines |= anyShort != 0;
    };
    size_t start = std::min<size_t>(2, text.size());
    look(0, start, std::true_type{});
    shortLines = start == 2 && text[0] == '\n' && text[1] == '\n';
    for (size_t begin = start; begin < text.size(); begin += kStep)
        look(begin, std::min(text.size(), begin + kStep), std::false_type{});
    facts.isPlain = (bits & 0x80) == 0;
    facts.hasQuotes = quotes && quote != 0;
    facts.hasShortLines = shortLines;
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
