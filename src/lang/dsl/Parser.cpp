// SPDX-License-Identifier: Apache-2.0
#include "lang/dsl/Parser.h"

#include <algorithm>
#include <utility>

#include "lang/dsl/Habits.h"

namespace daphne::lang {

Parser::Parser(std::string_view text, uint32_t fileId, Arena &arena, Diagnostics &diagnostics, const ScriptArgs &args)
    : text(text), fileId(fileId), arena(arena), diagnostics(diagnostics), scriptArgs(args),
      tokens(tokenize(text, fileId, diagnostics)) {}

ParsedScript Parser::parse() {
    // Function definitions refer to the script, so it exists before its body does.
    result.script = arena.make(Script{fileId, {}});
    std::vector<Stmt *> body;
    parseStatements(body, TokenKind::End);
    result.script->body = arena.copy(body);
    return std::move(result);
}

// --------------------------------------------------------------------- tokens

const Token &Parser::next() {
    const Token &token = peek();
    if (token.kind != TokenKind::End)
        ++at;
    return token;
}

bool Parser::accept(TokenKind kind) {
    if (!is(kind))
        return false;
    next();
    return true;
}

const Token &Parser::expect(TokenKind kind, std::string_view where) {
    if (!is(kind))
        failAtToken("expected " + describe(kind) + " " + std::string(where) + ", found " + found());
    return next();
}

const Token &Parser::expectClosing(TokenKind kind, const Token &opening) {
    if (is(kind))
        return next();
    Error e = parseError(spanOf(peek()), "expected " + describe(kind) + ", found " + found());
    if (is(TokenKind::Assign))
        e.withHint("'=' assigns; equality is written '=='");
    else if (std::string habit = habitHint(&opening); !habit.empty())
        e.withHint(habit);
    e.withNote("to close the " + describe(opening.kind) + " opened", spanOf(opening));
    fail(std::move(e));
}

std::string Parser::found() const {
    const Token &token = peek();
    if (token.kind == TokenKind::End)
        return "the end of the script";
    std::string_view shown = textOf(token);
    if (token.kind == TokenKind::String || shown.size() > 40 || shown.empty())
        return describe(token.kind);
    return "'" + std::string(shown) + "'";
}

const Token &Parser::expectName(std::string_view what) {
    if (is(TokenKind::Identifier))
        return next();
    const Token &token = peek();
    bool word = token.end > token.begin && std::isalpha(static_cast<unsigned char>(text[token.begin]));
    failAtToken("expected " + std::string(what) + ", found " + found(),
                word ? "'" + std::string(textOf(token)) + "' is a word of the language and cannot be a name" : "");
}

// --------------------------------------------------------------------- errors

void Parser::noteFirstError() {
    if (!anyError)
        firstErrorAtEnd = is(TokenKind::End);
    anyError = true;
}

void Parser::fail(Error error) {
    noteFirstError();
    // Every open block misses its brace at the end; the innermost one says it all.
    bool again = is(TokenKind::End) && std::exchange(reportedEnd, true);
    if (!again)
        diagnostics.report(std::move(error));
    throw BrokenStatement{};
}

void Parser::failAtToken(std::string message, std::string hint) {
    Error e = parseError(spanOf(peek()), std::move(message));
    e.withHint(hint.empty() ? habitHint() : std::move(hint));
    fail(std::move(e));
}

std::string Parser::habitHint(const Token *opening) const {
    auto tokenText = [&](size_t i) { return i < tokens.tokens.size() ? textOf(tokens.tokens[i]) : std::string_view(); };
    std::string_view called;
    for (size_t i = at; i-- > 1 && tokenText(at - 1) == ")";)
        if (tokens.tokens[i].match == at - 1) {
            called = tokenText(i - 1);
            break;
        }
    auto opened = opening ? static_cast<size_t>(opening - tokens.tokens.data()) : 0;
    return std::string(hintForSyntax({.first = tokenText(statementAt),
                                      .second = tokenText(statementAt + 1),
                                      .before = at > 0 ? tokenText(at - 1) : std::string_view(),
                                      .found = tokenText(at) == "=" && tokenText(at + 1) == ">" ? "=>" : tokenText(at),
                                      .gap = text.substr(previousEnd(), peek().begin - previousEnd()),
                                      .opening = opening ? textOf(*opening) : std::string_view(),
                                      .beforeOpening = opened > 0 ? tokenText(opened - 1) : std::string_view(),
                                      .called = called}));
}

Parser::Nested::Nested(Parser &parser) : parser(parser) {
    if (parser.nesting >= kMaxNesting)
        parser.failAtToken("the script is nested too deeply: more than " + std::to_string(kMaxNesting) + " levels",
                           "split the expression with intermediate variables");
    ++parser.nesting;
}

/// Skips to where the next statement probably starts.
void Parser::synchronise() {
    size_t open = 0;
    for (bool first = true; !is(TokenKind::End); first = false) {
        switch (peek().kind) {
        case TokenKind::Semicolon:
            next();
            if (open == 0)
                return;
            break;
        case TokenKind::LeftBrace:
            ++open;
            next();
            break;
        case TokenKind::RightBrace:
            if (open == 0)
                return;
            next();
            if (--open == 0)
                return;
            break;
        case TokenKind::If:
        case TokenKind::While:
        case TokenKind::Do:
        case TokenKind::For:
        case TokenKind::Def:
        case TokenKind::Return:
        case TokenKind::Import:
            if (open == 0 && !first)
                return;
            [[fallthrough]];
        default: next(); break;
        }
    }
}

// ----------------------------------------------------------------- statements

void Parser::parseStatements(std::vector<Stmt *> &into, TokenKind closing) {
    uint32_t outerNesting = nesting;
    while (!is(closing) && !is(TokenKind::End) && !diagnostics.full()) {
        size_t start = at;
        try {
            if (is(TokenKind::RightBrace))
                failAtToken("this '}' closes nothing");
            into.push_back(parseStatement());
        } catch (const BrokenStatement &) {
            nesting = outerNesting;
            synchronise();
            // An unmatched brace at the top level, or an error in the very first token.
            if (at == start || (is(TokenKind::RightBrace) && closing == TokenKind::End && braces == 0))
                next();
        }
    }
}

Stmt *Parser::parseStatement() {
    Nested nested(*this);
    statementAt = at;
    switch (peek().kind) {
    case TokenKind::LeftBrace: return parseBlock();
    case TokenKind::If: return parseIf();
    case TokenKind::While: return parseWhile();
    case TokenKind::Do: return parseDo();
    case TokenKind::For: return parseFor();
    case TokenKind::Def: return parseFuncDef();
    case TokenKind::Return: return parseReturn();
    case TokenKind::Import: return parseImport();
    case TokenKind::Semicolon:
        failAtToken("there is no empty statement", "remove this ';', or write {} where a statement is needed");
    case TokenKind::Else: failAtToken("'else' without an 'if' before it");
    default: break;
    }
    // Words that are names everywhere else.
    if ((isWord("break") || isWord("continue")) && peek(1).kind == TokenKind::Semicolon)
        return parseJump();
    if (isWord("try") && peek(1).kind == TokenKind::LeftBrace)
        return parseTry();
    return parseSimple();
}

bool Parser::isWord(std::string_view word) const { return is(TokenKind::Identifier) && textOf(peek()) == word; }

Stmt *Parser::parseJump() {
    const Token &word = next();
    SourceSpan span = spanOf(word);
    JumpTo to = textOf(word) == "break" ? JumpTo::LoopEnd : JumpTo::NextTurn;
    const Expr *value = arena.make(Var{{ExprKind::Var, span}, textOf(word)});
    endStatement();
    return arena.make(Jump{{StmtKind::Jump, span}, to, value, false});
}

Stmt *Parser::parseTry() {
    const Token &first = next();
    Try node{};
    node.kind = StmtKind::Try;
    node.body = parseBlock();
    if (!isWord("catch"))
        failAtToken("expected 'catch' after the block of 'try', found " + found(),
                    "what is done after an error is written catch (message) { ... }");
    next();
    if (is(TokenKind::LeftParen)) {
        const Token &opening = next();
        const Token &message = expectName("the name of the message");
        node.message = textOf(message);
        node.messageSpan = spanOf(message);
        if (accept(TokenKind::Comma)) {
            const Token &place = expectName("the name of the place");
            node.place = textOf(place);
            node.placeSpan = spanOf(place);
        }
        expectClosing(TokenKind::RightParen, opening);
    }
    if (!is(TokenKind::LeftBrace))
        failAtToken("expected '{' before the block of 'catch', found " + found());
    node.handler = parseBlock();
    node.span = spanFrom(first);
    return arena.make(node);
}

Block *Parser::parseBlock() {
    const Token &opening = next();
    std::vector<Stmt *> body;
    ++braces;
    parseStatements(body, TokenKind::RightBrace);
    --braces;
    if (!is(TokenKind::RightBrace) && diagnostics.full())
        throw BrokenStatement{};
    expectClosing(TokenKind::RightBrace, opening);
    SourceSpan span = spanFrom(opening);
    accept(TokenKind::Semicolon);
    return arena.make(Block{{StmtKind::Block, span}, arena.copy(body)});
}

void Parser::endStatement() {
    if (accept(TokenKind::Semicolon))
        return;
    if (is(TokenKind::End) && !semicolonAtEnd) {
        omittedSemicolon = true;
        return;
    }
    uint32_t end = previousEnd();
    Error e = parseError({fileId, end, end}, "expected ';' after the statement");
    if (is(TokenKind::Assign))
        e = parseError(spanOf(peek()), "cannot assign here").withHint(habitHint());
    else if (is(TokenKind::RightParen) || is(TokenKind::RightBracket))
        e = parseError(spanOf(peek()), "this " + found() + " closes nothing");
    else if (std::string habit = habitHint(); !habit.empty())
        e.withHint(habit);
    else if (!is(TokenKind::End))
        e.withHint("found " + found() + " instead");
    // Where a line break or a brace follows, most likely only the semicolon is missing: go on behind it.
    std::string_view between = text.substr(end, peek().begin - end);
    bool onlyMissing = is(TokenKind::RightBrace) || between.find('\n') != between.npos;
    if (!onlyMissing)
        fail(std::move(e));
    noteFirstError();
    diagnostics.report(std::move(e));
}

/// An expression statement or an assignment: what comes first looks alike.
Stmt *Parser::parseSimple() {
    const Token &first = peek();
    Parsed value = parseConditional();
    bool assigns = is(TokenKind::Assign) || is(TokenKind::AssignWith) || is(TokenKind::Comma);
    if (!assigns) {
        endStatement();
        return arena.make(ExprStmt{{StmtKind::ExprStmt, spanFrom(first)}, value.expr});
    }
    std::vector<Target> targets{toTarget(value, first)};
    std::string_view op;
    if (is(TokenKind::AssignWith)) {
        op = textOf(next()).substr(0, 1);
    } else {
        while (accept(TokenKind::Comma)) {
            const Token &start = peek();
            targets.push_back(toTarget(parseConditional(), start));
        }
        expect(TokenKind::Assign, "after the variables to assign");
    }
    std::vector<const Expr *> values{parseExpr()};
    while (op.empty() && accept(TokenKind::Comma))
        values.push_back(parseExpr());
    endStatement();
    return arena.make(Assign{{StmtKind::Assign, spanFrom(first)}, arena.copy(targets), arena.copy(values), op});
}

Target Parser::toTarget(const Parsed &value, const Token &first) {
    const Expr *e = value.expr;
    if (first.kind == TokenKind::Identifier) {
        if (e->kind == ExprKind::Var)
            return {as<Var>(e).name, value.span, {}, nullptr, nullptr};
        const Index *index = e->kind == ExprKind::Index ? &as<Index>(e) : nullptr;
        const Filter *marks = e->kind == ExprKind::Filter ? &as<Filter>(e) : nullptr;
        const Expr *base = index ? index->base : marks ? marks->base : e;
        std::vector<const Expr *> elements;
        for (; base->kind == ExprKind::Element; base = as<Element>(base).base) {
            const IndexPart &part = as<Element>(base).part;
            if (part.form != IndexPart::Form::Single)
                fail(std::move(parseError(base->span, "a slice of a list cannot be assigned to")
                                   .withHint("assign its elements one by one: l[i] = v")));
            elements.insert(elements.begin(), part.lo);
        }
        if (base->kind == ExprKind::Var)
            return {as<Var>(base).name, base->span, arena.copy(elements), index, marks};
    }
    Error error = parseError(value.span, "only a variable or a part of it, X[rows, cols] or l[i], can be assigned to");
    if (e->kind == ExprKind::MatrixLit)
        error.withHint("several variables are assigned without brackets: a, b = 1, 2;");
    else if (e->kind == ExprKind::Binary || e->kind == ExprKind::Call)
        error.withHint("equality is written '=='");
    fail(std::move(error));
}

const Expr *Parser::parseCondition(std::string_view keyword) {
    if (!is(TokenKind::LeftParen))
        failAtToken("expected '(' after '" + std::string(keyword) + "', found " + found());
    const Token &opening = next();
    const Expr *condition = parseExpr();
    expectClosing(TokenKind::RightParen, opening);
    return condition;
}

Stmt *Parser::parseIf() {
    const Token &first = next();
    const Expr *condition = parseCondition("if");
    Stmt *thenBody = parseStatement();
    Stmt *elseBody = accept(TokenKind::Else) ? parseStatement() : nullptr;
    return arena.make(If{{StmtKind::If, spanFrom(first)}, condition, thenBody, elseBody});
}

Stmt *Parser::parseWhile() {
    const Token &first = next();
    const Expr *condition = parseCondition("while");
    Stmt *body = parseStatement();
    return arena.make(While{{StmtKind::While, spanFrom(first)}, condition, body});
}

Stmt *Parser::parseDo() {
    const Token &first = next();
    Stmt *body = parseStatement();
    expect(TokenKind::While, "after the body of 'do'");
    const Expr *condition = parseCondition("while");
    SourceSpan span = spanFrom(first);
    accept(TokenKind::Semicolon);
    return arena.make(While{{StmtKind::DoWhile, span}, condition, body});
}

Stmt *Parser::parseFor() {
    const Token &first = next();
    if (!is(TokenKind::LeftParen))
        failAtToken("expected '(' after 'for', found " + found());
    const Token &opening = next();
    const Token &variable = expectName("the loop variable");
    expect(TokenKind::In, "after the loop variable");
    const Expr *from = parseExpr();
    if (is(TokenKind::RightParen)) {
        next();
        Stmt *body = parseStatement();
        return arena.make(
            ForEach{{StmtKind::ForEach, spanFrom(first)}, textOf(variable), spanOf(variable), from, body});
    }
    expect(TokenKind::Colon, "between the bounds of the loop");
    const Expr *to = parseExpr();
    const Expr *step = accept(TokenKind::Colon) ? parseExpr() : nullptr;
    expectClosing(TokenKind::RightParen, opening);
    Stmt *body = parseStatement();
    return arena.make(For{{StmtKind::For, spanFrom(first)}, textOf(variable), spanOf(variable), from, to, step, body});
}

Stmt *Parser::parseFuncDef() {
    const Token &first = next();
    const Token &name = expectName("the name of the function");
    if (!is(TokenKind::LeftParen))
        failAtToken("expected '(' after the name of the function, found " + found());
    const Token &opening = next();
    std::vector<Param> params;
    while (!is(TokenKind::RightParen)) {
        params.push_back(parseParam());
        if (!accept(TokenKind::Comma))
            break;
    }
    expectClosing(TokenKind::RightParen, opening);
    std::vector<TypeSpec> results;
    bool declared = accept(TokenKind::Arrow);
    if (declared)
        do
            results.push_back(parseSignatureType());
        while (accept(TokenKind::Comma));
    if (!is(TokenKind::LeftBrace))
        failAtToken("expected '{' before the body of the function, found " + found());
    Block *body = parseBlock();
    FuncDef def{{StmtKind::FuncDef, {fileId, first.begin, body->span.end}},
                textOf(name),
                spanOf(name),
                arena.copy(params),
                declared,
                arena.copy(results),
                body,
                result.script};
    return arena.make(def);
}

Param Parser::parseParam() {
    const Token &name = expectName("a parameter name");
    Param param{textOf(name), spanOf(name), false, {}, nullptr};
    if (accept(TokenKind::Colon)) {
        param.typed = true;
        param.type = parseSignatureType();
    }
    if (accept(TokenKind::Assign))
        param.defaultValue = parseExpr();
    return param;
}

/// Signatures have types whose names are no words of the language: elsewhere they are identifiers.
TypeSpec Parser::parseSignatureType() {
    const Token &first = peek();
    bool isList = textOf(first) == "list";
    if (!is(TokenKind::Identifier) || !(isList || textOf(first) == "function"))
        return parseType();
    next();
    TypeSpec type;
    type.dataType = isList ? DataType::List : DataType::Function;
    type.span = spanOf(first);
    return type;
}

TypeSpec Parser::parseType() {
    const Token &first = peek();
    TypeSpec type;
    if (accept(TokenKind::ValueTypeWord)) {
        type.valueType = parseValueType(textOf(first));
    } else if (accept(TokenKind::DataTypeWord)) {
        std::string_view word = textOf(first);
        type.dataType = word == "matrix" ? DataType::Matrix : word == "frame" ? DataType::Frame : DataType::Scalar;
        if (accept(TokenKind::Less)) {
            const Token &vt = peek();
            if (!accept(TokenKind::ValueTypeWord))
                failAtToken("expected a value type in '< >', found " + found(),
                            "value types are f64 f32 si64 si32 si8 ui64 ui32 ui8 str bool");
            type.valueType = parseValueType(textOf(vt));
            expect(TokenKind::Greater, "after the value type");
        }
    } else {
        failAtToken("expected a type, found " + found(), std::string(hintForType(textOf(peek()))));
    }
    type.span = spanFrom(first);
    return type;
}

Stmt *Parser::parseReturn() {
    const Token &first = next();
    std::vector<const Expr *> values;
    if (!is(TokenKind::Semicolon))
        do
            values.push_back(parseExpr());
        while (accept(TokenKind::Comma));
    endStatement();
    return arena.make(Return{{StmtKind::Return, spanFrom(first)}, arena.copy(values)});
}

Stmt *Parser::parseImport() {
    const Token &first = next();
    if (!is(TokenKind::String))
        failAtToken("expected the path of a script in double quotes after 'import', found " + found());
    std::string_view path = rawString(textOf(next()));
    std::string_view alias;
    if (accept(TokenKind::As)) {
        if (!is(TokenKind::String))
            failAtToken("expected an alias in double quotes after 'as', found " + found());
        const Token &token = next();
        alias = rawString(textOf(token));
        if (alias.empty())
            diagnostics.report(spanOf(token), "an import alias cannot be empty");
    }
    endStatement();
    return arena.make(Import{{StmtKind::Import, spanFrom(first)}, path, alias, {}});
}

} // namespace daphne::lang
