// SPDX-License-Identifier: Apache-2.0
/// Files a script opens, reads in parts and closes by itself.
#include "io/files/OpenFiles.h"

#include "kernels/KernelTable.h"

namespace daphne {

namespace {

using io::OpenFile;

Value handleOf(KernelCall &call, std::unique_ptr<OpenFile> file) {
    return Value::scalar(call.context.files.add(std::move(file)));
}

Value openFile(KernelCall &call, const std::string &filename) {
    return handleOf(call, std::make_unique<OpenFile>(filename));
}

Value openDevice(KernelCall &call, const std::string &device) {
    return handleOf(call, std::make_unique<OpenFile>(device, OpenFile::Kind::Device));
}

Value openFileOnTarget(KernelCall &call, const std::string &target, const std::string &filename) {
    return handleOf(call, std::make_unique<OpenFile>(target + "/" + filename));
}

void closeFile(KernelCall &call, int64_t handle) { call.context.files.close(handle); }

Value readCsv(KernelCall &call, const Value &source, size_t rows, size_t cols, const std::string &delimiter) {
    if (!source.isScalar())
        wrongArgument(call, 0, "a file name or the handle of an open file");
    if (delimiter.size() != 1 || delimiter == "\n" || delimiter == "\r")
        throw executionError("the delimiter must be one character, got \"" + delimiter + "\"");
    if (!source.isString())
        return io::readDelimited(call.context.files.get(source.as<int64_t>()), rows, cols, delimiter[0]);
    OpenFile file(source.text());
    return io::readDelimited(file, rows, cols, delimiter[0]);
}

} // namespace

void addOpenFiles(KernelTable &t) {
    t.add<&openFile>("openFile");
    t.add<&openDevice>("openDevice");
    t.add<&openFileOnTarget>("openFileOnTarget");
    t.add<&closeFile>("close");
    t.add<&readCsv>("readCsv");
}

} // namespace daphne
