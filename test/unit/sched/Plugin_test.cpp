// SPDX-License-Identifier: Apache-2.0
#include <atomic>
#include <numeric>

#include <dlfcn.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/Error.h"
#include "sched/Scheduler.h"
#include "sched/SchemeCatalog.h"

namespace daphne::sched {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;

std::string plugin(const std::string &name) { return DAPHNE_TEST_PLUGINS "/" + name + ".so"; }

std::vector<uint64_t> sizes(const Scheme &scheme, const Loop &loop) {
    std::vector<uint64_t> all;
    ChunkSequence chunks(scheme, loop);
    while (uint64_t size = chunks.next())
        all.push_back(size);
    return all;
}

/// The message and hint of the error that loading these gives, one after the other.
std::string errorOf(const std::vector<std::string> &plugins) {
    SchemeCatalog catalog;
    try {
        for (const std::string &p : plugins)
            catalog.loadPlugin(p);
        return "";
    } catch (const Error &e) {
        EXPECT_EQ(e.stage, Stage::Parse);
        return e.message + " | " + e.hint;
    }
}

TEST(Plugin, TheExampleIsASchemeLikeAnyOther) {
    SchemeCatalog catalog;
    catalog.loadPlugin(DAPHNE_EXAMPLE_PLUGIN);
    const Scheme *taper = catalog.find("taper");
    ASSERT_NE(taper, nullptr);
    EXPECT_EQ(catalog.added(), std::vector<const Scheme *>{taper});
    EXPECT_EQ(taper->name, "TAPER");
    EXPECT_THAT(std::string(taper->doc), HasSubstr("of what remains"));
    std::vector<uint64_t> s = sizes(*taper, {.total = 1000, .workers = 4});
    EXPECT_EQ(s[0], 1000u / 8 + 1);
    EXPECT_EQ(s[1], 874u / 8 + 1);
    EXPECT_EQ(std::accumulate(s.begin(), s.end(), uint64_t(0)), 1000u);
}

TEST(Plugin, ItsArgumentsArrive) {
    SchemeCatalog catalog;
    catalog.loadPlugin(DAPHNE_EXAMPLE_PLUGIN ":5");
    EXPECT_EQ(sizes(*catalog.find("TAPER"), {.total = 1000, .workers = 4})[0], 1000u / 20 + 1);
}

TEST(Plugin, TheGrainHoldsForItToo) {
    SchemeCatalog catalog;
    catalog.loadPlugin(DAPHNE_EXAMPLE_PLUGIN);
    std::vector<uint64_t> s = sizes(*catalog.find("TAPER"), {.total = 1000, .workers = 4, .grain = 300});
    EXPECT_EQ(s, (std::vector<uint64_t>{300, 300, 300, 100}));
}

TEST(Plugin, GarbageStillCoversEveryRowOnceAndIsCounted) {
    auto catalog = std::make_shared<SchemeCatalog>();
    catalog->loadPlugin(plugin("garbage"));
    EXPECT_EQ(catalog->added().size(), 2u);
    for (const Scheme *scheme : catalog->added())
        for (Layout layout : {Layout::Centralized, Layout::PerCpu})
            for (bool prePartition : {false, true}) {
                Settings settings{.threads = {.numThreads = 4}, .debug = DebugLevel::On, .schemes = catalog};
                settings.plan = {.scheme = scheme, .layout = layout, .prePartition = prePartition};
                std::string log;
                Scheduler scheduler(settings, [&](std::string_view text) { log += text; });
                std::vector<std::atomic<int>> visits(1000);
                scheduler.run({.site = "x", .rows = 1000}, [&](Range rows, uint32_t) {
                    for (uint64_t r = rows.begin; r < rows.end; ++r)
                        ++visits[r];
                });
                for (const auto &count : visits)
                    ASSERT_EQ(count, 1);
                EXPECT_THAT(log, HasSubstr(scheme->name == "NOTHING" ? " faults=1000\n" : " faults="));
            }
}

TEST(Plugin, AdaptiveSchemesLearnOfEveryTask) {
    auto catalog = std::make_shared<SchemeCatalog>();
    catalog->loadPlugin(plugin("adaptive") + ":3");
    Settings settings{.threads = {.numThreads = 3}, .debug = DebugLevel::Chunks, .schemes = catalog};
    settings.plan.scheme = catalog->find("GROW");
    std::string log;
    Scheduler scheduler(settings, [&](std::string_view text) { log += text; });
    for (int i = 0; i < 20; ++i) {
        std::vector<std::atomic<int>> visits(1000);
        std::vector<std::vector<uint64_t>> perWorker(3);
        scheduler.run({.site = "x", .rows = 1000}, [&](Range rows, uint32_t worker) {
            perWorker[worker].push_back(rows.size());
            for (uint64_t r = rows.begin; r < rows.end; ++r)
                ++visits[r];
        });
        for (const auto &count : visits)
            ASSERT_EQ(count, 1);
        size_t last = 0; // the last task of the loop may be shorter
        for (const auto &own : perWorker)
            for (size_t k = 0; k < own.size(); ++k)
                last += own[k] != 3 + k;
        EXPECT_LE(last, 1u);
    }
    EXPECT_THROW(
        scheduler.run({.site = "x", .rows = 1000}, [](Range, uint32_t) { throw std::runtime_error("in a task"); }),
        std::runtime_error);
    void *library = dlopen(plugin("adaptive").c_str(), RTLD_NOW | RTLD_NOLOAD);
    ASSERT_NE(library, nullptr);
    EXPECT_EQ(*static_cast<int64_t *>(dlsym(library, "daphne_test_states")), 0) << "every state is destroyed";
}

TEST(Plugin, WhatCannotBeUsedIsRefusedWithTheReason) {
    EXPECT_THAT(errorOf({"/no/such/lib.so"}), HasSubstr("'/no/such/lib.so' cannot be loaded: "));
    EXPECT_THAT(errorOf({"libnosuch.so"}), HasSubstr("did you mean './libnosuch.so'?"));
    EXPECT_THAT(errorOf({""}), HasSubstr("needs the path"));
    EXPECT_THAT(errorOf({":args"}), HasSubstr("needs the path"));
    EXPECT_THAT(errorOf({plugin("nosymbol")}), HasSubstr("no function daphne_register_partitioners"));
    EXPECT_THAT(errorOf({plugin("oldabi")}), HasSubstr("version 2 of the plug-in interface, this is version 1"));
    EXPECT_THAT(errorOf({plugin("clash")}), HasSubstr("scheme gss has the name of a built-in one"));
    EXPECT_THAT(errorOf({plugin("badname")}), HasSubstr("'A B'"));
    EXPECT_THAT(errorOf({plugin("badkind")}), HasSubstr("unknown kind 3"));
    EXPECT_THAT(errorOf({plugin("notask")}), HasSubstr("no function get_task"));
    EXPECT_THAT(errorOf({plugin("failing")}), HasSubstr("failed with 5"));
    EXPECT_THAT(errorOf({DAPHNE_EXAMPLE_PLUGIN, DAPHNE_EXAMPLE_PLUGIN}), HasSubstr("another scheme TAPER already"));
}

TEST(SchemeCatalog, HasBuiltInSchemesAndTheFormulaOfTheUser) {
    SchemeCatalog catalog;
    EXPECT_EQ(catalog.find("gss"), findScheme("GSS"));
    EXPECT_EQ(catalog.find("EXPR"), nullptr);
    catalog.setExpression("ceil(R / P)");
    ASSERT_NE(catalog.find("EXPR"), nullptr);
    Loop loop{.total = 1000, .workers = 4};
    EXPECT_EQ(sizes(*catalog.find("EXPR"), loop), sizes(*findScheme("GSS"), loop));
    EXPECT_THROW(catalog.setExpression("ceil("), Error);
}

} // namespace
} // namespace daphne::sched
