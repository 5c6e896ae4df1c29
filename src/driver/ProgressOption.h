// SPDX-License-Identifier: Apache-2.0
/// --progress.
#pragma once

#include <cstdlib>
#include <memory>
#include <string_view>

#include <unistd.h>

#include "base/Progress.h"

namespace daphne::driver {

/// Bars while the result lives, if the value of the option (auto, on or off) wants them.
inline std::unique_ptr<ShowProgress> showProgress(std::string_view when) {
    const char *terminal = std::getenv("TERM");
    bool canMove = isatty(2) && terminal && std::string_view(terminal) != "dumb";
    return when == "on" || (when == "auto" && canMove) ? std::make_unique<ShowProgress>() : nullptr;
}

} // namespace daphne::driver
