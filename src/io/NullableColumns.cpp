// SPDX-License-Identifier: Apache-2.0
#include "io/NullableColumns.h"

#include <algorithm>

#include "data/CopyCells.h"
#include "data/NullIndicator.h"

namespace daphne::io {

std::vector<NullableColumn> nullableColumns(const Frame &frame) {
    std::vector<size_t> indicators = findIndicators(frame);
    std::vector<bool> isIndicator(frame.cols());
    for (size_t position : indicators)
        if (position != kNoIndicator)
            isIndicator[position] = true;
    std::vector<NullableColumn> columns;
    for (size_t c = 0; c < frame.cols(); ++c) {
        if (isIndicator[c])
            continue;
        columns.push_back({frame.labels[c], frame.columns[c], {}});
        if (indicators[c] != kNoIndicator)
            columns.back().there = converted(*frame.columns[indicators[c]], ValueType::Bool);
    }
    return columns;
}

NullIndicators::NullIndicators(const ReadJob &job, const std::vector<std::string> &labels,
                               const std::vector<ValueType> &types, size_t rows) {
    for (size_t c = 0; c < labels.size(); ++c) {
        std::string label = indicatorLabel(labels[c]);
        if (!job.keepsNulls(c) || isTime(types[c]) || !job.wantsColumn(label))
            continue;
        cells.resize(labels.size());
        auto there = Dense::create(ValueType::Bool, rows, 1, Buffer::Init::Zero);
        cells[c] = there->mutableView<bool>().data;
        indicators.push_back({std::move(label), std::move(there), !job.meta || !job.meta->isNullable(c)});
    }
}

void NullIndicators::forget(const std::string &label) {
    std::erase_if(indicators, [&](const Indicator &i) { return i.label == indicatorLabel(label); });
}

void NullIndicators::addTo(Frame &frame) const {
    for (const Indicator &i : indicators) {
        const bool *there = i.there->view<bool>().data;
        bool noNull = i.onlyIfNull && std::all_of(there, there + i.there->rows(), [](bool x) { return x; });
        if (!noNull)
            frame.addColumn(i.label, i.there);
    }
}

} // namespace daphne::io
