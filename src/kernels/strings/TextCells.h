// SPDX-License-Identifier: Apache-2.0
/// Functions of texts, cell by cell: what is written is a function of single
/// values, what is added to the kernel table works on scalars, matrices and frames
/// with one column, spread over each other:
///
///     bool contains(std::string_view s, std::string_view t);
///     void trim(std::string &out, std::string_view s);        // out is empty
///     t.add<&onCells<&contains>>("contains");
///
/// Parameters: std::string_view, int64_t (any number without a fraction), const
/// Regex & (a pattern). Results: bool, int64_t, double, or a text that is appended
/// to the first parameter. Functions throw executionError(...); the place of the cell is
/// added to the message. A column of codes is computed once per different text.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <tuple>

#include "base/Cancellable.h"
#include "base/Regex.h"
#include "data/Value.h"
#include "kernels/KernelTable.h"
#include "kernels/RowBlocks.h"
#include "kernels/elementwise/Broadcast.h"

namespace daphne {

/// Argument i, a frame with one column as that column. Throws if it is nothing that has cells.
Value cellsOfArgument(const KernelCall &call, size_t i);

/// The shape all of them are spread over.
MatrixShape spreadShape(const KernelCall &call, std::span<const Value> args);

/// " at row 3, column 0"
void addPlace(Error &error, size_t row, size_t col);

/// Where the cell of an operand is that belongs to a cell of the result.
struct Steps {
    size_t row = 0, col = 0;
    Steps() = default;
    /// Of a matrix whose rows are `skip` cells apart.
    Steps(const Dense &m, size_t skip, MatrixShape result)
        : row(m.rows() == result.rows && m.rows() > 1 ? skip : 0), col(m.cols() == result.cols && m.cols() > 1) {}
    size_t at(size_t r, size_t c) const { return r * row + c * col; }
};

/// Argument i of a call as cells for a parameter of type T.
template <class T> class CellsFor;

template <> class CellsFor<std::string_view> {
  public:
    CellsFor(const KernelCall &call, size_t i, const Value &v, MatrixShape result);
    std::string_view at(size_t r, size_t c) const {
        size_t k = steps.at(r, c);
        return codes ? (*codes->dictionary)[codes->view.data[k]] : std::string_view(texts[k]);
    }
    /// A column of codes that is as long as the result.
    const Dense::Codes *wholeColumn() const { return codes && steps.row != 0 ? &*codes : nullptr; }

  private:
    const std::string *texts = nullptr;
    std::optional<Dense::Codes> codes;
    Steps steps;
};

template <> class CellsFor<int64_t> {
  public:
    CellsFor(const KernelCall &call, size_t i, const Value &v, MatrixShape result);
    int64_t at(size_t r, size_t c) const { return numbers ? numbers[steps.at(r, c)] : single; }

  private:
    Value converted; ///< keeps the numbers
    const int64_t *numbers = nullptr;
    int64_t single = 0;
    Steps steps;
};

template <> class CellsFor<const Regex &> {
  public:
    CellsFor(const KernelCall &call, size_t i, const Value &v, MatrixShape result)
        : patterns(call, i, v, result), single(v.isScalar() ? Regex::of(v.text()) : nullptr) {}
    /// Valid until the thread asks for the next one.
    const Regex &at(size_t r, size_t c) const { return single ? *single : *Regex::of(patterns.at(r, c)); }

  private:
    CellsFor<std::string_view> patterns;
    std::shared_ptr<const Regex> single;
};

namespace detail {

/// What a column of codes is computed from: one text instead of the cells of operand `varying`.
struct OneText {
    size_t varying;
    std::string_view text;
};

template <class T> decltype(auto) cellAt(const CellsFor<T> &cells, size_t i, size_t r, size_t c, const OneText *one) {
    if constexpr (std::is_same_v<T, std::string_view>)
        if (one && i == one->varying)
            return one->text;
    return cells.at(r, c);
}

/// f of every text of a column, once per different one.
Value columnOfCodes(const Dense::Codes &codes, const std::function<void(std::string &, std::string_view)> &f);

template <class R, class... P> class TextLoop {
  public:
    using Args = std::tuple<CellsFor<P>...>;
    static constexpr bool kMakesText = std::is_same_v<R, std::string>;

    template <class F> static Value run(KernelCall &call, F &&f) {
        std::array<Value, sizeof...(P)> values;
        for (size_t i = 0; i < sizeof...(P); ++i)
            values[i] = cellsOfArgument(call, i);
        MatrixShape shape = spreadShape(call, values);
        return run(call, f, values, shape, std::index_sequence_for<P...>{});
    }

  private:
    template <class F, size_t... I>
    static Value run(KernelCall &call, F &f, std::span<const Value> values, MatrixShape shape,
                     std::index_sequence<I...>) {
        Args args{CellsFor<P>(call, I, values[I], shape)...};
        auto compute = [&](size_t r, size_t c, const OneText *one, auto &out) {
            if constexpr (kMakesText)
                f(out, cellAt<P>(std::get<I>(args), I, r, c, one)...);
            else
                out = f(cellAt<P>(std::get<I>(args), I, r, c, one)...);
        };
        if ((values[I].isScalar() && ...)) {
            R out{};
            compute(0, 0, nullptr, out);
            if constexpr (kMakesText)
                return Value::string(std::move(out));
            else
                return Value::scalar(out);
        }
        size_t numMatrices = (size_t(values[I].isMatrix()) + ...);
        if (numMatrices == 1 && shape.cols == 1) {
            const Dense::Codes *codes = nullptr;
            size_t varying = 0;
            auto look = [&](size_t i, const auto &cells) {
                if constexpr (requires { cells.wholeColumn(); })
                    if (const auto *found = cells.wholeColumn())
                        codes = found, varying = i;
            };
            (look(I, std::get<I>(args)), ...);
            if (codes)
                return perText(*codes, varying, compute);
        }
        return perCell(call, shape, compute);
    }

    /// Once per different text.
    template <class Compute> static Value perText(const Dense::Codes &codes, size_t varying, Compute &compute) {
        if constexpr (kMakesText) {
            return columnOfCodes(codes, [&](std::string &out, std::string_view text) {
                OneText one{varying, text};
                compute(0, 0, &one, out);
            });
        } else {
            auto result = Dense::create(valueTypeOf<R>(), codes.view.rows, 1);
            R *out = result->template mutableView<R>().data;
            std::vector<uint8_t> isKnown(codes.dictionary->size());
            std::unique_ptr<R[]> table(new R[isKnown.size()]);
            for (size_t r : cancellableRows(codes.view)) {
                uint32_t code = codes.view(r, 0);
                if (!isKnown[code]) {
                    OneText one{varying, (*codes.dictionary)[code]};
                    atPlace(r, 0, [&] { compute(0, 0, &one, table[code]); });
                    isKnown[code] = 1;
                }
                out[r] = table[code];
            }
            return result;
        }
    }

    template <class Compute> static Value perCell(KernelCall &call, MatrixShape shape, Compute &compute) {
        constexpr double kNsPerCell = 40;
        auto result = Dense::create(valueTypeOf<R>(), shape.rows, shape.cols);
        auto out = result->template mutableView<R>();
        double serialNs = kNsPerCell * static_cast<double>(shape.cells());
        forRows(call.context, {.site = call.mnemonic(), .rows = shape.rows, .serialNs = serialNs},
                [&](uint64_t begin, uint64_t end, uint32_t) {
                    size_t r = begin, c = 0;
                    CancelCountdown look;
                    try {
                        for (; r < end; ++r)
                            for (c = 0; c < shape.cols; ++c, look.after(1))
                                compute(r, c, nullptr, out(r, c));
                    } catch (Error &error) {
                        addPlace(error, r, c);
                        throw;
                    }
                });
        return result;
    }

    template <class Body> static void atPlace(size_t r, size_t c, Body &&body) {
        try {
            body();
        } catch (Error &error) {
            addPlace(error, r, c);
            throw;
        }
    }
};

template <auto F, class R, class... P> Value runOnCells(KernelCall &call, R (*)(P...)) {
    return TextLoop<R, P...>::run(call, [](P... args) { return F(args...); });
}
template <auto F, class... P> Value runOnCells(KernelCall &call, void (*)(std::string &, P...)) {
    return TextLoop<std::string, P...>::run(call, [](std::string &out, P... args) { F(out, args...); });
}

} // namespace detail

/// The kernel of a function of single values.
template <auto F> Value onCells(KernelCall &call, std::span<const Value>) { return detail::runOnCells<F>(call, F); }

} // namespace daphne
