// SPDX-License-Identifier: Apache-2.0
/// The files that a worker reads for its coordinator: those in the directories
/// it was told, and nothing else, whatever a message says.
#pragma once

#include "data/Value.h"
#include "dist/Message.h"

namespace daphne::sched {
class Pool;
}

namespace daphne::dist {

class WorkerFiles {
  public:
    explicit WorkerFiles(const std::vector<std::string> &roots) : roots(roots) {}
    FileAnswer answerTo(const FileQuery &query) const;
    /// The wanted cells, as rows or as one row. Throws WireError for files that must not be read and cells that they
    /// do not have, Error for everything else.
    Ref<Dense> read(const ReadRows &message, uint64_t mostBytes, sched::Pool *pool) const;

  private:
    bool isReadable(const std::string &path) const;
    SeenFile look(const std::string &path) const;
    std::vector<SeenFile> check(const ReadRows &message, uint64_t mostBytes) const;
    const std::vector<std::string> &roots;
};

} // namespace daphne::dist
