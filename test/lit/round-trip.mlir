// RUN: daphne-opt %s | daphne-opt - | FileCheck %s

// CHECK-LABEL: @constants
func.func @constants() -> (si64, ui64, f64, f64, i1, !daphne.str, f32, index, ui8) {
  // CHECK: daphne.constant -9223372036854775808 : si64
  // CHECK: daphne.constant 18446744073709551615 : ui64
  // CHECK: daphne.constant 0x7FF8000000000000 : f64
  // CHECK: daphne.constant -1.500000e-03 : f64
  // CHECK: daphne.constant true : i1
  // CHECK: daphne.constant "a\22\0Ab" : !daphne.str
  // CHECK: daphne.constant 0xFF800000 : f32
  // CHECK: daphne.constant 7 : index
  // CHECK: daphne.constant 255 : ui8
  %a = daphne.constant -9223372036854775808 : si64
  %b = daphne.constant 18446744073709551615 : ui64
  %c = daphne.constant 0x7FF8000000000000 : f64
  %d = daphne.constant -1.5e-3 : f64
  %e = daphne.constant true : i1
  %f = daphne.constant "a\"\0Ab" : !daphne.str
  %g = daphne.constant 0xFF800000 : f32
  %h = daphne.constant 7 : index
  %i = daphne.constant 255 : ui8
  return %a, %b, %c, %d, %e, %f, %g, %h, %i : si64, ui64, f64, f64, i1, !daphne.str, f32, index, ui8
}

// -----

// CHECK: %arg0: !daphne.matrix<2, ?, f64, sparsity = 2.500000e-01>
// CHECK-SAME: %arg1: !daphne.matrix<?, 3, !daphne.unknown, csr>
// CHECK-SAME: %arg2: !daphne.matrix<1, 1, !daphne.str, sparsity = 0.000000e+00, csr>
// CHECK-SAME: %arg3: !daphne.frame<5, 2, ["a", "b c"], [si64, !daphne.str]>
// CHECK-SAME: %arg4: !daphne.frame<?, ?>
// CHECK-SAME: %arg5: !daphne.list<f64>
// CHECK-SAME: %arg6: !daphne.list<!daphne.unknown>
// CHECK-SAME: %arg7: !daphne.unknown
func.func @types(%a: !daphne.matrix<2, ?, f64, sparsity = 0.25>, %b: !daphne.matrix<?, 3, !daphne.unknown, csr>,
                 %c: !daphne.matrix<1, 1, !daphne.str, sparsity = 0.0, csr>,
                 %d: !daphne.frame<5, 2, ["a", "b c"], [si64, !daphne.str]>, %e: !daphne.frame<?, ?>,
                 %f: !daphne.list<f64>, %g: !daphne.list<!daphne.unknown>, %h: !daphne.unknown) {
  return
}

// -----

// CHECK-LABEL: @operations
func.func @operations(%x: !daphne.matrix<?, ?, f64>, %s: !daphne.str) -> si64 {
  // CHECK: daphne.matrixConstant {cells = dense<{{.*}}> : tensor<8xi8>} : () -> !daphne.matrix<1, 1, f64>
  // CHECK: daphne.write %arg0, %arg1, %arg1, %arg1, %arg1, %arg1, %arg1 : (!daphne.matrix<?, ?, f64>, !daphne.str, !daphne.str, !daphne.str, !daphne.str, !daphne.str, !daphne.str) -> ()
  // CHECK: daphne.cast %arg1 {kernel_hint = "k", kind = 1 : i64, value = 6 : i64} : (!daphne.str) -> si64
  // CHECK: daphne.fail {message = "no"} : () -> ()
  %m = daphne.matrixConstant {cells = dense<[0, 0, 0, 0, 0, 0, 8, 64]> : tensor<8xi8>} : () -> !daphne.matrix<1, 1, f64>
  daphne.write %x, %s, %s, %s, %s, %s, %s : (!daphne.matrix<?, ?, f64>, !daphne.str, !daphne.str, !daphne.str, !daphne.str, !daphne.str, !daphne.str) -> ()
  %i = daphne.cast %s {kernel_hint = "k", kind = 1 : i64, value = 6 : i64} : (!daphne.str) -> si64
  daphne.fail {message = "no"} : () -> ()
  return %i : si64
}
