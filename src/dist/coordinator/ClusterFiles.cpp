// SPDX-License-Identifier: Apache-2.0
/// Matrices in files that workers can read. Where rows can be read one by one,
/// everybody reads those it needs, when it needs them. Others, sparse ones, are
/// complete here; workers read their rows instead of getting them. Parts of
/// federated matrices that only their worker sees are read there at once, and are
/// cells that are elsewhere from then on.
#include <algorithm>
#include <chrono>
#include <set>

#include "base/Error.h"
#include "data/BufferPool.h"
#include "data/CopyCells.h"
#include "dist/coordinator/Cluster.h"
#include "io/Rows.h"
#include "sched/Scheduler.h"

namespace daphne::dist {

namespace {

/// Smaller files are read at once.
constexpr uint64_t kLeastBytes = 1 << 20;
/// A matrix in more files is read here, too: questions about them are one message.
constexpr size_t kMostFiles = 1000;

/// The files of a matrix, with their complete names. Nothing if rows cannot be read one by one, or reading will fail
/// anyhow.
std::optional<io::FederatedMatrix> filesOf(const std::string &name, bool mayBeCoordinates) {
    std::string path = absoluteName(name);
    io::FederatedMatrix whole;
    if (io::DataPath(path).extension == "fed") {
        try {
            std::optional<io::Metadata> meta = io::readMetadata(path);
            whole = io::parseFederated(io::FileText(path).text(), path);
            if (meta && meta->matrixType() != whole.type)
                return std::nullopt;
        } catch (const Error &) {
            return std::nullopt; // whoever reads it gets the message
        }
    } else if (std::optional<FileState> state = stateOf(path); state && state->bytes >= kLeastBytes) {
        std::optional<io::FileInfo> info = io::inspectRows(path);
        if (!info)
            return std::nullopt;
        whole = {static_cast<size_t>(info->rows), static_cast<size_t>(info->cols), info->type, {}};
        whole.parts.push_back({0, 0, whole.rows, whole.cols, path, ""});
    }
    std::erase_if(whole.parts, [](const io::FederatedPart &part) { return part.rows == 0 || part.cols == 0; });
    bool isPossible = !whole.parts.empty() && whole.parts.size() <= kMostFiles && isNumeric(whole.type);
    // Where the compiler chooses representations, some text files are lists of coordinates.
    for (io::FederatedPart &part : whole.parts) {
        part.file = absoluteName(part.file);
        isPossible = isPossible && part.file.size() <= kMostPath &&
                     !(mayBeCoordinates && io::DataPath(part.file).extension == "csv");
    }
    return isPossible ? std::optional(std::move(whole)) : std::nullopt;
}

std::string shapeText(uint64_t rows, uint64_t cols, ValueType type) {
    return std::to_string(rows) + "x" + std::to_string(cols) + " and " + std::string(dslName(type));
}

} // namespace

/// What is known of the files of a matrix, here and elsewhere, and what follows from it for its record.
class Cluster::FileSurvey {
  public:
    FileSurvey(Cluster &cluster, const std::string &name, io::FederatedMatrix given)
        : cluster(cluster), name(name), whole(std::move(given)) {
        for (const io::FederatedPart &part : whole.parts) {
            here.push_back(stateOf(part.file));
            bytes += here.back() ? here.back()->bytes : 0;
            isComplete = isComplete && here.back();
        }
    }

    /// Whether all parts that are here are what they should be, and large enough.
    bool mayBeReadLater() const {
        for (size_t i = 0; i < whole.parts.size(); ++i) {
            const io::FederatedPart &part = whole.parts[i];
            if (!here[i] && part.worker.empty())
                return false;
            std::optional<io::FileInfo> info = here[i] ? io::inspectRows(part.file) : std::nullopt;
            bool isRight = info && info->rows == static_cast<int64_t>(part.rows) &&
                           info->cols == static_cast<int64_t>(part.cols) && info->type == whole.type;
            if (here[i] && !isRight)
                return false;
        }
        return isComplete ? bytes >= kLeastBytes : whole.isCutByRows();
    }

    /// Asks all workers; false if nobody else can read anything. Throws if a part is nowhere.
    bool ask() {
        std::vector<std::string> paths;
        paths.reserve(whole.parts.size());
        for (const io::FederatedPart &part : whole.parts)
            paths.push_back(part.file);
        seen = cluster.peers.lookFor(paths);
        bool any = false;
        for (size_t i = 0; i < whole.parts.size(); ++i) {
            const io::FederatedPart &part = whole.parts[i];
            FilePart file{{part.row, part.row + part.rows}, part.col, part.cols, part.file, {}, {}};
            std::optional<uint32_t> named = workerOf(part);
            if (here[i]) {
                file.state = *here[i];
                for (uint32_t w = 0; w < seen.size(); ++w)
                    if (!seen[w].empty() && seen[w][i].access == SeenFile::Access::Rows && seen[w][i].state == *here[i])
                        file.readers.push_back(w);
            } else {
                needAt(named, i);
                file.state = seen[*named][i].state;
                file.readers = {*named};
            }
            any |= !file.readers.empty();
            bool isAtHome = named && std::ranges::count(file.readers, *named);
            owners.push_back(isAtHome ? named : std::nullopt);
            if (!part.worker.empty() && !isAtHome && numMisplaced++ == 0)
                misplaced = "part " + std::to_string(i) + " is not read by the worker " + part.worker +
                            (named ? ", which does not see the same file" : ", which takes no part");
            files.push_back(std::move(file));
        }
        if (numMisplaced > 0 && cluster.settings.warn)
            cluster.settings.warn("file \"" + name + "\": " + misplaced +
                                  (numMisplaced > 1 ? "; nor are " + std::to_string(numMisplaced - 1) + " more" : ""));
        return any;
    }

    Value makeMatrix() {
        Value matrix = Dense::create(whole.type, whole.rows, whole.cols);
        ResidencyRecord &record = cluster.residencies.of(matrix);
        record.files = files;
        record.unread = {{0, whole.rows}};
        if (std::ranges::any_of(owners, [](auto &owner) { return owner.has_value(); }))
            record.homes = homes();
        if (!isComplete)
            readElsewhere(record);
        cluster.residencies.publish(record);
        return matrix;
    }

  private:
    std::optional<uint32_t> workerOf(const io::FederatedPart &part) const {
        for (uint32_t w = 0; w < cluster.peers.size(); ++w)
            if (cluster.peers.isAlive(w) && cluster.peers.nameOf(w) == part.worker)
                return w;
        return std::nullopt;
    }

    /// A part that is not here must be at its worker.
    void needAt(std::optional<uint32_t> worker, size_t i) const {
        const io::FederatedPart &part = whole.parts[i];
        Error error = executionError("file \"" + name + "\": part " + std::to_string(i) + ": file \"" + part.file +
                                     "\" is not here, and the worker " + part.worker + " ");
        const SeenFile *file = worker && !seen[*worker].empty() ? &seen[*worker][i] : nullptr;
        if (!file) {
            error.message += "takes no part in this run";
            throw error;
        }
        if (file->access != SeenFile::Access::Rows) {
            error.message += "cannot read it";
            throw error.withHint("is it below the worker's --dist-read-root, and a dense matrix in a .dbdf, .npy, "
                                 ".h5 or, with metadata, .csv file?");
        }
        if (file->rows != part.rows || file->cols != part.cols || file->type != whole.type) {
            error.message += "has a matrix of " + shapeText(file->rows, file->cols, file->type) + " there instead of " +
                             shapeText(part.rows, part.cols, whole.type);
            throw error;
        }
    }

    /// Rows of which every file has all or none.
    struct Band {
        RowRange rows;
        std::vector<uint32_t> readers;
        std::optional<uint32_t> owner; ///< whom all of its files name
    };
    std::vector<Band> bands() const {
        std::set<uint64_t> ends;
        for (const FilePart &file : files)
            ends.insert(file.rows.begin), ends.insert(file.rows.end);
        std::vector<Band> result;
        for (auto end = std::next(ends.begin()); end != ends.end(); ++end) {
            Band band{{*std::prev(end), *end}, {}, std::nullopt};
            bool isFirst = true;
            for (size_t i = 0; i < files.size(); ++i) {
                if (files[i].rows.end <= band.rows.begin || band.rows.end <= files[i].rows.begin)
                    continue;
                if (std::exchange(isFirst, false)) {
                    band.readers = files[i].readers;
                    band.owner = owners[i];
                } else {
                    std::erase_if(band.readers, [&](uint32_t w) { return !std::ranges::count(files[i].readers, w); });
                    band.owner = band.owner == owners[i] ? band.owner : std::nullopt;
                }
            }
            result.push_back(std::move(band));
        }
        return result;
    }

    /// Rows without an owner go to whoever can read them and has the fewest rows per thread.
    std::vector<std::pair<RowRange, uint32_t>> homes() const {
        uint32_t self = cluster.peers.size();
        std::vector<Band> all = bands();
        std::vector<double> rows(self + 1), threads(self + 1, cluster.ownThreads);
        for (uint32_t w = 0; w < self; ++w)
            threads[w] = cluster.peers.welcome(w).threads;
        for (const Band &band : all)
            if (band.owner)
                rows[*band.owner] += static_cast<double>(band.rows.size());
        std::vector<std::pair<RowRange, uint32_t>> result;
        for (Band &band : all) {
            if (!band.owner) {
                std::vector<uint32_t> &candidates = band.readers;
                if (cluster.settings.coordinatorComputes || candidates.empty())
                    candidates.push_back(self);
                band.owner =
                    *std::ranges::min_element(candidates, {}, [&](uint32_t w) { return rows[w] / threads[w]; });
                rows[*band.owner] += static_cast<double>(band.rows.size());
            }
            RowRange cells{band.rows.begin * whole.cols, band.rows.end * whole.cols};
            if (!result.empty() && result.back().second == *band.owner)
                result.back().first.end = cells.end;
            else
                result.emplace_back(cells, *band.owner);
        }
        return result;
    }

    /// Workers read what only they see, and all that they are to compute with it.
    void readElsewhere(ResidencyRecord &record) {
        uint64_t request = cluster.nextRequest++;
        std::set<uint32_t> asked;
        record.unread.clear();
        for (auto &[cells, worker] : record.homes) {
            RowRange rows{cells.begin / whole.cols, cells.end / whole.cols};
            bool isHere = true;
            for (size_t i = 0; i < files.size(); ++i)
                isHere = isHere && (here[i] || files[i].rows.end <= rows.begin || rows.end <= files[i].rows.begin);
            if (isHere) {
                record.unread.push_back(rows);
                continue;
            }
            uint64_t object = cluster.nextObject++;
            std::vector<Parcel> order(1);
            order[0].frame = frameOf(*record.toRead(worker, object, cells), request);
            cluster.transfers.ship(worker, order);
            record.parts.push_back({object, worker, cells.begin, cells.end, false, false});
            asked.insert(worker);
        }
        for (uint32_t worker : asked)
            cluster.peers.waitUntilDone(worker);
        while (std::optional<PeerEvent> event = cluster.peers.next(std::chrono::milliseconds(0))) {
            if (event->kind == PeerEvent::Kind::Lost) {
                cluster.forget(event->peer);
                if (!cluster.peers.survivesLoss())
                    throw executionError("the worker " + cluster.peers.nameOf(event->peer) +
                                         " is lost: " + event->text);
            } else if (event->kind == PeerEvent::Kind::Failed && event->request == request) {
                throw executionError("file \"" + name + "\": worker " + cluster.peers.nameOf(event->peer) + ": " +
                                     event->text);
            }
        }
    }

    Cluster &cluster;
    const std::string &name;
    const io::FederatedMatrix whole;
    std::vector<std::optional<FileState>> here;  ///< by part
    std::vector<std::vector<SeenFile>> seen;     ///< by worker and part
    std::vector<FilePart> files;                 ///< by part
    std::vector<std::optional<uint32_t>> owners; ///< by part: its worker
    uint64_t bytes = 0;
    bool isComplete = true; ///< all parts are here
    size_t numMisplaced = 0;
    std::string misplaced; ///< the first part that is not read by its worker, and why
};

std::optional<Value> Cluster::readLater(RunContext &context, const std::string &name) {
    if (peers.numAlive() == 0)
        return std::nullopt;
    std::optional<io::FederatedMatrix> whole = filesOf(name, context.representation.byEstimate);
    if (!whole)
        return std::nullopt;
    FileSurvey survey(*this, name, std::move(*whole));
    if (!survey.mayBeReadLater() || !survey.ask())
        return std::nullopt;
    scheduler = context.scheduler;
    return survey.makeMatrix();
}

Value Cluster::readMatrix(RunContext &context, const std::string &name, bool asCsr,
                          const std::function<Value()> &readAll) {
    if (!asCsr)
        if (std::optional<Value> matrix = readLater(context, name))
            return std::move(*matrix);
    std::string path = absoluteName(name);
    std::optional<FileState> before = stateOf(path);
    auto start = std::chrono::steady_clock::now();
    // Workers of this machine map sparse matrices instead of copying them.
    std::optional<SharedAllocations> shared;
    if (peers.hasNeighbours())
        shared.emplace();
    Value matrix = readAll();
    shared.reset();
    std::chrono::duration<double, std::nano> ns = std::chrono::steady_clock::now() - start;
    if (before && before->bytes >= kLeastBytes && stateOf(path) == before)
        noteFile(matrix, path, *before, ns.count());
    return matrix;
}

/// A matrix that was read here from a file. Workers read their rows of it if nobody has to wait longer for that: who is
/// lent the matrix copies them faster than any text can be understood.
void Cluster::noteFile(const Value &matrix, const std::string &path, const FileState &state, double readNs) {
    std::vector<uint32_t> readers;
    for (uint32_t w = 0; w < peers.size(); ++w)
        if (peers.isAlive(w) && !peers.isNeighbour(w))
            readers.push_back(w);
    std::optional<io::WholeInfo> info;
    if (!readers.empty() && path.size() <= kMostPath)
        info = io::inspectWhole(path);
    const Matrix &m = matrix.matrix();
    if (!info || info->rows != m.rows() || info->cols != m.cols() || info->type != m.type())
        return;
    std::vector<std::vector<SeenFile>> seen = peers.lookFor({path});
    std::erase_if(readers, [&](uint32_t w) {
        return seen[w].empty() || seen[w][0].access != SeenFile::Access::Whole || seen[w][0].state != state;
    });
    if (readers.empty())
        return;
    sweep(); // the record keeps the matrix until it is the last to know it
    ResidencyRecord &record = residencies.of(matrix);
    record.files = {{{0, m.rows()}, 0, m.cols(), path, state, std::move(readers)}};
    record.readNs = readNs;
}

/// Who can read the one can read the other, too, unless cells have become zero.
void Cluster::keptStored(const Object *from, const Value &to) {
    const ResidencyRecord *record = residencies.find(*from);
    if (!record || record->files.empty() || !record->matrix.isCsr() || to.object() == from)
        return;
    const Csr &before = record->matrix.csr(), &after = to.csr();
    if (before.rows() != after.rows() || before.cols() != after.cols() || before.nonZeros() != after.nonZeros() ||
        before.isPattern() != after.isPattern())
        return;
    ResidencyRecord &other = residencies.of(to);
    other.files = record->files;
    other.readNs = record->readNs;
}

/// Rows that nobody has read here yet.
void Cluster::readHere(ResidencyRecord &record, RowRange wanted) {
    std::vector<RowRange> left;
    for (RowRange range : record.unread) {
        RowRange now{std::max(range.begin, wanted.begin), std::min(range.end, wanted.end)};
        if (now.begin >= now.end) {
            left.push_back(range);
            continue;
        }
        for (const FilePart &file : record.files)
            readHere(record, file, {std::max(now.begin, file.rows.begin), std::min(now.end, file.rows.end)});
        if (range.begin < now.begin)
            left.push_back({range.begin, now.begin});
        if (now.end < range.end)
            left.push_back({now.end, range.end});
    }
    record.unread = std::move(left);
}

void Cluster::readHere(ResidencyRecord &record, const FilePart &file, RowRange now) {
    if (now.begin >= now.end)
        return;
    Dense &matrix = record.matrix.dense();
    sched::Pool *pool = scheduler ? &scheduler->pool() : nullptr;
    Ref<Dense> rows;
    if (stateOf(file.path) == file.state)
        rows = io::readRows(file.path, now.begin - file.rows.begin, now.size(), pool);
    if (!rows || rows->cols() != file.cols || rows->type() != matrix.type())
        throw executionError("file \"" + file.path + "\" has changed since it was read");
    copyInto(matrix, *rows, now.begin, file.col);
}

void Cluster::beforeWriting() {
    for (const Value &matrix : residencies.unread())
        fetchAll(matrix);
}

} // namespace daphne::dist
