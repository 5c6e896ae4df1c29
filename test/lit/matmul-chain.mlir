// RUN: daphne-opt --pass matmul-chain %s | FileCheck %s

// (A @ B) @ v is A @ (B @ v).
// CHECK-LABEL: @vector
func.func @vector(%a: !daphne.matrix<100, 200, f64>, %b: !daphne.matrix<200, 100, f64>, %v: !daphne.matrix<100, 1, f64>)
    -> !daphne.matrix<100, 1, f64> {
  // CHECK: %[[P:.*]] = daphne.matMul %arg1, %arg2, {{.*}} -> !daphne.matrix<200, 1, f64>
  // CHECK: %[[R:.*]] = daphne.matMul %arg0, %[[P]], {{.*}} -> !daphne.matrix<100, 1, f64>
  // CHECK-NOT: matMul
  // CHECK: return %[[R]]
  %no = daphne.constant false : i1
  %p = daphne.matMul %a, %b, %no, %no : (!daphne.matrix<100, 200, f64>, !daphne.matrix<200, 100, f64>, i1, i1) -> !daphne.matrix<100, 100, f64>
  %r = daphne.matMul %p, %v, %no, %no : (!daphne.matrix<100, 100, f64>, !daphne.matrix<100, 1, f64>, i1, i1) -> !daphne.matrix<100, 1, f64>
  return %r : !daphne.matrix<100, 1, f64>
}

// -----

// The textbook chain 30x35, 35x15, 15x5, 5x10, 10x20, 20x25: (A (B C)) ((D E) F).
// CHECK-LABEL: @textbook
func.func @textbook(%a: !daphne.matrix<30, 35, si64>, %b: !daphne.matrix<35, 15, si64>, %c: !daphne.matrix<15, 5, si64>,
                    %d: !daphne.matrix<5, 10, si64>, %e: !daphne.matrix<10, 20, si64>, %f: !daphne.matrix<20, 25, si64>)
    -> !daphne.matrix<30, 25, si64> {
  // CHECK: %[[BC:.*]] = daphne.matMul %arg1, %arg2,
  // CHECK: %[[ABC:.*]] = daphne.matMul %arg0, %[[BC]],
  // CHECK: %[[DE:.*]] = daphne.matMul %arg3, %arg4,
  // CHECK: %[[DEF:.*]] = daphne.matMul %[[DE]], %arg5,
  // CHECK: %[[R:.*]] = daphne.matMul %[[ABC]], %[[DEF]],
  // CHECK: return %[[R]]
  %no = daphne.constant false : i1
  %1 = daphne.matMul %a, %b, %no, %no : (!daphne.matrix<30, 35, si64>, !daphne.matrix<35, 15, si64>, i1, i1) -> !daphne.matrix<30, 15, si64>
  %2 = daphne.matMul %1, %c, %no, %no : (!daphne.matrix<30, 15, si64>, !daphne.matrix<15, 5, si64>, i1, i1) -> !daphne.matrix<30, 5, si64>
  %3 = daphne.matMul %2, %d, %no, %no : (!daphne.matrix<30, 5, si64>, !daphne.matrix<5, 10, si64>, i1, i1) -> !daphne.matrix<30, 10, si64>
  %4 = daphne.matMul %3, %e, %no, %no : (!daphne.matrix<30, 10, si64>, !daphne.matrix<10, 20, si64>, i1, i1) -> !daphne.matrix<30, 20, si64>
  %5 = daphne.matMul %4, %f, %no, %no : (!daphne.matrix<30, 20, si64>, !daphne.matrix<20, 25, si64>, i1, i1) -> !daphne.matrix<30, 25, si64>
  return %5 : !daphne.matrix<30, 25, si64>
}

// -----

// Factors keep their flags: t(A) @ B @ t(w).
// CHECK-LABEL: @flags
func.func @flags(%a: !daphne.matrix<50, 40, f64>, %b: !daphne.matrix<50, 60, f64>, %w: !daphne.matrix<1, 60, f64>)
    -> !daphne.matrix<40, 1, f64> {
  // CHECK-DAG: daphne.matMul %arg1, %arg2, %[[F:[^,]*]], %[[T:[^ ]*]] : {{.*}} -> !daphne.matrix<50, 1, f64>
  // CHECK-DAG: daphne.matMul %arg0, %{{[0-9]+}}, %{{.*}}, %{{.*}} : {{.*}} -> !daphne.matrix<40, 1, f64>
  %no = daphne.constant false : i1
  %yes = daphne.constant true : i1
  %p = daphne.matMul %a, %b, %yes, %no : (!daphne.matrix<50, 40, f64>, !daphne.matrix<50, 60, f64>, i1, i1) -> !daphne.matrix<40, 60, f64>
  %r = daphne.matMul %p, %w, %no, %yes : (!daphne.matrix<40, 60, f64>, !daphne.matrix<1, 60, f64>, i1, i1) -> !daphne.matrix<40, 1, f64>
  return %r : !daphne.matrix<40, 1, f64>
}

// -----

// Negative: the best order already; an unknown shape; an intermediate used twice; mixed value types; a hint; a
// transposed intermediate.
// CHECK-LABEL: @asWritten
func.func @asWritten(%a: !daphne.matrix<9, 9, f64>, %v: !daphne.matrix<9, 1, f64>, %x: !daphne.matrix<?, ?, f64>,
                     %i: !daphne.matrix<9, 9, si64>)
    -> (!daphne.matrix<9, 1, f64>, !daphne.matrix<?, 1, f64>, !daphne.matrix<9, 9, f64>, !daphne.matrix<9, 1, f64>,
        !daphne.matrix<9, 1, f64>, !daphne.matrix<9, 1, f64>, !daphne.matrix<9, 1, f64>) {
  // CHECK: %[[A:.*]] = daphne.matMul %arg0, %arg1
  // CHECK: daphne.matMul %arg0, %[[A]]
  // CHECK: %[[B:.*]] = daphne.matMul %arg2, %arg0
  // CHECK: daphne.matMul %[[B]], %arg1
  // CHECK: %[[C:.*]] = daphne.matMul %arg0, %arg0
  // CHECK: daphne.matMul %[[C]], %arg1
  // CHECK: %[[D:.*]] = daphne.matMul %arg3, %arg3
  // CHECK: daphne.matMul %[[D]], %arg1
  // CHECK: %[[E:.*]] = daphne.matMul %arg0, %arg0, {{.*}}kernel_hint
  // CHECK: daphne.matMul %[[E]], %arg1
  // CHECK: %[[F:.*]] = daphne.matMul %arg0, %arg0
  // CHECK: daphne.matMul %[[F]], %arg1
  %no = daphne.constant false : i1
  %yes = daphne.constant true : i1
  %1 = daphne.matMul %a, %v, %no, %no : (!daphne.matrix<9, 9, f64>, !daphne.matrix<9, 1, f64>, i1, i1) -> !daphne.matrix<9, 1, f64>
  %2 = daphne.matMul %a, %1, %no, %no : (!daphne.matrix<9, 9, f64>, !daphne.matrix<9, 1, f64>, i1, i1) -> !daphne.matrix<9, 1, f64>
  %3 = daphne.matMul %x, %a, %no, %no : (!daphne.matrix<?, ?, f64>, !daphne.matrix<9, 9, f64>, i1, i1) -> !daphne.matrix<?, 9, f64>
  %4 = daphne.matMul %3, %v, %no, %no : (!daphne.matrix<?, 9, f64>, !daphne.matrix<9, 1, f64>, i1, i1) -> !daphne.matrix<?, 1, f64>
  %5 = daphne.matMul %a, %a, %no, %no : (!daphne.matrix<9, 9, f64>, !daphne.matrix<9, 9, f64>, i1, i1) -> !daphne.matrix<9, 9, f64>
  %6 = daphne.matMul %5, %v, %no, %no : (!daphne.matrix<9, 9, f64>, !daphne.matrix<9, 1, f64>, i1, i1) -> !daphne.matrix<9, 1, f64>
  %7 = daphne.matMul %i, %i, %no, %no : (!daphne.matrix<9, 9, si64>, !daphne.matrix<9, 9, si64>, i1, i1) -> !daphne.matrix<9, 9, si64>
  %8 = daphne.matMul %7, %v, %no, %no : (!daphne.matrix<9, 9, si64>, !daphne.matrix<9, 1, f64>, i1, i1) -> !daphne.matrix<9, 1, f64>
  %9 = daphne.matMul %a, %a, %no, %no {kernel_hint = "k"} : (!daphne.matrix<9, 9, f64>, !daphne.matrix<9, 9, f64>, i1, i1) -> !daphne.matrix<9, 9, f64>
  %10 = daphne.matMul %9, %v, %no, %no : (!daphne.matrix<9, 9, f64>, !daphne.matrix<9, 1, f64>, i1, i1) -> !daphne.matrix<9, 1, f64>
  %11 = daphne.matMul %a, %a, %no, %no : (!daphne.matrix<9, 9, f64>, !daphne.matrix<9, 9, f64>, i1, i1) -> !daphne.matrix<9, 9, f64>
  %12 = daphne.matMul %11, %v, %yes, %no : (!daphne.matrix<9, 9, f64>, !daphne.matrix<9, 1, f64>, i1, i1) -> !daphne.matrix<9, 1, f64>
  return %2, %4, %5, %6, %8, %10, %12 : !daphne.matrix<9, 1, f64>, !daphne.matrix<?, 1, f64>, !daphne.matrix<9, 9, f64>, !daphne.matrix<9, 1, f64>, !daphne.matrix<9, 1, f64>, !daphne.matrix<9, 1, f64>, !daphne.matrix<9, 1, f64>
}
