// SPDX-License-Identifier: Apache-2.0
/// Patterns of SQL: '%' stands for any text, '_' for any one byte, everything
/// else for itself; letter case counts.
#pragma once

#include <string_view>

namespace daphne {

bool fitsPattern(std::string_view text, std::string_view pattern);

} // namespace daphne
