// SPDX-License-Identifier: Apache-2.0
/// Characters of UTF-8 texts. Bytes that are no UTF-8 count as one character each
/// (U+DC00 plus the byte, as Python's surrogateescape does), so that nothing is
/// lost on the way.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace daphne {

inline void appendUtf8(std::string &out, uint32_t c) {
    if (c >= 0xDC80 && c <= 0xDCFF) {
        out += static_cast<char>(c - 0xDC00);
    } else if (c < 0x80) {
        out += static_cast<char>(c);
    } else if (c < 0x800) {
        out += static_cast<char>(0xC0 | c >> 6);
        out += static_cast<char>(0x80 | (c & 63));
    } else if (c < 0x10000) {
        out += static_cast<char>(0xE0 | c >> 12);
        out += static_cast<char>(0x80 | (c >> 6 & 63));
        out += static_cast<char>(0x80 | (c & 63));
    } else {
        out += static_cast<char>(0xF0 | (c >> 18 & 7));
        out += static_cast<char>(0x80 | (c >> 12 & 63));
        out += static_cast<char>(0x80 | (c >> 6 & 63));
        out += static_cast<char>(0x80 | (c & 63));
    }
}

/// Calls f with the code point of every character.
template <class F> void forEachCharacter(std::string_view text, F &&f) {
    for (size_t i = 0; i < text.size();) {
        auto first = static_cast<unsigned char>(text[i]);
        size_t more = first >= 0xF0 && first < 0xF5   ? 3
                      : first >= 0xE0 && first < 0xF0 ? 2
                      : first >= 0xC2 && first < 0xE0 ? 1
                                                      : 0;
        bool valid = (first < 0x80 || more > 0) && i + more < text.size();
        uint32_t c = more == 0 ? first : first & (0x3Fu >> more);
        for (size_t k = 1; valid && k <= more; ++k) {
            auto next = static_cast<unsigned char>(text[i + k]);
            valid = (next & 0xC0) == 0x80;
            c = c << 6 | (next & 63);
        }
        constexpr uint32_t kLeast[] = {0, 0x80, 0x800, 0x10000};
        valid = valid && c >= kLeast[more] && c <= 0x10FFFF && !(c >= 0xD800 && c < 0xE000);
        f(valid ? c : 0xDC00u + first);
        i += valid ? more + 1 : 1;
    }
}

/// The place of the first byte that is no UTF-8; npos if there is none.
inline size_t findBadUtf8(std::string_view text) {
    size_t at = 0;
    while (at < text.size() && static_cast<unsigned char>(text[at]) < 0x80)
        ++at;
    size_t bad = text.npos;
    forEachCharacter(text.substr(at), [&](uint32_t c) {
        if (bad == text.npos && c >= 0xDC00 && c < 0xE000)
            bad = at;
        at += c < 0x80 ? 1 : c < 0x800 ? 2 : c < 0x10000 ? 3 : 4;
    });
    return bad;
}

/// The place of the first NUL or byte that is no UTF-8, which strings cannot hold; npos if there is none.
inline size_t findBadCharacter(std::string_view text) {
    size_t i = 0;
    for (; i < text.size() && static_cast<unsigned char>(text[i] - 1) < 0x7F; ++i)
        ;
    if (i == text.size())
        return text.npos;
    size_t bad = text.npos, at = i;
    forEachCharacter(text.substr(i), [&](uint32_t c) {
        if (bad == text.npos && (c == 0 || (c >= 0xDC00 && c < 0xE000)))
            bad = at;
        at += c < 0x80 ? 1 : c < 0x800 ? 2 : c < 0x10000 ? 3 : 4;
    });
    return bad;
}

inline std::string badCharacterText(char c) {
    constexpr char kHex[] = "0123456789abcdef";
    auto code = static_cast<unsigned char>(c);
    return code == 0 ? "a NUL byte in a string"
                     : std::string("byte 0x") + kHex[code >> 4] + kHex[code & 15] + " is not UTF-8";
}

inline size_t countCharacters(std::string_view text) {
    size_t n = 0;
    forEachCharacter(text, [&](uint32_t) { ++n; });
    return n;
}

// ---------------------------------------------------------------- texts that are UTF-8 for certain

/// Not the first byte of a character.
constexpr bool isContinuation(char c) { return static_cast<signed char>(c) < -64; }

inline size_t numCodePoints(std::string_view text) {
    size_t n = 0;
    for (char c : text)
        n += !isContinuation(c);
    return n;
}

/// Where the character behind n others begins, from `begin` on; the size of the text if there are not as many.
inline size_t skipCodePoints(std::string_view text, size_t n, size_t begin = 0) {
    size_t at = begin;
    for (; n > 0 && at < text.size(); --n)
        for (++at; at < text.size() && isContinuation(text[at]);)
            ++at;
    return at;
}

} // namespace daphne
