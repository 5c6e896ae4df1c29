// SPDX-License-Identifier: Apache-2.0
/// libdaphne_arrow: Parquet and Arrow files by means of Arrow C++. See Interface.h.
#include <cstdio>
#include <memory>
#include <string>
#include <vector>

#include <arrow/api.h>
#include <arrow/c/bridge.h>
#include <arrow/io/file.h>
#include <arrow/ipc/api.h>
#include <parquet/arrow/writer.h>

#include "io/arrow/Interface.h"
#include "io/arrow/module/OpenFile.h"

namespace {

using daphne::arrowfiles::OpenFile;

/// Nothing may be thrown over the border.
template <class Work> int guarded(DaphneArrowMessage *message, Work &&work) {
    std::string text;
    try {
        arrow::Status status = work();
        if (status.ok())
            return 0;
        text = status.message();
    } catch (const std::exception &problem) {
        text = problem.what();
    }
    std::snprintf(message->text, sizeof message->text, "%s", text.c_str());
    return 1;
}

OpenFile &fileOf(const DaphneArrowFile *file) { return *static_cast<OpenFile *>(file->own); }

int readColumns(DaphneArrowFile *file, const size_t *columns, size_t n, bool threads, ArrowArrayStream *out,
                DaphneArrowMessage *message) {
    return guarded(message, [&]() -> arrow::Status {
        std::vector<int> wanted(columns, columns + n);
        ARROW_ASSIGN_OR_RAISE(auto batches, fileOf(file).read(wanted, threads));
        return arrow::ExportRecordBatchReader(batches, out);
    });
}

arrow::Status open(const std::string &path, const std::string &format, DaphneArrowFile *out) {
    ARROW_ASSIGN_OR_RAISE(auto file, format == "parquet" ? daphne::arrowfiles::openParquet(path)
                                                         : daphne::arrowfiles::openIpc(path));
    ARROW_RETURN_NOT_OK(arrow::ExportSchema(*file->schema(), &out->schema));
    out->rows = file->rows();
    out->nulls = [](const DaphneArrowFile *file, size_t column) { return fileOf(file).nulls(column); };
    out->read = readColumns;
    out->release = [](DaphneArrowFile *file) {
        if (file->schema.release)
            file->schema.release(&file->schema);
        delete &fileOf(file);
        file->release = nullptr;
    };
    out->own = file.release();
    return arrow::Status::OK();
}

arrow::Status write(const char *path, const std::string &format, ArrowArrayStream *in) {
    ARROW_ASSIGN_OR_RAISE(auto batches, arrow::ImportRecordBatchReader(in));
    ARROW_ASSIGN_OR_RAISE(auto file, arrow::io::FileOutputStream::Open(path));
    auto copy = [&](auto &writer) -> arrow::Status {
        for (;;) {
            std::shared_ptr<arrow::RecordBatch> batch;
            ARROW_RETURN_NOT_OK(batches->ReadNext(&batch));
            if (!batch)
                return writer.Close();
            ARROW_RETURN_NOT_OK(writer.WriteRecordBatch(*batch));
        }
    };
    if (format == "parquet") {
        auto properties = parquet::WriterProperties::Builder().compression(arrow::Compression::SNAPPY)->build();
        auto settings = parquet::ArrowWriterProperties::Builder().store_schema()->build();
        ARROW_ASSIGN_OR_RAISE(auto writer,
                              parquet::arrow::FileWriter::Open(*batches->schema(), arrow::default_memory_pool(), file,
                                                               properties, settings));
        ARROW_RETURN_NOT_OK(copy(*writer));
    } else {
        ARROW_ASSIGN_OR_RAISE(auto writer, arrow::ipc::MakeFileWriter(file, batches->schema()));
        ARROW_RETURN_NOT_OK(copy(*writer));
    }
    return file->Close();
}

} // namespace

extern "C" {

[[gnu::visibility("default")]] int daphneArrowOpen(const char *path, const char *format, DaphneArrowFile *out,
                                                   DaphneArrowMessage *message) {
    return guarded(message, [&] { return open(path, format, out); });
}

[[gnu::visibility("default")]] int daphneArrowWrite(const char *path, const char *format, ArrowArrayStream *in,
                                                    DaphneArrowMessage *message) {
    return guarded(message, [&] { return write(path, format, in); });
}
}
