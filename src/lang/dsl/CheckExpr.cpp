// SPDX-License-Identifier: Apache-2.0
#include "lang/dsl/Checker.h"
#include "lang/dsl/Habits.h"

namespace daphne::lang {

using ops::TypeDesc;

namespace {

/// Scripts may have millions of plain numbers, which often need no more than this.
ValueType numberType(const Expr *e) {
    switch (e->kind) {
    case ExprKind::IntLit: return as<IntLit>(e).type;
    case ExprKind::FloatLit: return as<FloatLit>(e).type;
    default: return ValueType::Unknown;
    }
}

} // namespace

Checker::Type Checker::checkType(const Expr *e) {
    ValueType number = numberType(e);
    return number != ValueType::Unknown ? Type::scalar(number) : checkValue(e).type;
}

Known Checker::checkValue(const Expr *e) {
    switch (e->kind) {
    case ExprKind::IntLit: return {Type::scalar(as<IntLit>(e).type), literalConstant(e)};
    case ExprKind::FloatLit: return {Type::scalar(as<FloatLit>(e).type), literalConstant(e)};
    case ExprKind::BoolLit: return {Type::scalar(ValueType::Bool), literalConstant(e)};
    case ExprKind::StrLit: return {Type::scalar(ValueType::Str), literalConstant(e)};
    case ExprKind::ScriptArg: return {checkType(as<ScriptArg>(e).value), literalConstant(e)};
    case ExprKind::Var: return checkVar(as<Var>(e));
    case ExprKind::Call: {
        const Call &call = as<Call>(e);
        CallResult result = checkCall(call);
        if (!result.known)
            return Known::nothing();
        if (result.types.size() == 1)
            return {result.types[0]};
        std::string count = result.types.empty() ? "no value" : std::to_string(result.types.size()) + " values";
        report(call.span,
               "'" + std::string(call.callee) + "' yields " + count + " and cannot be used where one value is needed")
            .withHint(result.types.empty() ? "call it as a statement of its own"
                                           : "assign its results to variables first: a, b = ...");
        return Known::nothing();
    }
    case ExprKind::Cast: return {checkCast(as<Cast>(e))};
    case ExprKind::Index: return {checkIndex(as<Index>(e))};
    case ExprKind::Filter: return {checkFilter(as<Filter>(e))};
    case ExprKind::Unary: return {run.types.unary(as<Unary>(e).op, checkType(as<Unary>(e).operand))};
    case ExprKind::Binary: return {checkBinaryChain(e)};
    case ExprKind::Cond:
        // Its type is left to the compiler (language 3.3).
        checkValue(as<Cond>(e).condition);
        checkValue(as<Cond>(e).thenValue);
        checkValue(as<Cond>(e).elseValue);
        return Known::nothing();
    case ExprKind::MatrixLit: return {checkMatrixLit(as<MatrixLit>(e))};
    case ExprKind::FrameColumns: return {checkFrameColumns(as<FrameColumns>(e))};
    case ExprKind::FrameRows: return {checkFrameRows(as<FrameRows>(e))};
    case ExprKind::Element: return {checkElement(as<Element>(e))};
    case ExprKind::Lambda: return checkLambda(as<Lambda>(e));
    }
    return Known::nothing();
}

/// Chains like a + b + c + ... lean to the left; they may be very long, so no recursion along them.
Checker::Type Checker::checkBinaryChain(const Expr *e) {
    std::vector<const Binary *> chain;
    for (; e->kind == ExprKind::Binary; e = as<Binary>(e).lhs)
        chain.push_back(&as<Binary>(e));
    Type type = checkType(e);
    for (size_t i = chain.size(); i-- > 0;)
        type = run.types.binary(chain[i]->op, type, checkType(chain[i]->rhs));
    return type;
}

// ------------------------------------------------------------------ variables

Known Checker::checkVar(const Var &var) {
    if (const Variable *v = variables->find(var.name)) {
        Known value = v->value;
        // A lambda takes values from where it stands; that some are literals is seen only where it is called at once.
        if (lambdas > 0)
            value.constant.reset();
        return value;
    }
    if (functions.has(var.name))
        return checkFunctionName(var);
    reportUndefined(var.name, var.span);
    return Known::nothing();
}

/// The name of a function of the script as a value.
Known Checker::checkFunctionName(const Var &var) {
    run.anyFunctionValue = true;
    const auto &overloads = functions.overloads(var.name);
    Known value{.type = Type::unknown(), .constant = {}, .isFunction = true};
    for (const Function *f : overloads)
        if (f->state == Function::State::Open) {
            report(var.span,
                   "'" + std::string(var.name) + "' cannot be used in its own body: its result types are not declared")
                .withHint("declare them: def " + f->signature() + " -> type { ... }");
            return value;
        }
    if (overloads.size() == 1 && overloads[0]->numRequired() == overloads[0]->params.size())
        value.numParams = overloads[0]->params.size();
    return value;
}

Known Checker::checkLambda(const Lambda &lambda) {
    run.anyFunctionValue = true;
    std::unordered_set<std::string_view> names;
    for (const Param &p : lambda.params) {
        if (!names.insert(p.name).second)
            report(p.span, "there are two parameters named '" + std::string(p.name) + "'");
        if (p.typed)
            checkSignatureType(p.type, "parameter");
    }
    variables->openScope();
    ++lambdas;
    for (const Param &p : lambda.params)
        variables->define(p.name, knownOf(typeOf(p)), p.span);
    checkValue(lambda.result);
    --lambdas;
    variables->closeScope();
    return {.type = Type::unknown(), .constant = {}, .isFunction = true, .numParams = lambda.params.size()};
}

void Checker::reportUndefined(std::string_view name, SourceSpan span) {
    if (isOfFailedImport(name) || !undefined.insert(name).second)
        return;
    Error &e = report(span, "undefined variable '" + std::string(name) + "'");
    if (variables != &globals && globals.find(name))
        e.withHint("functions do not see global variables; pass it as a parameter");
    else if (auto where = variables->findEnded(name))
        e.withNote("a variable of that name, assigned in a block that has ended,", *where)
            .withHint("assign it before the block to keep it");
    else if (ops::Registry::get().findBuiltin(name))
        e.withHint("'" + std::string(name) + "' is a builtin function, not a value; call it with parentheses, or write x -> " +
                   std::string(name) + "(x)");
    else if (std::string habit = hintForName(name); !habit.empty())
        e.withHint(habit);
    else if (std::string near = nearest(name, variables->names()); !near.empty())
        e.withHint("did you mean '" + near + "'?");
}

// ------------------------------------------------------------------- indexing

Known Checker::checkIndexBound(const Expr *bound) { return bound ? checkValue(bound) : Known::nothing(); }

void Checker::rejectLabel(const Expr *bound, const Type &type, std::string_view why) {
    if (bound && type.isString())
        report(bound->span, "a string cannot be used here: " + std::string(why))
            .withHint("labels select the columns of a frame: F[, \"label\"]");
}

Checker::Type Checker::checkIndex(const Index &index) {
    Type base = checkType(index.base);
    Known rowLo = checkIndexBound(index.rows.lo), rowHi = checkIndexBound(index.rows.hi);
    rejectLabel(index.rows.lo, rowLo.type, "rows have no labels");
    rejectLabel(index.rows.hi, rowHi.type, "rows have no labels");
    Known colLo = checkIndexBound(index.cols.lo), colHi = checkIndexBound(index.cols.hi);
    if (index.cols.form == IndexPart::Form::Range) {
        bool lowIsLabel = colLo.type.isString();
        rejectLabel(lowIsLabel ? index.cols.lo : index.cols.hi, lowIsLabel ? colLo.type : colHi.type,
                    "a range needs positions");
    } else if (base.isMatrix()) {
        rejectLabel(index.cols.lo, colLo.type, "the columns of a matrix have no labels");
    }
    return run.types.index(base, index.cols, colLo, colHi);
}

Checker::Type Checker::checkElement(const Element &element) {
    Known base = checkValue(element.base);
    for (const Expr *bound : {element.part.lo, element.part.hi}) {
        Type type = checkIndexBound(bound).type;
        rejectLabel(bound, type, "elements of a list have no labels");
    }
    if (base.isFunction)
        report(element.span, "a function has no elements").withHint("functions are called with parentheses");
    else if (base.type.isMatrix() || base.type.isFrame())
        report(element.span, "a " + std::string(base.type.isMatrix() ? "matrix" : "frame") +
                                 " is indexed by rows and columns, separated by a comma")
            .withHint("X[i, ] is a row, X[, j] a column, X[i, j] a cell");
    else if (base.type.isScalar())
        report(element.span, "only the elements of a list can be selected this way, this is " + base.type.typeText());
    return base.type.isList() && element.part.form != IndexPart::Form::Single ? base.type : Type::unknown();
}

Checker::Type Checker::checkFilter(const Filter &filter) {
    Type base = checkType(filter.base);
    if (filter.rows)
        checkValue(filter.rows);
    if (filter.cols)
        checkValue(filter.cols);
    if (filter.cells) {
        checkValue(filter.cells);
        return base.isMatrix() ? base : Type::unknown();
    }
    if (base.isMatrix())
        return base;
    if (base.isFrame())
        return filter.cols ? Type::frame(nullptr) : base;
    return Type::unknown();
}

Checker::Type Checker::checkCast(const Cast &cast) {
    Type operand = checkType(cast.operand);
    if (cast.target.dataType == DataType::Frame && cast.target.valueType != ValueType::Unknown)
        report(cast.target.span, "a frame has a value type per column, so there is no cast to " + textOf(cast.target))
            .withHint("write as.frame(x)");
    else if (cast.target.dataType == DataType::None && operand.isFrame())
        report(cast.span, "a frame cannot be cast to the value type " + textOf(cast.target))
            .withHint("write as.matrix<" + textOf(cast.target) + ">(x)");
    return run.types.cast(cast.target, operand);
}

// ------------------------------------------------------------------- literals

namespace {

/// Collects the most general type of the cells of a matrix literal or of a column of a frame literal.
class CellTypes {
  public:
    void add(ValueType type) {
        strings |= type == ValueType::Str;
        numbers |= isNumeric(type);
        general = mostGeneral(general, type);
    }
    bool mixed() const { return strings && numbers; }
    ValueType valueType() const {
        if (mixed())
            return ValueType::Unknown;
        // There is no matrix of size; its values are those of ui64.
        return general == ValueType::Size ? ValueType::UI64 : general;
    }

  private:
    ValueType general = ValueType::Bool;
    bool strings = false, numbers = false;
};

ValueType scalarType(const TypeDesc &t) { return t.isScalar() ? t.valueType : ValueType::Unknown; }

bool isKnownNonScalar(const TypeDesc &t) { return !t.isUnknown() && !t.isScalar(); }

} // namespace

Checker::Type Checker::checkMatrixLit(const MatrixLit &lit) {
    if (lit.cells.empty())
        report(lit.span, "a matrix literal needs at least one element")
            .withHint("an empty matrix is written fill(0.0, 0, 0), an empty list list()");
    CellTypes types;
    bool mixed = false, nonScalar = false;
    for (const Expr *cell : lit.cells) {
        ValueType vt = numberType(cell);
        if (vt == ValueType::Unknown) {
            Known value = checkValue(cell);
            Type type = typeAsArgument(value);
            if (isKnownNonScalar(type) && !nonScalar) {
                nonScalar = true;
                report(cell->span, "the elements of a matrix literal must be scalars, this is " + type.typeText())
                    .withHint("a 2x2 matrix is written row by row: [1, 2, 3, 4](2, 2); values of any types are held by "
                              "list(...)");
            }
            vt = scalarType(type);
        }
        types.add(vt);
        if (types.mixed() && !mixed) {
            mixed = true;
            report(cell->span, "a matrix literal cannot mix strings and numbers")
                .withHint("convert the numbers with as.str(x); values of any types are held by list(...)");
        }
    }
    for (const Expr *size : {lit.rows, lit.cols})
        if (size)
            checkValue(size);
    return Type::matrix(lit.cells.empty() ? ValueType::Unknown : types.valueType());
}

/// The labels if all of them are known now.
std::optional<std::vector<std::string>> Checker::checkLabels(std::span<const Expr *> labels) {
    std::optional<std::vector<std::string>> known(std::in_place);
    for (const Expr *label : labels) {
        Known value = checkValue(label);
        if (!value.type.isUnknown() && !value.type.isString())
            report(label->span, "the label of a column must be a string, this is " + value.type.typeText());
        if (!value.constant || value.constant->type != ValueType::Str)
            known.reset();
        else if (known)
            known->push_back(value.constant->s);
    }
    return known;
}

namespace {
/// Column types are worth knowing only as a whole.
TypeDesc frameType(std::optional<std::vector<std::string>> labels, const std::vector<ValueType> &types) {
    if (!labels)
        return TypeDesc::frame(nullptr);
    for (ValueType t : types)
        if (t == ValueType::Unknown)
            return TypeDesc::frame(nullptr);
    return TypeDesc::frame(std::make_shared<ops::FrameSchema>(ops::FrameSchema{std::move(*labels), types}));
}
} // namespace

Checker::Type Checker::checkFrameColumns(const FrameColumns &lit) {
    if (lit.columns.empty())
        report(lit.span, "a frame literal needs at least one column");
    // Labels and columns alternate in the text, but only their errors could tell.
    auto labels = checkLabels(lit.labels);
    std::vector<ValueType> types;
    for (const Expr *column : lit.columns) {
        Type type = checkType(column);
        if (!type.isUnknown() && !type.isMatrix())
            report(column->span, "a column of a frame must be a matrix with one column, this is " + type.typeText())
                .withHint(type.isScalar() ? "write [x] for a column of one value" : "");
        types.push_back(type.isMatrix() ? type.valueType : ValueType::Unknown);
    }
    return frameType(std::move(labels), types);
}

Checker::Type Checker::checkFrameRows(const FrameRows &lit) {
    auto labels = checkLabels(lit.labels);
    std::vector<CellTypes> columns(lit.labels.size());
    std::vector<bool> reported(columns.size());
    for (size_t i = 0; i < lit.cells.size(); ++i) {
        size_t c = i % columns.size();
        Type type = checkType(lit.cells[i]);
        if (isKnownNonScalar(type))
            report(lit.cells[i]->span, "the cells of a frame literal must be scalars, this is " + type.typeText());
        columns[c].add(scalarType(type));
        if (columns[c].mixed() && !reported[c]) {
            reported[c] = true;
            report(lit.cells[i]->span, "a column of a frame cannot mix strings and numbers");
        }
    }
    std::vector<ValueType> types;
    for (const CellTypes &column : columns)
        types.push_back(column.valueType());
    return frameType(std::move(labels), types);
}

} // namespace daphne::lang
