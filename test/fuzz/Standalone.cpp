// SPDX-License-Identifier: Apache-2.0
/// A main function for the fuzz target where libFuzzer is not available:
///
///   fuzz_script [--runs N] [--seed S] [--corpus DIR] [--save FILE] [file...]
///
/// Runs N inputs: random bytes and mutations of the scripts in DIR (*.daph, and
/// the cases of *.dtest). The same seed gives the same inputs. An input that
/// aborts, crashes or takes too long is written to FILE. Files are run as they are.
#include <algorithm>
#include <cctype>
#include <csignal>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <random>
#include <string>
#include <string_view>
#include <vector>

#include <fcntl.h>
#include <unistd.h>

#include "base/Stack.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

namespace {

constexpr unsigned kTimeoutSeconds = 20;

struct Request {
    uint64_t runs = 1000, seed = 1;
    std::string corpus, save = "fuzz-failure.daph";
    std::vector<std::string> files;
};

// ---- the input being run, for the signal handler

std::string currentInput;
const char *savePath = "";

/// Only async-signal-safe calls.
void failed(int signal) {
    int file = open(savePath, O_WRONLY | O_CREAT | O_TRUNC, 0644);
    if (file >= 0) {
        [[maybe_unused]] auto n = write(file, currentInput.data(), currentInput.size());
        close(file);
    }
    const char text[] = "failed: the input was saved\n", late[] = "no end: the input was saved\n";
    [[maybe_unused]] auto n = signal == SIGALRM ? write(2, late, sizeof late - 1) : write(2, text, sizeof text - 1);
    _exit(1);
}

void watch(const Request &request) {
    savePath = request.save.c_str();
    static char alternate[64 << 10];
    stack_t stack{};
    stack.ss_sp = alternate;
    stack.ss_size = sizeof alternate;
    sigaltstack(&stack, nullptr);
    struct sigaction action{};
    action.sa_handler = failed;
    action.sa_flags = SA_ONSTACK;
    for (int signal : {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT, SIGALRM})
        sigaction(signal, &action, nullptr);
}

void runInput(std::string text) {
    currentInput = std::move(text);
    alarm(kTimeoutSeconds);
    LLVMFuzzerTestOneInput(reinterpret_cast<const uint8_t *>(currentInput.data()), currentInput.size());
    alarm(0);
}

// ---- corpus

std::string readFile(const std::filesystem::path &path) {
    std::ifstream file(path, std::ios::binary);
    return {std::istreambuf_iterator<char>(file), {}};
}

std::vector<std::string_view> lines(std::string_view text) {
    std::vector<std::string_view> found;
    while (!text.empty()) {
        size_t end = std::min(text.find('\n'), text.size() - 1);
        found.push_back(text.substr(0, end + 1));
        text.remove_prefix(end + 1);
    }
    return found;
}

/// Roughly: header lines and directives in a script do no harm here.
void addCases(const std::string &text, std::vector<std::string> &scripts) {
    enum { Outside, Script, Expected, Each } part = Outside;
    std::string script, setup;
    for (std::string_view line : lines(text)) {
        bool closes = line.starts_with("====");
        if (part == Outside && line.starts_with("case ")) {
            part = Script, script.clear();
        } else if (part == Outside && line.starts_with("each")) {
            part = Each, setup.clear();
        } else if (part == Script && line.starts_with("----")) {
            part = Expected;
            scripts.push_back(script);
        } else if (closes) {
            part = Outside;
        } else if (part == Script) {
            script += line;
        } else if (part == Each && line.starts_with("setup: ")) {
            setup += line.substr(7);
        } else if (part == Each) {
            scripts.push_back(setup + std::string(line.substr(0, line.find(" => "))) + "\n");
        }
    }
}

std::vector<std::string> loadCorpus(const std::string &directory) {
    std::vector<std::filesystem::path> paths;
    for (const auto &entry : std::filesystem::recursive_directory_iterator(directory))
        if (entry.is_regular_file())
            paths.push_back(entry.path());
    std::sort(paths.begin(), paths.end());
    std::vector<std::string> scripts;
    for (const auto &path : paths) {
        if (path.extension() == ".daph")
            scripts.push_back(readFile(path));
        else if (path.extension() == ".dtest")
            addCases(readFile(path), scripts);
    }
    return scripts;
}

// ---- mutations

class Mutator {
  public:
    Mutator(uint64_t seed, std::vector<std::string> corpus) : engine(seed), corpus(std::move(corpus)) {}

    std::string next() {
        if (corpus.empty() || below(10) == 0)
            return randomText();
        std::string text = pick(corpus);
        if (below(4) == 0)
            text = splice(text, pick(corpus));
        for (size_t n = 1 + below(3); n > 0 && !text.empty(); --n)
            text = mutate(text);
        return text;
    }

  private:
    using Tokens = std::vector<std::string>;

    size_t below(size_t n) { return static_cast<size_t>(engine() % std::max<size_t>(n, 1)); }
    template <class T> const T &pick(const std::vector<T> &list) { return list[below(list.size())]; }
    template <class T> T &pick(std::vector<T> &list) { return list[below(list.size())]; }
    template <class T, size_t n> const T &pick(const T (&list)[n]) { return list[below(n)]; }

    std::string randomText() {
        std::string text(1 + below(200), ' ');
        bool printable = below(2);
        for (char &c : text)
            c = static_cast<char>(printable ? 32 + below(95) : below(256));
        return text;
    }

    static Tokens tokensOf(std::string_view text) {
        auto isWord = [](char c) { return std::isalnum(static_cast<unsigned char>(c)) || c == '_' || c == '.'; };
        Tokens tokens;
        for (size_t i = 0; i < text.size();) {
            size_t end = i + 1;
            if (isWord(text[i]))
                while (end < text.size() && isWord(text[end]))
                    ++end;
            tokens.emplace_back(text.substr(i, end - i));
            i = end;
        }
        return tokens;
    }

    static std::string join(const Tokens &tokens) {
        std::string text;
        for (const std::string &t : tokens)
            text += t;
        return text;
    }

    std::string splice(const std::string &a, const std::string &b) {
        return a.substr(0, below(a.size() + 1)) + b.substr(below(b.size() + 1));
    }

    std::string mutate(const std::string &text) {
        if (below(8) == 0)
            return changeByte(text);
        Tokens tokens = tokensOf(text);
        size_t i = below(tokens.size()), j = below(tokens.size());
        switch (below(14)) {
        case 0: tokens.erase(tokens.begin() + static_cast<ptrdiff_t>(i)); break;
        case 1: tokens[i] += " " + tokens[i]; break;
        case 2: std::swap(tokens[i], tokens[j]); break;
        case 3: tokens[i].insert(0, pick(kInsertions)); break;
        case 4: tokens[i] = pick(kInsertions); break;
        case 5: nest(tokens[i]); break;
        case 6:
        case 7: changeNumber(tokens); break;
        case 8:
        case 9:
        case 10: copyAlike(tokens, tokens); break;
        case 11: copyAlike(tokens, tokensOf(pick(corpus))); break;
        default: moveStatement(tokens); break;
        }
        return join(tokens);
    }

    enum class Class { Blank, Number, Word, Punctuation };
    static Class classOf(const std::string &token) {
        auto c = static_cast<unsigned char>(token[0]);
        return std::isspace(c)                   ? Class::Blank
               : std::isdigit(c)                 ? Class::Number
               : std::isalpha(c) || token == "_" ? Class::Word
                                                 : Class::Punctuation;
    }

    /// Another word in place of a word, another number in place of a number: often still a valid script.
    void copyAlike(Tokens &tokens, const Tokens &source) {
        std::string &target = pick(tokens);
        for (int attempt = 0; attempt < 20 && !source.empty(); ++attempt) {
            const std::string &candidate = source[below(source.size())];
            if (classOf(candidate) == classOf(target) && candidate != target) {
                target = std::string(candidate);
                return;
            }
        }
    }

    /// Takes the tokens between two semicolons out and puts them (or not) elsewhere.
    void moveStatement(Tokens &tokens) {
        std::vector<size_t> ends{0};
        for (size_t i = 0; i < tokens.size(); ++i)
            if (tokens[i] == ";")
                ends.push_back(i + 1);
        if (ends.size() < 2)
            return;
        size_t n = 1 + below(ends.size() - 1);
        auto at = [&](size_t i) { return tokens.begin() + static_cast<ptrdiff_t>(i); };
        Tokens statement(at(ends[n - 1]), at(ends[n]));
        size_t place = pick(ends);
        if (below(2))
            tokens.insert(at(place), statement.begin(), statement.end());
        else
            tokens.erase(at(ends[n - 1]), at(ends[n]));
    }

    std::string changeByte(std::string text) {
        char &c = text[below(text.size())];
        c = static_cast<char>(below(2) ? c ^ 1 << below(8) : below(256));
        return text;
    }

    void changeNumber(Tokens &tokens) {
        std::vector<size_t> numbers;
        for (size_t i = 0; i < tokens.size(); ++i)
            if (std::isdigit(static_cast<unsigned char>(tokens[i][0])))
                numbers.push_back(i);
        if (!numbers.empty())
            tokens[pick(numbers)] = pick(kNumbers);
    }

    void nest(std::string &token) {
        static constexpr const char *kWrappers[][2] = {{"(", ")"}, {"[", "]"},   {"{", "}"},    {"abs(", ")"},
                                                       {"-", ""},  {"1 + ", ""}, {"if(1) ", ""}};
        auto &wrapper = kWrappers[below(std::size(kWrappers))];
        std::string open, close;
        for (size_t n = size_t(1) << below(12); n > 0; --n) {
            open += wrapper[0];
            close += wrapper[1];
        }
        token = open + token + close;
    }

    static constexpr const char *kNumbers[] = {
        "0",
        "-1",
        "2",
        "255",
        "2147483648",
        "9223372036854775807",
        "9223372036854775808",
        "1000000000",
        "4294967296",
        "0.5",
        "1e308",
        "1e999",
        "nan",
        "-inf",
        "true",
        "7u",
        "7z",
        "1.5f",
        "01",
        "1__0",
        "18446744073709551615u",
    };
    static constexpr const char *kInsertions[] = {
        "(",      ")",    "[",           "]",     "{",    "}",          "[[",    "]]",        "\"",     "/*",
        "*/",     "+",    "-",           "*",     "/",    "^",          "@",     "%",         "==",     "<",
        "&&",     "||",   "?",           ":",     "::",   "->",         ",",     ";",         "=",      ".",
        "$",      "!",    "\\",          "if",    "else", "while",      "for",   "do",        "def",    "return",
        "import", "as",   "sum",         "t",     "fill", "createList", "print", "stop",      "\"s\"",  "2.5",
        "true",   "nan",  "[1, 2]",      "[1.5]", "{}",   "x",          "X",     "as.scalar", "as.str", "as.matrix",
        "[0, 0]", "[, ]", "matrix<f64>", "frame", "\xff", "\r",
    };

    std::mt19937_64 engine;
    std::vector<std::string> corpus;
};

int usage() {
    std::fputs("usage: fuzz_script [--runs N] [--seed S] [--corpus DIR] [--save FILE] [file...]\n", stderr);
    return 2;
}

bool parse(int argc, char **argv, Request &request) {
    for (int i = 1; i < argc; ++i) {
        std::string_view word = argv[i];
        if (!word.starts_with("--")) {
            request.files.emplace_back(word);
            continue;
        }
        if (++i == argc)
            return false;
        if (word == "--runs")
            request.runs = std::strtoull(argv[i], nullptr, 10);
        else if (word == "--seed")
            request.seed = std::strtoull(argv[i], nullptr, 10);
        else if (word == "--corpus")
            request.corpus = argv[i];
        else if (word == "--save")
            request.save = argv[i];
        else
            return false;
    }
    return true;
}

int run(const Request &request) {
    watch(request);
    if (!request.files.empty()) {
        for (const std::string &file : request.files)
            runInput(readFile(file));
        return 0;
    }
    Mutator mutator(request.seed, request.corpus.empty() ? std::vector<std::string>{} : loadCorpus(request.corpus));
    for (uint64_t i = 0; i < request.runs; ++i)
        runInput(mutator.next());
    std::printf("%llu inputs, no failure\n", static_cast<unsigned long long>(request.runs));
    return 0;
}

} // namespace

int main(int argc, char **argv) {
    Request request;
    if (!parse(argc, argv, request))
        return usage();
    int status = 0;
    daphne::runOnLargeStack([&] { status = run(request); });
    return status;
}
