// SPDX-License-Identifier: Apache-2.0
/// Which calls of functions led to an error, as notes of it: "in f, called at FILE:LINE:COL", the innermost first.
#pragma once

#include <string>
#include <vector>

#include "base/Error.h"

namespace daphne {

/// A call and the function that it calls.
struct CallInScript {
    std::string callee;
    SourceSpan where;
};

/// Adds the calls, the innermost first, unless the error tells of its calls already. Of many the middle is left out.
void addCallTrace(Error &error, const std::vector<CallInScript> &calls);

} // namespace daphne
