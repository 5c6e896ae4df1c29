// SPDX-License-Identifier: Apache-2.0
#include "driver/FileCommands.h"

#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <functional>

#include "base/Error.h"
#include "base/FloatText.h"
#include "data/NullIndicator.h"
#include "data/Object.h"
#include "driver/ProgressBars.h"
#include "driver/options/SchedulingEnvironment.h"
#include "driver/process/ProcessPolicy.h"
#include "io/Format.h"
#include "io/FormatTable.h"
#include "io/text/ParallelText.h"
#include "sched/Pool.h"

namespace daphne::driver {

namespace {

constexpr std::string_view kUsage =
    "usage: daphne convert in out [options]\n"
    "       daphne inspect file [options]\n"
    "  --frame, --matrix     what the file holds (default: as it says; CSV: a frame if\n"
    "                        its columns differ in type)\n"
    "options of the CSV file that is read, or, if it is none, of the one that is written:\n"
    "  --delimiter=C         CSV: character between fields (default ,)\n"
    "  --header, --no-header CSV: whether the first line holds the labels (default: reading,\n"
    "                        as the data tell; writing, no)\n"
    "  --quote=C             CSV: quote character, empty for none (default \")\n"
    "  --null=TEXT           CSV: field that means no value; may be repeated\n"
    "others:\n"
    "  --keep-nulls          a column with nulls gets a second one that tells where they are;\n"
    "                        written as nulls where the format has them\n"
    "  --lenient             CSV: read what is wrong as well as possible\n"
    "  --digits=N            CSV: significant digits of floats that are written (default: as\n"
    "                        many as are needed)\n"
    "  --part-rows=N, --part-cols=N   .fed: shape of the parts (default: all columns, 64 MiB)\n"
    "  --workers=A,B         .fed: who reads the parts in distributed runs, in order of their rows\n"
    "  --num-threads=N       workers (default: one per core)\n"
    "  --progress=WHEN       a bar on standard error: auto (on a terminal), on or off\n";

Error usageError(const std::string &what) { return Error(Stage::Parse, what).withHint("run daphne convert --help"); }

struct Command {
    bool convert = false, help = false;
    enum class Shape { Any, Frame, Matrix } shape = Shape::Any;
    bool keepNulls = false;
    io::CsvOptions csv;
    int64_t numThreads = 0, partRows = 0, partCols = 0;
    std::vector<std::string> workers;
    std::string progress = "auto";
    std::vector<std::string> files;
};

char oneCharacter(const std::string &text, const std::string &option) {
    std::string value = text == "\\t" ? "\t" : text;
    if (value.size() != 1 || value == "\n" || value == "\r")
        throw usageError("--" + option + " needs one character, got \"" + text + "\"");
    return value[0];
}

int64_t numberFrom(int64_t least, int64_t most, const std::string &text, const std::string &option) {
    int64_t n = 0;
    auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), n);
    if (error != std::errc() || end != text.data() + text.size() || n < least || n > most)
        throw usageError("--" + option + " needs a number from " + std::to_string(least) + " to " +
                         std::to_string(most) + ", got \"" + text + "\"");
    return n;
}

std::vector<std::string> listOf(const std::string &text, const std::string &option) {
    std::vector<std::string> words;
    for (size_t begin = 0; begin <= text.size();) {
        size_t end = std::min(text.find(',', begin), text.size());
        words.push_back(text.substr(begin, end - begin));
        if (words.back().empty())
            throw usageError("--" + option + " needs names with commas in between, got \"" + text + "\"");
        begin = end + 1;
    }
    return words;
}

std::string whenToShow(const std::string &text) {
    if (text != "auto" && text != "on" && text != "off")
        throw usageError("--progress is auto, on or off, got \"" + text + "\"");
    return text;
}

Command parse(const std::vector<std::string> &words) {
    Command c;
    std::vector<std::string> nulls;
    c.convert = words[0] == "convert";
    for (size_t i = 1; i < words.size(); ++i) {
        const std::string &word = words[i];
        if (word.size() < 2 || word[0] != '-') {
            c.files.push_back(word);
            continue;
        }
        size_t equals = word.find('=');
        std::string name = word.substr(word.starts_with("--") ? 2 : 1);
        name.resize(std::min(name.size(), name.find('=')));
        auto value = [&]() -> std::string {
            if (equals != word.npos)
                return word.substr(equals + 1);
            if (i + 1 == words.size())
                throw usageError("--" + name + " needs a value");
            return words[++i];
        };
        if (name == "help" || name == "h")
            c.help = true;
        else if (name == "frame")
            c.shape = Command::Shape::Frame;
        else if (name == "matrix")
            c.shape = Command::Shape::Matrix;
        else if (name == "header")
            c.csv.header = true;
        else if (name == "no-header")
            c.csv.header = false;
        else if (name == "lenient")
            c.csv.lenient = true;
        else if (name == "keep-nulls")
            c.keepNulls = true;
        else if (name == "digits")
            c.csv.digits = static_cast<int>(numberFrom(0, kMostFloatDigits, value(), name));
        else if (name == "delimiter")
            c.csv.delimiter = oneCharacter(value(), name);
        else if (name == "quote") {
            std::string quote = value();
            c.csv.quote = quote.empty() ? '\0' : oneCharacter(quote, name);
        } else if (name == "null")
            nulls.push_back(value());
        else if (name == "progress")
            c.progress = whenToShow(value());
        else if (name == "num-threads")
            c.numThreads = numberFrom(0, 4096, value(), name);
        else if (name == "part-rows")
            c.partRows = numberFrom(1, INT64_MAX, value(), name);
        else if (name == "part-cols")
            c.partCols = numberFrom(1, INT64_MAX, value(), name);
        else if (name == "workers")
            c.workers = listOf(value(), name);
        else
            throw usageError("unknown option " + word);
    }
    if (!nulls.empty())
        c.csv.nulls = nulls;
    if (c.keepNulls && c.shape == Command::Shape::Matrix)
        throw usageError("--keep-nulls cannot be used with --matrix: only frames have nulls");
    size_t needed = c.convert ? 2 : 1;
    if (!c.help && c.files.size() != needed)
        throw usageError("daphne " + words[0] + " needs " + (needed == 2 ? "two file names" : "one file name") +
                         ", got " + std::to_string(c.files.size()));
    return c;
}

/// Frames and matrices look alike in many formats; what fits the types best is read.
Value readAny(const std::string &name, Command::Shape shape, const io::ReadRequest &request) {
    const io::Format *format = io::FormatTable::get().find(io::DataPath(name).extension);
    bool frames = format && format->readFrame, matrices = format && format->readMatrix;
    if (shape == Command::Shape::Frame || (frames && (!matrices || request.keepNulls)))
        return io::readFrame(name, request);
    if (shape == Command::Shape::Matrix || !frames)
        return io::readMatrix(name, request);
    auto info = io::inspect(name, true);
    if (info && std::ranges::find(info->types, ValueType::Unknown) != info->types.end())
        info.reset(); // only reading tells
    bool mixed = info && std::ranges::adjacent_find(info->types, std::not_equal_to()) != info->types.end();
    bool hasNulls = info && std::ranges::any_of(findIndicators(info->labels, info->types),
                                                [](size_t position) { return position != kNoIndicator; });
    if (info && !mixed && !hasNulls)
        return io::readMatrix(name, request);
    if (info)
        return io::readFrame(name, request);
    try {
        Value frame = io::readFrame(name, request);
        auto different = [](auto &a, auto &b) { return a->type() != b->type(); };
        auto &columns = frame.frame().columns;
        if (std::ranges::adjacent_find(columns, different) != columns.end())
            return frame;
    } catch (const Error &) {
        // No frame; what is wrong with it as a matrix is what counts.
    }
    return io::readMatrix(name, request);
}

// -------------------------------------------------------------------- inspect

std::string cellText(const Dense &m, size_t r, size_t c) {
    return withValueType(m.type(), [&]<class T>(TypeTag<T>) -> std::string {
        std::string out;
        if constexpr (std::is_same_v<T, std::string>)
            out = m.view<T>()(r, c);
        else
            io::appendNumber(out, m.view<T>()(r, c));
        return out;
    });
}

constexpr size_t kFirstRows = 5, kFirstColumns = 10;

void printRows(size_t rows, size_t cols, const std::function<std::string(size_t, size_t)> &cell) {
    for (size_t r = 0; r < std::min(rows, kFirstRows); ++r) {
        std::string line = " ";
        for (size_t c = 0; c < std::min(cols, kFirstColumns); ++c)
            line += " " + cell(r, c);
        std::printf("%s%s\n", line.c_str(), cols > kFirstColumns ? " ..." : "");
    }
    if (rows > kFirstRows)
        std::printf("  ...\n");
}

void printRowLengths(std::vector<size_t> lengths) {
    if (lengths.empty())
        return;
    size_t total = 0;
    for (size_t n : lengths)
        total += n;
    auto middle = lengths.begin() + static_cast<std::ptrdiff_t>(lengths.size() / 2);
    std::nth_element(lengths.begin(), middle, lengths.end());
    size_t median = *middle;
    auto [least, most] = std::ranges::minmax(lengths);
    std::printf("non-zeros per row: least %zu, median %zu, mean %.4g, most %zu, empty rows %zu\n", least, median,
                static_cast<double>(total) / static_cast<double>(lengths.size()), most,
                static_cast<size_t>(std::ranges::count(lengths, size_t(0))));
}

void printFindings(const io::CsvFindings &found) {
    using Source = io::CsvFindings::Source;
    const char *from = found.headerFrom == Source::Request    ? "as the command says"
                       : found.headerFrom == Source::Metadata ? "as the metadata say"
                       : found.headerFrom == Source::Types    ? "as the metadata have types"
                                                              : "as the data look";
    std::printf("header: %s, %s\n", found.header ? "yes" : "no", from);
    if (found.byteOrderMark)
        std::printf("byte order mark: skipped\n");
}

void inspectMatrix(const Matrix &m) {
    std::printf("matrix of %s, %s, %zux%zu\n", std::string(dslName(m.type())).c_str(), m.isCsr() ? "sparse" : "dense",
                m.rows(), m.cols());
    std::vector<size_t> lengths(isNumeric(m.type()) ? m.rows() : 0);
    size_t nonZeros = 0;
    for (size_t r = 0; r < lengths.size(); ++r) {
        lengths[r] = m.isCsr() ? static_cast<const Csr &>(m).nonZeros(r)
                               : countNonZeros(*Dense::window(static_cast<const Dense &>(m), r, r + 1, 0, m.cols()));
        nonZeros += lengths[r];
    }
    if (isNumeric(m.type())) {
        double cells = static_cast<double>(m.rows()) * static_cast<double>(m.cols());
        std::printf("non-zeros: %zu, sparsity %.6g\n", nonZeros,
                    cells > 0 ? static_cast<double>(nonZeros) / cells : 0.0);
        printRowLengths(std::move(lengths));
    }
    size_t rows = std::min(m.rows(), kFirstRows), cols = std::min(m.cols(), kFirstColumns);
    Ref<Dense> corner;
    if (m.isCsr() && m.cols() <= (size_t(1) << 20))
        corner = toDense(*Csr::rowWindow(static_cast<const Csr &>(m), 0, rows));
    else if (!m.isCsr())
        corner = Dense::window(static_cast<const Dense &>(m), 0, rows, 0, cols);
    if (corner)
        printRows(m.rows(), m.cols(), [&](size_t r, size_t c) { return cellText(*corner, r, c); });
}

void inspectFrame(const Frame &f) {
    std::printf("frame, %zux%zu\n", f.rows(), f.cols());
    for (size_t c = 0; c < f.cols(); ++c)
        std::printf("  %s: %s\n", f.labels[c].c_str(), std::string(dslName(f.columns[c]->type())).c_str());
    printRows(f.rows(), f.cols(), [&](size_t r, size_t c) { return cellText(*f.columns[c], r, 0); });
}

} // namespace

bool isFileCommand(const std::vector<std::string> &words) {
    bool isName = !words.empty() && (words[0] == "convert" || words[0] == "inspect");
    return isName && !std::filesystem::exists(words[0]);
}

int runFileCommand(const std::vector<std::string> &words) {
    Command c = parse(words);
    if (c.help) {
        std::printf("%s", std::string(kUsage).c_str());
        return 0;
    }
    ownProcess();
    sched::Settings settings{.threads = {.numThreads = c.numThreads}};
    applyEnvironment(settings, environmentOfThisProcess());
    sched::Topology topology = settings.machine ? *settings.machine : sched::Topology::detect();
    sched::Pool pool(topology, sched::chooseNumWorkers(topology, settings.threads));
    auto bars = showProgress(c.progress);
    const io::Format *format = io::FormatTable::get().find(io::DataPath(c.files[0]).extension);
    io::CsvOptions reading = c.csv, writing;
    if (c.convert) {
        if (!format || !format->isCsv)
            std::swap(reading, writing);
        reading.digits.reset();
        writing.digits = c.csv.digits;
    }
    io::CsvFindings found;
    Value value =
        readAny(c.files[0], c.shape, {.pool = &pool, .csv = reading, .found = &found, .keepNulls = c.keepNulls});
    if (!c.convert && found.isCsv && format && format->isCsv)
        printFindings(found);
    if (c.convert)
        io::write(value, c.files[1],
                  {.pool = &pool,
                   .csv = writing,
                   .blockRows = static_cast<size_t>(c.partRows),
                   .blockCols = static_cast<size_t>(c.partCols),
                   .workers = c.workers});
    else if (value.isMatrix())
        inspectMatrix(value.matrix());
    else
        inspectFrame(value.frame());
    return 0;
}

} // namespace daphne::driver
