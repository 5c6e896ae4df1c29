// SPDX-License-Identifier: Apache-2.0
#include "driver/machines/Distributed.h"
#include "driver/machines/NetworkAddress.h"
#include "driver/machines/WorkerSetup.h"
#include "driver/options/CommandLine.h"

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/Error.h"

namespace daphne::driver {
namespace {

using ::testing::HasSubstr;
using Words = std::vector<std::string>;

Surroundings pipe() { return {.executableDirectory = "/opt/daphne/bin", .inputIsTerminal = false}; }

CommandLine parse(const Words &words) { return parseCommandLine(words, pipe()); }

/// The message and hint of the error that these words give; "" if they are accepted.
std::string errorOf(const Words &words) {
    try {
        parse(words);
        return "";
    } catch (const Error &e) {
        EXPECT_EQ(e.stage, Stage::Parse);
        return e.message + (e.hint.empty() ? "" : " | " + e.hint);
    }
}

class TemporaryFile {
  public:
    explicit TemporaryFile(const std::string &text) : path(testing::TempDir() + "daphne-options-test.json") {
        std::ofstream(path) << text;
    }
    ~TemporaryFile() { std::filesystem::remove(path); }
    std::string path;
};

// ---- script and actions

TEST(CommandLine, TheFirstWordThatIsNoOptionIsTheScript) {
    CommandLine options = parse({"--timing", "a.daph"});
    EXPECT_EQ(options.action, Action::Run);
    EXPECT_EQ(options.source, ScriptSource::File);
    EXPECT_EQ(options.script, "a.daph");
    EXPECT_TRUE(options.timing);
}

TEST(CommandLine, ADashIsStandardInput) { EXPECT_EQ(parse({"-"}).source, ScriptSource::StandardInput); }

TEST(CommandLine, ADoubleDashEndsTheOptions) { EXPECT_EQ(parse({"--", "--odd-name"}).script, "--odd-name"); }

TEST(CommandLine, EvalTakesCodeAndWhatFollowsBelongsToIt) {
    CommandLine options = parse({"-e", "print($x);", "x=1"});
    EXPECT_EQ(options.source, ScriptSource::CommandLine);
    EXPECT_EQ(options.script, "print($x);");
    EXPECT_EQ(options.scriptArgs.at("x"), "1");
    EXPECT_EQ(parse({"--eval=print(1);"}).script, "print(1);");
}

TEST(CommandLine, WithoutAScriptATerminalIsInteractive) {
    Surroundings terminal = pipe();
    terminal.inputIsTerminal = true;
    EXPECT_EQ(parseCommandLine({}, terminal).action, Action::Interactive);
    EXPECT_EQ(parseCommandLine({"--timing"}, terminal).action, Action::Interactive);
}

TEST(CommandLine, WithoutAScriptAPipeIsAnError) { EXPECT_THAT(errorOf({}), HasSubstr("no script given")); }

TEST(CommandLine, HelpAndVersionNeedNoScript) {
    EXPECT_EQ(parse({"--help"}).action, Action::ShowHelp);
    EXPECT_EQ(parse({"-h"}).action, Action::ShowHelp);
    EXPECT_EQ(parse({"--help", "--no-such-option"}).action, Action::ShowHelp);
    EXPECT_EQ(parse({"--version"}).action, Action::ShowVersion);
    EXPECT_TRUE(parse({"--version", "--verbose"}).verbose);
    EXPECT_EQ(parse({"--print-config"}).action, Action::ShowConfig);
    EXPECT_EQ(parse({"--builtins=md"}).action, Action::ShowReference);
    EXPECT_THAT(errorOf({"--builtins=pdf"}), HasSubstr("md"));
}

// ---- syntax of options

TEST(CommandLine, OneDashIsAsGoodAsTwo) {
    EXPECT_FALSE(parse({"-no-vec", "s"}).vec);
    EXPECT_EQ(parse({"-num-threads=3", "s"}).settings.integer("num-threads"), 3);
}

TEST(CommandLine, ValuesFollowAfterEqualsOrAsTheNextWord) {
    EXPECT_EQ(parse({"--num-threads=3", "s"}).settings.integer("num-threads"), 3);
    EXPECT_EQ(parse({"--num-threads", "-1", "s"}).settings.integer("num-threads"), -1);
}

TEST(CommandLine, FlagsAcceptTruthValues) {
    for (const char *word : {"--timing", "--timing=true", "--timing=1", "--timing=TRUE"})
        EXPECT_TRUE(parse({word, "s"}).timing) << word;
    for (const char *word : {"--timing=false", "--timing=0"})
        EXPECT_FALSE(parse({word, "s"}).timing) << word;
    EXPECT_THAT(errorOf({"--timing=maybe", "s"}), HasSubstr("option --timing needs no value, or one of true"));
}

TEST(CommandLine, AFlagDoesNotTakeTheNextWord) { EXPECT_EQ(parse({"--timing", "false"}).script, "false"); }

TEST(CommandLine, NegationsSetTheOpposite) {
    EXPECT_TRUE(parse({"s"}).vec);
    EXPECT_FALSE(parse({"--no-vec", "s"}).vec);
    EXPECT_TRUE(parse({"--no-vec=false", "s"}).vec);
    EXPECT_TRUE(parse({"--no-vec", "--vec", "s"}).vec);
    EXPECT_TRUE(parse({"s"}).objRefMgnt);
    EXPECT_FALSE(parse({"--no-obj-ref-mgnt", "s"}).objRefMgnt);
    EXPECT_FALSE(parse({"--no-ipa-const-propa", "s"}).ipaConstPropa);
    EXPECT_FALSE(parse({"--no-phy-op-selection", "s"}).phyOpSelection);
}

TEST(CommandLine, ListsAreSeparatedByCommasAndMayBeRepeated) {
    CommandLine options = parse({"--matmul-fixed-tile-sizes=4,8", "--matmul-fixed-tile-sizes", "16", "s"});
    EXPECT_EQ(options.settings.list("matmul-fixed-tile-sizes"), (Words{"4", "8", "16"}));
    EXPECT_THAT(errorOf({"--matmul-fixed-tile-sizes=4,,8", "s"}), HasSubstr("needs an integer, got ''"));
}

TEST(CommandLine, OfRepeatedScalarsTheLastOneCounts) {
    EXPECT_EQ(parse({"--num-threads=3", "--num-threads=5", "s"}).settings.integer("num-threads"), 5);
}

TEST(CommandLine, AMissingValueIsAnError) {
    EXPECT_THAT(errorOf({"--config"}), HasSubstr("option --config needs a value"));
    EXPECT_THAT(errorOf({"--config=", "s"}), HasSubstr("option --config needs a value"));
}

TEST(CommandLine, AnUnknownOptionSuggestsTheNearest) {
    EXPECT_EQ(errorOf({"--partitionning=GSS", "s"}),
              "unknown option '--partitionning=GSS' | did you mean '--partitioning'?");
    EXPECT_THAT(errorOf({"-tming", "s"}), HasSubstr("did you mean '--timing'?"));
    EXPECT_THAT(errorOf({"--zzzzzzzzzzz", "s"}), HasSubstr("daphne --help"));
    EXPECT_THAT(errorOf({"--=3", "s"}), HasSubstr("unknown option '--=3'"));
}

TEST(CommandLine, AliasesMeanTheSameOption) {
    EXPECT_TRUE(parse({"--select-matrix-representations", "s"}).selectMatrixRepr);
    EXPECT_EQ(parse({"--select-matrix-representations=false", "s"}).settings.flag("select-matrix-repr"), false);
}

// ---- values

TEST(CommandLine, ChoicesAreAcceptedInEveryCaseAndStoredAsInTheTable) {
    EXPECT_EQ(parse({"--partitioning=GSS", "s"}).settings.text("partitioning"), "GSS");
    EXPECT_EQ(parse({"--partitioning=gss", "s"}).settings.text("partitioning"), "GSS");
    EXPECT_EQ(parse({"--dist_backend=sync-grpc", "s"}).settings.text("dist_backend"), "sync-gRPC");
}

TEST(CommandLine, ChoicesHaveSynonyms) {
    EXPECT_EQ(parse({"--victim_selection=RND", "s"}).settings.text("victim_selection"), "RANDOM");
    EXPECT_EQ(parse({"--victim_selection=rndpri", "s"}).settings.text("victim_selection"), "RANDOMPRI");
    EXPECT_EQ(parse({"--dist_backend=gRPC", "s"}).settings.text("dist_backend"), "sync-gRPC");
}

TEST(CommandLine, AnUnknownChoiceListsTheAllowedOnes) {
    std::string error = errorOf({"--queue_layout=PERCPUS", "s"});
    EXPECT_THAT(error, HasSubstr("needs one of CENTRALIZED, PERGROUP, PERCPU, got 'PERCPUS'"));
    EXPECT_THAT(error, HasSubstr("did you mean 'PERCPU'?"));
}

TEST(CommandLine, EarlySpellingsAreFlags) {
    CommandLine options = parse({"--GSS", "--PERCPU", "--SEQPRI", "s"});
    EXPECT_EQ(options.settings.text("partitioning"), "GSS");
    EXPECT_EQ(options.settings.text("queue_layout"), "PERCPU");
    EXPECT_EQ(options.settings.text("victim_selection"), "SEQPRI");
    EXPECT_THAT(errorOf({"--GSS=1", "s"}), HasSubstr("takes no value"));
    EXPECT_THAT(errorOf({"--MPI", "s"}), HasSubstr("unknown option"));
}

TEST(CommandLine, IntegersAreCheckedStrictly) {
    for (const char *text : {"4.5", "four", "", "0x10", "1e3", "4 ", "+-4", "--4"})
        EXPECT_THAT(errorOf({std::string("--num-threads=") + text, "s"}), HasSubstr("needs an integer")) << text;
    EXPECT_THAT(errorOf({"--num-threads=99999999999999999999", "s"}), HasSubstr("at most 64 bits"));
    EXPECT_EQ(parse({"--num-threads=+4", "s"}).settings.integer("num-threads"), 4);
    EXPECT_THAT(errorOf({"--matmul-unroll-factor=0", "s"}), HasSubstr("at least 1"));
    EXPECT_THAT(errorOf({"--max-distr-chunk-size=99", "s"}), HasSubstr("at least 100"));
    EXPECT_EQ(errorOf({"--max-distr-chunk-size=100", "s"}), "");
}

TEST(CommandLine, SomeIntegersMayBeAutomatic) {
    EXPECT_EQ(parse({"--grain-size=auto", "s"}).settings.text("grain-size"), "auto");
    EXPECT_EQ(parse({"--grain-size=-5", "s"}).settings.integer("grain-size"), -5);
    EXPECT_THAT(errorOf({"--phy-batch-size=big", "s"}), HasSubstr("needs an integer or auto"));
    EXPECT_THAT(errorOf({"--num-threads=auto", "s"}), HasSubstr("needs an integer, got 'auto'"));
}

TEST(CommandLine, NumbersAreChecked) {
    EXPECT_DOUBLE_EQ(parse({"--pls-swr=0.75", "s"}).settings.number("pls-swr"), 0.75);
    for (const char *text : {"half", "nan", "inf", "0.5x", ""})
        EXPECT_THAT(errorOf({std::string("--pls-swr=") + text, "s"}), HasSubstr("needs a number")) << text;
    EXPECT_THAT(errorOf({"--pls-swr=-1", "s"}), HasSubstr("above 0"));
}

TEST(CommandLine, ExplainLevelsAreOrderedAndUnique) {
    CommandLine options = parse({"--explain", "llvm,parsing", "--explain=sql,llvm", "s"});
    EXPECT_EQ(options.explain, (std::vector{ExplainLevel::Parsing, ExplainLevel::Sql, ExplainLevel::Llvm}));
    EXPECT_TRUE(options.explains(ExplainLevel::Sql));
    EXPECT_FALSE(options.explains(ExplainLevel::Kernels));
    EXPECT_EQ(parse({"--explain=mlir_codegen", "s"}).explain, std::vector{ExplainLevel::Codegen});
}

TEST(CommandLine, EveryExplainLevelIsAccepted) {
    for (const ExplainRow &row : explainTable())
        EXPECT_EQ(parse({"--explain", std::string(row.name), "s"}).explain, std::vector{row.level}) << row.name;
    EXPECT_THAT(errorOf({"--explain=kernel", "s"}), HasSubstr("did you mean 'kernels'?"));
    EXPECT_THAT(errorOf({"--explain=", "s"}), HasSubstr("needs one of parsing"));
}

// ---- script arguments

TEST(ScriptArguments, FollowTheScriptOrComeFromArgs) {
    CommandLine options = parse({"--args", "a=1,b=2", "--args=c=3", "s", "d=x=y", "e="});
    EXPECT_EQ(options.scriptArgs,
              (std::map<std::string, std::string>{{"a", "1"}, {"b", "2"}, {"c", "3"}, {"d", "x=y"}, {"e", ""}}));
}

TEST(ScriptArguments, MayContainCommasAfterTheScript) { EXPECT_EQ(parse({"s", "a=1,2"}).scriptArgs.at("a"), "1,2"); }

TEST(ScriptArguments, GivenTwiceAreAnError) {
    EXPECT_EQ(errorOf({"s", "a=1", "a=2"}), "script argument 'a' is given twice");
    EXPECT_EQ(errorOf({"--args=a=1,a=1", "s"}), "script argument 'a' is given twice");
    EXPECT_EQ(errorOf({"--args=a=1", "s", "a=2"}), "script argument 'a' is given twice");
}

TEST(ScriptArguments, NeedANameAndAnEqualsSign) {
    EXPECT_THAT(errorOf({"s", "a"}), HasSubstr("script argument 'a' is not of the form name=value"));
    EXPECT_THAT(errorOf({"s", "=1"}), HasSubstr("not of the form"));
    EXPECT_THAT(errorOf({"--args=a", "s"}), HasSubstr("not of the form"));
}

TEST(ScriptArguments, EverythingAfterTheScriptIsOne) {
    EXPECT_EQ(parse({"s", "--num-threads=4"}).scriptArgs.at("--num-threads"), "4");
    EXPECT_THAT(errorOf({"s", "--timing"}), HasSubstr("options of daphne go before the script"));
    EXPECT_THAT(errorOf({"s", "--help"}), HasSubstr("not of the form"));
}

// ---- what is not there yet

TEST(Availability, AMissingEngineIsOneClearError) {
    for (const OptionRow &row : optionTable()) {
        if (row.availability != Availability::Missing || row.flag.empty())
            continue;
        std::string word = "--" + std::string(row.flag);
        if (row.kind == OptionKind::OneOf)
            word += "=" + std::string(row.allChoices()[1].name);
        else if (row.kind != OptionKind::Flag)
            word += "=1";
        EXPECT_THAT(errorOf({word, "s"}), HasSubstr("is not part of this version")) << word;
    }
}

TEST(Availability, AMissingEngineMayBeSwitchedOff) {
    EXPECT_EQ(errorOf({"--sched-select=none", "s"}), "");
    EXPECT_EQ(errorOf({"--inter-op=0", "s"}), "");
    EXPECT_THAT(errorOf({"--inter-op", "s"}), HasSubstr("not part of this version"));
}

TEST(Availability, MissingDevicesAreAWarning) {
    CommandLine options = parse({"--cuda", "--fpgaopencl", "s"});
    ASSERT_EQ(options.warnings.size(), 2u);
    EXPECT_THAT(options.warnings[0], HasSubstr("option --cuda: support for CUDA devices"));
    EXPECT_TRUE(parse({"--cuda=false", "s"}).warnings.empty());
}

TEST(Availability, TuningOptionsAreAcceptedSilently) {
    CommandLine options = parse({"--vec", "--codegen", "--matmul-tile", "--pin-workers", "--dist_backend=MPI", "s"});
    EXPECT_TRUE(options.warnings.empty());
}

TEST(Availability, OptionsWithoutEffectAreCheckedAndListedApart) {
    EXPECT_THAT(errorOf({"--matmul-unroll-factor=0", "s"}), HasSubstr("matmul-unroll-factor"));
    EXPECT_THAT(errorOf({"--cosched=never", "s"}), HasSubstr("cosched"));
    std::string help = helpText(parse({"s"}));
    size_t apart = help.find("Accepted for Compatibility, without Effect");
    ASSERT_NE(apart, std::string::npos);
    EXPECT_GT(help.find("--codegen"), apart);
    EXPECT_GT(help.find("--matmul-tile"), apart);
    EXPECT_LT(help.find("--select-matrix-repr"), apart);
    EXPECT_NE(help.find("Use GPUs also for small data. [no effect]"), std::string::npos);
}

TEST(Availability, CombinationsAreChecked) {
    EXPECT_EQ(errorOf({"--columnar", "--optimistic-splitting", "s"}), "");
    EXPECT_THAT(errorOf({"--optimistic-splitting", "s"}), HasSubstr("only together with --columnar"));
    EXPECT_THAT(errorOf({"--enable-property-recording", "--enable-property-insert", "s"}),
                HasSubstr("exclude each other"));
}

TEST(Distributed, ImpliesFusionAndEverythingIsFusedIfEverythingIsDistributed) {
    EXPECT_TRUE(parse({"--distributed", "--no-vec", "s"}).vec);
    EXPECT_FALSE(parse({"--distributed", "s"}).vecAlways);
    EXPECT_TRUE(parse({"--distributed", "--dist-threshold=0", "s"}).vecAlways);
    EXPECT_FALSE(parse({"--dist-threshold=0", "s"}).vecAlways);
    EXPECT_TRUE(parse({"--workers-local=2", "s"}).isDistributed());
    EXPECT_FALSE(parse({"s"}).isDistributed());
}

TEST(Distributed, SchedulingOptionsThatWereGivenGoToTheWorkers) {
    EXPECT_EQ(schedulingOptions(parse({"--partitioning=GSS", "--num-threads=3", "--timing", "s"})),
              (Words{"--partitioning=GSS", "--num-threads=3"}));
    EXPECT_TRUE(schedulingOptions(parse({"s"})).empty());
}

TEST(Distributed, AddressesAreCheckedAndLoopbackIsKnown) {
    EXPECT_TRUE(NetworkAddress::parse("localhost:50000", "x").isLoopback());
    EXPECT_TRUE(NetworkAddress::parse("127.0.0.1:1", "x").isLoopback());
    EXPECT_TRUE(NetworkAddress::parse(":1", "x").isLoopback());
    EXPECT_TRUE(NetworkAddress::parse("[::1]:1", "x").isLoopback());
    EXPECT_FALSE(NetworkAddress::parse("0.0.0.0:1", "x").isLoopback());
    EXPECT_FALSE(NetworkAddress::parse("node7:50000", "x").isLoopback());
    EXPECT_FALSE(NetworkAddress::parse("127.example.org:1", "x").isLoopback());
    EXPECT_TRUE(NetworkAddress::parse("[0:0:0:0:0:0:0:1]:1", "x").isLoopback());
    EXPECT_FALSE(NetworkAddress::parse("[::2]:1", "x").isLoopback());
    EXPECT_EQ(NetworkAddress::parse("[::1]:7", "x").text(), "[::1]:7");
    for (const char *bad : {"", "node", "node:", "node:x", "node:65536", "node:1x", "1:2:3"})
        EXPECT_THROW(NetworkAddress::parse(bad, "address"), Error) << bad;
}

TEST(Distributed, TheTokenFileMustBePrivate) {
    TemporaryFile file("secret\n");
    ::chmod(file.path.c_str(), 0644);
    EXPECT_THROW(tokenOf(parse({"--dist-token-file=" + file.path, "s"})), Error);
    ::chmod(file.path.c_str(), 0600);
    EXPECT_EQ(tokenOf(parse({"--dist-token-file=" + file.path, "s"})), "secret");
    EXPECT_THROW(tokenOf(parse({"--dist-token-file=/no/such/file", "s"})), Error);
}

TEST(Distributed, FilesOfTlsBelongTogether) {
    const dist::TransportRow &row = dist::transportNamed("sync-gRPC");
    EXPECT_FALSE(tlsOf(parse({"s"}), row).isGiven());
    EXPECT_THROW(tlsOf(parse({"--tls-ca=/some/file", "s"}), row), Error);
}

TEST(Distributed, TlsIsRefusedWhereWorkersListenAndNothingIsEncrypted) {
    TemporaryFile pem("some text\n");
    CommandLine options = parse({"--tls-ca=" + pem.path, "--tls-cert=" + pem.path, "--tls-key=" + pem.path, "s"});
    for (dist::TransportRow row : {dist::transportNamed("sync-gRPC"), dist::transportFor(dist::WorkersAre::Ranks)})
        EXPECT_TRUE(tlsOf(options, row).isGiven()) << row.name;
    dist::TransportRow plain;
    plain.name = plain.title = "plain";
    plain.workers = dist::WorkersAre::Listeners;
    EXPECT_THAT([&] { tlsOf(options, plain); },
                testing::Throws<Error>(testing::AllOf(
                    testing::Field(&Error::message, testing::HasSubstr("the plain transport does not encrypt")),
                    testing::Field(&Error::hint, testing::HasSubstr("--dist_backend=gRPC")))));
    EXPECT_THAT(hintToEncrypt(plain), testing::HasSubstr("--dist_backend=gRPC"));
    EXPECT_THAT(hintToEncrypt(dist::transportNamed("sync-gRPC")), testing::Not(testing::HasSubstr("--dist_backend")));
}

// ---- configuration file and environment

TEST(Precedence, TheCommandLineOverridesTheFileAndThatTheDefault) {
    TemporaryFile file(R"({"numberOfThreads": 7, "use_obj_ref_mgnt": false, "use_vectorized_exec": false})");
    CommandLine options = parse({"--config", file.path, "--vec", "s"});
    EXPECT_EQ(options.settings.integer("num-threads"), 7);
    EXPECT_EQ(options.settings.origin("num-threads"), Origin::File);
    EXPECT_FALSE(options.objRefMgnt);
    EXPECT_TRUE(options.vec);
    EXPECT_EQ(options.settings.origin("vec"), Origin::CommandLine);
    EXPECT_EQ(options.settings.origin("grain-size"), Origin::Default);
    EXPECT_EQ(parse({"--num-threads=2", "--config", file.path, "s"}).settings.integer("num-threads"), 2);
}

TEST(Precedence, ListsOfTheCommandLineReplaceThoseOfTheFile) {
    TemporaryFile file(R"({"explain_llvm": true, "explain_parsing": false})");
    EXPECT_EQ(parse({"--config", file.path, "s"}).explain, std::vector{ExplainLevel::Llvm});
    EXPECT_EQ(parse({"--config", file.path, "--explain=sql", "s"}).explain, std::vector{ExplainLevel::Sql});
}

TEST(Precedence, AFileThatDoesNotExistIsIgnored) { EXPECT_EQ(errorOf({"--config=/no/such/file.json", "s"}), ""); }

TEST(Precedence, ErrorsOfTheFileNameIt) {
    TemporaryFile file(R"({"numberOfThread": 7})");
    EXPECT_EQ(errorOf({"--config", file.path, "s"}),
              "configuration file '" + file.path + "': unknown key 'numberOfThread' | did you mean 'numberOfThreads'?");
}

TEST(Precedence, AMissingEngineInTheFileIsAnErrorToo) {
    for (const OptionRow &row : optionTable()) {
        if (row.availability != Availability::Missing || row.kind != OptionKind::Flag || row.configKey.empty())
            continue;
        std::string key(row.configKey);
        TemporaryFile file("{\"" + key + "\": true}");
        EXPECT_EQ(errorOf({"--config", file.path, "s"}),
                  "configuration key '" + key + "': " + std::string(row.engine) + " is not part of this version");
        EXPECT_EQ(errorOf({"--config", file.path, "--" + std::string(row.flag) + "=false", "s"}), "");
    }
}

TEST(Precedence, ColumnarExecutionIsSetByTheFileAndTheCommandLine) {
    TemporaryFile file(R"({"use_columnar": true, "use_optimistic_splitting": true})");
    CommandLine options = parse({"--config", file.path, "s"});
    EXPECT_TRUE(options.columnar && options.optimisticSplitting);
    EXPECT_THAT(errorOf({"--config", file.path, "--columnar=false", "s"}), HasSubstr("only together with --columnar"));
    EXPECT_FALSE(parse({"s"}).columnar);
}

TEST(Precedence, TheEnvironmentOverridesTheFile) {
    TemporaryFile file(R"({"distributed_workers": ["a:1"]})");
    Surroundings around = pipe();
    around.environment = [](const char *name) -> const char * {
        return std::string(name) == "DISTRIBUTED_WORKERS" ? "b:2,c:3" : nullptr;
    };
    CommandLine options = parseCommandLine({"--config", file.path, "s"}, around);
    EXPECT_EQ(options.settings.list("distributed_workers"), (Words{"b:2", "c:3"}));
    EXPECT_EQ(options.settings.origin("distributed_workers"), Origin::Environment);
}

TEST(Precedence, TheLibraryDirectoryMayNameTheExecutables) {
    EXPECT_EQ(parse({"s"}).libdir, "/opt/daphne/bin/../lib");
    EXPECT_EQ(parse({"--libdir=/x", "s"}).libdir, "/x");
    TemporaryFile file(R"({"libdir": "{exedir}/a:{exedir}/b"})");
    EXPECT_EQ(parse({"--config", file.path, "s"}).libdir, "/opt/daphne/bin/a:/opt/daphne/bin/b");
}

TEST(Precedence, FileOnlySettingsArrive) {
    TemporaryFile file(R"({"sparsity_threshold": 0.5, "daphnedsl_import_paths": {"default_dirs": ["lib"]},
                           "logging": [{"log-level-limit": "DEBUG"}]})");
    CommandLine options = parse({"--config", file.path, "s"});
    EXPECT_DOUBLE_EQ(options.sparsityThreshold, 0.5);
    EXPECT_EQ(options.importPaths.at("default_dirs"), Words{"lib"});
    EXPECT_EQ(options.logging.limit, LogLevel::Debug);
    EXPECT_DOUBLE_EQ(parse({"s"}).sparsityThreshold, 0.25);
}

// ---- texts

TEST(Texts, HelpNamesEveryOptionKeyAndVariable) {
    std::string help = helpText(parse({"--help"}));
    for (const OptionRow &row : optionTable()) {
        for (std::string_view name : {row.flag, row.negation, row.alias})
            EXPECT_TRUE(name.empty() || help.find("-" + std::string(name)) != help.npos) << name;
        EXPECT_TRUE(row.configKey.empty() || help.find("  " + std::string(row.configKey)) != help.npos)
            << row.configKey;
    }
    EXPECT_THAT(help, HasSubstr("Advanced Scheduling Knobs"));
    EXPECT_THAT(help, HasSubstr("DISTRIBUTED_WORKERS"));
    EXPECT_THAT(help, HasSubstr("(default)"));
}

TEST(Texts, HelpFitsATerminalAndHasNoTrailingBlanks) {
    std::string help = helpText(parse({"--help"}));
    for (size_t begin = 0; begin < help.size();) {
        size_t end = help.find('\n', begin);
        std::string line = help.substr(begin, end - begin);
        EXPECT_LE(line.size(), 110u) << line;
        EXPECT_FALSE(line.ends_with(' ')) << line;
        begin = end + 1;
    }
}

TEST(Texts, TheConfigurationListingSaysWhereValuesComeFrom) {
    TemporaryFile file(R"({"numberOfThreads": 7})");
    std::string listing = configText(parse({"--print-config", "--config", file.path, "--GSS"}));
    EXPECT_THAT(listing, ::testing::ContainsRegex("--num-threads +7 +file .*daphne-options-test.json\n"));
    EXPECT_THAT(listing, ::testing::ContainsRegex("--partitioning +GSS +command line\n"));
    EXPECT_THAT(listing, ::testing::ContainsRegex("--grain-size +1 +default\n"));
    EXPECT_THAT(listing, ::testing::ContainsRegex("use_obj_ref_mgnt +true +default\n"));
}

TEST(Texts, VersionIsOneLineUnlessVerbose) {
    EXPECT_THAT(versionText(false), ::testing::MatchesRegex("daphne [0-9]+\\.[0-9]+\\.[0-9]+\n"));
    EXPECT_THAT(versionText(true), HasSubstr("not part of this version"));
}

TEST(Texts, TheProcessKnowsItsDirectory) {
    EXPECT_TRUE(std::filesystem::is_directory(Surroundings::ofThisProcess().executableDirectory));
}

} // namespace
} // namespace daphne::driver
