// SPDX-License-Identifier: Apache-2.0
#include "kernels/query/Batch.h"

#include <algorithm>
#include <bit>
#include <cmath>

#include "base/WideVectors.h"
#include "ops/OpName.h"

namespace daphne::query {

using Node = ops::QueryBlock::Node;
using Kind = ops::QueryBlock::NodeKind;

namespace {

template <class F> decltype(auto) withCompare(std::string_view mnemonic, F &&f) {
    if (ops::isNamed(mnemonic, "ewEq"))
        return f([](const auto &a, const auto &b) { return a == b; });
    if (ops::isNamed(mnemonic, "ewNeq"))
        return f([](const auto &a, const auto &b) { return a != b; });
    if (ops::isNamed(mnemonic, "ewLt"))
        return f([](const auto &a, const auto &b) { return a < b; });
    if (ops::isNamed(mnemonic, "ewLe"))
        return f([](const auto &a, const auto &b) { return a <= b; });
    if (ops::isNamed(mnemonic, "ewGt"))
        return f([](const auto &a, const auto &b) { return a > b; });
    return f([](const auto &a, const auto &b) { return a >= b; });
}

constexpr uint64_t kNanBits = 0x7ff8000000000000ull;

int64_t wrapped(uint64_t x) { return static_cast<int64_t>(x); }

} // namespace

int64_t Evaluator::keyOf(double x) {
    return static_cast<int64_t>(x != x ? kNanBits : std::bit_cast<uint64_t>(x + 0.0));
}

// ------------------------------------------------------------------ registers

Evaluator::Evaluator(const QueryProgram &program) : program(program), registers(program.numNodes()) {}

void Evaluator::start(const Batch &b) {
    batch = &b;
    ++epoch;
}

/// Calls fill(cells) once per batch.
template <class T, class F> const T *Evaluator::make(size_t node, Form form, F &&fill) {
    Register &r = registers[node][form];
    if (r.epoch != epoch) {
        if (!r.memory)
            r.memory = std::make_unique_for_overwrite<std::byte[]>(kBatch * sizeof(T));
        T *out = reinterpret_cast<T *>(r.memory.get());
        fill(out);
        r.cells = out;
        r.epoch = epoch;
    }
    return static_cast<const T *>(r.cells);
}

/// Cells of a column as T: where they are if that is possible.
template <class T> const T *Evaluator::load(size_t node, Form form) {
    auto [relation, column] = program.placeOf(node);
    const uint32_t *rows = batch->isRun && relation == 0 ? nullptr : batch->rows[relation].data();
    size_t n = batch->n;
    uint32_t first = batch->first;
    if (!column) // positions
        return make<T>(node, form, [&](T *out) {
            for (size_t i = 0; i < n; ++i)
                out[i] = static_cast<T>(rows ? rows[i] : first + i);
        });
    if (column->type() == ValueType::Str) {
        auto *codes = static_cast<const uint32_t *>(column->data);
        if constexpr (std::is_same_v<T, uint32_t>)
            if (!rows)
                return codes + first;
        return make<T>(node, form, [&](T *out) {
            for (size_t i = 0; i < n; ++i)
                out[i] = static_cast<T>(codes[rows ? rows[i] : first + i]);
        });
    }
    return withNumericType(column->type(), [&]<class C>(TypeTag<C>) -> const T * {
        auto *cells = static_cast<const C *>(column->data);
        // Sizes and ui64 have the bits of int64_t.
        if constexpr (std::is_same_v<T, C> || (std::is_same_v<T, int64_t> && std::is_same_v<C, uint64_t>))
            if (!rows)
                return reinterpret_cast<const T *>(cells + first);
        return make<T>(node, form, [&](T *out) {
            vectorised([&] {
                if (rows)
                    for (size_t i = 0; i < n; ++i)
                        out[i] = convertNumber<T>(cells[rows[i]]);
                else
                    for (size_t i = 0; i < n; ++i)
                        out[i] = convertNumber<T>(cells[first + i]);
            });
        });
    });
}

template <class T> bool Evaluator::constantCell(size_t node, T &cell) const {
    const ops::Constant *c = program.constantOf(node);
    if (!c)
        return false;
    if constexpr (std::is_floating_point_v<T>)
        cell = isFloat(c->type) ? c->d : static_cast<double>(c->i);
    else
        cell = isFloat(c->type) ? convertNumber<int64_t>(c->d) : c->i;
    return true;
}

template <class T> const T *Evaluator::cellsAs(size_t node) {
    if constexpr (std::is_same_v<T, double>)
        return reals(node);
    else
        return integers(node);
}

/// out[i] = cell(i), which reads nothing that is written.
template <class R, class Cell> static void eachCell(size_t n, R *out, const Cell &cell) {
    vectorised([=] {
        R *__restrict to = out;
        for (size_t i = 0; i < n; ++i)
            to[i] = cell(i);
    });
}

/// out[i] = f(a[i], b[i]); operands that are constants stay in a register of the machine.
template <class T, class R, class F> void Evaluator::pairwise(size_t a, size_t b, R *out, F f) {
    size_t n = batch->n;
    T x{}, y{};
    if (constantCell(b, y)) {
        const T *p = cellsAs<T>(a);
        eachCell(n, out, [=](size_t i) { return f(p[i], y); });
    } else if (constantCell(a, x)) {
        const T *q = cellsAs<T>(b);
        eachCell(n, out, [=](size_t i) { return f(x, q[i]); });
    } else {
        const T *p = cellsAs<T>(a), *q = cellsAs<T>(b);
        eachCell(n, out, [=](size_t i) { return f(p[i], q[i]); });
    }
}

// ---------------------------------------------------------------- expressions

template <class T> void Evaluator::arithmetic(const Node &n, T *out) {
    constexpr bool isReal = std::is_floating_point_v<T>;
    const auto &o = n.operands;
    if (ops::isNamed(n.name, "cond")) {
        const uint8_t *when = truth(o[0]);
        const T *a = cellsAs<T>(o[1]), *b = cellsAs<T>(o[2]);
        for (size_t i = 0; i < batch->n; ++i)
            out[i] = when[i] ? a[i] : b[i];
    } else if (ops::isNamed(n.name, "cast")) {
        std::copy_n(cellsAs<T>(o[0]), batch->n, out);
    } else if (ops::isNamed(n.name, "ewMinus")) {
        const T *a = cellsAs<T>(o[0]);
        for (size_t i = 0; i < batch->n; ++i)
            out[i] = isReal ? -a[i] : static_cast<T>(0 - static_cast<uint64_t>(a[i]));
    } else if constexpr (isReal) {
        if (ops::isNamed(n.name, "ewAdd"))
            pairwise<T>(o[0], o[1], out, [](T a, T b) { return a + b; });
        else if (ops::isNamed(n.name, "ewSub"))
            pairwise<T>(o[0], o[1], out, [](T a, T b) { return a - b; });
        else if (ops::isNamed(n.name, "ewMul"))
            pairwise<T>(o[0], o[1], out, [](T a, T b) { return a * b; });
        else
            pairwise<T>(o[0], o[1], out, [](T a, T b) { return a / b; });
    } else {
        if (ops::isNamed(n.name, "ewAdd"))
            pairwise<T>(o[0], o[1], out, [](uint64_t a, uint64_t b) { return wrapped(a + b); });
        else if (ops::isNamed(n.name, "ewSub"))
            pairwise<T>(o[0], o[1], out, [](uint64_t a, uint64_t b) { return wrapped(a - b); });
        else if (ops::isNamed(n.name, "ewMul"))
            pairwise<T>(o[0], o[1], out, [](uint64_t a, uint64_t b) { return wrapped(a * b); });
        else // a constant that is neither 0 nor -1
            pairwise<T>(o[0], o[1], out, [](T a, T b) { return a / b; });
    }
}

const int64_t *Evaluator::integers(size_t node) {
    const Node *n = program.nodeAt(node);
    if (!n || n->kind == Kind::Column)
        return load<int64_t>(node, AsIs);
    return make<int64_t>(node, AsIs, [&](int64_t *out) {
        if (int64_t cell; constantCell(node, cell)) {
            std::fill_n(out, batch->n, cell);
        } else if (program.isTruth(node)) {
            std::copy_n(truth(node), batch->n, out);
        } else if (classOf(n->type) == CellClass::Real) { // by a cast
            const double *in = reals(node);
            for (size_t i = 0; i < batch->n; ++i)
                out[i] = convertNumber<int64_t>(in[i]);
        } else {
            arithmetic<int64_t>(*n, out);
        }
    });
}

const double *Evaluator::reals(size_t node) {
    const Node *n = program.nodeAt(node);
    if (n->kind == Kind::Column)
        return load<double>(node, AsReal);
    return make<double>(node, AsReal, [&](double *out) {
        if (double cell; constantCell(node, cell)) {
            std::fill_n(out, batch->n, cell);
        } else if (program.isTruth(node)) {
            std::copy_n(truth(node), batch->n, out);
        } else if (classOf(n->type) == CellClass::Integer) {
            const int64_t *in = integers(node);
            vectorised([=, count = batch->n] {
                for (size_t i = 0; i < count; ++i)
                    out[i] = static_cast<double>(in[i]);
            });
        } else {
            arithmetic<double>(*n, out);
        }
    });
}

const uint32_t *Evaluator::codes(size_t node) { return load<uint32_t>(node, AsIs); }

const int64_t *Evaluator::keys(size_t node) {
    CellClass c = program.cellClass(node);
    if (c == CellClass::Integer)
        return integers(node);
    if (c == CellClass::Text)
        return load<int64_t>(node, AsKey);
    return make<int64_t>(node, AsKey, [&](int64_t *out) {
        const double *in = reals(node);
        for (size_t i = 0; i < batch->n; ++i)
            out[i] = keyOf(in[i]);
    });
}

// ---------------------------------------------------------------------- truth

void Evaluator::compareTexts(size_t node, uint8_t *out) {
    const Node &n = *program.nodeAt(node);
    const uint32_t *a = codes(n.operands[0]), *b = codes(n.operands[1]);
    const Dictionary &da = *program.dictionaryOf(n.operands[0]), &db = *program.dictionaryOf(n.operands[1]);
    const QueryProgram::TextRanks *ranks = program.ranksOf(node);
    withCompare(n.name, [&](auto compare) {
        if (ranks) {
            for (size_t i = 0; i < batch->n; ++i)
                out[i] = compare(ranks->left[a[i]], ranks->right[b[i]]);
            return;
        }
        for (size_t i = 0; i < batch->n; ++i)
            out[i] = compare(da[a[i]], db[b[i]]);
    });
}

void Evaluator::truthInto(size_t node, uint8_t *out) {
    const Node &n = *program.nodeAt(node);
    size_t count = batch->n;
    size_t column = 0;
    if (auto *truths = program.truthOfCodes(node, column)) {
        const uint32_t *in = codes(column);
        const uint8_t *table = truths->data();
        for (size_t i = 0; i < count; ++i)
            out[i] = table[in[i]];
    } else if (n.kind == Kind::Member) {
        const auto &members = program.membersOf(node);
        const int64_t *in = keys(n.operands[0]);
        for (size_t i = 0; i < count; ++i)
            out[i] = std::binary_search(members.begin(), members.end(), in[i]);
    } else if (n.kind == Kind::Call && (ops::isNamed(n.name, "ewAnd") || ops::isNamed(n.name, "ewOr"))) {
        const uint8_t *a = truth(n.operands[0]), *b = truth(n.operands[1]);
        if (ops::isNamed(n.name, "ewAnd"))
            eachCell(count, out, [=](size_t i) { return static_cast<uint8_t>(a[i] & b[i]); });
        else
            eachCell(count, out, [=](size_t i) { return static_cast<uint8_t>(a[i] | b[i]); });
    } else if (program.isTruth(node)) {
        CellClass a = program.cellClass(n.operands[0]), b = program.cellClass(n.operands[1]);
        if (a == CellClass::Text)
            compareTexts(node, out);
        else
            withCompare(n.name, [&](auto compare) {
                if (a == CellClass::Real || b == CellClass::Real)
                    pairwise<double>(n.operands[0], n.operands[1], out, compare);
                else
                    pairwise<int64_t>(n.operands[0], n.operands[1], out, compare);
            });
    } else if (program.cellClass(node) == CellClass::Real) {
        const double *in = reals(node);
        for (size_t i = 0; i < count; ++i)
            out[i] = in[i] != 0;
    } else {
        const int64_t *in = integers(node);
        for (size_t i = 0; i < count; ++i)
            out[i] = in[i] != 0;
    }
}

const uint8_t *Evaluator::truth(size_t node) {
    return make<uint8_t>(node, AsTruth, [&](uint8_t *out) { truthInto(node, out); });
}

} // namespace daphne::query
