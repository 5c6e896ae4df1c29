// SPDX-License-Identifier: Apache-2.0
#include "engine/Failure.h"

#include <algorithm>
#include <cctype>

#include "ops/Registry.h"

namespace daphne::engine {

namespace {

/// The builtin that the text calls there, if it is one of several for the same operation (readMatrix and readFrame).
std::string asWritten(const std::string &operation, SourceSpan span, const SourceManager &sources) {
    const ops::BuiltinInfo *named = ops::Registry::get().findBuiltin(operation);
    if (!named || !span.known())
        return operation;
    std::string_view text = sources.text(span.fileId).substr(span.begin);
    auto isPart = [](char c) { return std::isalnum(static_cast<unsigned char>(c)) || c == '_' || c == '.'; };
    auto end = std::ranges::find_if_not(text, isPart);
    const ops::BuiltinInfo *written = ops::Registry::get().findBuiltin({text.begin(), end});
    bool isSame = written && written->row->op == named->row->op;
    return isSame ? std::string(written->name) : operation;
}

} // namespace

Failure::Failure(std::vector<Error> errors, std::shared_ptr<const SourceManager> sources)
    : all(std::move(errors)), texts(std::move(sources)) {
    for (Error &e : all)
        e.operation = asWritten(e.operation, e.where, *texts);
}

std::string Failure::rendered(Colour colour) const {
    std::string text;
    for (const Error &e : all) {
        if (!e.isStop) {
            text += render(e, *texts, colour);
            continue;
        }
        Error shown = e;
        shown.message = "system stopped: " + e.message;
        text += render(shown, *texts, colour);
    }
    return text;
}

} // namespace daphne::engine
