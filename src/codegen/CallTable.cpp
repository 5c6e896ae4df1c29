// SPDX-License-Identifier: Apache-2.0
#include "codegen/CallTable.h"

#include <algorithm>

#include "llvm/Object/ELFObjectFile.h"
#include "llvm/Object/ObjectFile.h"

namespace daphne::codegen {

namespace {

constexpr std::string_view kPrefix = "call_";

/// An address stands in the last bytes of a call instruction, or in what loads it right before.
constexpr uint64_t kLongestCall = 16;

} // namespace

std::string CallTable::add(std::string callee, SourceSpan where) {
    calls.push_back({std::move(callee), where});
    return std::string(kPrefix) + std::to_string(calls.size() - 1);
}

void CallTable::readObject(llvm::MemoryBufferRef buffer) {
    auto object = llvm::object::ObjectFile::createObjectFile(buffer);
    if (!object) {
        llvm::consumeError(object.takeError()); // whoever links it complains
        return;
    }
    for (const llvm::object::SectionRef &section : (*object)->sections()) {
        auto target = section.getRelocatedSection();
        if (!target || *target == (*object)->section_end() || !(*target)->isText()) {
            if (!target)
                llvm::consumeError(target.takeError());
            continue;
        }
        Code code;
        code.size = (*target)->getSize();
        for (const llvm::object::RelocationRef &use : section.relocations()) {
            auto symbol = use.getSymbol();
            if (symbol == (*object)->symbol_end())
                continue;
            auto name = symbol->getName();
            size_t call;
            if (!name)
                llvm::consumeError(name.takeError());
            else if (name->consume_front(kPrefix) && !name->getAsInteger(10, call) && call < calls.size())
                code.places.push_back({use.getOffset(), call});
        }
        if (code.places.empty())
            continue;
        std::ranges::sort(code.places, {}, &Place::offset);
        for (const llvm::object::SymbolRef &symbol : (*object)->symbols()) {
            auto where = symbol.getSection();
            auto name = symbol.getName();
            auto offset = symbol.getValue();
            auto flags = symbol.getFlags();
            bool isThere = where && name && offset && flags && *where == *target && !name->empty() &&
                           (*flags & llvm::object::SymbolRef::SF_Global);
            if (isThere) {
                code.symbol = name->str();
                code.symbolOffset = *offset;
            }
            if (!where)
                llvm::consumeError(where.takeError());
            if (!name)
                llvm::consumeError(name.takeError());
            if (!offset)
                llvm::consumeError(offset.takeError());
            if (!flags)
                llvm::consumeError(flags.takeError());
            if (isThere)
                break;
        }
        if (!code.symbol.empty())
            codes.push_back(std::move(code));
    }
}

const CallInScript *CallTable::find(const Code &code, uint64_t offset) const {
    auto behind = std::ranges::lower_bound(code.places, offset, {}, &Place::offset);
    if (behind == code.places.begin() || offset - std::prev(behind)->offset > kLongestCall)
        return nullptr;
    return &calls[std::prev(behind)->call];
}

std::vector<CallInScript> CallTable::callsAt(const std::vector<uintptr_t> &addresses, llvm::orc::LLJIT &jit) const {
    std::vector<std::pair<uint64_t, const Code *>> begins;
    for (const Code &code : codes) {
        auto address = jit.lookup(code.symbol);
        if (address)
            begins.emplace_back(address->getValue() - code.symbolOffset, &code);
        else
            llvm::consumeError(address.takeError());
    }
    std::vector<CallInScript> found;
    for (uintptr_t address : addresses)
        for (auto [begin, code] : begins)
            if (address > begin && address - begin <= code->size)
                if (const CallInScript *call = find(*code, address - begin))
                    found.push_back(*call);
    return found;
}

} // namespace daphne::codegen
