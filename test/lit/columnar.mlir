// RUN: daphne-opt --pass columnar %s | FileCheck %s

// Truth values that choose rows become position lists; a literal on the left mirrors the comparison. Only the column
// that is used is fetched.
// CHECK-LABEL: @selections
// CHECK-NOT: daphne.ew
// CHECK-NOT: daphne.filterRow
func.func @selections(%f: !daphne.frame<?, 3, ["a", "b", "s"], [si64, f64, !daphne.str]>) -> !daphne.matrix<?, 1, f64> {
  %la = daphne.constant "a" : !daphne.str
  %lb = daphne.constant "b" : !daphne.str
  %ls = daphne.constant "s" : !daphne.str
  %x = daphne.constant "x" : !daphne.str
  %three = daphne.constant 3 : si64
  %fa = daphne.extractCol %f, %la : (!daphne.frame<?, 3, ["a", "b", "s"], [si64, f64, !daphne.str]>, !daphne.str) -> !daphne.frame<?, 1, ["a"], [si64]>
  %a = daphne.cast %fa {kind = 2 : i64, value = 11 : i64} : (!daphne.frame<?, 1, ["a"], [si64]>) -> !daphne.matrix<?, 1, si64>
  %fs = daphne.extractCol %f, %ls : (!daphne.frame<?, 3, ["a", "b", "s"], [si64, f64, !daphne.str]>, !daphne.str) -> !daphne.frame<?, 1, ["s"], [!daphne.str]>
  %s = daphne.cast %fs {kind = 2 : i64, value = 11 : i64} : (!daphne.frame<?, 1, ["s"], [!daphne.str]>) -> !daphne.matrix<?, 1, !daphne.str>
  // CHECK: %[[P:.*]] = daphne.colSelectGt %{{.*}}, %{{.*}} : (!daphne.matrix<?, 1, si64>, si64) -> !daphne.matrix<?, 1, index>
  %p = daphne.ewLt %three, %a : (si64, !daphne.matrix<?, 1, si64>) -> !daphne.matrix<?, 1, si64>
  // CHECK: %[[Q:.*]] = daphne.colSelectEq
  %q = daphne.ewEq %s, %x : (!daphne.matrix<?, 1, !daphne.str>, !daphne.str) -> !daphne.matrix<?, 1, si64>
  // CHECK: %[[R:.*]] = daphne.colMerge %[[P]], %[[Q]]
  %r = daphne.ewOr %p, %q : (!daphne.matrix<?, 1, si64>, !daphne.matrix<?, 1, si64>) -> !daphne.matrix<?, 1, si64>
  // CHECK-NEXT: %[[B:.*]] = daphne.colProject %{{.*}}, %[[R]] : (!daphne.matrix<?, 1, f64>, !daphne.matrix<?, 1, index>) -> !daphne.matrix<?, 1, f64>
  %g = daphne.filterRow %f, %r : (!daphne.frame<?, 3, ["a", "b", "s"], [si64, f64, !daphne.str]>, !daphne.matrix<?, 1, si64>) -> !daphne.frame<?, 3, ["a", "b", "s"], [si64, f64, !daphne.str]>
  %gb = daphne.extractCol %g, %lb : (!daphne.frame<?, 3, ["a", "b", "s"], [si64, f64, !daphne.str]>, !daphne.str) -> !daphne.frame<?, 1, ["b"], [f64]>
  %b = daphne.cast %gb {kind = 2 : i64, value = 11 : i64} : (!daphne.frame<?, 1, ["b"], [f64]>) -> !daphne.matrix<?, 1, f64>
  // CHECK-NEXT: return %[[B]]
  return %b : !daphne.matrix<?, 1, f64>
}

// -----

// Truth values of unknown origin are a column from which the rows are selected that are not 0. Nothing says that they
// are as many as the rows of the frame, so that is checked.
// CHECK-LABEL: @foreignBits
func.func @foreignBits(%f: !daphne.frame<?, 1, ["a"], [si64]>, %bits: !daphne.matrix<?, 1, si64>) -> !daphne.frame<?, 1, ["a"], [si64]> {
  // CHECK: %[[P:.*]] = daphne.colSelectNeq %arg1, %{{.*}}
  // CHECK: %[[N:.*]] = daphne.numRows %arg1
  // CHECK: daphne.colProject %arg0, %[[P]], %[[N]]
  %g = daphne.filterRow %f, %bits : (!daphne.frame<?, 1, ["a"], [si64]>, !daphne.matrix<?, 1, si64>) -> !daphne.frame<?, 1, ["a"], [si64]>
  return %g : !daphne.frame<?, 1, ["a"], [si64]>
}

// -----

// Truth values that somebody wants to see are computed as well.
// CHECK-LABEL: @bitsUsedElsewhere
func.func @bitsUsedElsewhere(%f: !daphne.frame<?, 1, ["a"], [si64]>) -> (!daphne.frame<?, 1, ["a"], [si64]>, !daphne.matrix<?, 1, si64>) {
  %one = daphne.constant 1 : si64
  %a = daphne.cast %f {kind = 2 : i64, value = 11 : i64} : (!daphne.frame<?, 1, ["a"], [si64]>) -> !daphne.matrix<?, 1, si64>
  // CHECK: daphne.ewGt
  // CHECK: daphne.colSelectGt
  %bits = daphne.ewGt %a, %one : (!daphne.matrix<?, 1, si64>, si64) -> !daphne.matrix<?, 1, si64>
  %g = daphne.filterRow %f, %bits : (!daphne.frame<?, 1, ["a"], [si64]>, !daphne.matrix<?, 1, si64>) -> !daphne.frame<?, 1, ["a"], [si64]>
  return %g, %bits : !daphne.frame<?, 1, ["a"], [si64]>, !daphne.matrix<?, 1, si64>
}

// -----

// A matrix filtered by truth values of a matrix is nothing relational.
// CHECK-LABEL: @matrices
func.func @matrices(%x: !daphne.matrix<?, 1, f64>, %s: f64) -> f64 {
  // CHECK: daphne.ewGt
  // CHECK-NEXT: daphne.filterRow
  // CHECK-NEXT: daphne.sumAll
  %bits = daphne.ewGt %x, %s : (!daphne.matrix<?, 1, f64>, f64) -> !daphne.matrix<?, 1, f64>
  %y = daphne.filterRow %x, %bits : (!daphne.matrix<?, 1, f64>, !daphne.matrix<?, 1, f64>) -> !daphne.matrix<?, 1, f64>
  %sum = daphne.sumAll %y : (!daphne.matrix<?, 1, f64>) -> f64
  return %sum : f64
}

// -----

// A join gives two position lists; the key of one side and a sum of the other are fetched from the frames joined.
// CHECK-LABEL: @joinAndGroup
// CHECK-NOT: daphne.innerJoin
// CHECK-NOT: daphne.group
func.func @joinAndGroup(%l: !daphne.frame<?, 2, ["a", "b"], [si64, si64]>, %r: !daphne.frame<?, 2, ["k", "v"], [si64, f64]>) -> !daphne.frame<?, 3, ["b", "k", "SUM(v)"], [si64, si64, f64]> {
  %la = daphne.constant "a" : !daphne.str
  %lb = daphne.constant "b" : !daphne.str
  %lk = daphne.constant "k" : !daphne.str
  %lv = daphne.constant "v" : !daphne.str
  // CHECK: %[[J:.*]]:2 = daphne.colJoin
  %j = daphne.innerJoin %l, %r, %la, %lk : (!daphne.frame<?, 2, ["a", "b"], [si64, si64]>, !daphne.frame<?, 2, ["k", "v"], [si64, f64]>, !daphne.str, !daphne.str) -> !daphne.frame<?, 4, ["a", "b", "k", "v"], [si64, si64, si64, f64]>
  // CHECK-DAG: daphne.colProject %{{.*}}, %[[J]]#0 : (!daphne.matrix<?, 1, si64>,
  // CHECK-DAG: daphne.colProject %{{.*}}, %[[J]]#1 : (!daphne.matrix<?, 1, f64>,
  // CHECK: %[[G:.*]]:2 = daphne.colGroupFirst
  // CHECK: %[[H:.*]]:2 = daphne.colGroupNext %[[G]]#0, %[[G]]#1
  // CHECK: daphne.colProject %{{.*}}, %[[H]]#1
  // CHECK: daphne.colProject %{{.*}}, %[[H]]#1
  // CHECK: daphne.colSumGrp %{{.*}}, %[[H]]#0, %[[H]]#1
  // CHECK: daphne.createFrame
  %g = daphne.groupSum %j, %lb, %lk, %lv : (!daphne.frame<?, 4, ["a", "b", "k", "v"], [si64, si64, si64, f64]>, !daphne.str, !daphne.str, !daphne.str) -> !daphne.frame<?, 3, ["b", "k", "SUM(v)"], [si64, si64, f64]>
  return %g : !daphne.frame<?, 3, ["b", "k", "SUM(v)"], [si64, si64, f64]>
}

// -----

// Sums of masked cells and other aggregates have no columnar form.
// CHECK-LABEL: @otherGroups
func.func @otherGroups(%f: !daphne.frame<?, 2, ["a", "b"], [si64, si64]>) -> !daphne.frame<?, 2, ["a", "MAX(b)"], [si64, si64]> {
  %n = daphne.constant 1 : si64
  %la = daphne.constant "a" : !daphne.str
  %lb = daphne.constant "b" : !daphne.str
  %max = daphne.constant "MAX" : !daphne.str
  %none = daphne.constant "" : !daphne.str
  // CHECK: daphne.group %arg0
  %g = daphne.group %f, %n, %la, %max, %lb, %none : (!daphne.frame<?, 2, ["a", "b"], [si64, si64]>, si64, !daphne.str, !daphne.str, !daphne.str, !daphne.str) -> !daphne.frame<?, 2, ["a", "MAX(b)"], [si64, si64]>
  return %g : !daphne.frame<?, 2, ["a", "MAX(b)"], [si64, si64]>
}
