// SPDX-License-Identifier: Apache-2.0
/// Federated matrices (io/Federated.h), put together from their parts.
///
/// Parts are read as files of their own, in parallel where there are enough of
/// them. If the first is dense, so is the whole, and every part goes to its place
/// as soon as it is there; otherwise stored cells are collected.
#include <algorithm>
#include <filesystem>
#include <numeric>

#include "data/CopyCells.h"
#include "io/files/Bytes.h"

namespace daphne::io {

namespace {

/// A dense matrix may have so many times the bytes of its files, and these in any case. Others are collected as sparse
/// ones, which take no more memory than their parts do.
constexpr double kMostGrowth = 64, kAlwaysAllowed = size_t(128) << 20;
/// Of a part that is written.
constexpr size_t kPartBytes = size_t(64) << 20;
/// Loops are cut among machines at multiples of so many rows.
constexpr size_t kRowBlock = 4096;
constexpr size_t kMostParts = size_t(1) << 16;

FederatedMatrix parse(ReadJob &job) { return parseFederated(job.text(), job.path); }

uint64_t partBytes(const FederatedMatrix &whole) {
    uint64_t sum = 0;
    for (const FederatedPart &part : whole.parts) {
        std::error_code problem; // reading it will tell
        uint64_t bytes = std::filesystem::file_size(DataPath(part.file).file, problem);
        sum += problem ? 0 : bytes;
    }
    return sum;
}

// -------------------------------------------------------------------- reading

/// Stored cells of all parts. From left to right each part continues its rows.
template <class T, class I>
void collect(Csr &result, const std::vector<FederatedPart> &parts, const std::vector<Ref<Csr>> &cells) {
    uint64_t *offsets = result.mutableOffsets();
    for (size_t i = 0; i < parts.size(); ++i)
        for (size_t r = 0; r < parts[i].rows; ++r)
            offsets[parts[i].row + r + 1] += cells[i]->nonZeros(r);
    std::partial_sum(offsets, offsets + result.rows() + 1, offsets);
    std::vector<uint64_t> next(offsets, offsets + result.rows());
    std::vector<size_t> fromLeft(parts.size());
    std::iota(fromLeft.begin(), fromLeft.end(), size_t(0));
    std::ranges::stable_sort(fromLeft, {}, [&](size_t i) { return parts[i].col; });
    I *columns = result.template mutableColumns<I>();
    T *values = result.template mutableValues<T>();
    for (size_t i : fromLeft)
        withIndexType(cells[i]->hasWideIndex(), [&]<class From>(TypeTag<From>) {
            auto part = cells[i]->template view<T, From>();
            for (size_t r = 0; r < part.rows; ++r)
                for (uint64_t k = part.offsets[r]; k < part.offsets[r + 1]; ++k) {
                    uint64_t at = next[parts[i].row + r]++;
                    columns[at] = static_cast<I>(parts[i].col + part.columns[k]);
                    if (values)
                        values[at] = part.value(k);
                }
        });
}

class Assembly {
  public:
    Assembly(ReadJob &job, FederatedMatrix given)
        : job(job), whole(std::move(given)), type(resultType(job, whole.type)), request(job.request),
          sparse(whole.parts.size()) {
        double bytes = static_cast<double>(whole.rows * whole.cols) * static_cast<double>(cellSize(type));
        mayBeDense = bytes <= kAlwaysAllowed + kMostGrowth * static_cast<double>(partBytes(whole));
        // What is small as a part may be large as a whole.
        if (bytes > static_cast<double>(request.policy.largeBytes))
            request.policy.largeBytes = 0;
    }

    Value read() {
        if (whole.parts.empty())
            return Dense::create(type, whole.rows, whole.cols);
        Value first = readPart(0);
        if (mayBeDense && !first.isCsr())
            dense = Dense::create(type, whole.rows, whole.cols);
        place(0, first);
        first = Value();
        size_t others = whole.parts.size() - 1;
        forEachPiece<Error>(runsParts() ? request.pool : nullptr, others,
                            [&](size_t i) { place(i + 1, readPart(i + 1)); });
        return dense ? inWantedForm(std::move(dense), job.request) : inWantedForm(collected(), job.request);
    }

  private:
    /// Whether parts are the tasks of the workers; otherwise these share the work of one part after another.
    bool runsParts() const {
        bool areOurs = std::ranges::all_of(whole.parts, [](const FederatedPart &part) {
            const Format *format = FormatTable::get().find(DataPath(part.file).extension);
            return !format || format->library.empty();
        });
        return areOurs && request.pool && whole.parts.size() > request.pool->numWorkers();
    }

    Error partError(size_t i, const std::string &what) const {
        return job.error("part " + std::to_string(i) + ": " + what);
    }

    Value readPart(size_t i) const {
        const FederatedPart &part = whole.parts[i];
        Value m;
        try {
            m = io::readMatrix(part.file, request);
        } catch (Error &error) {
            error.message = partError(i, error.message).message;
            if (!part.worker.empty() && !fileExists(DataPath(part.file).file))
                error.withHint("in a distributed run the worker " + part.worker +
                               " reads it, if parts are dense, of one type, and have all columns");
            throw;
        }
        if (m.matrix().rows() != part.rows || m.matrix().cols() != part.cols)
            throw partError(i, "file \"" + part.file + "\" has a matrix of " + m.matrix().shapeText() + " instead of " +
                                   std::to_string(part.rows) + "x" + std::to_string(part.cols));
        if (m.matrix().type() == ValueType::Str && type != ValueType::Str)
            throw partError(i, "file \"" + part.file + "\" holds strings, the matrix is one of " +
                                   std::string(dslName(type)));
        return m;
    }

    void place(size_t i, const Value &m) {
        if (dense && m.matrix().cells() > 0)
            copyInto(*dense, *denseOf(m.matrix()), whole.parts[i].row, whole.parts[i].col);
        if (dense)
            return;
        if (!isNumeric(type))
            throw job.error("its files are too short for " + std::to_string(whole.rows * whole.cols) + " strings");
        sparse[i] = withType(m.isCsr() ? m.csrRef() : toCsr(m.dense()), type);
    }

    Ref<Csr> collected() const {
        size_t count = 0;
        for (const Ref<Csr> &part : sparse)
            count += part->nonZeros();
        bool ones = std::ranges::all_of(sparse, [](const Ref<Csr> &part) { return part->isPattern(); });
        auto result =
            Csr::create(type, whole.rows, whole.cols, count, ones ? Csr::Values::AllOnes : Csr::Values::Stored);
        withNumericType(type, [&]<class T>(TypeTag<T>) {
            withIndexType(result->hasWideIndex(),
                          [&]<class I>(TypeTag<I>) { collect<T, I>(*result, whole.parts, sparse); });
        });
        return result;
    }

    ReadJob &job;
    const FederatedMatrix whole;
    const ValueType type;
    ReadRequest request; ///< of parts
    bool mayBeDense = false;
    Ref<Dense> dense;
    std::vector<Ref<Csr>> sparse;
};

std::optional<Metadata> describe(ReadJob &job) {
    FederatedMatrix whole = parse(job);
    Metadata meta;
    meta.rows = whole.rows;
    meta.cols = whole.cols;
    meta.valueType = whole.type;
    return meta;
}

Value readMatrix(ReadJob &job) { return Assembly(job, parse(job)).read(); }

Value readFrame(ReadJob &job) { return frameOf(readMatrix(job).matrix(), job); }

uint64_t otherBytes(ReadJob &job) { return partBytes(parse(job)); }

// -------------------------------------------------------------------- writing

/// Columns [begin, end) of a sparse matrix.
Ref<Csr> columnsOf(const Csr &m, size_t begin, size_t end) {
    if (begin == 0 && end == m.cols())
        return Ref<Csr>::share(const_cast<Csr *>(&m));
    return withNumericType(m.type(), [&]<class T>(TypeTag<T>) {
        return withIndexType(m.hasWideIndex(), [&]<class I>(TypeTag<I>) {
            auto all = m.view<T, I>();
            auto within = [&](size_t r) {
                const I *first = all.columns + all.offsets[r], *last = all.columns + all.offsets[r + 1];
                return std::pair(std::lower_bound(first, last, begin), std::lower_bound(first, last, end));
            };
            size_t count = 0;
            for (size_t r = 0; r < all.rows; ++r)
                count += static_cast<size_t>(within(r).second - within(r).first);
            auto result = Csr::create(m.type(), all.rows, end - begin, count);
            uint64_t at = 0;
            withIndexType(result->hasWideIndex(), [&]<class To>(TypeTag<To>) {
                for (size_t r = 0; r < all.rows; ++r) {
                    for (auto [column, last] = within(r); column != last; ++column, ++at) {
                        result->template mutableColumns<To>()[at] = static_cast<To>(*column - begin);
                        result->template mutableValues<T>()[at] =
                            all.value(static_cast<uint64_t>(column - all.columns));
                    }
                    result->mutableOffsets()[r + 1] = at;
                }
            });
            return result;
        });
    });
}

Value tileOf(const Matrix &m, const FederatedPart &part) {
    size_t rowEnd = part.row + part.rows, colEnd = part.col + part.cols;
    if (m.isCsr())
        return columnsOf(*Csr::rowWindow(static_cast<const Csr &>(m), part.row, rowEnd), part.col, colEnd);
    return Dense::window(static_cast<const Dense &>(m), part.row, rowEnd, part.col, colEnd);
}

/// Rows that make parts of a good size, and at least one part for each worker.
size_t usualRows(const Matrix &m, size_t numWorkers) {
    size_t bytes = m.isCsr() ? static_cast<const Csr &>(m).nonZeros() * (8 + cellSize(m.type())) + 8 * m.rows()
                             : m.cells() * cellSize(m.type());
    size_t rows = kPartBytes / std::max<size_t>(1, bytes / std::max<size_t>(1, m.rows()));
    if (numWorkers > 0)
        rows = std::min(rows, (m.rows() + numWorkers - 1) / numWorkers);
    return rows > kRowBlock ? rows / kRowBlock * kRowBlock : std::max<size_t>(1, rows);
}

/// Every worker has about as many rows as the others.
std::string workerOf(const FederatedPart &part, const Matrix &m, const std::vector<std::string> &workers) {
    if (workers.empty())
        return "";
    double middle =
        (static_cast<double>(part.row) + static_cast<double>(part.rows) / 2) / static_cast<double>(m.rows());
    return workers[std::min(workers.size() - 1, static_cast<size_t>(middle * static_cast<double>(workers.size())))];
}

void writeMatrix(const Matrix &m, WriteJob &job) {
    FederatedMatrix whole{m.rows(), m.cols(), m.type(), {}};
    const WriteRequest &request = job.request;
    size_t stepRows = request.blockRows ? request.blockRows : usualRows(m, request.workers.size());
    size_t stepCols = request.blockCols ? request.blockCols : std::max<size_t>(1, m.cols());
    size_t bands = (m.rows() + stepRows - 1) / stepRows, stripes = (m.cols() + stepCols - 1) / stepCols;
    if (stripes > 0 && bands > kMostParts / stripes)
        throw executionError("cannot write file \"" + job.file.targetPath() + "\": " + std::to_string(bands) +
                             " times " + std::to_string(stripes) + " parts are more than " +
                             std::to_string(kMostParts));
    job.others = std::make_unique<PartsDirectory>(job.file.targetPath());
    // Only CSV files hold strings as cells of a matrix and nothing but them.
    const std::string ending = isNumeric(m.type()) ? ".dbdf" : ".csv";
    for (size_t band = 0; band < bands; ++band)
        for (size_t stripe = 0; stripe < stripes; ++stripe) {
            FederatedPart part{band * stepRows, stripe * stepCols, 0, 0, "", ""};
            part.rows = std::min(stepRows, m.rows() - part.row);
            part.cols = std::min(stepCols, m.cols() - part.col);
            part.worker = workerOf(part, m, request.workers);
            std::string name = "/" + std::to_string(band) + "-" + std::to_string(stripe) + ending;
            part.file = job.others->name() + name;
            io::write(tileOf(m, part), job.others->path() + name, {.pool = request.pool});
            whole.parts.push_back(std::move(part));
        }
    job.file.write(federatedText(whole));
}

} // namespace

void addFederated(FormatTable &t) {
    t.add({.extension = "fed",
           .title = "federated matrix",
           .describe = describe,
           .readMatrix = readMatrix,
           .readFrame = readFrame,
           .writeMatrix = writeMatrix,
           .otherBytes = otherBytes,
           .compressible = false});
}

} // namespace daphne::io
