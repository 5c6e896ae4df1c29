// SPDX-License-Identifier: Apache-2.0
/// Which call of a function of the script returns to an address of generated code. Calls write nothing down while a
/// program runs: each calls a name of its own for the function (an alias), and the relocations of the object code tell
/// where these names are used. Private to src/codegen.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "llvm/ExecutionEngine/Orc/LLJIT.h"
#include "llvm/Support/MemoryBufferRef.h"

#include "base/CallTrace.h"

namespace daphne::codegen {

class CallTable {
  public:
    /// A call in the script; returns the name that it calls.
    std::string add(std::string callee, SourceSpan where);
    bool empty() const { return calls.empty(); }

    /// Finds the calls in a compiled module.
    void readObject(llvm::MemoryBufferRef object);

    /// The calls of the script among return addresses, in their order. For the linked code; any thread.
    std::vector<CallInScript> callsAt(const std::vector<uintptr_t> &addresses, llvm::orc::LLJIT &jit) const;

  private:
    struct Place {
        uint64_t offset; ///< of the operand of the call instruction, in the code
        size_t call;
    };
    struct Code {
        std::string symbol; ///< of some function in it
        uint64_t symbolOffset = 0, size = 0;
        std::vector<Place> places; ///< ascending
    };
    const CallInScript *find(const Code &code, uint64_t offset) const;

    std::vector<CallInScript> calls;
    std::vector<Code> codes;
};

} // namespace daphne::codegen
