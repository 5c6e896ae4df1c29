// SPDX-License-Identifier: Apache-2.0
/// The engine of Daphne for C++: what daphne.h offers, as types that clean up
/// after themselves and throw. Header-only over the C functions, so programs do
/// not depend on the C++ compiler that libdaphne was built with. C++17.
///
///     daphne::Engine engine;
///     daphne::Program program = engine.compile("s = sum(X);", {daphne::Input::matrix("X")}, {"s"});
///     std::vector<double> cells = {1, 2, 3, 4};
///     daphne::Results results = program.run({daphne::Value::borrow(cells.data(), 2, 2)});
///     double s = results["s"].number<double>();
///
/// Engines, programs and values are cheap to copy and may be used by any number
/// of threads at the same time; a Session by one at a time.
#pragma once

#include <cstring>
#include <exception>
#include <functional>
#include <memory>
#include <stdexcept>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "daphne/daphne.h"

namespace daphne {

/// What the engine says when something fails. rendered() is what the command line would show.
class Error : public std::exception {
  public:
    explicit Error(daphne_error *error)
        : code(error ? daphne_error_status(error) : DAPHNE_INTERNAL_ERROR),
          text(error ? daphne_error_message(error) : "out of memory"), help(error ? daphne_error_hint(error) : ""),
          full(error ? daphne_error_rendered(error) : "error: out of memory\n"),
          details(error ? daphne_error_json(error) : "{}") {
        daphne_error_free(error);
    }
    const char *what() const noexcept override { return text.c_str(); }
    int status() const noexcept { return code; }
    const std::string &message() const noexcept { return text; }
    const std::string &hint() const noexcept { return help; }
    const std::string &rendered() const noexcept { return full; }
    /// Place, labels, notes and further errors.
    const std::string &json() const noexcept { return details; }

  private:
    int code;
    std::string text, help, full, details;
};

namespace detail {

template <class Call> void check(Call &&call) {
    daphne_error *error = nullptr;
    if (call(&error) != DAPHNE_OK)
        throw Error(error);
}

template <class T> constexpr daphne_type typeOf() {
    if constexpr (std::is_same_v<T, bool>)
        return DAPHNE_BOOL;
    else if constexpr (std::is_same_v<T, double>)
        return DAPHNE_F64;
    else if constexpr (std::is_same_v<T, float>)
        return DAPHNE_F32;
    else if constexpr (std::is_integral_v<T> && sizeof(T) == 1)
        return std::is_signed_v<T> ? DAPHNE_SI8 : DAPHNE_UI8;
    else if constexpr (std::is_integral_v<T> && sizeof(T) == 4)
        return std::is_signed_v<T> ? DAPHNE_SI32 : DAPHNE_UI32;
    else {
        static_assert(std::is_integral_v<T> && sizeof(T) == 8, "no value type of Daphne");
        return std::is_signed_v<T> ? DAPHNE_SI64 : DAPHNE_UI64;
    }
}

template <class T> uint64_t bitsOf(T number) {
    uint64_t bits = 0;
    if constexpr (std::is_integral_v<T>)
        bits = static_cast<uint64_t>(static_cast<int64_t>(number));
    else
        std::memcpy(&bits, &number, sizeof number);
    return bits;
}

} // namespace detail

/// A number, text, matrix, frame or list. Shared and immutable.
class Value {
  public:
    Value() = default;
    /// Takes over a handle.
    explicit Value(daphne_value *handle) : handle(handle) {}
    Value(const Value &other) : handle(daphne_value_retain(other.handle)) {}
    Value(Value &&other) noexcept : handle(std::exchange(other.handle, nullptr)) {}
    Value &operator=(Value other) noexcept {
        std::swap(handle, other.handle);
        return *this;
    }
    ~Value() { daphne_value_free(handle); }

    template <class T> static Value number(T x) {
        return make([&](auto **v, auto **e) { return daphne_value_number(detail::typeOf<T>(), detail::bitsOf(x), v, e); });
    }
    static Value text(std::string_view s) {
        return make([&](auto **v, auto **e) { return daphne_value_text(s.data(), s.size(), v, e); });
    }
    /// A matrix over memory of the caller, row by row, which must not change until `release` is called (at the latest
    /// when the last Value and the last run that uses it are gone). Without `release` the caller knows when that is.
    template <class T>
    static Value borrow(const T *cells, uint64_t rows, uint64_t cols, std::function<void()> release = {},
                        int64_t rowBytes = 0) {
        daphne_dense view{sizeof view, detail::typeOf<T>(), cells, rows, cols, rowBytes, 0};
        return borrowed(release, [&](daphne_release r, void *user, daphne_value **v, daphne_error **e) {
            return daphne_value_dense(&view, r, user, v, e);
        });
    }
    /// A sparse matrix over memory of the caller; view.size is set here.
    static Value borrow(daphne_csr view, std::function<void()> release = {}) {
        view.size = sizeof view;
        return borrowed(release, [&](daphne_release r, void *user, daphne_value **v, daphne_error **e) {
            return daphne_value_csr(&view, r, user, v, e);
        });
    }
    /// A matrix that owns its cells.
    template <class T> static Value matrix(std::vector<T> cells, uint64_t rows, uint64_t cols) {
        static_assert(!std::is_same_v<T, bool>, "std::vector<bool> has no cells");
        if (cells.size() != rows * cols)
            throw std::length_error("the number of cells is not rows * cols");
        auto owner = std::make_shared<std::vector<T>>(std::move(cells));
        const T *data = owner->data();
        return borrow(data, rows, cols, [owner] {});
    }
    static Value frame(const std::vector<std::string> &labels, const std::vector<Value> &columns) {
        std::vector<const char *> names;
        for (const std::string &label : labels)
            names.push_back(label.c_str());
        std::vector<daphne_value *> handles = handlesOf(columns);
        return make([&](auto **v, auto **e) { return daphne_value_frame(names.data(), handles.data(), handles.size(), v, e); });
    }
    static Value list(const std::vector<Value> &elements) {
        std::vector<daphne_value *> handles = handlesOf(elements);
        return make([&](auto **v, auto **e) { return daphne_value_list(handles.data(), handles.size(), v, e); });
    }
    /// A frame; the stream is taken over.
    static Value take(ArrowArrayStream *stream) {
        return make([&](auto **v, auto **e) { return daphne_value_stream(stream, v, e); });
    }

    explicit operator bool() const { return handle != nullptr; }
    /// Kind, type and shape; its name is null.
    daphne_input describe() const {
        daphne_input what{};
        what.size = sizeof what;
        daphne_describe(handle, &what);
        return what;
    }
    daphne_kind kind() const { return static_cast<daphne_kind>(describe().kind); }
    /// The number, converted like a static_cast.
    template <class T> T number() const {
        uint32_t type = 0;
        uint64_t bits = 0;
        detail::check([&](auto **e) { return daphne_get_number(handle, &type, &bits, e); });
        if (type == DAPHNE_F64 || type == DAPHNE_F32) {
            double wide = 0;
            float narrow = 0;
            std::memcpy(&wide, &bits, sizeof wide);
            std::memcpy(&narrow, &bits, sizeof narrow);
            return type == DAPHNE_F64 ? static_cast<T>(wide) : static_cast<T>(narrow);
        }
        bool isSigned = type == DAPHNE_SI8 || type == DAPHNE_SI32 || type == DAPHNE_SI64;
        return isSigned ? static_cast<T>(static_cast<int64_t>(bits)) : static_cast<T>(bits);
    }
    std::string text(uint64_t row = 0, uint64_t col = 0) const {
        const char *first = nullptr;
        size_t length = 0;
        detail::check([&](auto **e) { return daphne_get_text(handle, row, col, &first, &length, e); });
        return {first, length};
    }
    /// Views are valid as long as a Value of this matrix is there.
    daphne_dense dense() const {
        daphne_dense view{};
        view.size = sizeof view;
        detail::check([&](auto **e) { return daphne_get_dense(handle, &view, e); });
        return view;
    }
    daphne_csr csr() const {
        daphne_csr view{};
        detail::check([&](auto **e) { return daphne_get_csr(handle, &view, e); });
        return view;
    }
    /// A cell of a dense matrix of T.
    template <class T> T cell(uint64_t row, uint64_t col) const {
        daphne_dense view = dense();
        if (view.type != detail::typeOf<T>() || row >= view.rows || col >= view.cols)
            throw std::out_of_range("no such cell of this type");
        return *reinterpret_cast<const T *>(static_cast<const char *>(view.data) + static_cast<int64_t>(row) * view.row_bytes +
                                            static_cast<int64_t>(col * sizeof(T)));
    }
    /// A column of a frame or an element of a list.
    Value part(uint64_t index) const { return Value(daphne_get_part(handle, index)); }
    std::vector<std::string> labels() const {
        std::vector<std::string> all;
        for (uint64_t c = 0; c < daphne_frame_width(handle); ++c)
            all.emplace_back(daphne_frame_label(handle, c));
        return all;
    }
    uint64_t length() const { return daphne_list_length(handle); }
    void stream(ArrowArrayStream *out) const {
        detail::check([&](auto **e) { return daphne_get_stream(handle, out, e); });
    }

    daphne_value *get() const { return handle; }

  private:
    template <class Call> static Value make(Call &&call) {
        daphne_value *made = nullptr;
        detail::check([&](daphne_error **e) { return call(&made, e); });
        return Value(made);
    }
    template <class Call> static Value borrowed(std::function<void()> &release, Call &&call) {
        if (!release)
            return make([&](auto **v, auto **e) { return call(nullptr, nullptr, v, e); });
        auto kept = std::make_unique<std::function<void()>>(std::move(release));
        Value value = make([&](auto **v, auto **e) { return call(&Value::released, kept.get(), v, e); });
        kept.release(); // belongs to the value now
        return value;
    }
    static void released(void *user) {
        std::unique_ptr<std::function<void()>> kept(static_cast<std::function<void()> *>(user));
        (*kept)();
    }
    static std::vector<daphne_value *> handlesOf(const std::vector<Value> &values) {
        std::vector<daphne_value *> handles;
        for (const Value &v : values)
            handles.push_back(v.handle);
        return handles;
    }
    daphne_value *handle = nullptr;
};

/// A variable that is defined when a program begins.
struct Input {
    std::string name;
    daphne_kind kind = DAPHNE_NOTHING;
    daphne_type type = DAPHNE_ANY;
    int64_t rows = -1, cols = -1;

    static Input matrix(std::string name, daphne_type type = DAPHNE_F64, int64_t rows = -1, int64_t cols = -1) {
        return {std::move(name), DAPHNE_DENSE, type, rows, cols};
    }
    static Input number(std::string name, daphne_type type = DAPHNE_F64) { return {std::move(name), DAPHNE_NUMBER, type}; }
    static Input text(std::string name) { return {std::move(name), DAPHNE_TEXT, DAPHNE_STR}; }
    static Input frame(std::string name) { return {std::move(name), DAPHNE_FRAME}; }
    /// For values like this one.
    static Input like(std::string name, const Value &value) {
        daphne_input what = value.describe();
        return {std::move(name), static_cast<daphne_kind>(what.kind), static_cast<daphne_type>(what.type), what.rows,
                what.cols};
    }
};

/// Stops runs from another thread.
class Cancel {
  public:
    Cancel() : handle(daphne_cancel_new(), &daphne_cancel_free) {}
    void request() noexcept { daphne_cancel_request(handle.get()); }
    void clear() noexcept { daphne_cancel_clear(handle.get()); }
    daphne_cancel *get() const { return handle.get(); }

  private:
    std::shared_ptr<daphne_cancel> handle;
};

struct RunOptions {
    std::function<void(std::string_view)> out = {}, err = {}; ///< what the script prints; none: discarded
    std::function<void(const char *what, uint64_t done, uint64_t total)> progress = {};
    const Cancel *cancel = nullptr;
};

namespace detail {

/// daphne_options for RunOptions. What a sink throws is thrown by the run.
class Hosted {
  public:
    explicit Hosted(const RunOptions &given) : given(given) {
        options.size = sizeof options;
        options.user = this;
        if (given.out || given.err)
            options.write = [](void *user, daphne_sink sink, const char *text, size_t length) {
                auto *self = static_cast<Hosted *>(user);
                auto &target = sink == DAPHNE_OUTPUT ? self->given.out : self->given.err;
                try {
                    if (target && !self->thrown)
                        target({text, length});
                } catch (...) {
                    self->thrown = std::current_exception();
                }
            };
        if (given.progress)
            options.progress = [](void *user, const char *what, uint64_t done, uint64_t total) {
                static_cast<Hosted *>(user)->given.progress(what, done, total);
            };
        options.cancel = given.cancel ? given.cancel->get() : nullptr;
    }
    void rethrow() const {
        if (thrown)
            std::rethrow_exception(thrown);
    }
    daphne_options options{};

  private:
    const RunOptions &given;
    std::exception_ptr thrown;
};

} // namespace detail

/// The outputs of a run.
class Results {
  public:
    explicit Results(daphne_result *handle) : handle(handle, &daphne_result_free) {}
    /// Throws std::out_of_range if there is no such output.
    Value operator[](const std::string &name) const {
        Value value(daphne_result_value(handle.get(), name.c_str()));
        if (!value)
            throw std::out_of_range("no output '" + name + "'");
        return value;
    }
    std::string profile() const { return daphne_result_profile(handle.get()); }

  private:
    std::shared_ptr<daphne_result> handle;
};

/// Compiled once, run by any number of threads at the same time.
class Program {
  public:
    explicit Program(daphne_program *handle) : handle(handle, &daphne_program_free) {}
    Results run(const std::vector<Value> &inputs = {}, const RunOptions &options = {}) const {
        std::vector<daphne_value *> handles;
        for (const Value &v : inputs)
            handles.push_back(v.get());
        detail::Hosted hosted(options);
        daphne_result *result = nullptr;
        detail::check([&](auto **e) {
            return daphne_run(handle.get(), handles.data(), handles.size(), &hosted.options, &result, e);
        });
        Results results(result);
        hosted.rethrow();
        return results;
    }

  private:
    std::shared_ptr<daphne_program> handle;
};

/// Variables, functions and views stay from text to text; a text that fails changes nothing.
class Session {
  public:
    explicit Session(daphne_session *handle) : handle(handle, &daphne_session_free) {}
    Results run(const std::string &text, const RunOptions &options = {}) {
        detail::Hosted hosted(options);
        daphne_result *result = nullptr;
        detail::check(
            [&](auto **e) { return daphne_session_run(handle.get(), text.c_str(), &hosted.options, &result, e); });
        Results results(result);
        hosted.rethrow();
        return results;
    }
    /// As run; what the last expression yields if its ';' is missing, else no value.
    Value evaluate(const std::string &text, const RunOptions &options = {}, const char *name = nullptr) {
        detail::Hosted hosted(options);
        daphne_value *value = nullptr;
        detail::check([&](auto **e) {
            return daphne_session_evaluate(handle.get(), text.c_str(), name, &hosted.options, &value, nullptr, e);
        });
        Value found(value);
        hosted.rethrow();
        return found;
    }
    void set(const std::string &name, const Value &value) {
        detail::check([&](auto **e) { return daphne_session_set(handle.get(), name.c_str(), value.get(), e); });
    }
    /// Without a value if there is no such variable.
    Value get(const std::string &name) const { return Value(daphne_session_get(handle.get(), name.c_str())); }
    /// For completion and help in C, as long as the session is there.
    daphne_session *get() const { return handle.get(); }

  private:
    std::shared_ptr<daphne_session> handle;
};

class Engine {
  public:
    /// json: the keys of a configuration file, as an object.
    explicit Engine(const std::string &json = "{}") : handle(make(json), &daphne_engine_free) {}
    Program compile(const std::string &text, const std::vector<Input> &inputs = {},
                    const std::vector<std::string> &outputs = {}) const {
        std::vector<daphne_input> signature;
        for (const Input &input : inputs)
            signature.push_back({sizeof(daphne_input), static_cast<uint32_t>(input.kind),
                                 static_cast<uint32_t>(input.type), input.name.c_str(), input.rows, input.cols, nullptr,
                                 nullptr});
        std::vector<const char *> names;
        for (const std::string &name : outputs)
            names.push_back(name.c_str());
        daphne_program *program = nullptr;
        detail::check([&](auto **e) {
            return daphne_compile(handle.get(), text.c_str(), signature.data(), signature.size(), names.data(),
                                  names.size(), &program, e);
        });
        return Program(program);
    }
    Session session() const {
        daphne_session *made = nullptr;
        detail::check([&](auto **e) { return daphne_session_new(handle.get(), &made, e); });
        return Session(made);
    }
    /// Forgets compiled programs and gives memory that is kept for later use back to the system.
    void trim() const { daphne_engine_trim(handle.get()); }

  private:
    static daphne_engine *make(const std::string &json) {
        daphne_engine *made = nullptr;
        detail::check([&](auto **e) { return daphne_engine_new(json.c_str(), &made, e); });
        return made;
    }
    std::shared_ptr<daphne_engine> handle;
};

} // namespace daphne
