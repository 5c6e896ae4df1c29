// RUN: daphne-opt --pass algebra %s | FileCheck %s

// CHECK-LABEL: @timesOne
func.func @timesOne(%a: f64, %x: !daphne.matrix<?, ?, f64>, %i: si64)
    -> (f64, f64, !daphne.matrix<?, ?, f64>, !daphne.matrix<?, ?, f64>, si64) {
  // CHECK-NEXT: return %arg0, %arg0, %arg1, %arg1, %arg2
  %one = daphne.constant 1.0 : f64
  %n = daphne.constant 1 : si64
  %p = daphne.ewMul %a, %one : (f64, f64) -> f64
  %q = daphne.ewDiv %a, %n : (f64, si64) -> f64
  %r = daphne.ewMul %n, %x : (si64, !daphne.matrix<?, ?, f64>) -> !daphne.matrix<?, ?, f64>
  %s = daphne.ewDiv %x, %one : (!daphne.matrix<?, ?, f64>, f64) -> !daphne.matrix<?, ?, f64>
  %t = daphne.ewDiv %i, %n : (si64, si64) -> si64
  return %p, %q, %r, %s, %t : f64, f64, !daphne.matrix<?, ?, f64>, !daphne.matrix<?, ?, f64>, si64
}

// -----

// Negative: the product has another type than the operand; frames and unknown values.
// CHECK-LABEL: @timesOneConverts
func.func @timesOneConverts(%i: si64, %u: !daphne.unknown, %f: !daphne.frame<?, ?>)
    -> (f64, !daphne.unknown, !daphne.frame<?, ?>) {
  // CHECK-COUNT-3: daphne.ewMul
  %one = daphne.constant 1.0 : f64
  %p = daphne.ewMul %i, %one : (si64, f64) -> f64
  %q = daphne.ewMul %u, %one : (!daphne.unknown, f64) -> !daphne.unknown
  %r = daphne.ewMul %f, %one : (!daphne.frame<?, ?>, f64) -> !daphne.frame<?, ?>
  return %p, %q, %r : f64, !daphne.unknown, !daphne.frame<?, ?>
}

// -----

// CHECK-LABEL: @plusZero
func.func @plusZero(%a: f64, %i: si64, %x: !daphne.matrix<2, 2, si64>)
    -> (si64, si64, f64, f64, !daphne.matrix<2, 2, si64>) {
  // CHECK-NEXT: return %arg1, %arg1, %arg0, %arg0, %arg2
  %zero = daphne.constant 0 : si64
  %pz = daphne.constant 0.0 : f64
  %nz = daphne.constant -0.0 : f64
  %p = daphne.ewAdd %i, %zero : (si64, si64) -> si64
  %q = daphne.ewAdd %zero, %i : (si64, si64) -> si64
  %r = daphne.ewSub %a, %pz : (f64, f64) -> f64
  %s = daphne.ewAdd %a, %nz : (f64, f64) -> f64
  %t = daphne.ewSub %x, %zero : (!daphne.matrix<2, 2, si64>, si64) -> !daphne.matrix<2, 2, si64>
  return %p, %q, %r, %s, %t : si64, si64, f64, f64, !daphne.matrix<2, 2, si64>
}

// -----

// Negative: -0.0 + 0.0 is 0.0, and -0.0 - -0.0 too.
// CHECK-LABEL: @plusZeroOfFloats
func.func @plusZeroOfFloats(%a: f64) -> (f64, f64, f64) {
  // CHECK: daphne.ewAdd
  // CHECK: daphne.ewAdd
  // CHECK: daphne.ewSub
  %pz = daphne.constant 0.0 : f64
  %iz = daphne.constant 0 : si64
  %nz = daphne.constant -0.0 : f64
  %p = daphne.ewAdd %a, %pz : (f64, f64) -> f64
  %q = daphne.ewAdd %a, %iz : (f64, si64) -> f64
  %r = daphne.ewSub %a, %nz : (f64, f64) -> f64
  return %p, %q, %r : f64, f64, f64
}

// -----

// CHECK-LABEL: @integersThatVanish
func.func @integersThatVanish(%i: si64, %x: !daphne.matrix<2, 3, si64>)
    -> (si64, si64, !daphne.matrix<2, 3, si64>) {
  // CHECK: %[[Z:.*]] = daphne.constant 0 : si64
  // CHECK: %[[F:.*]] = daphne.fill
  // CHECK: return %{{.*}}, %{{.*}}, %[[F]]
  // CHECK-NOT: ewMul
  %zero = daphne.constant 0 : si64
  %p = daphne.ewSub %i, %i : (si64, si64) -> si64
  %q = daphne.ewMul %zero, %i : (si64, si64) -> si64
  %r = daphne.ewSub %x, %x : (!daphne.matrix<2, 3, si64>, !daphne.matrix<2, 3, si64>) -> !daphne.matrix<2, 3, si64>
  return %p, %q, %r : si64, si64, !daphne.matrix<2, 3, si64>
}

// -----

// Negative: NaN and infinities; a matrix of unknown shape.
// CHECK-LABEL: @floatsThatStay
func.func @floatsThatStay(%a: f64, %x: !daphne.matrix<?, ?, si64>) -> (f64, f64, !daphne.matrix<?, ?, si64>) {
  // CHECK-COUNT-1: daphne.ewSub
  // CHECK-COUNT-1: daphne.ewMul
  // CHECK-COUNT-1: daphne.ewSub
  %zero = daphne.constant 0.0 : f64
  %p = daphne.ewSub %a, %a : (f64, f64) -> f64
  %q = daphne.ewMul %zero, %a : (f64, f64) -> f64
  %r = daphne.ewSub %x, %x : (!daphne.matrix<?, ?, si64>, !daphne.matrix<?, ?, si64>) -> !daphne.matrix<?, ?, si64>
  return %p, %q, %r : f64, f64, !daphne.matrix<?, ?, si64>
}

// -----

// A power of two divides as exactly as its reciprocal multiplies.
// CHECK-LABEL: @divide
func.func @divide(%a: f64, %x: !daphne.matrix<?, ?, f32>) -> (f64, !daphne.matrix<?, ?, f32>) {
  // CHECK-DAG: %[[Q:.*]] = daphne.constant 2.500000e-01 : f64
  // CHECK-DAG: daphne.ewMul %arg0, %[[Q]]
  // CHECK-DAG: %[[H:.*]] = daphne.constant -5.000000e-01 : f32
  // CHECK-DAG: daphne.ewMul %arg1, %[[H]]
  %four = daphne.constant 4 : si64
  %two = daphne.constant -2.0 : f32
  %p = daphne.ewDiv %a, %four : (f64, si64) -> f64
  %q = daphne.ewDiv %x, %two : (!daphne.matrix<?, ?, f32>, f32) -> !daphne.matrix<?, ?, f32>
  return %p, %q : f64, !daphne.matrix<?, ?, f32>
}

// -----

// Negative: other divisors, integers.
// CHECK-LABEL: @divideByOthers
func.func @divideByOthers(%a: f64, %i: si64) -> (f64, f64, si64, f64) {
  // CHECK-COUNT-4: daphne.ewDiv
  %three = daphne.constant 3.0 : f64
  %tiny = daphne.constant 4.9406564584124654e-324 : f64
  %two = daphne.constant 2 : si64
  %p = daphne.ewDiv %a, %three : (f64, f64) -> f64
  %q = daphne.ewDiv %a, %tiny : (f64, f64) -> f64
  %r = daphne.ewDiv %i, %two : (si64, si64) -> si64
  %s = daphne.ewDiv %i, %three : (si64, f64) -> f64
  return %p, %q, %r, %s : f64, f64, si64, f64
}

// -----

// CHECK-LABEL: @powers
func.func @powers(%a: f64, %x: !daphne.matrix<?, ?, f64>, %b: si8, %i: si32)
    -> (f64, !daphne.matrix<?, ?, f64>, si8, f64, si32) {
  // CHECK: daphne.ewMul %arg0, %arg0
  // CHECK: daphne.ewMul %arg1, %arg1
  // CHECK: daphne.ewMul %arg2, %arg2
  // CHECK-NOT: ewPow
  %two = daphne.constant 2 : si8
  %one = daphne.constant 1 : si8
  %p = daphne.ewPow %a, %two : (f64, si8) -> f64
  %q = daphne.ewPow %x, %two : (!daphne.matrix<?, ?, f64>, si8) -> !daphne.matrix<?, ?, f64>
  %r = daphne.ewPow %b, %two : (si8, si8) -> si8
  %s = daphne.ewPow %a, %one : (f64, si8) -> f64
  %t = daphne.ewPow %i, %one : (si32, si8) -> si32
  return %p, %q, %r, %s, %t : f64, !daphne.matrix<?, ?, f64>, si8, f64, si32
}

// -----

// Powers of integers are products, of whatever width.
// CHECK-LABEL: @widePowers
func.func @widePowers(%i: si64, %j: si32, %a: f64) -> (si64, si64, si32, f64) {
  // CHECK: daphne.ewMul %arg0, %arg0
  // CHECK: daphne.ewMul %arg1, %arg1
  // CHECK: daphne.ewPow %arg2
  // CHECK-NOT: daphne.ewPow
  %two = daphne.constant 2 : si64
  %byte = daphne.constant 2 : si8
  %one = daphne.constant 1 : si64
  %three = daphne.constant 3 : si64
  %p = daphne.ewPow %i, %two : (si64, si64) -> si64
  %q = daphne.ewPow %i, %one : (si64, si64) -> si64
  %r = daphne.ewPow %j, %byte : (si32, si8) -> si32
  %s = daphne.ewPow %a, %three : (f64, si64) -> f64
  return %p, %q, %r, %s : si64, si64, si32, f64
}

// -----

// CHECK-LABEL: @roots
func.func @roots(%a: f64, %n: ui64) -> (f64, f64) {
  // CHECK: daphne.ewSqrt
  // CHECK: daphne.ewSqrt
  // CHECK-NOT: ewPow
  %half = daphne.constant 0.5 : f64
  %b = daphne.ewAbs %a : (f64) -> f64
  %p = daphne.ewPow %b, %half : (f64, f64) -> f64
  %q = daphne.ewPow %n, %half : (ui64, f64) -> f64
  return %p, %q : f64, f64
}

// -----

// Negative: the root of a negative number fails, its power is nan.
// CHECK-LABEL: @rootsOfAnything
func.func @rootsOfAnything(%a: f64, %n: si64) -> (f64, f64) {
  // CHECK-COUNT-2: daphne.ewPow
  %half = daphne.constant 0.5 : f64
  %p = daphne.ewPow %a, %half : (f64, f64) -> f64
  %q = daphne.ewPow %n, %half : (si64, f64) -> f64
  return %p, %q : f64, f64
}

// -----

// CHECK-LABEL: @negations
func.func @negations(%a: f64, %i: si64, %j: si64, %b: i1) -> (f64, f64, si64, si64, i1) {
  // CHECK: %[[ABS:.*]] = daphne.ewAbs %arg0
  // CHECK: %[[SUB:.*]] = daphne.ewSub %arg1, %arg2
  // CHECK: %[[ADD:.*]] = daphne.ewAdd %arg1, %arg2
  // CHECK: return %arg0, %[[ABS]], %[[SUB]], %[[ADD]], %arg3
  %m = daphne.ewMinus %a : (f64) -> f64
  %p = daphne.ewMinus %m : (f64) -> f64
  %q = daphne.ewAbs %m : (f64) -> f64
  %n = daphne.ewMinus %j : (si64) -> si64
  %r = daphne.ewAdd %i, %n : (si64, si64) -> si64
  %s = daphne.ewSub %i, %n : (si64, si64) -> si64
  %u = daphne.ewNot %b : (i1) -> i1
  %v = daphne.ewNot %u : (i1) -> i1
  return %p, %q, %r, %s, %v : f64, f64, si64, si64, i1
}

// -----

// Negative: '!' of a number is 0 or 1; a negated NaN has a sign; hints.
// CHECK-LABEL: @negationsThatStay
func.func @negationsThatStay(%i: si64, %a: f64, %b: f64) -> (si64, f64, f64) {
  // CHECK-COUNT-2: daphne.ewNot
  // CHECK: daphne.ewMinus
  // CHECK: daphne.ewAdd
  // CHECK: daphne.ewMinus
  %u = daphne.ewNot %i : (si64) -> si64
  %v = daphne.ewNot %u : (si64) -> si64
  %m = daphne.ewMinus %b : (f64) -> f64
  %s = daphne.ewAdd %a, %m : (f64, f64) -> f64
  %h = daphne.ewMinus %m {kernel_hint = "k"} : (f64) -> f64
  return %v, %s, %h : si64, f64, f64
}

// -----

// CHECK-LABEL: @rounding
func.func @rounding(%i: si64, %x: !daphne.matrix<?, ?, f64>) -> (si64, !daphne.matrix<?, ?, f64>) {
  // CHECK-NEXT: %[[F:.*]] = daphne.ewFloor %arg1
  // CHECK-NEXT: return %arg0, %[[F]]
  %p = daphne.ewRound %i : (si64) -> si64
  %f = daphne.ewFloor %x : (!daphne.matrix<?, ?, f64>) -> !daphne.matrix<?, ?, f64>
  %q = daphne.ewCeil %f : (!daphne.matrix<?, ?, f64>) -> !daphne.matrix<?, ?, f64>
  return %p, %q : si64, !daphne.matrix<?, ?, f64>
}

// -----

// CHECK-LABEL: @choices
func.func @choices(%c: i1, %a: f64, %b: f64, %i: si64) -> (f64, f64, i1, i1, si64, si64) {
  // CHECK: %[[ONE:.*]] = daphne.constant 1 : si64
  // CHECK-NEXT: return %arg1, %arg2, %arg0, %arg0, %[[ONE]], %arg3
  %false = daphne.constant false : i1
  %p = daphne.cond %c, %a, %a : (i1, f64, f64) -> f64
  %q = daphne.cond %false, %a, %b : (i1, f64, f64) -> f64
  %r = daphne.ewOr %c, %false : (i1, i1) -> i1
  %s = daphne.condition %c : (i1) -> i1
  %t = daphne.ewLe %i, %i : (si64, si64) -> si64
  %u = daphne.ewMin %i, %i : (si64, si64) -> si64
  return %p, %q, %r, %s, %t, %u : f64, f64, i1, i1, si64, si64
}

// -----

// Negative: a matrix condition, branches compared at run time, NaN.
// CHECK-LABEL: @choicesThatStay
func.func @choicesThatStay(%x: !daphne.matrix<2, 2, f64>, %a: f64, %u: !daphne.unknown)
    -> (!daphne.matrix<2, 2, f64>, !daphne.unknown, f64) {
  // CHECK: daphne.cond
  // CHECK: daphne.cond
  // CHECK: daphne.ewEq
  %true = daphne.constant true : i1
  %p = daphne.cond %x, %a, %a : (!daphne.matrix<2, 2, f64>, f64, f64) -> !daphne.matrix<2, 2, f64>
  %q = daphne.cond %true, %u, %a : (i1, !daphne.unknown, f64) -> !daphne.unknown
  %r = daphne.ewEq %a, %a : (f64, f64) -> f64
  return %p, %q, %r : !daphne.matrix<2, 2, f64>, !daphne.unknown, f64
}

// -----

// CHECK-LABEL: @sizes
func.func @sizes(%x: !daphne.matrix<2, ?, f64>) -> (index, index, index) {
  // CHECK-DAG: %[[TWO:.*]] = daphne.constant 2 : index
  // CHECK-DAG: daphne.numCols
  // CHECK-DAG: daphne.numCells
  // CHECK-NOT: numRows
  %r = daphne.numRows %x : (!daphne.matrix<2, ?, f64>) -> index
  %c = daphne.numCols %x : (!daphne.matrix<2, ?, f64>) -> index
  %n = daphne.numCells %x : (!daphne.matrix<2, ?, f64>) -> index
  return %r, %c, %n : index, index, index
}
