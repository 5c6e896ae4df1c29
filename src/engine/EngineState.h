// SPDX-License-Identifier: Apache-2.0
/// What engine, programs and sessions share; private to src/engine. Thread-safe.
#pragma once

#include <list>
#include <map>
#include <mutex>

#include "engine/Engine.h"
#include "engine/MlirContexts.h"
#include "lang/dsl/Frontend.h"

namespace daphne::exec {
class LoopCompiler;
}
namespace daphne::irgen {
struct FunctionForms;
}

namespace daphne::engine {

/// A text on its way to machine code.
struct CompileJob {
    std::shared_ptr<SourceManager> sources;
    uint32_t fileId = 0;
    std::string directory;
    std::vector<Variable> inputs = {}, views = {};
    std::vector<std::string> outputs = {};
    lang::SessionNames names = {};
    bool exportsAll = false;                                  ///< every variable at the end is an output
    std::shared_ptr<irgen::FunctionForms> functionForms = {}; ///< of a session, whose variables may hold functions
};

class EngineState {
  public:
    EngineState(Options options, Host host);

    struct Compiled {
        std::unique_ptr<codegen::Executable> code;
        std::vector<Variable> outputs;
        std::vector<std::string> files; ///< whose types and shapes the code relies on
        lang::CheckedScript syntax;
        Times times;
    };
    /// Throws Failure. Takes a stack of its own where that of the caller is small.
    Compiled compile(const CompileJob &job);

    const Options options;
    const Host host;
    sched::Scheduler scheduler;
    std::unique_ptr<Machines> machines;
    std::mutex machinesInUse; ///< they serve one program at a time

    // ---- programs for whoever asks for the same again
    std::shared_ptr<const Program> findProgram(const std::string &key);
    /// files: that the compiler has read.
    void keepProgram(const std::string &key, std::shared_ptr<const Program> program,
                     const std::vector<std::string> &files);
    void forgetPrograms();

  private:
    Compiled compileHere(const CompileJob &job);

    /// A file that the compiler has read, as it was then.
    struct FileStamp {
        std::string path;
        int64_t seconds = 0, nanoseconds = 0, size = 0;
        bool operator==(const FileStamp &) const = default;
        static FileStamp of(const std::string &path);
    };
    struct CachedProgram {
        std::string key;
        std::shared_ptr<const Program> program;
        std::vector<FileStamp> files;
    };
    static constexpr size_t kMostPrograms = 128;

    MlirContexts contexts;
    std::shared_ptr<exec::LoopCompiler> loopCompiler;
    std::mutex programsMutex;
    std::list<CachedProgram> programs; ///< latest first
    std::map<std::string, std::list<CachedProgram>::iterator, std::less<>> byKey;
};

} // namespace daphne::engine
