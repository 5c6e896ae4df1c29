// SPDX-License-Identifier: Apache-2.0
/// Code of others on data of others: what a library does with a damaged file is not
/// in our hands. A signal raised inside of it is an error of the execution, not an
/// internal one.
#pragma once

#include <string>

namespace daphne {

/// While one lives, this thread runs the code of a library. They do not nest.
class InForeignCode {
  public:
    /// What is being done, such as: file "x.h5": HDF5.
    explicit InForeignCode(std::string text) : text(std::move(text)) { current = this->text.c_str(); }
    ~InForeignCode() { current = nullptr; }
    InForeignCode(const InForeignCode &) = delete;
    InForeignCode &operator=(const InForeignCode &) = delete;
    /// For a signal handler: what this thread does, null if it is nothing foreign.
    static const char *now() { return current; }

  private:
    inline static thread_local const char *current = nullptr;
    std::string text;
};

} // namespace daphne
