// SPDX-License-Identifier: Apache-2.0
/// The order of a chain of matrix products A1 @ A2 @ ... @ An decides how many
/// multiplications it takes; dynamic programming over all splits finds the least
/// (the classic O(n^3) scheme: cost(i, j) = min over k of cost(i, k) + cost(k + 1,
/// j) + rows(i) * cols(k) * cols(j)). Products of integers wrap, so every order
/// gives the same result; those of floats may differ in digits that are not
/// printed. All shapes are known, so no error can be hidden.
#include "transforms/Passes.h"

#include <limits>

#include "transforms/simplify/Rewrite.h"

namespace daphne::transforms {

using namespace mlir;
using ir::DaphneOp;
using ops::TypeDesc;

namespace {

constexpr size_t kMaxFactors = 128; ///< longer chains would take noticeable time to order

/// One matrix of the chain, used transposed or not; rows and cols as used.
struct Factor {
    mlir::Value matrix;
    bool transpose;
    int64_t rows, cols;
};

/// A product that may be part of a chain: known shapes, one value type, constant flags, no hint.
bool canReorder(DaphneOp op) {
    if (!op || !op.hint().empty() || !constantFlag(op->getOperand(2)) || !constantFlag(op->getOperand(3)))
        return false;
    TypeDesc l = typeOf(op->getOperand(0)), r = typeOf(op->getOperand(1)), t = typeOf(op->getResult(0));
    return isNumericMatrix(t) && l.hasShape() && r.hasShape() && l.valueType == t.valueType &&
           r.valueType == t.valueType;
}

/// The product under v if it is an inner link of the chain.
DaphneOp innerLink(DaphneOp user, mlir::Value v) {
    DaphneOp op = onlyFor(user, v, "matMul");
    return canReorder(op) ? op : DaphneOp();
}

/// Fills in the factors from left to right and yields the cost as written.
double collect(DaphneOp root, std::vector<Factor> &factors) {
    // Explicit stack: chains may be as long as a script. Operands are pushed right before left.
    struct Pending {
        DaphneOp user;
        unsigned operand;
    };
    SmallVector<Pending> stack{{root, 1}, {root, 0}};
    auto shapeOf = [](DaphneOp op, unsigned i) {
        TypeDesc t = typeOf(op->getOperand(i));
        bool transpose = *constantFlag(op->getOperand(2 + i));
        return Factor{op->getOperand(i), transpose, transpose ? t.cols : t.rows, transpose ? t.rows : t.cols};
    };
    auto costOf = [&](DaphneOp op) {
        Factor l = shapeOf(op, 0), r = shapeOf(op, 1);
        return double(l.rows) * double(l.cols) * double(r.cols);
    };
    double cost = costOf(root);
    while (!stack.empty()) {
        Pending p = stack.pop_back_val();
        Factor f = shapeOf(p.user, p.operand);
        DaphneOp link = f.transpose ? DaphneOp() : innerLink(p.user, f.matrix);
        if (!link) {
            factors.push_back(f);
            continue;
        }
        cost += costOf(link);
        stack.push_back({link, 1});
        stack.push_back({link, 0});
    }
    return cost;
}

/// Where to split each interval of factors for the least cost.
class Splits {
  public:
    explicit Splits(const std::vector<Factor> &factors) : n(factors.size()), cost(n * n, 0), split(n * n, 0) {
        for (size_t length = 2; length <= n; ++length)
            for (size_t i = 0; i + length <= n; ++i)
                choose(factors, i, i + length - 1);
    }
    double total() const { return cost[n - 1]; }
    size_t at(size_t i, size_t j) const { return split[i * n + j]; }

  private:
    void choose(const std::vector<Factor> &f, size_t i, size_t j) {
        double &best = cost[i * n + j];
        best = std::numeric_limits<double>::infinity();
        for (size_t k = i; k < j; ++k) {
            double c =
                cost[i * n + k] + cost[(k + 1) * n + j] + double(f[i].rows) * double(f[k].cols) * double(f[j].cols);
            if (c < best) {
                best = c;
                split[i * n + j] = k;
            }
        }
    }
    size_t n;
    std::vector<double> cost;
    std::vector<size_t> split;
};

/// The product of factors i..j and whether it is to be used transposed (single factors only).
std::pair<mlir::Value, bool> build(const std::vector<Factor> &f, const Splits &splits, size_t i, size_t j,
                                   Rewrite &rewrite) {
    if (i == j)
        return {f[i].matrix, f[i].transpose};
    auto [l, transposeL] = build(f, splits, i, splits.at(i, j), rewrite);
    auto [r, transposeR] = build(f, splits, splits.at(i, j) + 1, j, rewrite);
    return {rewrite.create("matMul", {l, r, rewrite.boolean(transposeL), rewrite.boolean(transposeR)}), false};
}

bool orderChain(DaphneOp op, Rewrite &rewrite) {
    if (!op.is("matMul") || !canReorder(op))
        return false;
    // Only the outermost product of a chain: others are handled with it.
    if (op->hasOneUse()) {
        DaphneOp user = dyn_cast<DaphneOp>(*op->user_begin());
        bool isLink = user && user.is("matMul") && canReorder(user) && user->getBlock() == op->getBlock() &&
                      !*constantFlag(user->getOperand(op->getUses().begin()->getOperandNumber() + 2));
        if (isLink)
            return false;
    }
    std::vector<Factor> factors;
    double asWritten = collect(op, factors);
    if (factors.size() < 3 || factors.size() > kMaxFactors)
        return false;
    Splits splits(factors);
    if (!(splits.total() < asWritten))
        return false;
    size_t last = factors.size() - 1, k = splits.at(0, last);
    auto [l, transposeL] = build(factors, splits, 0, k, rewrite);
    auto [r, transposeR] = build(factors, splits, k + 1, last, rewrite);
    return rewrite.replaceWith("matMul", {l, r, rewrite.boolean(transposeL), rewrite.boolean(transposeR)});
}

} // namespace

void orderMatMulChains(ModuleOp module) { applyEverywhere(module, orderChain); }

} // namespace daphne::transforms
