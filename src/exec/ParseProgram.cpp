// SPDX-License-Identifier: Apache-2.0
#include "exec/ParseProgram.h"

#include <algorithm>
#include <charconv>
#include <map>

#include "base/Error.h"

namespace daphne::exec {

namespace {

using Kind = LoopNode::Kind;
using P = LoopParam::Kind;

constexpr size_t kMostBytes = 1 << 20, kMostNodes = 4096, kMostParams = 1024;

class ProgramReader {
  public:
    explicit ProgramReader(std::string_view text) : text(text) {}

    LoopProgram read() {
        if (text.size() > kMostBytes)
            reject("longer than " + std::to_string(kMostBytes) + " bytes");
        std::string_view header = nextLine();
        if (take(header, "product"))
            return readProduct(header);
        readHeader(header);
        while (!text.empty()) {
            std::string_view words = nextLine();
            if (words.starts_with("p ") && program.nodes.empty())
                readParam(numbersOf(words));
            else if (words.starts_with("n "))
                readNode(numbersOf(words));
            else
                reject("neither a parameter nor a node");
        }
        ++line;
        for (const LoopParam &p : program.params)
            if (p.kind == P::SumsOfOuter)
                requireSide(p.side, p.type, p.width);
        checkInputs();
        for (const LoopParam &p : program.params)
            checkOutput(p);
        return std::move(program);
    }

  private:
    [[noreturn]] void reject(const std::string &why) const {
        throw executionError("loop program, line " + std::to_string(line) + ": " + why);
    }
    void require(bool holds, const char *what) const {
        if (!holds)
            reject(std::string("not a program of the planner: ") + what);
    }

    std::string_view nextLine() {
        ++line;
        size_t end = text.find('\n');
        if (end == text.npos)
            reject("the text ends inside of a line");
        std::string_view words = text.substr(0, end);
        text.remove_prefix(end + 1);
        return words;
    }

    static bool take(std::string_view &words, std::string_view prefix) {
        bool found = words.starts_with(prefix);
        if (found)
            words.remove_prefix(prefix.size());
        return found;
    }

    void readHeader(std::string_view words) {
        program.flat = take(words, "flat");
        require(program.flat || take(words, "rows"), "it begins with flat or rows");
        if (take(words, " of ")) {
            uint8_t columns = 0;
            auto [end, error] = std::from_chars(words.data(), words.data() + words.size(), columns);
            require(error == std::errc() && columns > 1 && columns < LoopProgram::kNarrow, "the number of columns");
            words.remove_prefix(static_cast<size_t>(end - words.data()));
            program.narrow = columns;
        }
        program.multiplyAdd = take(words, " fma");
        if (program.multiplyAdd != fusesMultiplyAdd())
            reject("made for another kind of processor");
        program.csrPattern = take(words, " pattern");
        program.hasCsr = program.csrPattern || take(words, " csr");
        if (program.hasCsr) {
            program.csrWide = take(words, "64");
            require(program.csrWide || take(words, "32"), "the width of column numbers");
        }
        require(words.empty(), "words behind the header");
        require(!(program.flat && (program.hasCsr || program.narrow)), "a flat program has no columns");
        require(!(program.hasCsr && program.narrow), "a sparse program is not narrow");
    }

    /// A product of matrices is a line by itself.
    LoopProgram readProduct(std::string_view words) const {
        uint64_t numbers[6] = {};
        for (uint64_t &x : numbers) {
            require(take(words, " "), "a product has six numbers");
            auto [end, error] = std::from_chars(words.data(), words.data() + words.size(), x);
            require(error == std::errc(), "a number of a product");
            words.remove_prefix(static_cast<size_t>(end - words.data()));
        }
        require(words.empty() && text.empty(), "words behind a product");
        require(numbers[0] <= static_cast<int>(RowwiseProduct::Form::Gram) &&
                    numbers[1] <= static_cast<int>(ValueType::F64) && numbers[4] <= 1 && numbers[5] <= 1,
                "an unknown code");
        RowwiseProduct product{static_cast<RowwiseProduct::Form>(numbers[0]),
                               static_cast<ValueType>(numbers[1]),
                               numbers[2],
                               numbers[3],
                               numbers[4] != 0,
                               numbers[5] != 0};
        require(product.isPossible(), "the size or type of a product");
        return LoopProgram::of(product);
    }

    /// The numbers of a line. A name in it counts as 0 and is remembered with its position.
    std::vector<int> numbersOf(std::string_view words) {
        std::vector<int> numbers;
        name = {};
        words.remove_prefix(1);
        while (!words.empty()) {
            require(words.front() == ' ', "numbers are separated by one blank");
            words.remove_prefix(1);
            if (!words.empty() && words.front() >= 'a' && words.front() <= 'z') {
                require(name.empty(), "one name at most");
                name = words.substr(0, words.find(' '));
                namePosition = numbers.size();
                words.remove_prefix(name.size());
                numbers.push_back(0);
                continue;
            }
            int x = 0;
            auto [end, error] = std::from_chars(words.data(), words.data() + words.size(), x);
            require(error == std::errc() && x >= 0 && x <= 0xffff, "a number between 0 and 65535");
            words.remove_prefix(static_cast<size_t>(end - words.data()));
            numbers.push_back(x);
            require(numbers.size() <= 16, "too many numbers");
        }
        return numbers;
    }

    template <class E> E enumerator(int x, E last) const {
        require(x <= static_cast<int>(last), "an unknown code");
        return static_cast<E>(x);
    }

    Reduce foldNumbered(int x) const {
        Reduce fold = enumerator(x, kLastReduce);
        require(fold != Reduce::DotSparse, "a fold of all cells");
        return fold;
    }

    void readParam(const std::vector<int> &n) {
        require(n.size() >= 3 && program.params.size() < kMostParams && name.empty(), "a parameter has three numbers");
        LoopParam p{enumerator(n[0], P::FoldOfAll), enumerator(n[1], ValueType::F64), static_cast<uint16_t>(n[2])};
        require(n.size() == (p.kind == P::SumsOfOuter ? 5
                             : p.kind == P::FoldOfAll ? 4
                                                      : 3),
                "a parameter has three numbers, a fold four, a product five");
        if (p.kind == P::FoldOfAll)
            p.fold = foldNumbered(n[3]);
        if (p.kind == P::SumsOfOuter) {
            p.side = static_cast<uint16_t>(n[3]);
            p.width = static_cast<uint16_t>(n[4]);
        }
        require(p.isOutput() || n[2] == 0, "an input has no node");
        program.params.push_back(p);
    }

    void readNode(const std::vector<int> &n) {
        require(n.size() >= 8 && n.size() <= 11 && program.nodes.size() < kMostNodes, "a node has 8 to 11 numbers");
        LoopNode given;
        given.kind = enumerator(n[0], Kind::Product);
        given.space = enumerator(n[1], Space::Full);
        require(n[2] <= 1 && n[3] < 64 && n[6] <= 255, "flag, level or function");
        given.sparse = n[2] != 0;
        given.level = static_cast<uint8_t>(n[3]);
        given.type = enumerator(n[4], ValueType::F64);
        given.compute = enumerator(n[5], ValueType::F64);
        given.function = static_cast<uint8_t>(n[6]);
        if (!name.empty()) {
            require(namePosition == 6, "the place of a name");
            given.cells = CellTable::get().find(name);
            require(given.cells, "the name of a function");
        }
        given.param = static_cast<uint16_t>(n[7]);
        if (given.kind == Kind::Product) {
            require(n.size() == 11 && given.param == 0, "a product has a matrix on each side");
            given.param = static_cast<uint16_t>(n[8]);
            given.packed = static_cast<uint16_t>(n[9]);
            given.depth = static_cast<uint16_t>(n[10]);
        } else {
            given.numOperands = static_cast<uint8_t>(n.size() - 8);
        }
        for (size_t k = 0; k < given.numOperands; ++k) {
            require(static_cast<size_t>(n[8 + k]) < program.nodes.size(), "operands come first");
            given.operands[k] = static_cast<uint16_t>(n[8 + k]);
        }
        LoopNode derived = given.kind == Kind::Input       ? inputNode(given)
                           : given.kind == Kind::ReduceRow ? reduction(given)
                           : given.kind == Kind::Product   ? productNode(given)
                                                           : cellwise(given);
        require(derived.space == given.space && derived.sparse == given.sparse && derived.level == given.level,
                "space or level of a node");
        require(derived.type == given.type && derived.compute == given.compute, "type of a node");
        require(given.kind == Kind::Input || given.kind == Kind::Product || given.param == 0,
                "only inputs have parameters");
        if (derived.space == Space::Full) {
            require(derived.sparse == program.hasCsr, "cells of one kind");
            program.numLevels = std::max<uint8_t>(program.numLevels, static_cast<uint8_t>(derived.level + 1));
        }
        if (given.kind == Kind::Input && program.params[given.param].kind == P::Csr)
            program.csrNode = static_cast<uint16_t>(program.nodes.size());
        program.nodes.push_back(given);
    }

    LoopNode inputNode(const LoopNode &given) const {
        require(given.param < program.params.size() && given.numOperands == 0 && given.function == 0 && !given.cells,
                "an input");
        const LoopParam &p = program.params[given.param];
        require(!p.isOutput() && p.kind < P::Side, "an input node reads an input");
        LoopNode n;
        n.space = p.kind == P::Scalar   ? Space::Scalar
                  : p.kind == P::Row    ? Space::Row
                  : p.kind == P::Column ? Space::Column
                                        : Space::Full;
        require(!program.flat || n.space == Space::Scalar || n.space == Space::Column, "a flat program has no rows");
        n.sparse = p.kind == P::Csr;
        n.type = n.compute = p.type;
        return n;
    }

    const LoopNode &operand(const LoopNode &n, size_t k) const { return program.nodes[n.operands[k]]; }

    void requireOperands(const LoopNode &n, size_t count) const {
        require(n.numOperands == count, "number of operands");
    }

    LoopNode cellwise(const LoopNode &given) {
        LoopNode n;
        bool row = false, column = false;
        for (size_t k = 0; k < given.numOperands; ++k) {
            const LoopNode &x = operand(given, k);
            n.space = std::max(n.space, x.space);
            n.sparse |= x.sparse;
            n.level = std::max(n.level, x.level);
            row |= x.space == Space::Row;
            column |= x.space == Space::Column;
        }
        if (row && column)
            n.space = Space::Full;
        deriveTypes(given, n);
        return n;
    }

    void deriveTypes(const LoopNode &given, LoopNode &n) {
        switch (given.kind) {
        case Kind::Unary: {
            requireOperands(given, 1);
            require(given.cells && given.cells->unary, "a function of one number");
            UnaryLoop loop = given.cells->unary(operand(given, 0).type);
            n.type = n.compute = loop.type;
            program.faults |= loop.hasDomain;
            break;
        }
        case Kind::Binary: {
            requireOperands(given, 2);
            require(given.cells && given.cells->binary, "a function of two numbers");
            BinaryLoops loops = given.cells->binary(mostGeneral(operand(given, 0).type, operand(given, 1).type));
            n.type = loops.result;
            n.compute = loops.compute;
            program.faults |= loops.outside != nullptr;
            break;
        }
        case Kind::PowFixed: {
            requireOperands(given, 1);
            int twice = static_cast<int8_t>(given.function);
            require(std::ranges::count(std::to_array({4, 6, -2, 1, 3, -1, -3}), twice) == 1, "the exponent");
            n.type = n.compute = operand(given, 0).type;
            require(isFloat(n.type), "powers of floating-point numbers");
            break;
        }
        case Kind::Cond:
            requireOperands(given, 3);
            require(operand(given, 0).type == ValueType::Bool && operand(given, 1).type == operand(given, 2).type,
                    "types of a choice");
            n.type = n.compute = operand(given, 1).type;
            break;
        default: // Convert
            requireOperands(given, 1);
            n.type = given.type;
            n.compute = operand(given, 0).type;
            require(n.type != n.compute, "a conversion to the same type");
        }
        bool isNamed = given.kind == Kind::Unary || given.kind == Kind::Binary;
        require(isNamed || !given.cells, "only functions of cells have names");
        require(given.kind == Kind::PowFixed || given.function == 0, "the function of a node");
    }

    LoopNode reduction(const LoopNode &given) {
        requireOperands(given, 1);
        require(!given.cells, "a reduction has no function of cells");
        const LoopNode &x = operand(given, 0);
        Reduce how = enumerator(given.function, kLastReduce);
        require(!program.flat && x.space == Space::Full, "a reduction of a row");
        require(propertiesOf(how).takesTruth || x.type != ValueType::Bool, "a sum of truth values");
        require(how != Reduce::DotSparse || x.sparse, "a sparse product");
        LoopNode n{
            .space = Space::Column, .level = static_cast<uint8_t>(x.level + 1), .type = x.type, .compute = x.type};
        program.numLevels = std::max(program.numLevels, n.level);
        return n;
    }

    /// A row of a matrix with other columns, times a small matrix.
    LoopNode productNode(const LoopNode &given) {
        require(program.narrow && given.depth > 0 && given.function == 0 && !given.cells, "a product of narrow rows");
        requireSide(given.param, given.type, given.depth);
        require(given.packed < program.params.size() && program.params[given.packed].kind == P::Packed &&
                    program.params[given.packed].type == given.type,
                "the right-hand side of a product");
        uint16_t &depth = depths[given.packed];
        require(depth == 0 || depth == given.depth, "the size of a right-hand side");
        depth = given.depth;
        return {.space = Space::Full, .type = given.type, .compute = given.type};
    }

    void requireSide(uint16_t param, ValueType type, uint16_t columns) {
        require(isFloat(type) && param < program.params.size() && program.params[param].kind == P::Side &&
                    program.params[param].type == type,
                "the left-hand side of a product");
        uint16_t &known = depths[param];
        require(columns > 0 && (known == 0 || known == columns), "the columns of a left-hand side");
        known = columns;
    }

    void checkInputs() const {
        std::vector<bool> read(program.params.size());
        for (auto &[param, depth] : depths)
            read[param] = true;
        size_t matrices = 0;
        for (const LoopNode &n : program.nodes)
            if (n.kind == Kind::Input) {
                require(!read[n.param], "a parameter is read by one node");
                read[n.param] = true;
                matrices += n.sparse;
            }
        require(matrices == (program.hasCsr ? 1 : 0), "one sparse matrix");
        bool anyOutput = false;
        for (size_t p = 0; p < read.size(); ++p) {
            require(read[p] || program.params[p].isOutput(), "every input is read");
            anyOutput |= program.params[p].isOutput();
        }
        require(anyOutput, "something comes out");
    }

    void checkOutput(const LoopParam &p) const {
        if (!p.isOutput())
            return;
        require(p.node < program.nodes.size() && program.nodes[p.node].type == p.type, "the node of an output");
        const LoopNode &n = program.nodes[p.node];
        bool takesTruth = p.kind == P::FoldOfAll ? propertiesOf(p.fold).takesTruth : p.kind != P::SumsOfColumns;
        require(takesTruth || p.type != ValueType::Bool, "a sum of truth values");
        switch (p.kind) {
        case P::OutColumn: require(n.space == Space::Column, "a column comes out"); break;
        case P::SumsOfOuter: require(program.narrow != 0, "sums of products of narrow rows"); [[fallthrough]];
        case P::OutFull:
        case P::SumsOfColumns: require(n.space == Space::Full && !n.sparse, "rows come out"); break;
        default: require(program.flat && n.space == Space::Column, "an aggregate of all cells");
        }
    }

    std::string_view text;
    LoopProgram program;
    std::string_view name; ///< in the current line
    size_t namePosition = 0;
    std::map<uint16_t, uint16_t> depths; ///< columns of each Side, rows of each Packed
    size_t line = 0;
};

} // namespace

LoopProgram parseProgram(std::string_view text) {
    LoopProgram program = ProgramReader(text).read();
    if (program.text() != text)
        throw executionError("loop program: not written as the planner writes it");
    return program;
}

} // namespace daphne::exec
