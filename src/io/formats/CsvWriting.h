// SPDX-License-Identifier: Apache-2.0
/// The writing half of CSV.
#pragma once

#include "io/FormatTable.h"

namespace daphne::io {

void writeCsv(const Matrix &matrix, WriteJob &job);
void writeCsv(const Frame &frame, WriteJob &job);

} // namespace daphne::io
