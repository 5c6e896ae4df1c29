// RUN: daphne-opt --pass pipelines %s | FileCheck %s

// Elementwise operations and aggregates of a block become one pipeline; only what is used afterwards leaves it.
// CHECK-LABEL: @collected
func.func @collected(%x: !daphne.matrix<100, 20, f64>, %y: !daphne.matrix<100, 20, f64>, %s: f64)
    -> (!daphne.matrix<100, 20, f64>, f64) {
  // CHECK-NEXT: %[[P:.*]]:2 = "daphne.pipeline"(%arg0, %arg1, %arg2)
  // CHECK-NEXT: ^bb0(%[[X:.*]]: !daphne.matrix<100, 20, f64>, %[[Y:.*]]: !daphne.matrix<100, 20, f64>, %[[S:.*]]: f64):
  // CHECK-NEXT: %[[A:.*]] = daphne.ewAdd %[[X]], %[[Y]]
  // CHECK-NEXT: %[[B:.*]] = daphne.ewMul %[[A]], %[[S]]
  // CHECK-NEXT: %[[C:.*]] = daphne.sumAll %[[B]]
  // CHECK-NEXT: "daphne.yield"(%[[B]], %[[C]])
  // CHECK-NEXT: })
  // CHECK-NEXT: return %[[P]]#0, %[[P]]#1
  %a = daphne.ewAdd %x, %y : (!daphne.matrix<100, 20, f64>, !daphne.matrix<100, 20, f64>) -> !daphne.matrix<100, 20, f64>
  %b = daphne.ewMul %a, %s : (!daphne.matrix<100, 20, f64>, f64) -> !daphne.matrix<100, 20, f64>
  %c = daphne.sumAll %b : (!daphne.matrix<100, 20, f64>) -> f64
  return %b, %c : !daphne.matrix<100, 20, f64>, f64
}

// -----

// Products with vectors, outer operations, transposes of vectors, conditionals and casts belong to it, too.
// CHECK-LABEL: @manyKinds
func.func @manyKinds(%x: !daphne.matrix<100, 20, f64>, %p: !daphne.matrix<20, 1, f64>, %c: !daphne.matrix<100, 1, f64>)
    -> !daphne.matrix<100, 20, f64> {
  // CHECK: "daphne.pipeline"
  // CHECK: daphne.matMul
  // CHECK-NEXT: daphne.transpose
  // CHECK-NEXT: daphne.outerSub
  // CHECK-NEXT: daphne.ewLt
  // CHECK-NEXT: daphne.cond
  // CHECK-NEXT: daphne.cast
  // CHECK-NEXT: "daphne.yield"
  // CHECK-NOT: "daphne.pipeline"
  // CHECK: return
  %no = daphne.constant false : i1
  %q = daphne.matMul %x, %p, %no, %no : (!daphne.matrix<100, 20, f64>, !daphne.matrix<20, 1, f64>, i1, i1) -> !daphne.matrix<100, 1, f64>
  %t = daphne.transpose %p : (!daphne.matrix<20, 1, f64>) -> !daphne.matrix<1, 20, f64>
  %o = daphne.outerSub %q, %t : (!daphne.matrix<100, 1, f64>, !daphne.matrix<1, 20, f64>) -> !daphne.matrix<100, 20, f64>
  %l = daphne.ewLt %o, %x : (!daphne.matrix<100, 20, f64>, !daphne.matrix<100, 20, f64>) -> !daphne.matrix<100, 20, f64>
  %d = daphne.cond %l, %o, %x : (!daphne.matrix<100, 20, f64>, !daphne.matrix<100, 20, f64>, !daphne.matrix<100, 20, f64>) -> !daphne.matrix<100, 20, f64>
  %e = daphne.cast %d {kind = 2 : i64, value = 9 : i64} : (!daphne.matrix<100, 20, f64>) -> !daphne.matrix<100, 20, f64>
  return %e : !daphne.matrix<100, 20, f64>
}

// -----

// Negative: products of matrices, transposes of matrices, scalars, strings and operations with a kernel of the user's choice.
// CHECK-LABEL: @notCollected
func.func @notCollected(%x: !daphne.matrix<100, 100, f64>, %s: f64, %m: !daphne.matrix<3, 1, !daphne.str>)
    -> (!daphne.matrix<100, 100, f64>, !daphne.matrix<100, 100, f64>, f64, !daphne.matrix<3, 1, !daphne.str>, f64) {
  // CHECK-NOT: "daphne.pipeline"
  // CHECK: return
  %no = daphne.constant false : i1
  %p = daphne.matMul %x, %x, %no, %no : (!daphne.matrix<100, 100, f64>, !daphne.matrix<100, 100, f64>, i1, i1) -> !daphne.matrix<100, 100, f64>
  %t = daphne.transpose %x : (!daphne.matrix<100, 100, f64>) -> !daphne.matrix<100, 100, f64>
  %a = daphne.ewAdd %s, %s : (f64, f64) -> f64
  %u = daphne.ewUpper %m : (!daphne.matrix<3, 1, !daphne.str>) -> !daphne.matrix<3, 1, !daphne.str>
  %h = daphne.sumAll %x {kernel_hint = "_sumAll__double__DenseMatrix_double"} : (!daphne.matrix<100, 100, f64>) -> f64
  return %p, %t, %a, %u, %h : !daphne.matrix<100, 100, f64>, !daphne.matrix<100, 100, f64>, f64, !daphne.matrix<3, 1, !daphne.str>, f64
}

// -----

// An effect ends a pipeline: what comes after it may fail, and must not do so before it.
// CHECK-LABEL: @effects
func.func @effects(%x: !daphne.matrix<?, ?, f64>, %s: f64) -> !daphne.matrix<?, ?, f64> {
  // CHECK: "daphne.pipeline"
  // CHECK: daphne.ewAdd
  // CHECK-NEXT: "daphne.yield"
  // CHECK: daphne.print
  // CHECK: "daphne.pipeline"
  // CHECK: daphne.ewMul
  // CHECK-NEXT: daphne.ewSqrt
  // CHECK-NEXT: "daphne.yield"
  // CHECK: return
  %no = daphne.constant false : i1
  %a = daphne.ewAdd %x, %s : (!daphne.matrix<?, ?, f64>, f64) -> !daphne.matrix<?, ?, f64>
  daphne.print %s, %no, %no : (f64, i1, i1) -> ()
  %b = daphne.ewMul %a, %s : (!daphne.matrix<?, ?, f64>, f64) -> !daphne.matrix<?, ?, f64>
  %c = daphne.ewSqrt %b : (!daphne.matrix<?, ?, f64>) -> !daphne.matrix<?, ?, f64>
  return %c : !daphne.matrix<?, ?, f64>
}

// -----

// Taking the time is an effect.
// CHECK-LABEL: @clock
func.func @clock(%x: !daphne.matrix<?, ?, f64>, %s: f64) -> (!daphne.matrix<?, ?, f64>, si64) {
  // CHECK: "daphne.pipeline"
  // CHECK: daphne.ewAdd
  // CHECK: daphne.now
  // CHECK: "daphne.pipeline"
  // CHECK: daphne.ewMul
  // CHECK: return
  %a = daphne.ewAdd %x, %s : (!daphne.matrix<?, ?, f64>, f64) -> !daphne.matrix<?, ?, f64>
  %t = daphne.now : () -> si64
  %b = daphne.ewMul %a, %s : (!daphne.matrix<?, ?, f64>, f64) -> !daphne.matrix<?, ?, f64>
  return %b, %t : !daphne.matrix<?, ?, f64>, si64
}

// -----

// Two operations that may fail keep their order: the unfused one waits for the pipeline.
// CHECK-LABEL: @failures
func.func @failures(%x: !daphne.matrix<?, ?, f64>, %y: !daphne.matrix<?, ?, f64>)
    -> (!daphne.matrix<?, ?, f64>, !daphne.matrix<?, ?, f64>, !daphne.matrix<?, ?, f64>) {
  // CHECK: "daphne.pipeline"
  // CHECK: daphne.ewAdd
  // CHECK-NEXT: "daphne.yield"
  // CHECK: daphne.solve
  // CHECK: "daphne.pipeline"
  // CHECK: daphne.ewMul
  // CHECK: return
  %a = daphne.ewAdd %x, %y : (!daphne.matrix<?, ?, f64>, !daphne.matrix<?, ?, f64>) -> !daphne.matrix<?, ?, f64>
  %s = daphne.solve %x, %y : (!daphne.matrix<?, ?, f64>, !daphne.matrix<?, ?, f64>) -> !daphne.matrix<?, ?, f64>
  %b = daphne.ewMul %x, %y : (!daphne.matrix<?, ?, f64>, !daphne.matrix<?, ?, f64>) -> !daphne.matrix<?, ?, f64>
  return %a, %s, %b : !daphne.matrix<?, ?, f64>, !daphne.matrix<?, ?, f64>, !daphne.matrix<?, ?, f64>
}

// -----

// An operation in between that neither fails, has an effect nor reads the pipeline's results divides nothing, even if
// the pipeline reads its result.
// CHECK-LABEL: @inBetween
func.func @inBetween(%x: !daphne.matrix<100, 100, f64>, %y: !daphne.matrix<100, 100, f64>) -> !daphne.matrix<100, 100, f64> {
  // CHECK-NEXT: %[[T:.*]] = daphne.transpose %arg0
  // CHECK-NEXT: "daphne.pipeline"(%arg0, %arg1, %[[T]])
  // CHECK: daphne.ewAdd
  // CHECK-NEXT: daphne.ewMul
  // CHECK-NEXT: "daphne.yield"
  // CHECK: return
  %a = daphne.ewAdd %x, %y : (!daphne.matrix<100, 100, f64>, !daphne.matrix<100, 100, f64>) -> !daphne.matrix<100, 100, f64>
  %t = daphne.transpose %x : (!daphne.matrix<100, 100, f64>) -> !daphne.matrix<100, 100, f64>
  %b = daphne.ewMul %a, %t : (!daphne.matrix<100, 100, f64>, !daphne.matrix<100, 100, f64>) -> !daphne.matrix<100, 100, f64>
  return %b : !daphne.matrix<100, 100, f64>
}

// -----

// An operation that reads a result comes after the pipeline.
// CHECK-LABEL: @reader
func.func @reader(%x: !daphne.matrix<100, 100, f64>) -> !daphne.matrix<100, 100, f64> {
  // CHECK: %[[P:.*]] = "daphne.pipeline"(%arg0)
  // CHECK: daphne.ewAbs
  // CHECK: daphne.transpose %[[P]]
  // CHECK: "daphne.pipeline"
  // CHECK: daphne.ewSign
  // CHECK: return
  %a = daphne.ewAbs %x : (!daphne.matrix<100, 100, f64>) -> !daphne.matrix<100, 100, f64>
  %t = daphne.transpose %a : (!daphne.matrix<100, 100, f64>) -> !daphne.matrix<100, 100, f64>
  %b = daphne.ewSign %t : (!daphne.matrix<100, 100, f64>) -> !daphne.matrix<100, 100, f64>
  return %b : !daphne.matrix<100, 100, f64>
}

// -----

// Branches of control flow have pipelines of their own; nothing moves into or out of them.
// CHECK-LABEL: @branches
func.func @branches(%c: i1, %x: !daphne.matrix<?, ?, f64>, %s: f64) -> !daphne.matrix<?, ?, f64> {
  // CHECK: "daphne.pipeline"
  // CHECK: daphne.ewAdd
  // CHECK: scf.if
  // CHECK: "daphne.pipeline"
  // CHECK: daphne.ewMul
  // CHECK: scf.yield
  // CHECK: else
  // CHECK: "daphne.pipeline"
  // CHECK: daphne.ewSub
  // CHECK: scf.yield
  // CHECK: return
  %a = daphne.ewAdd %x, %s : (!daphne.matrix<?, ?, f64>, f64) -> !daphne.matrix<?, ?, f64>
  %r = scf.if %c -> (!daphne.matrix<?, ?, f64>) {
    %b = daphne.ewMul %a, %s : (!daphne.matrix<?, ?, f64>, f64) -> !daphne.matrix<?, ?, f64>
    scf.yield %b : !daphne.matrix<?, ?, f64>
  } else {
    %b = daphne.ewSub %a, %s : (!daphne.matrix<?, ?, f64>, f64) -> !daphne.matrix<?, ?, f64>
    scf.yield %b : !daphne.matrix<?, ?, f64>
  }
  return %r : !daphne.matrix<?, ?, f64>
}

// -----

// Operations that may fail stay although nobody reads them.
// CHECK-LABEL: @unread
func.func @unread(%x: !daphne.matrix<?, ?, f64>, %y: !daphne.matrix<?, ?, f64>) -> f64 {
  // CHECK: "daphne.pipeline"
  // CHECK: daphne.ewAdd
  // CHECK-NEXT: daphne.sumAll
  // CHECK-NEXT: "daphne.yield"(%{{.*}}) : (f64)
  %a = daphne.ewAdd %x, %y : (!daphne.matrix<?, ?, f64>, !daphne.matrix<?, ?, f64>) -> !daphne.matrix<?, ?, f64>
  %b = daphne.sumAll %x : (!daphne.matrix<?, ?, f64>) -> f64
  return %b : f64
}

// -----

// RUN: daphne-opt --pass pipelines --pass references %s | FileCheck %s

// A pipeline takes over what is used for the last time by it, and gives its results away.
// CHECK-LABEL: @lastUse
func.func @lastUse(%x: !daphne.matrix<?, ?, f64>, %s: f64) -> f64 {
  // CHECK-NEXT: %[[P:.*]] = "daphne.pipeline"(%arg0, %arg1)
  // CHECK-NOT: daphne.release
  // CHECK-NOT: consume
  // CHECK: }) {consume = 1 : i64}
  // CHECK-NEXT: daphne.numRows %[[P]]
  // CHECK-NEXT: daphne.release %[[P]]
  // CHECK: return
  %a = daphne.ewAdd %x, %s : (!daphne.matrix<?, ?, f64>, f64) -> !daphne.matrix<?, ?, f64>
  %b = daphne.ewMul %a, %s : (!daphne.matrix<?, ?, f64>, f64) -> !daphne.matrix<?, ?, f64>
  %n = daphne.numRows %b : (!daphne.matrix<?, ?, f64>) -> index
  return %s : f64
}

// -----

// Negative: a value used later is not taken over.
// RUN: daphne-opt --pass pipelines --pass references %s | FileCheck %s
// CHECK-LABEL: @usedLater
func.func @usedLater(%x: !daphne.matrix<?, ?, f64>, %s: f64) -> (!daphne.matrix<?, ?, f64>, !daphne.matrix<?, ?, f64>) {
  // CHECK-NEXT: %[[P:.*]] = "daphne.pipeline"(%arg0, %arg1)
  // CHECK-NOT: consume
  // CHECK: return %[[P]], %arg0
  %a = daphne.ewAdd %x, %s : (!daphne.matrix<?, ?, f64>, f64) -> !daphne.matrix<?, ?, f64>
  return %a, %x : !daphne.matrix<?, ?, f64>, !daphne.matrix<?, ?, f64>
}
