// SPDX-License-Identifier: Apache-2.0
#include "io/arrow/FrameStream.h"

#include <cerrno>
#include <memory>

#include "data/NullIndicator.h"
#include "io/NullableColumns.h"
#include "io/Times.h"
#include "io/arrow/ArrowTable.h"
#include "io/files/Bytes.h"

namespace daphne::io {

Value frameOfStream(ArrowArrayStream &given) {
    OwnedByUs<ArrowArrayStream> stream;
    static_cast<ArrowArrayStream &>(stream) = given;
    given.release = nullptr;
    auto error = [](const std::string &what) { return executionError("the Arrow stream cannot be used: " + what); };
    auto table = std::make_shared<ArrowTable>(stream, error, [](size_t) { return true; });
    auto frame = Ref<Frame>::make(table->rows);
    using Holder = std::shared_ptr<ArrowTable>;
    for (size_t c = 0; c < table->cols(); ++c) {
        ValueType type = table->types[c];
        Ref<Dense> column;
        if (const void *cells = table->rows > 0 ? table->cellsOf(c) : nullptr) {
            auto release = [](void *holder) { delete static_cast<Holder *>(holder); };
            auto holder = std::make_unique<Holder>(table);
            Buffer *buffer = Buffer::borrow(type, cells, table->rows, release, holder.get());
            holder.release();
            column = Dense::over(type, buffer, table->rows, 1, 1);
        } else {
            column = Dense::create(type, table->rows, 1);
            withValueType(
                type, [&]<class T>(TypeTag<T>) { table->copyColumn(c, column->template mutableView<T>().data, 1); });
        }
        frame->addColumn(table->label(c), std::move(column));
    }
    for (size_t c = 0; c < table->cols(); ++c)
        if (table->hasNulls(c) && !isTime(table->types[c])) {
            auto there = Dense::create(ValueType::Bool, table->rows, 1);
            table->copyThere(c, there->mutableView<bool>().data);
            frame->addColumn(indicatorLabel(table->label(c)), std::move(there));
        }
    return frame;
}

namespace {

/// What a stream, its schema and its batch share: the columns and whatever had to be copied of them.
struct Shared {
    std::vector<NullableColumn> columns;
    size_t rows = 0;
    struct Copies {
        std::string there, cells, text;
        const void *pointers[3] = {};
    };
    std::vector<Copies> copies;
};
using SharedRef = std::shared_ptr<Shared>;

void copyStrings(const Dense &cells, Shared::Copies &to) {
    auto view = cells.view<std::string>();
    int64_t offset = 0;
    appendRaw(to.cells, offset);
    for (size_t r = 0; r < view.rows; ++r) {
        to.text += view(r, 0);
        offset = static_cast<int64_t>(to.text.size());
        appendRaw(to.cells, offset);
    }
    to.pointers[1] = to.cells.data();
    to.pointers[2] = to.text.data();
}

void prepare(Shared &shared) {
    shared.copies.resize(shared.columns.size());
    for (size_t c = 0; c < shared.columns.size(); ++c) {
        NullableColumn &column = shared.columns[c];
        Shared::Copies &to = shared.copies[c];
        if (!column.cells->contiguous())
            column.cells = column.cells->copy();
        if (isTime(column.cells->type()))
            column.there = thereOfTimes(*column.cells, 0, column.there);
        withValueType(column.cells->type(), [&]<class T>(TypeTag<T>) {
            if constexpr (std::is_same_v<T, std::string>) {
                copyStrings(*column.cells, to);
            } else if constexpr (std::is_same_v<T, bool>) {
                to.cells = arrowBitsOf(column.cells->view<bool>(), 0, 0, shared.rows);
                to.pointers[1] = to.cells.data();
            } else {
                to.pointers[1] = column.cells->view<T>().data;
            }
        });
        if (column.there) {
            to.there = arrowBitsOf(column.there->view<bool>(), 0, 0, shared.rows);
            to.pointers[0] = to.there.data();
        }
    }
}

struct Schema {
    SharedRef shared;
    std::vector<ArrowSchema> columns;
    std::vector<ArrowSchema *> children;
};

void describe(const SharedRef &shared, ArrowSchema &out) {
    auto s = std::make_unique<Schema>();
    s->shared = shared;
    s->columns.resize(shared->columns.size());
    for (size_t c = 0; c < s->columns.size(); ++c) {
        const NullableColumn &column = shared->columns[c];
        s->columns[c].format = arrowCodeOf(column.cells->type());
        s->columns[c].name = column.label.c_str();
        s->columns[c].flags = column.there ? kArrowNullable : 0;
        s->columns[c].release = [](ArrowSchema *schema) { schema->release = nullptr; };
        s->children.push_back(&s->columns[c]);
    }
    out = {};
    out.format = "+s";
    out.name = "";
    out.n_children = static_cast<int64_t>(s->columns.size());
    out.children = s->children.data();
    out.private_data = s.release();
    out.release = [](ArrowSchema *schema) {
        auto *mine = static_cast<Schema *>(schema->private_data);
        for (ArrowSchema &column : mine->columns)
            if (column.release)
                column.release(&column);
        delete mine;
        schema->release = nullptr;
    };
}

/// Children may be moved out of the batch: each keeps what it needs.
struct Batch {
    SharedRef shared;
    std::vector<ArrowArray> columns;
    std::vector<ArrowArray *> children;
    const void *none = nullptr;
};

void fill(const SharedRef &shared, ArrowArray &out) {
    auto b = std::make_unique<Batch>();
    b->shared = shared;
    b->columns.resize(shared->columns.size());
    for (size_t c = 0; c < b->columns.size(); ++c) {
        const NullableColumn &column = shared->columns[c];
        ArrowArray &a = b->columns[c];
        a.length = static_cast<int64_t>(shared->rows);
        if (column.there)
            for (size_t r = 0; r < shared->rows; ++r)
                a.null_count += !column.there->view<bool>()(r, 0);
        a.n_buffers = column.cells->type() == ValueType::Str ? 3 : 2;
        a.buffers = shared->copies[c].pointers;
        a.private_data = new SharedRef(shared);
        a.release = [](ArrowArray *array) {
            delete static_cast<SharedRef *>(array->private_data);
            array->release = nullptr;
        };
        b->children.push_back(&a);
    }
    out = {};
    out.length = static_cast<int64_t>(shared->rows);
    out.n_buffers = 1;
    out.buffers = &b->none;
    out.n_children = static_cast<int64_t>(b->columns.size());
    out.children = b->children.data();
    out.private_data = b.release();
    out.release = [](ArrowArray *array) {
        auto *mine = static_cast<Batch *>(array->private_data);
        for (ArrowArray &column : mine->columns)
            if (column.release)
                column.release(&column);
        delete mine;
        array->release = nullptr;
    };
}

struct Stream {
    SharedRef shared;
    bool isDone = false;
};

template <class Body> int orNoMemory(Body &&body) {
    try {
        body();
        return 0;
    } catch (const std::bad_alloc &) {
        return ENOMEM;
    }
}

} // namespace

void streamOfFrame(Ref<Frame> frame, ArrowArrayStream &out) {
    auto shared = std::make_shared<Shared>();
    shared->columns = nullableColumns(*frame);
    shared->rows = frame->rows();
    prepare(*shared);
    auto stream = std::make_unique<Stream>(Stream{std::move(shared)});
    out = {};
    out.get_schema = [](ArrowArrayStream *s, ArrowSchema *schema) {
        return orNoMemory([&] { describe(static_cast<Stream *>(s->private_data)->shared, *schema); });
    };
    out.get_next = [](ArrowArrayStream *s, ArrowArray *array) {
        auto *mine = static_cast<Stream *>(s->private_data);
        *array = {};
        if (std::exchange(mine->isDone, true))
            return 0;
        return orNoMemory([&] { fill(mine->shared, *array); });
    };
    out.get_last_error = [](ArrowArrayStream *) { return "out of memory"; };
    out.release = [](ArrowArrayStream *s) {
        delete static_cast<Stream *>(s->private_data);
        s->release = nullptr;
    };
    out.private_data = stream.release();
}

} // namespace daphne::io
