// SPDX-License-Identifier: Apache-2.0
/// Parquet and Arrow files (also Feather of version 2). The files themselves are
/// the business of libdaphne_arrow, which is loaded when one is met; here its
/// tables become frames and matrices and the other way round. A missing value is
/// NaN (which makes a column of integers or bool f64) or the empty string; where
/// nulls are kept, 0 in a column of integers. Dates and times are integers as stored.
#include <algorithm>

#include "base/OwnObject.h"
#include "data/CopyCells.h"
#include "io/Bytes.h"
#include "io/NullableColumns.h"
#include "io/SharedLibrary.h"
#include "io/arrow/Interface.h"

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

/// A structure of the C data interface that is released at the end of its scope.
template <class T> struct Owned : T {
    Owned() : T{} {}
    ~Owned() {
        if (this->release)
            this->release(this);
    }
    Owned(Owned &&other) noexcept : T(other) { other.release = nullptr; }
    Owned(const Owned &) = delete;
    Owned &operator=(const Owned &) = delete;
};

std::string_view formatOf(std::string_view path) { return path.ends_with(".parquet") ? "parquet" : "arrow"; }

// -------------------------------------------------------------------- reading

/// Calls f with a null pointer to the C++ type of a code; false if it is no number.
template <class F> bool withStoredType(std::string_view code, F &&f) {
    if (code.starts_with("tdD") || code == "tts" || code == "ttm")
        code = "i";
    else if (code.starts_with('t'))
        code = "l"; // dates, times and durations
    if (code.size() != 1)
        return false;
    switch (code[0]) {
    case 'c': return f(static_cast<const int8_t *>(nullptr)), true;
    case 'C': return f(static_cast<const uint8_t *>(nullptr)), true;
    case 's': return f(static_cast<const int16_t *>(nullptr)), true;
    case 'S': return f(static_cast<const uint16_t *>(nullptr)), true;
    case 'i': return f(static_cast<const int32_t *>(nullptr)), true;
    case 'I': return f(static_cast<const uint32_t *>(nullptr)), true;
    case 'l': return f(static_cast<const int64_t *>(nullptr)), true;
    case 'L': return f(static_cast<const uint64_t *>(nullptr)), true;
    case 'f': return f(static_cast<const float *>(nullptr)), true;
    case 'g': return f(static_cast<const double *>(nullptr)), true;
    default: return false;
    }
}

bool isString(std::string_view code) { return code == "u" || code == "U" || code == "z" || code == "Z"; }

bool bitAt(const void *bits, int64_t i) { return static_cast<const uint8_t *>(bits)[i / 8] >> (i % 8) & 1; }

bool isNull(const ArrowArray &a, int64_t i) {
    return a.n_buffers > 0 && a.buffers[0] && a.null_count != 0 && !bitAt(a.buffers[0], a.offset + i);
}

template <class Offset> std::string_view stringAt(const ArrowArray &a, int64_t i) {
    auto *offsets = static_cast<const Offset *>(a.buffers[1]) + a.offset + i;
    return {static_cast<const char *>(a.buffers[2]) + offsets[0], static_cast<size_t>(offsets[1] - offsets[0])};
}

std::string_view stringAt(std::string_view code, const ArrowArray &a, int64_t i) {
    return code == "u" || code == "z" ? stringAt<int32_t>(a, i) : stringAt<int64_t>(a, i);
}

/// A table in memory, as the library gives it.
class Table {
  public:
    enum class Nulls { Widen, Keep };

    Table(const ReadJob &job, Nulls nulls) {
        Owned<ArrowArrayStream> stream;
        char message[1024] = "";
        if (Library::get().read(job.path.c_str(), std::string(formatOf(job.path)).c_str(), &stream, message,
                                sizeof message))
            throw job.error(message);
        auto check = [&](int status) {
            const char *what = status ? stream.get_last_error(&stream) : nullptr;
            if (status)
                throw job.error(what ? what : "the table cannot be read");
        };
        check(stream.get_schema(&stream, &schema));
        for (;;) {
            Owned<ArrowArray> batch;
            check(stream.get_next(&stream, &batch));
            if (!batch.release)
                break;
            rows += static_cast<size_t>(batch.length);
            batches.push_back(std::move(batch));
        }
        for (int64_t c = 0; c < schema.n_children; ++c)
            types.push_back(typeOf(c, job, nulls == Nulls::Keep && job.keepsNulls(static_cast<size_t>(c))));
    }

    size_t cols() const { return types.size(); }
    std::string label(size_t c) const { return schema.children[c]->name ? schema.children[c]->name : ""; }

    /// The cells of a column, from `out` on, each so many cells further.
    template <class T> void copyColumn(size_t c, T *out, size_t step) const {
        const ArrowSchema &type = *schema.children[c];
        for (const auto &batch : batches) {
            ArrowArray a = *batch.children[c]; // a view: offsets of the batch count, too
            a.offset += batch.offset;
            for (int64_t i = 0; i < batch.length; ++i, out += step)
                *out = cellAt<T>(type, a, i);
        }
    }

    /// Which cells of a column are there.
    void copyThere(size_t c, bool *out) const {
        const ArrowSchema &type = *schema.children[c];
        for (const auto &batch : batches) {
            ArrowArray a = *batch.children[c];
            a.offset += batch.offset;
            for (int64_t i = 0; i < batch.length; ++i)
                *out++ = !isMissing(type, a, i);
        }
    }

    size_t rows = 0;
    std::vector<ValueType> types;

  private:
    bool hasNulls(size_t c) const {
        return std::ranges::any_of(batches, [&](const auto &batch) {
            const ArrowArray &a = *batch.children[c];
            if (a.null_count == 0 || a.n_buffers == 0 || !a.buffers[0])
                return false;
            for (int64_t i = 0; i < batch.length; ++i)
                if (!bitAt(a.buffers[0], batch.offset + a.offset + i))
                    return true;
            return false;
        });
    }

    ValueType typeOf(int64_t c, const ReadJob &job, bool keepNulls) const {
        const ArrowSchema &column = *schema.children[c];
        std::string_view code = column.dictionary ? column.dictionary->format : column.format;
        if (isString(code))
            return ValueType::Str;
        ValueType type = ValueType::Unknown;
        if (code == "b")
            type = ValueType::Bool;
        else if (code == "n")
            return ValueType::F64; // nothing but missing values
        withStoredType(code, [&]<class S>(const S *) {
            type = std::is_same_v<S, int16_t>    ? ValueType::SI32
                   : std::is_same_v<S, uint16_t> ? ValueType::UI32
                                                 : storedAs<S>();
        });
        if (type == ValueType::Unknown)
            throw job.error("column \"" + shownWord(label(static_cast<size_t>(c))) +
                            "\" is of a type that is not supported (\"" + shownWord(code) + "\")");
        return isFloat(type) || keepNulls || !hasNulls(static_cast<size_t>(c)) ? type : ValueType::F64;
    }
    template <class S> static constexpr ValueType storedAs() {
        if constexpr (sizeof(S) == 2)
            return ValueType::Unknown;
        else
            return valueTypeOf<S>();
    }

    /// The number of the cell's value in the dictionary of its column.
    static int64_t codeAt(const ArrowSchema &type, const ArrowArray &a, int64_t i) {
        int64_t code = 0;
        withStoredType(type.format, [&]<class S>(const S *) {
            code = static_cast<int64_t>(static_cast<const S *>(a.buffers[1])[a.offset + i]);
        });
        return code;
    }

    static bool isMissing(const ArrowSchema &type, const ArrowArray &a, int64_t i) {
        if (std::string_view(type.format) == "n" || isNull(a, i))
            return true;
        return type.dictionary && isMissing(*type.dictionary, *a.dictionary, codeAt(type, a, i));
    }

    template <class T> static T cellAt(const ArrowSchema &type, const ArrowArray &a, int64_t i) {
        std::string_view code = type.format;
        if (code == "n" || isNull(a, i))
            return missing<T>();
        if (type.dictionary)
            return cellAt<T>(*type.dictionary, *a.dictionary, codeAt(type, a, i));
        if constexpr (std::is_same_v<T, std::string>) {
            return std::string(stringAt(code, a, i));
        } else {
            if (code == "b")
                return static_cast<T>(bitAt(a.buffers[1], a.offset + i));
            T cell{};
            withStoredType(code, [&]<class S>(const S *) {
                cell = convertNumber<T>(static_cast<const S *>(a.buffers[1])[a.offset + i]);
            });
            return cell;
        }
    }
    template <class T> static T missing() {
        if constexpr (std::is_floating_point_v<T>)
            return std::numeric_limits<T>::quiet_NaN();
        else
            return T{};
    }

    Owned<ArrowSchema> schema;
    std::vector<Owned<ArrowArray>> batches;
};

void needShapeOf(const ReadJob &job, Table &table) {
    if (table.cols() == 0 && job.meta)
        table.rows = job.meta->rows; // nothing else tells
    if (job.meta && (job.meta->rows != table.rows || job.meta->cols != table.cols()))
        throw job.error("it has " + std::to_string(table.rows) + "x" + std::to_string(table.cols()) +
                        " cells, its meta data say " + std::to_string(job.meta->rows) + "x" +
                        std::to_string(job.meta->cols));
}

Value readMatrix(ReadJob &job) {
    Table table(job, Table::Nulls::Widen);
    needShapeOf(job, table);
    ValueType type = table.types.empty() ? ValueType::F64 : table.types[0];
    for (ValueType t : table.types) {
        if ((t == ValueType::Str) != (type == ValueType::Str))
            throw job.error("it holds columns of strings and of numbers, which is no matrix").withHint("use readFrame");
        type = mostGeneral(type, t);
    }
    auto m = Dense::create(type, table.rows, table.cols());
    withValueType(type, [&]<class T>(TypeTag<T>) {
        auto out = m->template mutableView<T>();
        forEachTask(job.request.pool, table.cols(), [&](size_t c) { table.copyColumn(c, out.data + c, out.cols); });
    });
    return inWantedForm(converted(*m, resultType(job, type)), job.request);
}

Value readFrame(ReadJob &job) {
    Table table(job, Table::Nulls::Keep);
    needShapeOf(job, table);
    auto frame = Ref<Frame>::make(table.rows);
    bool named = job.meta && job.meta->hasSchema();
    std::vector<std::string> labels;
    labels.reserve(table.cols());
    for (size_t c = 0; c < table.cols(); ++c)
        labels.push_back(named ? job.meta->labels[c] : table.label(c));
    NullIndicators indicators(job, labels, table.rows);
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

const char *codeOf(ValueType type) {
    switch (type) {
    case ValueType::Bool: return "b";
    case ValueType::SI8: return "c";
    case ValueType::UI8: return "C";
    case ValueType::SI32: return "i";
    case ValueType::UI32: return "I";
    case ValueType::SI64: return "l";
    case ValueType::F32: return "f";
    case ValueType::F64: return "g";
    case ValueType::Str: return "U";
    default: return "L";
    }
}

constexpr int64_t kNullable = 2; ///< a flag of Arrow's C data interface

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
            s->columns[c].format = codeOf(columns[c].type);
            s->columns[c].name = s->labels[c].c_str();
            s->columns[c].flags = columns[c].there ? kNullable : 0;
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

    /// One bit per cell, from the lowest to the highest of each byte.
    static std::string bitsOf(const DenseView<const bool> &cells, size_t column, size_t begin, size_t end) {
        std::string bits((end - begin + 7) / 8, '\0');
        for (size_t i = 0; i < end - begin; ++i)
            bits[i / 8] = static_cast<char>(bits[i / 8] | cells(begin + i, column) << (i % 8));
        return bits;
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
                buffers.cells = bitsOf(cells, column.column, begin, end);
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
            buffers.there = bitsOf(there, 0, begin, end);
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
               .readMatrix = readMatrix,
               .readFrame = readFrame,
               .writeMatrix = writeMatrix,
               .writeFrame = writeFrame,
               .compressible = false,
               .hasNulls = true,
               .library = "Arrow"});
}

} // namespace daphne::io
