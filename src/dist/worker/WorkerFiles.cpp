// SPDX-License-Identifier: Apache-2.0
#include "dist/worker/WorkerFiles.h"

#include <algorithm>

#include "base/Error.h"
#include "data/CopyCells.h"
#include "dist/coordinator/RowPartition.h"
#include "io/Rows.h"
#include "kernels/csr/CsrParts.h"

namespace daphne::dist {

namespace {

using Access = SeenFile::Access;

/// Larger than all numbers of rows, columns and cells.
constexpr uint64_t kMost = uint64_t(1) << 62;

/// The rows [begin, end) of the larger matrix that the piece has.
RowRange rowsOf(const FilePiece &piece, const SeenFile &file, uint64_t begin, uint64_t end) {
    return {std::max(begin, piece.row), std::min(end, piece.row + file.rows)};
}

Error hasChanged(const std::string &path) {
    return executionError("file \"" + path + "\" has changed since it was read");
}
Error isTooLarge(const std::string &path) {
    return executionError("rows of file \"" + path + "\" exceed the memory of the worker");
}
void needUnchanged(const FilePiece &piece) {
    if (stateOf(piece.path) != piece.state)
        throw hasChanged(piece.path);
}

uint64_t cellsBytes(uint64_t rows, uint64_t cols, ValueType type) {
    uint64_t cells, bytes;
    bool isLarge = __builtin_mul_overflow(rows, cols, &cells) || __builtin_mul_overflow(cells, cellSize(type), &bytes);
    return isLarge ? ~uint64_t(0) : bytes;
}
/// Of a Csr with so many stored cells. A matrix of ones has no values.
uint64_t csrBytes(uint64_t rows, uint64_t cols, ValueType type, uint64_t stored) {
    if (rows > kMost / 16 || stored > kMost / 16)
        return ~uint64_t(0);
    return (rows + 1) * 8 + stored * ((needsWideIndex(cols) ? 8 : 4) + cellSize(type));
}
uint64_t bytesOf(const Value &v) {
    const Matrix &m = v.matrix();
    return v.isCsr() ? csrBytes(m.rows(), m.cols(), m.type(), v.csr().nonZeros())
                     : cellsBytes(m.rows(), m.cols(), m.type());
}

/// Cells of a matrix, row by row, without copying: as rows where they are complete rows, else as one row.
Value cellsOf(const Dense &m, uint64_t first, uint64_t count) {
    if (first % m.cols() == 0 && count % m.cols() == 0)
        return Dense::window(m, first / m.cols(), (first + count) / m.cols(), 0, m.cols());
    return Dense::window(*Dense::reshaped(m, 1, m.cells()), 0, 1, first, first + count);
}

} // namespace

/// Its metadata are a file, too.
bool WorkerFiles::isReadable(const std::string &name) const {
    std::string meta = io::metadataPath(io::DataPath(name).file);
    return isAllowed(name, roots) && (!stateOf(meta) || isAllowed(meta, roots));
}

WorkerFiles::Look WorkerFiles::look(const std::string &path) const {
    std::optional<FileState> state = isReadable(path) ? stateOf(path) : std::nullopt;
    if (!state)
        return {};
    if (std::optional<io::FileInfo> info = io::inspectRows(path))
        return {
            {Access::Rows, *state, static_cast<uint64_t>(info->rows), static_cast<uint64_t>(info->cols), info->type}};
    std::optional<io::WholeInfo> info = io::inspectWhole(path);
    if (!info)
        return {};
    return {{Access::Whole, *state, info->rows, info->cols, info->type},
            csrBytes(info->rows, info->cols, info->type, info->mostCells)};
}

FileAnswer WorkerFiles::answerTo(const FileQuery &query, uint64_t mostBytes) const {
    FileAnswer answer;
    for (const std::string &path : query.paths) {
        Look seen = look(path);
        answer.files.push_back(seen.csrBytes <= mostBytes ? seen.file : SeenFile());
    }
    return answer;
}

/// A file that is what it must be.
WorkerFiles::Look WorkerFiles::lookAt(const FilePiece &piece) const {
    if (!isReadable(piece.path))
        throw WireError("a file outside of the directories that may be read");
    Look seen = look(piece.path);
    if (seen.file.access == Access::None || seen.file.state != piece.state)
        throw hasChanged(piece.path);
    return seen;
}

/// What the pieces are; together they have the wanted rows, which fit into the memory.
std::vector<SeenFile> WorkerFiles::check(const ReadRows &m, uint64_t mostBytes) const {
    uint64_t begin = m.first / m.cols, end = (m.first + m.count - 1) / m.cols + 1, covered = 0;
    std::vector<SeenFile> files;
    for (const FilePiece &piece : m.pieces) {
        const SeenFile &file = files.emplace_back(lookAt(piece).file);
        if ((end - begin) * m.cols > mostBytes / cellSize(file.type))
            throw isTooLarge(piece.path);
        bool isInside = piece.row < end && file.rows > begin - std::min(begin, piece.row) && piece.col < m.cols &&
                        file.cols <= m.cols - piece.col && file.type == files[0].type;
        // What has to be read as a whole is a matrix of its own.
        if (!isInside || (file.access == Access::Whole && (m.pieces.size() > 1 || piece.row > 0 || piece.col > 0)))
            throw WireError("rows that the file does not have");
        covered += rowsOf(piece, file, begin, end).size() * file.cols;
    }
    if (covered != (end - begin) * m.cols)
        throw WireError("rows that the files do not have");
    return files;
}

Value WorkerFiles::read(const ReadRows &m, uint64_t mostBytes, sched::Pool *pool) {
    if (m.cols == 0 || m.cols > kMost || m.first > kMost || m.count == 0 || m.count > kMost || m.pieces.empty())
        throw WireError("rows that no file has");
    return m.isSparse ? readSparse(m, mostBytes, pool) : readDense(m, mostBytes, pool);
}

Value WorkerFiles::readDense(const ReadRows &m, uint64_t mostBytes, sched::Pool *pool) {
    if (const Value *matrix = findKept(m)) {
        const Dense &all = matrix->dense();
        if (all.cols() != m.cols || m.first > all.cells() || m.count > all.cells() - m.first)
            throw WireError("rows that the file does not have");
        return cellsOf(all, m.first, m.count);
    }
    std::vector<SeenFile> files = check(m, mostBytes);
    if (files[0].access == Access::Whole)
        return cellsOf(readWhole(m, {files[0]}, mostBytes, pool).dense(), m.first, m.count);
    uint64_t begin = m.first / m.cols, end = (m.first + m.count - 1) / m.cols + 1;
    Ref<Dense> whole;
    for (size_t i = 0; i < files.size(); ++i) {
        RowRange rows = rowsOf(m.pieces[i], files[i], begin, end);
        Ref<Dense> part = io::readRows(m.pieces[i].path, rows.begin - m.pieces[i].row, rows.size(), pool);
        needUnchanged(m.pieces[i]);
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
    return cellsOf(*whole, m.first - begin * m.cols, m.count).dense().copy();
}

Value WorkerFiles::readSparse(const ReadRows &m, uint64_t mostBytes, sched::Pool *pool) {
    const FilePiece &piece = m.pieces[0];
    if (m.pieces.size() != 1 || piece.row != 0 || piece.col != 0 || m.stored > m.storedInAll || !isNumeric(m.type))
        throw WireError("rows of a sparse matrix that is not one file");
    auto need = [&](uint64_t rows, uint64_t cols) {
        if (cols != m.cols || m.first >= rows || m.count > rows - m.first)
            throw WireError("rows that the file does not have");
    };
    Ref<Csr> rows;
    if (const Value *matrix = findKept(m)) {
        need(matrix->csr().rows(), matrix->csr().cols());
        rows = Csr::rowWindow(matrix->csr(), m.first, m.first + m.count);
    } else {
        Look seen = lookAt(piece);
        const SeenFile &file = seen.file;
        if (file.access != Access::Whole)
            throw WireError("sparse rows of a dense matrix");
        need(file.rows, file.cols);
        if (csrBytes(m.count, m.cols, file.type, m.stored) > mostBytes)
            throw isTooLarge(piece.path);
        rows = io::readSparseRows(piece.path, {m.first, m.count, m.stored, m.storedInAll}, pool);
        needUnchanged(piece);
        if (!rows)
            rows = Csr::rowWindow(readWhole(m, seen, mostBytes, pool).csr(), m.first, m.first + m.count);
    }
    if (rows->nonZeros() == m.stored && rows->type() != m.type) {
        if (csrBytes(m.count, m.cols, m.type, m.stored) > mostBytes)
            throw isTooLarge(piece.path);
        rows = converted(*rows, m.type);
    }
    // The same stored cells may have been found in another way.
    if (!m.isPattern)
        rows = withValues(*rows);
    if (rows->nonZeros() != m.stored || rows->isPattern() != m.isPattern)
        throw hasChanged(piece.path);
    return rows;
}

/// The matrix that rows are wanted of, if it has been read. Null if it is to be found in several files.
const Value *WorkerFiles::findKept(const ReadRows &m) const {
    auto it = std::ranges::find_if(kept, [&](const Kept &k) {
        return k.path == m.pieces[0].path && k.state == m.pieces[0].state && k.matrix.isCsr() == m.isSparse;
    });
    const FilePiece &piece = m.pieces[0];
    return it == kept.end() || m.pieces.size() > 1 || piece.row > 0 || piece.col > 0 ? nullptr : &it->matrix;
}

const Value &WorkerFiles::readWhole(const ReadRows &m, const Look &look, uint64_t mostBytes, sched::Pool *pool) {
    const FilePiece &piece = m.pieces[0];
    const SeenFile &file = look.file;
    if ((m.isSparse ? look.csrBytes : cellsBytes(file.rows, file.cols, file.type)) > mostBytes)
        throw isTooLarge(piece.path);
    Value matrix = io::readWhole(piece.path, m.isSparse ? io::Form::Csr : io::Form::Dense, pool);
    needUnchanged(piece);
    const Matrix &read = matrix.matrix();
    if (read.rows() != file.rows || read.cols() != file.cols || read.type() != file.type)
        throw hasChanged(piece.path);
    return kept.emplace_back(piece.path, piece.state, std::move(matrix)).matrix;
}

uint64_t WorkerFiles::keptBytes() const {
    uint64_t bytes = 0;
    for (const Kept &k : kept)
        bytes += bytesOf(k.matrix);
    return bytes;
}

void WorkerFiles::sweep() {
    std::erase_if(kept, [](const Kept &k) {
        return k.matrix.isCsr() ? k.matrix.csr().isExclusive() : k.matrix.dense().isExclusive();
    });
}

} // namespace daphne::dist
