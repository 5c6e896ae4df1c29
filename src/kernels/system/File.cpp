// SPDX-License-Identifier: Apache-2.0
/// read and write.
#include "io/Format.h"
#include "kernels/KernelTable.h"
#include "sched/Scheduler.h"

namespace daphne {

namespace {

/// All workers for what is worth starting them.
sched::Pool *poolFor(RunContext &context, uint64_t bytes) {
    constexpr uint64_t kWorthIt = 1 << 20;
    return context.scheduler && bytes >= kWorthIt ? &context.scheduler->pool() : nullptr;
}

uint64_t bytesOf(const Value &x) {
    if (x.isFrame())
        return 8 * x.frame().rows() * x.frame().cols();
    return 8 * (x.isCsr() ? x.csr().nonZeros() : x.dense().cells());
}

/// read(filename, isFrame, labels of the columns that are wanted...)
Value read(KernelCall &call, const std::string &filename, bool isFrame, std::span<const Value> wanted) {
    sched::Pool *pool = poolFor(call.context, io::bytesToRead(filename));
    if (isFrame) {
        io::ReadRequest request{.pool = pool};
        for (const Value &label : wanted)
            request.columns.push_back(label.text());
        return io::readFrame(filename, request);
    }
    return io::readMatrix(filename,
                          {.csr = (call.wantsCsr & 1) != 0, .policy = call.context.representation, .pool = pool});
}

void write(KernelCall &call, AnyValue any, const std::string &filename) {
    const Value &x = any.value;
    if (!x.isMatrix() && !x.isFrame())
        wrongArgument(call, 0, "a matrix or frame");
    io::write(x, filename, {.pool = poolFor(call.context, bytesOf(x))});
}

} // namespace

void addFile(KernelTable &t) {
    t.add<&read>("read");
    t.add<&write>("write");
}

} // namespace daphne
