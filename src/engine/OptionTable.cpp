// SPDX-License-Identifier: Apache-2.0
#include "engine/OptionTable.h"

#include <array>
#include <iterator>

#include "base/Error.h"
#include "sched/FurtherSchemes.h"
#include "sched/PolicyNames.h"
#include "sched/Scheme.h"

namespace daphne::engine {

namespace {
using enum OptionKind;
using enum Availability;
using enum OptionGroup;

constexpr std::string_view kPropertyEngine = "recording of data properties";

constexpr Choice kReferenceForms[] = {
    {"md", "the functions with examples, as Markdown"},
    {"json", "the same for programs"},
    {"representations", "which operations work on dense and CSR matrices without a conversion, as Markdown"},
};
/// The scheduler knows its policies; here they become values of options.
template <class Policy, size_t n>
consteval std::array<Choice, n> choicesOf(const sched::PolicyName<Policy> (&table)[n]) {
    std::array<Choice, n> choices;
    for (size_t i = 0; i < n; ++i)
        choices[i] = {table[i].name, table[i].doc, table[i].synonym};
    return choices;
}
constexpr auto kLayouts = choicesOf(sched::kLayouts);
constexpr auto kVictims = choicesOf(sched::kVictims);
constexpr auto kPartitionUnits = choicesOf(sched::kPartitionUnits);
constexpr auto kPinStrategies = choicesOf(sched::kPinStrategies);

std::vector<Choice> builtInSchemes() {
    std::vector<Choice> choices;
    for (const sched::Scheme &scheme : sched::schemes())
        choices.push_back({scheme.name, scheme.doc});
    return choices;
}
std::span<const Choice> schemesOfMachines() {
    static const std::vector<Choice> choices = builtInSchemes();
    return choices;
}
std::span<const Choice> schemesOfWorkers() {
    static const std::vector<Choice> choices = [] {
        std::vector<Choice> all = builtInSchemes();
        for (const sched::Scheme &scheme : sched::furtherSchemes())
            if (!scheme.needsInput)
                all.push_back({scheme.name, scheme.doc});
        all.push_back({"EXPR", "sizes by the formula of --part-expr"});
        return all;
    }();
    return choices;
}

constexpr Choice kDebugLevels[] = {{"chunks", "also list the sizes of all tasks"}};
constexpr Choice kSelectors[] = {
    {"none", "one scheme for the whole run"},
    {"random", "random search"},
    {"exhaustive", "try all, keep the fastest"},
    {"binary", "bisection over the portfolio"},
    {"expert", "fuzzy rules"},
    {"qlearn", "reinforcement learning, Q-learning"},
    {"sarsa", "reinforcement learning, SARSA"},
    {"expected-sarsa", "reinforcement learning, expected SARSA"},
};
constexpr Choice kCoscheduling[] = {
    {"off", "CPU and accelerator take turns"},
    {"common", "one common queue"},
    {"steal", "own queues, stealing"},
};
// The rows of dist/transports/TransportTable.h, as cmake/Transports.cmake has written them.
#define DAPHNE_TRANSPORT(file, name, alias, doc, ...) {name, doc, alias},
#define DAPHNE_LIBRARY_TRANSPORT DAPHNE_TRANSPORT
constexpr Choice kTransports[] = {
#include "TransportsList.inc"
};
constexpr Choice kProgress[] = {
    {"auto", "if standard error is a terminal"},
    {"on", "always"},
    {"off", "never"},
};
constexpr Choice kOnOff[] = {{"on", ""}, {"off", ""}};
constexpr Choice kCollect[] = {
    {"auto", "direct"},
    {"direct", "every worker sends to the coordinator"},
};
constexpr Choice kAllreduce[] = {
    {"auto", "the coordinator adds, in the order of rows, and sends the result to all"},
};
constexpr Choice kStealing[] = {
    {"on", "half of what waits"},
    {"off", "nothing"},
    {"one", "one chunk at a time"},
};

// clang-format off: one option is one paragraph
constexpr OptionRow kRows[] = {
    // ---- general
    {.flag = "args", .kind = TextList, .doc = "Script arguments name=value; $name in the script is the value."},
    {.flag = "e", .alias = "eval", .kind = Text, .doc = "Run this code instead of a script file."},
    {.flag = "config", .kind = Text, .doc = "User configuration, a JSON file; ignored if it does not exist."},
    {.flag = "print-config", .doc = "Show every setting, its value and where it came from, and exit."},
    {.flag = "builtins", .kind = OneOf, .doc = "Print the reference of all builtin functions and exit.",
     .choices = kReferenceForms},
    {.flag = "explain", .kind = ExplainLevels, .doc = "Print the program after the named steps on standard error."},
    {.flag = "timing", .fallback = "false", .doc = "Print the seconds spent in each phase as JSON on standard error."},
    {.flag = "statistics", .fallback = "false",
     .doc = "Print executions, times, imbalance and overhead of every parallel loop on standard error."},
    {.flag = "progress", .kind = OneOf, .fallback = "auto", .configKey = "progress",
     .doc = "Show a bar on standard error while reading, writing or a parallel loop takes longer than two seconds.",
     .choices = kProgress},
    {.flag = "enable-profiling", .fallback = "false",
     .doc = "Read hardware counters between startProfiling and stopProfiling.",
     .availability = Missing, .engine = "profiling with hardware counters"},
    {.flag = "libdir", .kind = Text, .fallback = "{exedir}/../lib", .configKey = "libdir",
     .doc = "Directory of kernel libraries; {exedir} is the directory of the executable."},
    {.flag = "kernel-ext", .kind = TextList, .doc = "Register the kernels of another catalog: file.json[:priority].",
     .availability = Missing, .engine = "the loader for kernel extensions"},
    {.flag = {}, .kind = Structured, .configKey = "daphnedsl_import_paths",
     .doc = "Directories of imported scripts: object of name -> list of directories."},
    {.flag = {}, .kind = Structured, .configKey = "logging",
     .doc = "Log levels and files: list of {\"log-level-limit\"} and {\"name\", \"filename\", \"level\", \"format\"}."},
    {.flag = "verbose", .doc = "With --version: how this version was built."},
    {.flag = "version", .doc = "Show the version and exit."},
    {.flag = "help", .alias = "h", .doc = "Show this text and exit."},

    // ---- optimisation
    {.flag = "vec", .negation = "no-vec", .fallback = "true", .configKey = "use_vectorized_exec", .group = Optimisation,
     .doc = "Fused, task-parallel execution."},
    {.flag = "vec-always", .fallback = "false", .group = Optimisation,
     .doc = "Fuse also where calling kernels is faster, because data is small."},
    {.flag = "vec-restricted", .fallback = "false", .configKey = "use_vectorized_restricted", .group = Optimisation,
     .doc = "Fuse only operations that profit for certain: cell by cell, and aggregates."},
    {.flag = "no-jit", .fallback = "false", .group = Optimisation,
     .doc = "Interpret fused loops instead of compiling them (slow)."},
    {.flag = "loop-cache", .kind = Text, .fallback = "auto", .configKey = "loopCache", .group = Optimisation,
     .doc = "Directory for compiled loops, shared by all runs; off: none; auto: daphne/loops in the user's cache."},
    {.flag = {}, .negation = "no-obj-ref-mgnt", .fallback = "true", .configKey = "use_obj_ref_mgnt",
     .group = Optimisation, .doc = "Never free intermediates."},
    {.flag = {}, .negation = "no-ipa-const-propa", .fallback = "true", .configKey = "use_ipa_const_propa",
     .group = Optimisation, .doc = "Do not propagate constants into functions."},
    {.flag = "select-matrix-repr", .alias = "select-matrix-representations", .fallback = "false", .group = Optimisation,
     .doc = "Choose dense or CSR by estimated sparsity."},
    {.flag = {}, .kind = Number, .fallback = "0.25", .configKey = "sparsity_threshold", .group = Optimisation,
     .doc = "Matrices sparser than this are candidates for CSR.", .minimum = 0},
    {.flag = "columnar", .fallback = "false", .configKey = "use_columnar", .group = Optimisation,
     .doc = "Run relational operations on columns and position lists."},
    {.flag = "optimistic-splitting", .fallback = "false", .configKey = "use_optimistic_splitting",
     .group = Optimisation, .doc = "Split wide sums optimistically; only with --columnar."},

    // ---- scheduling
    {.flag = "partitioning", .kind = OneOf, .configKey = "taskPartitioningScheme", .group = Scheduling,
     .doc = "How rows are cut into tasks for P workers. Without it workers claim cache-sized blocks of rows from a "
            "counter, and small loops stay on one thread. More names: --sched-plugin.",
     .listChoices = schemesOfWorkers, .pluginsAddChoices = true, .choicesAreFlags = true},
    {.flag = "part-expr", .kind = Text, .configKey = "partExpr", .group = Scheduling,
     .doc = "With --partitioning=EXPR: the size of the next task, such as \"ceil(R/(3*P))\". Variables N units, P "
            "workers, R remaining units, i step, b batch (i/P), g grain; operators + - * / % ^; functions ceil floor "
            "min max log2 sqrt pow."},
    {.flag = "queue_layout", .kind = OneOf, .fallback = "CENTRALIZED", .configKey = "queueSetupScheme",
     .group = Scheduling, .doc = "Where tasks wait.", .choices = kLayouts, .choicesAreFlags = true},
    {.flag = "victim_selection", .kind = OneOf, .fallback = "SEQ", .configKey = "victimSelection",
     .group = Scheduling, .doc = "From which queue an idle worker steals.", .choices = kVictims,
     .choicesAreFlags = true},
    {.flag = "num-threads", .kind = Integer, .fallback = "0", .configKey = "numberOfThreads", .group = Scheduling,
     .doc = "Workers; 0 or less: one per physical core.", .maximum = 65536},
    {.flag = "grain-size", .kind = IntegerOrAuto, .fallback = "1", .configKey = "minimumTaskSize", .group = Scheduling,
     .doc = "Smallest task in rows; 0 or less counts as 1; auto: what fits the cache."},
    {.flag = "phy-batch-size", .kind = IntegerOrAuto, .fallback = "98304", .configKey = "phyBatchSize",
     .group = Scheduling, .doc = "Bytes per call inside a task; auto: what fits the cache.", .minimum = 1},
    {.flag = "pre-partition", .fallback = "false", .configKey = "prePartitionRows", .group = Scheduling,
     .doc = "Give every queue its share of the rows before cutting."},
    {.flag = "pin-workers", .fallback = "false", .configKey = "pinWorkers", .group = Scheduling,
     .doc = "Bind workers to CPUs."},
    {.flag = "pin-strategy", .kind = OneOf, .fallback = "rr", .configKey = "pinStrategy",
     .group = Scheduling, .doc = "With --pin-workers: which CPUs.", .choices = kPinStrategies},
    {.flag = "hyperthreading", .fallback = "false", .configKey = "hyperthreadingEnabled", .group = Scheduling,
     .doc = "One worker per logical CPU."},
    {.flag = "debug-mt", .kind = FlagOrOneOf, .fallback = "false", .configKey = "debugMultiThreading",
     .group = Scheduling, .doc = "Tell on standard error what the scheduler does in every loop.",
     .choices = kDebugLevels},
    {.flag = "fiss-stages", .kind = IntegerOrAuto, .fallback = "auto", .configKey = "fissStages", .group = Scheduling,
     .doc = "FISS: number of stages.", .minimum = 1},
    {.flag = "viss-x", .kind = Integer, .fallback = "4", .configKey = "vissX", .group = Scheduling,
     .doc = "VISS: divisor of the first task.", .minimum = 1},
    {.flag = "pls-swr", .kind = Number, .fallback = "0.5", .configKey = "plsSwr", .group = Scheduling,
     .doc = "PLS: share of the static part, above 0 and at most 1.", .minimum = 0, .maximum = 1, .aboveMinimum = true},
    {.flag = "partition-by", .kind = OneOf, .configKey = "partitionBy", .group = Scheduling,
     .doc = "What equal tasks have equal numbers of. Without it: nnz for loops over sparse matrices, else rows.",
     .choices = kPartitionUnits},
    {.flag = "sched-select", .kind = OneOf, .fallback = "none", .configKey = "schedSelect",
     .group = Scheduling, .doc = "Choose the scheme at run time.", .availability = Missing,
     .engine = "the automatic selection of schemes", .choices = kSelectors},
    {.flag = "sched-plugin", .kind = TextList, .configKey = "schedPlugins", .group = Scheduling,
     .doc = "Load partitioning schemes from a library: lib[:args]."},
    {.flag = "sched-profile", .kind = Text, .configKey = "schedProfile", .group = Scheduling,
     .doc = "Profile for schemes that need one.", .availability = Missing, .engine = "profiled scheduling"},
    {.flag = "sched-weights", .kind = NumberList, .configKey = "schedWeights", .group = Scheduling,
     .doc = "Relative speed of each worker.", .availability = Missing, .engine = "weighted scheduling", .minimum = 0},
    {.flag = "sched-seed", .kind = Integer, .fallback = "1", .configKey = "schedSeed", .group = Scheduling,
     .doc = "Seed of random choices of the scheduler."},
    {.flag = "deterministic", .fallback = "false", .configKey = "deterministic", .group = Scheduling,
     .doc = "Equal results for every schedule; they always are."},
    {.flag = "inter-op", .kind = Integer, .fallback = "0", .configKey = "interOp", .group = Scheduling,
     .doc = "Run independent operations at the same time.", .availability = Missing,
     .engine = "inter-operation parallelism", .valueIsOptional = true, .minimum = 0},

    // ---- distributed
    {.flag = "distributed", .fallback = "false", .configKey = "use_distributed", .group = Distributed,
     .doc = "Run on several machines."},
    {.flag = "dist_backend", .kind = OneOf, .fallback = "MPI", .configKey = "distributedBackEndSetup",
     .group = Distributed, .doc = "Transport between machines.", .choices = kTransports},
    {.flag = {}, .kind = TextList, .configKey = "distributed_workers", .environment = "DISTRIBUTED_WORKERS",
     .group = Distributed, .doc = "Addresses host:port of workers that listen."},
    {.flag = "workers-local", .kind = Integer, .fallback = "0", .group = Distributed,
     .doc = "Start this many workers on this machine, as processes or, with --dist_backend=threads, as threads.",
     .minimum = 0, .maximum = 1024},
    {.flag = "launcher", .kind = Text, .configKey = "launcher", .group = Distributed,
     .doc = "Start workers for this run, which listen: local (see --workers-local), ssh:<hostfile> with lines host [slots=n], or "
     "slurm for the tasks of the allocation."},
    {.flag = "max-distr-chunk-size", .kind = IntegerOrAuto, .fallback = "auto",
     .configKey = "max_distributed_serialization_chunk_size", .group = Distributed,
     .doc = "Largest payload of a message in bytes, at least 100; auto: as the transport likes it.", .minimum = 100,
     .maximum = 2147482623},
    {.flag = "dist-threshold", .kind = IntegerOrAuto, .fallback = "auto", .configKey = "distThreshold",
     .group = Distributed, .doc = "Loops with at most this many bytes stay on the coordinator; 0: none does, whatever "
     "it costs; auto: by estimated times.", .minimum = 0},
    {.flag = "enable-hdfs", .fallback = "false", .configKey = "useHdfs", .group = Distributed,
     .doc = "Read and write files in HDFS.", .availability = Missing, .engine = "HDFS support"},
    {.flag = "dist-partitioning", .kind = OneOf, .fallback = "STATIC", .configKey = "distPartitioning",
     .group = Distributed, .doc = "How rows are cut into tasks for machines; as --partitioning.",
     .listChoices = schemesOfMachines},
    {.flag = "dist-steal", .kind = OneOf, .fallback = "off", .configKey = "distSteal", .group = Distributed,
     .doc = "What idle machines take from those that have chunks waiting.", .choices = kStealing},
    {.flag = "coordinator-computes", .kind = OneOf, .fallback = "on", .configKey = "coordinatorComputes",
     .group = Distributed, .doc = "The coordinator takes tasks, too.", .choices = kOnOff},
    {.flag = "dist-resident", .kind = OneOf, .fallback = "on", .configKey = "distResident",
     .group = Distributed, .doc = "Keep intermediates on the machines.", .choices = kOnOff},
    {.flag = "dist-lend", .kind = OneOf, .fallback = "on", .configKey = "distLend", .group = Distributed,
     .doc = "Processes on the same host copy large objects from memory to memory instead of sending them, where the "
     "system allows it.", .choices = kOnOff},
    {.flag = "dist-collect", .kind = OneOf, .fallback = "auto", .configKey = "distCollect",
     .group = Distributed, .doc = "How results come back.", .choices = kCollect},
    {.flag = "dist-allreduce", .kind = OneOf, .fallback = "auto", .configKey = "distAllreduce",
     .group = Distributed, .doc = "How sums over machines are formed.", .choices = kAllreduce},
    {.flag = "dist-read-root", .kind = Text, .configKey = "distReadRoot", .group = Distributed,
     .doc = "Directory whose files workers may read themselves instead of getting their rows; none: workers read no "
     "files."},
    {.flag = "dist-retries", .kind = Integer, .fallback = "2", .configKey = "distRetries", .group = Distributed,
     .doc = "How often a lost task is tried again elsewhere before the coordinator does it.", .minimum = 0,
     .maximum = 1000000},
    {.flag = "dist-stats", .kind = Text, .configKey = "distStats", .group = Distributed,
     .doc = "What every machine did, as JSON, at the end: to this file, or to standard error.",
     .valueIsOptional = true},
    {.flag = "heartbeat-ms", .kind = Integer, .fallback = "2000", .configKey = "heartbeatMs", .group = Distributed,
     .doc = "Milliseconds between signs of life; a worker that misses three is lost.", .minimum = 1,
     .maximum = 86400000},
    {.flag = "tls-cert", .kind = Text, .configKey = "tlsCert", .group = Distributed,
     .doc = "Certificate of this machine."},
    {.flag = "tls-key", .kind = Text, .configKey = "tlsKey", .group = Distributed, .doc = "Its private key."},
    {.flag = "tls-ca", .kind = Text, .configKey = "tlsCa", .group = Distributed,
     .doc = "Certificate of the authority that signed all certificates."},
    {.flag = "dist-token-file", .kind = Text, .configKey = "distTokenFile", .group = Distributed,
     .doc = "File with the secret shared by the machines; nobody else may be able to read it."},
    {.flag = "insecure", .fallback = "false", .configKey = "insecure", .group = Distributed,
     .doc = "Allow connections without TLS beyond this machine."},

    // ---- accelerators
    {.flag = "cuda", .fallback = "false", .configKey = "use_cuda", .group = Accelerators, .doc = "Use GPUs.",
     .availability = Warns, .engine = "support for CUDA devices"},
    {.flag = "fpgaopencl", .fallback = "false", .group = Accelerators, .doc = "Use FPGAs through OpenCL.",
     .availability = Warns, .engine = "support for FPGA devices"},

    // ---- properties
    {.flag = "enable-property-recording", .fallback = "false", .configKey = "enable_property_recording",
     .group = Properties, .doc = "Record data properties of intermediates.", .availability = Missing,
     .engine = kPropertyEngine},
    {.flag = "enable-property-insert", .fallback = "false", .configKey = "enable_property_insert", .group = Properties,
     .doc = "Use recorded data properties.", .availability = Missing, .engine = kPropertyEngine},

    // ---- accepted for compatibility: scripts and configurations of the published system have them. They tune how it
    // works, never what comes out, so they are checked like all others and change nothing here.
    {.flag = "codegen", .fallback = "false", .configKey = "use_mlir_codegen", .group = Compatibility,
     .doc = "Generate code instead of calling kernels where possible."},
    {.flag = "mlir-hybrid-codegen", .fallback = "false", .group = Compatibility,
     .doc = "Mix generated code and kernels."},
    {.flag = {}, .negation = "no-phy-op-selection", .fallback = "true", .configKey = "use_phy_op_selection",
     .group = Compatibility, .doc = "Do not select physical operators."},
    {.flag = "matmul-vec-size-bits", .kind = Integer, .fallback = "0", .configKey = "matmul_vec_size_bits",
     .group = Compatibility, .doc = "Matrix product: vector width, 0 is off.", .minimum = 0},
    {.flag = "matmul-tile", .fallback = "false", .configKey = "matmul_tile", .group = Compatibility,
     .doc = "Matrix product: tile the loops."},
    {.flag = "matmul-fixed-tile-sizes", .kind = IntegerList, .configKey = "matmul_fixed_tile_sizes",
     .group = Compatibility, .doc = "Matrix product: tile sizes; implies tiling.", .minimum = 1},
    {.flag = {}, .fallback = "false", .configKey = "matmul_use_fixed_tile_sizes", .group = Compatibility,
     .doc = "Matrix product: use the fixed tile sizes."},
    {.flag = "matmul-unroll-factor", .kind = Integer, .fallback = "1", .configKey = "matmul_unroll_factor",
     .group = Compatibility, .doc = "Matrix product: unrolling.", .minimum = 1},
    {.flag = "matmul-unroll-jam-factor", .kind = Integer, .fallback = "4", .configKey = "matmul_unroll_jam_factor",
     .group = Compatibility, .doc = "Matrix product: unroll and jam.", .minimum = 1},
    {.flag = "matmul-num-vec-registers", .kind = Integer, .fallback = "16", .configKey = "matmul_num_vec_registers",
     .group = Compatibility, .doc = "Matrix product: registers to plan with.", .minimum = 1},
    {.flag = "matmul-invert-loops", .fallback = "false", .configKey = "matmul_invert_loops", .group = Compatibility,
     .doc = "Matrix product: inverted loop order."},
    {.flag = {}, .fallback = "false", .configKey = "debug_llvm", .group = Compatibility,
     .doc = "Keep debug information in generated code."},
    {.flag = {}, .fallback = "false", .configKey = "vectorized_single_queue", .group = Compatibility,
     .doc = "CPU and accelerator workers share one queue."},
    {.flag = "cosched", .kind = OneOf, .fallback = "common", .configKey = "cosched", .group = Compatibility,
     .doc = "How CPU and accelerator share work.", .choices = kCoscheduling},
    {.flag = "hdfs-ip", .kind = Text, .configKey = "hdfsAddress", .group = Compatibility,
     .doc = "With --enable-hdfs: ip:port of the name node."},
    {.flag = "hdfs-username", .kind = Text, .configKey = "hdfsUsername", .group = Compatibility,
     .doc = "With --enable-hdfs: user name."},
    {.flag = {}, .kind = IntegerList, .configKey = "cuda_devices", .group = Compatibility,
     .doc = "Numbers of the GPUs to use.", .minimum = 0},
    {.flag = {}, .fallback = "false", .configKey = "cuda_fuse_any", .group = Compatibility,
     .doc = "Fuse any operation for GPUs."},
    {.flag = {}, .fallback = "false", .configKey = "force_cuda", .group = Compatibility,
     .doc = "Use GPUs also for small data."},
    {.flag = "properties-file-path", .kind = Text, .fallback = "properties.json", .configKey = "properties_file_path",
     .group = Compatibility, .doc = "Where the properties are."},
};
// clang-format on

constexpr EnvironmentRow kEnvironment[] = {
    {"PAPI_EVENTS", "profiling: hardware counters to read"},
    {"PAPI_REPORT", "profiling: whether to print a report"},
    {"DAPHNE_DIST_TOKEN", "distributed execution: the secret, instead of --dist-token-file"},
    {"DAPHNE_FAULT", "distributed execution, for tests: worker=2,after_chunks=3,action=kill|hang|slow:10"},
    {"DAPHNE_ADAPTIVE", "scheduling: adaptive heuristics"},
    {"SLURM_CPUS_ON_NODE", "scheduling: upper limit for the number of workers"},
    {"SLURM_CPUS_PER_TASK", "scheduling: the same, of one task"},
    {"DAPHNE_FAKE_TOPOLOGY", "scheduling, for tests: domains x cores x threads of a machine to pretend, such as 2x4x2"},
    {"BITSTREAM", "FPGA: the bitstream to load"},
};

/// Names of the whole table are unique, and every row can be reached.
consteval bool isConsistent() {
    for (const OptionRow &row : kRows) {
        if (row.doc.empty() || (row.flag.empty() && row.negation.empty() && row.configKey.empty()))
            return false;
        bool hasChoices = !row.choices.empty() || row.listChoices;
        if ((row.kind == OneOf || row.kind == FlagOrOneOf) != hasChoices)
            return false;
        if ((row.availability == Missing || row.availability == Warns) == row.engine.empty())
            return false;
        for (const OptionRow &other : kRows) {
            if (&row == &other)
                continue;
            for (std::string_view a : {row.flag, row.negation, row.alias})
                for (std::string_view b : {other.flag, other.negation, other.alias})
                    if (!a.empty() && a == b)
                        return false;
            if (!row.configKey.empty() && row.configKey == other.configKey)
                return false;
        }
    }
    return true;
}
static_assert(isConsistent());
} // namespace

std::span<const OptionRow> optionTable() { return kRows; }
std::span<const EnvironmentRow> environmentTable() { return kEnvironment; }

size_t optionIndex(std::string_view name) {
    for (size_t i = 0; i < std::size(kRows); ++i)
        if (kRows[i].flag == name || kRows[i].negation == name || kRows[i].configKey == name)
            return i;
    throw internalError("no option '" + std::string(name) + "'");
}

std::string_view groupTitle(OptionGroup group) {
    switch (group) {
    case General: return "General";
    case Optimisation: return "Optimisation";
    case Scheduling: return "Advanced Scheduling Knobs";
    case Distributed: return "Distributed Execution";
    case Accelerators: return "Accelerators";
    case Properties: return "Data Properties";
    case Compatibility: return "Accepted for Compatibility, without Effect";
    }
    return {};
}

std::string OptionRow::spelling() const {
    if (flag.empty() && negation.empty())
        return std::string(configKey);
    std::string_view name = flag.empty() ? negation : flag;
    return (name.size() == 1 ? "-" : "--") + std::string(name);
}

std::string OptionRow::title() const {
    return flag.empty() && negation.empty() ? "configuration key '" + std::string(configKey) + "'"
                                            : "option " + spelling();
}

} // namespace daphne::engine
