// RUN: daphne-opt --pass select-representations --pass adapt-representations %s | FileCheck %s

// Below the threshold and numeric: csr. The operation without a kernel for it gets a dense operand.
// CHECK: daphne.csr_threshold = 2.500000e-01
// CHECK-LABEL: @main
func.func @main(%s: si64) {
  %a = daphne.constant 0.1 : f64
  %b = daphne.constant 0.5 : f64
  %n = daphne.constant 10 : si64
  %lo = daphne.constant 1.0 : f64
  %hi = daphne.constant 2.0 : f64
  // CHECK: %[[X:.*]] = daphne.randMatrix {{.*}} -> !daphne.matrix<10, 10, f64, sparsity = 1.000000e-01, csr>
  %x = daphne.randMatrix %n, %n, %lo, %hi, %a, %s : (si64, si64, f64, f64, f64, si64) -> !daphne.matrix<10, 10, f64>
  // CHECK: %[[Y:.*]] = daphne.randMatrix {{.*}} -> !daphne.matrix<10, 10, f64, sparsity = 5.000000e-01>
  %y = daphne.randMatrix %n, %n, %lo, %hi, %b, %s : (si64, si64, f64, f64, f64, si64) -> !daphne.matrix<10, 10, f64>
  // CHECK: daphne.sumAll %[[X]]
  %1 = daphne.sumAll %x : (!daphne.matrix<10, 10, f64>) -> f64
  // CHECK: %[[D:.*]] = daphne.densify %[[X]]
  // CHECK: daphne.softmax %[[D]]
  %2 = daphne.softmax %x : (!daphne.matrix<10, 10, f64>) -> !daphne.matrix<10, 10, f64>
  // CHECK: daphne.softmax %[[Y]]
  %3 = daphne.softmax %y : (!daphne.matrix<10, 10, f64>) -> !daphne.matrix<10, 10, f64>
  return
}
