// SPDX-License-Identifier: Apache-2.0
/// Texts as numbers and values as texts: parseNum, parseInt, isNum, toStr, format.
#include <charconv>
#include <cstdlib>
#include <limits>

#include "kernels/RawCells.h"
#include "kernels/strings/TextCells.h"
#include "kernels/strings/ValueText.h"

namespace daphne {

namespace {

/// Decimal numbers, inf and nan with a sign or none. Blanks are no part of a number.
bool readNumber(std::string_view s, double &x) {
    if (s.starts_with('+') && !s.starts_with("+-"))
        s.remove_prefix(1);
    auto [end, problem] = std::from_chars(s.data(), s.data() + s.size(), x);
    if (s.empty() || end != s.data() + s.size() || s.back() == ')')
        return false;
    if (problem == std::errc::result_out_of_range) { // too large, or too close to zero
        std::string text(s);
        x = std::strtod(text.c_str(), nullptr);
        return true;
    }
    return problem == std::errc();
}

bool isNum(std::string_view s) {
    double x;
    return readNumber(s, x);
}

double parseNum(std::string_view s) {
    double x;
    return readNumber(s, x) ? x : std::numeric_limits<double>::quiet_NaN();
}

int64_t parseInt(std::string_view s, int64_t base) {
    if (base < 2 || base > 36)
        throw executionError("parseInt: a base is between 2 and 36, got " + std::to_string(base));
    std::string_view digits = s;
    if (digits.starts_with('+') && !digits.starts_with("+-"))
        digits.remove_prefix(1);
    int64_t x = 0;
    auto [end, problem] = std::from_chars(digits.data(), digits.data() + digits.size(), x, static_cast<int>(base));
    std::string shown = '"' + std::string(s.substr(0, 60)) + (s.size() > 60 ? "...\"" : "\"");
    if (problem == std::errc::result_out_of_range)
        throw executionError("parseInt: " + shown + " is out of the range of si64");
    if (problem != std::errc() || end != digits.data() + digits.size())
        throw executionError("parseInt: " + shown + " is no integer" +
                             (base == 10 ? "" : " to the base " + std::to_string(base)))
            .withHint("parseNum(s) gives nan instead");
    return x;
}

/// Cells of any type, as texts are made of them.
class AnyCells {
  public:
    AnyCells(const KernelCall &call, size_t i, const Value &v, MatrixShape result)
        : valueType(v.valueType()),
          texts(v.valueType() == ValueType::Str
                    ? std::optional<CellsFor<std::string_view>>(std::in_place, call, i, v, result)
                    : std::nullopt) {
        if (texts)
            return;
        if (v.isScalar()) {
            storeScalar(v, valueType, single);
            numbers = single;
        } else {
            auto cells = rawCells(v.dense());
            numbers = cells.data;
            cellBytes = cells.cellBytes;
            steps = {v.dense(), v.dense().skip(), result};
        }
    }
    AnyCells(const AnyCells &) = delete; // points into itself
    CellRef at(size_t r, size_t c) const {
        if (texts)
            return {ValueType::Str, nullptr, texts->at(r, c)};
        return {valueType, numbers + steps.at(r, c) * cellBytes, {}};
    }
    ValueType type() const { return valueType; }

  private:
    ValueType valueType;
    std::optional<CellsFor<std::string_view>> texts;
    alignas(8) std::byte single[8] = {};
    const std::byte *numbers = nullptr;
    size_t cellBytes = 0;
    Steps steps;
};

/// make(out, r, c) for every cell of the result.
template <class Make> Value textsOf(KernelCall &call, std::span<const Value> values, MatrixShape shape, Make &&make) {
    bool anyMatrix = false;
    for (const Value &v : values)
        anyMatrix |= v.isMatrix();
    if (!anyMatrix) {
        std::string out;
        make(out, 0, 0);
        return Value::string(std::move(out));
    }
    constexpr double kNsPerCell = 100;
    auto result = Dense::create(ValueType::Str, shape.rows, shape.cols);
    auto out = result->mutableView<std::string>();
    forRows(call.context,
            {.site = call.mnemonic(), .rows = shape.rows, .serialNs = kNsPerCell * static_cast<double>(shape.cells())},
            [&](uint64_t begin, uint64_t end, uint32_t) {
                for (size_t r = begin; r < end; ++r)
                    for (size_t c = 0; c < shape.cols; ++c)
                        make(out(r, c), r, c);
            });
    return result;
}

Value toStr(KernelCall &call, std::span<const Value> args) {
    std::vector<Value> values;
    for (size_t i = 0; i < args.size(); ++i)
        values.push_back(cellsOfArgument(call, i));
    MatrixShape shape = spreadShape(call, values);
    AnyCells cells(call, 0, values[0], shape);
    if (values.size() == 1)
        return textsOf(call, values, shape,
                       [&](std::string &out, size_t r, size_t c) { appendText(out, cells.at(r, c)); });
    CellsFor<int64_t> digits(call, 1, values[1], shape);
    return textsOf(call, values, shape, [&](std::string &out, size_t r, size_t c) {
        int64_t n = digits.at(r, c);
        if (n < 1 || n > 17)
            throw executionError("toStr: digits are 1 to 17, got " + std::to_string(n));
        appendSignificant(out, cells.at(r, c), static_cast<int>(n));
    });
}

Value format(KernelCall &call, std::span<const Value> args) {
    std::vector<Value> values;
    for (size_t i = 0; i < args.size(); ++i)
        values.push_back(cellsOfArgument(call, i));
    MatrixShape shape = spreadShape(call, values);
    CellsFor<std::string_view> patterns(call, 0, values[0], shape);
    std::vector<std::unique_ptr<AnyCells>> cells;
    for (size_t i = 1; i < values.size(); ++i)
        cells.push_back(std::make_unique<AnyCells>(call, i, values[i], shape));
    auto parsed = [&](std::string_view pattern) {
        std::vector<ops::FormatPiece> pieces = ops::parseFormat(pattern, cells.size());
        for (const ops::FormatPiece &piece : pieces)
            if (piece.value != ops::FormatPiece::kText)
                ops::checkFormat(piece.spec, cells[piece.value]->type());
        return pieces;
    };
    auto write = [&](std::string &out, const std::vector<ops::FormatPiece> &pieces, size_t r, size_t c) {
        for (const ops::FormatPiece &piece : pieces)
            if (piece.value == ops::FormatPiece::kText)
                out += piece.text;
            else
                appendFormatted(out, piece.spec, cells[piece.value]->at(r, c));
    };
    if (values[0].isScalar()) {
        auto pieces = parsed(patterns.at(0, 0));
        return textsOf(call, values, shape, [&](std::string &out, size_t r, size_t c) { write(out, pieces, r, c); });
    }
    return textsOf(call, values, shape,
                   [&](std::string &out, size_t r, size_t c) { write(out, parsed(patterns.at(r, c)), r, c); });
}

} // namespace

void addTextNumbers(KernelTable &t) {
    t.add<&onCells<&isNum>>("isNum");
    t.add<&onCells<&parseNum>>("parseNum");
    t.add<&onCells<&parseInt>>("parseInt");
    t.add<&toStr>("toStr");
    t.add<&format>("format");
}

} // namespace daphne
