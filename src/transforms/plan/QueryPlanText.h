// SPDX-License-Identifier: Apache-2.0
/// How a query block would be run, for --explain: the same plan as at run time,
/// with estimates instead of samples.
#pragma once

#include <string>
#include <vector>

#include "ops/QueryBlock.h"

namespace daphne::transforms {

/// One line per source, those below another one indented. rows: of the sources, -1 if not known.
std::vector<std::string> planText(const ops::QueryBlock &block, const std::vector<int64_t> &rows);

} // namespace daphne::transforms
