// SPDX-License-Identifier: Apache-2.0
/// What operations do with dates, timestamps and durations. These are no numbers:
/// an operation takes them only if the table in Times.cpp has a row for it, with the
/// rule for its results. The compiler asks OpInfo::resultTypes, which looks here;
/// at run time Kernel::run does.
#pragma once

#include "ops/Registry.h"

namespace daphne::ops {

/// Result types of an op with times among its operands. Throws Error (status 2) if it does not take them.
std::vector<TypeDesc> resultsOfTimes(const InferCall &call);

/// Throws Error (status 2) unless cells of one type, at least one of them a time, can be cast to the other: times to
/// and from strings and the numbers they are stored as, dates to timestamps and back.
void needCastOfTimes(ValueType from, ValueType to);

/// Throws Error (status 2) if columns, some of them times, cannot be one matrix of the wanted type; Unknown: that of
/// the first column, with which times must be alike.
void needOneTypeOfColumns(const std::vector<ValueType> &columns, ValueType wanted);

/// Value type of a binary operation on operands of these types, of which at least one is a time; Unknown if there is no
/// such operation or a type is unknown.
ValueType combinedTimes(std::string_view mnemonic, ValueType a, ValueType b);

} // namespace daphne::ops
