// SPDX-License-Identifier: Apache-2.0
#include "dist/WorkerFiles.h"

#include <algorithm>

#include "base/Error.h"
#include "data/CopyCells.h"
#include "dist/Cut.h"
#include "io/Rows.h"

namespace daphne::dist {

namespace {

/// The rows [begin, end) of the larger matrix that the piece has.
RowRange rowsOf(const FilePiece &piece, const SeenFile &file, uint64_t begin, uint64_t end) {
    return {std::max(begin, piece.row), std::min(end, piece.row + file.rows)};
}

Error hasChanged(const std::string &path) {
    return executionError("file \"" + path + "\" has changed since it was read");
}

} // namespace

/// Its metadata are a file, too.
bool WorkerFiles::isReadable(const std::string &path) const {
    std::string meta = io::metadataPath(path);
    return isAllowed(path, roots) && (!stateOf(meta) || isAllowed(meta, roots));
}

SeenFile WorkerFiles::look(const std::string &path) const {
    if (!isReadable(path))
        return {};
    std::optional<FileState> state = stateOf(path);
    std::optional<io::FileInfo> info = io::inspectRows(path);
    if (!state || !info)
        return {};
    return {true, *state, static_cast<uint64_t>(info->rows), static_cast<uint64_t>(info->cols), info->type};
}

FileAnswer WorkerFiles::answerTo(const FileQuery &query) const {
    FileAnswer answer;
    for (const std::string &path : query.paths)
        answer.files.push_back(look(path));
    return answer;
}

/// What the pieces are; together they have the wanted rows, which fit into the memory.
std::vector<SeenFile> WorkerFiles::check(const ReadRows &m, uint64_t mostBytes) const {
    constexpr uint64_t kMost = uint64_t(1) << 62;
    if (m.cols == 0 || m.cols > kMost || m.first > kMost || m.count == 0 || m.count > kMost || m.pieces.empty())
        throw WireError("rows that no file has");
    uint64_t begin = m.first / m.cols, end = (m.first + m.count - 1) / m.cols + 1, covered = 0;
    std::vector<SeenFile> files;
    for (const FilePiece &piece : m.pieces) {
        if (!isReadable(piece.path))
            throw WireError("a file outside of the directories that may be read");
        const SeenFile &file = files.emplace_back(look(piece.path));
        if (!file.isReadable || file.state != piece.state)
            throw hasChanged(piece.path);
        if ((end - begin) * m.cols > mostBytes / cellSize(file.type))
            throw executionError("rows of file \"" + piece.path + "\" exceed the memory of the worker");
        bool isInside = piece.row < end && file.rows > begin - std::min(begin, piece.row) && piece.col < m.cols &&
                        file.cols <= m.cols - piece.col && file.type == files[0].type;
        if (!isInside)
            throw WireError("rows that the file does not have");
        covered += rowsOf(piece, file, begin, end).size() * file.cols;
    }
    if (covered != (end - begin) * m.cols)
        throw WireError("rows that the files do not have");
    return files;
}

Ref<Dense> WorkerFiles::read(const ReadRows &m, uint64_t mostBytes, sched::Pool *pool) const {
    std::vector<SeenFile> files = check(m, mostBytes);
    uint64_t begin = m.first / m.cols, end = (m.first + m.count - 1) / m.cols + 1;
    Ref<Dense> whole;
    for (size_t i = 0; i < files.size(); ++i) {
        RowRange rows = rowsOf(m.pieces[i], files[i], begin, end);
        Ref<Dense> part = io::readRows(m.pieces[i].path, rows.begin - m.pieces[i].row, rows.size(), pool);
        if (part->cols() != files[i].cols || part->type() != files[0].type)
            throw hasChanged(m.pieces[i].path);
        if (files.size() == 1) {
            whole = std::move(part);
            break;
        }
        if (!whole)
            whole = Dense::create(files[0].type, end - begin, m.cols, Buffer::Init::Zero);
        copyInto(*whole, *part, rows.begin - begin, m.pieces[i].col);
    }
    if (whole->cells() == m.count)
        return whole;
    // The first or last row is not wanted as a whole.
    uint64_t first = m.first - begin * m.cols;
    return Dense::window(*Dense::reshaped(*whole, 1, whole->cells()), 0, 1, first, first + m.count)->copy();
}

} // namespace daphne::dist
