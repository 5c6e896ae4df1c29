// SPDX-License-Identifier: Apache-2.0
/// Collects the errors of one front-end run, at most kMaxErrors of them. Text
/// that is checked only for what it yields (functions of earlier interactive
/// inputs) is checked with a muted collector.
#pragma once

#include <utility>
#include <vector>

#include "base/Error.h"
#include "lang/dsl/Frontend.h"

namespace daphne::lang {

class Diagnostics {
  public:
    /// Returns the stored error, so that notes and hints can be added to it; the reference is valid until the next
    /// report.
    Error &report(SourceSpan where, std::string message) { return report(parseError(where, std::move(message))); }
    Error &report(Error error) {
        ++numReported;
        if (muted || full())
            return dropped = std::move(error);
        return errors.emplace_back(std::move(error));
    }
    bool full() const { return errors.size() >= kMaxErrors; }
    /// Reports so far, muted ones included: a change tells that something went wrong in between.
    size_t count() const { return numReported; }
    /// Errors kept so far, an argument for noteSince().
    size_t mark() const { return errors.size(); }
    /// Adds a note to all errors kept since the mark.
    void noteSince(size_t mark, const std::string &text, SourceSpan at) {
        for (size_t i = mark; i < errors.size(); ++i)
            errors[i].withNote(text, at);
    }
    /// Text is checked once more from here on: what was reported since both numbers were taken never was.
    void forgetSince(size_t mark, size_t count) {
        errors.resize(mark, Error{Stage::Parse, ""});
        numReported = count;
    }
    std::vector<Error> take() { return std::move(errors); }

    bool muted = false;

  private:
    std::vector<Error> errors;
    Error dropped{Stage::Parse, ""};
    size_t numReported = 0;
};

} // namespace daphne::lang
