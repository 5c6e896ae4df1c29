// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <utility>

#include "lang/dsl/Habits.h"
#include "lang/dsl/Parser.h"

namespace daphne::lang {

namespace {

/// Level of language 2.1 turned round, so that a higher number binds tighter; 0: no infix operator.
int infixLevel(TokenKind kind) {
    switch (kind) {
    case TokenKind::Or: return 1;
    case TokenKind::And: return 2;
    case TokenKind::Equal:
    case TokenKind::NotEqual:
    case TokenKind::Less:
    case TokenKind::LessEqual:
    case TokenKind::Greater:
    case TokenKind::GreaterEqual: return 3;
    case TokenKind::Plus:
    case TokenKind::Minus: return 4;
    case TokenKind::Star:
    case TokenKind::Slash: return 5;
    case TokenKind::Percent: return 6;
    case TokenKind::Caret: return 7;
    case TokenKind::At: return 8;
    default: return 0;
    }
}

bool takesHint(TokenKind op) {
    return op == TokenKind::Plus || op == TokenKind::Minus || op == TokenKind::Star || op == TokenKind::Slash;
}

} // namespace

const Expr *Parser::inside(const Parsed &child, uint32_t &depth) {
    depth = std::max(depth, child.depth + 1);
    if (depth > kMaxTreeDepth)
        fail(std::move(parseError(child.span, "the expression is too large: its tree is more than " +
                                                  std::to_string(kMaxTreeDepth) + " operators deep")
                           .withHint("split it with intermediate variables")));
    return child.expr;
}

Parser::Parsed Parser::finish(const Expr *expr, uint32_t depth) { return {expr, expr->span, depth}; }

/// a ? b : c, grouping to the left.
Parser::Parsed Parser::parseConditional() {
    Nested nested(*this);
    if (startsLambda())
        return parseLambda();
    Parsed value = parseBinary(1);
    while (accept(TokenKind::Question)) {
        uint32_t depth = 1;
        const Expr *condition = inside(value, depth);
        const Expr *thenValue = inside(parseConditional(), depth);
        expect(TokenKind::Colon, "between the two values of '?'");
        const Expr *elseValue = inside(parseBinary(1), depth);
        value =
            finish(arena.make(Cond{{ExprKind::Cond, spanFrom(value.span)}, condition, thenValue, elseValue}), depth);
    }
    return value;
}

/// Whether a block, and no frame literal, begins with these tokens behind its brace.
static bool beginsStatement(TokenKind first, TokenKind second) {
    constexpr TokenKind kWords[] = {TokenKind::RightBrace, TokenKind::If, TokenKind::While, TokenKind::Do,
                                    TokenKind::For,        TokenKind::Return};
    return std::ranges::find(kWords, first) != std::end(kWords) ||
           (first == TokenKind::Identifier && (second == TokenKind::Assign || second == TokenKind::AssignWith));
}

/// x -> or (...) ->
bool Parser::startsLambda() const {
    if (is(TokenKind::Identifier))
        return peek(1).kind == TokenKind::Arrow;
    return is(TokenKind::LeftParen) && peek().match && tokens.tokens[peek().match + 1].kind == TokenKind::Arrow;
}

Parser::Parsed Parser::parseLambda() {
    const Token &first = peek();
    std::vector<Param> params;
    if (is(TokenKind::Identifier)) {
        next();
        params.push_back({textOf(first), spanOf(first), false, {}, nullptr});
    } else {
        next();
        if (!is(TokenKind::RightParen))
            do {
                params.push_back(parseParam());
                if (const Expr *value = params.back().defaultValue)
                    fail(std::move(parseError(value->span, "parameters of a lambda have no defaults")
                                       .withHint("a 'def' can have them")));
            } while (accept(TokenKind::Comma));
        expectClosing(TokenKind::RightParen, first);
    }
    expect(TokenKind::Arrow, "before the value of the function");
    if (is(TokenKind::LeftBrace) && beginsStatement(peek(1).kind, peek(2).kind))
        failAtToken("the body of a lambda is one expression", "what needs statements is written def f(x) { ... }");
    uint32_t depth = 1;
    const Expr *value = inside(parseConditional(), depth);
    std::vector<const Expr *> values{value};
    std::vector<Stmt *> statements{arena.make(Return{{StmtKind::Return, value->span}, arena.copy(values)})};
    Block *body = arena.make(Block{{StmtKind::Block, value->span}, arena.copy(statements)});
    Lambda node{{ExprKind::Lambda, spanFrom(first)}, arena.copy(params), value, body, result.script};
    return finish(arena.make(node), depth);
}

Parser::Parsed Parser::parseBinary(int minLevel) {
    Parsed value = parseUnary();
    for (int level; (level = infixLevel(peek().kind)) >= minLevel && level > 0;) {
        const Token &op = next();
        std::string_view hint = takesHint(op.kind) ? parseKernelHint() : std::string_view();
        uint32_t depth = 1;
        const Expr *lhs = inside(value, depth);
        const Expr *rhs = inside(parseBinary(level + 1), depth);
        Binary node{{ExprKind::Binary, spanFrom(value.span)}, textOf(op), spanOf(op), hint, lhs, rhs};
        value = finish(arena.make(node), depth);
    }
    return value;
}

Parser::Parsed Parser::parseUnary() {
    UnaryOp op;
    switch (peek().kind) {
    case TokenKind::Plus: op = UnaryOp::Plus; break;
    case TokenKind::Minus: op = UnaryOp::Minus; break;
    case TokenKind::Not: op = UnaryOp::Not; break;
    default: return parsePostfix();
    }
    Nested nested(*this);
    const Token &first = next();
    uint32_t depth = 1;
    if (op == UnaryOp::Minus)
        negatedToken = at;
    const Expr *operand = inside(parseUnary(), depth);
    return finish(arena.make(Unary{{ExprKind::Unary, spanFrom(first)}, op, operand}), depth);
}

Parser::Parsed Parser::parsePostfix() {
    Parsed value = parsePrimary();
    while (is(TokenKind::LeftBracket))
        value = startsFilter() ? parseFilter(value) : parseIndex(value);
    constexpr ExprKind kMayBeFunctions[] = {ExprKind::Element, ExprKind::Lambda, ExprKind::Call, ExprKind::Cond};
    if (is(TokenKind::LeftParen) && std::ranges::find(kMayBeFunctions, value.expr->kind) != std::end(kMayBeFunctions))
        failAtToken("only names are called", "give the function a name first: f = l[0]; f(x)");
    return value;
}

// ------------------------------------------------------------------- indexing

/// "[[" opens a filter, except where the inner bracket turns out to be a matrix literal: X[[0, 2], ].
bool Parser::startsFilter() const {
    const Token &outer = peek(), &inner = peek(1);
    if (inner.kind != TokenKind::LeftBracket || inner.begin != outer.end)
        return false;
    if (!inner.match)
        return true;
    const Token &closing = tokens.tokens[inner.match], &after = tokens.tokens[inner.match + 1];
    return after.kind == TokenKind::RightBracket && after.begin == closing.end;
}

Parser::Parsed Parser::parseFilter(const Parsed &base) {
    const Token &outer = next(), &inner = next();
    uint32_t depth = 1;
    const Expr *filtered = inside(base, depth);
    const Expr *rows = is(TokenKind::Comma) ? nullptr : inside(parseConditional(), depth);
    const Expr *cols = nullptr, *cells = nullptr;
    if (is(TokenKind::RightBracket)) {
        std::swap(rows, cells);
    } else {
        expect(TokenKind::Comma, "between the row and the column filter");
        if (!is(TokenKind::RightBracket))
            cols = inside(parseConditional(), depth);
    }
    expectClosing(TokenKind::RightBracket, inner);
    expectClosing(TokenKind::RightBracket, outer);
    return finish(arena.make(Filter{{ExprKind::Filter, spanFrom(base.span)}, filtered, rows, cols, cells}), depth);
}

Parser::Parsed Parser::parseIndex(const Parsed &base) {
    const Token &opening = next();
    uint32_t depth = 1;
    const Expr *indexed = inside(base, depth);
    IndexPart rows = parseIndexPart(depth);
    bool isEmpty = tokens.tokens[at - 1].kind == TokenKind::LeftBracket;
    if (is(TokenKind::RightBracket) && !isEmpty) {
        next();
        return finish(arena.make(Element{{ExprKind::Element, spanFrom(base.span)}, indexed, rows}), depth);
    }
    if (!is(TokenKind::Comma))
        failAtToken("expected ',' between rows and columns, found " + found(),
                    "an index has two parts: X[rows, cols]; leave a part empty to take everything: X[0, ]");
    next();
    IndexPart cols = parseIndexPart(depth);
    expectClosing(TokenKind::RightBracket, opening);
    return finish(arena.make(Index{{ExprKind::Index, spanFrom(base.span)}, indexed, rows, cols}), depth);
}

IndexPart Parser::parseIndexPart(uint32_t &depth) {
    auto ends = [this] { return is(TokenKind::Comma) || is(TokenKind::RightBracket); };
    if (ends())
        return {IndexPart::Form::All, nullptr, nullptr};
    const Expr *lo = is(TokenKind::Colon) ? nullptr : parseIndexBound(depth);
    if (!accept(TokenKind::Colon))
        return {IndexPart::Form::Single, lo, nullptr};
    const Expr *hi = ends() ? nullptr : parseIndexBound(depth);
    if (!lo && !hi)
        return {IndexPart::Form::All, nullptr, nullptr};
    return {IndexPart::Form::Range, lo, hi};
}

const Expr *Parser::parseIndexBound(uint32_t &depth) {
    Nested nested(*this);
    const Expr *bound = inside(parseBinary(1), depth);
    if (is(TokenKind::Question))
        failAtToken("a conditional in an index needs parentheses", "write X[(c ? a : b), ]");
    return bound;
}

// ------------------------------------------------------------------ primaries

Parser::Parsed Parser::parsePrimary() {
    switch (peek().kind) {
    case TokenKind::Int:
    case TokenKind::Float:
    case TokenKind::String:
    case TokenKind::True:
    case TokenKind::False: return parseLiteral();
    case TokenKind::Dollar: return parseScriptArg();
    case TokenKind::Identifier: return parseNameOrCall();
    case TokenKind::As: return parseCast();
    case TokenKind::LeftParen: return parseParenthesised();
    case TokenKind::LeftBracket: return parseMatrixLiteral();
    case TokenKind::LeftBrace: return parseFrameLiteral();
    case TokenKind::DataTypeWord:
    case TokenKind::ValueTypeWord:
        failAtToken("expected an expression, found the type " + found(),
                    hintForTypeAsValue(textOf(peek()), textOf(peek(1))));
    default: failAtToken("expected an expression, found " + found());
    }
}

Parser::Parsed Parser::parseParenthesised() {
    const Token &opening = next();
    Parsed value = parseConditional();
    expectClosing(TokenKind::RightParen, opening);
    if (value.expr->kind == ExprKind::Call)
        result.parenthesisedCalls.insert(value.expr);
    return {value.expr, spanFrom(opening), value.depth};
}

Parser::Parsed Parser::parseLiteral() {
    const Token &token = next();
    SourceSpan span = spanOf(token);
    std::string_view literal = textOf(token);
    switch (token.kind) {
    case TokenKind::Int: {
        IntValue v = token.match == kMalformed ? IntValue{} : decodeInt(literal);
        bool isTwo63 = v.inRange && v.type == ValueType::SI64 && v.value == INT64_MIN;
        if (isTwo63 && at - 1 != negatedToken)
            diagnostics.report(span, std::string(literal) + " is out of the range of si64")
                .withHint("only its negation, -9223372036854775808, is in the range");
        return finish(arena.make(IntLit{{ExprKind::IntLit, span}, v.value, v.type}), 1);
    }
    case TokenKind::Float: {
        FloatValue v = decodeFloat(literal);
        return finish(arena.make(FloatLit{{ExprKind::FloatLit, span}, v.value, v.type}), 1);
    }
    case TokenKind::String: {
        std::string_view raw = rawString(literal);
        std::string_view value = raw.find('\\') == raw.npos ? raw : arena.copy(std::string_view(decodeEscapes(raw)));
        return finish(arena.make(StrLit{{ExprKind::StrLit, span}, value}), 1);
    }
    default: return finish(arena.make(BoolLit{{ExprKind::BoolLit, span}, token.kind == TokenKind::True}), 1);
    }
}

Parser::Parsed Parser::parseScriptArg() {
    const Token &dollar = next();
    const Token &token = expectName("the name of a script argument after '$'");
    std::string_view name = textOf(token);
    SourceSpan span = spanFrom(dollar);
    const Expr *value = nullptr;
    auto given = scriptArgs.find(std::string(name));
    if (given == scriptArgs.end()) {
        diagnostics.report(span, "no value was given for the script argument $" + std::string(name))
            .withHint("pass it after the script: " + std::string(name) + "=value");
    } else if (!(value = scriptArgValue(given->second, span))) {
        diagnostics
            .report(span,
                    "the value of the script argument $" + std::string(name) + " is not a literal: " + given->second)
            .withHint("numbers, true, false, nan, inf, or a string with its double quotes: " + std::string(name) +
                      "='\"text\"'");
    }
    if (!value)
        value = arena.make(IntLit{{ExprKind::IntLit, span}, 0, ValueType::SI64});
    return finish(arena.make(ScriptArg{{ExprKind::ScriptArg, span}, name, value}), 2);
}

/// [ "-" ] literal; null if the text is anything else.
const Expr *Parser::scriptArgValue(const std::string &value, SourceSpan span) {
    Diagnostics problems;
    // Nodes keep views of their text, the options need not live as long.
    Parser parser(arena.copy(std::string_view(value)), fileId, arena, problems, scriptArgs);
    bool negative = parser.accept(TokenKind::Minus);
    if (negative)
        parser.negatedToken = parser.at;
    switch (parser.peek().kind) {
    case TokenKind::Int:
    case TokenKind::Float:
    case TokenKind::String:
    case TokenKind::True:
    case TokenKind::False: break;
    default: return nullptr;
    }
    const Expr *literal = parser.parseLiteral().expr;
    if (problems.count() || !parser.is(TokenKind::End))
        return nullptr;
    // Positions are those of the use: the option text is no file. The node is ours, nobody has seen it yet.
    const_cast<Expr *>(literal)->span = span;
    return negative ? arena.make(Unary{{ExprKind::Unary, span}, UnaryOp::Minus, literal}) : literal;
}

/// name { "." name }; blanks around the points are dropped.
std::string_view Parser::parseDottedName(SourceSpan &span) {
    const Token &first = next();
    std::string_view name = textOf(first);
    if (is(TokenKind::Dot)) {
        std::string joined(name);
        while (accept(TokenKind::Dot)) {
            joined += '.';
            joined += textOf(expectName("a name after '.'"));
        }
        name = arena.copy(std::string_view(joined));
    }
    span = spanFrom(first);
    return name;
}

std::string_view Parser::parseKernelHint() {
    return accept(TokenKind::ColonColon) ? textOf(expectName("the name of a kernel after '::'")) : std::string_view();
}

Parser::Parsed Parser::parseNameOrCall() {
    const Token &first = peek();
    SourceSpan span;
    std::string_view name = parseDottedName(span);
    if (is(TokenKind::LeftParen) || is(TokenKind::ColonColon))
        return parseCall(name, span, first);
    return finish(arena.make(Var{{ExprKind::Var, span}, name}), 1);
}

Parser::Parsed Parser::parseCall(std::string_view callee, SourceSpan calleeSpan, const Token &first) {
    std::string_view hint = parseKernelHint();
    if (!is(TokenKind::LeftParen))
        failAtToken("expected '(' after the kernel hint, found " + found());
    const Token &opening = next();
    uint32_t depth = 1;
    std::vector<CallArg> args;
    while (!is(TokenKind::RightParen)) {
        const Token &start = peek();
        std::string_view keyword;
        if (is(TokenKind::Identifier) && peek(1).kind == TokenKind::Assign) {
            keyword = textOf(next());
            next();
        }
        const Expr *value = inside(parseConditional(), depth);
        args.push_back({keyword, value, spanFrom(start)});
        if (!accept(TokenKind::Comma))
            break;
    }
    expectClosing(TokenKind::RightParen, opening);
    Call call{{ExprKind::Call, spanFrom(first)}, callee, calleeSpan, hint, arena.copy(args)};
    return finish(arena.make(call), depth);
}

Parser::Parsed Parser::parseCast() {
    const Token &first = next();
    expect(TokenKind::Dot, "after 'as'");
    TypeSpec target = parseType();
    if (!is(TokenKind::LeftParen))
        failAtToken("expected '(' after the type of a cast, found " + found());
    const Token &opening = next();
    uint32_t depth = 1;
    const Expr *operand = inside(parseConditional(), depth);
    expectClosing(TokenKind::RightParen, opening);
    return finish(arena.make(Cast{{ExprKind::Cast, spanFrom(first)}, target, operand}), depth);
}

// ------------------------------------------------- matrix and frame literals

Parser::Parsed Parser::parseMatrixLiteral() {
    const Token &opening = next();
    uint32_t depth = 1;
    std::vector<const Expr *> cells;
    if (!is(TokenKind::RightBracket))
        do
            cells.push_back(inside(parseConditional(), depth));
        while (accept(TokenKind::Comma));
    expectClosing(TokenKind::RightBracket, opening);
    const Expr *rows = nullptr, *cols = nullptr;
    if (is(TokenKind::LeftParen)) {
        const Token &shape = next();
        if (!is(TokenKind::Comma))
            rows = inside(parseConditional(), depth);
        expect(TokenKind::Comma, "between the numbers of rows and columns of a matrix literal");
        if (!is(TokenKind::RightParen))
            cols = inside(parseConditional(), depth);
        expectClosing(TokenKind::RightParen, shape);
    }
    MatrixLit node{{ExprKind::MatrixLit, spanFrom(opening)}, arena.copy(cells), rows, cols};
    return finish(arena.make(node), depth);
}

/// A bracket followed by "," or "}" is a row; otherwise it belongs to an expression, a label.
bool Parser::startsFrameRow() const {
    if (!is(TokenKind::LeftBracket) || !peek().match)
        return false;
    TokenKind after = tokens.tokens[peek().match + 1].kind;
    return after == TokenKind::Comma || after == TokenKind::RightBrace;
}

Parser::Parsed Parser::parseFrameLiteral() {
    const Token &opening = next();
    return startsFrameRow() ? parseFrameRows(opening) : parseFrameColumns(opening);
}

Parser::Parsed Parser::parseFrameColumns(const Token &opening) {
    uint32_t depth = 1;
    std::vector<const Expr *> labels, columns;
    if (!is(TokenKind::RightBrace))
        do {
            labels.push_back(inside(parseConditional(), depth));
            expect(TokenKind::Colon, "between a label and its column");
            columns.push_back(inside(parseConditional(), depth));
        } while (accept(TokenKind::Comma));
    expectClosing(TokenKind::RightBrace, opening);
    FrameColumns node{{ExprKind::FrameColumns, spanFrom(opening)}, arena.copy(labels), arena.copy(columns)};
    return finish(arena.make(node), depth);
}

Parser::Parsed Parser::parseFrameRows(const Token &opening) {
    uint32_t depth = 1;
    std::vector<const Expr *> labels, cells;
    size_t numRows = 0;
    do {
        if (!is(TokenKind::LeftBracket))
            failAtToken("expected a row in '[ ]', found " + found());
        const Token &bracket = next();
        std::vector<const Expr *> row;
        if (!is(TokenKind::RightBracket))
            do
                row.push_back(inside(parseConditional(), depth));
            while (accept(TokenKind::Comma));
        expectClosing(TokenKind::RightBracket, bracket);
        if (numRows++ == 0)
            labels = row;
        else if (row.size() != labels.size())
            diagnostics.report(spanFrom(bracket), "this row has " + std::to_string(row.size()) +
                                                      " cells, but there are " + std::to_string(labels.size()) +
                                                      " labels");
        else
            cells.insert(cells.end(), row.begin(), row.end());
    } while (accept(TokenKind::Comma));
    expectClosing(TokenKind::RightBrace, opening);
    if (labels.empty())
        diagnostics.report(spanFrom(opening), "a frame literal needs at least one label");
    else if (numRows == 1)
        diagnostics.report(spanFrom(opening), "a frame literal needs at least one row of data after the labels");
    FrameRows node{{ExprKind::FrameRows, spanFrom(opening)}, arena.copy(labels), arena.copy(cells)};
    return finish(arena.make(node), depth);
}

} // namespace daphne::lang
