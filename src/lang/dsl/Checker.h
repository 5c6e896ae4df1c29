// SPDX-License-Identifier: Apache-2.0
/// Everything the parser stage rejects beyond syntax (language 14.2, status 1):
/// names, scopes, calls, types where they are known, imports. One Checker walks
/// one script in textual order; what scripts share is in the CheckRun.
#pragma once

#include <deque>
#include <memory>
#include <set>
#include <unordered_set>

#include "base/Source.h"
#include "lang/dsl/Diagnostics.h"
#include "lang/dsl/Functions.h"
#include "lang/dsl/Imports.h"
#include "lang/dsl/ParseTypes.h"
#include "lang/dsl/Parser.h"
#include "lang/dsl/Variables.h"

namespace daphne::lang {

/// What an importer sees of a script. Names without prefix.
struct Exports {
    const Script *script = nullptr;
    std::vector<Variable> variables;
    std::vector<Function *> functions; ///< in order of definition
};

/// State of one front-end run, shared by the checkers of its scripts.
struct CheckRun {
    SourceManager &sources;
    Arena &arena;
    const FrontendOptions &options;
    Diagnostics &diagnostics;
    ParseTypes types = {};
    std::deque<Function> functions = {}; ///< owner; addresses are stable
    /// Loaded scripts by identity of their file; null while one is being loaded or if it has errors.
    std::map<std::string, std::unique_ptr<Exports>> loaded = {};
    std::vector<std::string> loading = {}; ///< identities, outermost first
    bool anyFunctionValue = false;         ///< functions occur as values

    /// Exports of a script that an earlier input has checked.
    const Exports &exportsOf(const Script &script);
    std::map<const Script *, std::unique_ptr<Exports>> recalled = {};
};

class Checker {
  public:
    struct Place {
        std::string directory; ///< where relative imports start
        std::string identity;  ///< of the file; "" if it is none
    };

    Checker(CheckRun &run, ParsedScript parsed, Place place);

    /// Makes the names of earlier interactive inputs visible.
    void addSession(const SessionNames &session);
    Exports check();

  private:
    using Type = ops::TypeDesc;

    /// Results of a call; unknown ones if the call has been rejected.
    struct CallResult {
        bool known = false;
        std::vector<Type> types = {};
    };
    /// How the execution of a statement ends.
    enum class Flow : uint8_t { Continues, Stops, Jumps, Returns };
    /// The loop whose body is being checked.
    struct Loop {
        Variables::Region region;
        bool anyBreak = false;
        std::vector<Variables::Change> atJumps = {}; ///< outer variables where break and continue leave the body
        Loop *outer;
    };
    /// The function whose body is being checked.
    struct Body {
        const FuncDef *def;
        Function *function;
        bool anyReturn = false;
        SourceSpan firstReturn = {};
        std::vector<Type> results = {};
    };
    /// A call with its arguments checked, in the order of the text.
    struct CheckedCall {
        const Call &call;
        std::vector<Known> values;
    };

    // Statements (CheckStmt.cpp)
    Flow checkStmt(Stmt *stmt);
    Flow checkBody(Stmt *stmt);
    Flow checkAll(std::span<Stmt *> statements);
    void checkAssign(const Assign &assign);
    std::vector<Known> checkEachValue(const Assign &assign);
    std::vector<Known> checkOneValue(const Assign &assign);
    Known checkCombination(const Assign &assign);
    bool checkWritable(const Target &target);
    void assignTo(const Target &target, Known value);
    Type checkPart(const Target &target, const Type &type, const Type &value);
    void checkElements(const Target &target, const Type &type);
    std::optional<Known> checkLeftIndex(const Index &index, const Type &base);
    Flow checkIf(const If &stmt);
    /// A statement with two ends, and how messages speak of it.
    struct Fork {
        SourceSpan span;
        std::string_view name, note, first, second;
    };
    using Changes = std::vector<Variables::Change>;
    Flow mergeBranches(const Fork &fork, Flow first, const Changes &afterFirst, Flow second,
                       const Changes &afterSecond);
    void mergeVariable(const Fork &fork, uint32_t slot, const Variable &afterFirst, const Variable &afterSecond);
    static Known mergedFunction(const Known &a, const Known &b);
    Error &reportOtherFunction(std::string_view name, SourceSpan where, std::string_view after);
    void checkFunctionsAfter(const Stmt &loop, const Changes &changes);
    Flow checkTry(const Try &stmt);
    Flow checkJump(Jump &stmt);
    Flow checkLoop(const Stmt &loop);
    Flow checkTurn(const Stmt &loop, const Type &variable, Loop &state);
    Type rangeType(const For &loop);
    Type elementType(const ForEach &loop);
    bool widenEntry(const Changes &changes);
    void forgetAssigned(const Stmt *stmt);
    Flow checkExprStmt(const ExprStmt &stmt);

    // Functions (CheckFunction.cpp)
    void checkFuncDef(const FuncDef &def);
    void checkSignatureType(const TypeSpec &type, std::string_view what);
    void checkDefaults(const FuncDef &def);
    Function *declare(const FuncDef &def);
    void checkFunctionBody(Function &function);
    void checkReturnsAlways(const Body &body, Flow flow);
    void checkReturn(const Return &stmt);
    void compareWithDeclared(const Return &stmt, const std::vector<Type> &types);
    void compareWithOtherReturns(const Return &stmt, const std::vector<Type> &types);

    // Expressions (CheckExpr.cpp)
    Known checkValue(const Expr *e);
    Type checkType(const Expr *e);
    Type checkBinaryChain(const Expr *e);
    Known checkVar(const Var &var);
    Known checkFunctionName(const Var &var);
    Known checkLambda(const Lambda &lambda);
    Type checkElement(const Element &element);
    void reportUndefined(std::string_view name, SourceSpan span);
    bool reportArrow(const Binary &comparison);
    Type checkIndex(const Index &index);
    Known checkIndexBound(const Expr *bound);
    void rejectLabel(const Expr *bound, const Type &type, std::string_view why);
    Type checkFilter(const Filter &filter);
    Type checkCast(const Cast &cast);
    Type checkMatrixLit(const MatrixLit &lit);
    Type checkFrameColumns(const FrameColumns &lit);
    Type checkFrameRows(const FrameRows &lit);
    std::optional<std::vector<std::string>> checkLabels(std::span<const Expr *> labels);

    // Calls (CheckCall.cpp)
    CallResult checkCall(const Call &call);
    CheckedCall checkArguments(const Call &call);
    bool checkKeywordOrder(const Call &call);
    CallResult checkUserCall(const Call &call);
    bool namesBuiltin(std::string_view name) const;
    CallResult checkValueCall(const Call &call, const Variable &function);
    bool keywordsAreClear(const Call &call, const std::vector<Function *> &overloads);
    void reportNoOverload(const Call &call, const std::vector<Type> &args, const std::vector<Function *> &overloads);
    void reportUnbound(const Call &call, const Function &f, const Bound &bound);
    void reportWrongTypes(const Call &call, const std::vector<Type> &args, const Function &f, const Bound &bound);
    void reportUnknownFunction(const Call &call);
    CallResult checkSecondOrder(const CheckedCall &checked, const ops::BuiltinInfo &builtin,
                                const std::vector<Known> &bound);
    ValueType mappedType(const Var &name, const Type &cell);

    // Builtins (CheckBuiltin.cpp)
    CallResult checkPrint(const Call &call, const ops::BuiltinInfo &builtin);
    CallResult checkBuiltinCall(const Call &call, const ops::BuiltinInfo &builtin);
    std::optional<std::vector<Known>> bindArguments(const CheckedCall &checked, const ops::BuiltinInfo &builtin);
    bool checkArity(const Call &call, const ops::BuiltinInfo &builtin);
    bool checkBuiltinConstants(const CheckedCall &checked, const ops::BuiltinInfo &builtin,
                               const std::vector<Known> &bound);
    bool checkCreateFrame(const CheckedCall &checked);
    std::vector<Type> builtinResults(const ops::BuiltinInfo &builtin, const std::vector<Known> &bound);
    void appendDefaults(const ops::BuiltinInfo &builtin, std::vector<ops::Arg> &args);

    // Imports (CheckImport.cpp)
    void checkImport(Import &stmt);
    const Exports *load(const ImportFile &file, SourceSpan at);
    std::optional<std::string> choosePrefix(const Import &stmt, const ImportFiles &found, const ImportFile &file);
    void makeVisible(std::string_view prefix, const Exports &exports);
    bool isPrefixTaken(std::string_view prefix) const;
    bool isOfFailedImport(std::string_view name) const;

    Error &report(SourceSpan where, std::string message) { return run.diagnostics.report(where, std::move(message)); }
    bool isTopLevel() const { return !body && depth == 0; }

    CheckRun &run;
    ParsedScript parsed;
    Place place;
    Functions functions;
    std::vector<Function *> ownFunctions;
    Variables globals;
    Variables *variables = &globals; ///< those of the function being checked
    Body *body = nullptr;
    size_t depth = 0;                                 ///< enclosing statements
    size_t lambdas = 0;                               ///< around the expression
    std::string_view assigned;                        ///< the variable that gets its value
    Loop *loop = nullptr;                             ///< the innermost one around
    std::set<std::string, std::less<>> takenPrefixes; ///< prefixes of imported variables
    std::set<std::string, std::less<>> failedPrefixes;
    std::set<std::string> importedFiles;            ///< identities
    std::unordered_set<std::string_view> undefined; ///< already reported
};

} // namespace daphne::lang
