// SPDX-License-Identifier: Apache-2.0
#include "io/Federated.h"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <map>

#include <sys/stat.h>

#include "io/FormatTable.h"
#include "io/files/File.h"
#include "io/text/JsonFields.h"

namespace daphne::io {

namespace fs = std::filesystem;
using nlohmann::json;

namespace {

constexpr const char *kDirectoryEnding = ".parts";

std::string shapeText(size_t rows, size_t cols) { return std::to_string(rows) + "x" + std::to_string(cols); }

class Reader : JsonFields {
  public:
    explicit Reader(const std::string &path)
        : JsonFields("file \"" + path + "\""), directory(fs::path(behindLinks(path)).parent_path()) {}

    FederatedMatrix read(std::string_view text) {
        json document = parse(text);
        matrix.rows = size(document, "numRows");
        matrix.cols = size(document, "numCols");
        size_t cells;
        if (__builtin_mul_overflow(matrix.rows, matrix.cols, &cells) || cells > static_cast<size_t>(INT64_MAX))
            throw invalid("a shape of " + shapeText(matrix.rows, matrix.cols) + " is too large");
        auto type = document.find("valueType"), parts = document.find("parts");
        if (type == document.end())
            throw invalid("valueType is missing");
        matrix.type = valueType(*type, "valueType");
        if (parts == document.end() || !parts->is_array())
            throw invalid("parts must be an array");
        for (const json &part : *parts)
            matrix.parts.push_back(readPart(part, "part " + std::to_string(matrix.parts.size())));
        needCover();
        return std::move(matrix);
    }

  private:
    FederatedPart readPart(const json &object, const std::string &where) const {
        if (!object.is_object() || !object.contains("file") || !object["file"].is_string())
            throw invalid(where + " needs a file");
        JsonFields fields(invalid(where).message);
        FederatedPart part;
        const FederatedPart *before = matrix.parts.empty() ? nullptr : &matrix.parts.back();
        part.row = fields.size(object, "row", before ? before->row + before->rows : 0);
        part.col = fields.size(object, "col", 0);
        part.rows = fields.size(object, "numRows", matrix.rows);
        part.cols = fields.size(object, "numCols", matrix.cols);
        bool isInside = part.row <= matrix.rows && part.rows <= matrix.rows - part.row && part.col <= matrix.cols &&
                        part.cols <= matrix.cols - part.col;
        if (!isInside)
            throw fields.invalid(shapeText(part.rows, part.cols) + " cells at row " + std::to_string(part.row) +
                                 ", column " + std::to_string(part.col) + " are outside of a matrix of " +
                                 shapeText(matrix.rows, matrix.cols));
        auto name = object["file"].get<std::string>();
        // A part is never federated itself, so that there are no circles.
        if (name.empty() || name.find('\0') != name.npos || DataPath(name).extension == "fed")
            throw fields.invalid("a part cannot be the file " + shown(object["file"]));
        part.file = (directory / name).string();
        if (auto it = object.find("worker"); it != object.end()) {
            if (!it->is_string())
                throw fields.invalid("worker must be a string, got " + shown(*it));
            part.worker = it->get<std::string>();
        }
        return part;
    }

    /// Passes over the rows from the first to the last and knows which columns are taken there.
    void needCover() const {
        std::vector<size_t> byBegin, byEnd;
        size_t covered = 0;
        for (size_t i = 0; i < matrix.parts.size(); ++i)
            if (size_t cells = matrix.parts[i].rows * matrix.parts[i].cols; cells > 0) {
                byBegin.push_back(i);
                if (__builtin_add_overflow(covered, cells, &covered))
                    throw invalid("its parts overlap");
            }
        byEnd = byBegin;
        auto end = [&](size_t i) { return matrix.parts[i].row + matrix.parts[i].rows; };
        std::ranges::sort(byBegin, {}, [&](size_t i) { return matrix.parts[i].row; });
        std::ranges::sort(byEnd, {}, end);
        std::map<size_t, size_t> taken; // first column -> part
        auto nextEnd = byEnd.begin();
        for (size_t i : byBegin) {
            const FederatedPart &part = matrix.parts[i];
            for (; end(*nextEnd) <= part.row; ++nextEnd)
                taken.erase(matrix.parts[*nextEnd].col);
            auto right = taken.lower_bound(part.col);
            if (right != taken.end() && right->first < part.col + part.cols)
                throw overlap(i, right->second);
            if (right != taken.begin()) {
                const FederatedPart &left = matrix.parts[std::prev(right)->second];
                if (left.col + left.cols > part.col)
                    throw overlap(i, std::prev(right)->second);
            }
            taken.emplace_hint(right, part.col, i);
        }
        if (covered != matrix.rows * matrix.cols)
            throw invalid("its parts have " + std::to_string(covered) + " cells, the matrix of " +
                          shapeText(matrix.rows, matrix.cols) + " has " + std::to_string(matrix.rows * matrix.cols));
    }
    Error overlap(size_t i, size_t j) const {
        return invalid("part " + std::to_string(std::min(i, j)) + " and part " + std::to_string(std::max(i, j)) +
                       " overlap");
    }

    fs::path directory;
    FederatedMatrix matrix;
};

/// Whether a file lies in a directory that was made for the parts of another.
bool isOwnPart(const std::string &file, const std::string &place) {
    std::string directory = fs::path(file).parent_path().string(), begin = place + kDirectoryEnding;
    return directory.starts_with(begin) && directory.size() > begin.size() &&
           directory.find_first_not_of("0123456789", begin.size()) == directory.npos;
}

/// Files of directories of ours that the file names.
std::vector<std::string> ownParts(const std::string &place) {
    std::vector<std::string> files;
    if (!fileExists(place))
        return files;
    try {
        for (const FederatedPart &part : parseFederated(FileText(place).text(), place).parts)
            if (isOwnPart(part.file, place))
                files.push_back(part.file);
    } catch (const Error &) {
        // It is no description of a matrix, so nobody needs what it may have been.
    }
    return files;
}

} // namespace

bool FederatedMatrix::isCutByRows() const {
    size_t row = 0;
    for (const FederatedPart &part : parts) {
        if (part.row != row || part.cols != cols)
            return false;
        row += part.rows;
    }
    return row == rows;
}

FederatedMatrix parseFederated(std::string_view text, const std::string &path) { return Reader(path).read(text); }

std::string federatedText(const FederatedMatrix &matrix) {
    json parts = json::array();
    for (const FederatedPart &part : matrix.parts) {
        json object = {{"file", part.file}, {"row", part.row}, {"numRows", part.rows}};
        if (part.cols != matrix.cols) {
            object["col"] = part.col;
            object["numCols"] = part.cols;
        }
        if (!part.worker.empty())
            object["worker"] = part.worker;
        parts.push_back(std::move(object));
    }
    json object = {{"numRows", matrix.rows},
                   {"numCols", matrix.cols},
                   {"valueType", dslName(matrix.type == ValueType::Size ? ValueType::UI64 : matrix.type)},
                   {"parts", std::move(parts)}};
    return object.dump(1, ' ', false, json::error_handler_t::replace) + "\n";
}

PartsDirectory::PartsDirectory(const std::string &target) {
    std::string place = behindLinks(target);
    former = ownParts(place);
    for (size_t number = 1;; ++number) {
        directory = place + kDirectoryEnding + std::to_string(number);
        if (::mkdir(directory.c_str(), 0777) == 0)
            return;
        if (errno != EEXIST)
            throw executionError("cannot write file \"" + target +
                                 "\": a directory for its parts: " + std::strerror(errno));
    }
}

std::string PartsDirectory::name() const { return fs::path(directory).filename().string(); }

PartsDirectory::~PartsDirectory() {
    std::error_code ignored; // nothing depends on it
    if (!isKept)
        fs::remove_all(directory, ignored);
}

void PartsDirectory::keep() {
    isKept = true;
    std::error_code ignored;
    for (const std::string &file : former) {
        fs::remove(file, ignored);
        fs::remove(metadataPath(file), ignored);
        fs::remove(fs::path(file).parent_path(), ignored); // if nothing else is in it
    }
}

} // namespace daphne::io
