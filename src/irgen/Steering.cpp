// SPDX-License-Identifier: Apache-2.0
/// Which variables decide about control flow and shapes; read off the syntax.
#include "irgen/Generator.h"

namespace daphne::irgen {

using namespace lang;

namespace {

struct Collector {
    std::vector<std::string_view> &names;

    void statement(const Stmt *s) {
        if (!s)
            return;
        switch (s->kind) {
        case StmtKind::Block:
            for (const Stmt *inner : as<Block>(s).body)
                statement(inner);
            break;
        case StmtKind::ExprStmt: expression(as<ExprStmt>(s).value, false); break;
        case StmtKind::Assign:
            for (const Target &t : as<Assign>(s).targets) {
                if (t.index) {
                    part(t.index->rows);
                    part(t.index->cols);
                }
                if (t.marks)
                    expression(t.marks, false);
            }
            for (const Expr *value : as<Assign>(s).values)
                expression(value, false);
            break;
        case StmtKind::If:
            expression(as<If>(s).condition, true);
            statement(as<If>(s).thenBody);
            statement(as<If>(s).elseBody);
            break;
        case StmtKind::While:
        case StmtKind::DoWhile:
            expression(as<While>(s).condition, true);
            statement(as<While>(s).body);
            break;
        case StmtKind::For:
            for (const Expr *bound : {as<For>(s).from, as<For>(s).to, as<For>(s).step})
                expression(bound, true);
            statement(as<For>(s).body);
            break;
        case StmtKind::ForEach:
            expression(as<ForEach>(s).elements, true);
            statement(as<ForEach>(s).body);
            break;
        case StmtKind::Try:
            statement(as<Try>(s).body);
            statement(as<Try>(s).handler);
            break;
        case StmtKind::Return:
            for (const Expr *e : as<Return>(s).values)
                expression(e, false);
            break;
        case StmtKind::Jump:
        case StmtKind::FuncDef:
        case StmtKind::Import: break;
        }
    }

    void part(const IndexPart &p) {
        expression(p.lo, true);
        expression(p.hi, true);
    }

    /// `decides`: every variable in e counts.
    void expression(const Expr *e, bool decides) {
        // Down the left side of long chains without recursion.
        for (; e && e->kind == ExprKind::Binary; e = as<Binary>(e).lhs)
            expression(as<Binary>(e).rhs, decides);
        if (!e)
            return;
        switch (e->kind) {
        case ExprKind::Var:
            if (decides)
                names.push_back(as<Var>(e).name);
            break;
        case ExprKind::Call:
            for (const CallArg &a : as<Call>(e).args)
                expression(a.value, true);
            break;
        case ExprKind::Cast: expression(as<Cast>(e).operand, decides); break;
        case ExprKind::Index:
            expression(as<Index>(e).base, decides);
            part(as<Index>(e).rows);
            part(as<Index>(e).cols);
            break;
        case ExprKind::Filter:
            for (const Expr *inner : {as<Filter>(e).base, as<Filter>(e).rows, as<Filter>(e).cols, as<Filter>(e).cells})
                expression(inner, decides);
            break;
        case ExprKind::Element:
            expression(as<Element>(e).base, decides);
            part(as<Element>(e).part);
            break;
        case ExprKind::Lambda: // what it computes with may decide anything where it is called
            expression(as<Lambda>(e).result, true);
            break;
        case ExprKind::Unary: expression(as<Unary>(e).operand, decides); break;
        case ExprKind::Cond:
            for (const Expr *inner : {as<Cond>(e).condition, as<Cond>(e).thenValue, as<Cond>(e).elseValue})
                expression(inner, true);
            break;
        case ExprKind::MatrixLit:
            for (const Expr *cell : as<MatrixLit>(e).cells)
                expression(cell, decides);
            expression(as<MatrixLit>(e).rows, true);
            expression(as<MatrixLit>(e).cols, true);
            break;
        default: break;
        }
    }
};

} // namespace

void collectSteering(const Stmt *s, std::vector<std::string_view> &names) { Collector{names}.statement(s); }

} // namespace daphne::irgen
