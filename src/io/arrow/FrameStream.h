// SPDX-License-Identifier: Apache-2.0
/// Frames that come from and go to other programs in the same process, through
/// Arrow's C stream interface. Columns of numbers are shared, not copied, where
/// the layout allows: one batch, no nulls, no bools.
#pragma once

#include "data/Value.h"
#include "io/arrow/Interface.h"

namespace daphne::io {

/// Takes the stream over, also if it throws. A column with nulls gets a null indicator beside it. Throws Error
/// (status 3) on types that frames do not have.
Value frameOfStream(ArrowArrayStream &stream);

/// A stream with one batch, which keeps the frame alive. Null indicators become nulls of their columns.
void streamOfFrame(Ref<Frame> frame, ArrowArrayStream &stream);

} // namespace daphne::io
