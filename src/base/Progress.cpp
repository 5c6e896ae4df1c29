// SPDX-License-Identifier: Apache-2.0
#include "base/Progress.h"

#include <thread>

#include "base/ActiveRun.h"

namespace daphne {

Progress::Progress(std::string_view what, uint64_t total) {
    ActiveRun *current = ActiveRun::current();
    if (!current || !current->progress || current->work.isTaken.exchange(true))
        return;
    run = current;
    listener = current->progress;
    work.what = what;
    work.total = total;
    work.start = ProgressWork::Clock::now();
    listener->begins(work);
    run->work.shown = this;
}

Progress::~Progress() {
    if (!run)
        return;
    run->work.shown = nullptr;
    // Other tasks of the run may be about to advance it.
    while (run->work.users != 0)
        std::this_thread::yield();
    listener->ends(work);
    run->work.isTaken = false;
}

void Progress::add(uint64_t units) {
    work.done.fetch_add(units, std::memory_order_relaxed);
    listener->advances(work);
}

void Progress::set(uint64_t done, uint64_t total) {
    work.total = total;
    work.done = done;
    listener->advances(work);
}

/// f(the outermost work of this thread's run), if it shows; it lives meanwhile.
template <class F> void Progress::withShown(F &&f) {
    ActiveRun *current = ActiveRun::current();
    if (!current || !current->progress)
        return;
    ++current->work.users;
    if (Progress *bar = current->work.shown)
        f(*bar);
    --current->work.users;
}

void advanceProgress(uint64_t units) {
    Progress::withShown([&](Progress &bar) { bar.add(units); });
}

void setProgress(uint64_t done, uint64_t total) {
    Progress::withShown([&](Progress &bar) { bar.set(done, total); });
}

} // namespace daphne
