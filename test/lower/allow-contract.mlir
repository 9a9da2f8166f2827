// Only what can be fused gets the flag, and flags that are there stay.

// RUN: %mlir-opt --poly-allow-contract %s | FileCheck %s

// CHECK-LABEL: func.func @flags
// CHECK:         arith.mulf %{{.*}}, %{{.*}} fastmath<contract> : f32
// CHECK:         arith.addf %{{.*}}, %{{.*}} fastmath<nnan,contract> : f32
// CHECK:         arith.subf %{{.*}}, %{{.*}} fastmath<fast> : f32
// CHECK:         arith.negf %{{.*}} fastmath<contract> : f32
// CHECK:         arith.mulf %{{.*}}, %{{.*}} fastmath<contract> : vector<4xf64>
// CHECK:         arith.divf %{{.*}}, %{{.*}} : f32
// CHECK:         arith.addi %{{.*}}, %{{.*}} : i32
func.func @flags(%a: f32, %b: f32, %v: vector<4xf64>, %i: i32) -> (f32, vector<4xf64>, i32) {
  %0 = arith.mulf %a, %b : f32
  %1 = arith.addf %0, %b fastmath<nnan> : f32
  %2 = arith.subf %1, %b fastmath<fast> : f32
  %3 = arith.negf %2 : f32
  %4 = arith.mulf %v, %v : vector<4xf64>
  %5 = arith.divf %3, %b : f32
  %6 = arith.addi %i, %i : i32
  return %5, %4, %6 : f32, vector<4xf64>, i32
}

// LLVM fuses with the flag, and never without.
// RUN: %mlir-opt --poly-allow-contract --poly-lower-x86 %s | mlir-translate --mlir-to-llvmir \
// RUN:   | llc -O2 -mattr=+fma -mtriple=x86_64-linux-gnu | FileCheck %s --check-prefix=FUSED
// RUN: %mlir-opt --poly-lower-x86 %s | mlir-translate --mlir-to-llvmir \
// RUN:   | llc -O2 -mattr=+fma -mtriple=x86_64-linux-gnu | FileCheck %s --check-prefix=SEPARATE
// FUSED-LABEL: fused:
// FUSED:         vfmadd
// SEPARATE-LABEL: fused:
// SEPARATE-NOT:    vfmadd
// SEPARATE:        ret
func.func @fused(%a: f64, %b: f64, %c: f64) -> f64 {
  %0 = arith.mulf %a, %b : f64
  %1 = arith.addf %0, %c : f64
  return %1 : f64
}
