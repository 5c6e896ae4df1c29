// SPDX-License-Identifier: Apache-2.0
/// Progress of runs as a bar on a terminal, for work that takes longer than two
/// seconds. A bar vanishes when its work ends, before anything else is written.
#pragma once

#include <chrono>
#include <memory>
#include <string_view>

#include "base/ActiveRun.h"

namespace daphne::driver {

class ProgressPainter;

/// While one lives, the run of this thread has bars; without a run, what this thread does is one. Ends on its thread.
class ShowProgress {
  public:
    explicit ShowProgress(int descriptor = 2, std::chrono::milliseconds patience = std::chrono::seconds(2));
    ~ShowProgress();
    ShowProgress(const ShowProgress &) = delete;
    ShowProgress &operator=(const ShowProgress &) = delete;

    /// For runs that begin meanwhile.
    ProgressListener *listener() const;

  private:
    std::unique_ptr<ProgressPainter> painter;
    ActiveRun own; ///< if there is no other
    ActiveRun &run;
    ActiveRun::Scope scope;
};

/// Bars while the result lives, if the value of the option --progress (auto, on or off) wants them.
std::unique_ptr<ShowProgress> showProgress(std::string_view when);

} // namespace daphne::driver
