// SPDX-License-Identifier: Apache-2.0
/// Nulls of frames. A frame has cells only; which of them stand for nulls says a
/// column beside them, the null indicator: that of column x is labelled
/// "x IS NOT NULL" and is 1 where the cell is there, 0 where it is null. The cell
/// of a null is 0, NaN or "". Files and queries know what indicators mean; for
/// everything else they are columns like any other, so that filters, joins and
/// concatenations keep nulls without knowing of them.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "data/Value.h"

namespace daphne {

/// "x IS NOT NULL".
std::string indicatorLabel(std::string_view label);

/// The column whose indicator would have this label, "" if it is no such label. Blanks and case of the words do not
/// count: the results of a query "SELECT t.x, t.x IS NOT NULL" are a column and its indicator.
std::string_view columnOfIndicator(std::string_view label);

constexpr size_t kNoIndicator = ~size_t(0);

/// Of every column the position of its indicator, or kNoIndicator. Indicators are of integers or bool (or of a type not
/// known yet) and have none themselves.
std::vector<size_t> findIndicators(const std::vector<std::string> &labels, const std::vector<ValueType> &types);
std::vector<size_t> findIndicators(const Frame &frame);

} // namespace daphne
