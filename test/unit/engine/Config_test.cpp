// SPDX-License-Identifier: Apache-2.0
#include "engine/Config.h"

#include <filesystem>
#include <fstream>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/Error.h"
#include "engine/ExplainLevels.h"
#include "engine/OptionTable.h"

namespace daphne::engine {
namespace {

using ::testing::HasSubstr;
using ::testing::StartsWith;
using Words = std::vector<std::string>;

/// Values under a key, named like in the option table.
Words valuesOf(const std::string &json, std::string_view key) {
    for (auto &entry : parseConfiguration(json, "c.json").entries)
        if (entry.row == optionIndex(key))
            return entry.values;
    ADD_FAILURE() << "no entry for " << key;
    return {};
}

std::string errorOf(const std::string &json) {
    try {
        parseConfiguration(json, "c.json");
        return "";
    } catch (const Error &e) {
        EXPECT_EQ(e.stage, Stage::Parse);
        EXPECT_THAT(e.message, StartsWith("configuration file 'c.json': "));
        return e.message + (e.hint.empty() ? "" : " | " + e.hint);
    }
}

std::vector<OptionRow> rowsWithKey() {
    std::vector<OptionRow> rows;
    for (const OptionRow &row : optionTable())
        if (!row.configKey.empty())
            rows.push_back(row);
    return rows;
}

/// A value of the type a row wants.
std::string validValue(const OptionRow &row) {
    switch (row.kind) {
    case OptionKind::Flag: return "false";
    case OptionKind::Integer:
    case OptionKind::IntegerOrAuto: return "1000";
    case OptionKind::Number: return "0.5";
    case OptionKind::IntegerList: return "[1, 2]";
    case OptionKind::NumberList: return "[0.5, 2]";
    case OptionKind::TextList: return R"(["a"])";
    case OptionKind::OneOf: return '"' + std::string(row.allChoices().back().name) + '"';
    case OptionKind::FlagOrOneOf: return "true";
    case OptionKind::Text: return R"("text")";
    default: return row.configKey == "logging" ? "[]" : "{}";
    }
}

TEST(Config, AnEmptyObjectSetsNothing) {
    EXPECT_TRUE(parseConfiguration("{}", "c.json").entries.empty());
    EXPECT_TRUE(parseConfiguration(" \n{ }\n", "c.json").entries.empty());
}

TEST(Config, EveryKeyOfTheTableIsAccepted) {
    for (const OptionRow &row : rowsWithKey())
        EXPECT_EQ(errorOf("{\"" + std::string(row.configKey) + "\": " + validValue(row) + "}"), "") << row.configKey;
    for (const ExplainRow &row : explainTable())
        EXPECT_EQ(errorOf("{\"" + std::string(row.configKey) + "\": true}"), "") << row.configKey;
}

TEST(Config, EveryKeyRejectsAValueOfAnotherType) {
    for (const OptionRow &row : rowsWithKey())
        for (std::string wrong : {"null", R"([{"x": []}])"})
            EXPECT_THAT(errorOf("{\"" + std::string(row.configKey) + "\": " + wrong + "}"),
                        HasSubstr("'" + std::string(row.configKey) + "'"))
                << row.configKey << " " << wrong;
    for (const ExplainRow &row : explainTable())
        EXPECT_THAT(errorOf("{\"" + std::string(row.configKey) + "\": 1}"), HasSubstr("needs true or false"))
            << row.name;
}

TEST(Config, AnUnknownKeyIsNamedWithTheNearest) {
    EXPECT_EQ(errorOf(R"({"use_vectorised_exec": true})"),
              "configuration file 'c.json': unknown key 'use_vectorised_exec' | did you mean 'use_vectorized_exec'?");
    EXPECT_THAT(errorOf(R"({"explain_kernel": true})"), HasSubstr("did you mean 'explain_kernels'?"));
    EXPECT_THAT(errorOf(R"({"": true})"), HasSubstr("unknown key ''"));
}

TEST(Config, FlagNamesOfTheCommandLineAreNoKeys) {
    EXPECT_THAT(errorOf(R"({"num-threads": 3})"), HasSubstr("unknown key 'num-threads'"));
}

TEST(Config, FlagsNeedTrueOrFalse) {
    EXPECT_EQ(valuesOf(R"({"use_cuda": true})", "use_cuda"), Words{"true"});
    EXPECT_EQ(errorOf(R"({"use_cuda": 1})"),
              "configuration file 'c.json': key 'use_cuda' needs true or false, got number 1");
    EXPECT_THAT(errorOf(R"({"use_cuda": "true"})"), HasSubstr("got string \"true\""));
}

TEST(Config, IntegersNeedIntegers) {
    EXPECT_EQ(valuesOf(R"({"numberOfThreads": -1})", "numberOfThreads"), Words{"-1"});
    EXPECT_THAT(errorOf(R"({"numberOfThreads": 4.0})"), HasSubstr("needs an integer, got number 4.0"));
    EXPECT_THAT(errorOf(R"({"numberOfThreads": true})"), HasSubstr("needs an integer, got boolean true"));
    EXPECT_THAT(errorOf(R"({"numberOfThreads": 18446744073709551615})"), HasSubstr("at most 64 bits"));
    EXPECT_THAT(errorOf(R"({"matmul_unroll_factor": 0})"), HasSubstr("at least 1"));
    EXPECT_EQ(valuesOf(R"({"minimumTaskSize": "auto"})", "minimumTaskSize"), Words{"auto"});
    EXPECT_THAT(errorOf(R"({"minimumTaskSize": "some"})"), HasSubstr("needs an integer or auto"));
}

TEST(Config, NumbersMayBeIntegers) {
    EXPECT_EQ(valuesOf(R"({"sparsity_threshold": 1})", "sparsity_threshold"), Words{"1"});
    EXPECT_EQ(valuesOf(R"({"sparsity_threshold": 1e-7})", "sparsity_threshold"), Words{"1e-07"});
    EXPECT_THAT(errorOf(R"({"sparsity_threshold": "0.5"})"), HasSubstr("needs a number, got string"));
    EXPECT_THAT(errorOf(R"({"sparsity_threshold": -0.5})"), HasSubstr("at least 0"));
}

TEST(Config, EnumerationsNeedAKnownName) {
    EXPECT_EQ(valuesOf(R"({"taskPartitioningScheme": "AUTO"})", "partitioning"), Words{"AUTO"});
    EXPECT_EQ(valuesOf(R"({"victimSelection": "seqpri"})", "victimSelection"), Words{"SEQPRI"});
    EXPECT_THAT(errorOf(R"({"taskPartitioningScheme": "GSX"})"), HasSubstr("needs one of STATIC, SS, GSS"));
    EXPECT_THAT(errorOf(R"({"taskPartitioningScheme": 2})"), HasSubstr("the name of a choice"));
}

TEST(Config, SomeFlagsMayHaveANameInstead) {
    EXPECT_EQ(valuesOf(R"({"debugMultiThreading": true})", "debug-mt"), Words{"true"});
    EXPECT_EQ(valuesOf(R"({"debugMultiThreading": "chunks"})", "debug-mt"), Words{"chunks"});
    EXPECT_THAT(errorOf(R"({"debugMultiThreading": "lots"})"), HasSubstr("chunks"));
    EXPECT_THAT(errorOf(R"({"debugMultiThreading": 1})"), HasSubstr("true, false or the name of a choice"));
}

TEST(Config, PluginsAreLoadedBeforeOtherKeysAreRead) {
    static const Choice kAdded[] = {{"MINE", "from a plug-in"}};
    Words named;
    auto loader = [&](const Words &plugins) {
        named = plugins;
        return std::span<const Choice>(kAdded);
    };
    std::string text = R"({"aaa_is_no_key": 1, "schedPlugins": ["./lib.so:x"], "taskPartitioningScheme": "mine"})";
    EXPECT_THROW(parseConfiguration(text, "c.json", loader), Error);
    EXPECT_EQ(named, Words{"./lib.so:x"});
    text = R"({"schedPlugins": ["./lib.so:x"], "taskPartitioningScheme": "mine"})";
    EXPECT_EQ(parseConfiguration(text, "c.json", loader).entries.size(), 2u);
    EXPECT_THAT(errorOf(text), HasSubstr("needs one of STATIC"));
    EXPECT_THAT(errorOf(R"({"schedPlugins": "./lib.so"})"), HasSubstr("a list of strings"));
}

TEST(Config, SwitchesMayBeBooleans) {
    EXPECT_EQ(valuesOf(R"({"distSteal": true})", "distSteal"), Words{"on"});
    EXPECT_EQ(valuesOf(R"({"distSteal": "off"})", "distSteal"), Words{"off"});
    EXPECT_THAT(errorOf(R"({"cosched": true})"), HasSubstr("the name of a choice"));
}

TEST(Config, ListsAreCheckedElementByElement) {
    EXPECT_EQ(valuesOf(R"({"matmul_fixed_tile_sizes": [4, 8]})", "matmul_fixed_tile_sizes"), (Words{"4", "8"}));
    EXPECT_EQ(valuesOf(R"({"cuda_devices": []})", "cuda_devices"), Words{});
    EXPECT_THAT(errorOf(R"({"matmul_fixed_tile_sizes": [4, "8"]})"), HasSubstr("needs a list of integers"));
    EXPECT_THAT(errorOf(R"({"matmul_fixed_tile_sizes": 4})"), HasSubstr("needs a list of integers, got number 4"));
    EXPECT_THAT(errorOf(R"({"matmul_fixed_tile_sizes": [0]})"), HasSubstr("at least 1"));
}

TEST(Config, StringsMayBeEmpty) { EXPECT_EQ(valuesOf(R"({"hdfsAddress": ""})", "hdfsAddress"), Words{""}); }

TEST(Config, ExplainKeysMakeOneList) {
    EXPECT_EQ(valuesOf(R"({"explain_llvm": true, "explain_sql": true, "explain_parsing": false})", "explain"),
              (Words{"llvm", "sql"}));
    EXPECT_EQ(valuesOf(R"({"explain_mlir_codegen": true})", "explain"), Words{"codegen"});
}

TEST(Config, ImportPathsMapNamesToDirectories) {
    Configuration c =
        parseConfiguration(R"({"daphnedsl_import_paths": {"default_dirs": ["a", "b"], "algs": []}})", "c");
    EXPECT_EQ(c.importPaths, (ImportPaths{{"algs", {}}, {"default_dirs", {"a", "b"}}}));
    for (const char *wrong : {"[]", "\"a\"", R"({"x": "a"})", R"({"x": [1]})"})
        EXPECT_THAT(errorOf(R"({"daphnedsl_import_paths": )" + std::string(wrong) + "}"),
                    HasSubstr("needs an object of name -> list of directories"))
            << wrong;
}

TEST(Config, LoggingEntriesAreLimitsOrFiles) {
    Configuration c = parseConfiguration(R"({"logging": [{"log-level-limit": "WARN"},
        {"name": "default", "filename": "x.txt", "level": "trace", "format": "%v", "comment": "hi"}]})",
                                         "c");
    EXPECT_EQ(c.logging.limit, LogLevel::Warn);
    ASSERT_EQ(c.logging.entries.size(), 1u);
    EXPECT_EQ(c.logging.entries[0].name, "default");
    EXPECT_EQ(c.logging.entries[0].filename, "x.txt");
    EXPECT_EQ(c.logging.entries[0].level, LogLevel::Trace);
    EXPECT_EQ(c.logging.entries[0].format, "%v");
    EXPECT_FALSE(std::filesystem::exists("x.txt"));
    EXPECT_EQ(LogSettings{}.limit, LogLevel::Error);
}

TEST(Config, LoggingEntriesAreChecked) {
    EXPECT_THAT(errorOf(R"({"logging": {}})"), HasSubstr("needs a list of objects"));
    EXPECT_THAT(errorOf(R"({"logging": ["x"]})"), HasSubstr("needs a list of objects"));
    EXPECT_THAT(errorOf(R"({"logging": [{"log-level-limit": "LOUD"}]})"), HasSubstr("needs one of TRACE, DEBUG"));
    EXPECT_THAT(errorOf(R"({"logging": [{"log-level-limit": 3}]})"), HasSubstr("a string as 'log-level-limit'"));
    EXPECT_THAT(errorOf(R"({"logging": [{"name": "x"}]})"), HasSubstr("needs the field 'filename'"));
    EXPECT_THAT(errorOf(R"({"logging": [{"log-level-limit": "OFF", "nam": "x"}]})"), HasSubstr("unknown field 'nam'"));
}

TEST(Config, EmptyTextIsNoJson) {
    EXPECT_THAT(errorOf(""), HasSubstr("the file is empty"));
    EXPECT_THAT(errorOf(" \n\t"), HasSubstr("the file is empty"));
}

TEST(Config, InvalidJsonIsLocated) {
    EXPECT_THAT(errorOf("{\n  \"use_cuda\": true,\n}"), HasSubstr("invalid JSON at line 3, column 1: "));
    EXPECT_THAT(errorOf("{\"use_cuda\": tru}"), HasSubstr("line 1, column "));
    EXPECT_THAT(errorOf("{"), HasSubstr("invalid JSON at line 1, column 2: "));
    EXPECT_THAT(errorOf("{} x"), HasSubstr("invalid JSON at line 1, column 4"));
    EXPECT_THAT(errorOf("\xff\xfe"), HasSubstr("invalid JSON"));
    EXPECT_THAT(errorOf("{\"sparsity_threshold\": 1e999}"), HasSubstr("invalid JSON"));
}

TEST(Config, TheTopMustBeAnObject) {
    EXPECT_THAT(errorOf("[]"), HasSubstr("needs a JSON object at the top, got array []"));
    EXPECT_THAT(errorOf("3"), HasSubstr("got number 3"));
}

TEST(Config, LongValuesAreShortenedInMessages) {
    EXPECT_THAT(errorOf("{\"use_cuda\": \"" + std::string(1000, 'x') + "\"}"), ::testing::EndsWith("x..."));
}

TEST(Config, AFileThatDoesNotExistIsNoConfiguration) {
    EXPECT_FALSE(loadConfiguration("/no/such/dir/c.json").has_value());
    EXPECT_FALSE(loadConfiguration("/dev/null/c.json").has_value());
}

TEST(Config, AnExistingFileIsRead) {
    std::string path = testing::TempDir() + "daphne-config-test.json";
    std::ofstream(path) << R"({"use_cuda": true})";
    auto configuration = loadConfiguration(path);
    std::filesystem::remove(path);
    ASSERT_TRUE(configuration.has_value());
    EXPECT_EQ(configuration->entries.size(), 1u);
}

TEST(Config, ADirectoryCannotBeRead) { EXPECT_THROW(loadConfiguration(testing::TempDir()), Error); }

} // namespace
} // namespace daphne::engine
