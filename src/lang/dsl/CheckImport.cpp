// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "lang/dsl/Checker.h"

namespace daphne::lang {

void Checker::checkImport(Import &stmt) {
    if (!isTopLevel()) {
        report(stmt.span, "imports are only possible at the top level of a script");
        return;
    }
    // Scripts of earlier interactive inputs have been loaded already.
    if (!stmt.files.empty()) {
        for (const Imported &file : stmt.files)
            makeVisible(file.prefix, run.exportsOf(*file.script));
        return;
    }
    size_t errorsBefore = run.diagnostics.count();
    std::vector<Imported> imported;
    try {
        ImportFiles found = findImport(stmt.path, place.directory, run.options.importPaths);
        for (const ImportFile &file : found.files) {
            const Exports *exports = load(file, stmt.span);
            if (!exports)
                continue;
            auto prefix = choosePrefix(stmt, found, file);
            if (!prefix)
                continue;
            imported.push_back({run.arena.copy(std::string_view(*prefix)), exports->script});
            makeVisible(imported.back().prefix, *exports);
        }
    } catch (Error &e) {
        run.diagnostics.report(std::move(e.at(stmt.span)));
    }
    stmt.files = run.arena.copy(imported);
    // Whatever is used of it cannot be found; one report is enough.
    if (run.diagnostics.count() != errorsBefore) {
        failedPrefixes.insert(std::string(stmt.alias.empty() ? stmt.path : stmt.alias));
        std::string_view name = stmt.path.substr(stmt.path.rfind('/') + 1);
        failedPrefixes.insert(std::string(name.substr(0, name.rfind('.'))));
    }
}

/// Parses and checks a file as a script of its own; null if it cannot be imported.
const Exports *Checker::load(const ImportFile &file, SourceSpan at) {
    if (file.identity == place.identity && !file.identity.empty()) {
        report(at, "a script cannot import itself");
        return nullptr;
    }
    if (!importedFiles.insert(file.identity).second) {
        report(at, "this script has imported " + file.path + " already");
        return nullptr;
    }
    if (std::find(run.loading.begin(), run.loading.end(), file.identity) != run.loading.end()) {
        report(at, "scripts import each other in a circle: " + file.path + " is being imported already");
        return nullptr;
    }
    if (run.loading.size() >= 200) {
        report(at, "imports are nested too deeply: more than 200 levels");
        return nullptr;
    }
    auto [known, isNew] = run.loaded.try_emplace(file.identity);
    if (!isNew) {
        if (!known->second)
            report(at, "the imported script has errors: " + file.path);
        return known->second.get();
    }
    uint32_t fileId = run.sources.add(file.path, readScript(file.path));
    size_t errorsBefore = run.diagnostics.count(), mark = run.diagnostics.mark();
    Parser parser(run.sources.text(fileId), fileId, run.arena, run.diagnostics, run.options.scriptArgs);
    ParsedScript script = parser.parse();
    Exports exports;
    if (run.diagnostics.count() == errorsBefore) {
        run.loading.push_back(file.identity);
        exports = Checker(run, std::move(script), {directoryOf(file.path), file.identity}).check();
        run.loading.pop_back();
    }
    run.diagnostics.noteSince(mark, "the script is imported", at);
    if (run.diagnostics.count() != errorsBefore)
        return nullptr;
    // The table may have grown meanwhile.
    auto &slot = run.loaded[file.identity];
    slot = std::make_unique<Exports>(std::move(exports));
    return slot.get();
}

bool Checker::isPrefixTaken(std::string_view prefix) const { return takenPrefixes.contains(prefix); }

std::optional<std::string> Checker::choosePrefix(const Import &stmt, const ImportFiles &found, const ImportFile &file) {
    bool hasAlias = !stmt.alias.empty();
    std::string prefix = hasAlias ? std::string(stmt.alias) : file.stem;
    if (found.isLibrary)
        prefix = std::string(hasAlias ? stmt.alias : stmt.path) + "." + file.stem;
    // An alias may be what all prefixes of a library begin with, which is noted with its dot.
    if (!isPrefixTaken(prefix) && (hasAlias || !isPrefixTaken(prefix + ".")))
        return prefix;
    if (hasAlias) {
        report(stmt.span, "the prefix '" + prefix + "' is taken by another import").withHint("choose another alias");
        return std::nullopt;
    }
    prefix = parentName(stmt.path, file) + "." + prefix;
    if (!isPrefixTaken(prefix))
        return prefix;
    report(stmt.span, "the prefix '" + prefix + "' is taken by another import")
        .withHint("give the import an alias: import \"...\" as \"name\";");
    return std::nullopt;
}

void Checker::makeVisible(std::string_view prefix, const Exports &exports) {
    auto qualified = [&](std::string_view name) {
        return run.arena.copy(std::string_view(std::string(prefix) + "." + std::string(name)));
    };
    for (const Variable &v : exports.variables)
        globals.define(qualified(v.name), v.value, v.assignedAt);
    for (Function *f : exports.functions)
        functions.add(qualified(f->def->name), f);
    if (exports.variables.empty())
        return;
    for (size_t dot = prefix.find('.'); dot != prefix.npos; dot = prefix.find('.', dot + 1))
        takenPrefixes.emplace(prefix.substr(0, dot + 1));
    takenPrefixes.emplace(prefix);
}

bool Checker::isOfFailedImport(std::string_view name) const {
    for (size_t dot = name.find('.'); dot != name.npos; dot = name.find('.', dot + 1))
        if (failedPrefixes.contains(name.substr(0, dot)))
            return true;
    return false;
}

} // namespace daphne::lang
