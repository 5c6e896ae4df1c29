// SPDX-License-Identifier: Apache-2.0
/// --builtins: the reference documentation, written from the tables of builtins,
/// operations and kernels. The pages in docs/reference are these texts.
#pragma once

#include <string>
#include <string_view>

namespace daphne::driver {

/// form is a choice of the option: "md", "json" or "representations".
std::string referenceText(std::string_view form);

/// Every builtin: signature, parameters, what it does, an example and its output.
std::string builtinsMarkdown();
std::string builtinsJson();
/// Operation x representation x value type: what is native and what goes through a conversion.
std::string representationsMarkdown();

} // namespace daphne::driver
