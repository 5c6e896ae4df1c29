// SPDX-License-Identifier: Apache-2.0
/// Inference and kernels must agree on random operands: what inference rejects
/// fails when run, what it promises (type, shape, that nothing can go wrong) holds.
#include <cmath>
#include <random>

#include "data/Sequence.h"
#include "kernels/Run.h"
#include "ops/Registry.h"

namespace daphne::test {
namespace {

using ops::Arg, ops::Constant, ops::Kind, ops::OpInfo, ops::TypeDesc;

class RandomValues {
  public:
    explicit RandomValues(uint32_t seed) : gen(seed) {}

    size_t below(size_t n) { return std::uniform_int_distribution<size_t>(0, n - 1)(gen); }

    /// Rounds in which all values have one type reach the kernels more often.
    void newRound() { common = below(3) == 0 ? ValueType::Unknown : anyType(); }
    ValueType type() { return common == ValueType::Unknown || below(10) == 0 ? anyType() : common; }
    ValueType anyType() {
        constexpr ValueType kFrequent[] = {ValueType::F64, ValueType::SI64, ValueType::F64, ValueType::SI64};
        return below(2) ? kFrequent[below(4)] : static_cast<ValueType>(below(kNumValueTypes));
    }
    /// Often small and valid as a size, position or flag; sometimes not.
    double plainNumber() {
        constexpr double kOdd[] = {-1, -3, 0.5, 100, NAN, INFINITY};
        return below(6) ? static_cast<double>(below(4)) : kOdd[below(6)];
    }
    /// x as a T; never a huge integer, which would be a valid size of a result that fills the memory.
    template <class T> static T plain(double x) {
        if constexpr (!std::is_floating_point_v<T>)
            return static_cast<T>(std::isfinite(x) && (x >= 0 || std::is_signed_v<T>) ? x : 2);
        else
            return static_cast<T>(x);
    }
    Value scalar() {
        ValueType t = type();
        if (t == ValueType::Str)
            return Value::string(below(2) ? "a" : "col_0");
        return withNumericType(t, [&]<class T>(TypeTag<T>) { return Value::scalar(plain<T>(plainNumber()), t); });
    }
    Ref<Dense> dense(ValueType t, size_t rows, size_t cols) {
        auto m = Dense::create(t, rows, cols);
        withValueType(t, [&]<class T>(TypeTag<T>) {
            T *out = m->template mutableView<T>().data;
            for (size_t i = 0; i < rows * cols; ++i) {
                if constexpr (std::is_same_v<T, std::string>)
                    out[i] = std::string(1, static_cast<char>('a' + below(3)));
                else
                    out[i] = plain<T>(below(20) ? double(below(4)) : plainNumber());
            }
        });
        return m;
    }
    Value matrix() {
        constexpr size_t kSizes[] = {1, 2, 2, 2, 3, 0, 1};
        return dense(type(), kSizes[below(7)], kSizes[below(7)]);
    }
    Value frame() {
        size_t rows = below(4);
        auto f = Ref<Frame>::make(rows);
        for (size_t c = 0, n = 1 + below(3); c < n; ++c)
            f->addColumn(below(2) ? "col_" + std::to_string(c) : std::string(1, static_cast<char>('a' + c)),
                         dense(type(), rows, 1));
        return f;
    }
    Value list() {
        auto l = Ref<Sequence>::make();
        l->emptied = type();
        for (size_t n = below(3); l->elements.size() < n;)
            l->elements.push_back(dense(l->emptied, below(3), below(3)));
        return makeList(std::move(l));
    }
    Value any() {
        switch (below(12)) {
        case 0: return frame();
        case 1: return list();
        case 2:
        case 3:
        case 4:
        case 5: return scalar();
        default: return matrix();
        }
    }

    /// Operand k of a call by a pattern of kinds: m matrix, s number, t string, f frame, l list, x matrix or frame, 1
    /// mostly the number 1, v mostly a 1x1 matrix; its last letter repeats. Now and then something else.
    Value like(const std::string &pattern, size_t k) {
        if (below(25) == 0)
            return any();
        switch (pattern[std::min(k, pattern.size() - 1)]) {
        case 'm': return matrix();
        case 's': return Value::scalar(static_cast<int64_t>(below(4)) - (below(5) == 0));
        case 't': return Value::string(std::string(1, static_cast<char>('a' + below(6))));
        case 'f': return frame();
        case 'l': return list();
        case 'x': return below(2) ? frame() : matrix();
        case '1': return below(8) ? Value::scalar(int64_t(1)) : like("s", 0);
        case 'v': return below(8) ? Value(dense(type(), 1, 1)) : matrix();
        default: return scalar();
        }
    }

  private:
    std::mt19937 gen;
    ValueType common = ValueType::Unknown;
};

TypeDesc typeOf(const Value &v) {
    switch (v.kind()) {
    case ValueKind::Scalar: return TypeDesc::scalar(v.scalarType());
    case ValueKind::Matrix:
        return TypeDesc::matrix(v.dense().type(), int64_t(v.dense().rows()), int64_t(v.dense().cols()));
    case ValueKind::List: return TypeDesc::list(v.valueType());
    default: break;
    }
    auto schema = std::make_shared<ops::FrameSchema>();
    schema->labels = v.frame().labels;
    for (auto &c : v.frame().columns)
        schema->types.push_back(c->type());
    return TypeDesc::frame(schema, int64_t(v.frame().rows()), int64_t(v.frame().cols()));
}

Constant constantOf(const Value &v) {
    Constant c{.type = v.scalarType(), .i = 0, .d = 0, .s = {}};
    if (v.isString())
        c.s = v.text();
    else if (isFloat(c.type))
        c.d = v.as<double>();
    else
        c.i = static_cast<int64_t>(v.raw().bits);
    return c;
}

/// What is promised is a fact of the value.
bool holds(const TypeDesc &promise, const Value &v) {
    TypeDesc fact = typeOf(v);
    if (promise.isUnknown())
        return true;
    if (promise.kind != fact.kind || (promise.rows >= 0 && promise.rows != fact.rows) ||
        (promise.cols >= 0 && promise.cols != fact.cols))
        return false;
    if (!promise.isFrame())
        return promise.valueType == ValueType::Unknown || promise.valueType == fact.valueType;
    if (!promise.schema)
        return true;
    return promise.schema->types == fact.schema->types &&
           (promise.schema->labels.empty() || promise.schema->labels == fact.schema->labels);
}

struct Outcome {
    std::string rejection, failure; ///< of inference and of the kernel
    bool mayFail = true;
    bool inferred = false, ran = false;
    std::vector<TypeDesc> promised;
    std::vector<Value> results;
};

enum class Knowledge { Full, NoConstants, Nothing };

Outcome tryOut(const OpInfo &op, const std::vector<Value> &values, Knowledge knowledge) {
    std::vector<Arg> args;
    for (const Value &v : values) {
        Arg a{knowledge == Knowledge::Nothing ? TypeDesc::unknown() : typeOf(v), {}};
        if (v.isScalar() && knowledge == Knowledge::Full)
            a.constant = constantOf(v);
        args.push_back(std::move(a));
    }
    Outcome o;
    try {
        o.promised = op.infer({op, args, {}});
        o.mayFail = op.mayFail && op.mayFail({op, args, {}});
        o.inferred = true;
    } catch (const Error &e) {
        EXPECT_NE(e.stage, Stage::Internal) << op.mnemonic << ": " << e.message;
        o.rejection = e.message;
    }
    try {
        o.results = runAll(op.mnemonic, values, op.numResults);
        o.ran = true;
    } catch (const Error &e) {
        EXPECT_EQ(e.stage, Stage::Execute) << op.mnemonic << ": " << e.message;
        o.failure = e.message;
    }
    return o;
}

/// An op and the kinds of its operands, see RandomValues::like.
struct Subject {
    std::string op, pattern;
};
void PrintTo(const Subject &s, std::ostream *out) { *out << s.op; }

class Agreement : public testing::TestWithParam<Subject> {};

TEST_P(Agreement, OfInferenceAndKernelOnRandomOperands) {
    const OpInfo &op = *ops::Registry::get().findOp(GetParam().op);
    RandomValues random(1);
    size_t successes = 0;
    for (int round = 0; round < 1500; ++round) {
        size_t most = op.maxArgs == ops::kVariadic ? op.minArgs + 4u : op.maxArgs;
        std::vector<Value> values(op.minArgs + random.below(most - op.minArgs + 1));
        random.newRound();
        for (size_t k = 0; k < values.size(); ++k)
            values[k] = random.like(GetParam().pattern, k);
        std::string call = std::string(op.mnemonic) + "(";
        for (const Value &v : values)
            call += describe(v) + (v.isScalar() && !v.isString() ? "=" + std::to_string(v.as<double>()) : "") + ", ";
        for (auto knowledge : {Knowledge::Full, Knowledge::NoConstants, Knowledge::Nothing}) {
            Outcome o = tryOut(op, values, knowledge);
            successes += o.ran;
            ASSERT_TRUE(o.inferred || !o.ran) << call << ") was rejected: " << o.rejection;
            // No rule knows the size of the memory.
            bool failed = !o.ran && !o.failure.starts_with("out of memory");
            ASSERT_TRUE(o.mayFail || !failed) << call << ") cannot fail, they say, but: " << o.failure;
            if (!o.inferred || !o.ran)
                continue;
            ASSERT_EQ(o.promised.size(), o.results.size()) << call;
            for (size_t i = 0; i < o.results.size(); ++i)
                ASSERT_TRUE(holds(o.promised[i], o.results[i]))
                    << call << ") result " << i << " is " << typeOf(o.results[i]).text() << ", promised "
                    << o.promised[i].text();
        }
    }
    EXPECT_GT(successes, 0u) << "the random operands never fit";
}

INSTANTIATE_TEST_SUITE_P(
    Ops, Agreement,
    testing::Values(
        Subject{"fill", "?s"}, Subject{"seq", "?"}, Subject{"matrixConstant", "?"}, Subject{"transpose", "m"},
        Subject{"colBind", "xx"}, Subject{"rowBind", "xx"}, Subject{"reshape", "mss"}, Subject{"reverse", "x"},
        Subject{"order", "xs"}, Subject{"replace", "m??"}, Subject{"tri", "ms"}, Subject{"diagMatrix", "m"},
        Subject{"diagVector", "m"}, Subject{"sliceRow", "xs"}, Subject{"sliceCol", "xs"}, Subject{"extractRow", "xm"},
        Subject{"extractCol", "xm"}, Subject{"filterRow", "xm"}, Subject{"filterCol", "xm"},
        Subject{"insertRow", "xxs"}, Subject{"insertCol", "xxs"}, Subject{"insert", "xxs"}, Subject{"createList", "m"},
        Subject{"position", "?"}, Subject{"filterCells", "mm"}, Subject{"insertCells", "m?m"},
        Subject{"insertMarked", "x?mm"}, Subject{"setColumn", "fmt"}, Subject{"columnOf", "ft"},
        Subject{"insertInColumn", "f?tss"}, Subject{"append", "lm"}, Subject{"remove", "ls"}, Subject{"length", "l"},
        Subject{"element", "ls"},
        Subject{"extend", "ll"}, Subject{"putElement", "l?s"}, Subject{"equal", "??"},
        Subject{"createFrame", "mmtt"}, Subject{"setColLabels", "ft"}, Subject{"setColLabelsPrefix", "ft"},
        Subject{"matMul", "mms"}, Subject{"syrk", "m"}, Subject{"gemv", "m"}, Subject{"solve", "m"},
        Subject{"eigenCal", "m"}, Subject{"isSymmetric", "m"}, Subject{"ctable", "mms"}, Subject{"recode", "ms"},
        Subject{"oneHot", "mm"}, Subject{"bin", "ms"}, Subject{"quantize", "ms"}, Subject{"softmax", "m"},
        Subject{"relu", "m"}, Subject{"biasAdd", "mm"}, Subject{"sumGrp", "mms"}, Subject{"minGrp", "mms"},
        Subject{"meanGrp", "mms"}, Subject{"countGrp", "mms"}, Subject{"prodAll", "m"}, Subject{"prodRow", "m"},
        Subject{"prodCol", "m"}, Subject{"minAll", "m"}, Subject{"maxRow", "m"}, Subject{"minCol", "m"},
        Subject{"affine", "mmv"}, Subject{"batchNorm2d", "mvvvv?"}, Subject{"batchNorm2dBackward", "vvvvv?"},
        Subject{"avgPool2d", "v11111111s"}, Subject{"maxPool2d", "v11111111s"},
        Subject{"avgPool2dBackward", "vv11111111s"}, Subject{"maxPool2dBackward", "vv11111111s"},
        Subject{"conv2d", "vv11111111ssv"}, Subject{"conv2dBackwardFilter", "vv11ss1"},
        Subject{"conv2dBackwardData", "vv11ss1"}, Subject{"lu", "m"}, Subject{"qr", "m"}, Subject{"svd", "m"},
        Subject{"cholesky", "m"}, Subject{"inv", "m"}, Subject{"det", "m"}, Subject{"norm", "ms"},
        Subject{"kron", "mm"}, Subject{"medianAll", "m"}, Subject{"medianRow", "m"}, Subject{"medianCol", "m"},
        Subject{"quantileAll", "ms"}, Subject{"quantileRow", "ms"}, Subject{"quantileCol", "mm"}, Subject{"diff", "m"}),
    [](const auto &info) { return info.param.op; });

} // namespace
} // namespace daphne::test
