// SPDX-License-Identifier: Apache-2.0
/// Commands on data files instead of scripts:
///
///     daphne convert in out     reads a file of any format, writes one of any other
///     daphne inspect file       type, shape, sparsity, row lengths, first rows
#pragma once

#include <string>
#include <vector>

namespace daphne::driver {

/// Whether the words of a command line are such a command: its name, and no script of that name.
bool isFileCommand(const std::vector<std::string> &words);

/// Runs it and returns the exit status. Throws Error.
int runFileCommand(const std::vector<std::string> &words);

} // namespace daphne::driver
