# SPDX-License-Identifier: Apache-2.0
# RE2, regular expressions in linear time: src/base/Regex.cpp.
find_path(RE2_INCLUDE re2/re2.h REQUIRED)
daphne_static_in_programs(DAPHNE_RE2 re2 libre2.a)
