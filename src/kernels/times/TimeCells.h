// SPDX-License-Identifier: Apache-2.0
/// Cells of dates, timestamps, durations and numbers as 64-bit integers, under
/// broadcasting: what kernels for times compute with. nat is calendar::kNat whatever
/// the type is stored as.
#pragma once

#include "base/Calendar.h"
#include "kernels/strings/TextCells.h"

namespace daphne {

class TimeCells {
  public:
    /// In which unit dates come; other types come as they are stored.
    enum class Dates : uint8_t { AsDays, AsMicros };
    TimeCells(const Value &v, MatrixShape result, Dates dates = Dates::AsDays);
    TimeCells(const TimeCells &) = delete; // may point into itself

    int64_t at(size_t r, size_t c) const {
        size_t k = steps.at(r, c);
        if (!isNarrow)
            return static_cast<const int64_t *>(cells)[k];
        int32_t x = static_cast<const int32_t *>(cells)[k];
        return x == calendar::kNatDate ? calendar::kNat : x * scale;
    }

  private:
    Value kept;
    const void *cells = nullptr;
    alignas(8) std::byte single[8] = {};
    bool isNarrow = false;
    int64_t scale = 1;
    Steps steps;
};

/// Checks and stores results: kNat and what the type can hold; throws Error (status 3) for anything beyond.
int64_t checkedTime(int64_t x, ValueType type);

/// A scalar of type T, a time or a number, of a 64-bit integer.
Value timeScalar(int64_t x, ValueType type);

/// Calls f(r, c) -> int64_t for every cell of the result, which has the given type: a time or SI64.
template <class F> Value makeTimes(KernelCall &call, bool isScalar, MatrixShape shape, ValueType type, F &&f) {
    if (isScalar)
        return timeScalar(checkedTime(f(0, 0), type), type);
    auto result = Dense::create(type, shape.rows, shape.cols);
    constexpr double kNsPerCell = 5;
    auto fill = [&](auto out) {
        using T = std::remove_pointer_t<decltype(out.data)>;
        double serialNs = kNsPerCell * static_cast<double>(shape.cells());
        forRows(call.context, {.site = call.mnemonic(), .rows = shape.rows, .serialNs = serialNs},
                [&](uint64_t begin, uint64_t end, uint32_t) {
                    size_t r = begin, c = 0;
                    try {
                        for (; r < end; ++r)
                            for (c = 0; c < shape.cols; ++c) {
                                int64_t x = checkedTime(f(r, c), type);
                                bool isNat = sizeof(T) == 4 && x == calendar::kNat;
                                out(r, c) = isNat ? std::numeric_limits<T>::min() : static_cast<T>(x);
                            }
                    } catch (Error &error) {
                        addPlace(error, r, c);
                        throw;
                    }
                });
    };
    if (type == ValueType::Date)
        fill(result->mutableView<int32_t>());
    else
        fill(result->mutableView<int64_t>());
    return result;
}

} // namespace daphne
