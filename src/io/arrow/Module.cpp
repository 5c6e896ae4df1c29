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
#include <parquet/arrow/reader.h>
#include <parquet/arrow/writer.h>

namespace {

using Reader = std::shared_ptr<arrow::RecordBatchReader>;

/// Older versions have an output parameter.
template <class FileReader> arrow::Result<std::shared_ptr<arrow::Table>> tableOf(FileReader &reader) {
    if constexpr (requires { reader.ReadTable(); }) {
        return reader.ReadTable();
    } else {
        std::shared_ptr<arrow::Table> table;
        ARROW_RETURN_NOT_OK(reader.ReadTable(&table));
        return table;
    }
}

arrow::Result<Reader> readParquet(const std::shared_ptr<arrow::io::ReadableFile> &file) {
    parquet::arrow::FileReaderBuilder builder;
    ARROW_RETURN_NOT_OK(builder.Open(file));
    std::unique_ptr<parquet::arrow::FileReader> reader;
    ARROW_RETURN_NOT_OK(builder.Build(&reader));
    reader->set_use_threads(true);
    ARROW_ASSIGN_OR_RAISE(auto table, tableOf(*reader));
    return std::make_shared<arrow::TableBatchReader>(table);
}

/// Files that end with a directory of batches (also Feather), or plain streams of them.
arrow::Result<Reader> readArrow(const std::shared_ptr<arrow::io::ReadableFile> &file) {
    ARROW_ASSIGN_OR_RAISE(auto mark, file->ReadAt(0, 6));
    if (mark->ToString() != "ARROW1") {
        ARROW_ASSIGN_OR_RAISE(auto stream, arrow::ipc::RecordBatchStreamReader::Open(file));
        return stream;
    }
    ARROW_ASSIGN_OR_RAISE(auto reader, arrow::ipc::RecordBatchFileReader::Open(file));
    arrow::RecordBatchVector batches;
    for (int i = 0; i < reader->num_record_batches(); ++i) {
        ARROW_ASSIGN_OR_RAISE(auto batch, reader->ReadRecordBatch(i));
        ARROW_RETURN_NOT_OK(batch->ValidateFull());
        batches.push_back(std::move(batch));
    }
    return arrow::RecordBatchReader::Make(std::move(batches), reader->schema());
}

arrow::Status read(const char *path, const std::string &format, ArrowArrayStream *out) {
    ARROW_ASSIGN_OR_RAISE(auto file, arrow::io::ReadableFile::Open(path));
    ARROW_ASSIGN_OR_RAISE(auto reader, format == "parquet" ? readParquet(file) : readArrow(file));
    return arrow::ExportRecordBatchReader(reader, out);
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
        auto settings = parquet::ArrowWriterProperties::Builder().store_schema()->build();
        ARROW_ASSIGN_OR_RAISE(auto writer,
                              parquet::arrow::FileWriter::Open(*batches->schema(), arrow::default_memory_pool(), file,
                                                               parquet::default_writer_properties(), settings));
        ARROW_RETURN_NOT_OK(copy(*writer));
    } else {
        ARROW_ASSIGN_OR_RAISE(auto writer, arrow::ipc::MakeFileWriter(file, batches->schema()));
        ARROW_RETURN_NOT_OK(copy(*writer));
    }
    return file->Close();
}

/// Nothing may be thrown over the border.
template <class Work> int guarded(char *message, size_t room, Work &&work) {
    std::string text;
    try {
        arrow::Status status = work();
        if (status.ok())
            return 0;
        text = status.message();
    } catch (const std::exception &problem) {
        text = problem.what();
    }
    std::snprintf(message, room, "%s", text.c_str());
    return 1;
}

} // namespace

extern "C" {

[[gnu::visibility("default")]] int daphneArrowRead(const char *path, const char *format, ArrowArrayStream *out,
                                                   char *message, size_t room) {
    return guarded(message, room, [&] { return read(path, format, out); });
}

[[gnu::visibility("default")]] int daphneArrowWrite(const char *path, const char *format, ArrowArrayStream *in,
                                                    char *message, size_t room) {
    return guarded(message, room, [&] { return write(path, format, in); });
}
}
