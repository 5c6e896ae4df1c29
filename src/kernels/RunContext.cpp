// SPDX-License-Identifier: Apache-2.0
#include "kernels/RunContext.h"

namespace daphne {

namespace {
constexpr size_t kFlushBytes = 1 << 16;
}

void Output::write(std::string_view text) {
    if (!sink)
        return;
    buffer.append(text);
    if (passing == Passing::AtOnce || buffer.size() >= kFlushBytes)
        flush();
}

void Output::flush() {
    if (buffer.empty())
        return;
    std::string text = std::exchange(buffer, {});
    sink(text);
    // The room is used again.
    text.clear();
    buffer = std::move(text);
}

} // namespace daphne
