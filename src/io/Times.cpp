// SPDX-License-Identifier: Apache-2.0
#include "io/Times.h"

#include "base/Calendar.h"
#include "base/Error.h"

namespace daphne::io {

namespace {

[[noreturn]] void noTime(std::string_view text, ValueType type, size_t row, size_t col) {
    throw executionError("row " + std::to_string(row) + ", column " + std::to_string(col) + ": \"" +
                         std::string(text.substr(0, 60)) + "\" is no " + std::string(dslName(type)));
}

/// The type of times that a text is one of; Unknown: none. Dates are timestamps, too.
ValueType typeOfText(std::string_view text) {
    for (ValueType type : {ValueType::Date, ValueType::Timestamp, ValueType::Duration})
        if (auto time = calendar::parse(text, type); time && *time != calendar::natOf(type))
            return type;
    return ValueType::Unknown;
}

/// Once per different text.
Ref<Dense> parsedTimes(const Dense &texts, ValueType type, size_t firstColumn) {
    auto result = Dense::create(type, texts.rows(), texts.cols());
    Dense::Codes codes = texts.codes();
    std::vector<std::optional<int64_t>> known(codes.dictionary->size());
    for (uint32_t code = 0; code < known.size(); ++code)
        known[code] = calendar::parse((*codes.dictionary)[code], type);
    withNumericType(type, [&]<class T>(TypeTag<T>) {
        auto out = result->mutableView<T>();
        for (size_t r = 0; r < out.rows; ++r)
            for (size_t c = 0; c < out.cols; ++c) {
                uint32_t code = codes.view(r, c);
                if (!known[code])
                    noTime((*codes.dictionary)[code], type, r, firstColumn + c);
                out(r, c) = static_cast<T>(*known[code]);
            }
    });
    return result;
}

Ref<Dense> asText(const Dense &times) {
    auto result = Dense::create(ValueType::Str, times.rows(), times.cols());
    auto out = result->mutableView<std::string>();
    withNumericType(times.type(), [&]<class T>(TypeTag<T>) {
        auto in = times.view<T>();
        for (size_t r = 0; r < in.rows; ++r)
            for (size_t c = 0; c < in.cols; ++c)
                if (in(r, c) != calendar::natOf(times.type()))
                    calendar::append(out(r, c), in(r, c), times.type());
    });
    return result;
}

} // namespace

TimeColumns::TimeColumns(std::optional<Metadata> &meta) {
    if (!meta)
        return;
    if (isTime(meta->matrixType()))
        matrixType = meta->matrixType();
    if (isTime(meta->valueType))
        meta->valueType = ValueType::Str;
    for (size_t c = 0; c < meta->types.size(); ++c)
        if (isTime(meta->types[c])) {
            if (meta->nullable.empty())
                meta->nullable.assign(meta->types.size(), meta->allNullable);
            meta->nullable[c] = false; // nat tells
            columns.emplace_back(meta->labels[c], meta->types[c]);
            meta->types[c] = ValueType::Str;
        }
}

Value TimeColumns::restored(Value value) const {
    if (value.isMatrix() && isTime(matrixType) && value.valueType() == ValueType::Str)
        return parsedTimes(value.dense(), matrixType, 0);
    if (!value.isFrame() || (columns.empty() && !isTime(matrixType)))
        return value;
    const Frame &frame = value.frame();
    auto result = Ref<Frame>::make(frame.rows());
    for (size_t c = 0; c < frame.cols(); ++c) {
        ValueType type = columns.empty() ? matrixType : ValueType::Unknown;
        for (const auto &[label, ofColumn] : columns)
            if (label == frame.labels[c])
                type = ofColumn;
        bool isText = frame.columns[c]->type() == ValueType::Str;
        result->addColumn(frame.labels[c],
                          isTime(type) && isText ? parsedTimes(*frame.columns[c], type, c) : frame.columns[c]);
    }
    return result;
}

Ref<Dense> timesOfTexts(const Dense &texts) {
    Dense::Codes codes = texts.codes();
    ValueType all = ValueType::Unknown;
    for (uint32_t code = 0; code < codes.dictionary->size(); ++code) {
        std::string_view text = (*codes.dictionary)[code];
        if (text.empty())
            continue;
        ValueType type = typeOfText(text);
        if (type == ValueType::Unknown || (all != ValueType::Unknown && !areAlike(type, all)))
            return {};
        all = all == ValueType::Unknown ? type : mostGeneral(all, type);
    }
    return isTime(all) ? parsedTimes(texts, all, 0) : Ref<Dense>();
}

void needInCalendar(const Dense &times) {
    if (!isMoment(times.type()))
        return;
    withNumericType(times.type(), [&]<class T>(TypeTag<T>) {
        auto in = times.view<T>();
        for (size_t r = 0; r < in.rows; ++r)
            for (size_t c = 0; c < in.cols; ++c) {
                auto x = static_cast<int64_t>(in(r, c));
                bool fits = times.type() == ValueType::Date ? calendar::isDay(x) : calendar::isTimestamp(x);
                if (!fits && x != calendar::natOf(times.type()))
                    throw executionError("row " + std::to_string(r) + ", column " + std::to_string(c) + ": the " +
                                         std::string(dslName(times.type())) + " lies outside of the years 1 to 9999");
            }
    });
}

void needInCalendar(const Value &value) {
    if (value.isMatrix() && !value.isCsr())
        needInCalendar(value.dense());
    if (value.isFrame())
        for (const Ref<Dense> &column : value.frame().columns)
            needInCalendar(*column);
}

Ref<Dense> thereOfTimes(const Dense &times, size_t column, const Ref<Dense> &there) {
    auto result = Dense::create(ValueType::Bool, times.rows(), 1);
    bool isEverywhere = true;
    withNumericType(times.type(), [&]<class T>(TypeTag<T>) {
        auto in = times.view<T>();
        auto out = result->mutableView<bool>();
        for (size_t r = 0; r < in.rows; ++r) {
            bool isHere = static_cast<int64_t>(in(r, column)) != calendar::natOf(times.type());
            out(r, 0) = isHere && (!there || there->view<bool>()(r, 0));
            isEverywhere &= out(r, 0);
        }
    });
    return isEverywhere ? Ref<Dense>() : result;
}

Value withTimesAsText(const Value &value) {
    if (value.holdsTimes())
        return asText(value.dense());
    if (!value.isFrame())
        return value;
    const Frame &frame = value.frame();
    auto result = Ref<Frame>::make(frame.rows());
    for (size_t c = 0; c < frame.cols(); ++c) {
        const Ref<Dense> &column = frame.columns[c];
        result->addColumn(frame.labels[c], isTime(column->type()) ? asText(*column) : column);
    }
    return result;
}

} // namespace daphne::io
