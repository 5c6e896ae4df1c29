// RUN: daphne-opt --pass fold-scalars %s | FileCheck %s

// Whole expressions fold.
// CHECK-LABEL: @expression
func.func @expression() -> si64 {
  // CHECK-NEXT: %[[C:.*]] = daphne.constant 7 : si64
  // CHECK-NEXT: return %[[C]]
  %a = daphne.constant 3 : si64
  %b = daphne.constant 2 : si64
  %c = daphne.constant 1 : si64
  %p = daphne.ewMul %a, %b : (si64, si64) -> si64
  %s = daphne.ewAdd %p, %c : (si64, si64) -> si64
  return %s : si64
}

// -----

// Values come from the kernels: integer division truncates, mixed operands widen.
// CHECK-LABEL: @division
func.func @division() -> (si64, f64) {
  // CHECK-DAG: daphne.constant -3 : si64
  // CHECK-DAG: daphne.constant -3.500000e+00 : f64
  // CHECK-NOT: ewDiv
  %a = daphne.constant -7 : si64
  %b = daphne.constant 2 : si64
  %c = daphne.constant 2.0 : f64
  %q = daphne.ewDiv %a, %b : (si64, si64) -> si64
  %r = daphne.ewDiv %a, %c : (si64, f64) -> f64
  return %q, %r : si64, f64
}

// -----

// Strings fold too.
// CHECK-LABEL: @text
func.func @text() -> !daphne.str {
  // CHECK: daphne.constant "n = 3" : !daphne.str
  %a = daphne.constant "n = " : !daphne.str
  %b = daphne.constant 3 : si64
  %s = daphne.ewConcat %a, %b : (!daphne.str, si64) -> !daphne.str
  return %s : !daphne.str
}

// -----

// Casts keep their target.
// CHECK-LABEL: @cast
func.func @cast() -> ui8 {
  // CHECK-NEXT: daphne.constant 44 : ui8
  %a = daphne.constant 300 : si64
  %c = daphne.cast %a {kind = 1 : i64, value = 2 : i64} : (si64) -> ui8
  return %c : ui8
}

// -----

// Negative: an operation that fails is left to fail when it is reached.
// CHECK-LABEL: @failing
func.func @failing() -> (si64, f64) {
  // CHECK: daphne.ewDiv
  // CHECK: daphne.ewSqrt
  %a = daphne.constant 1 : si64
  %z = daphne.constant 0 : si64
  %m = daphne.constant -1.0 : f64
  %q = daphne.ewDiv %a, %z : (si64, si64) -> si64
  %r = daphne.ewSqrt %m : (f64) -> f64
  return %q, %r : si64, f64
}

// -----

// Negative: a kernel hint means the kernel is called.
// CHECK-LABEL: @hinted
func.func @hinted() -> si64 {
  // CHECK: daphne.ewAdd
  %a = daphne.constant 1 : si64
  %s = daphne.ewAdd %a, %a {kernel_hint = "_ewAdd__int64_t__int64_t__int64_t"} : (si64, si64) -> si64
  return %s : si64
}

// -----

// Negative: matrices stay, and so do operations with effects.
// CHECK-LABEL: @matrices
func.func @matrices() -> !daphne.matrix<2, 1, si64> {
  // CHECK: daphne.fill
  // CHECK: daphne.ewAdd
  %a = daphne.constant 1 : si64
  %n = daphne.constant 2 : index
  %o = daphne.constant 1 : index
  %x = daphne.fill %a, %n, %o : (si64, index, index) -> !daphne.matrix<2, 1, si64>
  %s = daphne.ewAdd %x, %a : (!daphne.matrix<2, 1, si64>, si64) -> !daphne.matrix<2, 1, si64>
  return %s : !daphne.matrix<2, 1, si64>
}

// -----

// Only the taken branch remains, also if its result decides the next one.
// CHECK-LABEL: @branches
func.func @branches(%x: si64) -> si64 {
  // CHECK-NOT: scf.if
  // CHECK-NOT: daphne.fail
  // CHECK: %[[S:.*]] = daphne.ewAdd %arg0, %arg0
  // CHECK-NOT: ewMul
  // CHECK: return %[[S]]
  %one = daphne.constant 1 : si64
  %two = daphne.constant 2 : si64
  %c = daphne.ewLt %one, %two : (si64, si64) -> si64
  %b = daphne.condition %c : (si64) -> i1
  %r = scf.if %b -> si64 {
    scf.yield %one : si64
  } else {
    daphne.fail {message = "never"} : () -> ()
    scf.yield %two : si64
  }
  %d = daphne.ewEq %r, %one : (si64, si64) -> si64
  %e = daphne.condition %d : (si64) -> i1
  %q = scf.if %e -> si64 {
    %s = daphne.ewAdd %x, %x : (si64, si64) -> si64
    scf.yield %s : si64
  } else {
    %s = daphne.ewMul %x, %x : (si64, si64) -> si64
    scf.yield %s : si64
  }
  return %q : si64
}

// -----

// Negative: a condition that is not constant.
// CHECK-LABEL: @openBranch
func.func @openBranch(%b: i1) -> si64 {
  // CHECK: scf.if
  %one = daphne.constant 1 : si64
  %two = daphne.constant 2 : si64
  %r = scf.if %b -> si64 {
    scf.yield %one : si64
  } else {
    scf.yield %two : si64
  }
  return %r : si64
}

// -----

// Constants of dates are written as texts.
// CHECK-LABEL: @dates
func.func @dates() -> (!daphne.date, si64) {
  // CHECK-DAG: daphne.constant "2024-03-01" : !daphne.date
  // CHECK-DAG: daphne.constant 60 : si64
  // CHECK-NOT: ewSub
  %a = daphne.constant "2024-02-29" : !daphne.date
  %b = daphne.constant "2024-01-01" : !daphne.date
  %c = daphne.constant 1 : si64
  %d = daphne.ewAdd %a, %c : (!daphne.date, si64) -> !daphne.date
  %e = daphne.ewSub %d, %b : (!daphne.date, !daphne.date) -> si64
  return %d, %e : !daphne.date, si64
}
