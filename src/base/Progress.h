// SPDX-License-Identifier: Apache-2.0
/// How far long work has come, as a bar on standard error:
///
///     Progress bar("reading x.csv", fileSize);
///     ... bar.advance(n), or advanceProgress(n) where the bar is not at hand; from any thread of the work
///
/// Only while somebody wants bars (ShowProgress), and only for work that takes
/// longer than two seconds. Of nested work the outermost shows. A bar vanishes when
/// its work ends, before anything else is written.
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <string>
#include <string_view>

namespace daphne {

/// While one lives, bars are shown. One per process.
class ShowProgress {
  public:
    explicit ShowProgress(int descriptor = 2, std::chrono::milliseconds patience = std::chrono::seconds(2));
    ~ShowProgress();
    ShowProgress(const ShowProgress &) = delete;
    ShowProgress &operator=(const ShowProgress &) = delete;
};

class Progress {
  public:
    /// Work of so many units; 0: nobody knows.
    Progress(std::string_view what, uint64_t total);
    ~Progress();
    Progress(const Progress &) = delete;
    Progress &operator=(const Progress &) = delete;
    void advance(uint64_t units) {
        if (shown)
            done.fetch_add(units, std::memory_order_relaxed);
    }

  private:
    friend struct ProgressPainter;
    friend void advanceProgress(uint64_t);
    friend void setProgress(uint64_t, uint64_t);
    using Clock = std::chrono::steady_clock;
    std::string what;
    std::atomic<uint64_t> total, done{0};
    Clock::time_point start;
    bool shown = false; ///< this is the outermost
};

/// The work that shows has come this much further.
void advanceProgress(uint64_t units);
/// The work that shows has come so far.
void setProgress(uint64_t done, uint64_t total);

} // namespace daphne
