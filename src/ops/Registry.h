// SPDX-License-Identifier: Apache-2.0
/// THE registry: what is known about every operation and every builtin, written
/// once. Parser (names, arity, keywords, defaults), irgen (which operation),
/// inference, simplification, code generation, kernels (by mnemonic), docs and
/// tests read these rows. MLIR-free.
///
/// Vocabulary: a *builtin* is a name callable in DaphneDSL; an *op* is an
/// operation of DaphneIR (several builtins and operators may map to one op, and
/// one builtin to several ops: sum is sumAll, sumRow, sumCol or sumGrp); a *kernel* is
/// an implementation of an op.
///
/// A theme file src/ops/Foo.cpp defines `void addFoo(Registry &)`; the build
/// writes the list of calls.
#pragma once

#include <concepts>
#include <limits>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "ops/TypeDesc.h"

namespace daphne::ops {

enum class Family : uint8_t {
    EwUnary,    ///< cell by cell, one operand
    EwBinary,   ///< cell by cell with broadcasting, two operands
    Outer,      ///< all pairs of a column and a row
    AggAll,     ///< matrix -> scalar
    AggRow,     ///< matrix n x m -> n x 1
    AggCol,     ///< matrix n x m -> 1 x m
    Cumulative, ///< down each column
    Call,       ///< anything else
};

/// The name of an operation as its row writes it. Names written elsewhere are OpNames (ops/OpName.h).
struct Mnemonic : std::string_view {
    constexpr Mnemonic() = default;
    constexpr Mnemonic(const char *text) : std::string_view(text) {}
    constexpr explicit Mnemonic(std::string_view text) : std::string_view(text) {}
};
template <std::same_as<Mnemonic> M> constexpr bool operator==(const M &a, const M &b) {
    return std::string_view(a) == std::string_view(b);
}

/// What a cell of an elementwise operation costs; Costly: more than reading the result back from the cache.
enum class Cost : uint8_t { Cheap, Costly };

/// Where a function of one number is defined: low <= x <= high, and for NaN.
struct Domain {
    double low = -std::numeric_limits<double>::infinity(), high = std::numeric_limits<double>::infinity();
    constexpr bool isEverything() const { return low == Domain().low && high == Domain().high; }
};

/// Aggregates that loops fuse: cells are prepared and folded; the result is finished and gets the type of inference.
struct FoldFacts {
    enum class Prepare : uint8_t {
        Nothing,
        Count, ///< what they are added up in: ops::sumPrecision()
        Float, ///< f64
        Truth, ///< whether it is not 0
    };
    enum class Finish : uint8_t { Nothing, DivideByCount };
    std::string_view combine = {}; ///< what kernels/folds/Folds.h names; empty: only the kernel knows
    Prepare prepare = Prepare::Nothing;
    Finish finish = Finish::Nothing;
};

struct OpInfo;

/// Input of an inference rule.
struct InferCall {
    const OpInfo &op;
    std::span<const Arg> args;
    TypeDesc castTarget; ///< only for `cast`: requested kind (Unknown = keep) and value type (Unknown = keep)

    const TypeDesc &type(size_t i) const { return args[i].type; }
    /// The constant value of operand i as a dimension, -1 if not known or not a number.
    int64_t dimension(size_t i) const;
};

/// Result types of an op. Unknown operand facts give unknown result facts. Throws Error(Stage::Compile) without a
/// position if the operands are certain to be wrong: wrong kinds or value types, or known shapes that do not fit.
using InferFn = std::vector<TypeDesc> (*)(const InferCall &);

/// Whether executing the op with operands of these types can raise an error. Called only after infer succeeded.
/// Null: never.
using FaultFn = bool (*)(const InferCall &);

/// What an op does besides computing its results from the cells of its operands: a set.
enum class Effect : uint8_t {
    None = 0,
    ReadsFile = 1, ///< result 0 is the content of the file that operand 0 names: a matrix, a frame if operand 1 is true
    WritesFile = 2,  ///< files have changed afterwards
    KeepsStored = 4, ///< result 0 of a sparse operand 0 stores the same cells, unless some have become zero
};
constexpr Effect operator|(Effect a, Effect b) {
    return static_cast<Effect>(static_cast<uint8_t>(a) | static_cast<uint8_t>(b));
}
constexpr bool has(Effect all, Effect one) { return (static_cast<uint8_t>(all) & static_cast<uint8_t>(one)) != 0; }

/// What a product of matrices multiplies.
enum class ProductForm : uint8_t {
    None,     ///< it is no product
    TwoSides, ///< operands: left-hand side, right-hand side, whether each of them is transposed
    Gram,     ///< the transposed operand with the operand
};

constexpr uint8_t kVariadic = 255;

struct OpInfo {
    Mnemonic mnemonic; ///< "ewAdd", "sumAll"
    Family family = Family::Call;
    uint8_t minArgs = 1, maxArgs = 1; ///< maxArgs == kVariadic: any number
    uint8_t numResults = 1;
    InferFn infer = nullptr;
    FaultFn mayFail = nullptr;
    bool sideEffect = false;     ///< prints, writes, reads the clock, draws an unseeded random number ...
    bool commutative = false;    ///< swapping the two operands changes nothing
    bool zeroPreserving = false; ///< f(0) = 0 or f(0, 0) = 0
    uint8_t reusable = 0;        ///< bit k: the kernel can build its result in the storage of operand k
    /// Operations that apply a function to cells: the operation that gives the function its name in kernels/cells,
    /// which is "ewAdd" for ewAdd and outerAdd. Empty: it works on strings only, or not cell by cell.
    Mnemonic cells = {};
    Cost cost = Cost::Cheap; ///< of that function
    Domain domain = {};      ///< of that function, if it has one argument
    FoldFacts fold = {};     ///< aggregates
    Effect effects = Effect::None;
    ProductForm product = ProductForm::None;
};

enum class ResultAtParse : uint8_t { Inferred, Unknown };

struct Builtin {
    /// "seq(from, to, inc = 1)": names, which are keywords too; `= literal` is a default that is passed;
    /// `[, x]` optional without default; `...` after a name: any number of further arguments; what follows is given by
    /// keyword.
    /// The text before "(" is the builtin's name.
    std::string_view signature;
    Mnemonic op;                     ///< the op it calls
    Mnemonic rowOp = {}, colOp = {}; ///< aggregates: op for axis 0 / 1 (the last parameter but numGroups)
    Mnemonic groupOp = {};           ///< aggregates: op for f(arg, groupIds, numGroups)
    /// Not empty: calls of the builtin of this name with this keyword mean this row. All its parameters have defaults
    /// but the first one; `axis = none` is that over all cells.
    std::string_view formWithKeyword = {};
    bool positionalOnly = false;
    bool chains = false;            ///< f(a, b, c) is op(op(a, b), c): the op takes two operands
    uint8_t parseTimeConstants = 0; ///< bit k: argument k must be a parse-time constant (besides the axis)
    ResultAtParse atParse =
        ResultAtParse::Inferred; ///< Unknown: the parser must not use the inferred type (language 3.3)
    std::string_view doc = {};
    std::string_view example = {}; ///< runnable script
    std::string_view expect = {};  ///< its exact output
};

/// A builtin with its signature taken apart.
struct BuiltinInfo {
    struct Param {
        std::string_view name;
        bool optional = false;
        std::string_view defaultLiteral; ///< "" if none
    };
    const Builtin *row = nullptr;
    std::string_view name;
    std::string_view theme; ///< name of the file with its row: "LinearAlgebra"
    std::vector<Param> params;
    bool variadic = false;
    size_t variadicParam = 0; ///< the one that stands for any number; those behind it are given by keyword
    size_t numRequired = 0;
    /// A call with an axis, a parse-time constant 0 or 1, calls rowOp or colOp with the other arguments.
    bool hasAxis() const { return !row->rowOp.empty(); }
    /// Position of the axis among the parameters; only if hasAxis().
    size_t axisPosition() const { return isForm() ? 1 : params.size() - (row->groupOp.empty() ? 1 : 2); }
    bool isAxisCall(size_t numArgs) const { return hasAxis() && (isForm() || numArgs == axisPosition() + 1); }
    bool isForm() const { return !row->formWithKeyword.empty(); }
    bool isGroupedCall(size_t numArgs) const { return !row->groupOp.empty() && numArgs == params.size(); }
};

class Registry {
  public:
    /// The registry of all rows, built on first use; immutable afterwards.
    static const Registry &get();

    /// Null if there is none.
    const OpInfo *findOp(std::string_view mnemonic) const;
    const BuiltinInfo *findBuiltin(std::string_view name) const;
    /// The form of a builtin for calls with these keywords, the first one in the table; null if there is none.
    const BuiltinInfo *findForm(std::string_view name, std::span<const std::string_view> keywords) const;
    /// One that calls this op; null if the language has no name for it.
    const BuiltinInfo *builtinOf(std::string_view mnemonic) const;
    /// Without forms.
    std::span<const BuiltinInfo> builtins() const { return allBuiltins; }
    std::vector<const OpInfo *> ops() const;

    /// For theme files: rows must have static storage duration. A duplicate name is an internal error.
    void add(std::span<const OpInfo> rows);
    void add(std::span<const Builtin> rows);

  private:
    struct Hash;
    Registry();
    std::vector<const OpInfo *> opTable;  ///< sorted by mnemonic
    std::vector<BuiltinInfo> allBuiltins; ///< sorted by name
    std::vector<BuiltinInfo> forms;
    std::string_view currentTheme; ///< of the rows being added
};

/// Mnemonic of an infix operator ("+" -> "ewAdd"); empty if there is none.
Mnemonic operatorMnemonic(std::string_view token);
/// The operators that have one.
std::vector<std::string_view> operatorTokens();
/// How the op is written in the language, for messages: "+" for ewAdd, else the mnemonic.
std::string_view userName(std::string_view mnemonic);

} // namespace daphne::ops
