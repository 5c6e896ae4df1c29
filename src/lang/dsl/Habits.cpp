// SPDX-License-Identifier: Apache-2.0
#include "lang/dsl/Habits.h"

#include <algorithm>
#include <cctype>
#include <iterator>

#include "ops/Registry.h"

namespace daphne::lang {

namespace {

struct Habit {
    std::string_view written, hint;
};

constexpr std::string_view kSizes = "sizes are nrow(X), ncol(X) and ncell(X)";
constexpr std::string_view kPrint = "values are written with print(x)";
constexpr std::string_view kCbind = "cbind(A, B) puts columns side by side, rbind(A, B) rows one below the other";
constexpr std::string_view kTrue = "truth values are written true and false";
constexpr std::string_view kNothing = "there is no value for nothing; missing numbers are nan";
constexpr std::string_view kSequence =
    "numbers in a row are seq(from, to, step), a loop is written for (i in 0:9); both ends are included";
constexpr std::string_view kRandom =
    "random matrices are rand(rows, cols, min, max, sparsity, seed) and randn(rows, cols)";
constexpr std::string_view kMap = "map(X, f) works on each cell or element, apply(X, f, 0) on each row, apply(X, f, 1) on "
                                  "each column";
constexpr std::string_view kReduce = "reduce(x, (a, b) -> a + b, init) folds elements or cells";
constexpr std::string_view kEqual = "equal(a, b) compares whole values";
constexpr std::string_view kRemove = "l, e = remove(l, i); takes an element out, l[a:b] is a part of a list";
constexpr std::string_view kLists = "a list of values of any types is list(1, \"a\", [2, 3]), a frame {\"a\": [1, 2]}";
constexpr std::string_view kFormat = "format(\"{} of {:.2f}\", n, x) makes a text of values";
constexpr std::string_view kJoined = "texts are joined by +: \"a\" + b";
constexpr std::string_view kReplace = "strReplace(s, old, new) replaces texts, regexReplace(s, pattern, new) patterns";
constexpr std::string_view kGroups =
    "groups are made by queries: sql(\"SELECT t.k, sum(t.x) AS s FROM t GROUP BY t.k\")";
constexpr std::string_view kImport =
    "import \"file.daph\"; makes the functions of another script known; builtins are always there";
constexpr std::string_view kCast = "a cast is written as.si64(x), as.f64(x), as.str(x)";

/// Functions and values by the names they have elsewhere.
constexpr Habit kNames[] = {
    {"len", "sizes are nrow(X), ncol(X) and ncell(X); length(l) counts the elements of a list"},
    {"size", kSizes},
    {"shape", kSizes},
    {"dim", kSizes},
    {"dims", kSizes},
    {"numel", kSizes},
    {"ndims", kSizes},
    {"columns", kSizes},
    {"println", kPrint},
    {"printf", kPrint},
    {"disp", kPrint},
    {"display", kPrint},
    {"echo", kPrint},
    {"cat", kPrint},
    {"puts", kPrint},
    {"concatenate", kCbind},
    {"hstack", kCbind},
    {"vstack", kCbind},
    {"hcat", kCbind},
    {"vcat", kCbind},
    {"horzcat", kCbind},
    {"vertcat", kCbind},
    {"c", "a column of values is written [1, 2, 3], a matrix [1, 2, 3, 4](2, 2)"},
    {"array", "a column of values is written [1, 2, 3], a matrix [1, 2, 3, 4](2, 2)"},
    {"range", kSequence},
    {"arange", kSequence},
    {"linspace", kSequence},
    {"colon", kSequence},
    {"full", "fill(x, rows, cols) repeats a value"},
    {"rep", "fill(x, rows, cols) repeats a value"},
    {"repmat", "fill(x, rows, cols) repeats a value"},
    {"identity", "eye(n) is the unit matrix"},
    {"diag", "diagMatrix(v) makes a matrix of a column, diagVector(X) takes the diagonal"},
    {"runif", kRandom},
    {"random", kRandom},
    {"randint", kRandom},
    {"rnorm", kRandom},
    {"sorted", "sort(X) sorts columns, sortBy(x, f) elements or rows by what f yields for them"},
    {"argsort", "order(X, 0, true, true) gives positions"},
    {"argmax", "idxMax(X, axis) gives positions, axis 0 for each row, 1 for each column"},
    {"argmin", "idxMin(X, axis) gives positions, axis 0 for each row, 1 for each column"},
    {"dot", "a matrix product is written A @ B"},
    {"matmul", "a matrix product is written A @ B"},
    {"mm", "a matrix product is written A @ B"},
    {"inverse", "inv(A) is the inverse; solve(A, B) solves A @ X = B"},
    {"pow2", "powers are written x ^ y"},
    {"power", "powers are written x ^ y"},
    {"log10", "log(x, 10) is the logarithm to base 10"},
    {"log2", "log(x, 2) is the logarithm to base 2"},
    {"float", kCast},
    {"int", kCast},
    {"str", kCast},
    {"string", kCast},
    {"double", kCast},
    {"to_string", kCast},
    {"type", "typeOf(x) names the type of a value"},
    {"typeof", "typeOf(x) names the type of a value"},
    {"isinstance", "typeOf(x) names the type of a value"},
    {"class", "typeOf(x) names the type of a value"},
    {"read_csv", "readFrame(\"file.csv\") and readMatrix(\"file.csv\") read files"},
    {"readcsv", "readFrame(\"file.csv\") and readMatrix(\"file.csv\") read files"},
    {"csvread", "readFrame(\"file.csv\") and readMatrix(\"file.csv\") read files"},
    {"loadtxt", "readFrame(\"file.csv\") and readMatrix(\"file.csv\") read files"},
    {"read", "readFrame(\"file.csv\") and readMatrix(\"file.csv\") read files"},
    {"open", "readFrame(\"file.csv\") and readMatrix(\"file.csv\") read files"},
    {"sprintf", kFormat},
    {"fprintf", kFormat},
    {"paste", kJoined},
    {"paste0", kJoined},
    {"concat", kJoined},
    {"strcat", kJoined},
    {"nchar", "strlen(s) is the number of characters"},
    {"substring", "substr(s, from, to) is a part of a text"},
    {"strsplit", "split(s, separator) makes a column of texts"},
    {"gsub", kReplace},
    {"strrep", "repeat(s, n) repeats a text"},
    {"to_upper", "upper(s) and lower(s) change the case of letters"},
    {"toupper", "upper(s) and lower(s) change the case of letters"},
    {"tolower", "upper(s) and lower(s) change the case of letters"},
    {"which", "where(B) gives the positions of what is not 0"},
    {"nonzero", "where(B) gives the positions of what is not 0"},
    {"crossprod", "a matrix product is written A @ B: t(A) @ B"},
    {"groupby", kGroups},
    {"group_by", kGroups},
    {"aggregate", kGroups},
    {"tapply", kGroups},
    {"pivot_table", kGroups},
    {"merge", "innerJoin(F, G, \"k\", \"l\") joins frames, as do queries"},
    {"tic", "now() is the time in nanoseconds"},
    {"toc", "now() is the time in nanoseconds"},
    {"time", "now() is the time in nanoseconds"},
    {"help", "help belongs to the prompt: start daphne without a script and type ?sum"},
    {"ls", "the prompt lists variables with :vars"},
    {"who", "the prompt lists variables with :vars"},
    {"library", kImport},
    {"require", kImport},
    {"source", kImport},
    {"to_csv", "write(X, \"file.csv\") writes a matrix or frame"},
    {"savetxt", "write(X, \"file.csv\") writes a matrix or frame"},
    {"DataFrame", "a frame is written {\"a\": [1, 2], \"b\": [0.5, 1.5]}"},
    {"ifelse", "c ? x : y chooses, on matrices cell by cell"},
    {"lapply", kMap},
    {"sapply", kMap},
    {"vapply", kMap},
    {"arrayfun", kMap},
    {"cellfun", kMap},
    {"vectorize", kMap},
    {"fold", kReduce},
    {"foldl", kReduce},
    {"accumulate", kReduce},
    {"Reduce", kReduce},
    {"Map", kMap},
    {"Filter", "filter(x, f) takes the elements or rows for which f is true"},
    {"identical", kEqual},
    {"isequal", kEqual},
    {"array_equal", kEqual},
    {"allclose", kEqual},
    {"pop", kRemove},
    {"del", kRemove},
    {"push", "lists grow by l = append(l, x)"},
    {"concat", "extend(l, m) joins lists; cbind(A, B) puts columns side by side, rbind(A, B) rows one below the other"},
    {"vector", kLists},
    {"dict", kLists},
    {"tuple", kLists},
    {"enumerate", "positions are counted: for (i in 0:length(l) - 1)"},
    {"rowSums", "sum(X, 0) is the sum of each row"},
    {"colSums", "sum(X, 1) is the sum of each column"},
    {"rowMeans", "mean(X, 0) is the mean of each row"},
    {"colMeans", "mean(X, 1) is the mean of each column"},
    {"std", "stddev(X) is the standard deviation"},
    {"sd", "stddev(X) is the standard deviation"},
    {"exit", "stop(\"message\") ends the program"},
    {"quit", "stop(\"message\") ends the program"},
    {"throw", "stop(\"message\") ends the program"},
    {"raise", "stop(\"message\") ends the program"},
    {"error", "stop(\"message\") ends the program"},
    {"input", "values come into a script as arguments: daphne script.daph n=5, and $n"},
    {"True", kTrue},
    {"False", kTrue},
    {"TRUE", kTrue},
    {"FALSE", kTrue},
    {"T", "truth values are written true and false; t(X) is the transpose"},
    {"F", kTrue},
    {"None", kNothing},
    {"null", kNothing},
    {"NULL", kNothing},
    {"nil", kNothing},
    {"nothing", kNothing},
    {"NA", kNothing},
    {"NaN", "not a number is written nan"},
    {"Inf", "infinity is written inf"},
    {"Infinity", "infinity is written inf"},
    {"pi", "there is no name for it: 3.141592653589793"},
    {"np", "there is nothing to import: sum(X), sqrt(X) ... are always there"},
    {"pd", "there is nothing to import: readFrame, sql ... are always there"},
    {"math", "there is nothing to import: sqrt(x), sin(x) ... are always there"},
    {"end", "the last row of X is X[-1, ]; blocks end with }"},
};

/// Behind a dot.
constexpr Habit kMembers[] = {
    {"shape", kSizes},
    {"size", kSizes},
    {"length", kSizes},
    {"T", "the transpose is t(X)"},
    {"transpose", "the transpose is t(X)"},
    {"columns", "a column of a frame is F[, \"label\"]"},
    {"values", "as.matrix(F) makes a matrix of a frame"},
    {"dtype", "typeOf(x) names the type of a value"},
    {"append", "lists grow by l = append(l, x), matrices by rbind(A, B)"},
    {"push", "lists grow by l = append(l, x), matrices by rbind(A, B)"},
    {"pop", kRemove},
    {"len", kSizes},
    {"count", kSizes},
    {"equals", kEqual},
    {"dot", "a matrix product is written A @ B"},
    {"copy", "values are never shared: B = A is a copy"},
};

struct ArityHabit {
    std::string_view builtin;
    size_t numArgs;
    std::string_view hint;
};
constexpr ArityHabit kArities[] = {
    {"max", 1, "aggMax(X) is the greatest cell, max(a, b) the greater of two"},
    {"min", 1, "aggMin(X) is the least cell, min(a, b) the lesser of two"},
    {"log", 1, "ln(x) is the natural logarithm, log(x, base) any other"},
    {"round", 2, "round(x * 100.0) / 100.0 has two decimals; print(x, digits = 3) shows three digits"},
    {"rand", 1, "rand(rows, cols, min, max, sparsity, seed): rand(3, 1, 0.0, 1.0, 1.0, -1)"},
    {"rand", 3, "rand(rows, cols, min, max, sparsity, seed): rand(2, 3, 0.0, 1.0, 1.0, -1)"},
    {"rand", 4, "rand(rows, cols, min, max, sparsity, seed): rand(2, 3, 0.0, 1.0, 1.0, -1)"},
    {"rand", 2, "rand(rows, cols, min, max, sparsity, seed): rand(2, 3, 0.0, 1.0, 1.0, -1)"},
    {"rand", 0, "rand(rows, cols, min, max, sparsity, seed): rand(1, 1, 0.0, 1.0, 1.0, -1)"},
    {"seq", 1, "seq(from, to) has both ends: seq(0, n - 1)"},
    {"fill", 2, "fill(value, rows, cols): a column is fill(value, rows, 1)"},
    {"solve", 1, "solve(A, B) solves A @ X = B"},
};

constexpr std::string_view kIf = "conditions are written if (c) { } else if (c) { } else { }";
constexpr std::string_view kAssign = "a variable is made by assigning: x = 5;";
constexpr std::string_view kDef = "a function is written def f(x) { return x + 1; }, as a value x -> x + 1";
constexpr std::string_view kLambda =
    "a function as a value is written x -> x + 1 or (x, y) -> x + y, longer ones def f(x) { ... }";
constexpr std::string_view kBraces = "blocks stand in braces: if (c) { }, while (c) { }";
constexpr std::string_view kFor = "a loop is written for (i in 0:9) { }, with both ends, or while (c) { }";
constexpr std::string_view kStop = "stop(\"message\") ends the program";
constexpr std::string_view kComment = "comments begin with # or //, or stand between /* and */";

/// First words of statements, which are followed by another word.
constexpr Habit kStatements[] = {
    {"then", kIf},
    {"let", kAssign},
    {"var", kAssign},
    {"const", kAssign},
    {"auto", kAssign},
    {"int", kAssign},
    {"float", kAssign},
    {"double", kAssign},
    {"string", kAssign},
    {"local", kAssign},
    {"global", "functions do not see global variables; pass them as parameters"},
    {"function", kDef},
    {"func", kDef},
    {"fn", kDef},
    {"fun", kDef},
    {"lambda", kLambda},
    {"proc", kDef},
    {"print", "calls have parentheses: print(x);"},
    {"println", kPrint},
    {"echo", kPrint},
    {"end", kBraces},
    {"endif", kBraces},
    {"begin", kBraces},
    {"done", kBraces},
    {"pass", "an empty block is written { }"},
    {"repeat", "a loop is written while (c) { } or do { } while (c);"},
    {"loop", "a loop is written while (c) { } or do { } while (c);"},
    {"from", kImport},
    {"using", kImport},
    {"library", kImport},
    {"include", kImport},
    {"throw", kStop},
    {"raise", kStop},
    {"SELECT", "queries stand in a call: sql(\"SELECT t.a FROM t\")"},
    {"select", "queries stand in a call: sql(\"SELECT t.a FROM t\")"},
};

/// First words of statements that look like calls.
constexpr Habit kCalls[] = {
    {"elif", kIf},   {"elseif", kIf},   {"elsif", kIf},     {"unless", kIf},
    {"switch", kIf}, {"foreach", kFor}, {"function", kDef},
};

/// Behind which other languages have a colon and an indented block.
constexpr std::string_view kBlockWords[] = {"if", "else", "while", "for", "def", "try"};

/// Words where an operator should be.
constexpr Habit kOperators[] = {
    {"and", "'and' is written &&"},
    {"AND", "'and' is written &&"},
    {"or", "'or' is written ||"},
    {"OR", "'or' is written ||"},
    {"mod", "the remainder is written a % b"},
    {"div", "integers are divided by a / b"},
    {"xor", "one of both, but not the other, is a != b"},
    {"is", "equality is written a == b"},
    {"in", "a list l holds x if length(filter(l, y -> equal(x, y))) > 0; a loop is for (x in l)"},
    {"then", kIf},
    {"do", kBraces},
    {"until", "a loop is written do { } while (c); it goes on as long as c holds"},
    {"if", "a choice is written c ? x : y"},
    {"as", kCast},
    {"'", "the transpose is t(X)"},
    {"->", "a lambda beside an operator stands in parentheses, and so do several parameters: (x, y) -> x + y"},
    {"=>", kLambda},
};

template <size_t N> std::string_view find(const Habit (&habits)[N], std::string_view word) {
    auto *found = std::ranges::find(habits, word, &Habit::written);
    return found == std::end(habits) ? std::string_view() : found->hint;
}

} // namespace

std::string hintForName(std::string_view name) {
    if (std::string_view hint = find(kNames, name); !hint.empty())
        return std::string(hint);
    size_t dot = name.rfind('.');
    if (dot == name.npos)
        return {};
    std::string_view object = name.substr(0, dot), member = name.substr(dot + 1);
    if (std::string_view hint = find(kMembers, member); !hint.empty())
        return std::string(hint);
    if (ops::Registry::get().findBuiltin(member))
        return object == "np" || object == "math" || object == "pd"
                   ? "without a prefix: " + std::string(member) + "(x)"
                   : "functions stand before what they work on: " + std::string(member) + "(" + std::string(object) +
                         ")";
    return std::string(find(kNames, member));
}

std::string_view hintForArity(std::string_view builtin, size_t numArgs) {
    for (const ArityHabit &h : kArities)
        if (h.builtin == builtin && h.numArgs == numArgs)
            return h.hint;
    return {};
}

namespace {

bool isWord(std::string_view token) {
    return !token.empty() && (std::isalnum(static_cast<unsigned char>(token[0])) || token[0] == '_');
}

/// What goes wrong between brackets.
std::string_view hintInBrackets(const BrokenPlace &place) {
    if (place.opening == "[") {
        if (place.found == ";")
            return "a 2x2 matrix is written row by row: [1, 2, 3, 4](2, 2)";
        return isWord(place.before) && isWord(place.found) ? "elements are separated by commas: [1, 2, 3]" : "";
    }
    if (place.opening != "(")
        return {};
    if (place.found == ":")
        return kSequence;
    if (place.found == ".")
        return "functions stand before what they work on: upper(\"abc\"), sum(X)";
    if (place.found == "$")
        return "a column of a frame is F[, \"label\"]";
    if (place.found == "," && !isWord(place.beforeOpening))
        return "there are no tuples: a column is [1, 2], sizes are two arguments, a, b = 1, 2 assigns two variables";
    if (place.first == "def" && isWord(place.before) && isWord(place.found))
        return "types stand behind names: def f(a: si64, b: f64) { }";
    return {};
}

} // namespace

std::string_view hintForType(std::string_view word) {
    constexpr Habit kTypes[] = {
        {"int", "integers are si64 (also si32, si8, ui64, ui32, ui8)"},
        {"integer", "integers are si64 (also si32, si8, ui64, ui32, ui8)"},
        {"long", "integers are si64 (also si32, si8, ui64, ui32, ui8)"},
        {"int64", "integers are si64 (also si32, si8, ui64, ui32, ui8)"},
        {"float", "floating-point numbers are f64 (also f32)"},
        {"double", "floating-point numbers are f64 (also f32)"},
        {"numeric", "floating-point numbers are f64 (also f32)"},
        {"float64", "floating-point numbers are f64 (also f32)"},
        {"string", "texts are str"},
        {"char", "texts are str"},
        {"text", "texts are str"},
        {"boolean", "truth values are bool"},
        {"logical", "truth values are bool"},
        {"array", "matrices are matrix, or matrix<f64> with the type of their cells"},
        {"vector", "matrices are matrix, or matrix<f64> with the type of their cells"},
        {"DataFrame", "frames are frame"},
    };
    std::string_view hint = find(kTypes, word);
    return hint.empty() ? "types are f64 f32 si64 si32 si8 ui64 ui32 ui8 str bool, matrix, matrix<f64>, ..." : hint;
}

std::string hintForTypeAsValue(std::string_view type, std::string_view after) {
    if (after == "=")
        return "'" + std::string(type) + "' is the name of a type and cannot be a variable";
    if (type == "matrix")
        return "a matrix is written [1, 2, 3, 4](2, 2); fill(value, rows, cols) repeats a value";
    if (type == "frame")
        return "a frame is written {\"a\": [1, 2], \"b\": [0.5, 1.5]}, or createFrame(columns, labels)";
    return "a cast is written as." + std::string(type) + "(x)";
}

std::string_view hintForSyntax(const BrokenPlace &place) {
    if (std::string_view hint = hintInBrackets(place); !hint.empty())
        return hint;
    bool isCall = place.second == "(", isNext = isWord(place.second);
    bool isText = place.second.starts_with('"');
    if (std::string_view hint = isCall ? find(kCalls, place.first) : std::string_view(); !hint.empty())
        return hint;
    if (isNext || isText || place.second == ":" || place.second == "*" || place.second == "{" ||
        place.first == place.found)
        if (std::string_view hint = find(kStatements, place.first); !hint.empty())
            return hint;
    if (place.before == "def" || (place.first == "def" && (place.found == ":" || place.found == "=")))
        return kDef;
    if (place.found == ":" &&
        (place.first == ":" || std::ranges::find(kBlockWords, place.first) != std::end(kBlockWords)))
        return kBraces;
    if (place.before == "lambda" || place.called == "function" || place.called == "lambda" ||
        (place.found == "@" && place.before == "="))
        return kLambda;
    if (place.before == "for" || (place.first == "for" && (place.found == "=" || place.found == "of")))
        return kFor;
    if ((place.before == "if" || place.before == "while") && place.found != "(")
        return "conditions stand in parentheses: if (c) { }, while (c) { }";
    if (place.before == "import")
        return kImport;
    if (place.first == "%" || (place.first == "-" && place.second == "-"))
        return kComment;
    if (place.gap.find("//") != place.gap.npos && place.gap.find(';') != place.gap.npos)
        return "// begins a comment; integers are divided by a / b";
    if (place.found == ":" && (place.second == ":" || place.before == place.first))
        return kAssign;
    if (place.before == "<" && place.found == ">")
        return "inequality is written a != b";
    if ((place.before == "==" || place.before == "!=") && place.found == "=")
        return "equality is written a == b, inequality a != b";
    if (place.before == "." && place.found == "*")
        return "* works cell by cell; the product of matrices is A @ B";
    if ((place.before == "f" || place.before == "F") && place.found.starts_with('"'))
        return kFormat;
    if (place.before == "not" || place.before == "NOT")
        return "'not' is written !x";
    if (place.before == "*" && place.found == "*")
        return "powers are written x ^ y";
    if ((place.before == "+" || place.before == "-") && (place.found == ";" || place.found == place.before))
        return "there is no ++: x += 1;";
    return find(kOperators, place.found);
}

} // namespace daphne::lang
