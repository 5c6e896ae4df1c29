// SPDX-License-Identifier: Apache-2.0
/// What every machine did, for people and for programs.
#include <algorithm>
#include <cmath>
#include <cstdio>

#include "dist/coordinator/Cluster.h"

namespace daphne::dist {

namespace {

template <class... Numbers> std::string formatted(const char *format, Numbers... numbers) {
    char line[512];
    std::snprintf(line, sizeof line, format, numbers...);
    return line;
}

using Count = unsigned long long;

double megabytes(uint64_t bytes) { return static_cast<double>(bytes) / 1e6; }

/// Members of a JSON object, in order.
class JsonObject {
  public:
    JsonObject &text(const char *name, const std::string &value) {
        std::string quoted = "\"";
        for (char c : value)
            if (c == '"' || c == '\\')
                quoted += {'\\', c};
            else
                quoted += static_cast<unsigned char>(c) < ' ' ? formatted("\\u%04x", c) : std::string(1, c);
        return raw(name, quoted + "\"");
    }
    JsonObject &count(const char *name, uint64_t value) { return raw(name, std::to_string(value)); }
    JsonObject &number(const char *name, double value) { return raw(name, formatted("%.9g", value)); }
    JsonObject &raw(const char *name, const std::string &value) {
        out += std::string(out.empty() ? "" : ", ") + "\"" + name + "\": " + value;
        return *this;
    }
    std::string take() const { return "{" + out + "}"; }

  private:
    std::string out;
};

double meanNs(const PeerStatistics &s) { return s.chunks ? s.computeNs / static_cast<double>(s.chunks) : 0; }
double deviationNs(const PeerStatistics &s) {
    double mean = meanNs(s);
    return s.chunks ? std::sqrt(std::max(0.0, s.squaredNs / static_cast<double>(s.chunks) - mean * mean)) : 0;
}
double rowsPerSecond(const PeerStatistics &s) {
    return s.computeNs > 0 ? static_cast<double>(s.rows) / s.computeNs * 1e9 : 0;
}

} // namespace

/// Of those that computed: (longest - mean) / longest, scaled so that 100 % is one machine doing everything.
std::optional<double> Cluster::imbalancePercent() const {
    std::vector<double> times;
    if (own.chunks)
        times.push_back(own.computeNs);
    for (uint32_t i = 0; i < peers.size(); ++i)
        if (PeerStatistics s = peers.statistics(i); s.chunks)
            times.push_back(s.computeNs);
    double most = 0, sum = 0;
    for (double time : times)
        most = std::max(most, time), sum += time;
    auto machines = static_cast<double>(times.size());
    if (times.size() < 2 || most <= 0)
        return std::nullopt;
    return 100 * (most - sum / machines) / most * machines / (machines - 1);
}

std::string Cluster::statisticsText() const {
    std::string text =
        formatted("distributed: %llu loops on %u workers and the coordinator\n", Count(own.loops), peers.size());
    text += formatted("  %-24s %8llu chunks, %10.3f ms computing, %10.3f ms waiting, %llu fetched, %llu stolen, %llu "
                      "taken back, %llu computed again\n",
                      "coordinator", Count(own.chunks), own.computeNs / 1e6, own.waitNs / 1e6, Count(own.fetches),
                      Count(own.stolen), Count(own.takenBack), Count(own.again));
    Crew machines = crew();
    for (uint32_t i = 0; i < peers.size(); ++i) {
        PeerStatistics s = peers.statistics(i);
        text += formatted(
            "  %-24s %8llu chunks, %10.3f ms computing, %10.3f ms waiting, %.3f ms compiling, %.6f MB to it in "
            "%llu objects, %.6f MB from it, %.6f MB of both by memory, %llu parts of files read, %.3g rows/s",
            peers.nameOf(i).c_str(), Count(s.chunks), s.computeNs / 1e6, s.waitNs / 1e6, s.compileNs / 1e6,
            megabytes(s.bytesOut), Count(s.objectsOut), megabytes(s.bytesIn), megabytes(s.bytesLent),
            Count(s.partsRead), rowsPerSecond(s));
        if (s.bytesToWorkers)
            text += formatted(", %.6f MB to other workers", megabytes(s.bytesToWorkers));
        if (s.losses)
            text += formatted(", lost %u times", s.losses);
        bool isAtWork = std::ranges::count(machines.workers, i) > 0;
        text += !peers.isAlive(i) ? ", not there\n"
                : isAtWork        ? "\n"
                                  : ", stands by: its machine has no CPU left for it\n";
    }
    auto [transfer, overlapped] = transfers.transferTimes();
    text += formatted("  large objects on their way for %.3f ms, %.3f ms of it while somebody computed\n",
                      transfer / 1e6, overlapped / 1e6);
    if (std::optional<double> imbalance = imbalancePercent())
        text += formatted("  load imbalance of the machines: %.1f %%\n", *imbalance);
    return text;
}

std::string Cluster::statisticsJson() const {
    JsonObject coordinator;
    coordinator.count("threads", ownThreads).count("loops", own.loops).count("chunks", own.chunks);
    coordinator.count("fetches", own.fetches)
        .count("stolen", own.stolen)
        .count("taken_back", own.takenBack)
        .count("computed_again", own.again)
        .number("compute_seconds", own.computeNs / 1e9);
    coordinator.number("wait_seconds", own.waitNs / 1e9);
    std::string workers;
    for (uint32_t i = 0; i < peers.size(); ++i) {
        PeerStatistics s = peers.statistics(i);
        Welcome w = peers.welcome(i);
        JsonObject worker;
        worker.text("name", peers.nameOf(i)).text("state", peers.isAlive(i) ? "alive" : "lost");
        worker.text("host", w.host)
            .count("process", w.process)
            .count("threads", w.threads)
            .count("cores", w.seat.cpus.size());
        worker.number("load", s.load).count("machine_bytes", w.memoryBytes).count("resident_bytes", s.residentBytes);
        worker.count("objects", s.objects).count("object_bytes", s.objectBytes);
        worker.count("bytes_out", s.bytesOut).count("bytes_in", s.bytesIn).count("bytes_lent", s.bytesLent);
        worker.count("bytes_to_workers", s.bytesToWorkers);
        worker.count("objects_out", s.objectsOut);
        worker.count("parts_read", s.partsRead);
        worker.count("chunks", s.chunks).count("rows", s.rows).number("rows_per_second", rowsPerSecond(s));
        worker.number("chunk_seconds_mean", meanNs(s) / 1e9).number("chunk_seconds_deviation", deviationNs(s) / 1e9);
        worker.number("compute_seconds", s.computeNs / 1e9).number("wait_seconds", s.waitNs / 1e9);
        worker.number("compile_seconds", s.compileNs / 1e9).count("programs_reused", s.reused);
        worker.count("losses", s.losses).count("returns", s.returns);
        workers += (i ? ", " : "") + worker.take();
    }
    auto [transfer, overlapped] = transfers.transferTimes();
    JsonObject all;
    all.raw("coordinator", coordinator.take()).raw("workers", "[" + workers + "]");
    all.number("transfer_seconds", transfer / 1e9).number("overlapped_seconds", overlapped / 1e9);
    all.number("load_imbalance_percent", imbalancePercent().value_or(0));
    return all.take() + "\n";
}

} // namespace daphne::dist
