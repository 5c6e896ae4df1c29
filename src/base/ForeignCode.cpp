// SPDX-License-Identifier: Apache-2.0
#include "base/ForeignCode.h"

#include <atomic>

namespace daphne {

namespace {
std::atomic<ForeignCodeGuard> installed{nullptr};
} // namespace

void InForeignCode::setGuard(ForeignCodeGuard guard) { installed = guard; }

InForeignCode::InForeignCode(std::string given, std::optional<uint64_t> size)
    : text(std::move(given)), bytes(size.value_or(0)) {
    current = this;
    if (ForeignCodeGuard guard = installed; guard && size)
        watch = guard(bytes);
}

InForeignCode::~InForeignCode() {
    watch.reset();
    current = nullptr;
}

void InForeignCode::expect(uint64_t more) {
    if (current && current->watch)
        current->watch->expect(current->bytes + more);
}

} // namespace daphne
