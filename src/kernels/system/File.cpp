// SPDX-License-Identifier: Apache-2.0
/// read and write, and their options.
#include "kernels/system/FileOptions.h"

#include <cmath>

#include "base/FloatText.h"
#include "io/Format.h"
#include "kernels/KernelTable.h"
#include "sched/Scheduler.h"

namespace daphne {

namespace {

/// All workers for what is worth starting them.
sched::Pool *poolFor(RunContext &context, uint64_t bytes) {
    constexpr uint64_t kWorthIt = 1 << 20;
    return context.scheduler && bytes >= kWorthIt ? &context.scheduler->pool() : nullptr;
}

uint64_t bytesOf(const Value &x) {
    if (x.isFrame())
        return 8 * x.frame().rows() * x.frame().cols();
    return 8 * (x.isCsr() ? x.csr().nonZeros() : x.dense().cells());
}

bool flagOption(const std::string &name, const Value &value) {
    if (!value.isScalar() || value.isString() || !(value.as<double>() == 0 || value.as<double>() == 1))
        throw executionError(name + " must be true or false");
    return value.as<bool>();
}

char characterOption(const std::string &name, const Value &value, bool mayBeNone) {
    std::string text = value.isScalar() && value.isString() ? value.text() : "\n";
    if (text.empty() && mayBeNone)
        return '\0';
    if (text.size() != 1 || text == "\n" || text == "\r")
        throw executionError(name + " must be one character" + (mayBeNone ? ", or \"\" for none" : ""));
    return text[0];
}

std::vector<std::string> textsOption(const std::string &name, const Value &value) {
    if (value.isScalar() && value.isString())
        return {value.text()};
    if (!value.isMatrix() || value.matrix().type() != ValueType::Str)
        throw executionError(name + " must be a text or a matrix of texts");
    std::vector<std::string> texts;
    auto cells = value.dense().view<std::string>();
    for (size_t r = 0; r < cells.rows; ++r)
        for (size_t c = 0; c < cells.cols; ++c)
            texts.push_back(cells(r, c));
    return texts;
}

int digitsOption(const std::string &name, const Value &value) {
    double digits = value.isScalar() && !value.isString() ? value.as<double>() : -1;
    if (!(digits >= 0 && digits <= kMostFloatDigits && digits == std::trunc(digits)))
        throw executionError(name + " must be an integer from 0 to " + std::to_string(kMostFloatDigits));
    return static_cast<int>(digits);
}

void needDifferent(const io::CsvOptions &options) {
    if (options.delimiter && options.delimiter.value() == options.quote.value_or('"'))
        throw executionError("delimiter and quote must be different characters");
}

/// read(filename, isFrame, header, delimiter, quote, nulls, lenient, labels of the columns that are wanted...)
Value read(KernelCall &call, const std::string &filename, bool isFrame, std::span<const Value> more) {
    auto given = [&](FileOption option, auto &target, auto convert) {
        const Value &value = more[static_cast<size_t>(option)];
        if (!isNotGiven(value))
            target = convert(value);
    };
    io::ReadRequest request{.pool = poolFor(call.context, io::bytesToRead(filename))};
    io::CsvOptions &csv = request.csv;
    given(FileOption::Header, csv.header, [](auto &v) { return flagOption("header", v); });
    given(FileOption::Delimiter, csv.delimiter, [](auto &v) { return characterOption("delimiter", v, false); });
    given(FileOption::Quote, csv.quote, [](auto &v) { return characterOption("quote", v, true); });
    given(FileOption::Nulls, csv.nulls, [](auto &v) { return textsOption("nulls", v); });
    given(FileOption::Lenient, csv.lenient, [](auto &v) { return flagOption("lenient", v); });
    needDifferent(csv);
    if (isFrame) {
        for (const Value &label : more.subspan(kNumReadOptions))
            request.columns.push_back(label.text());
        return io::readFrame(filename, request);
    }
    request.csr = (call.wantsCsr & 1) != 0;
    request.policy = call.context.representation;
    return io::readMatrix(filename, request);
}

/// What a call leaves as it is, is not said.
void write(KernelCall &call, AnyValue any, const std::string &filename, const Value &header, const Value &delimiter,
           const Value &quote, const Value &nulls, const Value &digits) {
    const Value &x = any.value;
    if (!x.isMatrix() && !x.isFrame())
        wrongArgument(call, 0, "a matrix or frame");
    io::CsvOptions csv{.delimiter = characterOption("delimiter", delimiter, false),
                       .quote = characterOption("quote", quote, true),
                       .header = flagOption("header", header),
                       .nulls = textsOption("nulls", nulls),
                       .digits = digitsOption("digits", digits)};
    needDifferent(csv);
    csv.forgetDefaults();
    io::write(x, filename, {.pool = poolFor(call.context, bytesOf(x)), .csv = csv});
}

} // namespace

void addFile(KernelTable &t) {
    t.add<&read>("read");
    t.add<&write>("write");
}

} // namespace daphne
