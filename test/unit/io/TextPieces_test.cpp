// SPDX-License-Identifier: Apache-2.0
#include "io/text/TextPieces.h"

#include <random>

#include <gtest/gtest.h>

namespace daphne::io {
namespace {

/// Character by character.
TextFacts slowFactsOf(std::string_view text, char quote) {
    TextFacts facts;
    for (size_t i = 0; i < text.size(); ++i) {
        facts.numLineEnds += text[i] == '\n';
        facts.isPlain &= text[i] > 0;
        facts.hasQuotes |= quote != 0 && text[i] == quote;
        bool follows = (i >= 1 && text[i - 1] == '\n') || (i >= 2 && text[i - 2] == '\n');
        facts.hasShortLines |= text[i] == '\n' && follows;
    }
    return facts;
}

TEST(TextPieces, FactsOfATextAreThoseOfItsCharacters) {
    std::mt19937 random(1);
    auto below = [&](uint32_t n) { return random() % n; };
    for (int n = 0; n < 3000; ++n) {
        std::string text(below(4) == 0 ? below(6) : below(1500), '1');
        // Rare ones, so that there are texts with none, one and many of them, at every place.
        uint32_t rarity = 1 + below(2000);
        for (char &c : text)
            if (below(rarity) == 0)
                c = std::string_view("\n\n\n\r,\"\x7f\x80\xff\0", 10)[below(10)];
        char quote = below(3) == 0 ? '\0' : '"';
        TextFacts fast = factsOf(text, quote), slow = slowFactsOf(text, quote);
        ASSERT_EQ(fast.numLineEnds, slow.numLineEnds) << n;
        ASSERT_EQ(fast.isPlain, slow.isPlain) << n;
        ASSERT_EQ(fast.hasQuotes, slow.hasQuotes) << n;
        ASSERT_EQ(fast.hasShortLines, slow.hasShortLines) << n;
    }
    std::string lines(2000, '\n'); // as many as a counter must hold
    EXPECT_EQ(factsOf(lines, '"').numLineEnds, 2000u);
}

} // namespace
} // namespace daphne::io
