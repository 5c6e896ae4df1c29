// SPDX-License-Identifier: Apache-2.0
#include "engine/interactive/Display.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstdio>
#include <deque>
#include <functional>
#include <vector>

#include "base/Utf8.h"
#include "data/Csr.h"
#include "data/Sequence.h"
#include "kernels/csr/CsrParts.h"
#include "kernels/objects/CellText.h"

namespace daphne::engine {

namespace {

constexpr size_t kMostRows = 10, kEndRows = 5; ///< of more rows only those at both ends are shown
constexpr size_t kMostCharacters = 32;         ///< of a cell
constexpr size_t kIndent = 2, kGap = 2;
constexpr std::string_view kEllipsis = "…";

size_t widthOf(std::string_view text) {
    size_t characters = 0;
    forEachCharacter(text, [&](uint32_t) { ++characters; });
    return characters;
}

/// Control characters as in string literals, so that a cell stays on its line.
std::string escaped(std::string_view text, bool quotes) {
    std::string out;
    for (char c : text) {
        switch (c) {
        case '\n': out += "\\n"; break;
        case '\t': out += "\\t"; break;
        case '\r': out += "\\r"; break;
        case '"': out += quotes ? "\\\"" : "\""; break;
        case '\\': out += quotes ? "\\\\" : "\\"; break;
        default: out += static_cast<unsigned char>(c) < 0x20 || c == 0x7f ? '?' : c;
        }
    }
    return out;
}

std::string shortened(std::string text) {
    if (widthOf(text) <= kMostCharacters)
        return text;
    size_t end = 0;
    for (size_t characters = 0; end < text.size(); ++end)
        if ((static_cast<unsigned char>(text[end]) & 0xc0) != 0x80 && characters++ == kMostCharacters - 1)
            break;
    return text.substr(0, end) + std::string(kEllipsis);
}

/// The fewest digits that read back equal.
template <class T> std::string shortestText(T x) {
    char text[400];
    auto form = x == 0 || (std::abs(x) >= T(1e-5) && std::abs(x) < T(1e16)) ? std::chars_format::fixed
                                                                            : std::chars_format::scientific;
    return {text, std::to_chars(text, text + sizeof text, x, form).ptr};
}

std::string scalarText(const Value &x) {
    if (x.isString())
        return '"' + escaped(x.text(), true) + '"';
    if (x.scalarType() == ValueType::Bool)
        return x.as<bool>() ? "true" : "false";
    return withNumericType(x.scalarType(), [&]<class T>(TypeTag<T>) -> std::string {
        if constexpr (std::is_floating_point_v<T>)
            return std::isfinite(x.as<T>()) ? shortestText(x.as<T>()) : printedText(x.as<T>());
        else
            return printedText(x.as<T>());
    });
}

template <class T> std::string cellText(const T &cell) {
    if constexpr (std::is_same_v<T, std::string>)
        return shortened(escaped(cell, false));
    else
        return printedText(cell);
}

std::string cellText(const Matrix &m, size_t r, size_t c) {
    if (!m.isCsr())
        return withValueType(
            m.type(), [&]<class T>(TypeTag<T>) { return cellText<T>(static_cast<const Dense &>(m).view<T>()(r, c)); });
    const auto &sparse = static_cast<const Csr &>(m);
    uint64_t k = lowerBound(sparse, r, c);
    return withNumericType(m.type(), [&]<class T>(TypeTag<T>) {
        return withIndexType(sparse.hasWideIndex(), [&]<class I>(TypeTag<I>) {
            auto view = sparse.view<T, I>();
            bool isStored = k < view.offsets[r + 1] && view.columns[k] == c;
            return cellText<T>(isStored ? view.value(k) : T(0));
        });
    });
}

std::string padded(const std::string &text, size_t width, bool left) {
    std::string blanks(width - std::min(width, widthOf(text)), ' ');
    return left ? text + blanks : blanks + text;
}

struct Column {
    std::vector<std::string> cells; ///< of the shown rows, under the heading
    size_t width = 0;
    bool isText = false;
};

/// What a table is made of: `cell(r, c)` is called for shown rows only.
struct Table {
    size_t rows, cols;
    std::function<std::string(size_t r, size_t c)> cell;
    std::function<bool(size_t c)> isText;
    std::function<std::vector<std::string>(size_t c)> heading;
};

std::vector<size_t> shownRows(size_t rows) {
    std::vector<size_t> shown;
    for (size_t r = 0; r < rows; ++r) {
        if (rows > kMostRows && r == kEndRows)
            r = rows - kEndRows;
        shown.push_back(r);
    }
    return shown;
}

Column columnOf(const Table &table, size_t c, const std::vector<size_t> &rows) {
    Column column{table.heading(c), 0, table.isText(c)};
    for (size_t r : rows)
        column.cells.push_back(table.cell(r, c));
    for (const std::string &cell : column.cells)
        column.width = std::max(column.width, widthOf(cell));
    return column;
}

/// Columns from the left and from the right in turn, as many as fit; then `isCut` and a column of ellipses belongs
/// behind the first `numLeft`.
struct ShownColumns {
    std::deque<Column> columns;
    size_t numLeft = 0;
    bool isCut = false;
};

ShownColumns fittingColumns(const Table &table, const std::vector<size_t> &rows, size_t width) {
    ShownColumns shown;
    std::vector<Column> left, right;
    size_t used = kIndent;
    for (size_t next = 0; next < table.cols; ++next) {
        bool isLeft = next % 2 == 0;
        Column column = columnOf(table, isLeft ? next / 2 : table.cols - 1 - next / 2, rows);
        size_t more = column.width + (next > 0 ? kGap : 0);
        size_t forEllipsis = next + 1 < table.cols ? kGap + 1 : 0;
        if (next > 0 && used + more + forEllipsis > width) {
            shown.isCut = true;
            break;
        }
        used += more;
        (isLeft ? left : right).push_back(std::move(column));
    }
    shown.numLeft = left.size();
    std::move(left.begin(), left.end(), std::back_inserter(shown.columns));
    std::move(right.rbegin(), right.rend(), std::back_inserter(shown.columns));
    return shown;
}

std::string tableText(const Table &table, size_t width) {
    if (table.cols == 0)
        return "";
    auto rows = shownRows(table.rows);
    ShownColumns shown = fittingColumns(table, rows, width);
    size_t numLines = shown.columns[0].cells.size(), numHeadings = numLines - rows.size();
    std::string out;
    for (size_t line = 0; line < numLines; ++line) {
        if (table.rows > kMostRows && line == numHeadings + kEndRows)
            out += std::string(kIndent, ' ') + "⋮ " + std::to_string(table.rows - 2 * kEndRows) + " more rows\n";
        std::string text(kIndent, ' ');
        for (size_t c = 0; c < shown.columns.size(); ++c) {
            if (c > 0)
                text += std::string(kGap, ' ');
            if (shown.isCut && c == shown.numLeft)
                text += std::string(kEllipsis) + std::string(kGap, ' ');
            text += padded(shown.columns[c].cells[line], shown.columns[c].width, shown.columns[c].isText);
        }
        if (shown.isCut && shown.numLeft == shown.columns.size())
            text += std::string(kGap, ' ') + std::string(kEllipsis);
        out += text.substr(0, text.find_last_not_of(' ') + 1) + "\n";
    }
    return out;
}

std::string shareText(const Csr &m) {
    double share = m.cells() ? 100.0 * static_cast<double>(m.nonZeros()) / static_cast<double>(m.cells()) : 0;
    char text[32];
    std::snprintf(text, sizeof text, share > 0 && share < 1 ? "%.1g%% non-zero" : "%.0f%% non-zero", share);
    return text;
}

std::string matrixSummary(const Matrix &m) {
    return m.shapeText() + " matrix, " + std::string(dslName(m.type())) +
           (m.isCsr() ? ", " + shareText(static_cast<const Csr &>(m)) : "");
}

std::string listText(const Sequence &list) {
    std::string out;
    size_t n = list.elements.size();
    for (size_t i = 0; i < n; ++i) {
        if (n > kMostRows && i == kEndRows) {
            out += std::string(kIndent, ' ') + "⋮ " + std::to_string(n - 2 * kEndRows) + " more elements\n";
            i = n - kEndRows;
        }
        out += std::string(kIndent, ' ') + summaryText(list.elements[i]) + "\n";
    }
    return out;
}

std::string matrixText(const Matrix &m, size_t width) {
    bool isText = m.type() == ValueType::Str;
    return tableText({m.rows(), m.cols(), [&](size_t r, size_t c) { return cellText(m, r, c); },
                      [=](size_t) { return isText; }, [](size_t) { return std::vector<std::string>(); }},
                     width);
}

std::string frameText(const Frame &f, size_t width) {
    return tableText({f.rows(), f.cols(), [&](size_t r, size_t c) { return cellText(*f.columns[c], r, 0); },
                      [&](size_t c) { return f.columns[c]->type() == ValueType::Str; },
                      [&](size_t c) {
                          return std::vector<std::string>{shortened(escaped(f.labels[c], false)),
                                                          std::string(dslName(f.columns[c]->type()))};
                      }},
                     width);
}

} // namespace

std::string summaryText(const Value &value) {
    if (isFunction(value))
        return sequenceOf(value).elements[0].text();
    switch (value.kind()) {
    case ValueKind::Scalar: return scalarText(value);
    case ValueKind::Matrix: return matrixSummary(value.matrix());
    case ValueKind::Frame: return value.frame().shapeText() + " frame";
    case ValueKind::List: return "list of " + std::to_string(sequenceOf(value).elements.size());
    default: return "nothing";
    }
}

std::string displayText(const Value &value, size_t width) {
    std::string out = summaryText(value) + "\n";
    switch (value.kind()) {
    case ValueKind::Matrix: return out + matrixText(value.matrix(), width);
    case ValueKind::Frame: return out + frameText(value.frame(), width);
    case ValueKind::List: return out + listText(sequenceOf(value));
    default: return out;
    }
}

} // namespace daphne::engine
