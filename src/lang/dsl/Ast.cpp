// SPDX-License-Identifier: Apache-2.0
#include "lang/dsl/Ast.h"

#include <algorithm>
#include <cstring>

namespace daphne::lang {

namespace {
constexpr size_t kBlockBytes = 64 * 1024;
} // namespace

void *Arena::allocate(size_t bytes, size_t alignment) {
    size_t padding = (alignment - reinterpret_cast<uintptr_t>(next) % alignment) % alignment;
    if (!next || padding + bytes > left) {
        size_t size = std::max(kBlockBytes, bytes + alignment);
        // Not make_unique: the bytes need no zeroing.
        blocks.emplace_back(new std::byte[size]);
        next = blocks.back().get();
        left = size;
        padding = (alignment - reinterpret_cast<uintptr_t>(next) % alignment) % alignment;
    }
    std::byte *result = next + padding;
    next = result + bytes;
    left -= padding + bytes;
    return result;
}

std::string_view Arena::copy(std::string_view text) {
    if (text.empty())
        return {};
    char *first = static_cast<char *>(allocate(text.size(), 1));
    std::memcpy(first, text.data(), text.size());
    return {first, text.size()};
}

} // namespace daphne::lang
