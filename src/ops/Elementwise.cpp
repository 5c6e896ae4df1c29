// SPDX-License-Identifier: Apache-2.0
/// Operations that work cell by cell: unary, binary with broadcasting, all pairs
/// (outer), the conditional and truth values.
#include "base/Error.h"
#include "ops/Registry.h"
#include "ops/Rules.h"

namespace daphne::ops {

namespace {

using namespace rule;
using Types = std::vector<TypeDesc>;

// --------------------------------------------------------------------- faults

/// The kernel rejects wrong kinds and value types, which only unknown operands can still have.
bool ifTypeUnknown(const InferCall &call) {
    for (const Arg &arg : call.args)
        if (!arg.type.isComplete())
            return true;
    return false;
}

/// Two matrices whose shapes inference could not compare.
bool ifShapesMayDiffer(const InferCall &call) {
    if (ifTypeUnknown(call))
        return true;
    const TypeDesc &a = call.type(0), &b = call.type(1);
    return a.isMatrix() && b.isMatrix() && !(a.hasShape() && b.hasShape());
}

bool isNonZeroConstant(const Arg &arg) {
    return arg.constant && arg.constant->type != ValueType::Str && arg.constant->asDouble() != 0;
}

/// Integer division and modulo fail on a zero divisor, floating-point ones never.
bool ifDivisorMayBeZero(const InferCall &call) {
    auto isFloating = [](const TypeDesc &t) { return !t.isFrame() && isFloat(t.valueType); };
    if (isNonZeroConstant(call.args[1]) || isFloating(call.type(0)) || isFloating(call.type(1)))
        return false;
    return true;
}

bool divisionMayFail(const InferCall &call) { return ifShapesMayDiffer(call) || ifDivisorMayBeZero(call); }

/// Cells that may lie outside [low, high].
bool mayLeave(const Arg &arg, double low, double high) {
    if (arg.constant && arg.constant->type != ValueType::Str)
        return arg.constant->asDouble() < low || arg.constant->asDouble() > high;
    ValueType t = arg.type.valueType;
    if (t == ValueType::Bool)
        return low > 0 || high < 1;
    return isFloat(t) || isSigned(t) || low > 0 || high < 18446744073709551615.0;
}

constexpr double kInfinity = __builtin_inf();

bool ifOutsideDomain(const InferCall &call) {
    return ifTypeUnknown(call) || mayLeave(call.args[0], call.op.domain.low, call.op.domain.high);
}
bool ifNegativePair(const InferCall &call) {
    return mayLeave(call.args[0], 0, kInfinity) || mayLeave(call.args[1], 0, kInfinity);
}
bool logMayFail(const InferCall &call) { return ifShapesMayDiffer(call) || ifNegativePair(call); }

/// Powers of integers are integers, so exponents must not be negative. One of 64 bits may be so after its conversion.
bool ifExponentMayBeNegative(const InferCall &call) {
    ValueType base = call.type(0).valueType, exponent = call.type(1).valueType;
    if (isFloat(base) || isFloat(exponent))
        return false;
    if (const auto &c = call.args[1].constant; c && isIntegerLike(c->type))
        return c->asDouble() < 0;
    return isSigned(exponent) || exponent >= ValueType::Size;
}
bool powerMayFail(const InferCall &call) { return ifShapesMayDiffer(call) || ifExponentMayBeNegative(call); }

bool outerShapesMayBeWrong(const InferCall &call) {
    return ifTypeUnknown(call) || call.type(0).cols != 1 || call.type(1).rows != 1;
}
bool outerDivisionMayFail(const InferCall &call) { return outerShapesMayBeWrong(call) || ifDivisorMayBeZero(call); }
bool outerPowerMayFail(const InferCall &call) { return outerShapesMayBeWrong(call) || ifExponentMayBeNegative(call); }
bool outerLogMayFail(const InferCall &call) { return outerShapesMayBeWrong(call) || ifNegativePair(call); }

// ---------------------------------------------------------------------- rules

/// Of numbers only.
Types ewNumberMinMax(const InferCall &call) {
    for (size_t i : {0, 1})
        if (call.type(i).valueType == ValueType::Str)
            wrongOperand(call, i, "a number or a numeric matrix");
    return ewMinMax(call);
}

Types ewPower(const InferCall &call) {
    Types types = ewArithmetic(call);
    const auto &exponent = call.args[1].constant;
    if (exponent && isIntegerLike(exponent->type) && exponent->asDouble() < 0 && !call.type(0).isFrame() &&
        isIntegerLike(call.type(0).valueType))
        throw compileError({}, "an integer has no integer power with a negative exponent, got " + call.type(0).text() +
                                   " ^ " + std::to_string(exponent->asInt()))
            .withHint("floating-point numbers have one: 2.0 ^ " + std::to_string(exponent->asInt()));
    return types;
}

/// m x 1 and 1 x n give m x n with the value type of the elementwise operation. Other shapes fail at run time.
template <InferFn Elementwise> Types outer(const InferCall &call) {
    needMatrix(call, 0);
    needMatrix(call, 1);
    const TypeDesc &a = call.type(0), &b = call.type(1);
    Arg scalars[] = {{TypeDesc::scalar(a.valueType), {}}, {TypeDesc::scalar(b.valueType), {}}};
    ValueType result = Elementwise({call.op, scalars, {}})[0].valueType;
    return {TypeDesc::matrix(result, a.rows, b.cols)};
}

[[noreturn]] void rejectBranches(const InferCall &call, const std::string &why) {
    throw compileError({}, "'?:' " + why + ", got " + call.type(1).text() + " and " + call.type(2).text())
        .withHint("convert one of them, for example with as.f64(...)");
}

/// Scalar condition: the chosen branch. Facts the branches do not share are unknown.
TypeDesc chosen(const InferCall &call) {
    const TypeDesc &t = call.type(1), &e = call.type(2);
    bool lists = t.isList() && e.isList(); // what they hold may differ
    if (!lists && !t.compatible(e))
        rejectBranches(call, "needs two values of the same type");
    return join(t, e);
}

/// Matrix condition: a matrix of its shape; branches are matrices of that shape or scalars.
TypeDesc selected(const InferCall &call) {
    const TypeDesc &c = call.type(0);
    TypeDesc result = TypeDesc::matrix(ValueType::Unknown, c.rows, c.cols);
    for (size_t i : {1, 2}) {
        const TypeDesc &t = call.type(i);
        if (t.isFrame() || t.isList())
            wrongOperand(call, i, "a scalar or a matrix (the condition is a matrix)");
        auto differs = [](int64_t a, int64_t b) { return a >= 0 && b >= 0 && a != b; };
        if (t.isMatrix() && (differs(t.rows, c.rows) || differs(t.cols, c.cols)))
            throw compileError({}, "'?:' needs branches of the shape of the condition, " + c.shapeText() + ", got " +
                                       t.shapeText());
        if (t.isMatrix() && result.rows < 0)
            result.rows = t.rows;
        if (t.isMatrix() && result.cols < 0)
            result.cols = t.cols;
        if (t.valueType != ValueType::Unknown)
            result.valueType = t.valueType;
    }
    ValueType t = call.type(1).valueType, e = call.type(2).valueType;
    if (t != e && t != ValueType::Unknown && e != ValueType::Unknown)
        rejectBranches(call, "needs two values of the same value type");
    return result;
}

/// The negative of a truth value is a number.
Types negative(const InferCall &call) {
    Types result = ewUnary(call);
    if (result[0].valueType == ValueType::Bool)
        result[0].valueType = ValueType::SI64;
    return result;
}

Types cond(const InferCall &call) {
    const TypeDesc &c = call.type(0);
    if (c.isFrame() || c.isList() || c.valueType == ValueType::Str)
        wrongOperand(call, 0, "a number or a numeric matrix");
    if (c.isScalar())
        return {chosen(call)};
    if (c.isMatrix())
        return {selected(call)};
    return {TypeDesc::unknown()};
}

bool condMayFail(const InferCall &call) {
    if (ifTypeUnknown(call))
        return true;
    if (call.type(0).isScalar())
        return false;
    for (const Arg &arg : call.args)
        if (arg.type.isMatrix() && !arg.type.hasShape())
            return true;
    return false;
}

Types condition(const InferCall &call) {
    const TypeDesc &t = call.type(0);
    bool oneCell = t.isScalar() || (t.isMatrix() && (t.rows < 0 || t.rows == 1) && (t.cols < 0 || t.cols == 1));
    if (!t.isUnknown() && (!oneCell || t.valueType == ValueType::Str))
        throw compileError({}, "a condition must be a number or a numeric 1x1 matrix, got " + t.text());
    return {TypeDesc::scalar(ValueType::Bool)};
}

bool conditionMayFail(const InferCall &call) {
    const TypeDesc &t = call.type(0);
    return !t.isComplete() || !(t.isScalar() || (t.rows == 1 && t.cols == 1));
}

// ----------------------------------------------------------------------- rows

enum class AtZero { Other, Zero };
enum class Order { Fixed, Free };

constexpr OpInfo unary(Mnemonic name, InferFn infer, AtZero atZero, Cost cost = Cost::Cheap, Domain domain = {}) {
    return {.mnemonic = name,
            .family = Family::EwUnary,
            .infer = infer,
            .mayFail = domain.isEverything() ? ifTypeUnknown : ifOutsideDomain,
            .zeroPreserving = atZero == AtZero::Zero,
            .reusable = 1,
            .cells = name,
            .cost = cost,
            .domain = domain};
}

constexpr OpInfo binary(Mnemonic name, InferFn infer, AtZero atZero, Order order = Order::Fixed,
                        Cost cost = Cost::Cheap, FaultFn mayFail = ifShapesMayDiffer) {
    return {.mnemonic = name,
            .family = Family::EwBinary,
            .minArgs = 2,
            .maxArgs = 2,
            .infer = infer,
            .mayFail = mayFail,
            .commutative = order == Order::Free,
            .zeroPreserving = atZero == AtZero::Zero,
            .reusable = 3,
            .cells = name,
            .cost = cost};
}

/// All pairs under the function of `cells`.
constexpr OpInfo pairs(Mnemonic name, Mnemonic cells, InferFn infer, AtZero atZero,
                       FaultFn mayFail = outerShapesMayBeWrong) {
    return {.mnemonic = name,
            .family = Family::Outer,
            .minArgs = 2,
            .maxArgs = 2,
            .infer = infer,
            .mayFail = mayFail,
            .zeroPreserving = atZero == AtZero::Zero,
            .cells = cells};
}

// clang-format off: one row per line or paragraph
constexpr OpInfo kOps[] = {
    unary("ewMinus", negative, AtZero::Zero),
    unary("ewAbs", ewUnary, AtZero::Zero),
    unary("ewSign", ewUnary, AtZero::Zero),
    unary("ewExp", ewUnaryFloat, AtZero::Other, Cost::Costly),
    unary("ewLn", ewUnaryFloat, AtZero::Other, Cost::Costly, {.low = 0}),
    unary("ewSqrt", ewUnaryFloat, AtZero::Zero, Cost::Costly, {.low = 0}),
    unary("ewRound", ewUnary, AtZero::Zero),
    unary("ewFloor", ewUnary, AtZero::Zero),
    unary("ewCeil", ewUnary, AtZero::Zero),
    unary("ewSin", ewUnaryFloat, AtZero::Zero, Cost::Costly),
    unary("ewCos", ewUnaryFloat, AtZero::Other, Cost::Costly),
    unary("ewTan", ewUnaryFloat, AtZero::Zero, Cost::Costly),
    unary("ewSinh", ewUnaryFloat, AtZero::Zero, Cost::Costly),
    unary("ewCosh", ewUnaryFloat, AtZero::Other, Cost::Costly),
    unary("ewTanh", ewUnaryFloat, AtZero::Zero, Cost::Costly),
    unary("ewAsin", ewUnaryFloat, AtZero::Zero, Cost::Costly, {.low = -1, .high = 1}),
    unary("ewAcos", ewUnaryFloat, AtZero::Other, Cost::Costly, {.low = -1, .high = 1}),
    unary("ewAtan", ewUnaryFloat, AtZero::Zero, Cost::Costly),
    unary("ewAsinh", ewUnaryFloat, AtZero::Zero, Cost::Costly),
    unary("ewAcosh", ewUnaryFloat, AtZero::Other, Cost::Costly, {.low = 1}),
    unary("ewAtanh", ewUnaryFloat, AtZero::Zero, Cost::Costly, {.low = -1, .high = 1}),
    unary("ewIsnan", ewUnary, AtZero::Zero),
    unary("ewNot", ewUnary, AtZero::Other),
    unary("ewNanToZero", ewUnary, AtZero::Zero),
    unary("ewNotNan", ewUnary, AtZero::Other),

    // Operands of '+' may turn out to be strings, so their order matters.
    binary("ewAdd", ewAdd, AtZero::Zero),
    binary("ewSub", ewArithmetic, AtZero::Zero),
    binary("ewMul", ewArithmetic, AtZero::Zero, Order::Free),
    binary("ewDiv", ewArithmetic, AtZero::Other, Order::Fixed, Cost::Costly, divisionMayFail),
    binary("ewPow", ewPower, AtZero::Other, Order::Fixed, Cost::Costly, powerMayFail),
    binary("ewMod", ewArithmetic, AtZero::Other, Order::Fixed, Cost::Costly, divisionMayFail),
    binary("ewLog", ewFloat, AtZero::Other, Order::Fixed, Cost::Costly, logMayFail),
    // min and max return the first operand where they cannot decide (NaN).
    binary("ewMin", ewMinMax, AtZero::Zero),
    binary("ewMax", ewMinMax, AtZero::Zero),
    // The number where one of the operands is NaN.
    binary("ewFmin", ewNumberMinMax, AtZero::Zero),
    binary("ewFmax", ewNumberMinMax, AtZero::Zero),
    binary("ewEq", ewCompare, AtZero::Other, Order::Free),
    binary("ewNeq", ewCompare, AtZero::Zero, Order::Free),
    binary("ewLt", ewCompare, AtZero::Zero),
    binary("ewLe", ewCompare, AtZero::Other),
    binary("ewGt", ewCompare, AtZero::Zero),
    binary("ewGe", ewCompare, AtZero::Other),
    binary("ewAnd", ewLogical, AtZero::Zero, Order::Free),
    binary("ewOr", ewLogical, AtZero::Zero, Order::Free),
    binary("ewConcat", ewConcat, AtZero::Other),

    pairs("outerAdd", "ewAdd", outer<ewAdd>, AtZero::Zero),
    pairs("outerSub", "ewSub", outer<ewArithmetic>, AtZero::Zero),
    pairs("outerMul", "ewMul", outer<ewArithmetic>, AtZero::Zero),
    pairs("outerDiv", "ewDiv", outer<ewArithmetic>, AtZero::Other, outerDivisionMayFail),
    pairs("outerPow", "ewPow", outer<ewArithmetic>, AtZero::Other, outerPowerMayFail),
    pairs("outerMod", "ewMod", outer<ewArithmetic>, AtZero::Other, outerDivisionMayFail),
    pairs("outerLog", "ewLog", outer<ewFloat>, AtZero::Other, outerLogMayFail),
    pairs("outerMin", "ewMin", outer<ewMinMax>, AtZero::Zero),
    pairs("outerMax", "ewMax", outer<ewMinMax>, AtZero::Zero),
    pairs("outerEq", "ewEq", outer<ewCompare>, AtZero::Other),
    pairs("outerNeq", "ewNeq", outer<ewCompare>, AtZero::Zero),
    pairs("outerLt", "ewLt", outer<ewCompare>, AtZero::Zero),
    pairs("outerLe", "ewLe", outer<ewCompare>, AtZero::Other),
    pairs("outerGt", "ewGt", outer<ewCompare>, AtZero::Zero),
    pairs("outerGe", "ewGe", outer<ewCompare>, AtZero::Other),
    pairs("outerAnd", "ewAnd", outer<ewLogical>, AtZero::Zero),
    pairs("outerOr", "ewOr", outer<ewLogical>, AtZero::Zero),
    pairs("outerXor", "outerXor", outer<ewLogical>, AtZero::Zero),
    pairs("outerConcat", "ewConcat", outer<ewConcat>, AtZero::Other),

    {.mnemonic = "cond", .minArgs = 3, .maxArgs = 3, .infer = cond, .mayFail = condMayFail, .reusable = 6},
    {.mnemonic = "condition", .infer = condition, .mayFail = conditionMayFail},
};

constexpr Builtin kUnary[] = {
    {.signature = "minus(arg)", .op = "ewMinus", .doc = "The negative of every cell.",
     .example = "print(minus(1.5));", .expect = "-1.5\n"},
    {.signature = "abs(arg)", .op = "ewAbs", .doc = "Absolute value of every cell.",
     .example = "print(abs(-3));", .expect = "3\n"},
    {.signature = "sign(arg)", .op = "ewSign",
     .doc = "-1, 0 or 1 for negative, zero and positive cells; NaN stays NaN.",
     .example = "print(sign([-2.5, 0.0, 7.0]));", .expect = "DenseMatrix(3x1, double)\n-1\n0\n1\n"},
    {.signature = "exp(arg)", .op = "ewExp", .doc = "Natural exponential of every cell.",
     .example = "print(exp(1));", .expect = "2.71828\n"},
    {.signature = "ln(arg)", .op = "ewLn", .doc = "Natural logarithm; -inf for 0, an error for negative cells.",
     .example = "print(ln(10));", .expect = "2.30259\n"},
    {.signature = "sqrt(arg)", .op = "ewSqrt", .doc = "Square root; an error for negative cells.",
     .example = "print(sqrt([4, 2]));", .expect = "DenseMatrix(2x1, double)\n2\n1.41421\n"},
    {.signature = "round(arg)", .op = "ewRound", .doc = "Nearest integer, halves away from zero; keeps the value type.",
     .example = "print(round([-2.5, 2.4]));", .expect = "DenseMatrix(2x1, double)\n-3\n2\n"},
    {.signature = "floor(arg)", .op = "ewFloor", .doc = "Largest integer not above the cell; keeps the value type.",
     .example = "print(floor(-1.5));", .expect = "-2\n"},
    {.signature = "ceil(arg)", .op = "ewCeil", .doc = "Smallest integer not below the cell; keeps the value type.",
     .example = "print(ceil(1.2));", .expect = "2\n"},
    {.signature = "sin(arg)", .op = "ewSin", .doc = "Sine; cells are radians.",
     .example = "print(sin(1.0));", .expect = "0.841471\n"},
    {.signature = "cos(arg)", .op = "ewCos", .doc = "Cosine; cells are radians.",
     .example = "print(cos(0));", .expect = "1\n"},
    {.signature = "tan(arg)", .op = "ewTan", .doc = "Tangent; cells are radians.",
     .example = "print(tan(1.0));", .expect = "1.55741\n"},
    {.signature = "sinh(arg)", .op = "ewSinh", .doc = "Hyperbolic sine.",
     .example = "print(sinh(1.0));", .expect = "1.1752\n"},
    {.signature = "cosh(arg)", .op = "ewCosh", .doc = "Hyperbolic cosine.",
     .example = "print(cosh(1.0));", .expect = "1.54308\n"},
    {.signature = "tanh(arg)", .op = "ewTanh", .doc = "Hyperbolic tangent.",
     .example = "print(tanh(1.0));", .expect = "0.761594\n"},
    {.signature = "asin(arg)", .op = "ewAsin", .doc = "Inverse sine; an error for cells outside [-1, 1].",
     .example = "print(asin(1.0));", .expect = "1.5708\n"},
    {.signature = "acos(arg)", .op = "ewAcos", .doc = "Inverse cosine; an error for cells outside [-1, 1].",
     .example = "print(acos(0.5));", .expect = "1.0472\n"},
    {.signature = "atan(arg)", .op = "ewAtan", .doc = "Inverse tangent.",
     .example = "print(atan(1.0));", .expect = "0.785398\n"},
    {.signature = "asinh(arg)", .op = "ewAsinh", .doc = "Inverse hyperbolic sine.",
     .example = "print(asinh(1.0));", .expect = "0.881374\n"},
    {.signature = "acosh(arg)", .op = "ewAcosh", .doc = "Inverse hyperbolic cosine; an error below 1.",
     .example = "print(acosh(2.0));", .expect = "1.31696\n"},
    {.signature = "atanh(arg)", .op = "ewAtanh", .doc = "Inverse hyperbolic tangent; an error outside [-1, 1].",
     .example = "print(atanh(0.5));", .expect = "0.549306\n"},
    {.signature = "isNan(arg)", .op = "ewIsnan",
     .doc = "1 where the cell is NaN, else 0, in the value type of the argument.",
     .example = "print(isNan([nan, 1.0]));", .expect = "DenseMatrix(2x1, double)\n1\n0\n"},
};

constexpr Builtin kBinary[] = {
    {.signature = "pow(lhs, rhs)", .op = "ewPow",
     .doc = "lhs to the power rhs, like '^'. Powers of integers are integers, exact or wrapped like products; their "
            "exponents must not be negative.",
     .example = "print(pow(2, 10));", .expect = "1024\n"},
    {.signature = "mod(lhs, rhs)", .op = "ewMod", .doc = "Remainder with the sign of lhs, like '%'.",
     .example = "print(mod(-7, 3));", .expect = "-1\n"},
    {.signature = "log(lhs, rhs)", .op = "ewLog", .doc = "Logarithm of lhs to base rhs.",
     .example = "print(log(8, 2));", .expect = "3\n"},
    {.signature = "min(lhs, rhs)", .op = "ewMin", .doc = "rhs where it is smaller than lhs, else lhs; nan where one of them is nan.",
     .example = "print(min([1, 5], 3));", .expect = "DenseMatrix(2x1, int64_t)\n1\n3\n"},
    {.signature = "max(lhs, rhs)", .op = "ewMax", .doc = "rhs where it is larger than lhs, else lhs; nan where one of them is nan.",
     .example = "print(max([1, 5], 3));", .expect = "DenseMatrix(2x1, int64_t)\n3\n5\n"},
    {.signature = "fmin(lhs, rhs)", .op = "ewFmin",
     .doc = "Like min, but the other one where one of lhs and rhs is nan; nan where both are.",
     .example = "print(fmin([nan, 5.0, 1.0], 3.0));", .expect = "DenseMatrix(3x1, double)\n3\n3\n1\n"},
    {.signature = "fmax(lhs, rhs)", .op = "ewFmax",
     .doc = "Like max, but the other one where one of lhs and rhs is nan; nan where both are.",
     .example = "print(fmax([nan, 5.0, 1.0], 3.0));", .expect = "DenseMatrix(3x1, double)\n3\n5\n3\n"},
    {.signature = "concat(lhs, rhs)", .op = "ewConcat",
     .doc = "Strings joined, like '+'; numbers are converted to strings.",
     .example = "print(concat(\"n=\", 3));", .expect = "n=3\n"},
};


constexpr Builtin kOuter[] = {
    {.signature = "outerAdd(lhs, rhs)", .op = "outerAdd", .doc = "lhs[i] + rhs[j] for a column lhs and a row rhs.",
     .example = "print(outerAdd([1, 2], t([10, 20])));", .expect = "DenseMatrix(2x2, int64_t)\n11 21\n12 22\n"},
    {.signature = "outerSub(lhs, rhs)", .op = "outerSub", .doc = "lhs[i] - rhs[j] for a column lhs and a row rhs.",
     .example = "print(outerSub([1, 2], t([10, 20])));", .expect = "DenseMatrix(2x2, int64_t)\n-9 -19\n-8 -18\n"},
    {.signature = "outerMul(lhs, rhs)", .op = "outerMul", .doc = "lhs[i] * rhs[j] for a column lhs and a row rhs.",
     .example = "print(outerMul([1, 2], t([10, 20])));", .expect = "DenseMatrix(2x2, int64_t)\n10 20\n20 40\n"},
    {.signature = "outerDiv(lhs, rhs)", .op = "outerDiv", .doc = "lhs[i] / rhs[j] for a column lhs and a row rhs.",
     .example = "print(outerDiv([9, 7], t([2, 3])));", .expect = "DenseMatrix(2x2, int64_t)\n4 3\n3 2\n"},
    {.signature = "outerPow(lhs, rhs)", .op = "outerPow", .doc = "lhs[i] ^ rhs[j] for a column lhs and a row rhs.",
     .example = "print(outerPow([2, 3], t([2, 3])));", .expect = "DenseMatrix(2x2, int64_t)\n4 8\n9 27\n"},
    {.signature = "outerMod(lhs, rhs)", .op = "outerMod", .doc = "lhs[i] % rhs[j] for a column lhs and a row rhs.",
     .example = "print(outerMod([9, 7], t([2, 5])));", .expect = "DenseMatrix(2x2, int64_t)\n1 4\n1 2\n"},
    {.signature = "outerLog(lhs, rhs)", .op = "outerLog", .doc = "log(lhs[i], rhs[j]) for a column lhs and a row rhs.",
     .example = "print(outerLog([4, 16], t([2, 4])));", .expect = "DenseMatrix(2x2, double)\n2 1\n4 2\n"},
    {.signature = "outerMin(lhs, rhs)", .op = "outerMin", .doc = "min(lhs[i], rhs[j]) for a column lhs and a row rhs.",
     .example = "print(outerMin([1, 4], t([2, 3])));", .expect = "DenseMatrix(2x2, int64_t)\n1 1\n2 3\n"},
    {.signature = "outerMax(lhs, rhs)", .op = "outerMax", .doc = "max(lhs[i], rhs[j]) for a column lhs and a row rhs.",
     .example = "print(outerMax([1, 4], t([2, 3])));", .expect = "DenseMatrix(2x2, int64_t)\n2 3\n4 4\n"},
    {.signature = "outerEq(lhs, rhs)", .op = "outerEq",
     .doc = "lhs[i] == rhs[j] as 0/1 for a column lhs and a row rhs.",
     .example = "print(outerEq([1, 2], t([1, 2])));", .expect = "DenseMatrix(2x2, int64_t)\n1 0\n0 1\n"},
    {.signature = "outerNeq(lhs, rhs)", .op = "outerNeq",
     .doc = "lhs[i] != rhs[j] as 0/1 for a column lhs and a row rhs.",
     .example = "print(outerNeq([1, 2], t([1, 2])));", .expect = "DenseMatrix(2x2, int64_t)\n0 1\n1 0\n"},
    {.signature = "outerLt(lhs, rhs)", .op = "outerLt", .doc = "lhs[i] < rhs[j] as 0/1 for a column lhs and a row rhs.",
     .example = "print(outerLt([1, 2], t([1, 2])));", .expect = "DenseMatrix(2x2, int64_t)\n0 1\n0 0\n"},
    {.signature = "outerLe(lhs, rhs)", .op = "outerLe",
     .doc = "lhs[i] <= rhs[j] as 0/1 for a column lhs and a row rhs.",
     .example = "print(outerLe([1, 2], t([1, 2])));", .expect = "DenseMatrix(2x2, int64_t)\n1 1\n0 1\n"},
    {.signature = "outerGt(lhs, rhs)", .op = "outerGt", .doc = "lhs[i] > rhs[j] as 0/1 for a column lhs and a row rhs.",
     .example = "print(outerGt([1, 2], t([1, 2])));", .expect = "DenseMatrix(2x2, int64_t)\n0 0\n1 0\n"},
    {.signature = "outerGe(lhs, rhs)", .op = "outerGe",
     .doc = "lhs[i] >= rhs[j] as 0/1 for a column lhs and a row rhs.",
     .example = "print(outerGe([1, 2], t([1, 2])));", .expect = "DenseMatrix(2x2, int64_t)\n1 0\n1 1\n"},
    {.signature = "outerAnd(lhs, rhs)", .op = "outerAnd",
     .doc = "lhs[i] && rhs[j] as 0/1 for a column lhs and a row rhs.",
     .example = "print(outerAnd([0, 2], t([0, 3])));", .expect = "DenseMatrix(2x2, int64_t)\n0 0\n0 1\n"},
    {.signature = "outerOr(lhs, rhs)", .op = "outerOr",
     .doc = "lhs[i] || rhs[j] as 0/1 for a column lhs and a row rhs.",
     .example = "print(outerOr([0, 2], t([0, 3])));", .expect = "DenseMatrix(2x2, int64_t)\n0 1\n1 1\n"},
    {.signature = "outerXor(lhs, rhs)", .op = "outerXor", .doc = "1 where exactly one of lhs[i] and rhs[j] is not 0.",
     .example = "print(outerXor([0, 2], t([0, 3])));", .expect = "DenseMatrix(2x2, int64_t)\n0 1\n1 0\n"},
    {.signature = "outerConcat(lhs, rhs)", .op = "outerConcat",
     .doc = "All pairs of strings joined, a column and a row.",
     .example = "print(outerConcat([\"a\", \"b\"], t([\"x\", \"y\"])));",
     .expect = "DenseMatrix(2x2, std::string)\nax ay\nbx by\n"},
};
// clang-format on

} // namespace

void addElementwise(Registry &registry) {
    registry.add(kOps);
    registry.add(kUnary);
    registry.add(kBinary);
    registry.add(kOuter);
}

} // namespace daphne::ops
