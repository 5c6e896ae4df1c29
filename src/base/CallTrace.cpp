// SPDX-License-Identifier: Apache-2.0
#include "base/CallTrace.h"

#include <algorithm>

namespace daphne {

namespace {

/// So many calls next to the error are told, and so many next to the script itself.
constexpr size_t kInner = 5, kOuter = 3;
/// Calls that are left out are counted so far. A deeper recursion has ended where the stack of its thread did, so that its
/// exact depth says nothing about the script.
constexpr size_t kCounted = 1000;

std::string textOf(const CallInScript &call) { return "in " + call.callee + ", called"; }

bool isCall(const Note &note) { return note.text.starts_with("in ") && note.text.ends_with(", called"); }

} // namespace

void addCallTrace(Error &error, const std::vector<CallInScript> &calls) {
    if (std::ranges::any_of(error.notes, isCall))
        return;
    // Leaving out a single one would not make the text shorter.
    size_t n = calls.size(), leftOut = n > kInner + kOuter + 1 ? n - kInner - kOuter : 0;
    for (size_t i = 0; i < n; ++i) {
        if (leftOut > 0 && i == kInner) {
            std::string count = leftOut > kCounted ? "over " + std::to_string(kCounted) : std::to_string(leftOut);
            error.withNote("... " + count + " more calls ...");
            i += leftOut;
        }
        error.withNote(textOf(calls[i]), calls[i].where);
    }
}

} // namespace daphne
