// SPDX-License-Identifier: Apache-2.0
#include "engine/interactive/Completion.h"

#include <filesystem>
#include <fstream>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <unistd.h>

namespace daphne::engine {
namespace {

using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::Not;

std::map<std::string, Value> variables() {
    auto f = Ref<Frame>::make(size_t(1));
    f->addColumn("price", Dense::create(ValueType::F64, 1, 1));
    f->addColumn("place", Dense::create(ValueType::F64, 1, 1));
    f->addColumn("x", Dense::create(ValueType::F64, 1, 1));
    return {{"alpha", Value::scalar(1.0)}, {"F", Value(f)}, {"whole", Value::scalar(2.0)}};
}

std::vector<std::string> candidates(const std::string &text) {
    auto known = variables();
    std::vector<std::string> texts;
    for (Candidate &candidate : completionsAt(text, text.size(), {known, {"alphabet"}}).candidates)
        texts.push_back(std::move(candidate.text));
    return texts;
}

TEST(Completion, OffersVariablesFunctionsBuiltinsAndWords) {
    EXPECT_THAT(candidates("y = alp"), ElementsAre("alpha", "alphabet"));
    EXPECT_THAT(candidates("x = readM"), ElementsAre("readMatrix"));
    EXPECT_THAT(candidates("wh"), Contains("while"));
    EXPECT_THAT(candidates("wh"), Contains("whole"));
    EXPECT_EQ(completionsAt("y = alp", 7, {variables(), {}}).begin, 4u);
}

TEST(Completion, TellsWhatCandidatesAreAndVariablesHideBuiltins) {
    std::map<std::string, Value> known{{"sum", Value::scalar(1.0)}, {"whit", Value::scalar(1.0)}};
    std::map<std::string, std::string> kinds;
    for (const char *text : {"s", "wh"})
        for (const Candidate &c : completionsAt(text, std::string(text).size(), {known, {"seqs"}}).candidates)
            kinds[c.text] = c.kind;
    EXPECT_EQ(kinds["sum"], "variable");
    EXPECT_EQ(kinds["seqs"], "function");
    EXPECT_EQ(kinds["seq"], "builtin");
    EXPECT_EQ(kinds["while"], "word");
}

TEST(Completion, OffersNothingWithoutAWord) {
    for (const char *text : {"", "x = ", "12", "# alp", "/* alp", "zzz"})
        EXPECT_THAT(candidates(text), IsEmpty()) << text;
}

TEST(Completion, OffersColumnsInTheIndexOfAFrame) {
    EXPECT_THAT(candidates("F[, \"p"), ElementsAre("place", "price"));
    EXPECT_THAT(candidates("print(F[[1], \"pr"), ElementsAre("price"));
    EXPECT_THAT(candidates("alpha[, \"p"), Not(Contains("price")));
}

TEST(Completion, OffersFilesInOtherStrings) {
    std::string directory = testing::TempDir() + "daphne-completion-" + std::to_string(getpid());
    std::filesystem::create_directories(directory + "/data");
    for (const char *name : {"/day.csv", "/.hidden", "/night.csv"})
        std::ofstream(directory + name) << "1\n";
    EXPECT_THAT(candidates("readMatrix(\"" + directory + "/da"),
                ElementsAre(directory + "/data/", directory + "/day.csv"));
    EXPECT_THAT(candidates("readMatrix(\"" + directory + "/"),
                ElementsAre(directory + "/data/", directory + "/day.csv", directory + "/night.csv"));
    EXPECT_THAT(candidates("readMatrix(\"/no/such/place/x"), IsEmpty());
    std::string inHome = "readMatrix(\"~/ni";
    EXPECT_EQ(completionsAt(inHome, inHome.size(), {{}, {}, directory}).candidates.at(0).text, "~/night.csv");
    std::filesystem::remove_all(directory);
}

} // namespace
} // namespace daphne::engine
