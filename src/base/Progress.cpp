// SPDX-License-Identifier: Apache-2.0
#include "base/Progress.h"

#include <algorithm>
#include <condition_variable>
#include <cstdio>
#include <mutex>
#include <thread>

#include <sys/ioctl.h>
#include <unistd.h>

namespace daphne {

/// The thread that paints. It starts with the first work, not with the process.
struct ProgressPainter {
    using Clock = std::chrono::steady_clock;
    static constexpr std::chrono::milliseconds kPeriod{100};

    ProgressPainter(int descriptor, std::chrono::milliseconds patience) : descriptor(descriptor), patience(patience) {}
    ~ProgressPainter() {
        {
            std::lock_guard lock(mutex);
            stopping = true;
        }
        changed.notify_all();
        if (thread.joinable())
            thread.join();
    }

    void begin(Progress &bar) {
        std::lock_guard lock(mutex);
        if (work)
            return;
        work = &bar;
        bar.shown = true;
        if (!thread.joinable())
            thread = std::thread([this] { run(); });
    }
    void end() {
        std::lock_guard lock(mutex);
        work = nullptr;
        if (painted)
            put("\r\x1b[K");
        painted = false;
    }

    void run() {
        std::unique_lock lock(mutex);
        while (!stopping) {
            // Work begins and ends much more often than this looks; nobody wakes it up for that.
            changed.wait_for(lock, kPeriod);
            if (work && Clock::now() - work->start >= patience)
                paint(*work);
        }
    }

    void paint(const Progress &bar) {
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
    Progress *work = nullptr;
    bool painted = false, stopping = false;
    std::thread thread;
};

namespace {
std::atomic<ProgressPainter *> painter{nullptr};
std::atomic<Progress *> current{nullptr}; ///< what shows; its work is on the stack of those who advance it
} // namespace

ShowProgress::ShowProgress(int descriptor, std::chrono::milliseconds patience) {
    painter = new ProgressPainter(descriptor, patience);
}

ShowProgress::~ShowProgress() { delete painter.exchange(nullptr); }

Progress::Progress(std::string_view what, uint64_t total) : total(total) {
    ProgressPainter *p = painter.load(std::memory_order_acquire);
    if (!p || current.load(std::memory_order_relaxed))
        return;
    this->what = what;
    start = Clock::now();
    p->begin(*this);
    if (shown)
        current = this;
}

Progress::~Progress() {
    if (!shown)
        return;
    current = nullptr;
    painter.load()->end();
}

void advanceProgress(uint64_t units) {
    if (Progress *bar = current.load(std::memory_order_relaxed))
        bar->done.fetch_add(units, std::memory_order_relaxed);
}

void setProgress(uint64_t done, uint64_t total) {
    if (Progress *bar = current.load(std::memory_order_relaxed)) {
        bar->total = total;
        bar->done = done;
    }
}

} // namespace daphne
