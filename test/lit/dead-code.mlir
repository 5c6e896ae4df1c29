// RUN: daphne-opt --pass dead-code %s | FileCheck %s

// CHECK-LABEL: @unused
func.func @unused(%x: !daphne.matrix<2, 3, f64>) -> !daphne.matrix<2, 3, f64> {
  // CHECK-NEXT: return
  %c = daphne.constant 2.0 : f64
  %y = daphne.ewMul %x, %c : (!daphne.matrix<2, 3, f64>, f64) -> !daphne.matrix<2, 3, f64>
  %z = daphne.transpose %y : (!daphne.matrix<2, 3, f64>) -> !daphne.matrix<3, 2, f64>
  return %x : !daphne.matrix<2, 3, f64>
}

// -----

// Negative: what may fail must still fail, and takes what it uses with it.
// CHECK-LABEL: @mayFail
func.func @mayFail(%x: !daphne.matrix<?, ?, f64>, %a: si64, %b: si64, %s: !daphne.str) {
  // CHECK: daphne.transpose
  // CHECK: daphne.ewMul
  // CHECK: daphne.ewDiv
  // CHECK: daphne.cast
  %t = daphne.transpose %x : (!daphne.matrix<?, ?, f64>) -> !daphne.matrix<?, ?, f64>
  %y = daphne.ewMul %x, %t : (!daphne.matrix<?, ?, f64>, !daphne.matrix<?, ?, f64>) -> !daphne.matrix<?, ?, f64>
  %q = daphne.ewDiv %a, %b : (si64, si64) -> si64
  %c = daphne.cast %s {kind = 1 : i64, value = 6 : i64} : (!daphne.str) -> si64
  return
}

// -----

// Negative: effects and kernel hints.
// CHECK-LABEL: @effects
func.func @effects(%x: !daphne.matrix<2, 2, f64>, %a: f64) {
  // CHECK: daphne.write
  // CHECK: daphne.ewAdd
  %n = daphne.constant "out.csv" : !daphne.str
  daphne.write %x, %n, %n, %n, %n, %n, %n : (!daphne.matrix<2, 2, f64>, !daphne.str, !daphne.str, !daphne.str, !daphne.str, !daphne.str, !daphne.str) -> ()
  %p = daphne.ewAdd %a, %a {kernel_hint = "k"} : (f64, f64) -> f64
  return
}

// -----

// Results of branches nobody uses; a branch with nothing left.
// CHECK-LABEL: @branch
func.func @branch(%c: i1, %a: f64) -> f64 {
  // CHECK: %[[R:.*]] = scf.if %arg0 -> (f64) {
  // CHECK-NEXT: daphne.ewExp
  // CHECK-NEXT: scf.yield
  // CHECK-NEXT: } else {
  // CHECK-NEXT: scf.yield
  // CHECK-NOT: scf.if
  // CHECK: return %[[R]]
  %r:2 = scf.if %c -> (f64, f64) {
    %u = daphne.ewSin %a : (f64) -> f64
    %v = daphne.ewExp %a : (f64) -> f64
    scf.yield %u, %v : f64, f64
  } else {
    scf.yield %a, %a : f64, f64
  }
  scf.if %c {
    %w = daphne.ewCos %a : (f64) -> f64
  }
  return %r#1 : f64
}

// -----

// Negative: a branch with an operation that may fail.
// CHECK-LABEL: @failingBranch
func.func @failingBranch(%c: i1, %a: si64) {
  // CHECK: scf.if
  // CHECK-NEXT: daphne.ewDiv
  scf.if %c {
    %w = daphne.ewDiv %a, %a : (si64, si64) -> si64
  }
  return
}

// -----

// A variable that only feeds its own next iteration; a loop that computes nothing.
// CHECK-LABEL: @loop
func.func @loop(%n: index, %a: f64) -> f64 {
  // CHECK: scf.for {{.*}} iter_args(%{{.*}} = %arg1) -> (f64)
  // CHECK-NOT: ewSin
  // CHECK: daphne.ewAdd
  // CHECK: scf.yield %{{[a-z0-9]+}} : f64
  // CHECK-NOT: scf.for
  %zero = daphne.constant 0 : index
  %one = daphne.constant 1 : index
  %r:2 = scf.for %i = %zero to %n step %one iter_args(%u = %a, %v = %a) -> (f64, f64) {
    %x = daphne.ewSin %u : (f64) -> f64
    %y = daphne.ewAdd %v, %a : (f64, f64) -> f64
    scf.yield %x, %y : f64, f64
  }
  %s = scf.for %i = %zero to %n step %one iter_args(%u = %a) -> (f64) {
    %x = daphne.ewSin %u : (f64) -> f64
    scf.yield %x : f64
  }
  return %r#1 : f64
}

// -----

// While loops may not end and stay; variables that do not matter disappear on both sides.
// CHECK-LABEL: @while
func.func @while(%a: f64, %n: si64) -> si64 {
  // CHECK: scf.while (%[[I:.*]] = %arg1) : (si64) -> si64
  // CHECK: scf.condition(%{{.*}}) %[[I]] : si64
  // CHECK-NOT: ewSin
  // CHECK: daphne.ewSub
  // CHECK: scf.yield %{{[a-z0-9]+}} : si64
  %one = daphne.constant 1 : si64
  %r:2 = scf.while (%x = %a, %i = %n) : (f64, si64) -> (f64, si64) {
    %c = daphne.ewGt %i, %one : (si64, si64) -> si64
    %b = daphne.condition %c : (si64) -> i1
    scf.condition(%b) %x, %i : f64, si64
  } do {
  ^bb0(%x: f64, %i: si64):
    %y = daphne.ewSin %x : (f64) -> f64
    %j = daphne.ewSub %i, %one : (si64, si64) -> si64
    scf.yield %y, %j : f64, si64
  }
  return %r#1 : si64
}

// -----

// Negative: a while loop whose results are unused.
// CHECK-LABEL: @endless
func.func @endless(%b: i1) {
  // CHECK: scf.while
  scf.while : () -> () {
    scf.condition(%b)
  } do {
    scf.yield
  }
  return
}

// -----

// Nested loops: the outer iteration needs the inner one, not what only circles in it.
// CHECK-LABEL: @nested
func.func @nested(%n: index, %a: f64) -> f64 {
  // CHECK: scf.for {{.*}} iter_args(%{{.*}} = %arg1) -> (f64) {
  // CHECK: scf.for {{.*}} iter_args(%{{[a-z0-9]+}} = %{{[a-z0-9]+}}) -> (f64) {
  // CHECK-NOT: ewCos
  // CHECK: return
  %zero = daphne.constant 0 : index
  %one = daphne.constant 1 : index
  %r:2 = scf.for %i = %zero to %n step %one iter_args(%u = %a, %v = %a) -> (f64, f64) {
    %s:2 = scf.for %j = %zero to %n step %one iter_args(%p = %u, %q = %v) -> (f64, f64) {
      %x = daphne.ewSin %p : (f64) -> f64
      %y = daphne.ewCos %q : (f64) -> f64
      scf.yield %x, %y : f64, f64
    }
    scf.yield %s#0, %s#1 : f64, f64
  }
  return %r#0 : f64
}

// -----

// Calls of functions without effects that cannot fail; functions nobody calls.
// CHECK-NOT: @pure
// CHECK-NOT: @outer
// CHECK-LABEL: @calls
func.func private @pure(%a: f64) -> f64 {
  %x = daphne.ewSin %a : (f64) -> f64
  return %x : f64
}
func.func private @outer(%a: f64) -> f64 {
  %x = func.call @pure(%a) : (f64) -> f64
  return %x : f64
}
func.func @calls(%a: f64) {
  // CHECK-NEXT: return
  %x = func.call @outer(%a) : (f64) -> f64
  return
}

// -----

// Negative: callees that may fail, write, loop without end or call themselves; functions used by map.
// CHECK: @fails
// CHECK: @recursive
// CHECK: @loops
// CHECK: @mapped
// CHECK-LABEL: @impureCalls
func.func private @fails(%a: si64) -> si64 {
  %x = daphne.ewDiv %a, %a : (si64, si64) -> si64
  return %x : si64
}
func.func private @recursive(%a: si64) -> si64 {
  %x = func.call @recursive(%a) : (si64) -> si64
  return %x : si64
}
func.func private @loops(%b: i1) {
  scf.while : () -> () {
    scf.condition(%b)
  } do {
    scf.yield
  }
  return
}
func.func private @mapped(%a: f64) -> f64 {
  return %a : f64
}
func.func @impureCalls(%a: si64, %b: i1, %x: !daphne.matrix<?, ?, f64>) {
  // CHECK: call @fails
  // CHECK: call @recursive
  // CHECK: call @loops
  // CHECK: daphne.map
  %x1 = func.call @fails(%a) : (si64) -> si64
  %x2 = func.call @recursive(%a) : (si64) -> si64
  func.call @loops(%b) : (i1) -> ()
  %m = daphne.map %x {callee = @mapped} : (!daphne.matrix<?, ?, f64>) -> !daphne.matrix<?, ?, f64>
  return
}
