// SPDX-License-Identifier: Apache-2.0
/// Parquet and Arrow files (also Feather of version 2). The files themselves are
/// the business of libdaphne_arrow, which is loaded when one is met; here its
/// tables become frames and matrices and the other way round. A missing value is
/// NaN (which makes a column of integers or bool f64) or the empty string; where
/// nulls are kept, 0 in a column of integers. nat is a missing time.
#include <algorithm>

#include "base/OwnObject.h"
#include "data/CopyCells.h"
#include "io/NullableColumns.h"
#include "io/Times.h"
#include "io/arrow/ArrowTable.h"
#include "io/files/Bytes.h"
#include "io/files/SharedLibrary.h"

namespace daphne::io {

namespace {

struct Library {
    Library() {
        std::string beside = ownLibrary("libdaphne_arrow.so");
        SharedLibrary lib("Arrow", {beside.c_str(), DAPHNE_ARROW_MODULE});
        read = lib.get<DaphneArrowRead>("daphneArrowRead");
        write = lib.get<DaphneArrowWrite>("daphneArrowWrite");
    }
    DaphneArrowRead *read;
    DaphneArrowWrite *write;
    static const Library &get() {
        static const Library library;
        return library;
    }
};

std::string_view formatOf(std::string_view path) { return path.ends_with(".parquet") ? "parquet" : "arrow"; }

// -------------------------------------------------------------------- reading

/// The table of a file. keepsNulls: columns of integers keep their type although cells are null.
ArrowTable tableOf(const ReadJob &job, const std::function<bool(size_t column)> &keepsNulls) {
    OwnedByUs<ArrowArrayStream> stream;
    char message[1024] = "";
    if (Library::get().read(job.path.c_str(), std::string(formatOf(job.path)).c_str(), &stream, message,
                            sizeof message))
        throw job.error(message);
    return ArrowTable(stream, [&](const std::string &what) { return job.error(what); }, keepsNulls);
}

void needShapeOf(const ReadJob &job, ArrowTable &table) {
    if (table.cols() == 0 && job.meta)
        table.rows = job.meta->rows; // nothing else tells
    if (job.meta && (job.meta->rows != table.rows || job.meta->cols != table.cols()))
        throw job.error("it has " + std::to_string(table.rows) + "x" + std::to_string(table.cols()) +
                        " cells, its meta data say " + std::to_string(job.meta->rows) + "x" +
                        std::to_string(job.meta->cols));
}

Value readMatrix(ReadJob &job) {
    ArrowTable table = tableOf(job, [](size_t) { return false; });
    needShapeOf(job, table);
    ValueType type = table.types.empty() ? ValueType::F64 : table.types[0];
    for (ValueType t : table.types) {
        if (!areAlike(t, type))
            throw job
                .error("it holds columns of " + std::string(isNumeric(type) ? "numbers" : dslName(type)) + " and of " +
                       std::string(isNumeric(t) ? "numbers" : dslName(t)) + ", which is no matrix")
                .withHint("use readFrame");
        type = mostGeneral(type, t);
    }
    auto m = Dense::create(type, table.rows, table.cols());
    withValueType(type, [&]<class T>(TypeTag<T>) {
        auto out = m->template mutableView<T>();
        forEachTask(job.request.pool, table.cols(), [&](size_t c) {
            if (table.types[c] != type && isTime(type)) { // dates beside timestamps
                auto column = Dense::create(table.types[c], table.rows, 1);
                table.copyColumn(c, column->mutableView<int32_t>().data, 1);
                copyInto(*m, *column, 0, c);
            } else {
                table.copyColumn(c, out.data + c, out.cols);
            }
        });
    });
    return inWantedForm(converted(*m, resultType(job, type)), job.request);
}

Value readFrame(ReadJob &job) {
    ArrowTable table = tableOf(job, [&](size_t c) { return job.keepsNulls(c); });
    needShapeOf(job, table);
    auto frame = Ref<Frame>::make(table.rows);
    bool named = job.meta && job.meta->hasSchema();
    std::vector<std::string> labels;
    labels.reserve(table.cols());
    for (size_t c = 0; c < table.cols(); ++c)
        labels.push_back(named ? job.meta->labels[c] : table.label(c));
    NullIndicators indicators(job, labels, table.types, table.rows);
    std::vector<Ref<Dense>> columns(table.cols());
    forEachTask(job.request.pool, table.cols(), [&](size_t c) {
        columns[c] = Dense::create(table.types[c], table.rows, 1);
        withValueType(table.types[c],
                      [&]<class T>(TypeTag<T>) { table.copyColumn(c, columns[c]->template mutableView<T>().data, 1); });
        if (bool *there = indicators.of(c))
            table.copyThere(c, there);
    });
    for (size_t c = 0; c < table.cols(); ++c)
        frame->addColumn(labels[c], named ? converted(*columns[c], job.meta->types[c]) : columns[c]);
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
        size_t column;         ///< of the cells
        Ref<Dense> there = {}; ///< of bool, 0 where the cell is null; null: no cell is
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
    char message[1024] = "";
    const std::string &target = job.file.targetPath();
    if (Library::get().write(job.file.temporaryPath().c_str(), std::string(formatOf(target)).c_str(), &stream, message,
                             sizeof message))
        throw executionError("cannot write file \"" + target + "\": " + message);
}

void writeMatrix(const Matrix &matrix, WriteJob &job) {
    auto m = denseOf(matrix);
    std::vector<Source::Column> columns;
    for (size_t c = 0; c < m->cols(); ++c)
        columns.push_back({"col_" + std::to_string(c), m->type(), m.get(), c,
                           isTime(m->type()) ? thereOfTimes(*m, c) : Ref<Dense>()});
    writeColumns(std::move(columns), m->rows(), job);
}

void writeFrame(const Frame &f, WriteJob &job) {
    std::vector<NullableColumn> nullable = nullableColumns(f);
    std::vector<Source::Column> columns;
    for (const NullableColumn &c : nullable)
        columns.push_back({c.label, c.cells->type(), c.cells.get(), 0,
                           isTime(c.cells->type()) ? thereOfTimes(*c.cells, 0, c.there) : c.there});
    writeColumns(std::move(columns), f.rows(), job);
}

} // namespace

void addArrow(FormatTable &t) {
    for (auto [extension, title] :
         {std::pair<const char *, const char *>("parquet", "Parquet"), {"arrow", "Arrow"}, {"feather", "Feather"}})
        t.add({.extension = extension,
               .title = title,
               .readMatrix = readMatrix,
               .readFrame = readFrame,
               .writeMatrix = writeMatrix,
               .writeFrame = writeFrame,
               .compressible = false,
               .hasNulls = true,
               .hasTimes = true,
               .library = "Arrow"});
}

} // namespace daphne::io
