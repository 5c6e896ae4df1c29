// SPDX-License-Identifier: Apache-2.0
/// read and write.
#include "io/Format.h"
#include "kernels/KernelTable.h"

namespace daphne {

namespace {

Value read(KernelCall &call, const std::string &filename, bool isFrame) {
    if (isFrame)
        return io::readFrame(filename);
    return io::readMatrix(filename, {.csr = (call.wantsCsr & 1) != 0, .policy = call.context.representation});
}

void write(KernelCall &call, AnyValue any, const std::string &filename) {
    const Value &x = any.value;
    if (!x.isMatrix() && !x.isFrame())
        wrongArgument(call, 0, "a matrix or frame");
    io::write(x, filename);
}

} // namespace

void addFile(KernelTable &t) {
    t.add<&read>("read");
    t.add<&write>("write");
}

} // namespace daphne
