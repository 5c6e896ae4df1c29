// SPDX-License-Identifier: Apache-2.0
/// Engines, programs, runs and sessions of daphne.h.
#include <chrono>

#include <nlohmann/json.hpp>

#include "base/Progress.h"
#include "capi/Handles.h"

using namespace daphne;
using namespace daphne::capi;

namespace {

std::shared_ptr<const ops::FrameSchema> schemaOf(const daphne_input &input) {
    if (!input.labels || !input.types)
        return nullptr;
    need(input.cols >= 0, "an input has labels, but no number of columns");
    auto schema = std::make_shared<ops::FrameSchema>();
    for (int64_t c = 0; c < input.cols; ++c) {
        need(input.labels[c], "a column of an input has no label");
        need(input.types[c] < DAPHNE_ANY, "a column of an input has no type");
        schema->labels.emplace_back(input.labels[c]);
        schema->types.push_back(static_cast<ValueType>(input.types[c]));
    }
    return schema;
}

/// What may be said of an input before it is there.
ops::TypeDesc typeOf(const daphne_input &input) {
    need(input.type <= DAPHNE_ANY, "an input has a type that does not exist");
    auto type = static_cast<ValueType>(input.type);
    switch (input.kind) {
    case DAPHNE_NOTHING:
    case DAPHNE_FUNCTION: return ops::TypeDesc::unknown();
    case DAPHNE_NUMBER:
        need(type < ValueType::Str, "an input that is a number has no type of numbers");
        return ops::TypeDesc::scalar(type);
    case DAPHNE_TEXT: return ops::TypeDesc::scalar(ValueType::Str);
    case DAPHNE_DENSE:
    case DAPHNE_CSR: return ops::TypeDesc::matrix(type, input.rows, input.cols);
    case DAPHNE_FRAME: return ops::TypeDesc::frame(schemaOf(input), input.rows, input.cols);
    case DAPHNE_LIST: return ops::TypeDesc::list(type);
    default: throw UsageError("an input has a kind that does not exist");
    }
}

bool isName(const char *name) {
    if (!name || !*name || (*name >= '0' && *name <= '9'))
        return false;
    for (; *name; ++name)
        if (!((*name >= 'a' && *name <= 'z') || (*name >= 'A' && *name <= 'Z') || (*name >= '0' && *name <= '9') ||
              *name == '_'))
            return false;
    return true;
}

/// The options of a run, as the engine understands them.
class HostedRun : ProgressListener {
  public:
    explicit HostedRun(const daphne_options *given) {
        if (!given)
            return;
        options = known(given, "options");
        auto sink = [this](daphne_sink which) {
            return
                [this, which](std::string_view text) { options.write(options.user, which, text.data(), text.size()); };
        };
        if (options.write) {
            run.out = sink(DAPHNE_OUTPUT);
            run.err = sink(DAPHNE_ERROR_OUTPUT);
        }
        if (options.at_once)
            run.passing = Output::Passing::AtOnce;
        if (options.progress)
            run.progress = this;
        if (options.cancel)
            run.cancelFlag = &options.cancel->requested;
    }
    engine::RunOptions run;

  private:
    /// Tasks end much more often than anybody wants to hear of it.
    static constexpr std::chrono::milliseconds kPeriod{100};

    void tell(const ProgressWork &work) {
        options.progress(options.user, work.what.c_str(), work.done.load(std::memory_order_relaxed),
                         work.total.load(std::memory_order_relaxed));
    }
    void begins(const ProgressWork &) override { last.store(now(), std::memory_order_relaxed); }
    void advances(const ProgressWork &work) override {
        int64_t before = last.load(std::memory_order_relaxed), after = now();
        if (after - before >= kPeriod.count() && last.compare_exchange_strong(before, after))
            tell(work);
    }
    void ends(const ProgressWork &) override {}
    static int64_t now() {
        return std::chrono::duration_cast<std::chrono::milliseconds>(
                   std::chrono::steady_clock::now().time_since_epoch())
            .count();
    }
    daphne_options options{};
    std::atomic<int64_t> last{0};
};

std::string profileOf(const engine::Times &times, engine::Engine *engine) {
    nlohmann::json json = {{"parsingSeconds", times.parsing},
                           {"compilationSeconds", times.compilation},
                           {"executionSeconds", times.execution}};
    if (engine)
        json["threads"] = engine->scheduler().numThreads();
    return json.dump();
}

/// What daphne_program_output hands out.
std::vector<OutputDescription> describe(const std::vector<engine::Variable> &outputs) {
    std::vector<OutputDescription> all;
    for (const engine::Variable &output : outputs) {
        OutputDescription one;
        one.type = output.type;
        if (const ops::FrameSchema *schema = output.type.schema.get())
            for (size_t c = 0; c < schema->labels.size(); ++c) {
                one.labels.push_back(schema->labels[c].c_str());
                one.types.push_back(static_cast<uint32_t>(schema->types[c]));
            }
        all.push_back(std::move(one));
    }
    return all;
}

uint32_t kindOf(const ops::TypeDesc &type) {
    switch (type.kind) {
    case ops::Kind::Unknown: return DAPHNE_NOTHING;
    case ops::Kind::Scalar: return type.isString() ? DAPHNE_TEXT : DAPHNE_NUMBER;
    case ops::Kind::Matrix: return DAPHNE_DENSE;
    case ops::Kind::Frame: return DAPHNE_FRAME;
    case ops::Kind::List: return DAPHNE_LIST;
    }
    return DAPHNE_NOTHING;
}

engine::Host hostOf(const daphne_host *given) {
    if (!given)
        return {};
    daphne_host host = known(given, "daphne_engine_new_hosted: host");
    engine::Host made;
    if (host.explain)
        made.explain = [host](engine::ExplainLevel level, const std::string &text) {
            host.explain(host.user, std::string(engine::explainRow(level).name).c_str(), text.data(), text.size());
        };
    if (host.warn)
        made.warn = [host](const std::string &text) { host.warn(host.user, text.data(), text.size()); };
    if (host.log)
        made.schedulerLog = [host](std::string_view text) { host.log(host.user, text.data(), text.size()); };
    return made;
}

std::unique_ptr<daphne_result> resultOf(const engine::Session &session, const engine::Times &times) {
    auto made = std::make_unique<daphne_result>();
    for (auto &[name, value] : session.variables)
        made->values[name] = value;
    made->profile = profileOf(times, nullptr);
    return made;
}

double secondsSince(std::chrono::steady_clock::time_point begin) {
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
}

} // namespace

extern "C" {

uint32_t daphne_abi_version(void) { return DAPHNE_ABI_MAJOR << 16 | DAPHNE_ABI_MINOR; }
const char *daphne_version(void) { return DAPHNE_VERSION; }

int daphne_engine_new(const char *json, daphne_engine **engine, daphne_error **error) {
    return daphne_engine_new_hosted(json, nullptr, engine, error);
}

int daphne_engine_new_hosted(const char *json, const daphne_host *host, daphne_engine **engine, daphne_error **error) {
    return guarded(error, [&] {
        need(engine, "daphne_engine_new: nowhere to put the engine");
        std::vector<std::string> warnings;
        engine::Options options = engine::optionsOfJson(json ? json : "", warnings);
        if (options.isDistributed())
            throw UsageError("an engine in a library cannot connect to other machines yet; bin/daphne can");
        *engine = new daphne_engine{engine::Engine(std::move(options), hostOf(host)), std::move(warnings)};
    });
}

void daphne_engine_free(daphne_engine *engine) { delete engine; }

const char *daphne_engine_info(daphne_engine *engine) {
    if (!engine)
        return "{}";
    try {
        std::call_once(engine->hasInfo, [&] {
            nlohmann::json info = {{"version", DAPHNE_VERSION},
                                   {"threads", engine->engine.scheduler().numThreads()},
                                   {"warnings", engine->warnings}};
            engine->info = info.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
        });
        return engine->info.c_str();
    } catch (const std::exception &) { // no memory for it
        return "{}";
    }
}

void daphne_engine_trim(daphne_engine *engine) {
    if (engine)
        engine->engine.trim();
}

int daphne_compile(daphne_engine *engine, const char *text, const daphne_input *inputs, size_t num_inputs,
                   const char *const *outputs, size_t num_outputs, daphne_program **program, daphne_error **error) {
    return guarded(error, [&] {
        need(engine && text && program, "daphne_compile: engine, text or program is missing");
        engine::CompileRequest request;
        request.text = text;
        // Elements are as large as the caller believes.
        auto *at = reinterpret_cast<const char *>(inputs);
        for (size_t i = 0; i < num_inputs; ++i) {
            daphne_input input = known(reinterpret_cast<const daphne_input *>(at), "inputs");
            at += reinterpret_cast<const daphne_input *>(at)->size;
            if (!isName(input.name))
                throw UsageError("input " + std::to_string(i) + " has no name that a variable can have");
            request.inputs.push_back({input.name, typeOf(input)});
        }
        for (size_t i = 0; i < num_outputs; ++i) {
            need(outputs && outputs[i], "daphne_compile: an output has no name");
            request.outputs.emplace_back(outputs[i]);
        }
        auto compiled = engine->engine.compile(request);
        auto outputs = describe(compiled->outputs());
        *program = new daphne_program{std::move(compiled), std::move(outputs)};
    });
}

void daphne_program_output(const daphne_program *program, size_t index, daphne_input *what) {
    if (!what)
        return;
    daphne_input found{};
    found.type = DAPHNE_ANY;
    found.rows = found.cols = -1;
    if (program && index < program->outputs.size()) {
        const OutputDescription &output = program->outputs[index];
        found.kind = kindOf(output.type);
        found.type = static_cast<uint32_t>(output.type.isFrame() ? ValueType::Unknown : output.type.valueType);
        found.name = program->program->outputs()[index].name.c_str();
        found.rows = output.type.rows;
        found.cols = output.type.cols;
        if (output.type.schema) {
            found.cols = static_cast<int64_t>(output.labels.size());
            found.labels = output.labels.data();
            found.types = output.types.data();
        }
    }
    copyOut(found, *what);
}

void daphne_program_free(daphne_program *program) { delete program; }

int daphne_run(const daphne_program *program, daphne_value *const *inputs, size_t num_inputs,
               const daphne_options *options, daphne_result **result, daphne_error **error) {
    return guarded(error, [&] {
        need(program, "daphne_run: there is no program");
        std::vector<Value> values;
        values.reserve(num_inputs);
        for (size_t i = 0; i < num_inputs; ++i) {
            need(inputs && inputs[i], "daphne_run: an input has no value");
            values.push_back(inputs[i]->value);
        }
        HostedRun hosted(options);
        auto begin = std::chrono::steady_clock::now();
        std::vector<Value> found = program->program->run(std::move(values), hosted.run);
        if (!result)
            return;
        auto made = std::make_unique<daphne_result>();
        for (size_t i = 0; i < found.size(); ++i)
            made->values[program->program->outputs()[i].name] = std::move(found[i]);
        engine::Times times = program->program->times();
        times.execution = secondsSince(begin);
        made->profile = profileOf(times, nullptr);
        *result = made.release();
    });
}

daphne_value *daphne_result_value(const daphne_result *result, const char *name) {
    if (!result || !name)
        return nullptr;
    auto found = result->values.find(name);
    return found == result->values.end() ? nullptr : newValue(found->second);
}

const char *daphne_result_profile(const daphne_result *result) { return result ? result->profile.c_str() : "{}"; }
void daphne_result_free(daphne_result *result) { delete result; }

daphne_cancel *daphne_cancel_new(void) { return new daphne_cancel; }
void daphne_cancel_request(daphne_cancel *cancel) {
    if (cancel)
        cancel->requested.store(true, std::memory_order_relaxed);
}
void daphne_cancel_clear(daphne_cancel *cancel) {
    if (cancel)
        cancel->requested.store(false, std::memory_order_relaxed);
}
void daphne_cancel_free(daphne_cancel *cancel) { delete cancel; }

int daphne_session_new(daphne_engine *engine, daphne_session **session, daphne_error **error) {
    return guarded(error, [&] {
        need(engine && session, "daphne_session_new: engine or session is missing");
        *session = new daphne_session{engine->engine.newSession(), {}, {}};
    });
}

int daphne_session_run(daphne_session *session, const char *text, const daphne_options *options, daphne_result **result,
                       daphne_error **error) {
    return guarded(error, [&] {
        need(session && text, "daphne_session_run: session or text is missing");
        HostedRun hosted(options);
        engine::Times times = session->session->run(text, hosted.run);
        if (result)
            *result = resultOf(*session->session, times).release();
    });
}

int daphne_session_evaluate(daphne_session *session, const char *text, const char *name, const daphne_options *options,
                            daphne_value **value, daphne_result **result, daphne_error **error) {
    return guarded(error, [&] {
        need(session && text, "daphne_session_evaluate: session or text is missing");
        HostedRun hosted(options);
        std::unique_ptr<daphne_value, decltype(&daphne_value_free)> shown(nullptr, &daphne_value_free);
        engine::Times times = session->session->evaluate(
            {text, name ? name : "input"}, [&](const Value &found) { shown.reset(newValue(found)); }, hosted.run);
        if (result)
            *result = resultOf(*session->session, times).release();
        if (value)
            *value = shown.release();
    });
}

int daphne_session_run_statements(daphne_session *session, const char *text, const daphne_options *options,
                                  void (*show)(void *user, daphne_value *value), daphne_error **error) {
    return guarded(error, [&] {
        need(session && text, "daphne_session_run_statements: session or text is missing");
        HostedRun hosted(options);
        auto pass = [&](const Value &value) {
            if (!show)
                return;
            daphne_value *handle = newValue(value);
            show(options ? options->user : nullptr, handle);
            daphne_value_free(handle);
        };
        session->session->runStatements(text, pass, hosted.run);
    });
}

int daphne_session_set(daphne_session *session, const char *name, daphne_value *value, daphne_error **error) {
    return guarded(error, [&] {
        need(session, "daphne_session_set: there is no session");
        need(isName(name), "daphne_session_set: this is no name that a variable can have");
        if (value)
            session->session->variables[name] = value->value;
        else
            session->session->variables.erase(name);
    });
}

daphne_value *daphne_session_get(const daphne_session *session, const char *name) {
    if (!session || !name)
        return nullptr;
    auto found = session->session->variables.find(name);
    return found == session->session->variables.end() ? nullptr : newValue(found->second);
}

const char *daphne_session_names(daphne_session *session) {
    if (!session)
        return "";
    session->names.clear();
    for (auto &[name, value] : session->session->variables)
        session->names += name + "\n";
    return session->names.c_str();
}

void daphne_session_free(daphne_session *session) { delete session; }

} // extern "C"
