// SPDX-License-Identifier: Apache-2.0
#include "driver/Main.h"

#include <cstdio>
#include <fstream>
#include <functional>
#include <iostream>

#include <sys/stat.h>
#include <unistd.h>

#include "base/Stack.h"
#include "driver/FileCommands.h"
#include "driver/ScriptRunner.h"
#include "driver/options/CommandLine.h"
#include "driver/options/SchedulingEnvironment.h"
#include "driver/process/ProcessPolicy.h"
#include "driver/prompt/Prompt.h"
#include "driver/reference/Reference.h"

namespace daphne::driver {

namespace {

void print(const std::string &text) { std::fwrite(text.data(), 1, text.size(), stdout); }

int complain(const Error &e) {
    SourceManager none;
    std::string text = render(e, none, isatty(2) ? Colour::Yes : Colour::No);
    std::fwrite(text.data(), 1, text.size(), stderr);
    return static_cast<int>(e.stage);
}

struct ScriptText {
    std::string name, text, directory;
};

std::string directoryOf(const std::string &path) {
    size_t slash = path.rfind('/');
    return slash == path.npos ? "." : slash == 0 ? "/" : path.substr(0, slash);
}

std::string readAll(std::istream &in, const std::string &name) {
    std::string text;
    char block[1 << 16];
    while (in.read(block, sizeof block), in.gcount() > 0) {
        text.append(block, static_cast<size_t>(in.gcount()));
        if (text.size() > kMaxSourceBytes)
            throw Error(Stage::Parse, name + " is too large for a script: more than 1 GiB");
    }
    if (in.bad())
        throw Error(Stage::Parse, name + " cannot be read");
    return text;
}

ScriptText readScript(const CommandLine &options) {
    switch (options.source) {
    case ScriptSource::CommandLine: return {"command line", options.script, "."};
    case ScriptSource::StandardInput: return {"standard input", readAll(std::cin, "standard input"), "."};
    default: break;
    }
    struct stat info{};
    if (stat(options.script.c_str(), &info) == 0 && S_ISDIR(info.st_mode))
        throw Error(Stage::Parse, "the script " + options.script + " is a directory");
    std::ifstream file(options.script, std::ios::binary);
    if (!file)
        throw Error(Stage::Parse, "the script " + options.script + " cannot be read")
            .withHint("check the path; run daphne --help for usage");
    return {options.script, readAll(file, options.script), directoryOf(options.script)};
}

/// Every error becomes a message and a status.
int guarded(const std::function<int()> &body) {
    try {
        return body();
    } catch (const Error &e) {
        return complain(e);
    } catch (const std::bad_alloc &) {
        return complain(Error(Stage::Compile, "out of memory while compiling"));
    } catch (const std::exception &e) {
        return complain(internalError(e.what()));
    }
}

int run(CommandLine options) {
    for (const std::string &warning : options.warnings)
        std::fprintf(stderr, "warning: %s\n", warning.c_str());
    if (options.isDistributed())
        prepareTransports();
    int status = 0;
    runOnLargeStack([&] {
        ownProcess();
        status = guarded([&] {
            // Ranks of an MPI job but the first only work for it.
            std::shared_ptr<dist::TransportModule> job = startJob(options);
            if (job && job->rank() > 0)
                return serveRank(options, *job);
            if (options.action == Action::Interactive)
                return runPrompt(std::move(options), std::move(job));
            ScriptText script = readScript(options);
            ScriptRunner runner(std::move(options), std::move(job));
            return runner.runScript(std::move(script.name), std::move(script.text), script.directory);
        });
    });
    return status;
}

} // namespace

int daphneMain(const std::vector<std::string> &words) {
    prepareEnvironment();
    try {
        if (isFileCommand(words))
            return runFileCommand(words);
        CommandLine options = parseCommandLine(words, Surroundings::ofThisProcess());
        switch (options.action) {
        case Action::ShowHelp: print(helpText(options)); return 0;
        case Action::ShowVersion: print(versionText(options.verbose)); return 0;
        case Action::ShowConfig: print(configText(options)); return 0;
        case Action::ShowReference: print(referenceText(options.settings.text("builtins"))); return 0;
        default: return run(std::move(options));
        }
    } catch (const Error &e) {
        return complain(e);
    }
}

} // namespace daphne::driver
