// RUN: daphne-opt --pass prune-reads %s | FileCheck %s

// All users name their columns: the others are not read, and the check of the frame expects only the rest.
// CHECK-LABEL: @named
func.func @named() -> (!daphne.frame<?, 1, ["c"], [f64]>, index) {
  %name = daphne.constant "x.csv" : !daphne.str
  %yes = daphne.constant true : i1
  %none = daphne.constant -1 : si8
  // CHECK: %[[C:.*]] = daphne.constant "c"
  // CHECK-NEXT: %[[R:.*]] = daphne.read %{{.*}}, %{{.*}}, %[[C]] :
  %r = daphne.read %name, %yes, %none, %none, %none, %none, %none : (!daphne.str, i1, si8, si8, si8, si8, si8) -> !daphne.frame<?, ?>
  // CHECK-NEXT: %[[F:.*]] = daphne.adapt %[[R]] : (!daphne.frame<?, ?>) -> !daphne.frame<?, 1, ["c"], [f64]>
  %f = daphne.adapt %r : (!daphne.frame<?, ?>) -> !daphne.frame<?, 3, ["a", "b", "c"], [si64, !daphne.str, f64]>
  %lc = daphne.constant "c" : !daphne.str
  %c = daphne.extractCol %f, %lc : (!daphne.frame<?, 3, ["a", "b", "c"], [si64, !daphne.str, f64]>, !daphne.str) -> !daphne.frame<?, 1, ["c"], [f64]>
  %n = daphne.numRows %f : (!daphne.frame<?, 3, ["a", "b", "c"], [si64, !daphne.str, f64]>) -> index
  return %c, %n : !daphne.frame<?, 1, ["c"], [f64]>, index
}

// -----

// Somebody has the whole frame.
// CHECK-LABEL: @whole
func.func @whole() -> (!daphne.frame<?, 1, ["a"], [si64]>, !daphne.frame<?, 2, ["a", "b"], [si64, f64]>) {
  %name = daphne.constant "x.csv" : !daphne.str
  %yes = daphne.constant true : i1
  %none = daphne.constant -1 : si8
  // CHECK: daphne.read %{{[^,]*}}, %{{[^,]*}}, %[[N:[^,]*]], %[[N]], %[[N]], %[[N]], %[[N]] :
  %r = daphne.read %name, %yes, %none, %none, %none, %none, %none : (!daphne.str, i1, si8, si8, si8, si8, si8) -> !daphne.frame<?, ?>
  %f = daphne.adapt %r : (!daphne.frame<?, ?>) -> !daphne.frame<?, 2, ["a", "b"], [si64, f64]>
  %la = daphne.constant "a" : !daphne.str
  %a = daphne.extractCol %f, %la : (!daphne.frame<?, 2, ["a", "b"], [si64, f64]>, !daphne.str) -> !daphne.frame<?, 1, ["a"], [si64]>
  return %a, %f : !daphne.frame<?, 1, ["a"], [si64]>, !daphne.frame<?, 2, ["a", "b"], [si64, f64]>
}

// -----

// Columns by position or by a name that is not known may be any.
// CHECK-LABEL: @anyColumn
func.func @anyColumn(%label: !daphne.str) -> !daphne.frame<?, ?> {
  %name = daphne.constant "x.csv" : !daphne.str
  %yes = daphne.constant true : i1
  %none = daphne.constant -1 : si8
  // CHECK: daphne.read %{{[^,]*}}, %{{[^,]*}}, %[[N:[^,]*]], %[[N]], %[[N]], %[[N]], %[[N]] :
  %r = daphne.read %name, %yes, %none, %none, %none, %none, %none : (!daphne.str, i1, si8, si8, si8, si8, si8) -> !daphne.frame<?, ?>
  %f = daphne.adapt %r : (!daphne.frame<?, ?>) -> !daphne.frame<?, 2, ["a", "b"], [si64, f64]>
  %a = daphne.extractCol %f, %label : (!daphne.frame<?, 2, ["a", "b"], [si64, f64]>, !daphne.str) -> !daphne.frame<?, ?>
  return %a : !daphne.frame<?, ?>
}
