// SPDX-License-Identifier: Apache-2.0
/// ctable, recode, oneHot, bin, quantize.
#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <unordered_map>
#include <vector>

#include "base/Cancellable.h"
#include "data/CopyCells.h"
#include "data/CsrEntries.h"
#include "kernels/KernelTable.h"
#include "kernels/objects/CellText.h"
#include "kernels/relational/RowKeys.h"

namespace daphne {

namespace {

void needNumbers(const KernelCall &call, size_t i) {
    if (call.args[i].dense().type() == ValueType::Str)
        wrongArgument(call, i, "a numeric matrix");
}

// --------------------------------------------------------------------- ctable

/// Coordinates of a column, truncated. Throws on negative ones.
std::vector<int64_t> coordinates(const Dense &m) {
    std::vector<int64_t> out(m.rows());
    withNumericType(m.type(), [&]<class T>(TypeTag<T>) {
        auto v = m.view<T>();
        for (size_t r : cancellableRows(v)) {
            out[r] = convertNumber<int64_t>(v(r, 0));
            if (out[r] < 0 || v(r, 0) != v(r, 0))
                throw executionError("coordinates must not be negative or nan, got " + std::to_string(v(r, 0)) +
                                     " in row " + std::to_string(r));
        }
    });
    return out;
}

/// The given size, or one more than the greatest coordinate if it is negative.
size_t extent(int64_t given, const std::vector<int64_t> &c) {
    if (given >= 0)
        return static_cast<size_t>(given);
    return c.empty() ? 0 : static_cast<size_t>(*std::max_element(c.begin(), c.end())) + 1;
}

/// ctable(lhs, rhs [, weight] [, rows, cols])
Value ctable(KernelCall &call, const Dense &lhs, const Dense &rhs, std::span<const Value> rest) {
    needNumbers(call, 0);
    needNumbers(call, 1);
    if (lhs.cols() != 1 || rhs.cols() != 1 || lhs.rows() != rhs.rows())
        throw executionError("needs two columns of equal length, got " + lhs.shapeText() + " and " + rhs.shapeText());
    for (size_t i = 0; i < rest.size(); ++i)
        if (!rest[i].isScalar() || rest[i].isString())
            wrongArgument(call, i + 2, "a number");
    bool weighted = rest.size() % 2 == 1, sized = rest.size() >= 2;
    Value weight = weighted ? rest[0] : Value::scalar(1.0);
    auto r = coordinates(lhs), c = coordinates(rhs);
    size_t rows = extent(sized ? detail::FromValue<int64_t>::get(call, rest.size()) : -1, r);
    size_t cols = extent(sized ? detail::FromValue<int64_t>::get(call, rest.size() + 1) : -1, c);
    bool asCsr = (call.wantsCsr & 1) ||
                 call.context.representation.prefersCsr(weight.scalarType(), rows, cols, static_cast<double>(r.size()));
    return withNumericType(weight.scalarType(), [&]<class T>(TypeTag<T>) -> Value {
        Entries<T> pairs;
        pairs.single = weight.as<T>();
        auto forEachInside = [&](auto &&f) {
            for (size_t k : cancellable(r.size()))
                if (auto i = static_cast<size_t>(r[k]), j = static_cast<size_t>(c[k]); i < rows && j < cols)
                    f(i, j);
        };
        if (asCsr) {
            forEachInside([&](size_t i, size_t j) { pairs.add(i, j); });
            return csrFromEntries(pairs, weight.scalarType(), rows, cols, SamePlace::Add);
        }
        auto result = Dense::create(weight.scalarType(), rows, cols, Buffer::Init::Zero);
        auto out = result->template mutableView<T>();
        forEachInside([&](size_t i, size_t j) { out(i, j) = sumOfCells(out(i, j), pairs.single); });
        return result;
    });
}

// --------------------------------------------------------------------- recode

/// Ascending, NaN last.
template <class T> bool isLess(const T &a, const T &b) {
    if (a != a || b != b)
        return a == a;
    return a < b;
}

template <class T> std::array<Value, 2> recodeAs(const Dense &x, bool orderPreserving) {
    auto in = x.view<T>();
    relational::RowGroups groups = relational::groupRows(in.rows, {Ref<Dense>::share(&const_cast<Dense &>(x))});
    auto codes = Dense::create(ValueType::SI64, in.rows, 1);
    int64_t *out = codes->template mutableView<int64_t>().data;
    for (size_t r : cancellable(in.rows))
        out[r] = groups.idOfRow[r];
    std::vector<size_t> &first = groups.firstRow; // where each code's value is
    if (orderPreserving) {
        CancelCountdown look;
        std::vector<size_t> byValue(first.size());
        std::iota(byValue.begin(), byValue.end(), size_t(0));
        std::sort(byValue.begin(), byValue.end(), [&](size_t a, size_t b) {
            look.after(1);
            return isLess<T>(in(first[a], 0), in(first[b], 0));
        });
        std::vector<int64_t> rank(first.size());
        std::vector<size_t> sorted(first.size());
        for (size_t k : cancellable(byValue.size())) {
            rank[byValue[k]] = static_cast<int64_t>(k);
            sorted[k] = first[byValue[k]];
        }
        first = std::move(sorted);
        for (size_t r : cancellable(in.rows))
            out[r] = rank[static_cast<size_t>(out[r])];
    }
    auto dictionary = Dense::create(x.type(), first.size(), 1);
    T *values = dictionary->template mutableView<T>().data;
    for (size_t k : cancellable(first.size()))
        values[k] = in(first[k], 0);
    return {Value(codes), Value(dictionary)};
}

std::array<Value, 2> recode(KernelCall &, const Dense &x, bool orderPreserving) {
    if (x.cols() != 1)
        throw executionError("needs a matrix with one column, got " + x.shapeText());
    return withValueType(x.type(), [&]<class T>(TypeTag<T>) { return recodeAs<T>(x, orderPreserving); });
}

// --------------------------------------------------------------------- oneHot

constexpr int64_t kKeep = -1;

std::vector<int64_t> oneHotInfo(const Dense &x, const Dense &info) {
    if (info.rows() != 1 || info.cols() != x.cols())
        throw executionError("needs one info entry per column (1x" + std::to_string(x.cols()) + "), got " +
                             info.shapeText());
    auto row = converted(info, ValueType::SI64);
    std::vector<int64_t> entries(row->view<int64_t>().data, row->view<int64_t>().data + info.cols());
    for (int64_t d : entries)
        if (d < kKeep)
            throw executionError("info entries must be -1, 0 or a number of columns, got " + std::to_string(d));
    if (std::all_of(entries.begin(), entries.end(), [](int64_t d) { return d == 0; }))
        throw executionError("at least one column must be kept or encoded, but all info entries are 0");
    return entries;
}

/// Codes of one column: its values, or for strings their rank of first appearance.
template <class T> std::vector<int64_t> codesOf(const DenseView<const T> &x, size_t c) {
    std::vector<int64_t> codes(x.rows);
    if constexpr (std::is_same_v<T, std::string>) {
        std::unordered_map<std::string, int64_t> seen;
        for (size_t r : cancellableRows(x))
            codes[r] = seen.try_emplace(x(r, c), static_cast<int64_t>(seen.size())).first->second;
    } else {
        for (size_t r : cancellableRows(x))
            codes[r] = x(r, c) != x(r, c) ? -1 : convertNumber<int64_t>(x(r, c));
    }
    return codes;
}

/// What a message calls a cell.
template <class T> std::string codeText(const T &cell, int64_t code) {
    if constexpr (std::is_same_v<T, std::string>)
        return "the code " + std::to_string(code) + " of \"" + cell + "\"";
    else
        return "value " + printedText(cell);
}

/// Calls put(row, column, value) for all cells of the result that may be non-zero, column by column.
template <class T, class Out, class Put>
void encode(const DenseView<const T> &x, std::span<const int64_t> info, Put &&put) {
    size_t at = 0;
    for (size_t c = 0; c < x.cols; ++c) {
        if (info[c] == kKeep) {
            if constexpr (std::is_same_v<T, std::string>)
                throw executionError("a column of strings cannot be kept (column " + std::to_string(c) + ")");
            else
                for (size_t r : cancellableRows(x))
                    put(r, at, x(r, c));
            ++at;
        } else if (info[c] > 0) {
            auto codes = codesOf(x, c);
            for (size_t r : cancellableRows(x)) {
                if (codes[r] < 0 || codes[r] >= info[c])
                    throw executionError(codeText(x(r, c), codes[r]) + " in row " + std::to_string(r) + " of column " +
                                         std::to_string(c) + " is outside [0, " + std::to_string(info[c]) + ")");
                put(r, at + static_cast<size_t>(codes[r]), Out(1));
            }
            at += static_cast<size_t>(info[c]);
        }
    }
}

Value oneHot(KernelCall &call, const Dense &x, const Dense &info) {
    needNumbers(call, 1);
    auto columnInfo = oneHotInfo(x, info);
    size_t cols = 0;
    for (int64_t d : columnInfo)
        if (__builtin_add_overflow(cols, static_cast<size_t>(d == kKeep ? 1 : d), &cols))
            throw executionError("the result has too many columns");
    ValueType type = x.type() == ValueType::Str ? ValueType::SI64 : x.type();
    bool asCsr = (call.wantsCsr & 1) ||
                 call.context.representation.prefersCsr(type, x.rows(), cols, static_cast<double>(x.cells()));
    return withValueType(x.type(), [&]<class T>(TypeTag<T>) -> Value {
        using Out = std::conditional_t<std::is_same_v<T, std::string>, int64_t, T>;
        if (asCsr) {
            Entries<Out> entries;
            encode<T, Out>(x.view<T>(), columnInfo, [&](size_t r, size_t c, Out value) { entries.add(r, c, value); });
            return csrFromEntries(entries, type, x.rows(), cols, SamePlace::LastCounts);
        }
        auto result = Dense::create(type, x.rows(), cols, Buffer::Init::Zero);
        auto out = result->template mutableView<Out>();
        encode<T, Out>(x.view<T>(), columnInfo, [&](size_t r, size_t c, Out value) { out(r, c) = value; });
        return result;
    });
}

// ------------------------------------------------------------------------ bin

template <class T> struct BinBounds {
    T min, max;
};

/// Least and greatest cell, NaN ignored.
template <class T> BinBounds<T> boundsOf(const DenseView<const T> &x) {
    using Limits = std::numeric_limits<T>;
    BinBounds<T> b{Limits::has_infinity ? Limits::infinity() : Limits::max(),
                   Limits::has_infinity ? static_cast<T>(-Limits::infinity()) : Limits::lowest()};
    for (size_t r : cancellableRows(x))
        for (size_t c = 0; c < x.cols; ++c) {
            b.min = x(r, c) < b.min ? x(r, c) : b.min;
            b.max = x(r, c) > b.max ? x(r, c) : b.max;
        }
    return b;
}

template <class T> void checkBins(int64_t numBins, const BinBounds<T> &b) {
    auto range = [&] { return "from " + std::to_string(b.min) + " to " + std::to_string(b.max); };
    if (numBins <= 0)
        throw executionError("the number of bins must be positive, got " + std::to_string(numBins));
    if constexpr (std::is_floating_point_v<T>)
        if (!std::isfinite(b.min) || !std::isfinite(b.max))
            throw executionError("the bounds must be finite, got " + range());
    if (b.min > b.max)
        throw executionError("min must not be greater than max, got bounds " + range());
    if (b.min == b.max && numBins > 1)
        throw executionError("an empty range cannot be cut into " + std::to_string(numBins) + " bins, got bounds " +
                             range());
}

/// The difference in the cells' own type, wrapping for integers.
template <class T> T difference(T a, T b) {
    if constexpr (std::is_same_v<T, bool>)
        return a && !b;
    else if constexpr (std::is_integral_v<T>)
        return static_cast<T>(static_cast<std::make_unsigned_t<T>>(a) - static_cast<std::make_unsigned_t<T>>(b));
    else
        return a - b;
}

template <class T> T binOf(T v, const BinBounds<T> &b, double binSize, int64_t numBins) {
    if (b.min == b.max || v <= b.min)
        return T(0);
    if (v != v)
        return v;
    double bin = std::ceil(static_cast<double>(difference(v, b.min)) / binSize) - 1;
    // Differences that wrapped (v far beyond max) belong to the last bin, like everything beyond max.
    if (v >= b.max)
        bin = static_cast<double>(numBins - 1);
    return convertNumber<T>(std::clamp(bin, 0.0, static_cast<double>(numBins - 1)));
}

/// bin(arg, numBins [, min, max])
Value bin(KernelCall &call, const Dense &x, int64_t numBins, std::span<const Value> bounds) {
    needNumbers(call, 0);
    if (!bounds.empty() && bounds.size() != 2)
        throw executionError("needs both min and max, or neither");
    for (size_t i = 0; i < bounds.size(); ++i)
        if (!bounds[i].isScalar() || bounds[i].isString())
            wrongArgument(call, i + 2, "a number");
    return withNumericType(x.type(), [&]<class T>(TypeTag<T>) -> Value {
        auto in = x.view<T>();
        BinBounds<T> b = bounds.empty() ? boundsOf(in) : BinBounds<T>{bounds[0].as<T>(), bounds[1].as<T>()};
        checkBins(numBins, b);
        double binSize = static_cast<double>(difference(b.max, b.min)) / static_cast<double>(numBins);
        auto result = call.reuseOrCreate(0, x.type(), x.rows(), x.cols());
        auto out = result->template mutableView<T>();
        for (size_t r : cancellableRows(in))
            for (size_t c = 0; c < in.cols; ++c)
                out(r, c) = binOf(in(r, c), b, binSize, numBins);
        return result;
    });
}

// ------------------------------------------------------------------- quantize

Value quantize(KernelCall &call, const Dense &x, double min, double max) {
    needNumbers(call, 0);
    float lo = std::min(static_cast<float>(min), 0.0f), hi = std::max(static_cast<float>(max), 0.0f);
    float scale = (hi - lo) / 256;
    auto toByte = [](float v) { return std::round(std::clamp(v, 0.0f, 255.0f)); };
    float zero = toByte(255 - hi / scale);
    auto in = converted(x, ValueType::F32);
    auto cells = in->view<float>();
    auto result = Dense::create(ValueType::UI8, x.rows(), x.cols());
    auto out = result->mutableView<uint8_t>();
    for (size_t r : cancellableRows(cells))
        for (size_t c = 0; c < cells.cols; ++c)
            out(r, c) = convertNumber<uint8_t>(toByte(zero + cells(r, c) / scale));
    return result;
}

} // namespace

void addPreprocessing(KernelTable &t) {
    t.add<&ctable>("ctable");
    t.add<&recode>("recode");
    t.add<&oneHot>("oneHot");
    t.add<&bin>("bin");
    t.add<&quantize>("quantize");
}

} // namespace daphne
