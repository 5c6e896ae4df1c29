// SPDX-License-Identifier: Apache-2.0
/// Parquet: columns lie apart, so those that are not wanted are not read. The
/// statistics of the row groups tell how many nulls there are.
#include <arrow/io/file.h>
#include <parquet/arrow/reader.h>
#include <parquet/arrow/schema.h>
#include <parquet/file_reader.h>
#include <parquet/metadata.h>
#include <parquet/statistics.h>

#include "io/arrow/module/OpenFile.h"

namespace daphne::arrowfiles {

namespace {

/// Older versions have output parameters.
template <class Reader>
arrow::Result<std::shared_ptr<arrow::Table>> tableOf(Reader &reader, const std::vector<int> &leaves) {
    if constexpr (requires { reader.ReadTable(leaves); }) {
        return reader.ReadTable(leaves);
    } else {
        std::shared_ptr<arrow::Table> table;
        ARROW_RETURN_NOT_OK(reader.ReadTable(leaves, &table));
        return table;
    }
}

/// Columns of the file that belong to a column of the table: more than one if it is nested.
void addLeaves(const parquet::arrow::SchemaField &field, std::vector<int> &leaves) {
    if (field.is_leaf())
        leaves.push_back(field.column_index);
    for (const auto &child : field.children)
        addLeaves(child, leaves);
}

class ParquetFile : public OpenFile {
  public:
    ParquetFile(std::unique_ptr<parquet::arrow::FileReader> reader, std::shared_ptr<arrow::Schema> ofFile)
        : reader(std::move(reader)), ofFile(std::move(ofFile)) {}

    std::shared_ptr<arrow::Schema> schema() const override { return ofFile; }
    int64_t rows() const override { return reader->parquet_reader()->metadata()->num_rows(); }

    int64_t nulls(size_t column) const override {
        const auto &field = reader->manifest().schema_fields[column];
        if (!field.is_leaf())
            return -1;
        if (!field.field->nullable())
            return 0;
        auto metadata = reader->parquet_reader()->metadata();
        int64_t sum = 0;
        for (int g = 0; g < metadata->num_row_groups(); ++g) {
            auto chunk = metadata->RowGroup(g)->ColumnChunk(field.column_index);
            auto statistics = chunk->is_stats_set() ? chunk->statistics() : nullptr;
            if (!statistics || !statistics->HasNullCount())
                return -1;
            sum += statistics->null_count();
        }
        return sum;
    }

    arrow::Result<std::shared_ptr<arrow::RecordBatchReader>> read(const std::vector<int> &columns,
                                                                  bool threads) override {
        std::vector<int> leaves;
        for (int column : columns)
            addLeaves(reader->manifest().schema_fields[static_cast<size_t>(column)], leaves);
        reader->set_use_threads(threads);
        ARROW_ASSIGN_OR_RAISE(auto table, tableOf(*reader, leaves));
        return std::make_shared<arrow::TableBatchReader>(table);
    }

  private:
    std::unique_ptr<parquet::arrow::FileReader> reader;
    std::shared_ptr<arrow::Schema> ofFile;
};

} // namespace

arrow::Result<std::unique_ptr<OpenFile>> openParquet(const std::string &path) {
    ARROW_ASSIGN_OR_RAISE(auto file, arrow::io::ReadableFile::Open(path));
    parquet::arrow::FileReaderBuilder builder;
    ARROW_RETURN_NOT_OK(builder.Open(file));
    std::unique_ptr<parquet::arrow::FileReader> reader;
    ARROW_RETURN_NOT_OK(builder.Build(&reader));
    std::shared_ptr<arrow::Schema> schema;
    ARROW_RETURN_NOT_OK(reader->GetSchema(&schema));
    return std::make_unique<ParquetFile>(std::move(reader), std::move(schema));
}

} // namespace daphne::arrowfiles
