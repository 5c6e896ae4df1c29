// SPDX-License-Identifier: Apache-2.0
/// The state of IR generation; private to src/irgen. Methods are spread over
/// Emit.cpp (operations), Expressions.cpp, Indexing.cpp, Literals.cpp, Calls.cpp,
/// Functions.cpp, FunctionValues.cpp, SecondOrder.cpp, Statements.cpp and Loops.cpp.
#pragma once

#include <deque>
#include <map>
#include <set>
#include <unordered_map>

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

#include "base/Error.h"
#include "ir/Dialect.h"
#include "irgen/FunctionValues.h"
#include "irgen/IrGen.h"
#include "lang/dsl/Ast.h"
#include "lang/dsl/Functions.h"

namespace daphne::irgen {

/// Thrown after a `daphne.fail` has been emitted: the rest of the block never runs.
struct DeadCode {};

/// What happens after a statement list.
enum class Flow { Falls, Ends };

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
    void assign(std::string_view name, mlir::Value value);
    std::vector<const lang::FuncDef *> visibleFunctions(std::string_view name, SourceSpan at);
    const FunctionTable &functionsOf(const lang::Script *script);
    static void addImported(const lang::Import &import, FunctionTable &table);
    std::map<const lang::Script *, FunctionTable> functionTables;
    const lang::Script *script = nullptr;     ///< whose names are visible
    const lang::Script *mainScript = nullptr; ///< the one that also sees the session

    // ---- return state of the function being generated
    struct ReturnState {
        enum Status { No, Maybe, Yes } status = No;
        mlir::Value returned; ///< i1, if Maybe
        std::vector<mlir::Value> values;
    };
    ReturnState returns;
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
    std::vector<mlir::Value> emitMulti(ops::OpName mnemonic, mlir::ValueRange operands, const Site &site,
                                       std::string_view hint = {}, ops::TypeDesc castTarget = {});
    mlir::Value emit(ops::OpName mnemonic, mlir::ValueRange operands, const Site &site, std::string_view hint = {}) {
        return emitMulti(mnemonic, operands, site, hint).front();
    }
    mlir::Value emitCast(mlir::Value v, ops::TypeDesc target, SourceSpan span);
    /// v with the given (compatible) type; adds a run-time check where facts are added.
    mlir::Value adapt(mlir::Value v, const ops::TypeDesc &type, SourceSpan span);
    /// Truth value of a scalar or 1x1 matrix as i1.
    mlir::Value emitCondition(mlir::Value v, SourceSpan span);
    std::optional<bool> constantBool(mlir::Value v);
    bool tryFold(const ops::OpInfo &info, mlir::ValueRange operands, const ops::TypeDesc &castTarget,
                 llvm::ArrayRef<mlir::Type> results, SourceSpan span, std::vector<mlir::Value> &folded);
    void checkHint(const ops::OpInfo &info, std::string_view hint, mlir::ValueRange operands,
                   const std::vector<ops::TypeDesc> &results, SourceSpan span);

    // ---- Expressions.cpp, Indexing.cpp, Literals.cpp, Calls.cpp
    mlir::Value expr(const lang::Expr *e);
    std::vector<mlir::Value> exprMulti(const lang::Expr *e);
    mlir::Value binary(const lang::Binary &e);
    mlir::Value castExpr(const lang::Cast &e);
    mlir::Value conditional(const lang::Cond &e);
    mlir::Value matrixLiteral(const lang::MatrixLit &e);
    mlir::Value constantMatrix(llvm::ArrayRef<ops::Constant> cells, int64_t rows, int64_t cols, SourceSpan span);
    mlir::Value frameColumns(const lang::FrameColumns &e);
    mlir::Value frameRows(const lang::FrameRows &e);
    mlir::Value indexExpr(const lang::Index &e);
    mlir::Value elementExpr(const lang::Element &e);
    mlir::Value asList(mlir::Value v, SourceSpan span);
    mlir::Value position(mlir::Value v, SourceSpan span);
    mlir::Value select(mlir::Value base, const lang::IndexPart &part, bool rows, SourceSpan span);
    mlir::Value filterExpr(const lang::Filter &e);
    struct Bounds {
        mlir::Value lo, hi;
    };
    Bounds bounds(mlir::Value base, const lang::IndexPart &part, bool rows, SourceSpan span);
    mlir::Value insert(mlir::Value base, const lang::Index &index, mlir::Value value, SourceSpan span);
    std::vector<mlir::Value> call(const lang::Call &e);
    std::vector<mlir::Value> callBuiltin(const lang::Call &e, const ops::BuiltinInfo &builtin);
    std::vector<mlir::Value> callSecondOrder(const lang::Call &e, const ops::BuiltinInfo &builtin);
    std::vector<mlir::Value> readFile(const lang::Call &e, std::vector<mlir::Value> operands, bool isFrame);
    void noteWrite(mlir::Value filename);
    bool mayBeWritten(const std::string &filename) const;
    mlir::Value defaultValue(std::string_view literal, SourceSpan span);

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
    const Specialisation &specialise(const lang::FuncDef &def, std::vector<Argument> args);
    void generateBody(const lang::FuncDef &def, Specialisation &target, const std::vector<Argument> &args);
    void finishFunction(const lang::FuncDef &def, Specialisation &target, Flow flow);
    void setResults(Specialisation &target);
    std::map<std::string, std::unique_ptr<Specialisation>> specialisations;
    std::map<const lang::Block *, int> numSpecialisations; ///< by body: forms of one lambda have one
    std::vector<const lang::Block *> inProgress;
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
    using Turn = llvm::function_ref<std::vector<mlir::Value>(mlir::Value, const std::vector<mlir::Value> &)>;
    std::vector<mlir::Value> loopOver(mlir::Value count, llvm::ArrayRef<mlir::Value> inits, SourceSpan span, Turn turn);
    mlir::Value applied(mlir::Value function, const std::vector<mlir::Value> &args, const lang::Call &e);
    ops::TypeDesc typeApplied(mlir::Value function, const std::vector<ops::TypeDesc> &args, const lang::Call &e);
    mlir::Value lengthOf(mlir::Value x, SourceSpan span, bool rows = true);
    mlir::Value partAt(mlir::Value x, mlir::Value i, SourceSpan span, bool rows = true);
    void needParts(mlir::Value x, const lang::Call &e, bool frames);
    mlir::Value mapList(mlir::Value list, mlir::Value function, const lang::Call &e);
    mlir::Value mapCellwise(mlir::Value matrix, const FunctionForm &form, mlir::ValueRange captured);
    mlir::Value mapMatrix(mlir::Value matrix, mlir::Value function, const lang::Call &e);
    ops::TypeDesc foldedType(ops::TypeDesc type, mlir::Value function, const ops::TypeDesc &element,
                             const lang::Call &e);
    mlir::Value reduce(mlir::Value x, mlir::Value function, mlir::Value init, const lang::Call &e);
    ops::TypeDesc cellApplied(mlir::Value x, mlir::Value function, bool rows, const lang::Call &e);
    mlir::Value cellsApplied(mlir::Value x, mlir::Value function, bool rows, const ops::TypeDesc &cell,
                             const lang::Call &e);
    mlir::Value vectorsApplied(mlir::Value x, mlir::Value function, bool rows, ValueType cells, const lang::Call &e);
    mlir::Value apply(mlir::Value x, mlir::Value function, mlir::Value axis, const lang::Call &e);
    mlir::Value sortBy(mlir::Value x, mlir::Value function, const lang::Call &e);
    mlir::Value filter(mlir::Value x, mlir::Value function, const lang::Call &e);
    std::shared_ptr<FunctionForms> functionForms;
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

    // ---- Statements.cpp, Loops.cpp
    Flow statements(std::span<lang::Stmt *const> list);
    Flow statement(const lang::Stmt *s);
    Flow scoped(const lang::Stmt *s);
    void assignment(const lang::Assign &s);
    mlir::Value replaced(mlir::Value base, const lang::Target &t, size_t level, mlir::Value value, SourceSpan span);
    Flow ifStatement(const lang::If &s, std::span<lang::Stmt *const> rest, bool &restDone);
    Flow guardRest(std::span<lang::Stmt *const> rest);
    Flow returnStatement(const lang::Return &s);
    void import(const lang::Import &s);
    /// Thrown where a loop changes what a list holds.
    struct ListHoldsMore {
        std::string_view name;
    };
    Flow loop(const lang::Stmt *s);
    Flow whileLoop(const lang::While &s);
    void forLoop(const lang::For &s);

    /// One side of a branch: a detached block and the state at its end.
    struct Path {
        std::unique_ptr<mlir::Block> block;
        std::vector<mlir::Value> values; ///< of the watched variables
        ReturnState returns;
        bool dead = false;
    };
    template <class Body> Path path(const std::vector<std::string_view> &watched, Body &&body);
    Flow merge(mlir::Value condition, Path thenPath, Path elsePath, const std::vector<std::string_view> &watched,
               SourceSpan span);
    std::vector<std::string_view> assignedExisting(std::initializer_list<const lang::Stmt *> bodies);
    ops::TypeDesc mergedType(const ops::TypeDesc &a, const ops::TypeDesc &b, std::string_view what, SourceSpan span);
    /// Adds the carried values at the end of the body to `values`.
    Flow loopBody(const lang::Stmt *body, const std::vector<std::string_view> &carried,
                  const std::vector<ops::TypeDesc> &types, bool certainOutside, std::vector<mlir::Value> &values);

    mlir::MLIRContext &context;
    const GenerateOptions &options;
    mlir::OpBuilder builder;
    mlir::ModuleOp module;
    bool certain = true; ///< the current point is reached in every run
    /// Files the program may have written by now, so that nothing is known about them when it is compiled.
    std::set<std::string> writtenFiles;
    std::vector<std::string> inspectedFiles; ///< whose types and shapes are relied on
    bool writesAnyFile = false;              ///< under a name that is not known
};

/// Names assigned somewhere in s (function definitions excluded).
void collectAssigned(const lang::Stmt *s, std::vector<std::string_view> &names);
bool containsReturn(const lang::Stmt *s);
/// Names of variables used in conditions, loop bounds, indexes, shapes and call arguments within s.
void collectSteering(const lang::Stmt *s, std::vector<std::string_view> &names);
/// Every path through s returns.
bool alwaysReturns(const lang::Stmt *s);

} // namespace daphne::irgen
