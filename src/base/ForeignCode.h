// SPDX-License-Identifier: Apache-2.0
/// Code of others on data of others: what a library does with a damaged file is not
/// in our hands. Here it is only known that a thread runs such code. A process that
/// owns its signals may add a guard (driver/process/ForeignCodeTimer.h): a signal raised
/// inside is then an error of the execution, not an internal one, and a library that
/// does not come to an end gets a signal, too. Without a guard foreign code just runs.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>

namespace daphne {

/// What watches over one stay in foreign code; the stay is over when it is destroyed, on the same thread.
class ForeignCodeWatch {
  public:
    virtual ~ForeignCodeWatch() = default;
    /// So many bytes are worked on in all, and time is measured anew.
    virtual void expect(uint64_t bytes) = 0;
};

/// Called on the thread that enters foreign code with so many bytes. Null: nobody watches this time.
using ForeignCodeGuard = std::unique_ptr<ForeignCodeWatch> (*)(uint64_t bytes);

/// While one lives, this thread runs the code of a library. They do not nest.
class InForeignCode {
  public:
    /// What is being done, such as: file "x.h5": HDF5; and with how many bytes. Without a number it may take any time
    /// and is not watched.
    InForeignCode(std::string text, std::optional<uint64_t> bytes);
    ~InForeignCode();
    InForeignCode(const InForeignCode &) = delete;
    InForeignCode &operator=(const InForeignCode &) = delete;
    /// For a signal handler: what this thread does, null if it is nothing foreign.
    static const char *now() { return current ? current->text.c_str() : nullptr; }
    /// There are so many bytes besides, and time is measured anew. Without effect if nothing foreign is done.
    static void expect(uint64_t more);
    /// For the program that owns the process, before the first stay; null: none.
    static void setGuard(ForeignCodeGuard guard);

  private:
    inline static thread_local InForeignCode *current = nullptr;
    std::string text;
    uint64_t bytes;
    std::unique_ptr<ForeignCodeWatch> watch;
};

} // namespace daphne
