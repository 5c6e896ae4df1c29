// SPDX-License-Identifier: Apache-2.0
/// Flat JSON objects, as lines of a file: keys with numbers, strings, true, false
/// or null. Mistakes are thrown as TextError.
#pragma once

#include <string>
#include <string_view>

#include "base/Utf8.h"
#include "io/text/NumberText.h"
#include "io/text/TextPieces.h"

namespace daphne::io {

struct JsonValue {
    enum class Kind : uint8_t { Null, Bool, Integer, Number, Text } kind = Kind::Null;
    bool truth = false;
    int64_t integer = 0;
    double number = 0; ///< also of integers
    std::string text;
};

class JsonCursor {
  public:
    explicit JsonCursor(std::string_view text) : at(text.data()), end(text.data() + text.size()) {}

    bool atEnd() { return skipBlanks(), at == end; }
    /// Past empty lines.
    void skipLineEnds() {
        while (!atEnd() && *at == '\n')
            ++at;
    }
    const char *position() const { return at; }

    /// Calls f(key, value) for every member of the object at this place.
    template <class F> void object(F &&f) {
        need('{');
        if (accept('}'))
            return;
        do {
            const char *where = (skipBlanks(), at);
            string(key);
            need(':');
            value(scratch);
            f(key, scratch, where);
        } while (accept(','));
        need('}');
    }
    void needLineEnd() {
        skipBlanks();
        if (at != end && *at != '\n')
            throw TextError{at, "expected the end of the line"};
    }

  private:
    void skipBlanks() {
        while (at != end && (*at == ' ' || *at == '\t' || *at == '\r'))
            ++at;
    }
    bool accept(char c) {
        skipBlanks();
        if (at == end || *at != c)
            return false;
        ++at;
        return true;
    }
    void need(char c) {
        if (!accept(c))
            throw TextError{at, std::string("expected '") + c + "'"};
    }
    bool word(std::string_view w) {
        if (static_cast<size_t>(end - at) < w.size() || std::string_view(at, w.size()) != w)
            return false;
        at += w.size();
        return true;
    }

    void value(JsonValue &v) {
        skipBlanks();
        using Kind = JsonValue::Kind;
        if (at == end)
            throw TextError{at, "expected a value"};
        if (*at == '"') {
            v.kind = Kind::Text;
            return string(v.text);
        }
        v.kind = word("null")    ? Kind::Null
                 : word("true")  ? (v.truth = true, Kind::Bool)
                 : word("false") ? (v.truth = false, Kind::Bool)
                                 : Kind::Number;
        if (v.kind != Kind::Number)
            return;
        if (*at == '{' || *at == '[')
            throw TextError{at, "objects and arrays inside of a row are not supported"};
        const char *last = scanInteger(at, end, v.integer);
        bool isInteger = last && (last == end || (*last != '.' && *last != 'e' && *last != 'E'));
        if (isInteger)
            v.number = static_cast<double>(v.integer);
        else
            last = number(v.number);
        v.kind = isInteger ? Kind::Integer : Kind::Number;
        at = last;
    }
    /// As JSON writes numbers, and NaN, Infinity and -Infinity as Python does.
    const char *number(double &x) {
        bool negative = word("-Infinity");
        if (negative || word("Infinity")) {
            x = negative ? -HUGE_VAL : HUGE_VAL;
            return at;
        }
        if (word("NaN")) {
            x = __builtin_nan("");
            return at;
        }
        if (const char *last = scanDouble(at, end, x))
            return last;
        // Out of range: infinite or zero, as strtod says.
        const char *stop = at;
        while (stop != end && (isDigit(*stop) || *stop == '.' || *stop == '-' || *stop == '+' || (*stop | 32) == 'e'))
            ++stop;
        std::string copy(at, stop);
        char *last = nullptr;
        x = std::strtod(copy.c_str(), &last);
        if (copy.empty() || last != copy.c_str() + copy.size())
            throw TextError{at, "expected a value"};
        return stop;
    }

    void string(std::string &out) {
        need('"');
        out.clear();
        for (;; ++at) {
            const char *stop = at;
            while (stop != end && *stop != '"' && *stop != '\\' && *stop != '\n')
                ++stop;
            out.append(at, stop);
            at = stop;
            if (at == end || *at == '\n')
                throw TextError{at, "a string is not closed"};
            if (*at++ == '"')
                return needText(out);
            escape(out);
        }
    }
    /// Strings are UTF-8 without NUL.
    void needText(const std::string &text) const {
        size_t bad = findBadCharacter(text);
        if (bad != text.npos)
            throw TextError{at - 1, badCharacterText(text[bad])};
    }
    /// Behind the backslash; stays on the last character.
    void escape(std::string &out) {
        constexpr std::string_view kNames = "\"\\/bfnrt", kCharacters = "\"\\/\b\f\n\r\t";
        size_t i = at == end ? kNames.npos : kNames.find(*at);
        if (i != kNames.npos) {
            out += kCharacters[i];
            return;
        }
        uint32_t c = unicode();
        if (c >= 0xD800 && c < 0xDC00 && end - at > 2 && at[1] == '\\' && at[2] == 'u') {
            at += 2;
            uint32_t low = unicode();
            c = 0x10000 + ((c - 0xD800) << 10) + ((low - 0xDC00) & 0x3FF);
        }
        appendUtf8(out, c);
    }
    uint32_t unicode() {
        uint32_t c = 0;
        if (at == end || *at != 'u' || end - at < 5)
            throw TextError{at, "unknown escape in a string"};
        auto [last, error] = std::from_chars(at + 1, at + 5, c, 16);
        if (last != at + 5)
            throw TextError{at, "expected four hexadecimal digits"};
        at += 4;
        return c;
    }

    const char *at, *end;
    std::string key;
    JsonValue scratch;
};

/// A string in quotes; control characters are escaped.
inline void appendJsonString(std::string &out, std::string_view text) {
    constexpr char kHex[] = "0123456789abcdef";
    out += '"';
    for (char c : text) {
        auto code = static_cast<unsigned char>(c);
        if (c == '"' || c == '\\') {
            out += '\\';
            out += c;
        } else if (code < 0x20) {
            out += "\\u00";
            out += kHex[code >> 4];
            out += kHex[code & 15];
        } else {
            out += c;
        }
    }
    out += '"';
}

} // namespace daphne::io
