// SPDX-License-Identifier: Apache-2.0
/// Arrow's own files. A file with a directory knows its rows before it is read; a
/// stream has to be read for that. Nulls are counted in the batches only.
#include <arrow/io/file.h>
#include <arrow/ipc/api.h>

#include "io/arrow/module/OpenFile.h"

namespace daphne::arrowfiles {

namespace {

using Source = std::shared_ptr<arrow::io::ReadableFile>;

arrow::ipc::IpcReadOptions optionsFor(const std::vector<int> &columns, bool threads) {
    auto options = arrow::ipc::IpcReadOptions::Defaults();
    options.included_fields = columns;
    options.use_threads = threads;
    return options;
}

class IpcFile : public OpenFile {
  public:
    IpcFile(Source source, std::shared_ptr<arrow::Schema> ofFile, int64_t count, bool hasDirectory)
        : source(std::move(source)), ofFile(std::move(ofFile)), count(count), hasDirectory(hasDirectory) {}

    std::shared_ptr<arrow::Schema> schema() const override { return ofFile; }
    int64_t rows() const override { return count; }
    int64_t nulls(size_t column) const override { return ofFile->field(static_cast<int>(column))->nullable() ? -1 : 0; }

    arrow::Result<std::shared_ptr<arrow::RecordBatchReader>> read(const std::vector<int> &columns,
                                                                  bool threads) override {
        auto options = optionsFor(columns, threads);
        arrow::RecordBatchVector batches;
        auto add = [&](std::shared_ptr<arrow::RecordBatch> batch) -> arrow::Status {
            ARROW_RETURN_NOT_OK(batch->ValidateFull());
            batches.push_back(std::move(batch));
            return arrow::Status::OK();
        };
        std::shared_ptr<arrow::Schema> schema;
        if (hasDirectory) {
            ARROW_ASSIGN_OR_RAISE(auto reader, arrow::ipc::RecordBatchFileReader::Open(source, options));
            for (int i = 0; i < reader->num_record_batches(); ++i) {
                ARROW_ASSIGN_OR_RAISE(auto batch, reader->ReadRecordBatch(i));
                ARROW_RETURN_NOT_OK(add(std::move(batch)));
            }
            schema = reader->schema();
        } else {
            ARROW_RETURN_NOT_OK(source->Seek(0));
            ARROW_ASSIGN_OR_RAISE(auto reader, arrow::ipc::RecordBatchStreamReader::Open(source, options));
            for (;;) {
                ARROW_ASSIGN_OR_RAISE(auto batch, reader->Next());
                if (!batch)
                    break;
                ARROW_RETURN_NOT_OK(add(std::move(batch)));
            }
            schema = reader->schema();
        }
        return arrow::RecordBatchReader::Make(std::move(batches), schema);
    }

  private:
    Source source;
    std::shared_ptr<arrow::Schema> ofFile;
    int64_t count;
    bool hasDirectory;
};

} // namespace

arrow::Result<std::unique_ptr<OpenFile>> openIpc(const std::string &path) {
    ARROW_ASSIGN_OR_RAISE(auto source, arrow::io::ReadableFile::Open(path));
    ARROW_ASSIGN_OR_RAISE(auto mark, source->ReadAt(0, 6));
    if (mark->ToString() == "ARROW1") {
        ARROW_ASSIGN_OR_RAISE(auto reader, arrow::ipc::RecordBatchFileReader::Open(source));
        ARROW_ASSIGN_OR_RAISE(int64_t rows, reader->CountRows());
        return std::make_unique<IpcFile>(source, reader->schema(), rows, true);
    }
    ARROW_RETURN_NOT_OK(source->Seek(0));
    ARROW_ASSIGN_OR_RAISE(auto reader, arrow::ipc::RecordBatchStreamReader::Open(source));
    return std::make_unique<IpcFile>(source, reader->schema(), -1, false);
}

} // namespace daphne::arrowfiles
