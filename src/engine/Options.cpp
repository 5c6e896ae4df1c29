// SPDX-License-Identifier: Apache-2.0
#include "engine/Options.h"

#include <algorithm>
#include <charconv>

#include "base/Error.h"

namespace daphne::engine {

OptionValues::OptionValues() : rows(optionTable().size()) {
    for (size_t i = 0; i < rows.size(); ++i)
        if (const OptionRow &row = optionTable()[i]; !row.fallback.empty())
            rows[i].values = {std::string(row.fallback)};
}

const std::string &OptionValues::text(std::string_view name) const {
    static const std::string none;
    const auto &values = rows[optionIndex(name)].values;
    return values.empty() ? none : values.back();
}

bool OptionValues::flag(std::string_view name) const { return text(name) == "true"; }

int64_t OptionValues::integer(std::string_view name) const {
    const std::string &digits = text(name);
    int64_t value = 0;
    std::from_chars(digits.data(), digits.data() + digits.size(), value);
    return value;
}

double OptionValues::number(std::string_view name) const {
    const std::string &digits = text(name);
    double value = 0;
    std::from_chars(digits.data(), digits.data() + digits.size(), value);
    return value;
}

bool Options::explains(ExplainLevel level) const {
    return std::find(explain.begin(), explain.end(), level) != explain.end();
}

bool Options::isDistributed() const {
    return settings.flag("distributed") || settings.integer("workers-local") > 0 || !settings.text("launcher").empty();
}

namespace {

std::string withExecutableDirectory(std::string path, const std::string &directory) {
    constexpr std::string_view kMark = "{exedir}";
    for (size_t at = 0; (at = path.find(kMark, at)) != path.npos; at += directory.size())
        path.replace(at, kMark.size(), directory);
    return path;
}

std::string loopCacheDirectory(const std::string &given, const std::string &userCache) {
    if (given == "off")
        return "";
    if (given != "auto")
        return given;
    return userCache.empty() ? "" : userCache + "/loops";
}

void checkCombinations(const OptionValues &all) {
    if (all.flag("optimistic-splitting") && !all.flag("columnar"))
        throw parseError({}, "option --optimistic-splitting works only together with --columnar");
    if (all.flag("enable-property-recording") && all.flag("enable-property-insert"))
        throw parseError({}, "options --enable-property-recording and --enable-property-insert exclude each other");
    bool byFormula = all.text("partitioning") == "EXPR";
    if (byFormula && all.text("part-expr").empty())
        throw parseError({}, "the partitioning scheme EXPR needs a formula")
            .withHint("for example --part-expr=\"ceil(R/(3*P))\"");
    if (!byFormula && all.origin("part-expr") == Origin::CommandLine)
        throw parseError({}, "option --part-expr works only together with --partitioning=EXPR");
}

} // namespace

void Options::readSettings(const std::string &userCache) {
    const OptionValues &all = settings;
    libdir = withExecutableDirectory(all.text("libdir"), executableDirectory);
    timing = all.flag("timing");
    verbose = all.flag("verbose");
    if (const std::string &launcher = all.text("launcher"); !launcher.empty() && launcher != "local" &&
                                                            launcher != "slurm" &&
                                                            !(launcher.starts_with("ssh:") && launcher.size() > 4))
        throw parseError({}, "option --launcher: '" + launcher + "' is none of local, ssh:<hostfile> and slurm");
    vec = all.flag("vec") || isDistributed();
    vecRestricted = all.flag("vec-restricted");
    // What is to be distributed in any case must be fused first.
    vecAlways = all.flag("vec-always") || (isDistributed() && all.text("dist-threshold") == "0");
    jit = !all.flag("no-jit");
    loopCache = loopCacheDirectory(all.text("loop-cache"), userCache);
    objRefMgnt = all.flag("use_obj_ref_mgnt");
    ipaConstPropa = all.flag("use_ipa_const_propa");
    phyOpSelection = all.flag("use_phy_op_selection");
    columnar = all.flag("columnar");
    optimisticSplitting = all.flag("optimistic-splitting");
    selectMatrixRepr = all.flag("select-matrix-repr");
    sparsityThreshold = all.number("sparsity_threshold");
    if (!all.text("part-expr").empty())
        schemes->setExpression(all.text("part-expr"));
    for (const ExplainRow &row : explainTable())
        for (const std::string &name : all.list("explain"))
            if (row.name == name && !explains(row.level))
                explain.push_back(row.level);
}

std::vector<std::string> Options::check() const {
    checkCombinations(settings);
    std::vector<std::string> warnings;
    for (size_t i = 0; i < settings.rows.size(); ++i) {
        const OptionRow &row = optionTable()[i];
        const Setting &setting = settings.rows[i];
        bool isDefault =
            row.fallback.empty() ? setting.values.empty() : setting.values == std::vector{std::string(row.fallback)};
        if (setting.origin == Origin::Default || isDefault)
            continue;
        std::string subject =
            setting.origin == Origin::File ? "configuration key '" + std::string(row.configKey) + "'" : row.title();
        std::string sentence = subject + ": " + std::string(row.engine) + " is not part of this version";
        if (row.availability == Availability::Missing)
            throw parseError({}, sentence);
        if (row.availability == Availability::Warns)
            warnings.push_back(sentence + "; going on without");
    }
    return warnings;
}

std::vector<Choice> loadSchemePlugins(Options &options, const std::vector<std::string> &libraries) {
    options.schemes = std::make_shared<sched::SchemeCatalog>();
    for (const std::string &library : libraries)
        options.schemes->loadPlugin(library);
    std::vector<Choice> added;
    for (const sched::Scheme *scheme : options.schemes->added())
        added.push_back({scheme->name, scheme->doc});
    return added;
}

Options optionsOfJson(std::string_view json, std::vector<std::string> &warnings) {
    Options options;
    std::vector<Choice> added;
    auto load = [&](const std::vector<std::string> &libraries) {
        added = loadSchemePlugins(options, libraries);
        return std::span<const Choice>(added);
    };
    if (!json.empty()) {
        Configuration given = parseEngineOptions(json, load);
        for (auto &entry : given.entries)
            options.settings.rows[entry.row] = {std::move(entry.values), Origin::File};
        options.importPaths = std::move(given.importPaths);
        options.logging = std::move(given.logging);
    }
    if (!options.schemes)
        load({});
    options.readSettings("");
    warnings = options.check();
    return options;
}

} // namespace daphne::engine
