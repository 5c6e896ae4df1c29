// SPDX-License-Identifier: Apache-2.0
/// Frames and formats with nulls: what is null in the file is a null indicator
/// (data/NullIndicator.h) in the frame.
#pragma once

#include <string>
#include <vector>

#include "io/FormatTable.h"

namespace daphne::io {

/// A column to be written. Indicators are no columns of their own.
struct NullableColumn {
    std::string label;
    Ref<Dense> cells;
    Ref<Dense> there; ///< of bool, 0 where the cell is null; none: no cell is null
};

std::vector<NullableColumn> nullableColumns(const Frame &frame);

/// The indicators of a file while it is read. All say null first.
class NullIndicators {
  public:
    NullIndicators() = default;
    /// Of the columns with these labels and types those that are wanted. Times have none: nat tells.
    NullIndicators(const ReadJob &job, const std::vector<std::string> &labels, const std::vector<ValueType> &types,
                   size_t rows);
    /// The column has become one of times.
    void forget(const std::string &label);
    /// Where it is to be noted which cells of a column are there; null: nowhere.
    bool *of(size_t column) const { return column < cells.size() ? cells[column] : nullptr; }
    /// Behind the columns of the file. Where only the request asked for indicators, those without a null are left out.
    void addTo(Frame &frame) const;

  private:
    struct Indicator {
        std::string label;
        Ref<Dense> there;
        bool onlyIfNull;
    };
    std::vector<Indicator> indicators;
    std::vector<bool *> cells; ///< per column; none if there are no indicators
};

} // namespace daphne::io
