// SPDX-License-Identifier: Apache-2.0
/// Abstract syntax of DaphneDSL. Nodes are plain structs in an Arena: they never
/// move, are never destroyed one by one (deep trees cost no recursion), and hold
/// only views and pointers. Every node has the span of its text.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string_view>
#include <type_traits>
#include <vector>

#include "base/Source.h"
#include "base/ValueType.h"

namespace daphne::lang {

/// Bump allocator for nodes, lists and strings; frees all at once.
class Arena {
  public:
    template <class T> T *make(T node) {
        static_assert(std::is_trivially_destructible_v<T>);
        return new (allocate(sizeof(T), alignof(T))) T(node);
    }
    template <class T> std::span<T> copy(const std::vector<T> &items) {
        static_assert(std::is_trivially_destructible_v<T>);
        if (items.empty())
            return {};
        T *first = static_cast<T *>(allocate(items.size() * sizeof(T), alignof(T)));
        std::uninitialized_copy(items.begin(), items.end(), first);
        return {first, items.size()};
    }
    std::string_view copy(std::string_view text);

  private:
    void *allocate(size_t bytes, size_t alignment);
    std::vector<std::unique_ptr<std::byte[]>> blocks;
    std::byte *next = nullptr;
    size_t left = 0;
};

// ---------------------------------------------------------------- expressions

enum class ExprKind : uint8_t {
    IntLit,
    FloatLit,
    BoolLit,
    StrLit,
    ScriptArg,
    Var,
    Call,
    Cast,
    Index,
    Filter,
    Element,
    Unary,
    Binary,
    Cond,
    MatrixLit,
    FrameColumns,
    FrameRows,
    Lambda,
};

struct Expr {
    ExprKind kind;
    SourceSpan span;
};

struct IntLit : Expr {
    int64_t value;  ///< two's complement bits for unsigned types
    ValueType type; ///< SI64, UI64 or Size
};
struct FloatLit : Expr {
    double value;
    ValueType type; ///< F64 or F32
};
struct BoolLit : Expr {
    bool value;
};
struct StrLit : Expr {
    std::string_view value; ///< escapes decoded
};
/// $name; `value` is the parsed argument (a literal, or Unary minus of one).
struct ScriptArg : Expr {
    std::string_view name;
    const Expr *value;
};
/// name or prefix.name; `name` is the dotted text without blanks.
struct Var : Expr {
    std::string_view name;
};
struct CallArg {
    std::string_view keyword; ///< "" if positional
    const Expr *value;
    SourceSpan span;
};
struct Call : Expr {
    std::string_view callee; ///< dotted text without blanks
    SourceSpan calleeSpan;
    std::string_view hint; ///< kernel hint or ""
    std::span<CallArg> args;
};

enum class DataType : uint8_t { None, Scalar, Matrix, Frame, List, Function };
/// data_type [< value_type >] or value_type alone (DataType::None).
struct TypeSpec {
    DataType dataType = DataType::None;
    ValueType valueType = ValueType::Unknown; ///< Unknown if not written
    SourceSpan span;
};
struct Cast : Expr {
    TypeSpec target;
    const Expr *operand;
};

/// One part of x[rows, cols].
struct IndexPart {
    enum class Form : uint8_t { All, Single, Range } form;
    const Expr *lo; ///< Single: the index; Range: may be null
    const Expr *hi; ///< Range: may be null
};
struct Index : Expr {
    const Expr *base;
    IndexPart rows, cols;
};
struct Filter : Expr {
    const Expr *base;
    const Expr *rows, *cols; ///< null if empty
    const Expr *cells;       ///< x[[cells]]: a matrix that marks cells; null: rows and columns
};
/// l[position], or l[from:to], of a list.
struct Element : Expr {
    const Expr *base;
    IndexPart part;
};
enum class UnaryOp : uint8_t { Plus, Minus, Not };
struct Unary : Expr {
    UnaryOp op;
    const Expr *operand;
};
struct Binary : Expr {
    std::string_view op; ///< the token: "+", "@", "==", ...
    SourceSpan opSpan;
    std::string_view hint;
    const Expr *lhs, *rhs;
};
/// x <- y, which assigns elsewhere: here it is x < -y.
inline bool isArrow(const Expr *e) {
    if (e->kind != ExprKind::Binary)
        return false;
    auto &comparison = static_cast<const Binary &>(*e);
    auto *right = comparison.rhs->kind == ExprKind::Unary ? static_cast<const Unary *>(comparison.rhs) : nullptr;
    return comparison.op == "<" && right && right->op == UnaryOp::Minus && right->span.begin == comparison.opSpan.end;
}
struct Cond : Expr {
    const Expr *condition, *thenValue, *elseValue;
};
struct MatrixLit : Expr {
    std::span<const Expr *> cells;
    const Expr *rows, *cols; ///< null where not given
};
/// { "a": colA, ... }
struct FrameColumns : Expr {
    std::span<const Expr *> labels, columns;
};
/// { ["a", "b"], [1, 2], [3, 4] }; cells row by row, rows.size() / labels.size() rows.
struct FrameRows : Expr {
    std::span<const Expr *> labels, cells;
};

struct Param {
    std::string_view name;
    SourceSpan span;
    bool typed;
    TypeSpec type;
    const Expr *defaultValue; ///< null if there is none
};
struct Block;
struct Script;
/// (x, y: f64) -> result. What else the result names is taken from where the lambda stands.
struct Lambda : Expr {
    std::span<Param> params;
    const Expr *result;
    Block *body; ///< returns the result
    const Script *script;
};

// ----------------------------------------------------------------- statements

enum class StmtKind : uint8_t {
    Block,
    ExprStmt,
    Assign,
    If,
    While,
    DoWhile,
    For,
    ForEach,
    Jump,
    Try,
    FuncDef,
    Return,
    Import,
};

struct Stmt {
    StmtKind kind;
    SourceSpan span;
};
struct Block : Stmt {
    std::span<Stmt *> body;
};
struct ExprStmt : Stmt {
    const Expr *value;
};
struct Target {
    std::string_view name; ///< dotted text
    SourceSpan span;
    std::span<const Expr *> elements; ///< positions in lists before that: l[i][j], from the left
    const Index *index;               ///< x[rows, cols], or null
    const Filter *marks;              ///< x[[rows, cols]] or x[[cells]], or null
    bool isPart() const { return index || marks || !elements.empty(); }
};
struct Assign : Stmt {
    std::span<Target> targets;
    std::span<const Expr *> values; ///< one, whose results go to the targets, or one for each of them
    std::string_view op;            ///< "+" of "+="; empty: plain. Then there are one target and one value.
};
struct If : Stmt {
    const Expr *condition;
    Stmt *thenBody;
    Stmt *elseBody; ///< may be null
};
/// Body statements of While and DoWhile; the node kind tells which.
struct While : Stmt {
    const Expr *condition;
    Stmt *body;
};
struct For : Stmt {
    std::string_view variable;
    SourceSpan variableSpan;
    const Expr *from, *to, *step; ///< step may be null
    Stmt *body;
};
/// for (variable in elements)
struct ForEach : Stmt {
    std::string_view variable;
    SourceSpan variableSpan;
    const Expr *elements;
    Stmt *body;
};
enum class JumpTo : uint8_t { LoopEnd, NextTurn };
/// break; and continue;. A visible variable of that name makes it an expression statement, as the checker finds out.
struct Jump : Stmt {
    JumpTo to;
    const Expr *value; ///< the name as a variable
    bool isExpression;
};
/// try { } catch (message, place) { }; the names may be "".
struct Try : Stmt {
    Block *body;
    std::string_view message, place;
    SourceSpan messageSpan, placeSpan;
    Block *handler;
};
struct FuncDef : Stmt {
    std::string_view name;
    SourceSpan nameSpan;
    std::span<Param> params;
    bool resultsDeclared;
    std::span<TypeSpec> results;
    Block *body;
    const Script *script; ///< the script whose names the body sees
};
struct Return : Stmt {
    std::span<const Expr *> values;
};
/// One file brought in by an import; a library import brings several.
struct Imported {
    std::string_view prefix; ///< names become prefix.name
    const Script *script;
};
struct Import : Stmt {
    std::string_view path;
    std::string_view alias;    ///< "" if none
    std::span<Imported> files; ///< set by the checker
};

/// One file.
struct Script {
    uint32_t fileId;
    std::span<Stmt *> body;
};

/// node->kind decides; the caller knows it.
template <class T> const T &as(const Expr *e) { return *static_cast<const T *>(e); }
template <class T> const T &as(const Stmt *s) { return *static_cast<const T *>(s); }

} // namespace daphne::lang
