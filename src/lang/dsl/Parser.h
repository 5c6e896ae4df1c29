// SPDX-License-Identifier: Apache-2.0
/// Tokens to AST (language 2): recursive descent for statements, precedence
/// climbing for expressions. After an error parsing resumes at the next
/// statement, so one run reports several errors. Nodes live in the arena of the
/// caller; names point into the source text.
#pragma once

#include <map>
#include <string>
#include <unordered_set>

#include "lang/dsl/Ast.h"
#include "lang/dsl/Diagnostics.h"
#include "lang/dsl/Lexer.h"

namespace daphne::lang {

/// Deepest nesting of brackets, prefix operators and statements. A level takes about 4 KiB of stack with sanitizers,
/// whose unwinding gives up at 64 MiB.
constexpr uint32_t kMaxNesting = 10000;
/// Deepest expression tree; chains like 1 + 1 + ... grow it by one per operator.
constexpr uint32_t kMaxTreeDepth = 100000;

struct ParsedScript {
    Script *script = nullptr;
    /// Calls that are written in parentheses: those must yield exactly one value.
    std::unordered_set<const Expr *> parenthesisedCalls;
};

class Parser {
  public:
    using ScriptArgs = std::map<std::string, std::string>;

    Parser(std::string_view text, uint32_t fileId, Arena &arena, Diagnostics &diagnostics, const ScriptArgs &args);

    /// Before parse(): what is typed at a prompt may end with a statement that lacks its ';'.
    void mayEndWithoutSemicolon() { semicolonAtEnd = false; }

    ParsedScript parse();

    /// After parse(): it did.
    bool endedWithoutSemicolon() const { return omittedSemicolon; }
    /// After parse(): more text might repair the first error.
    bool endedTooEarly() const { return anyError ? firstErrorAtEnd : tokens.unterminated; }

  private:
    /// Thrown (after the report) to leave a broken statement.
    struct BrokenStatement {};

    /// An expression, the text it spans (parentheses included) and the depth of its tree.
    struct Parsed {
        const Expr *expr = nullptr;
        SourceSpan span;
        uint32_t depth = 1;
    };

    /// Counts nesting for as long as it lives.
    class Nested {
      public:
        explicit Nested(Parser &parser);
        ~Nested() { --parser.nesting; }
        Nested(const Nested &) = delete;

      private:
        Parser &parser;
    };

    // Tokens
    const Token &peek(size_t ahead = 0) const { return tokens.tokens[std::min(at + ahead, tokens.tokens.size() - 1)]; }
    bool is(TokenKind kind) const { return peek().kind == kind; }
    const Token &next();
    bool accept(TokenKind kind);
    const Token &expect(TokenKind kind, std::string_view where);
    /// The closing bracket of the opening one.
    const Token &expectClosing(TokenKind kind, const Token &opening);
    std::string_view textOf(const Token &token) const { return text.substr(token.begin, token.end - token.begin); }
    SourceSpan spanOf(const Token &token) const { return {fileId, token.begin, token.end}; }
    SourceSpan spanFrom(const Token &first) const { return {fileId, first.begin, previousEnd()}; }
    SourceSpan spanFrom(SourceSpan first) const { return {fileId, first.begin, previousEnd()}; }
    uint32_t previousEnd() const { return at ? tokens.tokens[at - 1].end : 0; }
    std::string found() const;

    // Errors
    [[noreturn]] void fail(Error error);
    [[noreturn]] void failAtToken(std::string message, std::string hint = {});
    void noteFirstError();
    /// What this place looks like to who knows another language; "" if nothing.
    std::string habitHint(const Token *opening = nullptr) const;
    void synchronise();

    // Statements (Parser.cpp)
    void parseStatements(std::vector<Stmt *> &into, TokenKind closing);
    Stmt *parseStatement();
    Block *parseBlock();
    Stmt *parseSimple();
    Stmt *parseJump();
    Stmt *parseTry();
    bool isWord(std::string_view word) const;
    Target toTarget(const Parsed &value, const Token &first);
    Stmt *parseIf();
    Stmt *parseWhile();
    Stmt *parseDo();
    Stmt *parseFor();
    Stmt *parseFuncDef();
    Param parseParam();
    Stmt *parseReturn();
    Stmt *parseImport();
    const Expr *parseCondition(std::string_view keyword);
    void endStatement();
    TypeSpec parseType();
    TypeSpec parseSignatureType();
    const Token &expectName(std::string_view what);

    // Expressions (ParseExpr.cpp)
    const Expr *parseExpr() { return parseConditional().expr; }
    Parsed parseConditional();
    bool startsLambda() const;
    Parsed parseLambda();
    Parsed parseBinary(int minLevel);
    Parsed parseUnary();
    Parsed parsePostfix();
    Parsed parseIndex(const Parsed &base);
    Parsed parseFilter(const Parsed &base);
    IndexPart parseIndexPart(uint32_t &depth);
    const Expr *parseIndexBound(uint32_t &depth);
    bool startsFilter() const;
    Parsed parsePrimary();
    Parsed parseParenthesised();
    Parsed parseLiteral();
    Parsed parseScriptArg();
    const Expr *scriptArgValue(const std::string &value, SourceSpan span);
    Parsed parseNameOrCall();
    Parsed parseCall(std::string_view callee, SourceSpan calleeSpan, const Token &first);
    Parsed parseCast();
    Parsed parseMatrixLiteral();
    Parsed parseFrameLiteral();
    Parsed parseFrameColumns(const Token &first);
    Parsed parseFrameRows(const Token &first);
    bool startsFrameRow() const;
    std::string_view parseKernelHint();
    std::string_view parseDottedName(SourceSpan &span);
    /// The expression in a deeper tree.
    const Expr *inside(const Parsed &child, uint32_t &depth);
    Parsed finish(const Expr *expr, uint32_t depth);

    std::string_view text;
    uint32_t fileId;
    Arena &arena;
    Diagnostics &diagnostics;
    const ScriptArgs &scriptArgs;
    TokenList tokens;
    size_t at = 0;
    size_t statementAt = 0;         ///< where the innermost statement begins
    size_t negatedToken = SIZE_MAX; ///< the token behind the last unary minus: -2^63 exists, 2^63 does not
    uint32_t nesting = 0;
    size_t braces = 0; ///< open blocks
    bool firstErrorAtEnd = false, anyError = false, reportedEnd = false;
    bool semicolonAtEnd = true, omittedSemicolon = false;
    ParsedScript result;
};

} // namespace daphne::lang
