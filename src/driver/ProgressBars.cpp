// SPDX-License-Identifier: Apache-2.0
#include "driver/ProgressBars.h"

#include <algorithm>
#include <condition_variable>
#include <cstdio>
#include <cstdlib>
#include <mutex>
#include <thread>

#include <sys/ioctl.h>
#include <unistd.h>

#include "base/Progress.h"

namespace daphne::driver {

/// A thread that looks at the work ten times a second. It starts with the first work.
class ProgressPainter : public ProgressListener {
  public:
    ProgressPainter(int descriptor, std::chrono::milliseconds patience) : descriptor(descriptor), patience(patience) {}
    ~ProgressPainter() override {
        {
            std::lock_guard lock(mutex);
            stopping = true;
        }
        changed.notify_all();
        if (thread.joinable())
            thread.join();
    }

    void begins(const ProgressWork &bar) override {
        std::lock_guard lock(mutex);
        work = &bar;
        if (!thread.joinable())
            thread = std::thread([this] { run(); });
    }
    void ends(const ProgressWork &) override {
        std::lock_guard lock(mutex);
        work = nullptr;
        if (painted)
            put("\r\x1b[K");
        painted = false;
    }

  private:
    using Clock = ProgressWork::Clock;
    static constexpr std::chrono::milliseconds kPeriod{100};

    void run() {
        std::unique_lock lock(mutex);
        while (!stopping) {
            // Work begins and ends much more often than this looks; nobody wakes it up for that.
            changed.wait_for(lock, kPeriod);
            if (work && Clock::now() - work->start >= patience)
                paint(*work);
        }
    }

    void paint(const ProgressWork &bar) {
        double seconds = std::chrono::duration<double>(Clock::now() - bar.start).count();
        uint64_t total = bar.total;
        std::string text = "\r";
        char number[64];
        if (total > 0) {
            double share = std::min(1.0, static_cast<double>(bar.done) / static_cast<double>(total));
            constexpr int kBarWidth = 24;
            auto filled = static_cast<size_t>(share * kBarWidth);
            text += "[" + std::string(filled, '#') + std::string(kBarWidth - filled, '.') + "] ";
            std::snprintf(number, sizeof number, "%3.0f %% ", share * 100);
            text += number;
            if (share > 0.01) {
                std::snprintf(number, sizeof number, ", %.0f s left", seconds / share - seconds);
                text += bar.what + number;
            } else {
                text += bar.what;
            }
        } else {
            std::snprintf(number, sizeof number, ", %.0f s", seconds);
            text += bar.what + number;
        }
        size_t most = width();
        if (text.size() > most)
            text.resize(most);
        put(text + "\x1b[K");
        painted = true;
    }

    /// One character less than a line has, and the \r.
    size_t width() const {
        winsize size{};
        return ::ioctl(descriptor, TIOCGWINSZ, &size) == 0 && size.ws_col > 0 ? size.ws_col : 80;
    }
    void put(std::string_view text) const { [[maybe_unused]] auto n = ::write(descriptor, text.data(), text.size()); }

    const int descriptor;
    const std::chrono::milliseconds patience;
    std::mutex mutex;
    std::condition_variable changed;
    const ProgressWork *work = nullptr;
    bool painted = false, stopping = false;
    std::thread thread;
};

ShowProgress::ShowProgress(int descriptor, std::chrono::milliseconds patience)
    : painter(std::make_unique<ProgressPainter>(descriptor, patience)),
      run(ActiveRun::current() ? *ActiveRun::current() : own), scope(&run) {
    run.progress = painter.get();
}

ProgressListener *ShowProgress::listener() const { return painter.get(); }

ShowProgress::~ShowProgress() { run.progress = nullptr; }

std::unique_ptr<ShowProgress> showProgress(std::string_view when) {
    const char *terminal = std::getenv("TERM");
    bool canMove = isatty(2) && terminal && std::string_view(terminal) != "dumb";
    return when == "on" || (when == "auto" && canMove) ? std::make_unique<ShowProgress>() : nullptr;
}

} // namespace daphne::driver
