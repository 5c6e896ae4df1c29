// SPDX-License-Identifier: Apache-2.0
#include "driver/OptionTable.h"

#include <iterator>

#include "base/Error.h"

namespace daphne::driver {

namespace {
using enum OptionKind;
using enum Availability;
using enum OptionGroup;

constexpr std::string_view kDistributedEngine = "the distributed engine";
constexpr std::string_view kPropertyEngine = "recording of data properties";

constexpr Choice kReferenceForms[] = {
    {"md", "the functions with examples, as Markdown"},
    {"json", "the same for programs"},
    {"representations", "which operations work on dense and CSR matrices without a conversion, as Markdown"},
};
constexpr Choice kSchemes[] = {
    {"STATIC", "n/p rows for each of p workers"},
    {"SS", "self-scheduling: one row at a time"},
    {"GSS", "guided: a p-th of the remaining rows"},
    {"TSS", "trapezoid: linearly decreasing"},
    {"FAC2", "factoring: half of the remaining rows per batch of p tasks"},
    {"TFSS", "trapezoid factoring: batches of equal tasks, linearly decreasing"},
    {"FISS", "fixed increase: batches of linearly growing tasks"},
    {"VISS", "variable increase: batches of growing tasks, the increment halves"},
    {"PLS", "performance loop-based: a static part, then guided"},
    {"MSTATIC", "STATIC with four times as many tasks"},
    {"MFSC", "fixed-size chunks of a size derived from n and p"},
    {"PSS", "probabilistic: guided with an estimate of the active workers"},
    {"AUTO", "self-scheduling with an automatically chosen task size"},
};
constexpr Choice kLayouts[] = {
    {"CENTRALIZED", "one queue for all workers"},
    {"PERGROUP", "one queue per NUMA domain"},
    {"PERCPU", "one queue per worker"},
};
constexpr Choice kVictims[] = {
    {"SEQ", "the next queue, round robin"},
    {"SEQPRI", "SEQ, the own NUMA domain first"},
    {"RANDOM", "a random queue", "RND"},
    {"RANDOMPRI", "RANDOM, the own NUMA domain first", "RNDPRI"},
};
constexpr Choice kPartitionUnits[] = {
    {"rows", "equal numbers of rows"},
    {"nnz", "equal numbers of stored entries"},
    {"cost", "equal estimated cost"},
    {"auto", "chosen per pipeline"},
};
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
constexpr Choice kPinStrategies[] = {
    {"rr", "round robin over the CPUs"},
    {"compact", "fill one NUMA domain after the other"},
    {"scatter", "alternate between NUMA domains"},
    {"numa", "bind to all CPUs of a NUMA domain"},
};
constexpr Choice kCoscheduling[] = {
    {"off", "CPU and accelerator take turns"},
    {"common", "one common queue"},
    {"steal", "own queues, stealing"},
};
constexpr Choice kTransports[] = {
    {"MPI", "message passing interface"},
    {"sync-gRPC", "remote procedure calls, one thread per worker", "gRPC"},
    {"async-gRPC", "remote procedure calls, asynchronous"},
};
constexpr Choice kOnOff[] = {{"on", ""}, {"off", ""}};
constexpr Choice kCollect[] = {
    {"auto", "tree from 8 workers on"},
    {"direct", "every worker sends to the coordinator"},
    {"tree", "along a tree"},
};
constexpr Choice kAllreduce[] = {
    {"auto", "by message size and number of workers"},
    {"tree", "up and down a tree"},
    {"ring", "pieces around a ring"},
    {"butterfly", "pairwise exchange, doubling distances"},
    {"roundrobin", "every machine with every other in turn"},
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
    {.flag = "statistics", .fallback = "false", .doc = "Print time and calls per operation on standard error.",
     .availability = Missing, .engine = "the statistics of operations"},
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
    {.flag = "codegen", .fallback = "false", .configKey = "use_mlir_codegen", .group = Optimisation,
     .doc = "Generate code instead of calling kernels where possible.", .availability = Accepted},
    {.flag = "mlir-hybrid-codegen", .fallback = "false", .group = Optimisation,
     .doc = "Mix generated code and kernels.", .availability = Accepted},
    {.flag = {}, .negation = "no-obj-ref-mgnt", .fallback = "true", .configKey = "use_obj_ref_mgnt",
     .group = Optimisation, .doc = "Never free intermediates."},
    {.flag = {}, .negation = "no-ipa-const-propa", .fallback = "true", .configKey = "use_ipa_const_propa",
     .group = Optimisation, .doc = "Do not propagate constants into functions."},
    {.flag = {}, .negation = "no-phy-op-selection", .fallback = "true", .configKey = "use_phy_op_selection",
     .group = Optimisation, .doc = "Do not select physical operators.", .availability = Accepted},
    {.flag = "select-matrix-repr", .alias = "select-matrix-representations", .fallback = "false", .group = Optimisation,
     .doc = "Choose dense or CSR by estimated sparsity."},
    {.flag = {}, .kind = Number, .fallback = "0.25", .configKey = "sparsity_threshold", .group = Optimisation,
     .doc = "Matrices sparser than this are candidates for CSR.", .minimum = 0},
    {.flag = "columnar", .fallback = "false", .configKey = "use_columnar", .group = Optimisation,
     .doc = "Run relational operations on column operators.", .availability = Missing, .engine = "columnar execution"},
    {.flag = "optimistic-splitting", .fallback = "false", .configKey = "use_optimistic_splitting",
     .group = Optimisation, .doc = "Split wide sums optimistically; only with --columnar.", .availability = Accepted},
    {.flag = "matmul-vec-size-bits", .kind = Integer, .fallback = "0", .configKey = "matmul_vec_size_bits",
     .group = Optimisation, .doc = "Matrix product: vector width, 0 is off.", .availability = Accepted, .minimum = 0},
    {.flag = "matmul-tile", .fallback = "false", .configKey = "matmul_tile", .group = Optimisation,
     .doc = "Matrix product: tile the loops.", .availability = Accepted},
    {.flag = "matmul-fixed-tile-sizes", .kind = IntegerList, .configKey = "matmul_fixed_tile_sizes",
     .group = Optimisation, .doc = "Matrix product: tile sizes; implies tiling.", .availability = Accepted,
     .minimum = 1},
    {.flag = {}, .fallback = "false", .configKey = "matmul_use_fixed_tile_sizes", .group = Optimisation,
     .doc = "Matrix product: use the fixed tile sizes.", .availability = Accepted},
    {.flag = "matmul-unroll-factor", .kind = Integer, .fallback = "1", .configKey = "matmul_unroll_factor",
     .group = Optimisation, .doc = "Matrix product: unrolling.", .availability = Accepted, .minimum = 1},
    {.flag = "matmul-unroll-jam-factor", .kind = Integer, .fallback = "4", .configKey = "matmul_unroll_jam_factor",
     .group = Optimisation, .doc = "Matrix product: unroll and jam.", .availability = Accepted, .minimum = 1},
    {.flag = "matmul-num-vec-registers", .kind = Integer, .fallback = "16", .configKey = "matmul_num_vec_registers",
     .group = Optimisation, .doc = "Matrix product: registers to plan with.", .availability = Accepted, .minimum = 1},
    {.flag = "matmul-invert-loops", .fallback = "false", .configKey = "matmul_invert_loops", .group = Optimisation,
     .doc = "Matrix product: inverted loop order.", .availability = Accepted},
    {.flag = {}, .fallback = "false", .configKey = "debug_llvm", .group = Optimisation,
     .doc = "Keep debug information in generated code.", .availability = Accepted},

    // ---- scheduling
    {.flag = "partitioning", .kind = OneOf, .fallback = "STATIC", .configKey = "taskPartitioningScheme",
     .group = Scheduling, .doc = "How rows are cut into tasks.", .availability = Accepted, .choices = kSchemes,
     .choicesAreFlags = true},
    {.flag = "queue_layout", .kind = OneOf, .fallback = "CENTRALIZED", .configKey = "queueSetupScheme",
     .group = Scheduling, .doc = "Where tasks wait.", .availability = Accepted, .choices = kLayouts,
     .choicesAreFlags = true},
    {.flag = "victim_selection", .kind = OneOf, .fallback = "SEQ", .configKey = "victimSelection",
     .group = Scheduling, .doc = "From which queue an idle worker steals.", .availability = Accepted,
     .choices = kVictims, .choicesAreFlags = true},
    {.flag = "num-threads", .kind = Integer, .fallback = "0", .configKey = "numberOfThreads", .group = Scheduling,
     .doc = "Workers; 0 or less: one per physical core.", .availability = Accepted},
    {.flag = "grain-size", .kind = IntegerOrAuto, .fallback = "1", .configKey = "minimumTaskSize", .group = Scheduling,
     .doc = "Smallest task in rows; 0 or less counts as 1.", .availability = Accepted},
    {.flag = "phy-batch-size", .kind = IntegerOrAuto, .fallback = "98304", .configKey = "phyBatchSize",
     .group = Scheduling, .doc = "Bytes per kernel call inside a task.", .availability = Accepted},
    {.flag = "pre-partition", .fallback = "false", .configKey = "prePartitionRows", .group = Scheduling,
     .doc = "Give every queue its share of the rows before cutting.", .availability = Accepted},
    {.flag = "pin-workers", .fallback = "false", .configKey = "pinWorkers", .group = Scheduling,
     .doc = "Bind workers to CPUs.", .availability = Accepted},
    {.flag = "pin-strategy", .kind = OneOf, .fallback = "rr", .configKey = "pinStrategy",
     .group = Scheduling, .doc = "With --pin-workers: which CPUs.", .availability = Accepted,
     .choices = kPinStrategies},
    {.flag = "hyperthreading", .fallback = "false", .configKey = "hyperthreadingEnabled", .group = Scheduling,
     .doc = "One worker per logical CPU.", .availability = Accepted},
    {.flag = "debug-mt", .fallback = "false", .configKey = "debugMultiThreading", .group = Scheduling,
     .doc = "Log what the scheduler does.", .availability = Warns, .engine = "the task scheduler"},
    {.flag = {}, .fallback = "false", .configKey = "vectorized_single_queue", .group = Scheduling,
     .doc = "CPU and accelerator workers share one queue.", .availability = Accepted},
    {.flag = "fiss-stages", .kind = IntegerOrAuto, .fallback = "auto", .configKey = "fissStages", .group = Scheduling,
     .doc = "FISS: number of stages.", .availability = Accepted, .minimum = 1},
    {.flag = "viss-x", .kind = Integer, .fallback = "4", .configKey = "vissX", .group = Scheduling,
     .doc = "VISS: divisor of the first task.", .availability = Accepted, .minimum = 1},
    {.flag = "pls-swr", .kind = Number, .fallback = "0.5", .configKey = "plsSwr", .group = Scheduling,
     .doc = "PLS: share of the static part.", .availability = Accepted, .minimum = 0},
    {.flag = "partition-by", .kind = OneOf, .fallback = "rows", .configKey = "partitionBy",
     .group = Scheduling, .doc = "What equal tasks have equal numbers of.", .availability = Missing,
     .engine = "partitioning by cost", .choices = kPartitionUnits},
    {.flag = "sched-select", .kind = OneOf, .fallback = "none", .configKey = "schedSelect",
     .group = Scheduling, .doc = "Choose the scheme at run time.", .availability = Missing,
     .engine = "the automatic selection of schemes", .choices = kSelectors},
    {.flag = "sched-plugin", .kind = TextList, .configKey = "schedPlugins", .group = Scheduling,
     .doc = "Load partitioning schemes from a library: lib[:args].", .availability = Missing,
     .engine = "the loader for scheduling plug-ins"},
    {.flag = "sched-profile", .kind = Text, .configKey = "schedProfile", .group = Scheduling,
     .doc = "Profile for schemes that need one.", .availability = Missing, .engine = "profiled scheduling"},
    {.flag = "sched-weights", .kind = NumberList, .configKey = "schedWeights", .group = Scheduling,
     .doc = "Relative speed of each worker.", .availability = Missing, .engine = "weighted scheduling", .minimum = 0},
    {.flag = "sched-seed", .kind = Integer, .fallback = "1", .configKey = "schedSeed", .group = Scheduling,
     .doc = "Seed of random choices of the scheduler.", .availability = Accepted},
    {.flag = "deterministic", .fallback = "false", .configKey = "deterministic", .group = Scheduling,
     .doc = "Equal results for every schedule; they always are.", .availability = Accepted},
    {.flag = "inter-op", .kind = Integer, .fallback = "0", .configKey = "interOp", .group = Scheduling,
     .doc = "Run independent operations at the same time.", .availability = Missing,
     .engine = "inter-operation parallelism", .valueIsOptional = true, .minimum = 0},
    {.flag = "cosched", .kind = OneOf, .fallback = "common", .configKey = "cosched", .group = Scheduling,
     .doc = "How CPU and accelerator share work.", .availability = Accepted, .choices = kCoscheduling},

    // ---- distributed
    {.flag = "distributed", .fallback = "false", .configKey = "use_distributed", .group = Distributed,
     .doc = "Run on several machines.", .availability = Missing, .engine = kDistributedEngine},
    {.flag = "dist_backend", .kind = OneOf, .fallback = "MPI", .configKey = "distributedBackEndSetup",
     .group = Distributed, .doc = "Transport between machines.", .availability = Accepted, .choices = kTransports},
    {.flag = {}, .kind = TextList, .configKey = "distributed_workers", .environment = "DISTRIBUTED_WORKERS",
     .group = Distributed, .doc = "Addresses host:port of the gRPC workers.", .availability = Accepted},
    {.flag = "workers-local", .kind = Integer, .fallback = "0", .group = Distributed,
     .doc = "Start this many workers on this machine.", .availability = Missing, .engine = kDistributedEngine,
     .minimum = 0},
    {.flag = "max-distr-chunk-size", .kind = Integer, .fallback = "2147482623",
     .configKey = "max_distributed_serialization_chunk_size", .group = Distributed,
     .doc = "Largest message in bytes, at least 100.", .availability = Accepted, .minimum = 100},
    {.flag = "enable-hdfs", .fallback = "false", .configKey = "useHdfs", .group = Distributed,
     .doc = "Read and write files in HDFS.", .availability = Missing, .engine = "HDFS support"},
    {.flag = "hdfs-ip", .kind = Text, .configKey = "hdfsAddress", .group = Distributed,
     .doc = "With --enable-hdfs: ip:port of the name node.", .availability = Accepted},
    {.flag = "hdfs-username", .kind = Text, .configKey = "hdfsUsername", .group = Distributed,
     .doc = "With --enable-hdfs: user name.", .availability = Accepted},
    {.flag = "dist-partitioning", .kind = OneOf, .fallback = "STATIC", .configKey = "distPartitioning",
     .group = Distributed, .doc = "How rows are cut into tasks for machines; as --partitioning.",
     .availability = Accepted, .choices = kSchemes},
    {.flag = "dist-steal", .kind = OneOf, .fallback = "off", .configKey = "distSteal", .group = Distributed,
     .doc = "Idle machines take work from others.", .availability = Accepted, .choices = kOnOff},
    {.flag = "coordinator-computes", .kind = OneOf, .fallback = "on", .configKey = "coordinatorComputes",
     .group = Distributed, .doc = "The coordinator takes tasks, too.", .availability = Accepted, .choices = kOnOff},
    {.flag = "dist-resident", .kind = OneOf, .fallback = "on", .configKey = "distResident",
     .group = Distributed, .doc = "Keep intermediates on the machines.", .availability = Accepted, .choices = kOnOff},
    {.flag = "dist-collect", .kind = OneOf, .fallback = "auto", .configKey = "distCollect",
     .group = Distributed, .doc = "How results come back.", .availability = Accepted, .choices = kCollect},
    {.flag = "dist-allreduce", .kind = OneOf, .fallback = "auto", .configKey = "distAllreduce",
     .group = Distributed, .doc = "How sums over machines are formed.", .availability = Accepted,
     .choices = kAllreduce},
    {.flag = "dist-retries", .kind = Integer, .fallback = "2", .configKey = "distRetries", .group = Distributed,
     .doc = "How often a lost task is tried again.", .availability = Accepted, .minimum = 0},
    {.flag = "heartbeat-ms", .kind = Integer, .fallback = "2000", .configKey = "heartbeatMs", .group = Distributed,
     .doc = "Milliseconds between signs of life.", .availability = Accepted, .minimum = 1},
    {.flag = "tls-cert", .kind = Text, .configKey = "tlsCert", .group = Distributed,
     .doc = "Certificate of this machine.", .availability = Accepted},
    {.flag = "tls-key", .kind = Text, .configKey = "tlsKey", .group = Distributed, .doc = "Its private key.",
     .availability = Accepted},
    {.flag = "tls-ca", .kind = Text, .configKey = "tlsCa", .group = Distributed,
     .doc = "Certificate of the authority that signed the workers' certificates.", .availability = Accepted},
    {.flag = "dist-token-file", .kind = Text, .configKey = "distTokenFile", .group = Distributed,
     .doc = "File with the secret shared by the machines.", .availability = Accepted},
    {.flag = "insecure", .fallback = "false", .configKey = "insecure", .group = Distributed,
     .doc = "Allow connections without TLS beyond this machine.", .availability = Accepted},

    // ---- accelerators
    {.flag = "cuda", .fallback = "false", .configKey = "use_cuda", .group = Accelerators, .doc = "Use GPUs.",
     .availability = Warns, .engine = "support for CUDA devices"},
    {.flag = "fpgaopencl", .fallback = "false", .group = Accelerators, .doc = "Use FPGAs through OpenCL.",
     .availability = Warns, .engine = "support for FPGA devices"},
    {.flag = {}, .kind = IntegerList, .configKey = "cuda_devices", .group = Accelerators,
     .doc = "Numbers of the GPUs to use.", .availability = Accepted, .minimum = 0},
    {.flag = {}, .fallback = "false", .configKey = "cuda_fuse_any", .group = Accelerators,
     .doc = "Fuse any operation for GPUs.", .availability = Accepted},
    {.flag = {}, .fallback = "false", .configKey = "force_cuda", .group = Accelerators,
     .doc = "Use GPUs also for small data.", .availability = Accepted},

    // ---- properties
    {.flag = "enable-property-recording", .fallback = "false", .configKey = "enable_property_recording",
     .group = Properties, .doc = "Record data properties of intermediates.", .availability = Missing,
     .engine = kPropertyEngine},
    {.flag = "enable-property-insert", .fallback = "false", .configKey = "enable_property_insert", .group = Properties,
     .doc = "Use recorded data properties.", .availability = Missing, .engine = kPropertyEngine},
    {.flag = "properties-file-path", .kind = Text, .fallback = "properties.json", .configKey = "properties_file_path",
     .group = Properties, .doc = "Where the properties are.", .availability = Accepted},
};
// clang-format on

constexpr EnvironmentRow kEnvironment[] = {
    {"PAPI_EVENTS", "profiling: hardware counters to read"},
    {"PAPI_REPORT", "profiling: whether to print a report"},
    {"DAPHNE_ADAPTIVE", "scheduling: adaptive heuristics"},
    {"SLURM_CPUS_ON_NODE", "scheduling: upper limit for the number of workers"},
    {"BITSTREAM", "FPGA: the bitstream to load"},
};

/// Names of the whole table are unique, and every row can be reached.
consteval bool isConsistent() {
    for (const OptionRow &row : kRows) {
        if (row.doc.empty() || (row.flag.empty() && row.negation.empty() && row.configKey.empty()))
            return false;
        if ((row.kind == OptionKind::OneOf) == row.choices.empty())
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
    default: return "Data Properties";
    }
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

} // namespace daphne::driver
