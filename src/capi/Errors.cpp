// SPDX-License-Identifier: Apache-2.0
#include <nlohmann/json.hpp>

#include "capi/Handles.h"

using namespace daphne;

namespace daphne::capi {

namespace {

using Json = nlohmann::json;

void addPlace(Json &out, SourceSpan span, const SourceManager &sources) {
    if (!span.known())
        return;
    LineColumn begin = sources.position(span.fileId, span.begin), end = sources.position(span.fileId, span.end);
    out["file"] = sources.name(span.fileId);
    out["line"] = begin.line;
    out["column"] = begin.column;
    out["endLine"] = end.line;
    out["endColumn"] = end.column;
}

Json jsonOf(const Error &e, const SourceManager &sources) {
    Json out = {{"status", static_cast<int>(e.stage)}, {"message", e.message}};
    if (!e.hint.empty())
        out["hint"] = e.hint;
    if (!e.operation.empty())
        out["operation"] = e.operation;
    if (e.isStop)
        out["stop"] = true;
    addPlace(out, e.where, sources);
    for (const Label &label : e.labels) {
        Json one = {{"text", label.text}};
        addPlace(one, label.where, sources);
        out["labels"].push_back(std::move(one));
    }
    for (const Note &note : e.notes) {
        Json one = {{"text", note.text}};
        addPlace(one, note.where, sources);
        out["notes"].push_back(std::move(one));
    }
    return out;
}

void fill(daphne_error &out, const engine::Failure &failure) {
    const Error &first = failure.first();
    out.status = static_cast<int>(first.stage);
    out.message = first.message;
    out.hint = first.hint;
    out.rendered = failure.rendered();
    Json json = jsonOf(first, failure.sources());
    for (size_t i = 1; i < failure.errors().size(); ++i)
        json["further"].push_back(jsonOf(failure.errors()[i], failure.sources()));
    out.json = json.dump(-1, ' ', false, Json::error_handler_t::replace);
}

void fillPlain(daphne_error &out, int status, const std::string &message) {
    out.status = status;
    out.message = message;
    out.rendered = "error: " + message + "\n";
    out.json = Json{{"status", status}, {"message", message}}.dump(-1, ' ', false, Json::error_handler_t::replace);
}

} // namespace

int report(daphne_error **error) noexcept {
    int status = DAPHNE_INTERNAL_ERROR;
    try {
        auto made = std::make_unique<daphne_error>();
        try {
            throw;
        } catch (const engine::Failure &failure) {
            fill(*made, failure);
        } catch (const Error &e) {
            fill(*made, engine::Failure({e}, std::make_shared<SourceManager>()));
        } catch (const UsageError &e) {
            fillPlain(*made, DAPHNE_USAGE_ERROR, e.message);
        } catch (const std::bad_alloc &) {
            fillPlain(*made, DAPHNE_EXECUTION_ERROR, "out of memory");
        } catch (const std::exception &e) {
            fillPlain(*made, DAPHNE_INTERNAL_ERROR, e.what());
        } catch (...) {
            fillPlain(*made, DAPHNE_INTERNAL_ERROR, "an exception of a type that nobody knows");
        }
        status = made->status;
        if (error)
            *error = made.release();
    } catch (...) {
        // No memory for the description: the status has to do.
        status = DAPHNE_EXECUTION_ERROR;
        if (error)
            *error = nullptr;
    }
    return status;
}

} // namespace daphne::capi

extern "C" {

int daphne_error_status(const daphne_error *error) { return error ? error->status : DAPHNE_OK; }
const char *daphne_error_message(const daphne_error *error) { return error ? error->message.c_str() : ""; }
const char *daphne_error_hint(const daphne_error *error) { return error ? error->hint.c_str() : ""; }
const char *daphne_error_rendered(const daphne_error *error) { return error ? error->rendered.c_str() : ""; }
const char *daphne_error_json(const daphne_error *error) { return error ? error->json.c_str() : "{}"; }
void daphne_error_free(daphne_error *error) { delete error; }

} // extern "C"
