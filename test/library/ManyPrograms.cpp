// SPDX-License-Identifier: Apache-2.0
/// Runs scripts of a directory (*.daph, each a program without arguments) alone,
/// then on several threads at the same time in one engine and in several, and
/// compares what they print and how they end:
///
///     many_programs DIRECTORY THREADS PROGRAMS_PER_THREAD
///
/// Closes with 'N passed, N failed'.
#include <algorithm>
#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <mutex>
#include <thread>

#include "daphne/daphne.hpp"

namespace {

struct Outcome {
    int status = 0;
    std::string out, err, error;
    bool operator==(const Outcome &o) const {
        return status == o.status && out == o.out && err == o.err && error == o.error;
    }
};

Outcome run(const daphne::Engine &engine, const std::string &text) {
    Outcome outcome;
    try {
        engine.compile(text).run(
            {}, {[&](std::string_view t) { outcome.out += t; }, [&](std::string_view t) { outcome.err += t; }});
    } catch (const daphne::Error &e) {
        outcome.status = e.status();
        outcome.error = e.rendered();
    }
    return outcome;
}

} // namespace

int main(int argc, char **argv) {
    if (argc != 4)
        return 1;
    std::vector<std::pair<std::string, std::string>> scripts;
    for (const auto &entry : std::filesystem::directory_iterator(argv[1]))
        if (entry.path().extension() == ".daph") {
            std::ifstream file(entry.path(), std::ios::binary);
            scripts.emplace_back(entry.path().filename(), std::string{std::istreambuf_iterator<char>(file), {}});
        }
    std::sort(scripts.begin(), scripts.end());
    int threads = std::atoi(argv[2]), each = std::atoi(argv[3]);
    std::vector<Outcome> alone;
    {
        daphne::Engine engine;
        for (auto &[name, text] : scripts)
            alone.push_back(run(engine, text));
    }
    std::atomic<int> passed{0}, failed{0};
    std::mutex printing;
    daphne::Engine shared;
    std::vector<std::thread> running;
    for (int t = 0; t < threads; ++t)
        running.emplace_back([&, t] {
            // Half of the threads have engines of their own, with other options.
            daphne::Engine own =
                t % 2 ? daphne::Engine(t % 4 == 1 ? "{\"taskPartitioningScheme\": \"GSS\"}" : "{\"vec-always\": true}")
                      : shared;
            for (int i = 0; i < each; ++i) {
                size_t k = static_cast<size_t>(t * each + i) * 7919 % scripts.size();
                Outcome found = run(own, scripts[k].second);
                if (found == alone[k]) {
                    ++passed;
                    continue;
                }
                ++failed;
                std::lock_guard lock(printing);
                std::printf("%s: alone status %d\n%s%s\nhere status %d\n%s%s\n", scripts[k].first.c_str(),
                            alone[k].status, alone[k].out.c_str(), alone[k].error.c_str(), found.status,
                            found.out.c_str(), found.error.c_str());
            }
        });
    for (std::thread &t : running)
        t.join();
    std::printf("%d passed, %d failed\n", passed.load(), failed.load());
    return failed ? 1 : 0;
}
