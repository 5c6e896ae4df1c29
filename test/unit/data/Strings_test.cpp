// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <set>

#include "data/Value.h"

namespace daphne {
namespace {

Ref<Dense> columnOf(const std::vector<std::string> &texts) {
    auto m = Dense::create(ValueType::Str, texts.size(), 1);
    std::copy(texts.begin(), texts.end(), m->mutableView<std::string>().data);
    return m;
}

Ref<Dense> codedColumn(const std::vector<std::string> &texts) {
    auto dictionary = std::make_shared<Dictionary>();
    Buffer *codes = Buffer::create(ValueType::UI32, texts.size(), Buffer::Init::None);
    for (size_t i = 0; i < texts.size(); ++i)
        reinterpret_cast<uint32_t *>(codes->data())[i] = dictionary->insert(texts[i]);
    return Dense::coded(dictionary, codes, texts.size());
}

TEST(Dictionary, KnowsStringsOfEveryLengthByAllTheirBytes) {
    Dictionary d;
    std::set<uint32_t> codes;
    size_t inserted = 0;
    for (size_t n = 0; n <= 40; ++n) {
        std::string text(n, 'x');
        codes.insert(d.insert(text));
        ++inserted;
        for (size_t i = 0; i < n; ++i, ++inserted) {
            text[i] = 'y';
            uint32_t code = d.insert(text);
            codes.insert(code);
            EXPECT_EQ(d.insert(std::string(text)), code);
            EXPECT_EQ(d.find(text), code);
            EXPECT_EQ(d[code], text);
            text[i] = 'x';
        }
    }
    EXPECT_EQ(codes.size(), inserted);
}

TEST(Dictionary, NumbersStringsInTheOrderOfFirstAppearance) {
    Dictionary d;
    EXPECT_EQ(d.insert("b"), 0u);
    EXPECT_EQ(d.insert("a"), 1u);
    EXPECT_EQ(d.insert("b"), 0u);
    EXPECT_EQ(d.insert(""), 2u);
    EXPECT_EQ(d.size(), 3u);
    EXPECT_EQ(d[1], "a");
    EXPECT_EQ(d.find("a"), 1u);
    EXPECT_EQ(d.find("c"), Dictionary::kNone);
    EXPECT_EQ(d.ranks(), (std::vector<uint32_t>{2, 1, 0}));
}

TEST(Dictionary, KeepsManyAndLongStrings) {
    Dictionary d;
    std::string longText(100000, 'x');
    for (uint32_t i = 0; i < 5000; ++i)
        ASSERT_EQ(d.insert("text number " + std::to_string(i)), i);
    ASSERT_EQ(d.insert(longText), 5000u);
    for (uint32_t i = 0; i < 5000; ++i)
        ASSERT_EQ(d.find("text number " + std::to_string(i)), i);
    EXPECT_EQ(d[5000], longText);
}

TEST(CodedStrings, HaveCells) {
    auto m = codedColumn({"x", "yy", "x"});
    EXPECT_TRUE(m->isCoded());
    auto cells = m->view<std::string>();
    EXPECT_EQ(cells(0, 0), "x");
    EXPECT_EQ(cells(1, 0), "yy");
    EXPECT_EQ(cells(2, 0), "x");
    EXPECT_TRUE(m->isCoded()) << "reading changes nothing";
}

TEST(CodedStrings, AWindowSeesItsRowsOnly) {
    auto m = codedColumn({"a", "b", "c", "b"});
    auto window = Dense::window(*m, 1, 3, 0, 1);
    EXPECT_TRUE(window->isCoded());
    EXPECT_EQ(window->view<std::string>()(1, 0), "c");
    EXPECT_EQ(window->codes().view(0, 0), m->codes().view(3, 0));
}

TEST(CodedStrings, BecomeCellsWhenTheyAreWritten) {
    auto m = codedColumn({"a", "b"});
    m->mutableView<std::string>()(0, 0) = "new";
    EXPECT_FALSE(m->isCoded());
    EXPECT_EQ(m->view<std::string>()(0, 0), "new");
    EXPECT_EQ(m->view<std::string>()(1, 0), "b");
    EXPECT_EQ((*m->codes().dictionary)[m->codes().view(0, 0)], "new");
}

TEST(CodedStrings, CellsHaveCodesUntilTheyAreWritten) {
    auto m = columnOf({"a", "b", "a"});
    auto codes = m->codes();
    EXPECT_EQ(codes.dictionary->size(), 2u);
    EXPECT_EQ(codes.view(2, 0), codes.view(0, 0));
    m->mutableView<std::string>()(2, 0) = "z";
    EXPECT_EQ((*m->codes().dictionary)[m->codes().view(2, 0)], "z");
}

TEST(CodedStrings, ACopyIsIndependent) {
    auto m = codedColumn({"a", "b"});
    auto copy = m->copy();
    copy->mutableView<std::string>()(0, 0) = "c";
    EXPECT_EQ(m->view<std::string>()(0, 0), "a");
}

} // namespace
} // namespace daphne
