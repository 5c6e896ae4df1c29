// SPDX-License-Identifier: Apache-2.0
#include "driver/options/CommandLine.h"
#include "driver/options/SchedulingEnvironment.h"
#include "engine/SchedulerSettings.h"

#include <filesystem>
#include <fstream>
#include <map>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/Error.h"
#include "sched/FurtherSchemes.h"

namespace daphne::driver {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;
using Words = std::vector<std::string>;

CommandLine parse(Words words) {
    words.push_back("s.daph");
    return parseCommandLine(words, {.executableDirectory = "/opt/daphne/bin"});
}
sched::Settings settingsOf(Words words) { return schedulerSettings(parse(std::move(words))); }

std::string errorOf(Words words) {
    try {
        parse(std::move(words));
        return "";
    } catch (const Error &e) {
        EXPECT_EQ(e.stage, Stage::Parse);
        return e.message + (e.hint.empty() ? "" : " | " + e.hint);
    }
}

std::string helpOf(const Words &words) {
    return helpText(parseCommandLine(words, {.executableDirectory = "/opt/daphne/bin"}));
}

class ConfigFile {
  public:
    explicit ConfigFile(const std::string &text) : path(testing::TempDir() + "daphne-scheduler-settings.json") {
        std::ofstream(path) << text;
    }
    ~ConfigFile() { std::filesystem::remove(path); }
    std::string path;
};

const std::string kExample = DAPHNE_EXAMPLE_PLUGIN;
std::string plugin(const std::string &name) { return DAPHNE_TEST_PLUGINS "/" + name + ".so"; }

TEST(SchedulerSettings, Defaults) {
    sched::Settings s = settingsOf({});
    EXPECT_FALSE(s.schemeGiven());
    EXPECT_EQ(s.grain, 1u);
    EXPECT_FALSE(s.cacheSizedGrain);
    EXPECT_EQ(s.batchBytes, 98304u);
    EXPECT_EQ(s.plan.layout, sched::Layout::Centralized);
    EXPECT_EQ(s.plan.victim, sched::Victim::Seq);
    EXPECT_FALSE(s.plan.prePartition);
    EXPECT_EQ(s.plan.seed, 1u);
    EXPECT_EQ(s.plan.params.fissStages, 0u);
    EXPECT_EQ(s.plan.params.vissX, 4u);
    EXPECT_EQ(s.plan.params.plsSwr, 0.5);
    EXPECT_EQ(s.partitionBy, sched::PartitionBy::NotGiven);
    EXPECT_LE(s.threads.numThreads, 0);
    EXPECT_FALSE(s.threads.hyperthreading);
    EXPECT_EQ(s.pinning, sched::Pinning::Off);
    EXPECT_EQ(s.debug, sched::DebugLevel::Off);
    EXPECT_FALSE(s.statistics);
}

TEST(SchedulerSettings, TheEnvironmentNamesAMachineAndLimitsThreads) {
    std::map<std::string, std::string> variables = {{"DAPHNE_FAKE_TOPOLOGY", "2x4x2"}};
    auto settings = [&] {
        sched::Settings s = schedulerSettings(parse({}));
        applyEnvironment(s, [&](const char *name) -> const char * {
            auto found = variables.find(name);
            return found == variables.end() ? nullptr : found->second.c_str();
        });
        return s;
    };
    ASSERT_TRUE(settings().machine);
    EXPECT_EQ(settings().machine->cpus.size(), 16u);
    EXPECT_EQ(settings().threads.most, 0u);
    variables["SLURM_CPUS_ON_NODE"] = "6";
    EXPECT_EQ(settings().threads.most, 6u);
    variables["SLURM_CPUS_PER_TASK"] = "2";
    EXPECT_EQ(settings().threads.most, 2u);
    variables["SLURM_CPUS_PER_TASK"] = "8";
    EXPECT_EQ(settings().threads.most, 6u);
    variables["SLURM_CPUS_ON_NODE"] = "-6";
    EXPECT_EQ(settings().threads.most, 8u);
    variables["DAPHNE_FAKE_TOPOLOGY"] = "2y4";
    try {
        settings();
        ADD_FAILURE() << "no error";
    } catch (const Error &e) {
        EXPECT_EQ(e.stage, Stage::Parse);
        EXPECT_THAT(e.message, AllOf(HasSubstr("DAPHNE_FAKE_TOPOLOGY"), HasSubstr("2y4")));
    }
}

TEST(SchedulerSettings, EveryBuiltInSchemeCanBeNamed) {
    for (const sched::Scheme &scheme : sched::schemes()) {
        EXPECT_EQ(settingsOf({"--partitioning", std::string(scheme.name)}).plan.scheme, &scheme);
        EXPECT_EQ(settingsOf({"--" + std::string(scheme.name)}).plan.scheme, &scheme);
    }
}

TEST(SchedulerSettings, FurtherSchemesCanBeNamedUnlessTheyNeedAProfileOrWeights) {
    for (const sched::Scheme &scheme : sched::furtherSchemes()) {
        std::string option = "--partitioning=" + std::string(scheme.name);
        if (scheme.needsInput) {
            EXPECT_THAT(errorOf({option}), HasSubstr(std::string(scheme.name)));
        } else {
            EXPECT_EQ(settingsOf({option}).plan.scheme, &scheme);
        }
    }
}

TEST(SchedulerSettings, EveryOptionArrives) {
    sched::Settings s =
        settingsOf({"--queue_layout=PERGROUP", "--victim_selection=RNDPRI", "--pre-partition", "--sched-seed=9",
                    "--fiss-stages=3", "--viss-x=5", "--pls-swr=0.25", "--grain-size=16", "--phy-batch-size=4096",
                    "--num-threads=5", "--hyperthreading", "--pin-workers", "--pin-strategy=scatter",
                    "--partition-by=cost", "--debug-mt", "--statistics"});
    EXPECT_EQ(s.plan.layout, sched::Layout::PerGroup);
    EXPECT_EQ(s.plan.victim, sched::Victim::RandomPri);
    EXPECT_TRUE(s.plan.prePartition);
    EXPECT_EQ(s.plan.seed, 9u);
    EXPECT_EQ(s.plan.params.fissStages, 3u);
    EXPECT_EQ(s.plan.params.vissX, 5u);
    EXPECT_EQ(s.plan.params.plsSwr, 0.25);
    EXPECT_EQ(s.grain, 16u);
    EXPECT_EQ(s.batchBytes, 4096u);
    EXPECT_EQ(s.threads.numThreads, 5);
    EXPECT_TRUE(s.threads.hyperthreading);
    EXPECT_EQ(s.pinning, sched::Pinning::Scatter);
    EXPECT_EQ(s.partitionBy, sched::PartitionBy::Cost);
    EXPECT_EQ(s.debug, sched::DebugLevel::On);
    EXPECT_TRUE(s.statistics);
}

TEST(SchedulerSettings, SizesMayBeThoseOfTheCacheAndNothingIsOne) {
    sched::Settings s = settingsOf({"--grain-size=auto", "--phy-batch-size=auto", "--fiss-stages=auto"});
    EXPECT_TRUE(s.cacheSizedGrain);
    EXPECT_EQ(s.batchBytes, 0u);
    EXPECT_EQ(s.plan.params.fissStages, 0u);
    EXPECT_EQ(settingsOf({"--grain-size=-3"}).grain, 1u);
    EXPECT_EQ(settingsOf({"--pin-strategy=numa"}).pinning, sched::Pinning::Off) << "needs --pin-workers";
}

TEST(SchedulerSettings, DebuggingMayListChunks) {
    EXPECT_EQ(settingsOf({"--debug-mt=chunks"}).debug, sched::DebugLevel::Chunks);
    EXPECT_EQ(settingsOf({"--debug-mt=false", "--debug-mt"}).debug, sched::DebugLevel::On);
    EXPECT_EQ(settingsOf({"--debug-mt", "--debug-mt=0"}).debug, sched::DebugLevel::Off);
    EXPECT_THAT(errorOf({"--debug-mt=tasks"}), HasSubstr("one of true, false, 1, 0, chunks, got 'tasks'"));
}

TEST(SchedulerSettings, TheFileSetsThemAndTheCommandLineOverridesIt) {
    ConfigFile file(R"({"taskPartitioningScheme": "AUTO", "queueSetupScheme": "PERCPU", "victimSelection": "SEQPRI",
        "numberOfThreads": 3, "minimumTaskSize": 4, "phyBatchSize": 1000, "prePartitionRows": true,
        "pinWorkers": true, "pinStrategy": "numa", "hyperthreadingEnabled": true, "debugMultiThreading": "chunks",
        "fissStages": 7, "vissX": 8, "plsSwr": 0.75, "partitionBy": "nnz", "schedSeed": 11})");
    sched::Settings s = settingsOf({"--config", file.path});
    EXPECT_EQ(s.plan.scheme, sched::findScheme("AUTO"));
    EXPECT_EQ(s.plan.layout, sched::Layout::PerCpu);
    EXPECT_EQ(s.plan.victim, sched::Victim::SeqPri);
    EXPECT_EQ(s.threads.numThreads, 3);
    EXPECT_EQ(s.pinning, sched::Pinning::Numa);
    EXPECT_EQ(s.debug, sched::DebugLevel::Chunks);
    EXPECT_EQ(s.plan.params.plsSwr, 0.75);
    s = settingsOf({"--config", file.path, "--partitioning=TSS", "--num-threads=2", "--pin-workers=false"});
    EXPECT_EQ(s.plan.scheme, sched::findScheme("TSS"));
    EXPECT_EQ(s.threads.numThreads, 2);
    EXPECT_EQ(s.pinning, sched::Pinning::Off);
    EXPECT_EQ(s.plan.layout, sched::Layout::PerCpu);
}

TEST(SchedulerSettings, MistakesNameTheAllowedValues) {
    EXPECT_THAT(errorOf({"--partitioning=GSX"}),
                HasSubstr("needs one of STATIC, SS, GSS, TSS, FAC2, TFSS, FISS, VISS, PLS, MSTATIC, MFSC, PSS, AUTO, "
                          "AWF_B, AWF_C, AWF_D, AWF_E, AF, MAF, RAND, STEAL, EXPR, got 'GSX'"));
    EXPECT_THAT(errorOf({"--queue_layout=PERCORE"}), HasSubstr("CENTRALIZED, PERGROUP, PERCPU"));
    EXPECT_THAT(errorOf({"--victim_selection=LAST"}), HasSubstr("SEQ, SEQPRI, RANDOM, RANDOMPRI"));
    EXPECT_THAT(errorOf({"--partition-by=columns"}), HasSubstr("rows, nnz, cost, auto"));
    EXPECT_THAT(errorOf({"--pin-strategy=x"}), HasSubstr("rr, compact, scatter, numa"));
    EXPECT_THAT(errorOf({"--pls-swr=0"}), HasSubstr("a number above 0"));
    EXPECT_THAT(errorOf({"--pls-swr=1.5"}), HasSubstr("at most 1"));
    EXPECT_EQ(errorOf({"--pls-swr=1"}), "");
    EXPECT_THAT(errorOf({"--viss-x=0"}), HasSubstr("at least 1"));
    EXPECT_THAT(errorOf({"--fiss-stages=0"}), HasSubstr("at least 1"));
    EXPECT_THAT(errorOf({"--phy-batch-size=0"}), HasSubstr("at least 1"));
    EXPECT_THAT(errorOf({"--num-threads=1000000"}), HasSubstr("at most 65536"));
    EXPECT_THAT(errorOf({"--partitioning=GSX", "--partitioning=GSS"}), HasSubstr("got 'GSX'"));
}

// ---- formulas

TEST(SchedulerSettings, AFormulaIsAScheme) {
    CommandLine options = parse({"--part-expr=ceil(R/(3*P))", "--partitioning=expr"});
    sched::Settings s = schedulerSettings(options);
    ASSERT_NE(s.plan.scheme, nullptr);
    sched::ChunkSequence chunks(*s.plan.scheme, {.total = 1200, .workers = 4});
    EXPECT_EQ(chunks.next(), 100u);
    ConfigFile file(R"({"partExpr": "R", "taskPartitioningScheme": "EXPR"})");
    EXPECT_EQ(errorOf({"--config", file.path}), "");
    EXPECT_EQ(errorOf({"--config", file.path, "--partitioning=GSS"}), "") << "a formula of the file may be unused";
}

TEST(SchedulerSettings, FormulasAreChecked) {
    EXPECT_THAT(errorOf({"--partitioning=EXPR"}), HasSubstr("needs a formula | for example --part-expr="));
    EXPECT_THAT(errorOf({"--part-expr=R"}), HasSubstr("only together with --partitioning=EXPR"));
    EXPECT_THAT(errorOf({"--partitioning=EXPR", "--part-expr=ceil(R/P"}),
                HasSubstr("expected ')' at character 9\n  ceil(R/P\n          ^"));
}

// ---- plug-ins

TEST(SchedulerPlugins, TheirNamesAreValuesWhereverTheyStand) {
    for (const Words &words : {Words{"--sched-plugin", kExample, "--partitioning=TAPER"},
                               Words{"--partitioning=taper", "--sched-plugin=" + kExample + ":3"}}) {
        sched::Settings s = settingsOf(words);
        ASSERT_NE(s.plan.scheme, nullptr);
        EXPECT_EQ(s.plan.scheme->name, "TAPER");
    }
    EXPECT_EQ(parse({"--sched-plugin", kExample, "--partitioning=taper"}).settings.text("partitioning"), "TAPER");
    EXPECT_THAT(errorOf({"--partitioning=TAPER"}), HasSubstr("got 'TAPER'"));
    EXPECT_THAT(errorOf({"--sched-plugin", kExample, "--partitioning=NOSUCH"}), HasSubstr("EXPR, TAPER, got 'NOSUCH'"));
    EXPECT_THAT(errorOf({"--sched-plugin", kExample, "--dist-partitioning=TAPER"}), HasSubstr("got 'TAPER'"));
}

TEST(SchedulerPlugins, MayComeFromTheFile) {
    ConfigFile file("{\"schedPlugins\": [\"" + kExample + "\"], \"taskPartitioningScheme\": \"TAPER\"}");
    EXPECT_EQ(settingsOf({"--config", file.path}).plan.scheme->name, "TAPER");
    EXPECT_EQ(settingsOf({"--config", file.path, "--partitioning=GSS"}).plan.scheme->name, "GSS");
    EXPECT_THAT(errorOf({"--config", file.path, "--sched-plugin", plugin("garbage")}), HasSubstr("got 'TAPER'"))
        << "lists of the command line replace those of the file";
}

TEST(SchedulerPlugins, SeveralMayBeLoaded) {
    sched::Settings s = settingsOf({"--sched-plugin=" + kExample + "," + plugin("garbage"), "--partitioning=ANYTHING"});
    EXPECT_EQ(s.plan.scheme->name, "ANYTHING");
}

TEST(SchedulerPlugins, WhatCannotBeLoadedIsOneClearError) {
    EXPECT_THAT(errorOf({"--sched-plugin=/no/such.so"}), HasSubstr("'/no/such.so' cannot be loaded"));
    EXPECT_THAT(errorOf({"--sched-plugin", plugin("oldabi")}), HasSubstr("version 2 of the plug-in interface"));
    EXPECT_THAT(errorOf({"--sched-plugin", plugin("nosymbol")}), HasSubstr("daphne_register_partitioners"));
    EXPECT_THAT(errorOf({"--sched-plugin", plugin("clash")}), HasSubstr("name of a built-in one"));
}

TEST(SchedulerPlugins, AppearInTheHelp) {
    std::string without = helpOf({"--help"});
    for (const sched::Scheme &scheme : sched::schemes())
        EXPECT_THAT(without, HasSubstr("\n      " + std::string(scheme.name) + " "));
    EXPECT_THAT(without, AllOf(HasSubstr("cache-sized blocks of rows"), HasSubstr("EXPR"), Not(HasSubstr("TAPER"))));
    ConfigFile file("{\"schedPlugins\": [\"" + kExample + "\"]}");
    for (const Words &words :
         {Words{"--sched-plugin", kExample, "--help"}, Words{"--help", "--sched-plugin=" + kExample},
          Words{"--help", "--no-such-option", "--sched-plugin", kExample}, Words{"--help", "--config", file.path}})
        EXPECT_THAT(helpOf(words), HasSubstr("\n      TAPER             a 1/(k P)-th of what remains"));
}

} // namespace
} // namespace daphne::driver
