// SPDX-License-Identifier: Apache-2.0
#include "sched/SchemeCatalog.h"

#include <algorithm>
#include <atomic>
#include <cctype>

#include "base/Error.h"
#include "sched/PluginAbi.h"
#include "sched/PluginLibrary.h"

namespace daphne::sched {

/// A scheme whose formula is in another library.
class PluginScheme {
  public:
    PluginScheme(const daphne_part_vtable &functions, std::string args)
        : functions(functions), args(std::move(args)), name(functions.name), help(functions.help ? functions.help : ""),
          row{.name = name,
              .kind = static_cast<Scheme::Kind>(functions.kind),
              .prepare = prepare,
              .size = size,
              .closedForm = nullptr,
              .doc = help,
              .context = this,
              .finish = functions.destroy ? finish : nullptr,
              .update = functions.update ? update : nullptr} {}

    const Scheme &scheme() const { return row; }
    uint64_t numFaults() const { return faults.load(std::memory_order_relaxed); }
    static bool isOne(const Scheme &scheme) { return scheme.prepare == prepare; }

  private:
    static const PluginScheme &of(const Loop &loop) { return *static_cast<const PluginScheme *>(loop.context); }

    static SchemeConstants prepare(const Loop &loop) {
        const PluginScheme &self = of(loop);
        SchemeConstants constants{.grain = std::max<uint64_t>(1, loop.grain)};
        daphne_part_cfg config{DAPHNE_SCHED_ABI, loop.workers, loop.total, constants.grain};
        if (self.functions.create)
            constants.state = self.functions.create(&config, self.args.c_str());
        return constants;
    }
    static uint64_t size(const Loop &loop, const SchemeConstants &constants, const Step &step) {
        const PluginScheme &self = of(loop);
        uint64_t size = self.functions.get_task
                            ? self.functions.get_task(constants.state, step.index, step.remaining, step.worker)
                            : self.functions.size_at(constants.state, step.index);
        if (size == 0) // whoever asked makes the least size of it
            self.faults.fetch_add(1, std::memory_order_relaxed);
        return size;
    }
    static void update(const Loop &loop, const SchemeConstants &constants, const Feedback &feedback) {
        of(loop).functions.update(constants.state, feedback.worker, feedback.units, feedback.execNs,
                                  feedback.overheadNs);
    }
    static void finish(const Loop &loop, const SchemeConstants &constants) {
        of(loop).functions.destroy(constants.state);
    }

    const daphne_part_vtable &functions;
    std::string args, name, help;
    Scheme row;
    mutable std::atomic<uint64_t> faults{0};
};

namespace {

Error mistake(const PluginLibrary &library, const std::string &what) {
    return parseError({}, "scheduling plug-in '" + library.path + "': " + what);
}

/// Tables that the library being loaded has announced: the ABI has no argument for it.
thread_local std::vector<const daphne_part_vtable *> *announced = nullptr;

std::vector<const daphne_part_vtable *> partitionersOf(const PluginLibrary &library) {
    using Register = int(void (*)(const daphne_part_vtable *));
    auto *function = reinterpret_cast<Register *>(library.symbol("daphne_register_partitioners"));
    if (!function)
        throw mistake(library, "it has no function daphne_register_partitioners");
    std::vector<const daphne_part_vtable *> tables;
    announced = &tables;
    int status = function([](const daphne_part_vtable *table) { announced->push_back(table); });
    announced = nullptr;
    if (status != 0)
        throw mistake(library, "daphne_register_partitioners failed with " + std::to_string(status));
    if (tables.empty())
        throw mistake(library, "it registers nothing");
    return tables;
}

bool isName(std::string_view text) {
    return !text.empty() &&
           std::ranges::all_of(text, [](unsigned char c) { return std::isalnum(c) != 0 || c == '_' || c == '-'; });
}

/// Why a table cannot be used, or "".
std::string problemOf(const daphne_part_vtable *table) {
    if (!table)
        return "it registers a null pointer";
    if (table->abi != DAPHNE_SCHED_ABI)
        return "it was made for version " + std::to_string(table->abi) + " of the plug-in interface, this is version " +
               std::to_string(DAPHNE_SCHED_ABI);
    if (!table->name || !isName(table->name))
        return "the name of a scheme needs letters, digits, '_' and '-', got '" +
               std::string(table->name ? table->name : "") + "'";
    std::string scheme = "scheme " + std::string(table->name);
    if (table->kind > DAPHNE_PART_ADAPTIVE)
        return scheme + " is of the unknown kind " + std::to_string(table->kind);
    if (!table->get_task && (table->kind != DAPHNE_PART_STATELESS || !table->size_at))
        return scheme + " has no function get_task";
    return "";
}

} // namespace

SchemeCatalog::SchemeCatalog() = default;
SchemeCatalog::~SchemeCatalog() = default;

void SchemeCatalog::loadPlugin(std::string_view libraryAndArgs) {
    size_t colon = libraryAndArgs.find(':');
    PluginLibrary library(std::string(libraryAndArgs.substr(0, colon)));
    std::string args(colon == libraryAndArgs.npos ? "" : libraryAndArgs.substr(colon + 1));
    for (const daphne_part_vtable *table : partitionersOf(library)) {
        if (std::string problem = problemOf(table); !problem.empty())
            throw mistake(library, problem);
        if (findScheme(table->name) || sameSchemeName(table->name, "EXPR"))
            throw mistake(library, "its scheme " + std::string(table->name) + " has the name of a built-in one");
        if (find(table->name))
            throw mistake(library, "there is another scheme " + std::string(table->name) + " already");
        plugins.push_back(std::make_unique<PluginScheme>(*table, args));
        ofPlugins.push_back(&plugins.back()->scheme());
    }
}

void SchemeCatalog::setExpression(std::string_view text) {
    expression = std::make_unique<Expression>(text);
    expressionScheme = schemeOf(*expression);
}

const Scheme *SchemeCatalog::find(std::string_view name) const {
    if (const Scheme *builtIn = findScheme(name))
        return builtIn;
    if (expression && sameSchemeName(name, expressionScheme.name))
        return &expressionScheme;
    for (const Scheme *scheme : ofPlugins)
        if (sameSchemeName(scheme->name, name))
            return scheme;
    return nullptr;
}

uint64_t numFaults(const Scheme &scheme) {
    return PluginScheme::isOne(scheme) ? static_cast<const PluginScheme *>(scheme.context)->numFaults() : 0;
}

} // namespace daphne::sched
