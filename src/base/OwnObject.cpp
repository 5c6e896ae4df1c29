// SPDX-License-Identifier: Apache-2.0
#include "base/OwnObject.h"

#include <cstdint>
#include <cstring>
#include <filesystem>

#include <elf.h>
#include <link.h>

namespace daphne {

namespace fs = std::filesystem;

namespace {

/// An address in this object.
const char kHere = 0;

bool contains(const dl_phdr_info &object, uintptr_t address) {
    for (int i = 0; i < object.dlpi_phnum; ++i) {
        const ElfW(Phdr) &segment = object.dlpi_phdr[i];
        uintptr_t begin = object.dlpi_addr + segment.p_vaddr;
        if (segment.p_type == PT_LOAD && address >= begin && address - begin < segment.p_memsz)
            return true;
    }
    return false;
}

std::string hexadecimal(const char *bytes, size_t n) {
    std::string text;
    for (size_t i = 0; i < n; ++i) {
        auto byte = static_cast<unsigned char>(bytes[i]);
        text += {"0123456789abcdef"[byte >> 4], "0123456789abcdef"[byte & 15]};
    }
    return text;
}

size_t padded(size_t n) { return (n + 3) & ~size_t(3); }

std::string buildIdOf(const dl_phdr_info &object) {
    for (int i = 0; i < object.dlpi_phnum; ++i) {
        const ElfW(Phdr) &segment = object.dlpi_phdr[i];
        if (segment.p_type != PT_NOTE)
            continue;
        auto *at = reinterpret_cast<const char *>(object.dlpi_addr + segment.p_vaddr), *end = at + segment.p_memsz;
        while (at + sizeof(ElfW(Nhdr)) <= end) {
            auto *note = reinterpret_cast<const ElfW(Nhdr) *>(at);
            const char *name = at + sizeof(*note), *content = name + padded(note->n_namesz);
            if (note->n_type == NT_GNU_BUILD_ID && note->n_namesz == 4 && std::memcmp(name, "GNU", 4) == 0)
                return hexadecimal(content, note->n_descsz);
            at = content + padded(note->n_descsz);
        }
    }
    return {};
}

/// The program itself has no name here, and the one it was called by may be anything.
int examine(dl_phdr_info *object, size_t, void *result) {
    if (!contains(*object, reinterpret_cast<uintptr_t>(&kHere)))
        return 0;
    bool isProgram = !object->dlpi_name || !*object->dlpi_name;
    std::error_code problem;
    fs::path path = isProgram ? fs::read_symlink("/proc/self/exe", problem) : fs::canonical(object->dlpi_name, problem);
    *static_cast<OwnObject *>(result) = {problem ? "" : path.string(), buildIdOf(*object)};
    return 1;
}

} // namespace

const OwnObject &OwnObject::get() {
    static const OwnObject own = [] {
        OwnObject found;
        dl_iterate_phdr(examine, &found);
        return found;
    }();
    return own;
}

std::string findLibrary(const std::string &directory, std::string_view file) {
    std::string beside = directory + "/" + std::string(file), below = directory + "/../lib/" + std::string(file);
    std::error_code problem;
    return fs::exists(beside, problem) ? beside : below;
}

} // namespace daphne
