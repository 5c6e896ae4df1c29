// SPDX-License-Identifier: Apache-2.0
/// Floats as texts that say that they are floats: always with a point or an
/// exponent. The layout is the same whatever the number of digits: fixed for
/// 1e-5 <= |x| < 1e16, else with an exponent ("1e+16").
#pragma once

#include <cstddef>
#include <string>

namespace daphne {

constexpr int kMostFloatDigits = 17;
/// Longest text: sign, zeros and point, 17 digits; or an exponent.
constexpr size_t kMaxFloatText = 32;

/// digits: of which there are at most so many, from 1 to kMostFloatDigits, zeros at the end left out; 0: the fewest
/// that read back as the same number of the same type. Others are nan (without a sign), inf and -inf. `to` has room for
/// kMaxFloatText characters; returns the end.
char *writeFloat(char *to, double x, int digits = 0);
char *writeFloat(char *to, float x, int digits = 0);
void appendFloat(std::string &out, double x, int digits = 0);
void appendFloat(std::string &out, float x, int digits = 0);

} // namespace daphne
