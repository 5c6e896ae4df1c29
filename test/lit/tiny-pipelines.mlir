// RUN: daphne-opt --pass pipelines --pass tiny-pipelines %s | FileCheck %s

// Matrices of a few cells: plain operations in the old order.
// CHECK-LABEL: @tiny
func.func @tiny(%x: !daphne.matrix<1, 2, f64>, %s: f64) -> (!daphne.matrix<1, 2, f64>, f64) {
  // CHECK-NOT: daphne.pipeline
  // CHECK: %[[A:.*]] = daphne.ewAdd %arg0, %arg1
  // CHECK-NEXT: %[[B:.*]] = daphne.sumAll %[[A]]
  // CHECK-NEXT: return %[[A]], %[[B]]
  %a = daphne.ewAdd %x, %s : (!daphne.matrix<1, 2, f64>, f64) -> !daphne.matrix<1, 2, f64>
  %b = daphne.sumAll %a : (!daphne.matrix<1, 2, f64>) -> f64
  return %a, %b : !daphne.matrix<1, 2, f64>, f64
}

// -----

// Small vectors may make a large matrix.
// CHECK-LABEL: @outer
func.func @outer(%x: !daphne.matrix<64, 1, f64>, %y: !daphne.matrix<1, 64, f64>) -> f64 {
  // CHECK: "daphne.pipeline"
  %a = daphne.outerSub %x, %y : (!daphne.matrix<64, 1, f64>, !daphne.matrix<1, 64, f64>) -> !daphne.matrix<64, 64, f64>
  %b = daphne.sumAll %a : (!daphne.matrix<64, 64, f64>) -> f64
  return %b : f64
}

// -----

// What is not known may be large.
// CHECK-LABEL: @unknown
func.func @unknown(%x: !daphne.matrix<?, 2, f64>, %s: f64) -> !daphne.matrix<?, 2, f64> {
  // CHECK: "daphne.pipeline"
  %a = daphne.ewAdd %x, %s : (!daphne.matrix<?, 2, f64>, f64) -> !daphne.matrix<?, 2, f64>
  return %a : !daphne.matrix<?, 2, f64>
}
