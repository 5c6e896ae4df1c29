// SPDX-License-Identifier: Apache-2.0
#include "base/WideVectors.h"

namespace daphne {

bool hasWideVectors() {
#if defined(__x86_64__) && defined(__GNUC__)
    return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("bmi") && __builtin_cpu_supports("bmi2");
#else
    return false;
#endif
}

bool fusesMultiplyAdd() {
#if defined(__x86_64__) && defined(__GNUC__)
    static const bool detected = hasWideVectors() && __builtin_cpu_supports("fma");
    return detected;
#else
    return false;
#endif
}

bool detail::useWideVectors = hasWideVectors();

void allowWideVectors(bool allowed) { detail::useWideVectors = allowed && hasWideVectors(); }

} // namespace daphne
