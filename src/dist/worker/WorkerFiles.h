// SPDX-License-Identifier: Apache-2.0
/// The files that a worker reads for its coordinator: those in the directories
/// it was told, and nothing else, whatever a message says.
///
/// A matrix that had to be read as a whole is kept while something that was cut
/// from it is in use: other rows of it are wanted soon.
#pragma once

#include "data/Value.h"
#include "dist/protocol/Message.h"

namespace daphne::sched {
class Pool;
}

namespace daphne::dist {

class WorkerFiles {
  public:
    explicit WorkerFiles(const std::vector<std::string> &roots) : roots(roots) {}
    /// Files whose matrices would not fit are none that can be read.
    FileAnswer answerTo(const FileQuery &query, uint64_t mostBytes) const;
    /// The wanted cells, as rows or as one row; of a sparse matrix its rows. Throws WireError for files that must not
    /// be read and cells that they do not have, Error for everything else.
    Value read(const ReadRows &message, uint64_t mostBytes, sched::Pool *pool);

    /// Matrices that are kept as a whole.
    uint64_t keptBytes() const;
    /// Drops those of which nothing is in use any more.
    void sweep();

  private:
    struct Kept {
        std::string path;
        FileState state;
        Value matrix;
    };
    struct Look {
        SeenFile file;
        uint64_t csrBytes = 0; ///< that a matrix may take which has to be read as a whole
    };
    bool isReadable(const std::string &path) const;
    Look look(const std::string &path) const;
    Look lookAt(const FilePiece &piece) const;
    std::vector<SeenFile> check(const ReadRows &message, uint64_t mostBytes) const;
    Value readDense(const ReadRows &message, uint64_t mostBytes, sched::Pool *pool);
    Value readSparse(const ReadRows &message, uint64_t mostBytes, sched::Pool *pool);
    const Value *findKept(const ReadRows &message) const;
    const Value &readWhole(const ReadRows &message, const Look &look, uint64_t mostBytes, sched::Pool *pool);

    const std::vector<std::string> &roots;
    std::vector<Kept> kept;
};

} // namespace daphne::dist
