// RUN: not daphne-opt --verify-only %s 2>&1 | FileCheck %s

// CHECK: 'daphne.ewAdd' op takes 2 to 2 operands, got 1
func.func @tooFewOperands(%a: f64) {
  %r = daphne.ewAdd %a : (f64) -> f64
  return
}

// -----

// CHECK: 'daphne.ewSin' op takes 1 to 1 operands, got 2
func.func @tooManyOperands(%a: f64) {
  %r = daphne.ewSin %a, %a : (f64, f64) -> f64
  return
}

// -----

// CHECK: 'daphne.ewSin' op has 1 results, got 0
func.func @tooFewResults(%a: f64) {
  daphne.ewSin %a : (f64) -> ()
  return
}

// -----

// CHECK: 'daphne.ewSin' op yields f64, not 'f32'
func.func @wrongResult(%a: f64) {
  %r = daphne.ewSin %a : (f64) -> f32
  return
}

// -----

// CHECK: 'daphne.transpose' op yields matrix<f64> 3x2, not 'f64'
func.func @wrongKind(%a: !daphne.matrix<2, 3, f64>) {
  %r = daphne.transpose %a : (!daphne.matrix<2, 3, f64>) -> f64
  return
}

// -----

// What inference rejects, the verifier does too.
// CHECK: 'daphne.ewAdd' op '+' needs equal shapes or a vector to broadcast, got 2x3 and 3x2
func.func @wrongShapes(%a: !daphne.matrix<2, 3, f64>, %b: !daphne.matrix<3, 2, f64>) {
  %r = daphne.ewAdd %a, %b : (!daphne.matrix<2, 3, f64>, !daphne.matrix<3, 2, f64>) -> !daphne.matrix<2, 3, f64>
  return
}

// -----

// CHECK: 'daphne.sumAll' op {{.*}}needs a numeric matrix as argument 1, got str
func.func @wrongOperand(%a: !daphne.str) {
  %r = daphne.sumAll %a : (!daphne.str) -> f64
  return
}

// -----

// CHECK: 'daphne.constant' op needs a value
func.func @constantWithoutValue() {
  %r = "daphne.constant"() : () -> si64
  return
}

// -----

// CHECK: 'daphne.matrixConstant' op with cells takes no operands
func.func @literalWithOperands(%a: f64) {
  %r = daphne.matrixConstant %a {cells = dense<0> : tensor<8xi8>} : (f64) -> !daphne.matrix<1, 1, f64>
  return
}

// -----

// CHECK: constant does not fit its type
func.func @textAsNumber() {
  %r = daphne.constant "1" : si64
  return
}

// -----

// CHECK: constant does not fit its type
func.func @truthAsNumber() {
  %r = daphne.constant true : f64
  return
}

// -----

// CHECK: unknown type !daphne.tensor
func.func private @unknownType(%a: !daphne.tensor<f64>)

// -----

// CHECK: expected 'sparsity'
func.func private @unknownFact(%a: !daphne.matrix<2, 3, f64, density = 0.5>)

// -----

// CHECK: expected integer value
func.func private @matrixWithoutShape(%a: !daphne.matrix<f64>)

// -----

// CHECK: unregistered operation 'daphne.frobnicate'
func.func @unknownOperation(%a: f64) {
  %r = "daphne.frobnicate"(%a) : (f64) -> f64
  return
}

// -----

// RUN: not daphne-opt --pass no-such-pass %s 2>&1 | FileCheck %s
// CHECK: error: no transformation named 'no-such-pass'

// -----

// RUN: not daphne-opt --frobnicate 2>&1 | FileCheck %s
// CHECK: usage: daphne-opt

// -----

// RUN: not daphne-opt no-such-file.mlir 2>&1 | FileCheck %s
// CHECK: error:
