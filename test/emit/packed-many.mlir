// Buffers for packed tiles of all regions in a function are on the stack together, and take at most a MiB: what comes later is read
// where it is.
// RUN: %mlir-opt --poly-schedule="machine=%S/Inputs/wide.txt parallel=false read-back=true" %s 2>/dev/null | FileCheck %s

// CHECK-LABEL: func.func @products
// CHECK-COUNT-5: memref.alloca() {alignment = 64 : i64, polyrs.promoted} : memref<128x192xf64>
// CHECK-NOT:     memref.alloca() {alignment
// CHECK:         return
func.func private @between()
func.func @products(%n: index, %A0: memref<?x?xf64>, %B0: memref<?x?xf64>, %C0: memref<?x?xf64>, %A1: memref<?x?xf64>, %B1: memref<?x?xf64>, %C1: memref<?x?xf64>, %A2: memref<?x?xf64>, %B2: memref<?x?xf64>, %C2: memref<?x?xf64>, %A3: memref<?x?xf64>, %B3: memref<?x?xf64>, %C3: memref<?x?xf64>, %A4: memref<?x?xf64>, %B4: memref<?x?xf64>, %C4: memref<?x?xf64>, %A5: memref<?x?xf64>, %B5: memref<?x?xf64>, %C5: memref<?x?xf64>) {
  affine.for %i = 0 to %n { affine.for %k = 0 to %n { affine.for %j = 0 to %n {
    %a = affine.load %A0[%i, %k] : memref<?x?xf64>
    %b = affine.load %B0[%k, %j] : memref<?x?xf64>
    %c = affine.load %C0[%i, %j] : memref<?x?xf64>
    %p = arith.mulf %a, %b : f64
    %s = arith.addf %c, %p : f64
    affine.store %s, %C0[%i, %j] : memref<?x?xf64>
  } } }
  func.call @between() : () -> ()
  affine.for %i = 0 to %n { affine.for %k = 0 to %n { affine.for %j = 0 to %n {
    %a = affine.load %A1[%i, %k] : memref<?x?xf64>
    %b = affine.load %B1[%k, %j] : memref<?x?xf64>
    %c = affine.load %C1[%i, %j] : memref<?x?xf64>
    %p = arith.mulf %a, %b : f64
    %s = arith.addf %c, %p : f64
    affine.store %s, %C1[%i, %j] : memref<?x?xf64>
  } } }
  func.call @between() : () -> ()
  affine.for %i = 0 to %n { affine.for %k = 0 to %n { affine.for %j = 0 to %n {
    %a = affine.load %A2[%i, %k] : memref<?x?xf64>
    %b = affine.load %B2[%k, %j] : memref<?x?xf64>
    %c = affine.load %C2[%i, %j] : memref<?x?xf64>
    %p = arith.mulf %a, %b : f64
    %s = arith.addf %c, %p : f64
    affine.store %s, %C2[%i, %j] : memref<?x?xf64>
  } } }
  func.call @between() : () -> ()
  affine.for %i = 0 to %n { affine.for %k = 0 to %n { affine.for %j = 0 to %n {
    %a = affine.load %A3[%i, %k] : memref<?x?xf64>
    %b = affine.load %B3[%k, %j] : memref<?x?xf64>
    %c = affine.load %C3[%i, %j] : memref<?x?xf64>
    %p = arith.mulf %a, %b : f64
    %s = arith.addf %c, %p : f64
    affine.store %s, %C3[%i, %j] : memref<?x?xf64>
  } } }
  func.call @between() : () -> ()
  affine.for %i = 0 to %n { affine.for %k = 0 to %n { affine.for %j = 0 to %n {
    %a = affine.load %A4[%i, %k] : memref<?x?xf64>
    %b = affine.load %B4[%k, %j] : memref<?x?xf64>
    %c = affine.load %C4[%i, %j] : memref<?x?xf64>
    %p = arith.mulf %a, %b : f64
    %s = arith.addf %c, %p : f64
    affine.store %s, %C4[%i, %j] : memref<?x?xf64>
  } } }
  func.call @between() : () -> ()
  affine.for %i = 0 to %n { affine.for %k = 0 to %n { affine.for %j = 0 to %n {
    %a = affine.load %A5[%i, %k] : memref<?x?xf64>
    %b = affine.load %B5[%k, %j] : memref<?x?xf64>
    %c = affine.load %C5[%i, %j] : memref<?x?xf64>
    %p = arith.mulf %a, %b : f64
    %s = arith.addf %c, %p : f64
    affine.store %s, %C5[%i, %j] : memref<?x?xf64>
  } } }
  func.call @between() : () -> ()
  return
}
