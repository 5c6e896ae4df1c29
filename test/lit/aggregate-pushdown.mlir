// RUN: daphne-opt --pass aggregate-pushdown %s | FileCheck %s

// CHECK-LABEL: @sumOfProduct
func.func @sumOfProduct(%a: !daphne.matrix<10, 20, f64>, %b: !daphne.matrix<20, 30, f64>) -> f64 {
  // CHECK: %[[C:.*]] = daphne.sumCol %arg0
  // CHECK: %[[R:.*]] = daphne.sumRow %arg1
  // CHECK: %[[P:.*]] = daphne.matMul %[[C]], %[[R]], {{.*}} -> !daphne.matrix<1, 1, f64>
  // CHECK: daphne.sumAll %[[P]]
  // CHECK-NOT: matMul
  %no = daphne.constant false : i1
  %p = daphne.matMul %a, %b, %no, %no : (!daphne.matrix<10, 20, f64>, !daphne.matrix<20, 30, f64>, i1, i1) -> !daphne.matrix<10, 30, f64>
  %s = daphne.sumAll %p : (!daphne.matrix<10, 30, f64>) -> f64
  return %s : f64
}

// -----

// Transposed factors swap the sums.
// CHECK-LABEL: @sumOfTransposed
func.func @sumOfTransposed(%a: !daphne.matrix<20, 10, si64>, %b: !daphne.matrix<30, 20, si64>) -> si64 {
  // CHECK: %[[C:.*]] = daphne.sumRow %arg0
  // CHECK: %[[R:.*]] = daphne.sumCol %arg1
  // CHECK: daphne.matMul %[[C]], %[[R]], {{.*}} : (!daphne.matrix<20, 1, si64>, !daphne.matrix<1, 20, si64>, i1, i1) -> !daphne.matrix<1, 1, si64>
  %yes = daphne.constant true : i1
  %p = daphne.matMul %a, %b, %yes, %yes : (!daphne.matrix<20, 10, si64>, !daphne.matrix<30, 20, si64>, i1, i1) -> !daphne.matrix<10, 30, si64>
  %s = daphne.sumAll %p : (!daphne.matrix<10, 30, si64>) -> si64
  return %s : si64
}

// -----

// CHECK-LABEL: @sumsOfLines
func.func @sumsOfLines(%a: !daphne.matrix<10, 20, f64>, %b: !daphne.matrix<20, 30, f64>)
    -> (!daphne.matrix<10, 1, f64>, !daphne.matrix<1, 30, f64>) {
  // CHECK: %[[R:.*]] = daphne.sumRow %arg1
  // CHECK: daphne.matMul %arg0, %[[R]], {{.*}} -> !daphne.matrix<10, 1, f64>
  // CHECK: %[[C:.*]] = daphne.sumCol %arg0
  // CHECK: daphne.matMul %[[C]], %arg1, {{.*}} -> !daphne.matrix<1, 30, f64>
  %no = daphne.constant false : i1
  %p = daphne.matMul %a, %b, %no, %no : (!daphne.matrix<10, 20, f64>, !daphne.matrix<20, 30, f64>, i1, i1) -> !daphne.matrix<10, 30, f64>
  %r = daphne.sumRow %p : (!daphne.matrix<10, 30, f64>) -> !daphne.matrix<10, 1, f64>
  %q = daphne.matMul %a, %b, %no, %no : (!daphne.matrix<10, 20, f64>, !daphne.matrix<20, 30, f64>, i1, i1) -> !daphne.matrix<10, 30, f64>
  %c = daphne.sumCol %q : (!daphne.matrix<10, 30, f64>) -> !daphne.matrix<1, 30, f64>
  return %r, %c : !daphne.matrix<10, 1, f64>, !daphne.matrix<1, 30, f64>
}

// -----

// Negative: shapes unknown (the product may fail), the product used twice, factors of different types, a hint, a
// product outside the loop that sums it.
// CHECK-LABEL: @productsThatStay
func.func @productsThatStay(%x: !daphne.matrix<?, ?, f64>, %a: !daphne.matrix<5, 5, f64>, %i: !daphne.matrix<5, 5, si64>,
                            %n: index) -> (f64, f64, !daphne.matrix<5, 5, f64>, f64, f64, f64) {
  // CHECK-COUNT-5: daphne.matMul
  // CHECK-NOT: matMul
  %no = daphne.constant false : i1
  %p1 = daphne.matMul %x, %x, %no, %no : (!daphne.matrix<?, ?, f64>, !daphne.matrix<?, ?, f64>, i1, i1) -> !daphne.matrix<?, ?, f64>
  %s1 = daphne.sumAll %p1 : (!daphne.matrix<?, ?, f64>) -> f64
  %p2 = daphne.matMul %a, %a, %no, %no : (!daphne.matrix<5, 5, f64>, !daphne.matrix<5, 5, f64>, i1, i1) -> !daphne.matrix<5, 5, f64>
  %s2 = daphne.sumAll %p2 : (!daphne.matrix<5, 5, f64>) -> f64
  %p3 = daphne.matMul %i, %a, %no, %no : (!daphne.matrix<5, 5, si64>, !daphne.matrix<5, 5, f64>, i1, i1) -> !daphne.matrix<5, 5, f64>
  %s3 = daphne.sumAll %p3 : (!daphne.matrix<5, 5, f64>) -> f64
  %p4 = daphne.matMul %a, %a, %no, %no {kernel_hint = "k"} : (!daphne.matrix<5, 5, f64>, !daphne.matrix<5, 5, f64>, i1, i1) -> !daphne.matrix<5, 5, f64>
  %s4 = daphne.sumAll %p4 : (!daphne.matrix<5, 5, f64>) -> f64
  %zero = daphne.constant 0 : index
  %one = daphne.constant 1 : index
  %f = daphne.constant 0.0 : f64
  %p5 = daphne.matMul %a, %a, %no, %no : (!daphne.matrix<5, 5, f64>, !daphne.matrix<5, 5, f64>, i1, i1) -> !daphne.matrix<5, 5, f64>
  %s5 = scf.for %k = %zero to %n step %one iter_args(%acc = %f) -> (f64) {
    %s = daphne.sumAll %p5 : (!daphne.matrix<5, 5, f64>) -> f64
    scf.yield %s : f64
  }
  return %s1, %s2, %p2, %s3, %s4, %s5 : f64, f64, !daphne.matrix<5, 5, f64>, f64, f64, f64
}

// -----

// CHECK-LABEL: @trace
func.func @trace(%a: !daphne.matrix<5, 7, f64>, %b: !daphne.matrix<7, 5, f64>, %c: !daphne.matrix<5, 7, f64>) -> (f64, f64) {
  // CHECK: %[[T:.*]] = daphne.transpose %arg1
  // CHECK: %[[M:.*]] = daphne.ewMul %arg0, %[[T]]
  // CHECK: daphne.sumAll %[[M]]
  // CHECK: %[[N:.*]] = daphne.ewMul %arg0, %arg2
  // CHECK: daphne.sumAll %[[N]]
  // CHECK-NOT: diagVector
  %no = daphne.constant false : i1
  %yes = daphne.constant true : i1
  %p = daphne.matMul %a, %b, %no, %no : (!daphne.matrix<5, 7, f64>, !daphne.matrix<7, 5, f64>, i1, i1) -> !daphne.matrix<5, 5, f64>
  %d = daphne.diagVector %p : (!daphne.matrix<5, 5, f64>) -> !daphne.matrix<5, 1, f64>
  %s = daphne.sumAll %d : (!daphne.matrix<5, 1, f64>) -> f64
  %q = daphne.matMul %a, %c, %no, %yes : (!daphne.matrix<5, 7, f64>, !daphne.matrix<5, 7, f64>, i1, i1) -> !daphne.matrix<5, 5, f64>
  %e = daphne.diagVector %q : (!daphne.matrix<5, 5, f64>) -> !daphne.matrix<5, 1, f64>
  %t = daphne.sumAll %e : (!daphne.matrix<5, 1, f64>) -> f64
  return %s, %t : f64, f64
}

// -----

// Negative: the diagonal of something else.
// CHECK-LABEL: @traceOfMatrix
func.func @traceOfMatrix(%a: !daphne.matrix<5, 5, f64>) -> f64 {
  // CHECK: daphne.diagVector
  %d = daphne.diagVector %a : (!daphne.matrix<5, 5, f64>) -> !daphne.matrix<5, 1, f64>
  %s = daphne.sumAll %d : (!daphne.matrix<5, 1, f64>) -> f64
  return %s : f64
}

// -----

// CHECK-LABEL: @scaled
func.func @scaled(%x: !daphne.matrix<?, ?, si64>, %k: si64) -> si64 {
  // CHECK: %[[S:.*]] = daphne.sumAll %arg0
  // CHECK: daphne.ewMul %[[S]], %arg1 : (si64, si64) -> si64
  %p = daphne.ewMul %k, %x : (si64, !daphne.matrix<?, ?, si64>) -> !daphne.matrix<?, ?, si64>
  %s = daphne.sumAll %p : (!daphne.matrix<?, ?, si64>) -> si64
  return %s : si64
}

// -----

// Negative: floats may overflow in another order; a wider scalar.
// CHECK-LABEL: @scaledFloats
func.func @scaledFloats(%x: !daphne.matrix<?, ?, f64>, %k: f64, %y: !daphne.matrix<?, ?, si32>, %l: si64) -> (f64, si64) {
  // CHECK: daphne.ewMul %arg1, %arg0
  // CHECK: daphne.ewMul %arg2, %arg3
  %p = daphne.ewMul %k, %x : (f64, !daphne.matrix<?, ?, f64>) -> !daphne.matrix<?, ?, f64>
  %s = daphne.sumAll %p : (!daphne.matrix<?, ?, f64>) -> f64
  %q = daphne.ewMul %y, %l : (!daphne.matrix<?, ?, si32>, si64) -> !daphne.matrix<?, ?, si64>
  %t = daphne.sumAll %q : (!daphne.matrix<?, ?, si64>) -> si64
  return %s, %t : f64, si64
}

// -----

// CHECK-LABEL: @sumOfSums
func.func @sumOfSums(%x: !daphne.matrix<?, ?, f64>) -> f64 {
  // CHECK-NEXT: daphne.sumAll %arg0
  %p = daphne.sumCol %x : (!daphne.matrix<?, ?, f64>) -> !daphne.matrix<1, ?, f64>
  %s = daphne.sumAll %p : (!daphne.matrix<1, ?, f64>) -> f64
  return %s : f64
}

// -----

// Negative: the sum of something else.
// CHECK-LABEL: @sumOfMeans
func.func @sumOfMeans(%x: !daphne.matrix<?, ?, f64>) -> f64 {
  // CHECK-NEXT: daphne.meanCol %arg0
  %p = daphne.meanCol %x : (!daphne.matrix<?, ?, f64>) -> !daphne.matrix<1, ?, f64>
  %s = daphne.sumAll %p : (!daphne.matrix<1, ?, f64>) -> f64
  return %s : f64
}
