// SPDX-License-Identifier: Apache-2.0
#include "lang/dsl/Checker.h"

namespace daphne::lang {

Checker::Checker(CheckRun &run, ParsedScript parsed, Place place)
    : run(run), parsed(std::move(parsed)), place(std::move(place)) {}

Exports Checker::check() {
    checkAll(parsed.script->body);
    Exports exports{parsed.script, {}, ownFunctions};
    // Imported names have a point; they are not passed on.
    for (std::string_view name : globals.names())
        if (name.find('.') == name.npos)
            exports.variables.push_back(*globals.find(name));
    return exports;
}

void Checker::addSession(const SessionNames &session) {
    // Everything here has been checked before; this pass only recovers what it yields.
    bool wasMuted = std::exchange(run.diagnostics.muted, true);
    for (const Import *import : session.imports)
        for (const Imported &file : import->files)
            makeVisible(file.prefix, run.exportsOf(*file.script));
    for (const FuncDef *def : session.functions) {
        Function *f = declare(*def);
        checkFunctionBody(*f);
        f->state = Function::State::Callable;
    }
    run.diagnostics.muted = wasMuted;
    for (auto &[name, type] : session.variables)
        globals.assign(name, {type}, {});
}

const Exports &CheckRun::exportsOf(const Script &script) {
    auto &known = recalled[&script];
    if (known)
        return *known;
    bool wasMuted = std::exchange(diagnostics.muted, true);
    ParsedScript again;
    again.script = const_cast<Script *>(&script);
    auto exports = std::make_unique<Exports>(Checker(*this, std::move(again), {}).check());
    diagnostics.muted = wasMuted;
    return *(recalled[&script] = std::move(exports));
}

} // namespace daphne::lang
