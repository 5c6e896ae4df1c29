// SPDX-License-Identifier: Apache-2.0
/// Parquet and Arrow files (also Feather of version 2). The files themselves are
/// the business of libdaphne_arrow (io/arrow/ArrowFile.h); here its tables become
/// frames and matrices and the other way round. A missing value is
/// NaN (which makes a column of integers or bool f64) or the empty string; where
/// nulls are kept, 0 in a column of integers. Dates and times are integers as stored.
#include <algorithm>
#include <numeric>

#include "data/CopyCells.h"
#include "data/NullIndicator.h"
#include "io/NullableColumns.h"
#include "io/arrow/ArrowFile.h"
#include "io/files/Bytes.h"
#include "io/text/TextPieces.h"

namespace daphne::io {

namespace {

// -------------------------------------------------------------------- reading

void needShape(const ReadJob &job, size_t rows, size_t cols) {
    if (job.meta && (job.meta->rows != rows || job.meta->cols != cols))
        throw job.error("it has " + std::to_string(rows) + "x" + std::to_string(cols) + " cells, its meta data say " +
                        std::to_string(job.meta->rows) + "x" + std::to_string(job.meta->cols));
}

/// Of a table without columns only the metadata tell the rows.
size_t rowsOf(const ReadJob &job, const ArrowTable &table) {
    return table.cols() == 0 && job.meta ? job.meta->rows : table.rows;
}

std::vector<std::string> labelsOf(const ReadJob &job, const ArrowFile &file) {
    if (job.meta && job.meta->hasSchema())
        return job.meta->labels;
    std::vector<std::string> labels(file.cols());
    for (size_t c = 0; c < file.cols(); ++c)
        labels[c] = file.label(c);
    return labels;
}

/// What the metadata say of the columns is known without the file.
std::optional<Metadata> describe(ReadJob &job) {
    if (job.meta && job.meta->hasSchema())
        return std::nullopt;
    ArrowFile file(job);
    if (file.rows() < 0 || file.cols() == 0)
        return std::nullopt;
    Metadata meta;
    meta.rows = static_cast<size_t>(file.rows());
    meta.cols = file.cols();
    meta.labels = labelsOf(job, file);
    for (size_t c = 0; c < file.cols(); ++c)
        meta.types.push_back(file.typeOf(c, job.keepsNulls(c)));
    meta.allNullable = job.meta && job.meta->allNullable;
    return meta;
}

Value readMatrix(ReadJob &job) {
    ArrowFile file(job);
    std::vector<size_t> columns(file.cols());
    std::iota(columns.begin(), columns.end(), size_t(0));
    ArrowTable table = file.read(columns, [](size_t) { return false; });
    size_t rows = rowsOf(job, table);
    needShape(job, rows, file.cols());
    ValueType type = table.types.empty() ? ValueType::F64 : table.types[0];
    for (ValueType t : table.types) {
        if ((t == ValueType::Str) != (type == ValueType::Str))
            throw job.error("it holds columns of strings and of numbers, which is no matrix").withHint("use readFrame");
        type = mostGeneral(type, t);
    }
    auto m = Dense::create(type, rows, table.cols());
    withValueType(type, [&]<class T>(TypeTag<T>) {
        auto out = m->template mutableView<T>();
        forEachTask(job.request.pool, table.cols(), [&](size_t c) { table.copyColumn(c, out.data + c, out.cols); });
    });
    return inWantedForm(converted(*m, resultType(job, type)), job.request);
}

/// The columns that the wanted ones are made of. If there are none, the first one tells the number of rows.
std::vector<size_t> columnsToRead(const ReadJob &job, const std::vector<std::string> &labels) {
    std::vector<size_t> columns;
    for (size_t c = 0; c < labels.size(); ++c)
        if (job.wantsColumn(labels[c]) || job.wantsColumn(indicatorLabel(labels[c])))
            columns.push_back(c);
    if (columns.empty() && !labels.empty())
        columns.push_back(0);
    return columns;
}

Value readFrame(ReadJob &job) {
    ArrowFile file(job);
    bool named = job.meta && job.meta->hasSchema();
    if (named)
        needShape(job, job.meta->rows, file.cols());
    std::vector<std::string> labels = labelsOf(job, file);
    std::vector<size_t> read = columnsToRead(job, labels);
    ArrowTable table = file.read(read, [&](size_t c) { return job.keepsNulls(c); });
    size_t rows = rowsOf(job, table);
    needShape(job, rows, file.cols());
    auto frame = Ref<Frame>::make(rows);
    NullIndicators indicators(job, labels, rows);
    std::vector<Ref<Dense>> columns(read.size());
    forEachTask(job.request.pool, read.size(), [&](size_t i) {
        columns[i] = Dense::create(table.types[i], rows, 1);
        withValueType(table.types[i],
                      [&]<class T>(TypeTag<T>) { table.copyColumn(i, columns[i]->template mutableView<T>().data, 1); });
        if (bool *there = indicators.of(read[i]))
            table.copyThere(i, there);
    });
    for (size_t i = 0; i < read.size(); ++i)
        frame->addColumn(labels[read[i]], named ? converted(*columns[i], job.meta->types[read[i]]) : columns[i]);
    indicators.addTo(*frame);
    return frame;
}

// -------------------------------------------------------------------- writing

/// Columns to be written, batch by batch of rows. A batch owns copies of its cells and is released by the library.
class Source {
  public:
    struct Column {
        std::string label;
        ValueType type;
        const Dense *cells;
        size_t column;                ///< of the cells
        const Dense *there = nullptr; ///< of bool, 0 where the cell is null; null: no cell is
    };

    Source(std::vector<Column> columns, size_t rows) : columns(std::move(columns)), rows(rows) {}

    ArrowArrayStream stream() {
        ArrowArrayStream s{};
        s.private_data = this;
        s.get_schema = [](ArrowArrayStream *s, ArrowSchema *out) {
            static_cast<Source *>(s->private_data)->describe(*out);
            return 0;
        };
        s.get_next = [](ArrowArrayStream *s, ArrowArray *out) {
            return static_cast<Source *>(s->private_data)->next(*out);
        };
        s.get_last_error = [](ArrowArrayStream *) { return "out of memory"; };
        s.release = [](ArrowArrayStream *s) { s->release = nullptr; };
        return s;
    }

  private:
    struct Batch {
        struct Buffers {
            std::string there, cells, text;
            const void *pointers[3] = {};
            ArrowArray array{};
        };
        std::vector<Buffers> columns;
        std::vector<ArrowArray *> children;
        const void *none = nullptr;
    };
    struct Schema {
        std::vector<std::string> labels;
        std::vector<ArrowSchema> columns;
        std::vector<ArrowSchema *> children;
    };

    void describe(ArrowSchema &out) const {
        auto *s = new Schema;
        s->columns.resize(columns.size());
        s->labels.resize(columns.size());
        for (size_t c = 0; c < columns.size(); ++c) {
            s->labels[c] = columns[c].label;
            s->columns[c].format = arrowCodeOf(columns[c].type);
            s->columns[c].name = s->labels[c].c_str();
            s->columns[c].flags = columns[c].there ? kArrowNullable : 0;
            s->columns[c].release = [](ArrowSchema *column) { column->release = nullptr; };
            s->children.push_back(&s->columns[c]);
        }
        out = {};
        out.format = "+s";
        out.name = "";
        out.n_children = static_cast<int64_t>(columns.size());
        out.children = s->children.data();
        out.private_data = s;
        out.release = [](ArrowSchema *schema) {
            delete static_cast<Schema *>(schema->private_data);
            schema->release = nullptr;
        };
    }

    int next(ArrowArray &out) {
        constexpr size_t kRows = 1 << 16;
        out = {};
        if (at >= rows)
            return 0;
        size_t end = std::min(rows, at + kRows);
        try {
            auto batch = std::make_unique<Batch>();
            batch->columns.resize(columns.size());
            for (size_t c = 0; c < columns.size(); ++c) {
                fill(columns[c], at, end, batch->columns[c]);
                batch->children.push_back(&batch->columns[c].array);
            }
            out.length = static_cast<int64_t>(end - at);
            out.n_buffers = 1;
            out.buffers = &batch->none;
            out.n_children = static_cast<int64_t>(columns.size());
            out.children = batch->children.data();
            out.private_data = batch.release();
            out.release = [](ArrowArray *a) {
                for (int64_t c = 0; c < a->n_children; ++c)
                    if (a->children[c]->release)
                        a->children[c]->release(a->children[c]);
                delete static_cast<Batch *>(a->private_data);
                a->release = nullptr;
            };
        } catch (const std::bad_alloc &) {
            return ENOMEM;
        }
        at = end;
        return 0;
    }

    static void fill(const Column &column, size_t begin, size_t end, Batch::Buffers &buffers) {
        size_t n = end - begin;
        withValueType(column.type, [&]<class T>(TypeTag<T>) {
            auto cells = column.cells->view<T>();
            auto cell = [&](size_t i) -> const T & { return cells(begin + i, column.column); };
            if constexpr (std::is_same_v<T, std::string>) {
                int64_t offset = 0;
                appendRaw(buffers.cells, offset);
                for (size_t i = 0; i < n; ++i) {
                    buffers.text += cell(i);
                    offset = static_cast<int64_t>(buffers.text.size());
                    appendRaw(buffers.cells, offset);
                }
            } else if constexpr (std::is_same_v<T, bool>) {
                buffers.cells = arrowBitsOf(cells, column.column, begin, end);
            } else {
                buffers.cells.resize(n * sizeof(T));
                for (size_t i = 0; i < n; ++i)
                    std::memcpy(buffers.cells.data() + i * sizeof(T), &cell(i), sizeof(T));
            }
        });
        buffers.pointers[1] = buffers.cells.data();
        buffers.pointers[2] = buffers.text.data();
        ArrowArray &a = buffers.array;
        a.length = static_cast<int64_t>(n);
        if (column.there) {
            auto there = column.there->view<bool>();
            buffers.there = arrowBitsOf(there, 0, begin, end);
            buffers.pointers[0] = buffers.there.data();
            for (size_t r = begin; r < end; ++r)
                a.null_count += !there(r, 0);
        }
        a.n_buffers = column.type == ValueType::Str ? 3 : 2;
        a.buffers = buffers.pointers;
        a.release = [](ArrowArray *array) { array->release = nullptr; };
    }

    const std::vector<Column> columns;
    const size_t rows;
    size_t at = 0;
};

void writeColumns(std::vector<Source::Column> columns, size_t rows, WriteJob &job) {
    Source source(std::move(columns), rows);
    ArrowArrayStream stream = source.stream();
    DaphneArrowMessage message{};
    const std::string &target = job.file.targetPath();
    if (ArrowLibrary::get().write(job.file.temporaryPath().c_str(), std::string(arrowFormatOf(target)).c_str(), &stream,
                                  &message))
        throw executionError("cannot write file \"" + target + "\": " + message.text);
}

void writeMatrix(const Matrix &matrix, WriteJob &job) {
    auto m = denseOf(matrix);
    std::vector<Source::Column> columns;
    for (size_t c = 0; c < m->cols(); ++c)
        columns.push_back({"col_" + std::to_string(c), m->type(), m.get(), c});
    writeColumns(std::move(columns), m->rows(), job);
}

void writeFrame(const Frame &f, WriteJob &job) {
    std::vector<NullableColumn> nullable = nullableColumns(f);
    std::vector<Source::Column> columns;
    for (const NullableColumn &c : nullable)
        columns.push_back({c.label, c.cells->type(), c.cells.get(), 0, c.there.get()});
    writeColumns(std::move(columns), f.rows(), job);
}

} // namespace

void addArrow(FormatTable &t) {
    for (auto [extension, title] :
         {std::pair<const char *, const char *>("parquet", "Parquet"), {"arrow", "Arrow"}, {"feather", "Feather"}})
        t.add({.extension = extension,
               .title = title,
               .describe = describe,
               .readMatrix = readMatrix,
               .readFrame = readFrame,
               .writeMatrix = writeMatrix,
               .writeFrame = writeFrame,
               .compressible = false,
               .hasNulls = true,
               .library = "Arrow"});
}

} // namespace daphne::io
