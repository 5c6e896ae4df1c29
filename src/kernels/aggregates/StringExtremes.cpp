// SPDX-License-Identifier: Apache-2.0
#include "kernels/aggregates/StringExtremes.h"

#include "base/Cancellable.h"
#include "base/Error.h"

namespace daphne {

namespace {

using Strings = DenseView<const std::string>;

/// The first of the best ones in a part of the cells.
const std::string &best(Extreme extreme, const Strings &x, size_t r0, size_t r1, size_t c0, size_t c1) {
    const std::string *found = &x(r0, c0);
    CancelCountdown look;
    for (size_t r = r0; r < r1; ++r)
        for (size_t c = c0; c < c1; ++c) {
            look.after(1);
            if (extreme == Extreme::Min ? x(r, c) < *found : x(r, c) > *found)
                found = &x(r, c);
        }
    return *found;
}

} // namespace

Value extremeOfStrings(Extreme extreme, Cells over, const Dense &m) {
    auto x = m.view<std::string>();
    size_t numResults = over == Cells::All ? 1 : over == Cells::PerRow ? x.rows : x.cols;
    if (m.cells() == 0 && numResults > 0)
        throw executionError("no cells have no smallest and no largest string: the matrix is " + m.shapeText());
    if (over == Cells::All)
        return Value::string(best(extreme, x, 0, x.rows, 0, x.cols));
    bool rows = over == Cells::PerRow;
    auto result = Dense::create(ValueType::Str, rows ? numResults : 1, rows ? 1 : numResults);
    auto out = result->mutableView<std::string>();
    for (size_t i = 0; i < numResults; ++i)
        out.data[i] = rows ? best(extreme, x, i, i + 1, 0, x.cols) : best(extreme, x, 0, x.rows, i, i + 1);
    return result;
}

} // namespace daphne
