// SPDX-License-Identifier: Apache-2.0
/// What notebooks and prompts need of daphne.h.
#include <algorithm>

#include <nlohmann/json.hpp>

#include "capi/Handles.h"
#include "engine/interactive/Completion.h"
#include "engine/interactive/Display.h"
#include "engine/interactive/Help.h"
#include "lang/dsl/Frontend.h"

using namespace daphne;
using namespace daphne::capi;

namespace {

using Json = nlohmann::json;

/// The answer, kept by the session; `nothing` if there is no session, no text, or no memory.
template <class Make>
const char *answer(daphne_session *session, const char *text, const char *nothing, Make &&make) noexcept {
    if (!session || !text)
        return nothing;
    try {
        session->json = make().dump(-1, ' ', false, Json::error_handler_t::replace);
        return session->json.c_str();
    } catch (const std::exception &) {
        return nothing;
    }
}

Json completionsJson(const engine::Completions &found) {
    Json candidates = Json::array();
    for (const engine::Candidate &c : found.candidates)
        candidates.push_back({{"text", c.text}, {"kind", c.kind}});
    return {{"begin", found.begin}, {"candidates", std::move(candidates)}};
}

Json explanationsJson(const std::vector<std::string> &names, const engine::Session &session) {
    Json all = Json::array();
    for (const std::string &name : names) {
        engine::Meaning meaning = engine::meaningOf(name, session);
        Json one = {{"name", name}, {"kind", meaning.kind}, {"text", meaning.text}};
        if (!meaning.source.empty())
            one["source"] = meaning.source;
        if (std::string near = meaning.text.empty() ? engine::nearestBuiltin(name) : ""; !near.empty())
            one["near"] = near;
        all.push_back(std::move(one));
    }
    return all;
}

} // namespace

extern "C" {

int daphne_is_incomplete(const char *text) {
    try {
        return text && lang::isIncomplete(text);
    } catch (const std::exception &) {
        return 0;
    }
}

const char *daphne_session_completions(daphne_session *session, const char *text, size_t cursor) {
    return answer(session, text, R"({"begin": 0, "candidates": []})", [&] {
        std::string all = text;
        return completionsJson(
            engine::completionsAt(all, std::min(cursor, all.size()), session->session->knownNames()));
    });
}

const char *daphne_session_explanations(daphne_session *session, const char *text, size_t cursor) {
    return answer(session, text, "[]",
                  [&] { return explanationsJson(engine::namesAt(text, cursor), *session->session); });
}

size_t daphne_display(const daphne_value *value, size_t width, char *buffer, size_t size) {
    if (!value)
        return 0;
    try {
        std::string text = engine::displayText(value->value, width);
        if (buffer && size > 0) {
            size_t length = std::min(text.size(), size - 1);
            text.copy(buffer, length);
            buffer[length] = 0;
        }
        return text.size();
    } catch (const std::exception &) {
        return 0;
    }
}

} // extern "C"
