// SPDX-License-Identifier: Apache-2.0
#include "sched/Expression.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <string>

#include "base/Error.h"

namespace daphne::sched {

namespace {

using Code = Expression::Code;
constexpr size_t kDeepest = 200; ///< nesting of expressions, and so depth of the evaluation stack

struct Name {
    std::string_view text;
    Code code;
    int numArguments; ///< 0: a variable
};
constexpr Name kNames[] = {
    {"N", Code::Units, 0},   {"P", Code::Workers, 0}, {"R", Code::Remaining, 0}, {"i", Code::Index, 0},
    {"b", Code::Batch, 0},   {"g", Code::Grain, 0},   {"ceil", Code::Ceil, 1},   {"floor", Code::Floor, 1},
    {"log2", Code::Log2, 1}, {"sqrt", Code::Sqrt, 1}, {"min", Code::Min, 2},     {"max", Code::Max, 2},
    {"pow", Code::Power, 2},
};

class Parser {
  public:
    Parser(std::string_view text, std::vector<Expression::Instruction> &out) : text(text), out(out) {}

    void run() {
        sum();
        if (skipBlanks() != text.size())
            fail("an operator or the end");
    }

  private:
    [[noreturn]] void fail(const std::string &expected) {
        throw parseError({}, "partition expression: expected " + expected + " at character " + std::to_string(at + 1) +
                                 "\n" + excerpt());
    }
    /// The text around the place, and a mark below it.
    std::string excerpt() const {
        constexpr size_t kBefore = 60, kAfter = 20;
        size_t begin = at > kBefore ? at - kBefore : 0;
        std::string shown(text.substr(begin, at - begin + kAfter));
        for (char &c : shown)
            c = static_cast<unsigned char>(c) < ' ' ? ' ' : c;
        return "  " + shown + "\n  " + std::string(at - begin, ' ') + "^";
    }
    size_t skipBlanks() {
        while (at < text.size() && (text[at] == ' ' || text[at] == '\t'))
            ++at;
        return at;
    }
    bool take(char c) {
        if (skipBlanks() == text.size() || text[at] != c)
            return false;
        ++at;
        return true;
    }
    void need(char c) {
        if (!take(c))
            fail(std::string("'") + c + "'");
    }
    void emit(Code code, double number = 0) { out.push_back({code, number}); }

    void sum() {
        product();
        for (;;)
            if (take('+'))
                product(), emit(Code::Add);
            else if (take('-'))
                product(), emit(Code::Subtract);
            else
                return;
    }
    void product() {
        negation();
        for (;;)
            if (take('*'))
                negation(), emit(Code::Multiply);
            else if (take('/'))
                negation(), emit(Code::Divide);
            else if (take('%'))
                negation(), emit(Code::Modulo);
            else
                return;
    }
    void negation() {
        if (++depth > kDeepest)
            fail("fewer levels");
        if (take('-')) {
            negation();
            emit(Code::Negate);
        } else {
            atom();
            if (take('^')) {
                negation();
                emit(Code::Power);
            }
        }
        --depth;
    }
    void atom() {
        if (take('(')) {
            sum();
            need(')');
        } else if (skipBlanks() < text.size() &&
                   (std::isdigit(static_cast<unsigned char>(text[at])) || text[at] == '.')) {
            double value = 0;
            auto [end, failure] = std::from_chars(text.data() + at, text.data() + text.size(), value);
            if (failure != std::errc())
                fail("a number");
            at = static_cast<size_t>(end - text.data());
            emit(Code::Number, value);
        } else {
            name();
        }
    }
    void name() {
        size_t begin = at;
        while (at < text.size() && std::isalnum(static_cast<unsigned char>(text[at])))
            ++at;
        std::string_view word = text.substr(begin, at - begin);
        for (const Name &n : kNames)
            if (n.text == word) {
                for (int i = 0; i < n.numArguments; ++i) {
                    need(i == 0 ? '(' : ',');
                    sum();
                }
                if (n.numArguments)
                    need(')');
                return emit(n.code);
            }
        at = begin;
        fail("a number, one of N P R i b g, or one of ceil floor log2 sqrt min max pow");
    }

    std::string_view text;
    std::vector<Expression::Instruction> &out;
    size_t at = 0, depth = 0;
};

double apply(Code code, double a, double b) {
    switch (code) {
    case Code::Add: return a + b;
    case Code::Subtract: return a - b;
    case Code::Multiply: return a * b;
    case Code::Divide: return a / b;
    case Code::Modulo: return std::fmod(a, b);
    case Code::Power: return std::pow(a, b);
    case Code::Min: return std::min(a, b);
    default: return std::max(a, b);
    }
}

double apply(Code code, double a) {
    switch (code) {
    case Code::Negate: return -a;
    case Code::Ceil: return std::ceil(a - 1e-9 * std::max(1.0, std::abs(a)));
    case Code::Floor: return std::floor(a + 1e-9 * std::max(1.0, std::abs(a)));
    case Code::Log2: return std::log2(a);
    default: return std::sqrt(a);
    }
}

double variable(Code code, double number, const Loop &loop, const Step &step) {
    switch (code) {
    case Code::Units: return static_cast<double>(loop.total);
    case Code::Workers: return loop.workers;
    case Code::Remaining: return static_cast<double>(step.remaining);
    case Code::Index: return static_cast<double>(step.index);
    case Code::Batch: return static_cast<double>(step.index / loop.workers);
    case Code::Grain: return static_cast<double>(loop.grain);
    default: return number;
    }
}

} // namespace

Expression::Expression(std::string_view text) { Parser(text, program).run(); }

double Expression::evaluate(const Loop &loop, const Step &step) const {
    double stack[4 * kDeepest + 8]; // every level holds at most three operands and a first argument
    size_t top = 0;
    for (const Instruction &x : program) {
        bool isVariable = x.code <= Code::Grain;
        bool isUnary = x.code == Code::Negate || (x.code >= Code::Ceil && x.code <= Code::Sqrt);
        if (isVariable)
            stack[top++] = variable(x.code, x.number, loop, step);
        else if (isUnary)
            stack[top - 1] = apply(x.code, stack[top - 1]);
        else
            --top, stack[top - 1] = apply(x.code, stack[top - 1], stack[top]);
    }
    return stack[0];
}

Scheme schemeOf(const Expression &expression) {
    auto prepare = [](const Loop &loop) { return SchemeConstants{.grain = std::max<uint64_t>(1, loop.grain)}; };
    auto size = [](const Loop &loop, const SchemeConstants &, const Step &step) -> uint64_t {
        double x = static_cast<const Expression *>(loop.context)->evaluate(loop, step);
        if (!(x >= 1))
            return 0;
        return x >= static_cast<double>(step.remaining) ? step.remaining : static_cast<uint64_t>(x);
    };
    return {.name = "EXPR",
            .kind = Scheme::Kind::Stateful,
            .prepare = prepare,
            .size = size,
            .closedForm = nullptr,
            .doc = "sizes by a formula",
            .context = &expression};
}

} // namespace daphne::sched
