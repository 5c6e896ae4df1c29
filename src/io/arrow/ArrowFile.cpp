// SPDX-License-Identifier: Apache-2.0
#include "io/arrow/ArrowFile.h"

#include <filesystem>

#include "base/OwnObject.h"
#include "io/files/SharedLibrary.h"
#include "io/text/TextPieces.h"

namespace daphne::io {

const ArrowLibrary &ArrowLibrary::get() {
    static const ArrowLibrary library = [] {
        // A program of ours that is neither in bin/ nor beside its libraries leaves the search to the system.
        std::string name = "libdaphne_arrow.so", beside = ownLibrary(name);
        std::error_code problem;
        SharedLibrary lib("Arrow", {std::filesystem::exists(beside, problem) ? beside.c_str() : name.c_str()});
        return ArrowLibrary{lib.get<DaphneArrowOpen>("daphneArrowOpen"), lib.get<DaphneArrowWrite>("daphneArrowWrite")};
    }();
    return library;
}

std::string_view arrowFormatOf(std::string_view path) { return path.ends_with(".parquet") ? "parquet" : "arrow"; }

ArrowFile::ArrowFile(const ReadJob &job) : job(job) {
    DaphneArrowMessage message{};
    if (ArrowLibrary::get().open(job.path.c_str(), std::string(arrowFormatOf(job.path)).c_str(), &file, &message))
        throw job.error(message.text);
}

std::string ArrowFile::label(size_t column) const {
    const char *name = file.schema.children[column]->name;
    return name ? name : "";
}

ValueType ArrowFile::typeOf(size_t column, bool keepsNulls) const {
    std::optional<ValueType> type = cellTypeOf(*file.schema.children[column]);
    if (!type)
        return ValueType::Unknown;
    if (keepsNulls || isFloat(*type) || *type == ValueType::Str)
        return *type;
    int64_t nulls = file.nulls(&file, column);
    return nulls < 0 ? ValueType::Unknown : nulls > 0 ? ValueType::F64 : *type;
}

ArrowTable ArrowFile::read(const std::vector<size_t> &columns, const std::function<bool(size_t column)> &keepsNulls) {
    for (size_t c : columns)
        if (const ArrowSchema &column = *file.schema.children[c]; !cellTypeOf(column))
            throw job
                .error("column \"" + shownWord(label(c)) + "\" is of type " + arrowTypeName(column) +
                       ", which is not supported")
                .withHint("columns that a program does not use are not read if it names all those it does");
    OwnedByUs<ArrowArrayStream> stream;
    DaphneArrowMessage message{};
    if (file.read(&file, columns.data(), columns.size(), job.request.pool != nullptr, &stream, &message))
        throw job.error(message.text);
    return ArrowTable(
        stream, [&](const std::string &what) { return job.error(what); },
        [&](size_t i) { return keepsNulls(columns[i]); });
}

} // namespace daphne::io
