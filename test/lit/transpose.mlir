// RUN: daphne-opt --pass transpose %s | FileCheck %s

// CHECK-LABEL: @twice
func.func @twice(%x: !daphne.matrix<?, ?, f64>, %s: !daphne.matrix<1, 1, si64>)
    -> (!daphne.matrix<?, ?, f64>, !daphne.matrix<1, 1, si64>) {
  // CHECK-NEXT: return %arg0, %arg1
  %a = daphne.transpose %x : (!daphne.matrix<?, ?, f64>) -> !daphne.matrix<?, ?, f64>
  %b = daphne.transpose %a : (!daphne.matrix<?, ?, f64>) -> !daphne.matrix<?, ?, f64>
  %c = daphne.transpose %s : (!daphne.matrix<1, 1, si64>) -> !daphne.matrix<1, 1, si64>
  return %b, %c : !daphne.matrix<?, ?, f64>, !daphne.matrix<1, 1, si64>
}

// -----

// Negative: a value that may be no matrix; a hint.
// CHECK-LABEL: @twiceUnknown
func.func @twiceUnknown(%u: !daphne.unknown, %x: !daphne.matrix<?, ?, f64>)
    -> (!daphne.matrix<?, ?, !daphne.unknown>, !daphne.matrix<?, ?, f64>) {
  // CHECK-COUNT-4: daphne.transpose
  %a = daphne.transpose %u : (!daphne.unknown) -> !daphne.matrix<?, ?, !daphne.unknown>
  %b = daphne.transpose %a : (!daphne.matrix<?, ?, !daphne.unknown>) -> !daphne.matrix<?, ?, !daphne.unknown>
  %c = daphne.transpose %x {kernel_hint = "k"} : (!daphne.matrix<?, ?, f64>) -> !daphne.matrix<?, ?, f64>
  %d = daphne.transpose %c : (!daphne.matrix<?, ?, f64>) -> !daphne.matrix<?, ?, f64>
  return %b, %d : !daphne.matrix<?, ?, !daphne.unknown>, !daphne.matrix<?, ?, f64>
}

// -----

// Flags instead of transposes, also on both sides and on top of flags.
// CHECK-LABEL: @products
func.func @products(%a: !daphne.matrix<3, 2, f64>, %b: !daphne.matrix<3, 4, f64>, %c: !daphne.matrix<4, 3, f64>)
    -> (!daphne.matrix<2, 4, f64>, !daphne.matrix<2, 4, f64>, !daphne.matrix<3, 3, f64>) {
  // CHECK-NOT: daphne.transpose
  // CHECK: daphne.matMul %arg0, %arg1, %[[T1:.*]], %[[F1:.*]] :
  // CHECK: daphne.matMul %arg0, %arg2, %[[T2:.*]], %[[T3:.*]] :
  // CHECK: daphne.matMul %arg1, %arg2, %[[F2:.*]], %[[F3:.*]] :
  %no = daphne.constant false : i1
  %yes = daphne.constant true : i1
  %at = daphne.transpose %a : (!daphne.matrix<3, 2, f64>) -> !daphne.matrix<2, 3, f64>
  %p = daphne.matMul %at, %b, %no, %no : (!daphne.matrix<2, 3, f64>, !daphne.matrix<3, 4, f64>, i1, i1) -> !daphne.matrix<2, 4, f64>
  %ct = daphne.transpose %c : (!daphne.matrix<4, 3, f64>) -> !daphne.matrix<3, 4, f64>
  %q = daphne.matMul %at, %ct, %no, %no : (!daphne.matrix<2, 3, f64>, !daphne.matrix<3, 4, f64>, i1, i1) -> !daphne.matrix<2, 4, f64>
  %r = daphne.matMul %b, %ct, %no, %yes : (!daphne.matrix<3, 4, f64>, !daphne.matrix<3, 4, f64>, i1, i1) -> !daphne.matrix<3, 3, f64>
  return %p, %q, %r : !daphne.matrix<2, 4, f64>, !daphne.matrix<2, 4, f64>, !daphne.matrix<3, 3, f64>
}

// -----

// Negative: the flag is not constant; the product has a hint.
// CHECK-LABEL: @openProducts
func.func @openProducts(%a: !daphne.matrix<3, 3, f64>, %f: i1) -> (!daphne.matrix<3, 3, f64>, !daphne.matrix<3, 3, f64>) {
  // CHECK: daphne.transpose
  // CHECK: daphne.matMul
  // CHECK: daphne.matMul
  %no = daphne.constant false : i1
  %at = daphne.transpose %a : (!daphne.matrix<3, 3, f64>) -> !daphne.matrix<3, 3, f64>
  %p = daphne.matMul %at, %a, %no, %f : (!daphne.matrix<3, 3, f64>, !daphne.matrix<3, 3, f64>, i1, i1) -> !daphne.matrix<3, 3, f64>
  %q = daphne.matMul %at, %a, %no, %no {kernel_hint = "k"} : (!daphne.matrix<3, 3, f64>, !daphne.matrix<3, 3, f64>, i1, i1) -> !daphne.matrix<3, 3, f64>
  return %p, %q : !daphne.matrix<3, 3, f64>, !daphne.matrix<3, 3, f64>
}

// -----

// t(X) @ X, whatever the shape.
// CHECK-LABEL: @gram
func.func @gram(%x: !daphne.matrix<?, ?, f64>) -> (!daphne.matrix<?, ?, f64>, !daphne.matrix<?, ?, f64>) {
  // CHECK: %[[S:.*]] = daphne.syrk %arg0
  // CHECK-NOT: transpose
  %no = daphne.constant false : i1
  %t = daphne.transpose %x : (!daphne.matrix<?, ?, f64>) -> !daphne.matrix<?, ?, f64>
  %p = daphne.matMul %t, %x, %no, %no : (!daphne.matrix<?, ?, f64>, !daphne.matrix<?, ?, f64>, i1, i1) -> !daphne.matrix<?, ?, f64>
  %s = daphne.transpose %p : (!daphne.matrix<?, ?, f64>) -> !daphne.matrix<?, ?, f64>
  return %p, %s : !daphne.matrix<?, ?, f64>, !daphne.matrix<?, ?, f64>
}

// -----

// Negative: X @ t(X) and t(X) @ Y.
// CHECK-LABEL: @notGram
func.func @notGram(%x: !daphne.matrix<?, ?, f64>, %y: !daphne.matrix<?, ?, f64>)
    -> (!daphne.matrix<?, ?, f64>, !daphne.matrix<?, ?, f64>) {
  // CHECK-NOT: syrk
  // CHECK-COUNT-2: daphne.matMul
  %no = daphne.constant false : i1
  %t = daphne.transpose %x : (!daphne.matrix<?, ?, f64>) -> !daphne.matrix<?, ?, f64>
  %p = daphne.matMul %x, %t, %no, %no : (!daphne.matrix<?, ?, f64>, !daphne.matrix<?, ?, f64>, i1, i1) -> !daphne.matrix<?, ?, f64>
  %q = daphne.matMul %t, %y, %no, %no : (!daphne.matrix<?, ?, f64>, !daphne.matrix<?, ?, f64>, i1, i1) -> !daphne.matrix<?, ?, f64>
  return %p, %q : !daphne.matrix<?, ?, f64>, !daphne.matrix<?, ?, f64>
}

// -----

// t(A @ B) = t(B) @ t(A), if A @ B is not needed itself and cannot fail.
// CHECK-LABEL: @ofProduct
func.func @ofProduct(%a: !daphne.matrix<2, 3, f64>, %b: !daphne.matrix<3, 4, f64>) -> !daphne.matrix<4, 2, f64> {
  // CHECK-NOT: transpose
  // CHECK-DAG: %[[L:.*]] = daphne.constant true
  // CHECK-DAG: %[[R:.*]] = daphne.constant true
  // CHECK: daphne.matMul %arg1, %arg0, %{{.*}}, %{{.*}} : {{.*}} -> !daphne.matrix<4, 2, f64>
  %no = daphne.constant false : i1
  %p = daphne.matMul %a, %b, %no, %no : (!daphne.matrix<2, 3, f64>, !daphne.matrix<3, 4, f64>, i1, i1) -> !daphne.matrix<2, 4, f64>
  %t = daphne.transpose %p : (!daphne.matrix<2, 4, f64>) -> !daphne.matrix<4, 2, f64>
  return %t : !daphne.matrix<4, 2, f64>
}

// -----

// Negative: the product is used elsewhere, or may fail (its message names the shapes).
// CHECK-LABEL: @ofSharedProduct
func.func @ofSharedProduct(%a: !daphne.matrix<2, 2, f64>, %x: !daphne.matrix<?, ?, f64>)
    -> (!daphne.matrix<2, 2, f64>, !daphne.matrix<2, 2, f64>, !daphne.matrix<?, ?, f64>) {
  // CHECK-COUNT-2: daphne.transpose
  %no = daphne.constant false : i1
  %p = daphne.matMul %a, %a, %no, %no : (!daphne.matrix<2, 2, f64>, !daphne.matrix<2, 2, f64>, i1, i1) -> !daphne.matrix<2, 2, f64>
  %t = daphne.transpose %p : (!daphne.matrix<2, 2, f64>) -> !daphne.matrix<2, 2, f64>
  %q = daphne.matMul %x, %x, %no, %no : (!daphne.matrix<?, ?, f64>, !daphne.matrix<?, ?, f64>, i1, i1) -> !daphne.matrix<?, ?, f64>
  %u = daphne.transpose %q : (!daphne.matrix<?, ?, f64>) -> !daphne.matrix<?, ?, f64>
  return %p, %t, %u : !daphne.matrix<2, 2, f64>, !daphne.matrix<2, 2, f64>, !daphne.matrix<?, ?, f64>
}

// -----

// CHECK-LABEL: @aggregates
func.func @aggregates(%x: !daphne.matrix<?, ?, f64>, %y: !daphne.matrix<3, 2, si64>)
    -> (f64, !daphne.matrix<?, 1, f64>, !daphne.matrix<1, 3, si64>, !daphne.matrix<2, 1, index>) {
  // CHECK: daphne.sumAll %arg0
  // CHECK: %[[C:.*]] = daphne.sumCol %arg0
  // CHECK: daphne.transpose %[[C]] : (!daphne.matrix<1, ?, f64>)
  // CHECK: %[[M:.*]] = daphne.maxRow %arg1
  // CHECK: daphne.transpose %[[M]]
  // CHECK: %[[I:.*]] = daphne.idxminCol %arg1
  // CHECK: daphne.transpose %[[I]]
  // CHECK-NOT: transpose
  %t1 = daphne.transpose %x : (!daphne.matrix<?, ?, f64>) -> !daphne.matrix<?, ?, f64>
  %s = daphne.sumAll %t1 : (!daphne.matrix<?, ?, f64>) -> f64
  %t2 = daphne.transpose %x : (!daphne.matrix<?, ?, f64>) -> !daphne.matrix<?, ?, f64>
  %r = daphne.sumRow %t2 : (!daphne.matrix<?, ?, f64>) -> !daphne.matrix<?, 1, f64>
  %t3 = daphne.transpose %y : (!daphne.matrix<3, 2, si64>) -> !daphne.matrix<2, 3, si64>
  %m = daphne.maxCol %t3 : (!daphne.matrix<2, 3, si64>) -> !daphne.matrix<1, 3, si64>
  %t4 = daphne.transpose %y : (!daphne.matrix<3, 2, si64>) -> !daphne.matrix<2, 3, si64>
  %i = daphne.idxminRow %t4 : (!daphne.matrix<2, 3, si64>) -> !daphne.matrix<2, 1, index>
  return %s, %r, %m, %i : f64, !daphne.matrix<?, 1, f64>, !daphne.matrix<1, 3, si64>, !daphne.matrix<2, 1, index>
}

// -----

// Negative: extremes tell 0.0 from -0.0; a transpose needed anyway.
// CHECK-LABEL: @aggregatesThatStay
func.func @aggregatesThatStay(%x: !daphne.matrix<?, ?, f64>)
    -> (f64, !daphne.matrix<?, ?, f64>, !daphne.matrix<?, 1, f64>) {
  // CHECK: %[[T1:.*]] = daphne.transpose
  // CHECK: daphne.minAll %[[T1]]
  // CHECK: %[[T2:.*]] = daphne.transpose
  // CHECK: daphne.sumRow %[[T2]]
  %t1 = daphne.transpose %x : (!daphne.matrix<?, ?, f64>) -> !daphne.matrix<?, ?, f64>
  %m = daphne.minAll %t1 : (!daphne.matrix<?, ?, f64>) -> f64
  %t2 = daphne.transpose %x : (!daphne.matrix<?, ?, f64>) -> !daphne.matrix<?, ?, f64>
  %r = daphne.sumRow %t2 : (!daphne.matrix<?, ?, f64>) -> !daphne.matrix<?, 1, f64>
  return %m, %t2, %r : f64, !daphne.matrix<?, ?, f64>, !daphne.matrix<?, 1, f64>
}

// -----

// CHECK-LABEL: @ofFill
func.func @ofFill(%v: f64) -> !daphne.matrix<3, 2, f64> {
  // CHECK-DAG: %[[R:.*]] = daphne.constant 2 : index
  // CHECK-DAG: %[[C:.*]] = daphne.constant 3 : index
  // CHECK: daphne.fill %arg0, %[[C]], %[[R]]
  // CHECK-NOT: transpose
  %r = daphne.constant 2 : index
  %c = daphne.constant 3 : index
  %x = daphne.fill %v, %r, %c : (f64, index, index) -> !daphne.matrix<2, 3, f64>
  %t = daphne.transpose %x : (!daphne.matrix<2, 3, f64>) -> !daphne.matrix<3, 2, f64>
  return %t : !daphne.matrix<3, 2, f64>
}

// -----

// Negative: sizes that may be negative.
// CHECK-LABEL: @ofOpenFill
func.func @ofOpenFill(%v: f64, %n: si64) -> !daphne.matrix<?, ?, f64> {
  // CHECK: daphne.transpose
  %x = daphne.fill %v, %n, %n : (f64, si64, si64) -> !daphne.matrix<?, ?, f64>
  %t = daphne.transpose %x : (!daphne.matrix<?, ?, f64>) -> !daphne.matrix<?, ?, f64>
  return %t : !daphne.matrix<?, ?, f64>
}
