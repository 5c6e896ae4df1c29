// SPDX-License-Identifier: Apache-2.0
/// Every elementwise function on special values of every value type (pairs of
/// types for two operands), as scalars, dense and CSR matrices, against an oracle
/// written from the language's rules. An op without an oracle fails.
#include <limits>

#include "kernels/ElementwiseOracle.h"
#include "kernels/SameValue.h"

namespace daphne::test {
namespace {

using ops::Family, ops::OpInfo, ops::Registry;

/// Ops on strings have tests of their own.
bool takesOnlyStrings(std::string_view mnemonic) { return mnemonic == "ewConcat" || mnemonic == "outerConcat"; }

std::vector<ValueType> numericTypes() {
    std::vector<ValueType> types;
    for (int t = 0; t <= int(ValueType::F64); ++t)
        types.push_back(static_cast<ValueType>(t));
    return types;
}

template <class T> std::vector<T> specialValues() {
    using Limits = std::numeric_limits<T>;
    if constexpr (std::is_same_v<T, bool>)
        return {false, true};
    else if constexpr (std::is_floating_point_v<T>)
        return {Limits::quiet_NaN(),
                Limits::infinity(),
                -Limits::infinity(),
                T(0),
                T(-0.0),
                T(1),
                T(-1),
                T(2),
                T(3),
                T(0.5),
                T(-0.5),
                T(2.5),
                T(-2.5),
                T(100.75),
                T(-7),
                Limits::max(),
                Limits::lowest(),
                Limits::min(),
                Limits::denorm_min(),
                -Limits::denorm_min(),
                T(1e18),
                T(-1e18),
                T(1e30)};
    else if constexpr (std::is_signed_v<T>)
        return {0, 1, -1, 2, -2, 3, 7, -7, 100, Limits::max(), Limits::min(), Limits::max() - 1};
    else
        return {0, 1, 2, 3, 7, 100, Limits::max(), Limits::max() - 1, Limits::max() / 2 + 1};
}

Value scalarOf(const Number &x) {
    return withNumericType(x.type, [&]<class T>(TypeTag<T>) {
        if constexpr (std::is_floating_point_v<T>)
            return Value::scalar(static_cast<T>(x.d), x.type);
        else
            return Value::scalar(static_cast<T>(x.i), x.type);
    });
}
std::vector<Number> numbersOf(ValueType t) {
    std::vector<Number> numbers;
    withNumericType(t, [&]<class T>(TypeTag<T>) {
        for (T x : specialValues<T>()) {
            if constexpr (std::is_floating_point_v<T>)
                numbers.push_back({t, 0, x});
            else
                numbers.push_back({t, static_cast<Wide>(x), 0});
        }
    });
    return numbers;
}
std::string textOf(const Number &x) {
    return std::string(dslName(x.type)) + " " +
           withNumericType(x.type, [&]<class T>(TypeTag<T>) { return cellText<T>(scalarOf(x).as<T>()); });
}
bool isNegativeZero(const Number &x) { return x.isFloat() && x.d == 0 && std::signbit(x.d); }

Value columnOf(ValueType t, const std::vector<Number> &numbers) {
    auto m = Dense::create(t, numbers.size(), 1);
    withNumericType(t, [&]<class T>(TypeTag<T>) {
        for (size_t i = 0; i < numbers.size(); ++i)
            m->mutableView<T>().data[i] = scalarOf(numbers[i]).as<T>();
    });
    return m;
}
Value asCsr(const Value &v) { return toCsr(v.dense()); }

enum class Zeros : bool { Signed, Unsigned };

/// Units in the last place between two numbers of one sign.
template <class T> bool isNear(T a, T b) {
    for (int i = 0; i < 4 && a != b; ++i)
        a = std::nextafter(a, b);
    return a == b;
}

std::string problemOf(const Expected &expected, const Value &actual, Zeros zeros) {
    const Number &want = expected.number;
    if (actual.scalarType() != want.type)
        return "expected type " + std::string(dslName(want.type)) + ", got " +
               std::string(dslName(actual.scalarType()));
    bool fits = withNumericType(want.type, [&]<class T>(TypeTag<T>) {
        T a = scalarOf(want).as<T>(), b = actual.as<T>();
        if constexpr (std::is_floating_point_v<T>) {
            if (std::isnan(a) || std::isnan(b))
                return std::isnan(a) && std::isnan(b);
            if (a == 0 && b == 0 && zeros == Zeros::Signed)
                return std::signbit(a) == std::signbit(b);
            return a == b || (expected.rounded && isNear(a, b));
        } else {
            return a == b;
        }
    });
    return fits ? "" : "expected " + textOf(want) + ", got " + printed(actual, false);
}

/// One call, or what it threw.
struct Called {
    Value result;
    std::string error;
};
Called tryCall(std::string_view op, std::vector<Value> args) {
    try {
        return {run(op, std::move(args)), ""};
    } catch (const Error &e) {
        EXPECT_EQ(e.stage, Stage::Execute) << op << ": " << e.message;
        return {Value(), e.message};
    }
}

Value cellOf(const Value &matrix, size_t r) {
    Ref<Dense> m = denseOf(matrix.matrix());
    return withNumericType(m->type(),
                           [&]<class T>(TypeTag<T>) { return Value::scalar(m->view<T>()(r, 0), m->type()); });
}

/// A scalar call and a 1x1 matrix call of one value or pair.
void checkSingle(const OpInfo &op, const Expected &expected, const std::vector<Number> &operands) {
    std::string place = std::string(op.mnemonic);
    for (const Number &x : operands)
        place += ", " + textOf(x);
    std::vector<Value> scalars, matrices, sparse;
    bool anyNegativeZero = false;
    for (const Number &x : operands) {
        scalars.push_back(scalarOf(x));
        matrices.push_back(columnOf(x.type, {x}));
        sparse.push_back(asCsr(matrices.back()));
        anyNegativeZero |= isNegativeZero(x);
    }
    std::vector<std::pair<const char *, std::vector<Value>>> forms = {{"1x1", matrices}};
    if (op.family != Family::Outer)
        forms.emplace_back("scalar", scalars);
    if (!anyNegativeZero)
        forms.emplace_back("CSR 1x1", sparse);
    for (auto &[form, args] : forms) {
        Called called = tryCall(op.mnemonic, args);
        if (expected.kind == Expected::Open)
            continue;
        EXPECT_EQ(called.error.empty(), expected.kind == Expected::Result) << place << " as " << form << called.error;
        if (expected.kind != Expected::Result || !called.error.empty())
            continue;
        Value result = called.result.isMatrix() ? cellOf(called.result, 0) : called.result;
        Zeros zeros = called.result.isCsr() || form[0] == 'C' ? Zeros::Unsigned : Zeros::Signed;
        EXPECT_EQ(problemOf(expected, result, zeros), "") << place << " as " << form;
    }
}

void checkColumn(const OpInfo &op, const std::vector<Expected> &expected, const std::vector<Value> &args,
                 const std::string &place) {
    Called called = tryCall(op.mnemonic, args);
    ASSERT_EQ(called.error, "") << place;
    ASSERT_EQ(called.result.matrix().rows(), expected.size()) << place;
    bool anyCsr = called.result.isCsr();
    for (const Value &v : args)
        anyCsr |= v.isCsr();
    for (size_t i = 0; i < expected.size(); ++i)
        EXPECT_EQ(problemOf(expected[i], cellOf(called.result, i), anyCsr ? Zeros::Unsigned : Zeros::Signed), "")
            << place << ", row " << i;
}

/// All values without errors as one column, dense and CSR.
void checkUnary(const OpInfo &op, const UnaryOracle &oracle, ValueType t) {
    std::vector<Number> good, goodForCsr;
    std::vector<Expected> expected, expectedForCsr;
    for (const Number &x : numbersOf(t)) {
        Expected e = oracle(x);
        checkSingle(op, e, {x});
        if (e.kind != Expected::Result)
            continue;
        // Long enough for vector instructions.
        for (int copies = 0; copies < 5; ++copies) {
            good.push_back(x);
            expected.push_back(e);
        }
        if (!isNegativeZero(x)) {
            goodForCsr.push_back(x);
            expectedForCsr.push_back(e);
        }
    }
    checkColumn(op, expected, {columnOf(t, good)}, std::string(op.mnemonic) + " dense");
    checkColumn(op, expectedForCsr, {asCsr(columnOf(t, goodForCsr))}, std::string(op.mnemonic) + " CSR");
}

struct Pairs {
    std::vector<Number> left, right;
    std::vector<Expected> expected;
    void add(const Number &a, const Number &b, const Expected &e) {
        left.push_back(a);
        right.push_back(b);
        expected.push_back(e);
    }
};

/// Columns with columns: dense, CSR and both mixtures.
void checkPairs(const OpInfo &op, const Pairs &all, const Pairs &forCsr, ValueType s, ValueType t) {
    std::string place = std::string(op.mnemonic) + " of " + std::string(dslName(s)) + " and " + std::string(dslName(t));
    checkColumn(op, all.expected, {columnOf(s, all.left), columnOf(t, all.right)}, place);
    Value a = columnOf(s, forCsr.left), b = columnOf(t, forCsr.right);
    checkColumn(op, forCsr.expected, {asCsr(a), b}, place + ", CSR and dense");
    checkColumn(op, forCsr.expected, {a, asCsr(b)}, place + ", dense and CSR");
    checkColumn(op, forCsr.expected, {asCsr(a), asCsr(b)}, place + ", CSR and CSR");
}

/// A column with one number on the other side.
void checkWithScalar(const OpInfo &op, const BinaryOracle &oracle, ValueType s, const Number &single) {
    for (bool isRight : {true, false}) {
        std::vector<Number> column;
        std::vector<Expected> expected;
        for (const Number &x : numbersOf(s)) {
            Expected e = isRight ? oracle(x, single) : oracle(single, x);
            if (e.kind == Expected::Result && !isNegativeZero(x) && !isNegativeZero(single)) {
                column.push_back(x);
                expected.push_back(e);
            }
        }
        Value dense = columnOf(s, column);
        for (const Value &m : {dense, asCsr(dense)}) {
            std::vector<Value> args = {m, scalarOf(single)};
            if (!isRight)
                std::swap(args[0], args[1]);
            checkColumn(op, expected, args,
                        std::string(op.mnemonic) + " of " + std::string(dslName(s)) + (m.isCsr() ? " CSR" : "") +
                            (isRight ? " and " : " after ") + textOf(single));
        }
    }
}

void checkBinary(const OpInfo &op, const BinaryOracle &oracle, ValueType s, ValueType t) {
    Pairs all, forCsr;
    for (const Number &a : numbersOf(s))
        for (const Number &b : numbersOf(t)) {
            Expected e = oracle(a, b);
            checkSingle(op, e, {a, b});
            if (e.kind != Expected::Result)
                continue;
            all.add(a, b, e);
            if (!isNegativeZero(a) && !isNegativeZero(b))
                forCsr.add(a, b, e);
        }
    if (op.family == Family::Outer)
        return;
    checkPairs(op, all, forCsr, s, t);
    for (const Number &b : numbersOf(t))
        checkWithScalar(op, oracle, s, b);
}

class ElementwiseOracle : public testing::TestWithParam<const OpInfo *> {};

TEST_P(ElementwiseOracle, AgreesOnSpecialValuesOfAllTypes) {
    const OpInfo &op = *GetParam();
    if (op.family == Family::EwUnary) {
        auto oracle = unaryOracles().find(op.mnemonic);
        ASSERT_NE(oracle, unaryOracles().end()) << op.mnemonic << " needs an oracle";
        for (ValueType t : numericTypes())
            checkUnary(op, oracle->second, t);
        return;
    }
    std::string_view name = op.mnemonic.substr(op.family == Family::Outer ? 5 : 2);
    auto oracle = binaryOracles().find(name);
    ASSERT_NE(oracle, binaryOracles().end()) << op.mnemonic << " needs an oracle";
    for (ValueType s : numericTypes())
        for (ValueType t : numericTypes())
            if (!HasFailure())
                checkBinary(op, oracle->second, s, t);
}

std::vector<const OpInfo *> elementwiseOps() {
    std::vector<const OpInfo *> result;
    for (const OpInfo *op : Registry::get().ops())
        if ((op->family == Family::EwUnary || op->family == Family::EwBinary || op->family == Family::Outer) &&
            KernelTable::get().find(op->mnemonic) && !takesOnlyStrings(op->mnemonic))
            result.push_back(op);
    return result;
}

INSTANTIATE_TEST_SUITE_P(Ops, ElementwiseOracle, testing::ValuesIn(elementwiseOps()),
                         [](const auto &info) { return std::string(info.param->mnemonic); });

} // namespace
} // namespace daphne::test
