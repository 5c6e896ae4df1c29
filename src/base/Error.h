// SPDX-License-Identifier: Apache-2.0
/// The one error type. Everything that can go wrong because of the user's
/// input, files or machine is thrown as Error; the driver prints it and turns
/// its stage into the exit status. Errors carry no addresses, times or thread
/// numbers: equal scripts give equal text.
#pragma once

#include <exception>
#include <source_location>
#include <string>
#include <vector>

#include "base/Source.h"

namespace daphne {

/// The stage that rejects a program; the value is the process exit status.
enum class Stage : int { Parse = 1, Compile = 2, Execute = 3, Cancelled = 4, Internal = 70 };

/// A label under a part of the excerpt: "~~~~ 4x3".
struct Label {
    SourceSpan where;
    std::string text;
};

struct Note {
    std::string text;
    SourceSpan where; ///< may be unknown
};

class Error : public std::exception {
  public:
    Error(Stage stage, std::string message, SourceSpan where = {})
        : stage(stage), message(std::move(message)), where(where) {}

    const char *what() const noexcept override { return message.c_str(); }

    Error &withHint(std::string text) { return hint = std::move(text), *this; }
    Error &withNote(std::string text, SourceSpan at = {}) { return notes.push_back({std::move(text), at}), *this; }
    Error &withLabel(SourceSpan at, std::string text) { return labels.push_back({at, std::move(text)}), *this; }
    /// Sets the position if none is known yet.
    Error &at(SourceSpan span) {
        if (!where.known())
            where = span;
        return *this;
    }

    Stage stage;
    std::string message;
    SourceSpan where;
    std::string operation; ///< run-time errors: mnemonic of the failing operation
    std::string hint;
    std::vector<Label> labels;
    std::vector<Note> notes;
    bool isStop = false; ///< thrown by stop(): the driver also prints "system stopped: ..." on stdout
};

Error parseError(SourceSpan where, std::string message);
Error compileError(SourceSpan where, std::string message);
/// A failing operation; the span is added by the caller from the call site.
Error executionError(std::string message);
/// The host has cancelled the run.
Error cancelledError();
/// Our own bug: names the C++ location and asks for a report.
Error internalError(std::string message, std::source_location at = std::source_location::current());

/// Renders "error: ...", " --> file:line:col", the source line, carets, labels,
/// notes and the hint. Colour escapes only on request.
enum class Colour { No, Yes };
std::string render(const Error &error, const SourceManager &sources, Colour colour = Colour::No);

/// The candidate closest to word by edit distance, or "" if none is close.
std::string nearest(std::string_view word, const std::vector<std::string_view> &candidates);

} // namespace daphne
