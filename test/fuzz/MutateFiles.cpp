// SPDX-License-Identifier: Apache-2.0
/// A main function for fuzz_files where libFuzzer is not available:
///
///   fuzz_files [--runs N] [--seconds S] [--seed S] [--format EXT] [--save FILE] corpus-directory [file...]
///
/// The directory has one directory of inputs per format. Each format gets all its
/// inputs as they are, then N mutations of them (or S seconds of mutations). The
/// same seed gives the same inputs. An input that aborts, crashes or takes too long
/// is written to FILE. Files are run as they are, as the format of --format.
#include <algorithm>
#include <chrono>
#include <csignal>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <random>
#include <string>
#include <vector>

#include <fcntl.h>
#include <unistd.h>

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
void fuzzFormat(std::string extension);

namespace {

namespace fs = std::filesystem;
constexpr unsigned kTimeoutSeconds = 20;
constexpr size_t kLongestInput = 1 << 16;

struct Request {
    uint64_t runs = 1000, seed = 1;
    double seconds = 0;
    std::string corpus, format, save = "fuzz-failure";
    std::vector<std::string> files;
};

std::string currentInput;
const char *savePath = "";

/// Only async-signal-safe calls.
void failed(int signal) {
    int file = open(savePath, O_WRONLY | O_CREAT | O_TRUNC, 0644);
    if (file >= 0) {
        [[maybe_unused]] auto n = write(file, currentInput.data(), currentInput.size());
        close(file);
    }
    const char *text = signal == SIGALRM ? "no end: the input was saved\n" : "failed: the input was saved\n";
    [[maybe_unused]] auto n = write(2, text, std::strlen(text));
    n = write(1, "0 passed, 1 failed\n", 19);
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

std::string readFile(const fs::path &path) {
    std::ifstream file(path, std::ios::binary);
    return {std::istreambuf_iterator<char>(file), {}};
}

std::vector<fs::path> entriesOf(const fs::path &directory) {
    std::vector<fs::path> entries;
    for (const auto &entry : fs::directory_iterator(directory))
        entries.push_back(entry.path());
    std::sort(entries.begin(), entries.end());
    return entries;
}

class Mutator {
  public:
    Mutator(uint64_t seed, const std::vector<std::string> &corpus) : engine(seed), corpus(corpus) {}

    std::string next() {
        std::string text = corpus[below(corpus.size())];
        if (below(8) == 0)
            text = splice(text, corpus[below(corpus.size())]);
        for (size_t n = 1 + below(4); n > 0 && !text.empty(); --n)
            mutate(text);
        text.resize(std::min(text.size(), kLongestInput));
        return text;
    }

  private:
    size_t below(size_t n) { return static_cast<size_t>(engine() % std::max<size_t>(n, 1)); }

    std::string splice(const std::string &a, const std::string &b) {
        return a.substr(0, below(a.size() + 1)) + b.substr(below(b.size() + 1));
    }

    void mutate(std::string &text) {
        size_t at = below(text.size()), n = std::min(text.size() - at, size_t(1) << below(8));
        switch (below(10)) {
        case 0: text[at] = static_cast<char>(text[at] ^ 1 << below(8)); break;
        case 1: text[at] = static_cast<char>(below(256)); break;
        case 2: text.resize(at); break;
        case 3: text.erase(at, n); break;
        case 4: text.insert(at, text.substr(at, n)); break;
        case 5: text.insert(at, kWords[below(std::size(kWords))]); break;
        case 6: text.replace(at, n, kWords[below(std::size(kWords))]); break;
        case 7: changeNumber(text); break;
        case 8: changeInteger(text, at); break;
        default: text.insert(at, text.substr(below(text.size()), n)); break;
        }
    }

    /// Another number where decimal digits stand.
    void changeNumber(std::string &text) {
        size_t at = text.find_first_of("0123456789", below(text.size()));
        if (at == text.npos)
            return;
        size_t end = std::min(text.find_first_not_of("0123456789", at), text.size());
        text.replace(at, end - at, kNumbers[below(std::size(kNumbers))]);
    }

    /// A binary number of 1 to 8 bytes.
    void changeInteger(std::string &text, size_t at) {
        constexpr uint64_t kValues[] = {0,          1,          2,          7,         8,          0x7f,
                                        0xff,       0x7fff,     0xffff,     0x1000000, 0x7fffffff, 0xffffffff,
                                        1ull << 32, 1ull << 61, 1ull << 63, ~0ull};
        uint64_t value = kValues[below(std::size(kValues))] + (below(4) == 0 ? below(3) : 0);
        size_t n = std::min(text.size() - at, size_t(1) << below(4));
        std::memcpy(text.data() + at, &value, n);
    }

    static constexpr const char *kNumbers[] = {"0",
                                               "1",
                                               "-1",
                                               "999999999",
                                               "4294967296",
                                               "9223372036854775807",
                                               "18446744073709551615",
                                               "99999999999999999999999",
                                               "1e308",
                                               "1e-400",
                                               "0x1p3",
                                               "00000000000000000000000000000001",
                                               "1.7976931348623157e309",
                                               "nan",
                                               "-inf"};
    static constexpr const char *kWords[] = {
        ",",         "\"",      "\n",      "\r\n",    "\r",   " ",       "\t",  ";",   "%",          "''",
        "\"\"",      "\\u0000", "\\ud800", "\xff",    "\xc3", "{",       "}",   ":",   "NA",         "pattern",
        "symmetric", "array",   "integer", "general", "true", "null",    "(",   ")",   "'<U9'",      "\x93NUMPY",
        "PK\5\6",    "PK\1\2",  "PK\3\4",  "\1\2",    "\1\3", "numRows", "str", "f64", "numNonZeros"};

    std::mt19937_64 engine;
    const std::vector<std::string> &corpus;
};

uint64_t fuzz(const fs::path &directory, const Request &request) {
    fuzzFormat(directory.filename());
    std::vector<std::string> corpus;
    for (const fs::path &file : entriesOf(directory))
        corpus.push_back(readFile(file));
    for (const std::string &input : corpus)
        runInput(input);
    uint64_t runs = corpus.size();
    Mutator mutator(request.seed, corpus);
    auto begin = std::chrono::steady_clock::now();
    auto goesOn = [&](uint64_t i) {
        if (request.seconds > 0)
            return std::chrono::steady_clock::now() - begin < std::chrono::duration<double>(request.seconds);
        return i < request.runs;
    };
    for (uint64_t i = 0; !corpus.empty() && goesOn(i); ++i, ++runs)
        runInput(mutator.next());
    return runs;
}

Request parse(int argc, char **argv) {
    Request request;
    for (int i = 1; i < argc; ++i) {
        std::string word = argv[i];
        auto value = [&] { return i + 1 < argc ? argv[++i] : ""; };
        if (word == "--runs")
            request.runs = std::strtoull(value(), nullptr, 10);
        else if (word == "--seconds")
            request.seconds = std::strtod(value(), nullptr);
        else if (word == "--seed")
            request.seed = std::strtoull(value(), nullptr, 10);
        else if (word == "--format")
            request.format = value();
        else if (word == "--save")
            request.save = value();
        else if (request.corpus.empty() && fs::is_directory(word))
            request.corpus = word;
        else
            request.files.push_back(word);
    }
    return request;
}

} // namespace

int main(int argc, char **argv) {
    Request request = parse(argc, argv);
    watch(request);
    uint64_t runs = 0;
    if (!request.files.empty())
        fuzzFormat(request.format);
    for (const std::string &file : request.files) {
        runInput(readFile(file));
        ++runs;
    }
    if (!request.corpus.empty())
        for (const fs::path &directory : entriesOf(request.corpus))
            if (request.format.empty() || directory.filename() == request.format)
                runs += fuzz(directory, request);
    std::printf("%llu passed, 0 failed\n", static_cast<unsigned long long>(runs));
    return runs > 0 ? 0 : 1;
}
