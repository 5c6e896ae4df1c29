// SPDX-License-Identifier: Apache-2.0
/// The state of IR generation; private to src/irgen. Methods are spread over
/// Emit.cpp (operations), Expressions.cpp, Conditions.cpp, Indexing.cpp,
/// Literals.cpp, Calls.cpp, Functions.cpp, FunctionValues.cpp, SecondOrder.cpp,
/// Statements.cpp, Loops.cpp, Elements.cpp and Try.cpp.
#pragma once

#include <deque>
#include <map>
#include <set>
#include <unordered_map>

#include "base/CallTrace.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "llvm/ADT/DenseSet.h"

#include "base/Error.h"
#include "ir/Dialect.h"
#include "irgen/FunctionValues.h"
#include "irgen/IrGen.h"
#include "lang/dsl/Ast.h"
#include "lang/dsl/Elements.h"
#include "lang/dsl/Functions.h"

namespace daphne::irgen {

/// Thrown after a `daphne.fail` has been emitted: the rest of the block never runs.
struct DeadCode {};

/// Where an operation comes from: the position of its error and labels for its operands.
struct Site {
    SourceSpan span;
    std::vector<SourceSpan> operands; ///< spans for labels; may be empty
};

class Generator {
  public:
    Generator(mlir::MLIRContext &context, const GenerateOptions &options);
    Result run(const lang::CheckedScript &program);

  private:
    // ---- names
    using Variables = std::unordered_map<std::string_view, mlir::Value>;
    using FunctionTable = std::map<std::string, std::vector<const lang::FuncDef *>, std::less<>>;

    /// Innermost scope last. Functions and imported scripts have their own stack.
    std::vector<Variables> scopes;
    mlir::Value *find(std::string_view name);
    void assign(std::string_view name, mlir::Value value, SourceSpan span);
    std::vector<const lang::FuncDef *> visibleFunctions(std::string_view name, SourceSpan at);
    const FunctionTable &functionsOf(const lang::Script *script);
    static void addImported(const lang::Import &import, FunctionTable &table);
    std::map<const lang::Script *, FunctionTable> functionTables;
    const lang::Script *script = nullptr;     ///< whose names are visible
    const lang::Script *mainScript = nullptr; ///< the one that also sees the session

    // ---- how control leaves the statements generated so far
    struct Exits {
        enum Way : uint8_t { Falls = 1, Continues = 2, Breaks = 4, Returns = 8 };
        static constexpr uint8_t kGoesOn = Falls | Continues; ///< to the next turn of a loop
        uint8_t ways = Falls;                 ///< those that are possible; none: the point is never reached
        mlir::Value way = {};                 ///< which one it is, as si64, if there are several
        std::vector<mlir::Value> values = {}; ///< returned ones

        bool falls() const { return ways & Falls; }
        bool isSeveral() const { return ways & (ways - 1); }
        bool leavesEarly() const { return ways & (Breaks | Returns); }
        /// Whether anybody sees the variables of this function afterwards.
        bool keepVariables() const { return ways & (Falls | Continues | Breaks); }
        /// Of a loop whose body ends like this, and that has no other end if it is endless; `way` and `values` are
        /// those of the loop.
        Exits afterLoop(bool isEndless) const {
            bool falls = !isEndless || (ways & Breaks);
            return {.ways = static_cast<uint8_t>((falls ? Falls : 0) | (ways & Returns))};
        }
    };
    Exits exits;
    bool inFunction = false;

    // ---- Emit.cpp
    ops::TypeDesc typeOf(mlir::Value v) const { return ir::toTypeDesc(v.getType()); }
    mlir::Type irType(const ops::TypeDesc &t) { return ir::toIrType(&context, t); }
    mlir::Location loc(SourceSpan span) { return ir::locationOf(&context, span); }
    mlir::Value constant(const ops::Constant &c, SourceSpan span) { return ir::makeConstant(builder, loc(span), c); }
    mlir::Value boolConstant(bool value, SourceSpan span);
    mlir::Value intConstant(int64_t value, SourceSpan span);
    mlir::Value undef(mlir::Type type);
    /// A failure that is certain if this point is reached: throws it, or emits `daphne.fail` and throws DeadCode.
    [[noreturn]] void raise(Error error);
    /// Result types of an operation.
    std::vector<ops::TypeDesc> infer(ops::OpName mnemonic, std::vector<ops::Arg> args, const Site &site,
                                     ops::TypeDesc castTarget = {});
    std::vector<mlir::Value> emitMulti(ops::OpName mnemonic, mlir::ValueRange operands, const Site &site,
                                       std::string_view hint = {}, ops::TypeDesc castTarget = {});
    mlir::Value emit(ops::OpName mnemonic, mlir::ValueRange operands, const Site &site, std::string_view hint = {}) {
        return emitMulti(mnemonic, operands, site, hint).front();
    }
    mlir::Value emitCast(mlir::Value v, ops::TypeDesc target, SourceSpan span);
    /// A position, bound or size of any numeric type as si64; fails unless it is a whole number.
    mlir::Value position(mlir::Value v, SourceSpan span);
    /// v with the given (compatible) type; adds a run-time check where facts are added.
    mlir::Value adapt(mlir::Value v, const ops::TypeDesc &type, SourceSpan span);
    /// The same for numbers of a type that widens to the given one.
    mlir::Value convert(mlir::Value v, const ops::TypeDesc &type, SourceSpan span);
    mlir::Type scalarType(ValueType type) { return ir::scalarType(&context, type); }
    /// Truth value of a scalar or 1x1 matrix as i1.
    mlir::Value emitCondition(mlir::Value v, SourceSpan span);
    std::optional<bool> constantBool(mlir::Value v);
    bool tryFold(const ops::OpInfo &info, mlir::ValueRange operands, const ops::TypeDesc &castTarget,
                 llvm::ArrayRef<mlir::Type> results, SourceSpan span, std::vector<mlir::Value> &folded);
    void checkWholeNumbers(const ops::OpInfo &info, llvm::ArrayRef<ops::Arg> args, const Site &site);
    void checkHint(const ops::OpInfo &info, std::string_view hint, mlir::ValueRange operands,
                   const std::vector<ops::TypeDesc> &results, SourceSpan span);

    // ---- Expressions.cpp, Indexing.cpp, Literals.cpp, Calls.cpp
    mlir::Value expr(const lang::Expr *e);
    std::vector<mlir::Value> exprMulti(const lang::Expr *e);
    mlir::Value binary(const lang::Binary &e);
    mlir::Value combine(std::string_view op, mlir::Value lhs, mlir::Value rhs, const Site &site,
                        std::string_view hint = {});
    mlir::Value castExpr(const lang::Cast &e);
    mlir::Value matrixLiteral(const lang::MatrixLit &e);
    mlir::Value constantMatrix(llvm::ArrayRef<ops::Constant> cells, int64_t rows, int64_t cols, SourceSpan span);
    mlir::Value frameColumns(const lang::FrameColumns &e);
    mlir::Value frameRows(const lang::FrameRows &e);
    mlir::Value indexExpr(const lang::Index &e);
    mlir::Value elementExpr(const lang::Element &e);
    mlir::Value asList(mlir::Value v, SourceSpan span);
    mlir::Value filterExpr(const lang::Filter &e);
    /// What is selected of a matrix or frame, its operands evaluated.
    struct Selection {
        struct Part {
            enum class Form {
                All,
                Single,    ///< the range lo : hi of one position
                Range,     ///< lo : hi
                Marks,     ///< those for which the column lo is not 0
                Positions, ///< those whose positions are in the column lo; it may turn out to be of bool
                Label,     ///< the column whose label is lo
            };
            Form form = Form::All;
            mlir::Value lo, hi;
        };
        std::vector<mlir::Value> elements = {}; ///< positions in lists, outermost first
        bool isPart = true;                     ///< of the element, or of the value itself; false: all of it
        Part rows, cols;
        mlir::Value cells; ///< x[[cells]]
        SourceSpan span;
    };
    Selection selection(mlir::Value base, const lang::Target &target, SourceSpan span);
    Selection::Part overwritten(mlir::Value index, SourceSpan span);
    Selection::Part selectionPart(mlir::Value base, const lang::IndexPart &part, bool rows, SourceSpan span);
    mlir::Value asTable(mlir::Value base, SourceSpan span);
    mlir::Value indexable(mlir::Value base, const lang::Index &index, SourceSpan span);
    mlir::Value select(mlir::Value base, const Selection::Part &part, bool rows, SourceSpan span);
    mlir::Value read(mlir::Value base, const Selection &s);
    mlir::Value replaced(mlir::Value base, const Selection &s, mlir::Value value, size_t level = 0);
    mlir::Value replacePart(mlir::Value base, const Selection &s, mlir::Value value);
    mlir::Value replaceColumn(mlir::Value base, const Selection &s, mlir::Value value);
    void noteComparison(const lang::Expr *index, mlir::Value value);
    std::vector<mlir::Value> call(const lang::Call &e);
    std::vector<mlir::Value> callBuiltin(const lang::Call &e, const ops::BuiltinInfo &builtin);
    mlir::Value chain(ops::OpName mnemonic, std::vector<mlir::Value> operands, const Site &site, std::string_view hint);
    std::vector<mlir::Value> callPrint(const lang::Call &e);
    std::vector<mlir::Value> callSecondOrder(const lang::Call &e, const ops::BuiltinInfo &builtin);
    std::vector<mlir::Value> readFile(const lang::Call &e, std::vector<mlir::Value> operands, bool isFrame);
    void assertion(const lang::Call &e, const std::vector<const lang::Expr *> &args);
    void noteWrite(mlir::Value filename);
    bool mayBeWritten(const std::string &filename) const;
    mlir::Value defaultValue(std::string_view literal, SourceSpan span);

    // ---- Conditions.cpp
    /// Operations generated aside, and the value they end with; none if they never come to their end.
    struct Aside {
        std::unique_ptr<mlir::Block> block;
        mlir::Value value;
    };
    Aside aside(llvm::function_ref<mlir::Value()> body);
    mlir::Value runAlways(Aside &part);
    mlir::Value runIf(mlir::Value condition, Aside thenPart, Aside elsePart, const ops::TypeDesc &type,
                      SourceSpan span);
    mlir::Value logical(const lang::Binary &e, mlir::Value lhs);
    mlir::Value decides(mlir::Value v, bool truth, SourceSpan span);
    mlir::Value logicalAtRunTime(const lang::Binary &e, mlir::Value lhs);
    mlir::Value conditionalAtRunTime(const lang::Cond &e, mlir::Value condition);
    mlir::Value conditional(const lang::Cond &e);
    /// Truth value, as i1, of an expression that decides what runs.
    mlir::Value condition(const lang::Expr *e);

    // ---- Functions.cpp
    struct Specialisation {
        mlir::func::FuncOp op;
        std::vector<ops::TypeDesc> results;
        bool neverReturns = false; ///< every path ends in stop() or a certain failure
        bool finished = false;     ///< the body has been generated
        bool usesDeclared = false; ///< results have the declared types: a call came before the body was known
        std::map<std::string, ops::TypeDesc> registered; ///< views registered inside
    };
    std::vector<mlir::Value> callFunction(const lang::Call &e, const std::vector<const lang::FuncDef *> &candidates);
    /// Calls one of the definitions with these values; e tells their keywords and places.
    std::vector<mlir::Value> callDefinition(const lang::Call &e, const std::vector<mlir::Value> &values,
                                            const std::vector<const lang::FuncDef *> &candidates);
    /// What is known of an argument; `function`: which form of function it is, -1 if that is not known.
    struct Argument : ops::Arg {
        int32_t function = -1;
    };
    static std::string keyOf(const lang::FuncDef &def, const std::vector<Argument> &args);
    /// The definition that is called, and which argument each of its parameters gets.
    struct Chosen {
        const lang::FuncDef *def;
        lang::Bound bound;
    };
    Chosen chooseOverload(const std::vector<const lang::FuncDef *> &candidates, const std::vector<ops::TypeDesc> &types,
                          const lang::Call &e);
    mlir::Value defaultOf(const lang::FuncDef &def, size_t param, llvm::ArrayRef<mlir::Value> earlier);
    mlir::Value valueOfParam(mlir::Value v, const lang::Param &param, SourceSpan span);
    Argument argumentOf(mlir::Value v);
    const Specialisation &specialiseFor(SourceSpan call, const lang::FuncDef &def, std::vector<Argument> args);
    const Specialisation &specialise(const lang::FuncDef &def, std::vector<Argument> args);
    void generateBody(const lang::FuncDef &def, Specialisation &target, const std::vector<Argument> &args);
    void finishFunction(const lang::FuncDef &def, Specialisation &target);
    void setResults(Specialisation &target);
    void neverCalled(mlir::func::FuncOp op);
    std::map<std::string, std::unique_ptr<Specialisation>> specialisations;
    std::map<const lang::Block *, int> numSpecialisations; ///< by body: forms of one lambda have one
    std::vector<const lang::Block *> inProgress;
    std::vector<CallInScript> callChain; ///< that led to the function being generated, the outermost first
    void noteUnusedComparison(const lang::Expr *statement);
    void warn(std::string text, std::string hint, SourceSpan where);
    bool steers(const lang::FuncDef &def, std::string_view param);
    std::map<const lang::FuncDef *, std::vector<std::string_view>> steering;
    int numFunctions = 0;

    // ---- FunctionValues.cpp, SecondOrder.cpp
    struct KnownFunction {
        int32_t number;
        mlir::ValueRange captured;
    };
    struct Dispatcher {
        mlir::func::FuncOp op;
        std::vector<ops::TypeDesc> types; ///< of the arguments
        std::vector<std::pair<int32_t, mlir::func::FuncOp>> alternatives;
        SourceSpan span;
        size_t numSeen = 0; ///< forms that were looked at
    };
    mlir::Value lambda(const lang::Lambda &e);
    mlir::Value functionNamed(const lang::Var &name);
    mlir::Value makeFunction(int32_t number, mlir::ValueRange captured, SourceSpan span);
    std::optional<KnownFunction> functionOf(mlir::Value v);
    mlir::Value functionInSight(mlir::Value v, int32_t number, SourceSpan span);
    mlir::Value partsOf(mlir::Value v, SourceSpan span);
    std::vector<mlir::Value> capturedBy(mlir::Value parts, const FunctionForm &form, SourceSpan span);
    std::vector<mlir::Value> callValue(const lang::Call &e, mlir::Value function);
    std::vector<mlir::Value> invoke(mlir::Value function, const std::vector<mlir::Value> &args, const lang::Call &e);
    std::vector<mlir::Value> invoke(const FunctionForm &form, std::vector<mlir::Value> captured,
                                    const std::vector<mlir::Value> &args, const lang::Call &e);
    mlir::Value callUnknown(mlir::Value function, const std::vector<mlir::Value> &args, SourceSpan span);
    mlir::func::FuncOp newFunction(llvm::StringRef name, llvm::ArrayRef<mlir::Type> inputs,
                                   llvm::ArrayRef<mlir::Type> results, SourceSpan span);
    mlir::func::FuncOp alternative(const Dispatcher &d, const FunctionForm &form);
    mlir::Value choose(const Dispatcher &d, mlir::Value number, mlir::ValueRange operands, size_t next);
    void finishDispatchers();
    using Step = llvm::function_ref<std::vector<mlir::Value>(mlir::Value, const std::vector<mlir::Value> &)>;
    std::vector<mlir::Value> loopOver(mlir::Value count, llvm::ArrayRef<mlir::Value> inits, SourceSpan span, Step step);
    mlir::Value applied(mlir::Value function, const std::vector<mlir::Value> &args, const lang::Call &e);
    ops::TypeDesc typeApplied(mlir::Value function, const std::vector<ops::TypeDesc> &args, const lang::Call &e);
    mlir::Value lengthOf(mlir::Value x, SourceSpan span, bool rows = true);
    mlir::Value partAt(mlir::Value x, mlir::Value i, SourceSpan span, bool rows = true);
    void needParts(mlir::Value &x, const lang::Call &e, bool frames);
    mlir::Value mapParts(mlir::Value x, mlir::Value function, const lang::Call &e);
    mlir::Value mapCellwise(mlir::Value matrix, const FunctionForm &form, mlir::ValueRange captured);
    mlir::Value mapMatrix(mlir::Value matrix, mlir::Value function, const lang::Call &e);
    ops::TypeDesc foldedType(ops::TypeDesc type, mlir::Value function, const ops::TypeDesc &element,
                             const lang::Call &e);
    mlir::Value reduce(mlir::Value x, mlir::Value function, mlir::Value init, const lang::Call &e);
    ops::TypeDesc resultOfPart(mlir::Value x, mlir::Value function, bool rows, const lang::Call &e);
    ops::TypeDesc cellApplied(mlir::Value x, mlir::Value function, bool rows, const lang::Call &e);
    mlir::Value cellsApplied(mlir::Value x, mlir::Value function, bool rows, const ops::TypeDesc &cell,
                             const lang::Call &e);
    mlir::Value vectorsApplied(mlir::Value x, mlir::Value function, bool rows, ValueType cells, const lang::Call &e);
    mlir::Value apply(mlir::Value x, mlir::Value function, mlir::Value axis, const lang::Call &e);
    mlir::Value sortBy(mlir::Value x, mlir::Value function, const lang::Call &e);
    mlir::Value filter(mlir::Value x, mlir::Value function, const lang::Call &e);
    std::shared_ptr<FunctionForms> functionForms;
    bool anyFunctionValue = false; ///< else variables hold no functions
    std::deque<Dispatcher> dispatchers; ///< addresses are stable
    std::map<std::string, size_t> dispatcherNumbers;

    // ---- Views.cpp
    friend class Translator;
    struct View {
        ops::TypeDesc type;
        mlir::Value value; ///< none: only the run time knows which frame it is
        int version = 0;
    };
    using ViewTypes = std::map<std::string, ops::TypeDesc>;
    std::map<std::string, View> views; ///< by name, as far as registered before this point
    int numViewVersions = 0;
    bool usesViewTable = false;
    /// A part of the program that may not run, or run repeatedly: views registered inside are not certain afterwards.
    /// Forget: those from outside may have been replaced when it begins. With `registered`, what was registered inside
    /// is only written there.
    class ViewRegion {
      public:
        enum class Entry { Keep, Forget };
        ViewRegion(Generator &g, Entry entry, ViewTypes *registered = nullptr);
        ~ViewRegion();
        ViewRegion(const ViewRegion &) = delete;

      private:
        Generator &g;
        std::map<std::string, View> outside;
        ViewTypes *registered;
    };
    void applyViews(const ViewTypes &registered);
    std::string viewsKey() const;
    void registerView(std::vector<mlir::Value> operands, SourceSpan span);
    mlir::Value viewNamed(const std::string &name, SourceSpan span);
    mlir::Value sqlQuery(mlir::Value text, SourceSpan span);
    void dropUnusedViewTable();

    /// Variables that exist before a loop, or a try, and are assigned in it.
    struct Carried {
        std::vector<std::string_view> names;
        std::vector<mlir::Value> before;
        std::vector<ops::TypeDesc> types; ///< in every turn
    };

    // ---- Try.cpp
    /// The block of a try, a function of its own: scopes from firstScope on belong to it. The first of them holds what
    /// it has captured.
    struct TryBody {
        size_t firstScope;
        mlir::Block *entry;
        const Carried *kept; ///< variables from outside that it assigns
        Carried *wider;
        std::vector<mlir::Value> captured = {}; ///< from outside, in the order of the parameters
    };
    std::vector<TryBody> tryBodies; ///< innermost last
    mlir::Value *find(std::string_view name, size_t numScopes, size_t numTryBodies);
    void noteAssigned(std::string_view name, mlir::Value value, SourceSpan span);
    void keep(mlir::Value value, const ops::TypeDesc &type, size_t index, SourceSpan span);
    struct TryFunction {
        mlir::func::FuncOp op;
        std::vector<mlir::Value> captured;
        Exits exits;
    };
    TryFunction tryFunction(const lang::Try &s, const Carried &kept, Carried &wider);
    void tryStatement(const lang::Try &s);

    // ---- Elements.cpp
    void forEachLoop(const lang::ForEach &s);
    void overParts(const lang::ForEach &s, const lang::Call &call, lang::Parts parts);
    mlir::Value needKind(ops::OpName check, mlir::Value v, std::string_view message, std::string_view hint,
                         SourceSpan span);
    mlir::Value line(mlir::Value base, mlir::Value k, lang::Parts parts, SourceSpan span);

    // ---- Statements.cpp
    void statements(std::span<lang::Stmt *const> list);
    void statement(const lang::Stmt *s);
    void inScope(std::span<lang::Stmt *const> list);
    void scoped(const lang::Stmt *s);
    void assignment(const lang::Assign &s);
    void combination(const lang::Assign &s);
    void assignTo(const lang::Target &target, mlir::Value value, SourceSpan end);
    void ifStatement(const lang::If &s, std::span<lang::Stmt *const> rest, bool &restDone);
    void guardRest(std::span<lang::Stmt *const> rest);
    unsigned errorsAreKept = 0; ///< code around whose errors nobody hears of: it is dropped, or may never be called
    void takenBranch(const lang::Stmt *taken, const lang::Stmt *other);
    void jump(lang::JumpTo to);
    void returnStatement(const lang::Return &s);
    void import(const lang::Import &s);

    /// One side of a branch: a detached block and the state at its end.
    struct Path {
        std::unique_ptr<mlir::Block> block;
        std::vector<mlir::Value> values; ///< of the watched variables
        Exits exits;
    };
    Path path(const std::vector<std::string_view> &watched, llvm::function_ref<void()> body);
    void merge(mlir::Value condition, Path thenPath, Path elsePath, const std::vector<std::string_view> &watched,
               SourceSpan span);
    std::vector<std::string_view> assignedExisting(std::initializer_list<const lang::Stmt *> bodies);
    void addAssigned(std::span<lang::Stmt *const> list, std::vector<std::string_view> &watched);
    enum class Numbers { Keep, Widen };
    ops::TypeDesc mergedType(const ops::TypeDesc &a, const ops::TypeDesc &b, std::string_view what, Numbers numbers,
                             SourceSpan span);

    // ---- Loops.cpp
    /// The loops around, innermost last: how a jump widens their variables.
    struct Around {
        const Carried *carried;
        Carried *wider;
    };
    std::vector<Around> loops;
    struct Turn {
        std::unique_ptr<mlir::Block> block;
        std::vector<mlir::Value> values; ///< of the carried variables at its end
        Exits exits;
    };
    /// The part before of a loop that may be left early: whether another turn follows, what it passes on.
    struct EarlyPart {
        mlir::Value again;
        llvm::SmallVector<mlir::Value> passed;
    };
    void whileLoop(const lang::While &s);
    void doLoop(const lang::While &s);
    void forLoop(const lang::For &s);
    mlir::Value bound(const lang::Expr *e);
    void countedLoop(const lang::Stmt &s, std::string_view variable, const lang::Stmt *statements, mlir::Value count,
                     llvm::function_ref<mlir::Value(mlir::Value k)> valueOf);
    Carried carriedThrough(const lang::Stmt *loop);
    void bindCarried(const Carried &carried, mlir::ValueRange values);
    static bool tryWiden(Carried &carried, size_t i, const ops::TypeDesc &after);
    void widenCarried(Carried &carried, size_t i, const ops::TypeDesc &after, SourceSpan span);
    Turn turn(const Carried &carried, mlir::TypeRange own, SourceSpan span, Carried &wider,
              llvm::function_ref<void(mlir::ValueRange own)> body);
    void untilTypesHold(Carried &carried, llvm::function_ref<void(Carried &wider)> generate);
    llvm::SmallVector<mlir::Value> initialValues(const Carried &carried, SourceSpan span);
    mlir::Value goesOn(const Exits &ways, SourceSpan span);
    void appendLeaving(llvm::SmallVectorImpl<mlir::Value> &values, const Exits &body, const Exits &loop,
                       SourceSpan span);
    EarlyPart enterBody(mlir::Block *before, mlir::Value enters, size_t numOwn, Turn body, const Exits &loop,
                        SourceSpan span);
    llvm::SmallVector<mlir::Value> earlyLoop(std::unique_ptr<mlir::Block> before, mlir::ValueRange inits,
                                             mlir::Value again, mlir::ValueRange passed, SourceSpan span,
                                             llvm::function_ref<void(llvm::SmallVectorImpl<mlir::Value> &)> step);
    void leaveLoop(const Carried &carried, mlir::ValueRange results, Exits loop);

    mlir::MLIRContext &context;
    const GenerateOptions &options;
    mlir::OpBuilder builder;
    mlir::ModuleOp module;
    bool certain = true; ///< the current point is reached in every run
    /// Files the program may have written by now, so that nothing is known about them when it is compiled.
    std::set<std::string> writtenFiles;
    /// Values that variables got directly from a comparison or a logical operation.
    llvm::DenseSet<mlir::Value> truthValues;
    std::vector<Error> warnings;
    std::vector<std::string> inspectedFiles; ///< whose types and shapes are relied on
    bool writesAnyFile = false;              ///< under a name that is not known
};

/// Names assigned somewhere in s (function definitions excluded).
void collectAssigned(const lang::Stmt *s, std::vector<std::string_view> &names);
/// Names of variables used in conditions, loop bounds, indexes, shapes and call arguments within s.
void collectSteering(const lang::Stmt *s, std::vector<std::string_view> &names);
/// e is a comparison, '&&', '||' or '!'.
bool isTruthValue(const lang::Expr *e);
/// Every path through s returns or jumps.
bool alwaysLeaves(const lang::Stmt *s);

} // namespace daphne::irgen
