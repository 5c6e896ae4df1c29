// SPDX-License-Identifier: Apache-2.0
#include "lang/dsl/FreeNames.h"

#include <algorithm>
#include <array>

namespace daphne::lang {

namespace {

class Collector {
  public:
    std::vector<FreeName> names;

    void lambda(const Lambda &f) {
        size_t outer = bound.size();
        for (const Param &p : f.params)
            bound.push_back(p.name);
        expression(f.result);
        bound.resize(outer);
    }

  private:
    void use(std::string_view name, bool isCalled) {
        if (std::ranges::find(bound, name) != bound.end())
            return;
        auto known = std::ranges::find(names, name, &FreeName::name);
        if (known == names.end())
            names.push_back({name, isCalled});
        else
            known->isCalled &= isCalled;
    }

    void part(const IndexPart &p) {
        expression(p.lo);
        expression(p.hi);
    }

    void all(std::span<const Expr *const> expressions) {
        for (const Expr *e : expressions)
            expression(e);
    }

    void expression(const Expr *e) {
        if (!e)
            return;
        switch (e->kind) {
        case ExprKind::IntLit:
        case ExprKind::FloatLit:
        case ExprKind::BoolLit:
        case ExprKind::StrLit:
        case ExprKind::ScriptArg: return;
        case ExprKind::Var: return use(as<Var>(e).name, false);
        case ExprKind::Call:
            use(as<Call>(e).callee, true);
            for (const CallArg &a : as<Call>(e).args)
                expression(a.value);
            return;
        case ExprKind::Cast: return expression(as<Cast>(e).operand);
        case ExprKind::Index:
            expression(as<Index>(e).base);
            part(as<Index>(e).rows);
            return part(as<Index>(e).cols);
        case ExprKind::Filter: return all(std::array{as<Filter>(e).base, as<Filter>(e).rows, as<Filter>(e).cols});
        case ExprKind::Element: expression(as<Element>(e).base); return part(as<Element>(e).part);
        case ExprKind::Unary: return expression(as<Unary>(e).operand);
        case ExprKind::Binary: return chain(e);
        case ExprKind::Cond:
            return all(std::array{as<Cond>(e).condition, as<Cond>(e).thenValue, as<Cond>(e).elseValue});
        case ExprKind::MatrixLit:
            all(as<MatrixLit>(e).cells);
            return all(std::array{as<MatrixLit>(e).rows, as<MatrixLit>(e).cols});
        case ExprKind::FrameColumns: all(as<FrameColumns>(e).labels); return all(as<FrameColumns>(e).columns);
        case ExprKind::FrameRows: all(as<FrameRows>(e).labels); return all(as<FrameRows>(e).cells);
        case ExprKind::Lambda: return lambda(as<Lambda>(e));
        }
    }

    /// Long chains lean to the left: no recursion along them.
    void chain(const Expr *e) {
        std::vector<const Expr *> operands;
        for (; e->kind == ExprKind::Binary; e = as<Binary>(e).lhs)
            operands.push_back(as<Binary>(e).rhs);
        expression(e);
        for (size_t i = operands.size(); i-- > 0;)
            expression(operands[i]);
    }

    std::vector<std::string_view> bound; ///< parameters of the lambdas around
};

} // namespace

std::vector<FreeName> freeNames(const Lambda &lambda) {
    Collector collector;
    collector.lambda(lambda);
    return std::move(collector.names);
}

} // namespace daphne::lang
