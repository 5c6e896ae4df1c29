// SPDX-License-Identifier: Apache-2.0
#include "base/Error.h"

#include <algorithm>
#include <utility>

namespace daphne {

Error parseError(SourceSpan where, std::string message) { return {Stage::Parse, std::move(message), where}; }
Error compileError(SourceSpan where, std::string message) { return {Stage::Compile, std::move(message), where}; }
Error executionError(std::string message) { return {Stage::Execute, std::move(message)}; }

Error cancelledError() { return {Stage::Cancelled, "the run was cancelled"}; }

Error internalError(std::string message, std::source_location at) {
    std::string_view file = at.file_name();
    if (auto src = file.rfind("src/"); src != file.npos)
        file.remove_prefix(src);
    Error e(Stage::Internal, "internal error: " + std::move(message));
    e.withNote("raised at " + std::string(file) + ":" + std::to_string(at.line()));
    e.withHint("this is a bug in daphne, not in your script; please report it with the script that shows it");
    return e;
}

namespace {

constexpr size_t kMaxExcerptColumns = 160;

/// Replaces control characters, so that an excerpt stays on one line.
std::string printable(std::string_view text) {
    std::string out(text);
    for (char &c : out)
        if (c == '\t' || static_cast<unsigned char>(c) < 32 || c == 127)
            c = ' ';
    return out;
}

struct Painter {
    Colour colour;
    std::string bold(std::string s, const char *code) const {
        return colour == Colour::Yes ? std::string("\x1b[") + code + "m" + s + "\x1b[0m" : s;
    }
};

/// Column range [first, last) of a span within a line, clipped to it.
struct LineRange {
    size_t first = 0, last = 0;
};

LineRange clip(const SourceManager &sources, SourceSpan span, uint32_t line, size_t lineLength) {
    LineColumn b = sources.position(span.fileId, span.begin);
    LineColumn e = sources.position(span.fileId, std::max(span.begin, span.end));
    LineRange r;
    r.first = b.line < line ? 0 : b.column - 1;
    r.last = e.line > line ? lineLength : e.column - 1;
    r.first = std::min(r.first, lineLength);
    r.last = std::min(std::max(r.last, r.first + 1), std::max(lineLength, r.first + 1));
    return r;
}

void appendExcerpt(std::string &out, const Error &error, const SourceManager &sources, const Painter &paint) {
    LineColumn pos = sources.position(error.where.fileId, error.where.begin);
    std::string text = printable(sources.line(error.where.fileId, pos.line));
    std::string number = std::to_string(pos.line);
    std::string margin(number.size(), ' ');

    // Very long lines are cut to a window around the position.
    size_t shift = 0;
    if (text.size() > kMaxExcerptColumns && pos.column > kMaxExcerptColumns / 2)
        shift = pos.column - kMaxExcerptColumns / 2;
    std::string shown = text.substr(std::min(shift, text.size()), kMaxExcerptColumns);

    std::string marks(text.size() + 1, ' ');
    std::vector<std::pair<size_t, const std::string *>> texts;
    for (const Label &label : error.labels) {
        if (label.where.fileId != error.where.fileId ||
            sources.position(label.where.fileId, label.where.begin).line != pos.line)
            continue;
        LineRange r = clip(sources, label.where, pos.line, text.size());
        std::fill(marks.begin() + r.first, marks.begin() + r.last, '~');
        if (!label.text.empty())
            texts.emplace_back(r.first, &label.text);
    }
    LineRange main = clip(sources, error.where, pos.line, text.size());
    if (error.labels.empty())
        std::fill(marks.begin() + main.first, marks.begin() + main.last, '^');
    else
        marks[main.first] = '^';
    marks = marks.substr(std::min(shift, marks.size()), kMaxExcerptColumns);
    marks.erase(marks.find_last_not_of(' ') + 1);

    out += paint.bold(number + " | ", "34") + shown + "\n";
    out += paint.bold(margin + " | ", "34");
    // The rightmost label stands behind the marks, the others below, right to left.
    std::sort(texts.begin(), texts.end(), [](auto &a, auto &b) { return a.first > b.first; });
    if (!texts.empty()) {
        out += paint.bold(marks + " " + *texts[0].second, "31") + "\n";
        for (size_t i = 1; i < texts.size(); ++i) {
            size_t column = texts[i].first >= shift ? texts[i].first - shift : 0;
            out +=
                paint.bold(margin + " | ", "34") + paint.bold(std::string(column, ' ') + *texts[i].second, "31") + "\n";
        }
    } else {
        out += paint.bold(marks, "31") + "\n";
    }
}

/// Names and values in a message can be as long as the script; what stop() says is the user's own text.
std::string shortened(const Error &error) {
    constexpr size_t kMaxMessageBytes = 1000;
    if (error.isStop || error.message.size() <= kMaxMessageBytes)
        return error.message;
    size_t end = kMaxMessageBytes;
    while (end > 0 && (static_cast<unsigned char>(error.message[end]) & 0xc0) == 0x80)
        --end; // not inside a UTF-8 character
    return error.message.substr(0, end) + "...";
}

std::string place(SourceSpan span, const SourceManager &sources) {
    LineColumn pos = sources.position(span.fileId, span.begin);
    return sources.name(span.fileId) + ":" + std::to_string(pos.line) + ":" + std::to_string(pos.column);
}

} // namespace

std::string render(const Error &error, const SourceManager &sources, Colour colour) {
    Painter paint{colour};
    std::string out = paint.bold("error", "1;31") + ": ";
    if (!error.operation.empty())
        out += error.operation + ": ";
    out += shortened(error) + "\n";
    if (error.where.known()) {
        out += " --> " + place(error.where, sources) + "\n";
        appendExcerpt(out, error, sources, paint);
    }
    for (const Note &note : error.notes) {
        out += "   = note: " + note.text;
        if (note.where.known())
            out += " at " + place(note.where, sources);
        out += "\n";
    }
    if (!error.hint.empty())
        out += "   = hint: " + error.hint + "\n";
    return out;
}

namespace {

char lowered(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; }
bool isDigit(char c) { return c >= '0' && c <= '9'; }

constexpr size_t kEdit = 2; ///< one character more, less, changed, or exchanged with its neighbour

/// Of a character too much or missing. Numbers tell names apart on purpose.
size_t costOfOneMore(char c) { return isDigit(c) ? 4 * kEdit : kEdit; }

size_t costOfChange(char a, char b) {
    if (a == b)
        return 0;
    return lowered(a) == lowered(b) ? kEdit / 2 : std::max(costOfOneMore(a), costOfOneMore(b));
}

/// How much must have gone wrong for a to become b.
size_t costOfMistakes(std::string_view a, std::string_view b) {
    std::vector<size_t> before, above(b.size() + 1), row(b.size() + 1);
    for (size_t j = 1; j <= b.size(); ++j)
        above[j] = above[j - 1] + costOfOneMore(b[j - 1]);
    for (size_t i = 1; i <= a.size(); ++i) {
        row[0] = above[0] + costOfOneMore(a[i - 1]);
        for (size_t j = 1; j <= b.size(); ++j) {
            row[j] = std::min({above[j] + costOfOneMore(a[i - 1]), row[j - 1] + costOfOneMore(b[j - 1]),
                               above[j - 1] + costOfChange(a[i - 1], b[j - 1])});
            if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1])
                row[j] = std::min(row[j], before[j - 2] + kEdit);
        }
        before = std::exchange(above, row);
    }
    return above.back();
}

bool areEqualButForCase(std::string_view a, std::string_view b) {
    return std::ranges::equal(a, b, {}, lowered, lowered);
}

/// Up to this cost a word is taken for another one. In a short word every letter counts: what has other letters is
/// another word.
size_t mostMistakes(std::string_view word, std::string_view candidate) {
    size_t length = std::min(word.size(), candidate.size()), more = std::max(word.size(), candidate.size()) - length;
    if (length < 3)
        return 0;
    // An ending too much or too little.
    if (length >= 4 && more <= 3 && areEqualButForCase(word.substr(0, length), candidate.substr(0, length)))
        return 3 * kEdit;
    bool isReplaced = length < 5 && word.size() == candidate.size() &&
                      !std::ranges::is_permutation(word, candidate, {}, lowered, lowered);
    return isReplaced ? 0 : length < 6 ? kEdit : length < 10 ? 2 * kEdit : 3 * kEdit;
}

} // namespace

std::string nearest(std::string_view word, const std::vector<std::string_view> &candidates) {
    if (word.size() > 64 || word.empty())
        return {};
    size_t best = ~size_t(0);
    std::string_view found;
    for (std::string_view c : candidates) {
        if (c == word || c.empty() || c.size() > 128)
            continue;
        // People rarely mistake the first letter.
        size_t cost = areEqualButForCase(word, c)
                          ? 0
                          : costOfMistakes(word, c) + (lowered(word[0]) != lowered(c[0]) ? kEdit / 2 : 0);
        bool isNear = cost == 0 || cost <= mostMistakes(word, c) + (mostMistakes(word, c) == kEdit ? kEdit / 2 : 0);
        if (isNear && cost < best) {
            best = cost;
            found = c;
        }
    }
    return std::string(found);
}

} // namespace daphne
