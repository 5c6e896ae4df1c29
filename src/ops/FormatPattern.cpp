// SPDX-License-Identifier: Apache-2.0
#include "ops/FormatPattern.h"

#include "base/Calendar.h"
#include "base/Error.h"
#include "base/Utf8.h"

namespace daphne::ops {

namespace {

/// Wider results are not what anybody wants, and would take memory without limit.
constexpr uint32_t kMaxWidth = 10000, kMaxPrecision = 300;
constexpr const char *kSpecHint =
    "a spec is [[fill](<|>|^)][+][0][width][,][.precision][type], a type is one of d x b o g f e % s";

Error wrong(const std::string &why) { return executionError("format: " + why); }

bool isDigit(char c) { return c >= '0' && c <= '9'; }
bool isAlign(char c) { return c == '<' || c == '>' || c == '^'; }

class SpecParser {
  public:
    explicit SpecParser(std::string_view text) : text(text) {}

    FormatSpec parse() {
        FormatSpec spec;
        spec.text = text;
        if (text.find('%') != text.npos && text != "%" && !endsInPercentType()) {
            spec.dateParts = text;
            return spec;
        }
        fillAndAlign(spec);
        spec.sign = take('+');
        spec.zeros = take('0');
        if (isDigit(peek()))
            spec.width = number(kMaxWidth, "width");
        spec.thousands = take(',');
        if (take('.')) {
            if (!isDigit(peek()))
                throw bad("digits must follow the point");
            spec.precision = static_cast<int>(number(kMaxPrecision, "precision"));
        }
        constexpr std::string_view kTypes = "dxbogfe%s";
        if (at < text.size() && kTypes.find(text[at]) != kTypes.npos)
            spec.type = text[at++];
        if (at < text.size())
            throw bad("'" + std::string(text.substr(at)) + "' has no meaning there");
        return spec;
    }

  private:
    char peek() const { return at < text.size() ? text[at] : '\0'; }
    bool take(char c) {
        bool there = peek() == c;
        at += there;
        return there;
    }
    /// ".1%": the only percent sign is the type, or that and the fill. A part of a date is a percent sign and a letter.
    bool endsInPercentType() const {
        for (size_t i = 0; i + 1 < text.size(); ++i)
            if (text[i] == '%' && !isAlign(text[i + 1]))
                return false;
        return true;
    }
    void fillAndAlign(FormatSpec &spec) {
        size_t next = skipCodePoints(text, 1);
        if (next < text.size() && isAlign(text[next])) {
            spec.fill = text.substr(0, next);
            spec.align = text[next];
            at = next + 1;
        } else if (isAlign(peek())) {
            spec.align = text[at++];
        }
    }
    uint32_t number(uint32_t most, const char *what) {
        uint32_t n = 0;
        while (isDigit(peek())) {
            n = 10 * n + static_cast<uint32_t>(text[at++] - '0');
            if (n > most)
                throw bad(std::string("a ") + what + " is at most " + std::to_string(most));
        }
        return n;
    }
    Error bad(const std::string &why) const {
        return wrong("'" + std::string(text) + "' is no spec: " + why).withHint(kSpecHint);
    }

    std::string_view text;
    size_t at = 0;
};

} // namespace

std::vector<FormatPiece> parseFormat(std::string_view pattern, size_t numValues) {
    std::vector<FormatPiece> pieces;
    std::vector<bool> used(numValues);
    size_t next = 0;
    bool counted = false, named = false;
    std::string text;
    for (size_t i = 0; i < pattern.size(); ++i) {
        char c = pattern[i];
        bool isBrace = c == '{' || c == '}';
        if (!isBrace || pattern.substr(i + 1, 1) == std::string_view(&c, 1)) {
            text += c;
            i += isBrace;
            continue;
        }
        size_t end = pattern.find('}', i);
        if (c == '}' || end == pattern.npos)
            throw wrong(std::string("a single '") + c + "' in the pattern")
                .withHint(std::string("a brace as text is written twice: ") + c + c);
        std::string_view place = pattern.substr(i + 1, end - i - 1);
        size_t colon = place.find(':');
        std::string_view position = place.substr(0, colon);
        FormatPiece piece;
        if (position.empty()) {
            piece.value = next++;
            counted = true;
        } else {
            piece.value = 0;
            named = true;
            for (char digit : position) {
                if (!isDigit(digit) || piece.value > numValues)
                    throw wrong("'{" + std::string(place) + "}' is no place for a value")
                        .withHint("a place is {}, {k} or {:spec}; values are counted from 0");
                piece.value = 10 * piece.value + static_cast<size_t>(digit - '0');
            }
        }
        if (counted && named)
            throw wrong("places with and without numbers in one pattern");
        if (piece.value >= numValues)
            throw wrong("there is no value for '{" + std::string(place) + "}': " + std::to_string(numValues) +
                        (numValues == 1 ? " value is given" : " values are given"));
        used[piece.value] = true;
        if (colon != place.npos)
            piece.spec = SpecParser(place.substr(colon + 1)).parse();
        if (!text.empty())
            pieces.push_back({.text = std::move(text)});
        text.clear();
        pieces.push_back(std::move(piece));
        i = end;
    }
    for (size_t k = 0; k < numValues; ++k)
        if (!used[k])
            throw wrong("value " + std::to_string(k) + " has no place in the pattern");
    if (!text.empty())
        pieces.push_back({.text = std::move(text)});
    return pieces;
}

void checkFormat(const FormatSpec &spec, ValueType type) {
    if (type == ValueType::Unknown)
        return;
    auto reject = [&](const std::string &what) {
        throw wrong("'" + spec.text + "' is for " + what + ", got " + std::string(dslName(type)));
    };
    if (isTime(type)) {
        bool isPlain = !spec.type && !spec.sign && !spec.zeros && !spec.thousands && spec.precision < 0;
        if (!isPlain)
            reject("numbers and strings");
        if (!spec.dateParts.empty() && type == ValueType::Duration)
            reject("dates and timestamps");
        if (std::string problem = calendar::problemOf(spec.dateParts); !problem.empty())
            throw wrong(problem);
        return;
    }
    bool isText = type == ValueType::Str;
    std::string_view t(&spec.type, spec.type ? 1 : 0);
    if (!spec.dateParts.empty())
        reject("dates and times");
    if (t == "s" && !isText)
        reject("strings");
    if (!t.empty() && std::string_view("dxbo").find(t) != std::string_view::npos && !isIntegerLike(type))
        reject("integers");
    if (!t.empty() && std::string_view("gfe%").find(t) != std::string_view::npos && isText)
        reject("numbers");
    if ((spec.sign || spec.zeros || spec.thousands) && isText)
        reject("numbers");
    bool wholeNumber = isIntegerLike(type) && (t.empty() || std::string_view("dxbo").find(t) != std::string_view::npos);
    if (spec.precision >= 0 && wholeNumber)
        reject("floating-point numbers and strings");
}

} // namespace daphne::ops
