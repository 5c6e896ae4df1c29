// SPDX-License-Identifier: Apache-2.0
#include "base/OwnObject.h"

#include <filesystem>
#include <fstream>

#include <dlfcn.h>
#include <gtest/gtest.h>
#include <unistd.h>

namespace daphne::test {
namespace {

namespace fs = std::filesystem;

/// A tree with bin/ and lib/, as it is installed.
class OwnObjects : public testing::Test {
  protected:
    OwnObjects() : root(fs::temp_directory_path() / ("own_object" + std::to_string(getpid()))) {
        fs::create_directories(root / "bin");
        fs::create_directories(root / "lib");
        root = fs::canonical(root);
    }
    ~OwnObjects() override { fs::remove_all(root); }
    fs::path put(const char *name) {
        std::ofstream(root / name) << "x";
        return root / name;
    }
    fs::path root;
};

/// The library with our code, in a place of its own so that it is a library of its own.
struct Probe {
    explicit Probe(const fs::path &place) {
        fs::copy_file(DAPHNE_OWN_OBJECT_PROBE, place, fs::copy_options::overwrite_existing);
        handle = dlopen(place.c_str(), RTLD_NOW | RTLD_LOCAL);
        EXPECT_NE(handle, nullptr) << dlerror();
    }
    ~Probe() { dlclose(handle); }
    template <class... Words> std::string ask(const char *function, Words... words) const {
        return reinterpret_cast<const char *(*)(Words...)>(dlsym(handle, function))(words...);
    }
    void *handle;
};

std::string contentOf(const fs::path &path) {
    std::ifstream in(path, std::ios::binary);
    return {std::istreambuf_iterator<char>(in), {}};
}

std::string bytesOf(const std::string &hexadecimal) {
    std::string bytes;
    for (size_t i = 0; i + 1 < hexadecimal.size(); i += 2)
        bytes += static_cast<char>(std::stoi(hexadecimal.substr(i, 2), nullptr, 16));
    return bytes;
}

TEST_F(OwnObjects, OfAProgramIsItsFile) {
    const OwnObject &own = OwnObject::get();
    EXPECT_TRUE(fs::equivalent(own.path, "/proc/self/exe")) << own.path;
    ASSERT_EQ(own.buildId.size(), 40u);
    EXPECT_NE(contentOf(own.path).find(bytesOf(own.buildId)), std::string::npos);
}

TEST_F(OwnObjects, OfALibraryIsTheLibraryNotTheProgram) {
    fs::path place = root / "lib" / "libprobe.so";
    Probe probe(place);
    EXPECT_EQ(probe.ask("probe_path"), place);
    std::string id = probe.ask("probe_build_id");
    ASSERT_EQ(id.size(), 40u);
    EXPECT_NE(id, OwnObject::get().buildId);
    EXPECT_NE(contentOf(place).find(bytesOf(id)), std::string::npos);
}

TEST_F(OwnObjects, OtherLibrariesAreFoundBesideALibrary) {
    fs::path wanted = put("lib/libdaphne_x.so");
    Probe probe(root / "lib" / "libprobe.so");
    EXPECT_EQ(probe.ask("probe_library", "libdaphne_x.so"), wanted);
}

TEST_F(OwnObjects, LibrariesOfAProgramAreInLib) {
    fs::path wanted = put("lib/libdaphne_x.so");
    EXPECT_TRUE(fs::equivalent(findLibrary(root / "bin", "libdaphne_x.so"), wanted));
    // Also of a module elsewhere in the tree.
    Probe probe(root / "bin" / "module.so");
    EXPECT_TRUE(fs::equivalent(probe.ask("probe_library", "libdaphne_x.so"), wanted));
    EXPECT_EQ(findLibrary(root / "bin", "libmissing.so"), (root / "bin").string() + "/../lib/libmissing.so");
}

} // namespace
} // namespace daphne::test
