// SPDX-License-Identifier: Apache-2.0
/// What one run of a program shares: output streams, the current call site, the
/// stack limit, which representation is preferred, open files. One per run, used by the coordinating thread only.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/ValueType.h"
#include "io/OpenFiles.h"

namespace daphne {

/// Buffered writer on a file descriptor. Flushes when large, on request and at
/// destruction; a failing descriptor (closed pipe) throws Error (status 3) on write().
class Output {
  public:
    explicit Output(int fd) : fd(fd) {}
    ~Output();
    void write(std::string_view text);
    void flush();

  private:
    int fd;
    std::string buffer;
};

/// Which matrices are held as Csr.
struct RepresentationPolicy {
    bool byEstimate = false;  ///< the compiler decides, and print tells (--select-matrix-repr)
    double threshold = 0.25;  ///< share of non-zeros below which Csr pays
    size_t largeBytes = size_t(64) << 20; ///< without the compiler's word: only if the dense form would be larger

    /// For kernels that can build either: whether a matrix with about this many non-zeros is better held as Csr.
    bool prefersCsr(ValueType type, size_t rows, size_t cols, double nonZeros) const {
        if (!isNumeric(type))
            return false;
        double cells = static_cast<double>(rows) * static_cast<double>(cols);
        return cells * static_cast<double>(cellSize(type)) > static_cast<double>(largeBytes) &&
               nonZeros < threshold * cells;
    }
};

struct Context {
    /// Layout known to generated code: the first two members.
    uint64_t callSite = 0;   ///< id of the operation being executed
    uint64_t stackLimit = 0; ///< lowest stack address generated code may reach
    Output out{1};
    Output err{2};
    RepresentationPolicy representation;
    io::OpenFiles files;                      ///< opened by the script and not yet closed
    std::vector<std::string> profiledRegions; ///< started and not yet stopped
};

} // namespace daphne
