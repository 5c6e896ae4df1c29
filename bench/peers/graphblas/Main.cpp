// SPDX-License-Identifier: Apache-2.0
/// The graph cases with SuiteSparse:GraphBLAS. The adjacency matrix is packed as one value for all entries (iso), so
/// that only the pattern is read; semirings that ignore the matrix value use it.
extern "C" {
#include <GraphBLAS.h>
}

#include "Peer.h"

namespace {

using peer::Answer;
using peer::Arguments;
using peer::Stopwatch;

void check(GrB_Info info) {
    if (info != GrB_SUCCESS && info != GrB_NO_VALUE)
        throw std::runtime_error("GraphBLAS says " + std::to_string(info));
}

/// GraphBLAS takes over arrays of malloc; its indices have 64 bits.
GrB_Matrix makeMatrix(const peer::Graph &g) {
    GrB_Matrix m;
    GrB_Index n = g.numRows, entries = g.columns.size();
    check(GrB_Matrix_new(&m, GrB_BOOL, n, n));
    auto *offsets = static_cast<GrB_Index *>(std::malloc((n + 1) * sizeof(GrB_Index)));
    auto *columns = static_cast<GrB_Index *>(std::malloc(entries * sizeof(GrB_Index)));
    auto *value = std::malloc(1);
    if (!offsets || !columns || !value)
        throw std::runtime_error("no memory");
    std::copy(g.offsets.begin(), g.offsets.end(), offsets);
    std::copy(g.columns.begin(), g.columns.end(), columns);
    *static_cast<bool *>(value) = true;
    check(GxB_Matrix_pack_CSR(m, &offsets, &columns, &value, (n + 1) * sizeof(GrB_Index), entries * sizeof(GrB_Index),
                              1, true, false, nullptr));
    return m;
}

GrB_Vector makeVector(GrB_Type type, GrB_Index n) {
    GrB_Vector v;
    check(GrB_Vector_new(&v, type, n));
    return v;
}

void assignAll(GrB_Vector v, double value, GrB_Index n) {
    check(GrB_Vector_assign_FP64(v, nullptr, nullptr, value, GrB_ALL, n, nullptr));
}

Answer components(const Arguments &arguments) {
    peer::Graph g = peer::readGraph(arguments.text("graph"));
    GrB_Index n = g.numRows;
    GrB_Matrix a = makeMatrix(g);
    Stopwatch watch;
    GrB_Vector labels = makeVector(GrB_INT32, n), next, changes = makeVector(GrB_BOOL, n);
    assignAll(labels, 0, n);
    check(GrB_Vector_apply_IndexOp_INT32(labels, nullptr, nullptr, GrB_ROWINDEX_INT32, labels, 1, nullptr));
    int64_t changed = 1, iterations = 0;
    for (; changed > 0; ++iterations) {
        check(GrB_Vector_dup(&next, labels));
        check(GrB_mxv(next, nullptr, GrB_MAX_INT32, GrB_MAX_SECOND_SEMIRING_INT32, a, labels, nullptr));
        check(GrB_Vector_eWiseMult_BinaryOp(changes, nullptr, nullptr, GrB_NE_INT32, next, labels, nullptr));
        check(GrB_Vector_reduce_INT64(&changed, nullptr, GrB_PLUS_MONOID_INT64, changes, nullptr));
        std::swap(labels, next);
        check(GrB_Vector_free(&next));
    }
    double seconds = watch.seconds();
    int64_t components = 0, sum = 0;
    for (GrB_Index v = 0; v < n; ++v) {
        int32_t label = 0;
        check(GrB_Vector_extractElement_INT32(&label, labels, v));
        components += label == static_cast<int32_t>(v + 1);
        sum += label;
    }
    return {seconds, {double(components), double(iterations), double(sum)}};
}

Answer pagerank(const Arguments &arguments) {
    constexpr double kAlpha = 0.85;
    peer::Graph g = peer::readGraph(arguments.text("graph"));
    GrB_Index n = g.numRows;
    size_t iterations = arguments.number("iterations");
    GrB_Matrix a = makeMatrix(g);
    Stopwatch watch;
    GrB_Vector rank = makeVector(GrB_FP64, n), inverse = makeVector(GrB_FP64, n), share = makeVector(GrB_FP64, n);
    GrB_Vector degree = makeVector(GrB_FP64, n), ones = makeVector(GrB_FP64, n), stuck = makeVector(GrB_FP64, n);
    assignAll(ones, 1, n);
    assignAll(degree, 0, n);
    assignAll(rank, 1.0 / double(n), n);
    check(GrB_mxv(degree, nullptr, GrB_PLUS_FP64, GxB_PLUS_SECOND_FP64, a, ones, nullptr));
    check(GrB_Vector_apply_BinaryOp2nd_FP64(stuck, nullptr, nullptr, GxB_ISEQ_FP64, degree, 0, nullptr));
    check(GrB_Vector_apply_BinaryOp2nd_FP64(inverse, nullptr, nullptr, GrB_MAX_FP64, degree, 1, nullptr));
    check(GrB_Vector_apply(inverse, nullptr, nullptr, GrB_MINV_FP64, inverse, nullptr));
    for (size_t i = 0; i < iterations; ++i) {
        double lost = 0;
        check(GrB_Vector_eWiseMult_BinaryOp(share, nullptr, nullptr, GrB_TIMES_FP64, rank, stuck, nullptr));
        check(GrB_Vector_reduce_FP64(&lost, nullptr, GrB_PLUS_MONOID_FP64, share, nullptr));
        check(GrB_Vector_eWiseMult_BinaryOp(share, nullptr, nullptr, GrB_TIMES_FP64, rank, inverse, nullptr));
        check(GrB_Vector_apply_BinaryOp2nd_FP64(share, nullptr, nullptr, GrB_TIMES_FP64, share, kAlpha, nullptr));
        assignAll(rank, (kAlpha * lost + 1 - kAlpha) / double(n), n);
        check(GrB_mxv(rank, nullptr, GrB_PLUS_FP64, GxB_PLUS_SECOND_FP64, a, share, nullptr));
    }
    double seconds = watch.seconds(), sum = 0, largest = 0, first = 0;
    check(GrB_Vector_reduce_FP64(&sum, nullptr, GrB_PLUS_MONOID_FP64, rank, nullptr));
    check(GrB_Vector_reduce_FP64(&largest, nullptr, GrB_MAX_MONOID_FP64, rank, nullptr));
    check(GrB_Vector_extractElement_FP64(&first, rank, 0));
    return {seconds, {sum, largest * double(n), first * double(n)}};
}

} // namespace

int main(int argc, char **argv) {
    if (GrB_init(GrB_NONBLOCKING) != GrB_SUCCESS)
        return 1;
    int status = peer::runCase(argc, argv, {{"components", components}, {"pagerank", pagerank}});
    GrB_finalize();
    return status;
}
