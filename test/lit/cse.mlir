// RUN: daphne-opt --pass cse %s | FileCheck %s

// Equal constants and equal operations.
// CHECK-LABEL: @equal
func.func @equal(%x: !daphne.matrix<?, ?, f64>) -> (!daphne.matrix<?, ?, f64>, !daphne.matrix<?, ?, f64>) {
  // CHECK-COUNT-1: daphne.constant
  // CHECK-NEXT: %[[R:.*]] = daphne.ewSub
  // CHECK-NEXT: return %[[R]], %[[R]]
  %a = daphne.constant 2.0 : f64
  %b = daphne.constant 2.0 : f64
  %p = daphne.ewSub %x, %a : (!daphne.matrix<?, ?, f64>, f64) -> !daphne.matrix<?, ?, f64>
  %q = daphne.ewSub %x, %b : (!daphne.matrix<?, ?, f64>, f64) -> !daphne.matrix<?, ?, f64>
  return %p, %q : !daphne.matrix<?, ?, f64>, !daphne.matrix<?, ?, f64>
}

// -----

// Negative: equal numbers of different types, 0.0 and -0.0.
// CHECK-LABEL: @differentConstants
func.func @differentConstants() -> (f64, f32, f64, f64) {
  // CHECK-COUNT-4: daphne.constant
  %a = daphne.constant 2.0 : f64
  %b = daphne.constant 2.0 : f32
  %c = daphne.constant 0.0 : f64
  %d = daphne.constant -0.0 : f64
  return %a, %b, %c, %d : f64, f32, f64, f64
}

// -----

// Operands of commutative operations in either order; '+' of numbers is one of them.
// CHECK-LABEL: @swapped
func.func @swapped(%x: f64, %y: f64) -> (f64, f64, f64, f64) {
  // CHECK: %[[M:.*]] = daphne.ewMul
  // CHECK-NEXT: %[[A:.*]] = daphne.ewAdd
  // CHECK-NEXT: return %[[M]], %[[M]], %[[A]], %[[A]]
  %p = daphne.ewMul %x, %y : (f64, f64) -> f64
  %q = daphne.ewMul %y, %x : (f64, f64) -> f64
  %r = daphne.ewAdd %x, %y : (f64, f64) -> f64
  %s = daphne.ewAdd %y, %x : (f64, f64) -> f64
  return %p, %q, %r, %s : f64, f64, f64, f64
}

// -----

// Negative: differences do not commute, nor does '+' of values that may be strings.
// CHECK-LABEL: @notSwapped
func.func @notSwapped(%x: f64, %y: f64, %u: !daphne.unknown, %v: !daphne.unknown)
    -> (f64, f64, !daphne.unknown, !daphne.unknown) {
  // CHECK-COUNT-2: daphne.ewSub
  // CHECK-COUNT-2: daphne.ewAdd
  %p = daphne.ewSub %x, %y : (f64, f64) -> f64
  %q = daphne.ewSub %y, %x : (f64, f64) -> f64
  %r = daphne.ewAdd %u, %v : (!daphne.unknown, !daphne.unknown) -> !daphne.unknown
  %s = daphne.ewAdd %v, %u : (!daphne.unknown, !daphne.unknown) -> !daphne.unknown
  return %p, %q, %r, %s : f64, f64, !daphne.unknown, !daphne.unknown
}

// -----

// What dominates may fail: it would have failed first.
// CHECK-LABEL: @mayFail
func.func @mayFail(%a: si64, %b: si64, %c: i1) -> (si64, si64) {
  // CHECK: %[[Q:.*]] = daphne.ewDiv
  // CHECK: scf.if
  // CHECK-NEXT: scf.yield %[[Q]]
  // CHECK-NOT: daphne.ewDiv
  %q = daphne.ewDiv %a, %b : (si64, si64) -> si64
  %r = scf.if %c -> si64 {
    %s = daphne.ewDiv %a, %b : (si64, si64) -> si64
    scf.yield %s : si64
  } else {
    scf.yield %a : si64
  }
  return %q, %r : si64, si64
}

// -----

// Negative: an operation in a branch dominates neither the other branch nor what follows.
// CHECK-LABEL: @siblings
func.func @siblings(%a: si64, %b: si64, %c: i1) -> (si64, si64) {
  // CHECK-COUNT-3: daphne.ewMul
  %r = scf.if %c -> si64 {
    %s = daphne.ewMul %a, %b : (si64, si64) -> si64
    scf.yield %s : si64
  } else {
    %s = daphne.ewMul %a, %b : (si64, si64) -> si64
    scf.yield %s : si64
  }
  %q = daphne.ewMul %a, %b : (si64, si64) -> si64
  return %q, %r : si64, si64
}

// -----

// Negative: effects (random numbers) and kernel hints.
// CHECK-LABEL: @effects
func.func @effects(%n: index, %a: f64, %s: si64) -> (!daphne.matrix<?, ?, f64>, !daphne.matrix<?, ?, f64>, f64, f64) {
  // CHECK-COUNT-2: daphne.randMatrix
  // CHECK-COUNT-2: daphne.ewAdd
  %x = daphne.randMatrix %n, %n, %a, %a, %a, %s : (index, index, f64, f64, f64, si64) -> !daphne.matrix<?, ?, f64>
  %y = daphne.randMatrix %n, %n, %a, %a, %a, %s : (index, index, f64, f64, f64, si64) -> !daphne.matrix<?, ?, f64>
  %p = daphne.ewAdd %a, %a {kernel_hint = "k"} : (f64, f64) -> f64
  %q = daphne.ewAdd %a, %a {kernel_hint = "k"} : (f64, f64) -> f64
  return %x, %y, %p, %q : !daphne.matrix<?, ?, f64>, !daphne.matrix<?, ?, f64>, f64, f64
}

// -----

// Negative: casts to different types have equal operands only.
// CHECK-LABEL: @casts
func.func @casts(%a: si64) -> (f64, f32, f64) {
  // CHECK-COUNT-2: daphne.cast
  // CHECK-NOT: daphne.cast
  %x = daphne.cast %a {kind = 1 : i64, value = 9 : i64} : (si64) -> f64
  %y = daphne.cast %a {kind = 1 : i64, value = 8 : i64} : (si64) -> f32
  %z = daphne.cast %a {kind = 1 : i64, value = 9 : i64} : (si64) -> f64
  return %x, %y, %z : f64, f32, f64
}
