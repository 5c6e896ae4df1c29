// SPDX-License-Identifier: Apache-2.0
/// Object files of compiled loops in a directory that all processes of a user
/// share. A file is written under a name of its own and then renamed: readers see
/// it complete or not at all. It begins with what it was made from (program,
/// processor, version of the compiler, build of our code); one that says
/// something else is ignored. The directory is kept below kMostBytes by removing
/// the files that were not used for the longest time. Every failure of the file
/// system means "not there".
#pragma once

#include <memory>
#include <string>

#include "llvm/Support/MemoryBuffer.h"

namespace daphne::codegen {

class ObjectCache {
  public:
    /// "" for none.
    explicit ObjectCache(std::string directory) : directory(std::move(directory)) {}

    /// Null if there is none.
    std::unique_ptr<llvm::MemoryBuffer> find(const std::string &key);
    void add(const std::string &key, const llvm::MemoryBuffer &object);

    static constexpr uint64_t kMostBytes = 64 << 20;

  private:
    std::string pathOf(const std::string &header) const;
    void removeOldest();

    std::string directory;
};

} // namespace daphne::codegen
