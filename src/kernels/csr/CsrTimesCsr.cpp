// SPDX-License-Identifier: Apache-2.0
/// Products of two sparse matrices, row by row (Gustavson): row i of A @ B is
/// the sum of the rows k of B, each times a(i, k), over the stored cells of row
/// i of A. Three ways to add them up:
///
///   RowSums   an array with one sum per column, and a bitmap of the touched columns which delivers them in order
///             (FewProducts for short rows);
///   sorting   all products of the row, where such an array would be out of proportion;
///   dense     directly into the result, where that is the better form.
///
/// Every cell is summed in the order of k, so that t(X) @ X and X @ t(X) are exactly symmetric. Workers share the rows
/// of the result, by the products they need: each writes a part of its own, which are then put below each other.
#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <memory>
#include <numeric>
#include <vector>

#include "base/Cancellable.h"
#include "kernels/RowBlocks.h"
#include "kernels/csr/ColumnRanges.h"
#include "kernels/csr/CsrParts.h"
#include "kernels/csr/CsrProducts.h"
#include "kernels/elementwise/Convert.h"

namespace daphne {

namespace {

/// Sums of one row by column. Between rows all is zero.
template <class T> class RowSums {
  public:
    explicit RowSums(size_t cols)
        : buffer(Buffer::create(valueTypeOf<T>(), cols, Buffer::Init::Zero)), sums(buffer.as<T>()),
          touched(cols / 64 + 1), summary(cols / 4096 + 1) {}

    /// Adds factor times n stored cells, whose columns ascend.
    template <bool Pattern> void add(T factor, const uint32_t *columns, const T *values, size_t n) {
        T *sum = sums;
        uint64_t *bits = touched.data(), *groups = summary.data();
        for (size_t k = 0; k < n; ++k) {
            uint32_t c = columns[k];
            if constexpr (Pattern)
                sum[c] += factor;
            else
                sum[c] += factor * values[k];
            bits[c / 64] |= uint64_t(1) << c % 64;
            groups[c / 4096] |= uint64_t(1) << c / 64 % 64;
        }
        firstGroup = std::min<size_t>(firstGroup, columns[0] / 4096);
        lastGroup = std::max<size_t>(lastGroup, columns[n - 1] / 4096);
    }

    /// Moves the sums that are not zero to columns and values, in the order of columns; returns how many. There must be
    /// room for one more.
    size_t drain(uint32_t *columns, T *values) {
        size_t n = 0;
        for (size_t g = firstGroup; g <= lastGroup && g < summary.size(); ++g) {
            for (uint64_t words = std::exchange(summary[g], 0); words; words &= words - 1) {
                size_t w = g * 64 + static_cast<size_t>(std::countr_zero(words));
                for (uint64_t bits = std::exchange(touched[w], 0); bits; bits &= bits - 1) {
                    size_t c = w * 64 + static_cast<size_t>(std::countr_zero(bits));
                    T sum = std::exchange(sums[c], T(0));
                    columns[n] = static_cast<uint32_t>(c);
                    values[n] = sum;
                    n += sum != T(0);
                }
            }
        }
        firstGroup = ~size_t(0);
        lastGroup = 0;
        return n;
    }

  private:
    BufferRef buffer; // not a vector: large buffers lie on huge pages, and columns are far from each other
    T *sums;
    std::vector<uint64_t> touched; ///< bit c: column c has a sum
    std::vector<uint64_t> summary; ///< bit w: touched[w] is not 0
    size_t firstGroup = ~size_t(0), lastGroup = 0;
};

/// The sums of a row of few products, without an array of sums that would miss the caches for each of them.
template <class T> class FewProducts {
  public:
    static constexpr size_t kMost = 32;

    template <bool Pattern> void add(T factor, const uint32_t *columns, const T *values, size_t n) {
        for (size_t k = 0; k < n; ++k, ++count) {
            products[count] = Pattern ? factor : factor * values[k];
            // Ordered by column, equal columns as they come. Insertion sort: the runs ascend already.
            uint64_t key = uint64_t(columns[k]) * kMost + count;
            size_t at = count;
            for (; at > 0 && keys[at - 1] > key; --at)
                keys[at] = keys[at - 1];
            keys[at] = key;
        }
    }
    /// As in RowSums.
    size_t drain(uint32_t *columns, T *values) {
        size_t n = 0;
        for (size_t i = 0; i < count;) {
            uint64_t column = keys[i] / kMost;
            T sum = 0;
            for (; i < count && keys[i] / kMost == column; ++i)
                sum += products[keys[i] % kMost];
            columns[n] = static_cast<uint32_t>(column);
            values[n] = sum;
            n += sum != T(0);
        }
        count = 0;
        return n;
    }

  private:
    uint64_t keys[kMost]; ///< column * kMost + position in products
    T products[kMost];
    size_t count = 0;
};

/// A result that grows: rows are appended, never more than `bound` cells in all.
template <class T, class I> class Growing {
  public:
    Growing(ValueType type, size_t rows, size_t cols, size_t guess, size_t bound)
        : limit(bound + 1), target(Csr::create(type, rows, cols, std::min(guess, limit))) {
        place();
    }
    /// Makes room for n more cells and one to spare.
    void reserve(size_t n) {
        if (used + n < target->capacity())
            return;
        moveTo(std::min(std::max(2 * target->capacity(), used + n + 1), limit));
    }
    void endRow(size_t r, size_t numCells) { target->mutableOffsets()[r + 1] = used += numCells; }
    Ref<Csr> finish() {
        if (used < target->capacity() / 4 * 3)
            moveTo(used);
        return std::move(target);
    }
    I *columns;
    T *values;
    size_t used = 0;

  private:
    void place() {
        columns = target->template mutableColumns<I>();
        values = target->template mutableValues<T>();
    }
    void moveTo(size_t capacity) {
        auto larger = Csr::create(target->type(), target->rows(), target->cols(), capacity);
        std::memcpy(larger->mutableOffsets(), target->offsets(), (target->rows() + 1) * sizeof(uint64_t));
        std::memcpy(larger->template mutableColumns<I>(), columns, used * sizeof(I));
        std::memcpy(larger->template mutableValues<T>(), values, used * sizeof(T));
        target = std::move(larger);
        place();
    }
    size_t limit;
    Ref<Csr> target;
};

/// Products needed for row i of A @ B.
template <class I> uint64_t workOfRow(const Csr &a, const Csr &b, size_t i) {
    const I *columns = a.columns<I>();
    const uint64_t *offsets = b.offsets();
    uint64_t n = 0;
    for (uint64_t k = a.offsets()[i]; k < a.offsets()[i + 1]; ++k)
        n += offsets[columns[k] + 1] - offsets[columns[k]];
    return n;
}

/// What is known before multiplying row by row.
struct RowWork {
    std::vector<uint64_t> products; ///< of all rows before row r
    uint64_t total() const { return products.back(); }
    double serialNs() const { return 5 * static_cast<double>(total()); }
};

RowWork workByRows(RunContext &context, const Csr &a, const Csr &b) {
    RowWork work{std::vector<uint64_t>(a.rows() + 1)};
    withIndexType(a.hasWideIndex(), [&]<class I>(TypeTag<I>) {
        forRows(context,
                {.site = "matMul",
                 .rows = a.rows(),
                 .rowOffsets = a.offsets(),
                 .serialNs = 2 * static_cast<double>(a.nonZeros())},
                [&](size_t begin, size_t end, uint32_t) {
                    for (size_t i = begin; i < end; ++i)
                        work.products[i + 1] = workOfRow<I>(a, b, i);
                });
    });
    std::partial_sum(work.products.begin(), work.products.end(), work.products.begin());
    return work;
}

/// Some rows of the result, yet to be computed.
struct RowPart {
    const Csr &a; ///< those rows of the left operand
    const Csr &b;
    const uint64_t *products; ///< before each of the rows, and of all
    size_t guess;             ///< of stored cells

    uint64_t productsOf(size_t row) const { return products[row + 1] - products[row]; }
    uint64_t bound() const { return std::min<uint64_t>(products[a.rows()] - products[0], a.rows() * b.cols()); }
};

/// f(part, worker) for parts of the rows of A @ B, below each other.
template <class F> Ref<Csr> multiplyParts(RunContext &context, const Csr &a, const Csr &b, const RowWork &work, F &&f) {
    std::vector<Ref<Csr>> parts(a.rows());
    sched::LoopDescription loop{
        .site = "matMul", .rows = a.rows(), .rowOffsets = work.products.data(), .serialNs = work.serialNs()};
    forRows(context, loop, [&](size_t begin, size_t end, uint32_t worker) {
        const uint64_t *products = work.products.data() + begin;
        double share = static_cast<double>(products[end - begin] - products[0]) / static_cast<double>(work.total() + 1);
        double guess = 8 * static_cast<double>(a.nonZeros() + b.nonZeros()) * share;
        bool isAll = end - begin == a.rows();
        auto rows = isAll ? Ref<Csr>::share(const_cast<Csr *>(&a)) : Csr::rowWindow(a, begin, end);
        parts[begin] = f(RowPart{*rows, b, products, static_cast<size_t>(guess) + 1024}, worker);
    });
    std::erase_if(parts, [](const Ref<Csr> &part) { return !part; });
    if (parts.empty())
        return Csr::create(computeType(a.type()), 0, b.cols(), 0);
    if (parts.size() == 1)
        return Csr::rowWindow(*parts[0], 0, a.rows()); // an object of this thread
    std::vector<const Csr *> all(parts.size());
    std::ranges::transform(parts, all.begin(), [](const Ref<Csr> &part) { return part.get(); });
    return joinRows(context, all);
}

/// For t(A) @ B.
double productsOfColumns(const Csr &a, const Csr &b) {
    double products = 0;
    for (size_t k = 0; k < a.rows(); ++k)
        products += static_cast<double>(a.nonZeros(k)) * static_cast<double>(b.nonZeros(k));
    return products;
}

/// The rows of B are visited in the order of A's cells: far from each other in memory, but known in advance.
template <class T> class RowPrefetcher {
  public:
    RowPrefetcher(const CsrView<T, uint32_t> &a, const CsrView<T, uint32_t> &b)
        : a(a), b(b), last(a.offsets[a.rows] - std::min(a.offsets[a.rows], kFar)) {}
    /// Before cell k of A is used.
    void operator()(uint64_t k) const {
        if (k >= last)
            return;
        __builtin_prefetch(b.offsets + a.columns[k + kFar]);
        uint64_t first = b.offsets[a.columns[k + kNear]];
        __builtin_prefetch(b.columns + first);
        if (b.values)
            __builtin_prefetch(b.values + first);
    }

  private:
    static constexpr uint64_t kFar = 16, kNear = 6;
    CsrView<T, uint32_t> a, b;
    uint64_t last;
};

/// Where the rows of one worker are added up.
template <class T> struct Accumulators {
    explicit Accumulators(size_t cols) : sums(cols) {}
    RowSums<T> sums;
    FewProducts<T> few;
};

template <class T, bool PatternA, bool PatternB> Ref<Csr> multiplyRows(const RowPart &part, Accumulators<T> &to) {
    auto left = part.a.view<T, uint32_t>(), right = part.b.view<T, uint32_t>();
    bool sumsFarAway = right.cols * sizeof(T) > (size_t(1) << 19); // not in the caches next to the core
    Growing<T, uint32_t> out(computeType(part.a.type()), left.rows, right.cols, part.guess, part.bound());
    RowPrefetcher<T> fetch(left, right);
    auto addRow = [&](size_t i, auto &row) {
        for (uint64_t k = left.offsets[i]; k < left.offsets[i + 1]; ++k) {
            fetch(k);
            uint64_t first = right.offsets[left.columns[k]], n = right.count(left.columns[k]);
            if (n > 0)
                row.template add<PatternB>(PatternA ? T(1) : left.values[k], right.columns + first,
                                           PatternB ? nullptr : right.values + first, n);
        }
        out.endRow(i, row.drain(out.columns + out.used, out.values + out.used));
    };
    CancelCountdown look;
    for (size_t i = 0; i < left.rows; ++i) {
        uint64_t products = part.productsOf(i);
        look.after(products + 1);
        out.reserve(std::min<uint64_t>(products, right.cols));
        if (sumsFarAway && products <= to.few.kMost)
            addRow(i, to.few);
        else
            addRow(i, to.sums);
    }
    return out.finish();
}

/// By sorting the products of each row; a stable sort keeps them in the order of k.
template <class T, class IA, class IB> Ref<Csr> multiplyBySorting(const RowPart &part) {
    auto left = part.a.view<T, IA>();
    auto right = part.b.view<T, IB>();
    Growing<T, IB> out(computeType(part.a.type()), left.rows, right.cols, part.guess, part.bound());
    std::vector<std::pair<IB, T>> products;
    CancelCountdown look;
    for (size_t i = 0; i < left.rows; ++i) {
        look.after(products.size() + 1);
        products.clear();
        for (uint64_t k = left.offsets[i]; k < left.offsets[i + 1]; ++k)
            for (uint64_t p = right.offsets[left.columns[k]]; p < right.offsets[left.columns[k] + 1]; ++p)
                products.emplace_back(right.columns[p], left.value(k) * right.value(p));
        std::stable_sort(products.begin(), products.end(),
                         [](const auto &x, const auto &y) { return x.first < y.first; });
        out.reserve(std::min<size_t>(products.size(), right.cols));
        size_t n = 0;
        for (auto at = products.begin(); at != products.end();) {
            IB column = at->first;
            T sum = 0;
            for (; at != products.end() && at->first == column; ++at)
                sum += at->second;
            out.columns[out.used + n] = column;
            out.values[out.used + n] = sum;
            n += sum != T(0);
        }
        out.endRow(i, n);
    }
    return out.finish();
}

template <class T, bool PatternA, bool PatternB>
Ref<Csr> multiplyByRowSums(RunContext &context, const Csr &a, const Csr &b, const RowWork &work) {
    std::vector<std::unique_ptr<Accumulators<T>>> accumulators(numWorkers(context));
    return multiplyParts(context, a, b, work, [&](const RowPart &part, uint32_t worker) {
        if (!accumulators[worker])
            accumulators[worker] = std::make_unique<Accumulators<T>>(b.cols());
        return multiplyRows<T, PatternA, PatternB>(part, *accumulators[worker]);
    });
}

template <class T> Ref<Csr> multiplySparse(RunContext &context, const Csr &a, const Csr &b, const RowWork &work) {
    // An array of sums must be worth its memory.
    bool wide = a.hasWideIndex() || b.hasWideIndex();
    bool proportionate = b.cols() <= std::max<uint64_t>(4 * work.total(), 1 << 20);
    if (!wide && proportionate) {
        if (a.isPattern())
            return b.isPattern() ? multiplyByRowSums<T, true, true>(context, a, b, work)
                                 : multiplyByRowSums<T, true, false>(context, a, b, work);
        return b.isPattern() ? multiplyByRowSums<T, false, true>(context, a, b, work)
                             : multiplyByRowSums<T, false, false>(context, a, b, work);
    }
    return withIndexType(a.hasWideIndex(), [&]<class IA>(TypeTag<IA>) {
        return withIndexType(b.hasWideIndex(), [&]<class IB>(TypeTag<IB>) {
            return multiplyParts(context, a, b, work,
                                 [](const RowPart &part, uint32_t) { return multiplyBySorting<T, IA, IB>(part); });
        });
    });
}

/// A product of two rows of cells added up in dense form: c(columns of y) += factor * y from position `from` on.
template <class T, class I> void addScaled(T factor, const CsrView<T, I> &y, uint64_t from, uint64_t to, T *c) {
    if (!y.values)
        for (uint64_t p = from; p < to; ++p)
            c[y.columns[p]] += factor;
    else
        for (uint64_t p = from; p < to; ++p)
            c[y.columns[p]] += factor * y.values[p];
}

/// Rows [begin, end) of A @ B.
template <class T, class IA, class IB> void addRows(const Csr &a, const Csr &b, size_t begin, size_t end, T *c) {
    auto left = a.view<T, IA>();
    auto right = b.view<T, IB>();
    CancelCountdown look;
    for (size_t i = begin; i < end; ++i)
        for (uint64_t k = left.offsets[i]; k < left.offsets[i + 1]; ++k) {
            uint64_t from = right.offsets[left.columns[k]], to = right.offsets[left.columns[k] + 1];
            addScaled(left.value(k), right, from, to, c + i * right.cols);
            look.after(to - from + 1);
        }
}

/// t(A) @ B without the transpose: the sum of the outer products of rows k, in the rows that belong to some columns of
/// A. Only the upper triangle if A is B.
template <class T, class IA, class IB>
void addOuterProducts(const Csr &a, const Csr &b, const ColumnRange &range, T *c) {
    auto left = a.view<T, IA>();
    auto right = b.view<T, IB>();
    bool gram = &a == &b;
    CancelCountdown look;
    for (size_t k = 0; k < left.rows; ++k) {
        auto [begin, end] = range.cellsOf(left, k);
        look.after((end - begin) * right.count(k) + 1);
        for (uint64_t p = begin; p < end; ++p)
            addScaled(left.value(p), right, gram ? p : right.offsets[k], right.offsets[k + 1],
                      c + left.columns[p] * right.cols);
    }
}

template <class T> void mirrorUpper(T *c, size_t n) {
    for (size_t i = 0; i < n; ++i)
        for (size_t j = i + 1; j < n; ++j)
            c[j * n + i] = c[i * n + j];
}

/// In dense form. The work is that of A @ B; nothing for t(A) @ B.
Ref<Dense> multiplyDense(RunContext &context, ValueType g, const Csr &a, bool transposeA, const Csr &b,
                         const RowWork &work, double serialNs) {
    auto result = Dense::create(computeType(g), transposeA ? a.cols() : a.rows(), b.cols(), Buffer::Init::Zero);
    withProductType(g, [&]<class T>(TypeTag<T>) {
        T *c = result->mutableView<T>().data;
        withIndexType(a.hasWideIndex(), [&]<class IA>(TypeTag<IA>) {
            withIndexType(b.hasWideIndex(), [&]<class IB>(TypeTag<IB>) {
                if (transposeA)
                    forColumnRanges(context, "matMul", a, serialNs,
                                    [&](const ColumnRange &range) { addOuterProducts<T, IA, IB>(a, b, range, c); });
                else
                    forRows(
                        context,
                        {.site = "matMul", .rows = a.rows(), .rowOffsets = work.products.data(), .serialNs = serialNs},
                        [&](size_t begin, size_t end, uint32_t) { addRows<T, IA, IB>(a, b, begin, end, c); });
            });
        });
        if (transposeA && &a == &b)
            mirrorUpper(c, a.cols());
    });
    return result;
}

/// Whether rows x cols cells are better summed up in dense form, judging by the products that fall on them as if they
/// were spread evenly.
bool prefersDense(const KernelCall &call, size_t rows, size_t cols, double products) {
    if (call.wantsCsr & 1)
        return false;
    double cells = static_cast<double>(rows) * static_cast<double>(cols);
    double nonZeros = cells > 0 ? cells * -std::expm1(-products / cells) : 0;
    return nonZeros >= call.context.representation.threshold * cells;
}

} // namespace

Ref<Matrix> sparseTimesSparse(const KernelCall &call, ValueType g, const Csr &a, bool transposeA, const Csr &b,
                              bool transposeB) {
    if (hasNonFinite(a) || hasNonFinite(b)) {
        auto right = transposeB ? transposed(call.context, b) : Ref<Csr>::share(const_cast<Csr *>(&b));
        return sparseTimesDense(call.context, g, a, transposeA, *toDense(*right));
    }
    RunContext &context = call.context;
    const auto &policy = context.representation;
    Ref<Csr> right = transposeB ? transposed(call.context, b) : Ref<Csr>::share(const_cast<Csr *>(&b));
    Ref<Csr> left = Ref<Csr>::share(const_cast<Csr *>(&a));
    size_t rows = transposeA ? a.cols() : a.rows();
    RowWork work;
    if (!transposeA)
        work = workByRows(context, a, *right);
    double products = transposeA ? productsOfColumns(a, *right) : static_cast<double>(work.total());
    if (prefersDense(call, rows, right->cols(), products)) {
        auto result = multiplyDense(context, g, a, transposeA, *right, work, products);
        // The products may have been spread less evenly than thought.
        if (policy.prefersCsr(g, rows, right->cols(), 0) &&
            policy.prefersCsr(g, rows, right->cols(), static_cast<double>(countNonZeros(*result))))
            return toCsr(*result);
        return result;
    }
    if (transposeA) {
        left = transposed(context, a);
        work = workByRows(context, *left, *right);
    }
    return withProductType(g, [&]<class T>(TypeTag<T>) -> Ref<Matrix> {
        auto result = multiplySparse<T>(context, *left, *right, work);
        double cells = static_cast<double>(result->cells());
        bool full = static_cast<double>(result->nonZeros()) >= policy.threshold * cells;
        if (full && !(call.wantsCsr & 1))
            return toDense(*result);
        return result;
    });
}

} // namespace daphne
