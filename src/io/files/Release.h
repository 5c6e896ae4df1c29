// SPDX-License-Identifier: Apache-2.0
/// The space of a file that was replaced is given back beside the program: for a
/// large file the system takes a third of the time in which a new one is written.
///
/// One file at a time: who replaces the next one waits until the last one is gone,
/// so that nothing piles up, and nothing is left at the end of the process.
#pragma once

#include <string>

namespace daphne::io {

/// Keeps the file of this name alive, if there is a large one with no other name; after it has been replaced it goes
/// when this is destroyed, in the background.
class ReplacedFile {
  public:
    explicit ReplacedFile(const std::string &path);
    ~ReplacedFile();
    ReplacedFile(const ReplacedFile &) = delete;
    ReplacedFile &operator=(const ReplacedFile &) = delete;

  private:
    int fd = -1;
};

/// Returns when the space of all replaced files is free again. Whether there was one to wait for.
bool awaitRelease();

} // namespace daphne::io
