// SPDX-License-Identifier: Apache-2.0
/// Which loops BLAS uses. OpenBLAS knows processors by their numbers; on one that
/// is newer than the library it falls back to loops of twenty years ago, which
/// are several times slower. The linker replaces its choice by this one
/// (src/CMakeLists.txt): where it has found nothing with wide vectors and the
/// processor has them, the newest processor with these instructions is named instead.
///
/// Runs where OpenBLAS chooses: before main, once. OPENBLAS_CORETYPE, if it is
/// set, still decides: OpenBLAS looks at the environment, and the linker lets it ask
/// here first. The environment itself is never changed; it belongs to the process.
#include "kernels/products/BlasProcessor.h"

#include <algorithm>
#include <array>
#include <string_view>

#include <cblas.h>

extern "C" {
// A library that was built for one processor has neither, and chooses nothing.
[[gnu::weak]] void __real_gotoblas_dynamic_init();
[[gnu::weak]] void gotoblas_dynamic_quit();
char *__real_getenv(const char *name);
}

namespace {

constexpr const char *kVariable = "OPENBLAS_CORETYPE";

/// What OpenBLAS finds in the variable if the user has not set it; null: nothing. Only while it chooses, so that nobody
/// else gets to see it.
const char *answer = nullptr;

/// Those of OpenBLAS that use wide vectors and fused multiplication and addition.
constexpr std::array<std::string_view, 6> kModern = {"Haswell",        "Zen",           "SkylakeX", "Cooperlake",
                                                     "Sapphirerapids", "SapphireRapids"};

/// Null: OpenBLAS has nothing better to offer.
const char *better(std::string_view chosen) {
#if defined(__x86_64__)
    __builtin_cpu_init();
    bool isModern = __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma");
    if (!isModern || std::ranges::count(kModern, chosen))
        return nullptr;
    bool hasWide = __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512cd") &&
                   __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512bw") &&
                   __builtin_cpu_supports("avx512vl");
    return hasWide ? "SkylakeX" : __builtin_cpu_is("amd") ? "Zen" : "Haswell";
#else
    (void)chosen;
    return nullptr;
#endif
}

} // namespace

extern "C" char *__wrap_getenv(const char *name) {
    char *given = __real_getenv(name);
    return !given && answer && std::string_view(name) == kVariable ? const_cast<char *>(answer) : given;
}

extern "C" void __wrap_gotoblas_dynamic_init() {
    __real_gotoblas_dynamic_init();
    const char *name = __real_getenv(kVariable) ? nullptr : better(openblas_get_corename());
    if (!name)
        return;
    gotoblas_dynamic_quit();
    answer = name;
    __real_gotoblas_dynamic_init();
    answer = nullptr;
}

namespace daphne {

std::string blasLoops() {
    static const std::string loops = openblas_get_config(); // not for several threads at a time
    return loops;
}

} // namespace daphne
