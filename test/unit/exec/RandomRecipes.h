// SPDX-License-Identifier: Apache-2.0
/// Random regions: operations a pipeline may hold, over inputs of all numeric
/// types, of shapes around the borders of vectors and blocks, in all
/// representations, with cells of several kinds. Most regions succeed; some
/// hold an operation that fails. The same seed gives the same region. Tests only.
#pragma once

#include <cmath>
#include <random>

#include "exec/Recipe.h"

namespace daphne::test {

/// What the cells of an input are drawn from.
enum class Cells : uint8_t { Small, Signed, Real, Positive, Unit, Special, Limits };

/// What a region may hold besides.
struct RecipeFeatures {
    bool unreadResults = false; ///< operations whose result nobody reads
    bool severalErrors = false; ///< several operations that fail: only the first one counts
    bool wantedCsr = false;     ///< operations whose result is to be a Csr
};

class RandomRecipes {
  public:
    explicit RandomRecipes(uint64_t seed, RecipeFeatures features = {}) : random(seed), features(features) {}

    Recipe make() {
        chooseShape();
        recipe.inputs.clear();
        for (size_t n = 1 + below(3); n > 0; --n)
            addInput(anyShape());
        if (oneIn(3) && rows > 1 && cols > 1) {
            sparseRegion = true;
            recipe.input(sparse(type(), rows, cols, oneIn(2)));
        }
        size_t wanted = oneIn(6) ? 8 + below(16) : 1 + below(8);
        for (size_t tries = 0; recipe.ops.size() < wanted && tries < 6 * wanted; ++tries)
            addOperation();
        chooseOutputs();
        recipe.consumable = oneIn(3) ? 0 : random();
        return std::move(recipe);
    }

    /// An input like another one: of the same type, shape and representation, with other cells.
    Value similar(const Value &v) {
        if (v.isScalar())
            return oneIn(2) || v.scalarType() == ValueType::Bool ? v : scalar(v.scalarType());
        if (v.isCsr())
            return sparse(v.valueType(), v.csr().rows(), v.csr().cols(), v.csr().isPattern());
        Value fresh = dense(v.valueType(), v.dense().rows(), v.dense().cols());
        return v.dense().contiguous() ? fresh : windowed(fresh);
    }

  private:
    using Id = Recipe::Id;
    struct Shape {
        size_t rows, cols;
    };

    // ---- choices

    size_t below(size_t n) { return std::uniform_int_distribution<size_t>(0, n - 1)(random); }
    bool oneIn(size_t n) { return below(n) == 0; }
    template <class T, size_t N> T anyOf(const T (&choices)[N]) { return choices[below(N)]; }

    ValueType type() {
        constexpr ValueType kFrequent[] = {ValueType::F64, ValueType::F64, ValueType::F32, ValueType::SI64};
        return oneIn(3) ? static_cast<ValueType>(below(size_t(ValueType::F64) + 1)) : anyOf(kFrequent);
    }

    void chooseShape() {
        constexpr size_t kRows[] = {1, 2, 3, 7, 8, 9, 15, 16, 17, 33, 100, 511, 512, 513, 1025, 4095, 4096, 4097, 8200};
        constexpr size_t kCols[] = {1, 1, 2, 3, 5, 7, 8, 9, 15, 16, 17, 23, 31, 33, 65, 257, 4095, 4096, 4097, 8200};
        size_t most = oneIn(10) ? 150000 : 20000;
        do {
            rows = anyOf(kRows);
            cols = anyOf(kCols);
        } while (rows * cols > most || rows * cols == 1);
        usual = anyOf(
            {Cells::Small, Cells::Signed, Cells::Real, Cells::Positive, Cells::Unit, Cells::Special, Cells::Limits});
    }
    template <class T> T anyOf(std::initializer_list<T> choices) { return choices.begin()[below(choices.size())]; }

    Shape anyShape() {
        switch (below(16)) {
        case 0:
        case 1: return {rows, 1};
        case 2:
        case 3: return {1, cols};
        case 4: return {cols, 1};
        case 5: return {1, 1};
        default: return {rows, cols};
        }
    }

    // ---- inputs

    template <class T> T cell(Cells kind) {
        using Limits = std::numeric_limits<T>;
        if constexpr (std::is_same_v<T, bool>) {
            return oneIn(2);
        } else if constexpr (std::is_integral_v<T>) {
            constexpr bool isSigned = std::is_signed_v<T>;
            switch (kind) {
            case Cells::Small: return static_cast<T>(below(6));
            case Cells::Positive: return static_cast<T>(1 + below(6));
            case Cells::Unit: return static_cast<T>(below(2));
            case Cells::Limits: return anyOf({Limits::min(), Limits::max(), T(Limits::max() / 2), T(0), T(1), T(-1)});
            default: return static_cast<T>(isSigned ? static_cast<int>(below(11)) - 5 : static_cast<int>(below(11)));
            }
        } else {
            auto between = [&](double low, double high) {
                return static_cast<T>(std::uniform_real_distribution<double>(low, high)(random));
            };
            switch (kind) {
            case Cells::Small: return static_cast<T>(below(6));
            case Cells::Signed: return static_cast<T>(below(11)) - 5;
            case Cells::Positive: return between(0.1, 4);
            case Cells::Unit: return between(-1, 1);
            case Cells::Limits:
                return anyOf({Limits::max(), Limits::lowest(), Limits::min(), Limits::denorm_min(),
                              T(9007199254740993.0), T(1e19), T(-9.3e18), T(4294967296.5), T(0)});
            case Cells::Special:
                if (oneIn(4))
                    return anyOf({Limits::quiet_NaN(), -Limits::quiet_NaN(), Limits::infinity(), -Limits::infinity(),
                                  T(-0.0), T(0), T(0.5), T(-2.5)});
                [[fallthrough]];
            default: return between(-3, 3);
            }
        }
    }
    Cells cells() {
        return oneIn(4) ? anyOf({Cells::Small, Cells::Signed, Cells::Real, Cells::Positive, Cells::Special}) : usual;
    }

    Value dense(ValueType t, size_t r, size_t c) {
        auto m = Dense::create(t, r, c);
        Cells kind = cells();
        withNumericType(t, [&]<class T>(TypeTag<T>) {
            T *out = m->mutableView<T>().data;
            for (size_t i = 0; i < r * c; ++i)
                out[i] = cell<T>(kind);
        });
        return m;
    }

    /// Rows are empty, short or long.
    Value sparse(ValueType t, size_t r, size_t c, bool pattern) {
        size_t before = oneIn(3) ? 1 + below(3) : 0, all = r + 2 * before;
        auto m = Dense::create(t, all, c, Buffer::Init::Zero);
        Cells kind = cells();
        size_t usualShare = anyOf({2u, 10u, 40u, 100u});
        withNumericType(t, [&]<class T>(TypeTag<T>) {
            auto out = m->template mutableView<T>();
            for (size_t i = 0; i < all; ++i) {
                size_t share = oneIn(4) ? 0 : oneIn(8) ? 100 : usualShare;
                for (size_t j = 0; j < c; ++j)
                    if (below(100) < share)
                        out(i, j) = pattern ? T(1) : cell<T>(kind);
            }
        });
        auto csr = toCsr(*m);
        if (pattern)
            csr = Csr::withStructureOf(*csr, t, BufferRef());
        return before ? Csr::rowWindow(*csr, before, before + r) : csr;
    }

    Value scalar(ValueType t) {
        return withNumericType(t, [&]<class T>(TypeTag<T>) { return Value::scalar(cell<T>(cells()), t); });
    }

    Id addInput(Shape s) {
        for (size_t i = 0; i < recipe.inputs.size(); ++i)
            if (const Value &v = recipe.inputs[i]; v.isMatrix() && hasShape(v, s) && oneIn(8))
                return recipe.input(v); // the same object twice
        Value v = dense(type(), s.rows, s.cols);
        return recipe.input(oneIn(4) && s.rows > 0 ? windowed(v) : v);
    }
    Id addScalar() { return recipe.input(scalar(type())); }

    // ---- values so far

    static bool hasShape(const Value &v, Shape s) { return v.matrix().rows() == s.rows && v.matrix().cols() == s.cols; }
    static Shape shapeOf(const Value &v) { return {v.matrix().rows(), v.matrix().cols()}; }

    const Value &value(Id id) const { return Recipe::isResult(id) ? results[Recipe::opOf(id)] : recipe.inputs[id]; }

    /// Values for which the condition holds, the latest more often.
    template <class Condition> std::optional<Id> find(Condition holds) {
        std::vector<Id> found;
        auto consider = [&](Id id, size_t times) {
            if (value(id).kind() != ValueKind::None && holds(value(id)))
                found.insert(found.end(), times, id);
        };
        for (size_t i = 0; i < recipe.inputs.size(); ++i)
            consider(static_cast<Id>(i), 1);
        for (size_t i = 0; i < results.size(); ++i)
            consider(static_cast<Id>(Recipe::kFirstResult + i), i + 2 >= results.size() ? 6 : 2);
        return found.empty() ? std::nullopt : std::optional(found[below(found.size())]);
    }
    Id anyMatrix() {
        bool withOneCell = oneIn(12);
        auto found = find(
            [&](const Value &v) { return v.isMatrix() && (withOneCell || shapeOf(v).rows * shapeOf(v).cols != 1); });
        return found ? *found : addInput({rows, cols});
    }
    Id matrixOf(Shape s) {
        auto found = find([&](const Value &v) { return v.isMatrix() && hasShape(v, s); });
        return found && !oneIn(4) ? *found : addInput(s);
    }
    std::optional<Id> anyCsr() {
        return find([](const Value &v) { return v.isCsr(); });
    }

    // ---- operations

    static bool isOfStrings(std::string_view name) { return name.ends_with("Concat"); }
    std::string_view anyOp(ops::Family family) {
        std::vector<std::string_view> names;
        for (const ops::OpInfo *op : ops::Registry::get().ops())
            if (op->family == family && KernelTable::get().find(op->mnemonic) && !isOfStrings(op->mnemonic))
                names.push_back(op->mnemonic);
        return names[below(names.size())];
    }
    /// The ones that are fused, or any.
    std::string_view aggregate(std::string_view axis, ops::Family family) {
        if (oneIn(5))
            return anyOp(family);
        std::string name = anyOf({"sum", "mean", "min", "max"}) + std::string(axis);
        return ops::Registry::get().findOp(name)->mnemonic;
    }

    void addOperation() {
        if (sparseRegion && oneIn(3))
            return addSparse();
        switch (below(20)) {
        case 0:
        case 1:
        case 2:
        case 3: return tryAdd({anyOp(ops::Family::EwUnary), {anyMatrix()}});
        case 4: return addConditional();
        case 5: return addCast();
        case 6: return addOuter();
        case 7:
        case 8: return tryAdd({aggregate("Row", ops::Family::AggRow), {anyMatrix()}});
        case 9:
        case 10: return tryAdd({aggregate("Col", ops::Family::AggCol), {anyMatrix()}});
        case 11:
        case 12: return tryAdd({aggregate("All", ops::Family::AggAll), {anyMatrix()}});
        case 13:
        case 14: return addProduct();
        default: return addBinary();
        }
    }

    void addBinary() {
        Id a = anyMatrix(), b;
        Shape s = shapeOf(value(a));
        switch (below(7)) {
        case 0: b = addScalar(); break;
        case 1: b = matrixOf({1, s.cols}); break;
        case 2: b = matrixOf({s.rows, 1}); break;
        case 3: b = oneIn(20) ? anyMatrix() : matrixOf({1, 1}); break;
        default: b = matrixOf(s);
        }
        if (oneIn(3))
            std::swap(a, b);
        std::string_view name = anyOp(ops::Family::EwBinary);
        if (oneIn(12)) {
            name = "ewPow";
            b = recipe.input(Value::scalar(anyOf({2.0, 3.0, -1.0, 0.5, -0.5, -1.5, 1.5, 1.0, 0.0, 2.5})));
        } else if (oneIn(20)) {
            name = "ewPow";
            b = recipe.input(Value::scalar(anyOf({int64_t(2), int64_t(3), int64_t(-1), int64_t(0)})));
        }
        tryAdd({name, {a, b}});
    }

    void addConditional() {
        Id c = anyMatrix();
        Shape s = shapeOf(value(c));
        ValueType t = type();
        auto branch = [&] {
            auto found = find([&](const Value &v) { return v.isMatrix() && hasShape(v, s) && v.valueType() == t; });
            if (oneIn(3))
                return recipe.input(scalar(t));
            return found ? *found : recipe.input(dense(t, s.rows, s.cols));
        };
        Id yes = branch(), no = branch();
        tryAdd({"cond", {c, yes, no}});
    }

    void addCast() {
        Id x = anyMatrix();
        bool toScalar = shapeOf(value(x)).rows * shapeOf(value(x)).cols == 1 && oneIn(2);
        ValueKind kind = toScalar ? ValueKind::Scalar : oneIn(2) ? ValueKind::None : ValueKind::Matrix;
        tryAdd({"cast", {x}, Recipe::castTag(kind, type())});
    }

    void addOuter() {
        size_t n = anyOf({rows, cols}), m = anyOf({cols, rows});
        if (n * m > kMostCells)
            return;
        tryAdd({anyOp(ops::Family::Outer), {matrixOf({n, 1}), matrixOf({1, m})}});
    }

    void addProduct() {
        Id a = anyMatrix();
        Shape s = shapeOf(value(a));
        if (oneIn(5))
            return tryAdd({"transpose", {a}});
        if (oneIn(5))
            return tryAdd({"gemv", {a, matrixOf({s.rows, 1})}});
        bool left = oneIn(3), right = oneIn(3);
        size_t inner = left ? s.rows : s.cols, outside = left ? s.cols : s.rows;
        size_t width = inner == 1 ? anyOf({cols, rows, size_t(1)})
                       : oneIn(3) ? anyOf({2, 3, 4, 7, 8, 10, 15, 16, 17, 65})
                                  : 1;
        if (outside * width > kMostCells || outside * width * inner > 8 * kMostCells)
            return;
        Id b = matrixOf(right ? Shape{width, inner} : Shape{inner, width});
        Id leftFlag = recipe.input(Value::scalar(left)), rightFlag = recipe.input(Value::scalar(right));
        tryAdd({"matMul", {a, b, leftFlag, rightFlag}});
    }

    /// What graph algorithms do with a sparse matrix: change its stored cells, then aggregate its rows.
    void addSparse() {
        std::optional<Id> x = anyCsr();
        if (!x)
            return addBinary();
        Shape s = shapeOf(value(*x));
        switch (below(8)) {
        case 0:
        case 1: return tryAdd({"ewMul", {*x, matrixOf({1, s.cols})}});
        case 2: return tryAdd({"ewMul", {matrixOf({s.rows, 1}), *x}});
        case 3: return tryAdd({"ewMul", {*x, addScalar()}});
        case 4: return tryAdd({anyOf({"ewAbs", "ewMinus", "ewSign", "ewSqrt", "ewRound", "ewTanh", "ewIsnan"}), {*x}});
        case 5:
        case 6: return tryAdd({aggregate("Row", ops::Family::AggRow), {*x}});
        default: {
            Id v = matrixOf({s.cols, 1}), flag = recipe.input(Value::scalar(false));
            return tryAdd({"matMul", {*x, v, flag, flag}});
        }
        }
    }

    /// Adds the operation unless it is too large, or fails and failures are not wanted now.
    void tryAdd(Recipe::Op op) {
        std::vector<Value> args;
        std::vector<ops::Arg> facts;
        bool anySparse = false;
        for (Id id : op.operands) {
            args.push_back(value(id));
            const Value &v = args.back();
            facts.push_back({v.isScalar() ? ops::TypeDesc::scalar(v.scalarType())
                                          : ops::TypeDesc::matrix(v.valueType(), int64_t(v.matrix().rows()),
                                                                  int64_t(v.matrix().cols())),
                             {}});
            anySparse |= v.isCsr();
        }
        const ops::OpInfo &info = *ops::Registry::get().findOp(op.mnemonic);
        try {
            if (!oneIn(5))
                op.expectedTag = expectedTag(info, op, facts, anySparse);
        } catch (const Error &) {
            // certainly wrong: the kernel will say so
        }
        Value result;
        try {
            result = runKernel(op, args);
        } catch (const Error &e) {
            bool wanted = fails ? features.severalErrors : oneIn(4);
            if (e.stage == Stage::Internal || !wanted)
                return;
            fails = true;
        }
        recipe.ops.push_back(std::move(op));
        results.push_back(std::move(result));
    }

    /// As the compiler would.
    uint64_t expectedTag(const ops::OpInfo &info, const Recipe::Op &op, std::span<const ops::Arg> facts,
                         bool anySparse) {
        ops::TypeDesc target;
        if (op.mnemonic == "cast") {
            target.kind = static_cast<ops::Kind>(op.castTarget & 0xff);
            target.valueType = static_cast<ValueType>(op.castTarget >> 8 & 0xff);
        }
        ops::TypeDesc t = info.infer({info, facts, target})[0];
        if (t.isScalar())
            return slotTag(ValueKind::Scalar, t.valueType);
        if (!t.isMatrix())
            return 0;
        return slotTag(ValueKind::Matrix) | (features.wantedCsr && oneIn(anySparse ? 4 : 15) ? exec::kWantsCsr : 0);
    }

    void chooseOutputs() {
        std::vector<bool> read(recipe.ops.size());
        for (const Recipe::Op &op : recipe.ops)
            for (Id id : op.operands)
                if (Recipe::isResult(id))
                    read[Recipe::opOf(id)] = true;
        for (size_t i = 0; i < recipe.ops.size(); ++i)
            if (read[i] ? oneIn(results[i].isCsr() ? 12 : 4) : !(features.unreadResults && oneIn(4)))
                recipe.output(static_cast<Id>(Recipe::kFirstResult + i));
    }

    static constexpr size_t kMostCells = 200000;

    std::mt19937_64 random;
    const RecipeFeatures features;
    Recipe recipe;
    std::vector<Value> results; ///< of the operations; none if it failed
    size_t rows = 1, cols = 1;
    Cells usual = Cells::Real;
    bool sparseRegion = false, fails = false;
};

} // namespace daphne::test
