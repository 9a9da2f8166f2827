// polyrs.dead says of arguments that the caller does not look at their elements afterwards. A region may take that for its own only where nothing else in the function does.

// RUN: %mlir-opt --poly-schedule="dump=scop" %s 2>&1 >/dev/null | grep "^scop:\|^live_out" | FileCheck %s
// CHECK-DAG: scop: "two:{{[0-9]+}}"{{[[:space:]]}}live_out: "{ arg0[i0, i1]; arg2[i0, i1]; arg1[i0, i1] }"
// CHECK-DAG: scop: "again:{{[0-9]+}}"{{[[:space:]]}}live_out: "{ arg0[i0, i1]; arg2[i0, i1]; arg1[i0, i1] }"
// CHECK-DAG: scop: "dies:{{[0-9]+}}"{{[[:space:]]}}live_out: "{ arg0[i0, i1]; arg2[i0, i1] }"

// A region of two that have it, marked dead by its user.
func.func @two(%A: memref<40x40xf64>, %T: memref<40x40xf64>, %B: memref<40x40xf64>, %f: i1) attributes {polyrs.dead = [1]} {
  affine.for %i = 0 to 40 { affine.for %j = 0 to 40 {
    %a = affine.load %A[%i, %j] : memref<40x40xf64>
    affine.store %a, %T[%i, %j] : memref<40x40xf64> } }
  affine.for %i = 1 to 40 { affine.for %j = 0 to 40 {
    %a = affine.load %T[%i - 1, %j] : memref<40x40xf64>
    %b = arith.addf %a, %a : f64
    affine.store %b, %B[%i, %j] : memref<40x40xf64> } }
  scf.if %f {
    affine.for %j = 0 to 40 {
      %a = affine.load %T[7, %j] : memref<40x40xf64>
      affine.store %a, %B[0, %j] : memref<40x40xf64> } }
  return
}
// A region that runs several times, and finds what it left.
func.func @again(%A: memref<40x40xf64>, %T: memref<40x40xf64>, %B: memref<40x40xf64>, %n: index) attributes {polyrs.dead = [1]} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  scf.for %r = %c0 to %n step %c1 {
    affine.for %i = 1 to 40 { affine.for %j = 0 to 40 {
      %a = affine.load %T[%i - 1, %j] : memref<40x40xf64>
      affine.store %a, %B[%i, %j] : memref<40x40xf64> } }
    affine.for %i = 0 to 40 { affine.for %j = 0 to 40 {
      %a = affine.load %A[%i, %j] : memref<40x40xf64>
      affine.store %a, %T[%i, %j] : memref<40x40xf64> } }
  }
  return
}
// Nobody else, and nothing before: the array dies.
func.func @dies(%A: memref<40x40xf64>, %T: memref<40x40xf64>, %B: memref<40x40xf64>) attributes {polyrs.dead = [1]} {
  affine.for %i = 0 to 40 { affine.for %j = 0 to 40 {
    %a = affine.load %A[%i, %j] : memref<40x40xf64>
    affine.store %a, %T[%i, %j] : memref<40x40xf64> } }
  affine.for %i = 1 to 40 { affine.for %j = 0 to 40 {
    %a = affine.load %T[%i - 1, %j] : memref<40x40xf64>
    %b = arith.addf %a, %a : f64
    affine.store %b, %B[%i, %j] : memref<40x40xf64> } }
  return
}
