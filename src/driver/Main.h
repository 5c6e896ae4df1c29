// SPDX-License-Identifier: Apache-2.0
/// The command `daphne`: arguments in, exit status out.
#pragma once

#include <string>
#include <vector>

namespace daphne::driver {

/// Arguments without the program's name.
int daphneMain(const std::vector<std::string> &words);

} // namespace daphne::driver
