// SPDX-License-Identifier: Apache-2.0
/// Kernels: implementations of ops, found by mnemonic, called with Values.
///
/// Authors write plain typed functions; KernelTable::add<&f>("mnemonic")
/// derives arity, conversions and checks from f's C++ type:
///
///     Value fill(KernelCall &, const Value &value, size_t rows, size_t cols);
///     void addFill(KernelTable &t) { t.add<&fill>("fill"); }
///
/// Parameter types (after KernelCall&): const Value & (anything but a Csr),
/// AnyValue (anything), const Dense &, const Csr &, const Matrix & (a matrix in
/// that or either representation), const Frame &, size_t (a size: a
/// whole number >= 0), int64_t (a whole number: a position or a count), Seed,
/// double, bool (numeric scalars), const std::string &, std::span<const Value> or AnyValues (all remaining arguments;
/// last). Results: Value, void or std::array<Value, N>. A wrong argument gives
/// an Error naming op, position and what was found. Kernels throw
/// executionError(...) without position.
///
/// An op may have several implementations that differ in the representations
/// they take. A call goes to the one that needs the fewest arguments turned from
/// Csr into Dense, the first one added on ties; those arguments are converted.
/// Nothing else about a result may depend on the implementation.
///
/// A file src/kernels/Foo.cpp defines `void addFoo(KernelTable &)`; the build
/// writes the list of calls.
#pragma once

#include <array>
#include <span>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "base/Error.h"
#include "data/Value.h"
#include "kernels/RunContext.h"
#include "ops/OpName.h"

namespace daphne {

struct Kernel;
struct CellFunction;
struct Fold;

/// One call: borrowed arguments, room for results.
struct KernelCall {
    RunContext &context;
    const Kernel &kernel;
    std::span<Value> args;    ///< borrowed, except those in `consumable`
    std::span<Value> results; ///< empty Values to be filled
    uint64_t consumable = 0;  ///< bit k: nobody needs args[k] after this call; the kernel may take it
    Slot castTarget = {};     ///< only for `cast`: tag of the wanted kind/value type, see Cast.cpp
    uint64_t wantsCsr = 0;    ///< bit k: results[k] is to be a Csr; a kernel that returns a Dense gets it converted

    ops::OpName mnemonic() const;
    /// True if args[k] is a matrix whose cells nobody else can see any more: it may be updated in place.
    bool canTake(size_t k) const {
        return (consumable >> k & 1) && args[k].isMatrix() && !args[k].isCsr() && args[k].dense().isExclusive();
    }
    /// A result matrix: the storage of args[k] itself if it can be taken and has this type and shape (then
    /// element i may be written as soon as element i of the argument has been read), else a fresh one.
    Ref<Dense> reuseOrCreate(size_t k, ValueType type, size_t rows, size_t cols);
};

using KernelFn = void (*)(KernelCall &);

/// What a kernel's parameter converts its argument to; Any takes it as it is.
enum class ParamKind : uint8_t { Any, Size, Integer, Seed, Real, Bool };
/// Whether arguments for it must be whole numbers.
constexpr bool isWholeNumber(ParamKind kind) { return kind == ParamKind::Size || kind == ParamKind::Integer; }

/// Which values a parameter takes without a conversion.
enum class ArgForm : uint8_t {
    NotCsr, ///< anything but a Csr
    Csr,    ///< only a Csr
    Any,
};

struct Implementation {
    KernelFn run = nullptr;
    std::span<const ArgForm> forms = {}; ///< per parameter; derived from the C++ function
    ArgForm rest = ArgForm::NotCsr;      ///< arguments after those
    ArgForm form(size_t i) const { return i < forms.size() ? forms[i] : rest; }
};

struct Kernel {
    ops::OpName mnemonic;
    std::span<const ParamKind> params = {}; ///< of the first implementation
    std::vector<Implementation> implementations;
    const CellFunction *cells = nullptr; ///< what the operation does with a cell, if its kernel asks for that
    const Fold *fold = nullptr;          ///< how it folds cells, likewise

    /// Runs the implementation that fits best. call.kernel must be this one.
    void run(KernelCall &call) const;
    /// Whether an implementation takes arguments of these representations as they are.
    bool isNative(std::span<const bool> isCsr) const;
};

/// Parameter types that take every representation.
struct AnyValue {
    const Value &value;
};
struct AnyValues {
    std::span<const Value> values;
};

/// The start of a random sequence: any number, its fraction is cut off.
struct Seed {
    int64_t value;
};

/// Throws unless args[i], a number, is whole.
void needWholeNumber(const KernelCall &call, size_t i);
/// Throws "<op>: argument <i+1> must be <what>, got <type>".
[[noreturn]] void wrongArgument(const KernelCall &call, size_t i, std::string_view what);
/// "si64", "matrix<f64> 3x4", ... of a run-time value.
std::string describe(const Value &v);

namespace detail {

template <class T> struct FromValue;
template <> struct FromValue<const Value &> {
    static const Value &get(KernelCall &c, size_t i) { return c.args[i]; }
};
template <> struct FromValue<const Dense &> {
    static const Dense &get(KernelCall &c, size_t i) {
        if (!c.args[i].isMatrix())
            wrongArgument(c, i, "a matrix");
        return c.args[i].dense();
    }
};
template <> struct FromValue<const Csr &> {
    static const Csr &get(KernelCall &c, size_t i) { return c.args[i].csr(); }
};
template <> struct FromValue<const Matrix &> {
    static const Matrix &get(KernelCall &c, size_t i) {
        if (!c.args[i].isMatrix())
            wrongArgument(c, i, "a matrix");
        return c.args[i].matrix();
    }
};
template <> struct FromValue<AnyValue> {
    static AnyValue get(KernelCall &c, size_t i) { return {c.args[i]}; }
};
template <> struct FromValue<const Frame &> {
    static const Frame &get(KernelCall &c, size_t i) {
        if (!c.args[i].isFrame())
            wrongArgument(c, i, "a frame");
        return c.args[i].frame();
    }
};
template <> struct FromValue<const std::string &> {
    static const std::string &get(KernelCall &c, size_t i) {
        if (!c.args[i].isString())
            wrongArgument(c, i, "a string");
        return c.args[i].text();
    }
};
template <class T> struct NumberFromValue {
    static T get(KernelCall &c, size_t i) {
        if (!c.args[i].isScalar() || c.args[i].isString())
            wrongArgument(c, i, "a number");
        return c.args[i].as<T>();
    }
};
template <> struct FromValue<double> : NumberFromValue<double> {};
template <> struct FromValue<bool> : NumberFromValue<bool> {};
template <> struct FromValue<Seed> {
    static Seed get(KernelCall &c, size_t i) { return {NumberFromValue<int64_t>::get(c, i)}; }
};
template <> struct FromValue<int64_t> {
    static int64_t get(KernelCall &c, size_t i) {
        auto x = NumberFromValue<int64_t>::get(c, i);
        if (isFloat(c.args[i].scalarType()))
            needWholeNumber(c, i);
        return x;
    }
};
template <> struct FromValue<size_t> {
    static size_t get(KernelCall &c, size_t i) {
        if (NumberFromValue<double>::get(c, i) <= -1.0)
            wrongArgument(c, i, "a number >= 0");
        if (isFloat(c.args[i].scalarType()))
            needWholeNumber(c, i);
        return c.args[i].as<uint64_t>();
    }
};

template <class R> void store(KernelCall &c, R &&r) {
    if constexpr (std::is_same_v<std::decay_t<R>, Value>)
        c.results[0] = std::move(r);
    else
        for (size_t i = 0; i < r.size(); ++i)
            c.results[i] = std::move(r[i]);
}

template <class T>
constexpr bool kTakesRest = std::is_same_v<T, std::span<const Value>> || std::is_same_v<T, AnyValues>;

/// Calls F with arguments converted from call.args, as its signature says.
template <auto F, class R, class... P> struct Adapter {
    static constexpr size_t kCount = sizeof...(P);
    template <class T, size_t I> static decltype(auto) argument(KernelCall &c) {
        if constexpr (kTakesRest<T>)
            return T(c.args.subspan(std::min(I, c.args.size())));
        else
            return FromValue<T>::get(c, I);
    }
    template <size_t... I> static void call(KernelCall &c, std::index_sequence<I...>) {
        if constexpr (std::is_void_v<R>)
            F(c, argument<P, I>(c)...);
        else
            store(c, F(c, argument<P, I>(c)...));
    }
    static void run(KernelCall &c) {
        constexpr bool rest = (kTakesRest<P> || ... || false);
        if (c.args.size() < kCount - rest || (!rest && c.args.size() > kCount))
            throw internalError("kernel " + std::string(c.mnemonic()) + " called with " +
                                std::to_string(c.args.size()) + " arguments");
        call(c, std::make_index_sequence<kCount>{});
    }
};
template <class T> constexpr ParamKind paramKind() {
    if constexpr (std::is_same_v<T, size_t>)
        return ParamKind::Size;
    else if constexpr (std::is_same_v<T, int64_t>)
        return ParamKind::Integer;
    else if constexpr (std::is_same_v<T, Seed>)
        return ParamKind::Seed;
    else if constexpr (std::is_same_v<T, double>)
        return ParamKind::Real;
    else if constexpr (std::is_same_v<T, bool>)
        return ParamKind::Bool;
    else
        return ParamKind::Any;
}
template <class T> constexpr ArgForm argForm() {
    if constexpr (std::is_same_v<T, const Csr &>)
        return ArgForm::Csr;
    else if constexpr (std::is_same_v<T, AnyValue> || std::is_same_v<T, AnyValues> || std::is_same_v<T, const Matrix &>)
        return ArgForm::Any;
    else
        return ArgForm::NotCsr;
}
template <class... P> struct Params {
    static constexpr std::array<ParamKind, sizeof...(P)> kinds = {paramKind<P>()...};
    static constexpr std::array<ArgForm, sizeof...(P)> forms = {argForm<P>()...};
    static constexpr ArgForm rest = (std::is_same_v<P, AnyValues> || ... || false) ? ArgForm::Any : ArgForm::NotCsr;
};
template <auto F, class R, class... P> Implementation implementation(R (*)(KernelCall &, P...)) {
    return {&Adapter<F, R, P...>::run, Params<P...>::forms, Params<P...>::rest};
}
template <class R, class... P> std::span<const ParamKind> paramKinds(R (*)(KernelCall &, P...)) {
    return Params<P...>::kinds;
}

} // namespace detail

class KernelTable {
  public:
    /// All kernels, built on first use; immutable afterwards.
    static const KernelTable &get();
    /// Null if there is none.
    const Kernel *find(std::string_view mnemonic) const;

    /// For kernel files. The first implementation of an op.
    template <auto F> void add(ops::OpName mnemonic) {
        insert({mnemonic, detail::paramKinds(F), {detail::implementation<F>(F)}});
    }
    /// A kernel for many ops, which finds in call.kernel what this one does with cells.
    template <auto F> void add(ops::OpName mnemonic, const CellFunction &cells) {
        insert({mnemonic, detail::paramKinds(F), {detail::implementation<F>(F)}, &cells});
    }
    template <auto F> void add(ops::OpName mnemonic, const Fold &fold) {
        insert({mnemonic, detail::paramKinds(F), {detail::implementation<F>(F)}, nullptr, &fold});
    }
    /// One more implementation of an op, for other representations. Files may add them in any order.
    template <auto F> void addSparse(ops::OpName mnemonic) {
        variants.emplace_back(mnemonic, detail::implementation<F>(F));
    }

  private:
    void insert(Kernel kernel);
    void attachVariants();
    std::vector<std::pair<ops::OpName, Implementation>> variants; ///< until all kernels are there
    std::unordered_map<std::string_view, Kernel> kernels;
};

} // namespace daphne
