// RUN: daphne-opt --pass infer-types %s | FileCheck %s

// A loop that keeps the shape: the facts before it hold in it and behind it.
// CHECK-LABEL: @sameShape
func.func @sameShape(%x: !daphne.matrix<3, 4, f64>, %n: index) -> !daphne.matrix<?, ?, f64> {
  // CHECK: scf.for {{.*}} iter_args(%[[A:.*]] = %arg0) -> (!daphne.matrix<3, 4, f64>)
  // CHECK: %[[S:.*]] = daphne.ewAdd {{.*}} -> !daphne.matrix<3, 4, f64>
  // CHECK: scf.yield %[[S]] : !daphne.matrix<3, 4, f64>
  // CHECK: daphne.adapt %{{.*}} : (!daphne.matrix<3, 4, f64>) -> !daphne.matrix<?, ?, f64>
  %zero = daphne.constant 0 : index
  %one = daphne.constant 1 : index
  %i = daphne.adapt %x : (!daphne.matrix<3, 4, f64>) -> !daphne.matrix<?, ?, f64>
  %r = scf.for %k = %zero to %n step %one iter_args(%a = %i) -> (!daphne.matrix<?, ?, f64>) {
    %s = daphne.ewAdd %a, %a : (!daphne.matrix<?, ?, f64>, !daphne.matrix<?, ?, f64>) -> !daphne.matrix<?, ?, f64>
    scf.yield %s : !daphne.matrix<?, ?, f64>
  }
  return %r : !daphne.matrix<?, ?, f64>
}

// -----

// Negative: a loop that changes the number of rows keeps only that of columns.
// CHECK-LABEL: @growing
func.func @growing(%x: !daphne.matrix<3, 4, f64>, %n: index) -> index {
  // CHECK: %[[I:.*]] = daphne.adapt %arg0 : (!daphne.matrix<3, 4, f64>) -> !daphne.matrix<?, 4, f64>
  // CHECK: scf.for {{.*}} iter_args(%{{.*}} = %[[I]]) -> (!daphne.matrix<?, 4, f64>)
  // CHECK: daphne.rowBind {{.*}} -> !daphne.matrix<?, 4, f64>
  %zero = daphne.constant 0 : index
  %one = daphne.constant 1 : index
  %i = daphne.adapt %x : (!daphne.matrix<3, 4, f64>) -> !daphne.matrix<?, ?, f64>
  %r = scf.for %k = %zero to %n step %one iter_args(%a = %i) -> (!daphne.matrix<?, ?, f64>) {
    %s = daphne.rowBind %a, %x : (!daphne.matrix<?, ?, f64>, !daphne.matrix<3, 4, f64>) -> !daphne.matrix<?, ?, f64>
    scf.yield %s : !daphne.matrix<?, ?, f64>
  }
  %c = daphne.numCols %r : (!daphne.matrix<?, ?, f64>) -> index
  return %c : index
}

// -----

// Two variables swapped in every iteration: facts flow around more than once.
// CHECK-LABEL: @swap
func.func @swap(%x: !daphne.matrix<3, 4, f64>, %y: !daphne.matrix<5, 4, f64>, %n: index) -> (index, index) {
  // CHECK: scf.for {{.*}} -> (!daphne.matrix<?, 4, f64>, !daphne.matrix<?, 4, f64>)
  %zero = daphne.constant 0 : index
  %one = daphne.constant 1 : index
  %i = daphne.adapt %x : (!daphne.matrix<3, 4, f64>) -> !daphne.matrix<?, ?, f64>
  %j = daphne.adapt %y : (!daphne.matrix<5, 4, f64>) -> !daphne.matrix<?, ?, f64>
  %r:2 = scf.for %k = %zero to %n step %one iter_args(%a = %i, %b = %j) -> (!daphne.matrix<?, ?, f64>, !daphne.matrix<?, ?, f64>) {
    scf.yield %b, %a : !daphne.matrix<?, ?, f64>, !daphne.matrix<?, ?, f64>
  }
  %c = daphne.numCols %r#0 : (!daphne.matrix<?, ?, f64>) -> index
  %d = daphne.numRows %r#1 : (!daphne.matrix<?, ?, f64>) -> index
  return %c, %d : index, index
}

// -----

// While loops: what enters the condition and what leaves it may differ.
// CHECK-LABEL: @while
func.func @while(%x: !daphne.matrix<1, 1, f64>, %c: f64) -> !daphne.matrix<?, ?, f64> {
  // CHECK: %[[W:.*]] = scf.while (%{{.*}} = %arg0) : (!daphne.matrix<1, 1, f64>) -> !daphne.matrix<1, 1, f64>
  // CHECK: ^bb0(%{{.*}}: !daphne.matrix<1, 1, f64>):
  %i = daphne.adapt %x : (!daphne.matrix<1, 1, f64>) -> !daphne.matrix<?, ?, f64>
  %r = scf.while (%a = %i) : (!daphne.matrix<?, ?, f64>) -> !daphne.matrix<?, ?, f64> {
    %b = daphne.condition %a : (!daphne.matrix<?, ?, f64>) -> i1
    scf.condition(%b) %a : !daphne.matrix<?, ?, f64>
  } do {
  ^bb0(%a: !daphne.matrix<?, ?, f64>):
    %s = daphne.ewSub %a, %c : (!daphne.matrix<?, ?, f64>, f64) -> !daphne.matrix<?, ?, f64>
    scf.yield %s : !daphne.matrix<?, ?, f64>
  }
  return %r : !daphne.matrix<?, ?, f64>
}

// -----

// A branch keeps what both sides share; a side that never gets there does not count.
// CHECK-LABEL: @branches
func.func @branches(%x: !daphne.matrix<3, 4, f64>, %y: !daphne.matrix<3, 5, f64>, %c: i1) -> (index, index) {
  // CHECK: scf.if %arg2 -> (!daphne.matrix<3, ?, f64>)
  // CHECK: scf.if %arg2 -> (!daphne.matrix<3, 4, f64>)
  // CHECK: daphne.undef : () -> !daphne.matrix<3, 4, f64>
  %p = scf.if %c -> !daphne.matrix<?, ?, f64> {
    %a = daphne.adapt %x : (!daphne.matrix<3, 4, f64>) -> !daphne.matrix<?, ?, f64>
    scf.yield %a : !daphne.matrix<?, ?, f64>
  } else {
    %a = daphne.adapt %y : (!daphne.matrix<3, 5, f64>) -> !daphne.matrix<?, ?, f64>
    scf.yield %a : !daphne.matrix<?, ?, f64>
  }
  %q = scf.if %c -> !daphne.matrix<?, ?, f64> {
    %a = daphne.adapt %x : (!daphne.matrix<3, 4, f64>) -> !daphne.matrix<?, ?, f64>
    scf.yield %a : !daphne.matrix<?, ?, f64>
  } else {
    daphne.fail {message = "no"} : () -> ()
    %u = daphne.undef : () -> !daphne.matrix<?, ?, f64>
    scf.yield %u : !daphne.matrix<?, ?, f64>
  }
  %m = daphne.numRows %p : (!daphne.matrix<?, ?, f64>) -> index
  %n = daphne.numCols %q : (!daphne.matrix<?, ?, f64>) -> index
  return %m, %n : index, index
}

// -----

// Checks disappear only where nothing is left to check.
// CHECK-LABEL: @checks
func.func @checks(%x: !daphne.matrix<3, 4, f64>, %u: !daphne.unknown, %m: !daphne.matrix<?, ?, !daphne.unknown>)
    -> (!daphne.matrix<?, ?, f64>, !daphne.matrix<?, ?, f64>, !daphne.matrix<?, ?, f64>) {
  // CHECK: %[[U:.*]] = daphne.adapt %arg1 : (!daphne.unknown) -> !daphne.matrix<?, ?, f64>
  // CHECK: %[[M:.*]] = daphne.adapt %arg2 : (!daphne.matrix<?, ?, !daphne.unknown>) -> !daphne.matrix<?, ?, f64>
  // CHECK: %[[A:.*]] = daphne.ewAdd %arg0, %arg0
  // CHECK: %[[R:.*]] = daphne.adapt %[[A]] : (!daphne.matrix<3, 4, f64>) -> !daphne.matrix<?, ?, f64>
  // CHECK: return %[[R]], %[[U]], %[[M]]
  %b = daphne.adapt %u : (!daphne.unknown) -> !daphne.matrix<?, ?, f64>
  %c = daphne.adapt %m : (!daphne.matrix<?, ?, !daphne.unknown>) -> !daphne.matrix<?, ?, f64>
  %v = daphne.adapt %x : (!daphne.matrix<3, 4, f64>) -> !daphne.unknown
  %w = daphne.ewAdd %v, %v : (!daphne.unknown, !daphne.unknown) -> !daphne.unknown
  %a = daphne.adapt %w : (!daphne.unknown) -> !daphne.matrix<?, ?, f64>
  return %a, %b, %c : !daphne.matrix<?, ?, f64>, !daphne.matrix<?, ?, f64>, !daphne.matrix<?, ?, f64>
}

// -----

// A check that will fail stays one; an operation that will fail sees what it saw before.
// CHECK-LABEL: @failing
func.func @failing(%x: !daphne.matrix<3, 4, f64>, %s: si64) -> (f64, !daphne.matrix<?, ?, f64>) {
  // CHECK: %[[V:.*]] = daphne.adapt %arg1 : (si64) -> !daphne.unknown
  // CHECK: daphne.adapt %[[V]] : (!daphne.unknown) -> f64
  // CHECK: %[[A:.*]] = daphne.adapt %arg0 : (!daphne.matrix<3, 4, f64>) -> !daphne.matrix<?, ?, f64>
  // CHECK: daphne.matMul %[[A]], %{{.*}} -> !daphne.matrix<?, ?, f64>
  %no = daphne.constant false : i1
  %v = daphne.adapt %s : (si64) -> !daphne.unknown
  %f = daphne.adapt %v : (!daphne.unknown) -> f64
  %a = daphne.adapt %x : (!daphne.matrix<3, 4, f64>) -> !daphne.matrix<?, ?, f64>
  %p = daphne.matMul %a, %a, %no, %no : (!daphne.matrix<?, ?, f64>, !daphne.matrix<?, ?, f64>, i1, i1) -> !daphne.matrix<?, ?, f64>
  return %f, %p : f64, !daphne.matrix<?, ?, f64>
}

// -----

// Functions: parameters know what all callers share, callers know what the function returns.
// CHECK-LABEL: func.func private @double(
// CHECK-SAME: %arg0: !daphne.matrix<?, 4, f64>) -> !daphne.matrix<?, 4, f64>
func.func private @double(%x: !daphne.matrix<?, ?, f64>) -> !daphne.matrix<?, ?, f64> {
  %s = daphne.ewAdd %x, %x : (!daphne.matrix<?, ?, f64>, !daphne.matrix<?, ?, f64>) -> !daphne.matrix<?, ?, f64>
  return %s : !daphne.matrix<?, ?, f64>
}
// CHECK-LABEL: @callers
func.func @callers(%x: !daphne.matrix<3, 4, f64>, %y: !daphne.matrix<5, 4, f64>) -> (index, index) {
  // CHECK: daphne.adapt %arg0 : (!daphne.matrix<3, 4, f64>) -> !daphne.matrix<?, 4, f64>
  // CHECK: call @double(%{{.*}}) : (!daphne.matrix<?, 4, f64>) -> !daphne.matrix<?, 4, f64>
  %a = daphne.adapt %x : (!daphne.matrix<3, 4, f64>) -> !daphne.matrix<?, ?, f64>
  %b = daphne.adapt %y : (!daphne.matrix<5, 4, f64>) -> !daphne.matrix<?, ?, f64>
  %p = func.call @double(%a) : (!daphne.matrix<?, ?, f64>) -> !daphne.matrix<?, ?, f64>
  %q = func.call @double(%b) : (!daphne.matrix<?, ?, f64>) -> !daphne.matrix<?, ?, f64>
  %m = daphne.numCols %p : (!daphne.matrix<?, ?, f64>) -> index
  %n = daphne.numCols %q : (!daphne.matrix<?, ?, f64>) -> index
  return %m, %n : index, index
}

// -----

// Recursion: the shape survives all depths. Functions nobody calls still fit those they call.
// CHECK-LABEL: func.func private @down(
// CHECK-SAME: %arg0: !daphne.matrix<3, 4, f64>, %arg1: si64) -> !daphne.matrix<3, 4, f64>
func.func private @down(%x: !daphne.matrix<?, ?, f64>, %n: si64) -> !daphne.matrix<?, ?, f64> {
  %one = daphne.constant 1 : si64
  %c = daphne.ewLt %n, %one : (si64, si64) -> si64
  %b = daphne.condition %c : (si64) -> i1
  %r = scf.if %b -> !daphne.matrix<?, ?, f64> {
    scf.yield %x : !daphne.matrix<?, ?, f64>
  } else {
    %m = daphne.ewSub %n, %one : (si64, si64) -> si64
    %s = daphne.ewAdd %x, %x : (!daphne.matrix<?, ?, f64>, !daphne.matrix<?, ?, f64>) -> !daphne.matrix<?, ?, f64>
    %t = func.call @down(%s, %m) : (!daphne.matrix<?, ?, f64>, si64) -> !daphne.matrix<?, ?, f64>
    scf.yield %t : !daphne.matrix<?, ?, f64>
  }
  return %r : !daphne.matrix<?, ?, f64>
}
func.func private @never(%x: !daphne.matrix<3, 4, f64>, %n: si64) -> !daphne.matrix<?, ?, f64> {
  %a = daphne.adapt %x : (!daphne.matrix<3, 4, f64>) -> !daphne.matrix<?, ?, f64>
  %t = func.call @down(%a, %n) : (!daphne.matrix<?, ?, f64>, si64) -> !daphne.matrix<?, ?, f64>
  return %t : !daphne.matrix<?, ?, f64>
}
func.func @start(%x: !daphne.matrix<3, 4, f64>, %n: si64) -> index {
  %a = daphne.adapt %x : (!daphne.matrix<3, 4, f64>) -> !daphne.matrix<?, ?, f64>
  %p = func.call @down(%a, %n) : (!daphne.matrix<?, ?, f64>, si64) -> !daphne.matrix<?, ?, f64>
  %m = daphne.numCols %p : (!daphne.matrix<?, ?, f64>) -> index
  return %m : index
}

// -----

// A function that never returns, and code behind its call.
// CHECK-LABEL: @forever
func.func private @forever(%x: !daphne.matrix<?, ?, f64>) -> !daphne.matrix<?, ?, f64> {
  %t = func.call @forever(%x) : (!daphne.matrix<?, ?, f64>) -> !daphne.matrix<?, ?, f64>
  return %t : !daphne.matrix<?, ?, f64>
}
func.func @behind(%x: !daphne.matrix<3, 4, f64>) -> !daphne.matrix<?, ?, f64> {
  // CHECK: call @forever
  // CHECK: daphne.ewAdd
  %a = daphne.adapt %x : (!daphne.matrix<3, 4, f64>) -> !daphne.matrix<?, ?, f64>
  %t = func.call @forever(%a) : (!daphne.matrix<?, ?, f64>) -> !daphne.matrix<?, ?, f64>
  %s = daphne.ewAdd %t, %t : (!daphne.matrix<?, ?, f64>, !daphne.matrix<?, ?, f64>) -> !daphne.matrix<?, ?, f64>
  %r = func.call @forever(%s) : (!daphne.matrix<?, ?, f64>) -> !daphne.matrix<?, ?, f64>
  return %r : !daphne.matrix<?, ?, f64>
}

// -----

// map keeps the shape; its function keeps its parameter.
// CHECK-LABEL: func.func private @cell(%arg0: f64)
func.func private @cell(%a: f64) -> f64 {
  return %a : f64
}
func.func @mapped(%x: !daphne.matrix<3, 4, f64>) -> index {
  // CHECK: daphne.map {{.*}} -> !daphne.matrix<3, 4, f64>
  %a = daphne.adapt %x : (!daphne.matrix<3, 4, f64>) -> !daphne.matrix<?, ?, f64>
  %m = daphne.map %a {callee = @cell} : (!daphne.matrix<?, ?, f64>) -> !daphne.matrix<?, ?, f64>
  %n = daphne.numRows %m : (!daphne.matrix<?, ?, f64>) -> index
  return %n : index
}

// -----

// Facts of a type that no rule can derive are kept (a file's shape, for instance).
// CHECK-LABEL: @given
func.func @given(%u: !daphne.matrix<?, ?, !daphne.unknown>) -> index {
  // CHECK: daphne.adapt %arg0 : (!daphne.matrix<?, ?, !daphne.unknown>) -> !daphne.matrix<7, 2, f64, sparsity = 5.000000e-01>
  // CHECK: daphne.transpose {{.*}} -> !daphne.matrix<2, 7, f64, sparsity = 5.000000e-01>
  %a = daphne.adapt %u : (!daphne.matrix<?, ?, !daphne.unknown>) -> !daphne.matrix<7, 2, f64, sparsity = 0.5>
  %t = daphne.transpose %a : (!daphne.matrix<7, 2, f64, sparsity = 0.5>) -> !daphne.matrix<?, ?, f64>
  %n = daphne.numRows %t : (!daphne.matrix<?, ?, f64>) -> index
  return %n : index
}
