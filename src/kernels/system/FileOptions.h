// SPDX-License-Identifier: Apache-2.0
/// The options of read, behind the name of the file and whether it is a frame.
#pragma once

#include "data/Value.h"

namespace daphne {

enum class FileOption : uint8_t { Header, Delimiter, Quote, Nulls, Lenient };
constexpr size_t kNumReadOptions = 5, kFirstReadOption = 2;

/// An option that a call leaves out (the default `none` of signatures).
inline bool isNotGiven(const Value &option) { return option.isScalar() && option.scalarType() == ValueType::SI8; }

} // namespace daphne
