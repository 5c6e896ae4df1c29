// SPDX-License-Identifier: Apache-2.0
/// A directory that lives as long as a test. Tests only.
#pragma once

#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>

#include <gtest/gtest.h>
#include <stdlib.h>

#include "base/Error.h"
#include "data/Value.h"

namespace daphne::test {

class InTempDir : public testing::Test {
  protected:
    InTempDir() {
        std::string name = (std::filesystem::temp_directory_path() / "daphne-io-XXXXXX").string();
        directory = mkdtemp(name.data());
    }
    ~InTempDir() override { std::filesystem::remove_all(directory); }

    std::string path(const std::string &name) const { return directory + "/" + name; }
    std::string put(const std::string &name, const std::string &text) const {
        std::ofstream(path(name), std::ios::binary) << text;
        return path(name);
    }
    std::string content(const std::string &name) const {
        std::ostringstream out;
        out << std::ifstream(path(name), std::ios::binary).rdbuf();
        return out.str();
    }
    size_t numFiles() const {
        size_t n = 0;
        for ([[maybe_unused]] auto &entry : std::filesystem::directory_iterator(directory))
            ++n;
        return n;
    }

    std::string directory;
};

/// The message of the error (status 3) a call throws, "" if it succeeds.
template <class F> std::string failureOf(F &&f) {
    try {
        f();
    } catch (const Error &e) {
        EXPECT_EQ(e.stage, Stage::Execute) << e.message;
        return e.message;
    }
    return {};
}

template <class T> std::vector<T> cellsOf(const Dense &m) {
    EXPECT_EQ(cppName(m.type()), cppName(valueTypeOf<T>()));
    auto v = m.view<T>();
    std::vector<T> out;
    for (size_t r = 0; r < v.rows; ++r)
        out.insert(out.end(), v.row(r), v.row(r) + v.cols);
    return out;
}

} // namespace daphne::test
