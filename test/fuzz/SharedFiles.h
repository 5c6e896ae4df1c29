// SPDX-License-Identifier: Apache-2.0
/// The files that the worker of fuzz_wire may read. They are always the same, also
/// their times, so that recorded messages name them as they are. Tests only.
#pragma once

#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "data/Value.h"
#include "io/Format.h"

namespace daphne::fuzz {

struct SharedFiles {
    std::string directory;
    std::vector<std::string> sparse, dense; ///< matrices of 6 rows and 5 columns
};

/// Made anew under other names and put in place, because several processes may do so at once.
inline SharedFiles makeSharedFiles() {
    namespace fs = std::filesystem;
    SharedFiles files{(fs::temp_directory_path() / ("daphne-fuzz-" + std::to_string(::getuid()))).string(), {}, {}};
    std::string own = files.directory + "/" + std::to_string(::getpid());
    fs::create_directories(own);
    auto m = Dense::create(ValueType::F64, 6, 5, Buffer::Init::Zero);
    for (size_t i = 0; i < m->cells(); i += 3)
        m->mutableView<double>().data[i] = static_cast<double>(i + 1);
    auto put = [&](const std::string &name, auto &&write) {
        std::string made = own + "/" + name, path = files.directory + "/" + name;
        write(made);
        fs::remove(made + ".meta");
        const timespec times[2] = {{1000000000, 0}, {1000000000, 0}};
        ::utimensat(AT_FDCWD, made.c_str(), times, 0);
        fs::rename(made, path);
        return path;
    };
    auto text = [&](const std::string &name, const std::string &content) {
        return put(name, [&](const std::string &made) { std::ofstream(made) << content; });
    };
    auto matrix = [&](const std::string &name, const Value &v) {
        return put(name, [&](const std::string &made) { io::write(v, made); });
    };
    const std::string head = "%%MatrixMarket matrix coordinate real ";
    files.sparse = {text("ordered.mtx", head + "general\n6 5 4\n1 1 1\n3 2 2.5\n3 5 3\n6 1 4\n"),
                    text("other.mtx", head + "general\n6 5 4\n6 1 4\n1 1 1\n3 5 3\n3 2 2.5\n"),
                    text("wide.mtx", head + "general\n4000000 4000000 1\n1 1 1\n"), matrix("s.dbdf", toCsr(*m))};
    files.dense = {matrix("d.dbdf", m), matrix("d.npy", m), matrix("array.mtx", m)};
    fs::remove_all(own);
    return files;
}

} // namespace daphne::fuzz
