// SPDX-License-Identifier: Apache-2.0
#include "engine/interactive/Display.h"

#include <gtest/gtest.h>

#include "data/Csr.h"
#include "data/Sequence.h"

namespace daphne::engine {
namespace {

template <class T> Ref<Dense> matrix(size_t rows, size_t cols, const std::vector<T> &cells) {
    auto m = Dense::create(valueTypeOf<T>(), rows, cols);
    std::copy(cells.begin(), cells.end(), m->template mutableView<T>().data);
    return m;
}

Ref<Dense> counted(size_t rows, size_t cols) {
    std::vector<int64_t> cells(rows * cols);
    for (size_t i = 0; i < cells.size(); ++i)
        cells[i] = static_cast<int64_t>(i);
    return matrix<int64_t>(rows, cols, cells);
}

TEST(Display, ScalarsAreShortestAndStringsQuoted) {
    EXPECT_EQ(displayText(Value::scalar(0.1), 80), "0.1\n");
    EXPECT_EQ(displayText(Value::scalar(1.0 / 3), 80), "0.3333333333333333\n");
    EXPECT_EQ(displayText(Value::scalar(1.0f / 3), 80), "0.33333334\n");
    EXPECT_EQ(displayText(Value::scalar(3.0), 80), "3\n");
    EXPECT_EQ(displayText(Value::scalar(1e15), 80), "1000000000000000\n");
    EXPECT_EQ(displayText(Value::scalar(1e16), 80), "1e+16\n");
    EXPECT_EQ(displayText(Value::scalar(1e-6), 80), "1e-06\n");
    EXPECT_EQ(displayText(Value::scalar(std::numeric_limits<double>::quiet_NaN()), 80), "nan\n");
    EXPECT_EQ(displayText(Value::scalar(int64_t(-7)), 80), "-7\n");
    EXPECT_EQ(displayText(Value::scalar(true), 80), "true\n");
    EXPECT_EQ(displayText(Value::string("a\"b\n"), 80), "\"a\\\"b\\n\"\n");
}

TEST(Display, NumbersAreAlignedRightAndTextsLeft) {
    EXPECT_EQ(displayText(Value(matrix<double>(2, 2, {1.5, -20, 0.25, 3})), 80), "2x2 matrix, f64\n"
                                                                                 "   1.5  -20\n"
                                                                                 "  0.25    3\n");
    EXPECT_EQ(displayText(Value(matrix<std::string>(2, 2, {"a", "bb", "ccc", "d"})), 80), "2x2 matrix, str\n"
                                                                                          "  a    bb\n"
                                                                                          "  ccc  d\n");
}

TEST(Display, OfManyRowsBothEndsAreShown) {
    EXPECT_EQ(displayText(Value(counted(10, 1)), 80).find("more"), std::string::npos);
    EXPECT_EQ(displayText(Value(counted(13, 1)), 80), "13x1 matrix, si64\n"
                                                      "   0\n   1\n   2\n   3\n   4\n"
                                                      "  ⋮ 3 more rows\n"
                                                      "   8\n   9\n  10\n  11\n  12\n");
}

TEST(Display, OfManyColumnsBothSidesAreShown) {
    // Indent 2, columns 1 wide: 0 from the left, 8 from the right, 1, 7, ...
    EXPECT_EQ(displayText(Value(counted(1, 9)), 15), "1x9 matrix, si64\n"
                                                     "  0  1  …  7  8\n");
    EXPECT_EQ(displayText(Value(counted(1, 9)), 18), "1x9 matrix, si64\n"
                                                     "  0  1  2  …  7  8\n");
    EXPECT_EQ(displayText(Value(counted(1, 5)), 15), "1x5 matrix, si64\n"
                                                     "  0  1  2  3  4\n");
    EXPECT_EQ(displayText(Value(counted(1, 9)), 1), "1x9 matrix, si64\n"
                                                    "  0  …\n");
}

TEST(Display, LongCellsAreCutAndControlCharactersEscaped) {
    std::string fits(32, 'x'), tooLong(33, 'x');
    EXPECT_EQ(displayText(Value(matrix<std::string>(2, 1, {fits, tooLong})), 80),
              "2x1 matrix, str\n  " + fits + "\n  " + std::string(31, 'x') + "…\n");
    EXPECT_EQ(displayText(Value(matrix<std::string>(1, 1, {"a\nb"})), 80), "1x1 matrix, str\n  a\\nb\n");
}

TEST(Display, SparseMatricesTellTheirShare) {
    auto m = matrix<double>(2, 4, {0, 1.5, 0, 0, 0, 0, 0, 0});
    EXPECT_EQ(displayText(Value(toCsr(*m)), 80), "2x4 matrix, f64, 12% non-zero\n"
                                                 "  0  1.5  0  0\n"
                                                 "  0    0  0  0\n");
}

TEST(Display, FramesHaveLabelsAndTypes) {
    auto f = Ref<Frame>::make(size_t(2));
    f->addColumn("name", matrix<std::string>(2, 1, {"ann", "bo"}));
    f->addColumn("x", matrix<double>(2, 1, {1.5, 10}));
    EXPECT_EQ(displayText(Value(f), 80), "2x2 frame\n"
                                         "  name    x\n"
                                         "  str   f64\n"
                                         "  ann   1.5\n"
                                         "  bo     10\n");
}

TEST(Display, ListsHaveALinePerElement) {
    auto l = Ref<Sequence>::make();
    l->elements = {matrix<double>(1, 1, {1}), Value::string("a"), makeList(Ref<Sequence>::make())};
    EXPECT_EQ(displayText(makeList(l), 80), "list of 3\n"
                                            "  1x1 matrix, f64\n"
                                            "  \"a\"\n"
                                            "  list of 0\n");
    auto f = Ref<Sequence>::make();
    f->elements = {Value::string("function(x)"), Value::scalar(int64_t(0))};
    EXPECT_EQ(displayText(makeFunction(f), 80), "function(x)\n");
}

TEST(Display, EmptyValuesHaveTheirFirstLineOnly) {
    EXPECT_EQ(displayText(Value(Dense::create(ValueType::F64, 0, 3)), 80), "0x3 matrix, f64\n");
    EXPECT_EQ(displayText(Value(Dense::create(ValueType::F64, 3, 0)), 80), "3x0 matrix, f64\n");
}

} // namespace
} // namespace daphne::engine
