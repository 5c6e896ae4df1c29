// SPDX-License-Identifier: Apache-2.0
/// A queue between threads that holds a bounded number of bytes: who puts more
/// in waits, so that a slow receiver does not cost memory.
#pragma once

#include <condition_variable>
#include <deque>
#include <mutex>

#include "dist/transports/Transport.h"

namespace daphne::dist {

class Mailbox {
  public:
    static constexpr size_t kUsualBytes = 64 << 20;
    explicit Mailbox(size_t mostBytes = kUsualBytes) : mostBytes(mostBytes) {}

    /// False if the mailbox is closed.
    bool put(Received item) {
        std::unique_lock lock(mutex);
        hasRoom.wait(lock, [&] { return closed || items.empty() || bytes + item.frame.size() <= mostBytes; });
        if (closed)
            return false;
        add(std::move(item));
        return true;
    }

    /// Does not wait: for who has seen that it is not full and must not sleep. It may hold one item too much then.
    void putAnyway(Received item) {
        std::lock_guard lock(mutex);
        add(std::move(item));
    }

    /// None after the given time, or when it is closed and empty.
    std::optional<Received> take(std::chrono::milliseconds patience, Listener who = Listener::StandsBy) {
        std::unique_lock lock(mutex);
        bool isUrgent = who == Listener::Urgent;
        auto mayTake = [&] { return !items.empty() && (isUrgent || numAttending == 0); };
        // A look without patience is frequent, and the system takes long to notice that a wait is over already.
        if (patience.count() > 0)
            (isUrgent ? hasUrgent : hasItems).wait_for(lock, patience, [&] { return closed || mayTake(); });
        if (!mayTake())
            return std::nullopt;
        Received item = std::move(items.front());
        items.pop_front();
        item.order = numTaken++;
        bytes -= item.frame.size();
        hasRoom.notify_all();
        return item;
    }
    void attend(bool begins) {
        std::lock_guard lock(mutex);
        numAttending += begins ? 1 : -1;
        if (numAttending == 0 && !items.empty())
            hasItems.notify_one();
    }

    /// Nothing more goes in; what is there can still be taken.
    void close() {
        std::lock_guard lock(mutex);
        closed = true;
        hasItems.notify_all();
        hasUrgent.notify_all();
        hasRoom.notify_all();
    }
    bool isClosed() const {
        std::lock_guard lock(mutex);
        return closed;
    }
    bool isFull() const {
        std::lock_guard lock(mutex);
        return bytes >= mostBytes;
    }

  private:
    void add(Received item) {
        bytes += item.frame.size();
        items.push_back(std::move(item));
        (numAttending > 0 ? hasUrgent : hasItems).notify_one();
    }

    const size_t mostBytes;
    mutable std::mutex mutex;
    std::condition_variable hasItems, hasUrgent, hasRoom;
    std::deque<Received> items;
    size_t bytes = 0;
    uint64_t numTaken = 0;
    int numAttending = 0;
    bool closed = false;
};

} // namespace daphne::dist
