// RUN: daphne-opt --pass references %s | FileCheck %s

// The last use takes the operand over, unless someone else owns it.
// CHECK-LABEL: @chain
func.func @chain(%x: !daphne.matrix<?, ?, f64>, %s: f64) -> !daphne.matrix<?, ?, f64> {
  // CHECK-NEXT: daphne.ewAdd %arg0, %arg1 {consume = 1 : i64}
  // CHECK-NEXT: daphne.ewMul %{{.*}}, %arg1 {consume = 1 : i64}
  // CHECK-NEXT: return
  %a = daphne.ewAdd %x, %s : (!daphne.matrix<?, ?, f64>, f64) -> !daphne.matrix<?, ?, f64>
  %b = daphne.ewMul %a, %s : (!daphne.matrix<?, ?, f64>, f64) -> !daphne.matrix<?, ?, f64>
  return %b : !daphne.matrix<?, ?, f64>
}

// -----

// Negative: a value used later is not taken over, but released after its last use.
// CHECK-LABEL: @usedLater
func.func @usedLater(%x: !daphne.matrix<?, ?, f64>, %s: f64) -> (!daphne.matrix<?, ?, f64>, f64) {
  // CHECK-NEXT: daphne.ewAdd %arg0, %arg1 :
  // CHECK-NEXT: daphne.sumAll %arg0
  // CHECK-NEXT: daphne.release %arg0
  %a = daphne.ewAdd %x, %s : (!daphne.matrix<?, ?, f64>, f64) -> !daphne.matrix<?, ?, f64>
  %b = daphne.sumAll %x : (!daphne.matrix<?, ?, f64>) -> f64
  return %a, %b : !daphne.matrix<?, ?, f64>, f64
}

// -----

// A value yielded twice needs a second reference; one that nobody uses is released at once.
// CHECK-LABEL: @twice
func.func @twice(%x: !daphne.matrix<?, ?, f64>, %y: !daphne.matrix<?, ?, f64>)
    -> (!daphne.matrix<?, ?, f64>, !daphne.matrix<?, ?, f64>) {
  // CHECK-NEXT: daphne.release %arg1
  // CHECK-NEXT: daphne.retain %arg0
  // CHECK-NEXT: return %arg0, %arg0
  return %x, %x : !daphne.matrix<?, ?, f64>, !daphne.matrix<?, ?, f64>
}
