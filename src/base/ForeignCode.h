// SPDX-License-Identifier: Apache-2.0
/// Code of others on data of others: what a library does with a damaged file is not
/// in our hands. A signal raised inside of it is an error of the execution, not an
/// internal one; and a library that does not come to an end gets a signal, too.
#pragma once

#include <cstdint>
#include <ctime>
#include <optional>
#include <string>

namespace daphne {

/// While one lives, this thread runs the code of a library. They do not nest.
class InForeignCode {
  public:
    /// What is being done, such as: file "x.h5": HDF5; and with how many bytes. After more time than the slowest
    /// library needs for them, computing, not waiting, the thread gets SIGXCPU; without a number it may take any time.
    InForeignCode(std::string text, std::optional<uint64_t> bytes);
    ~InForeignCode();
    InForeignCode(const InForeignCode &) = delete;
    InForeignCode &operator=(const InForeignCode &) = delete;
    /// For a signal handler: what this thread does, null if it is nothing foreign.
    static const char *now() { return current ? current->text.c_str() : nullptr; }
    /// There are so many bytes besides, and time is measured anew. Without effect if nothing foreign is done.
    static void expect(uint64_t more);

  private:
    void startClock(uint64_t more) const;

    inline static thread_local InForeignCode *current = nullptr;
    std::string text;
    std::optional<uint64_t> bytes;
    timer_t timer{};
    bool hasTimer = false; ///< the system may have none left
};

} // namespace daphne
