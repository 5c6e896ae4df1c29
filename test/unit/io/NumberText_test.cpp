// SPDX-License-Identifier: Apache-2.0
/// Numbers in texts, read with and without vectors; the C library is the oracle.
#include <bit>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <random>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "io/text/NumberText.h"

namespace daphne::test {
namespace {

/// A text whose end is the end of its memory: the address sanitizer sees who reads on.
class ExactText {
  public:
    explicit ExactText(std::string_view text) : size(text.size()), chars(std::make_unique<char[]>(size)) {
        text.copy(chars.get(), size);
    }
    const char *begin() const { return chars.get(); }
    const char *end() const { return chars.get() + size; }

  private:
    size_t size;
    std::unique_ptr<char[]> chars;
};

/// Both ways of reading digits.
class NumberText : public testing::TestWithParam<bool> {
  protected:
    void SetUp() override { allowWideVectors(GetParam()); }
    void TearDown() override { allowWideVectors(true); }
};
INSTANTIATE_TEST_SUITE_P(, NumberText, testing::Bool(),
                         [](auto &way) { return way.param ? "SixteenDigits" : "EightDigits"; });

/// Reads the number at the start of the text, at the end of memory and in front of more text.
void expectAsTheCLibrary(const std::string &text) {
    double theirs = std::strtod(text.c_str(), nullptr);
    for (const char *behind : {"", ",", ",1234567890123456789012345678901234567890"}) {
        ExactText exact(text + behind);
        double ours = 0;
        const char *end = io::scanDouble(exact.begin(), exact.end(), ours);
        if (!end) { // out of range
            bool isZero = text.substr(0, text.find('e')).find_first_of("123456789") == text.npos;
            ASSERT_TRUE(std::isinf(theirs) || (theirs == 0 && !isZero)) << text;
            continue;
        }
        ASSERT_EQ(end - exact.begin(), static_cast<ptrdiff_t>(text.size())) << text << behind;
        ASSERT_EQ(std::bit_cast<uint64_t>(ours), std::bit_cast<uint64_t>(theirs)) << text << behind;
    }
}

TEST_P(NumberText, AreReadExactly) {
    std::mt19937_64 random(3);
    for (int i = 0; i < 100000; ++i) {
        double x = std::bit_cast<double>(random());
        if (!std::isfinite(x))
            continue;
        char text[400];
        const char *forms[] = {"%.17g", "%.6f", "%.0f", "%.19e", "%g", "%.16g", "%.18e"};
        if (i % 2)
            x = static_cast<double>(random() >> (random() % 60)) /
                static_cast<double>(1 + (random() >> (random() % 60)));
        std::snprintf(text, sizeof text, forms[i % std::size(forms)], x);
        expectAsTheCLibrary(text);
    }
}

TEST_P(NumberText, OfEveryLengthAreReadExactly) {
    std::mt19937_64 random(4);
    auto digits = [&](size_t n) {
        std::string s;
        while (s.size() < n)
            s += static_cast<char>('0' + random() % 10);
        return s;
    };
    for (size_t before = 0; before <= 26; ++before)
        for (size_t behind = 0; behind <= 40; ++behind)
            if (before + behind > 0)
                expectAsTheCLibrary((random() % 2 ? "-" : "") + digits(before) + (behind > 0 ? "." : "") +
                                    digits(behind));
}

TEST_P(NumberText, WithEveryExponentAreReadExactly) {
    std::mt19937_64 random(5);
    for (int exponent = -345; exponent <= 310; ++exponent)
        for (uint64_t mantissa : {uint64_t(1), uint64_t(5), random() >> 40, random() >> 10, random() >> 1})
            expectAsTheCLibrary(std::to_string(mantissa) + "e" + std::to_string(exponent));
}

TEST_P(NumberText, OfZerosAreZero) {
    for (std::string text : {"0", "-0", "-0.0", "0e999999", "0e-999999", "00000000000000000000000000000000"})
        expectAsTheCLibrary(text);
    expectAsTheCLibrary("0." + std::string(30, '0'));
    expectAsTheCLibrary("0." + std::string(30, '0') + "e30");
}

TEST_P(NumberText, ExponentsCountAsAWhole) {
    std::string zeros(100000, '0');
    expectAsTheCLibrary("0." + zeros + "1e100001");
    expectAsTheCLibrary("0." + zeros + "1e1000000");
    expectAsTheCLibrary("1" + zeros + "e-100000");
    expectAsTheCLibrary("1" + zeros + "e-99999999999999999999999");
    expectAsTheCLibrary("1e99999999999999999999999");
}

TEST_P(NumberText, BetweenTwoDoublesRoundToEven) {
    std::mt19937_64 random(6);
    for (int i = 0; i < 20000; ++i) {
        // An odd multiple of half a unit in the last place, as an integer and shifted to the right by some places.
        uint64_t halves = (uint64_t(1) << 53 | random() >> 11) | 1;
        expectAsTheCLibrary(std::to_string(halves));
        std::string text = std::to_string(halves);
        for (int k = 0; k < 3; ++k) { // times 5 over 10
            halves = halves % 2 && halves < UINT64_MAX / 5 ? halves * 5 : halves;
            text = std::to_string(halves);
            expectAsTheCLibrary(text.substr(0, text.size() - 1) + "." + text.substr(text.size() - 1));
        }
    }
}

TEST_P(NumberText, AreNotReadWhereThereAreNone) {
    for (const char *text : {"", "-", ".", "-.", "e5", "+1", "x", " 1", "-e1", ",", "\n", ".e1"}) {
        ExactText exact(text);
        double value;
        EXPECT_EQ(io::scanDouble(exact.begin(), exact.end(), value), nullptr) << text;
    }
}

TEST_P(NumberText, EndBeforeWhatIsNoExponent) {
    for (auto [text, length] : std::initializer_list<std::pair<const char *, int>>{
             {"1e", 1}, {"1e+", 1}, {"1.5e-x", 3}, {"2.5E+3x", 6}, {"7.", 2}, {".5", 2}, {"0x1p3", 1}}) {
        ExactText exact(text);
        double value;
        const char *end = io::scanDouble(exact.begin(), exact.end(), value);
        ASSERT_NE(end, nullptr) << text;
        EXPECT_EQ(end - exact.begin(), length) << text;
    }
}

struct Row {
    size_t read;
    ptrdiff_t at;
    std::vector<double> cells;
};

Row readRow(std::string_view text, size_t count) {
    ExactText exact(text);
    Row row{0, 0, std::vector<double>(count, -1)};
    const char *p = exact.begin();
    row.read = io::scanDoubles(p, exact.end(), ';', row.cells.data(), count);
    row.at = p - exact.begin();
    return row;
}

TEST_P(NumberText, OfARowAreReadAtOnce) {
    for (const char *end : {"", "\n", "\r\n", "\r", ";", "\n5;6"}) {
        Row row = readRow(std::string("1;-2.5;0.1234567890123456") + end, 3);
        EXPECT_EQ(row.read, 3u) << end;
        EXPECT_EQ(row.at, 25) << end;
        EXPECT_EQ(row.cells, (std::vector<double>{1, -2.5, 0.1234567890123456})) << end;
    }
}

TEST_P(NumberText, OfARowAreReadUpToTheFirstOtherField) {
    // The field that is another stays as it is, whatever it begins with.
    for (const char *field : {"", "x", "1x", "nan", " 3", "3 ", "\"3\"", "1e999", "3\r4", "3,4", "+3"}) {
        Row row = readRow(std::string("1;2;") + field + ";4\n", 4);
        EXPECT_EQ(row.read, 2u) << field;
        EXPECT_EQ(row.at, 4) << field;
        EXPECT_EQ(row.cells, (std::vector<double>{1, 2, -1, -1})) << field;
    }
}

TEST_P(NumberText, OfAShortRowStopAtItsLastField) {
    for (const char *end : {"", "\n", "\r\n"}) {
        Row row = readRow(std::string("1;2") + end, 3);
        EXPECT_EQ(row.read, 1u);
        EXPECT_EQ(row.at, 2);
    }
}

TEST_P(NumberText, OfARowMayBeFloats) {
    ExactText text("1.1;16777219.5");
    float cells[2];
    const char *p = text.begin();
    ASSERT_EQ(io::scanDoubles(p, text.end(), ';', cells, 2), 2u);
    EXPECT_EQ(cells[0], 1.1F);
    EXPECT_EQ(cells[1], 16777220.0F);
    // What may have been rounded twice, is too large or subnormal is left to others.
    for (const char *other : {"16777217", "1e39", "1e-40"}) {
        ExactText rest(other);
        p = rest.begin();
        EXPECT_EQ(io::scanDoubles(p, rest.end(), ';', cells, 1), 0u) << other;
    }
}

} // namespace
} // namespace daphne::test
