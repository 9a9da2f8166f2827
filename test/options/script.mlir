// A schedule can be made by steps (docs/try.md). It is checked as all others are.
//
// RUN: rm -rf %t && split-file %s %t && cd %t
// RUN: %mlir-opt --poly-schedule="function=product script=steps.try save-schedule=tree.yaml" in.mlir -o product.mlir 2>&1 | FileCheck in.mlir --check-prefix=DONE --implicit-check-not=warning
// RUN: FileCheck in.mlir --check-prefix=TREE --input-file=tree.yaml
// RUN: FileCheck in.mlir --check-prefix=CODE --input-file=product.mlir
// RUN: %mlir-opt --poly-schedule="function=product load-schedule=tree.yaml" in.mlir -o loaded.mlir
// RUN: diff product.mlir loaded.mlir
// RUN: %equal --with="script=%t/steps.try parallel=true" --sizes=13,35,40 --sizes=8,16,32 --sizes=1,2,0 equal.mlir
//
// A step that is refused leaves the region as it is, with its line and the reason; so does what is no step.
// RUN: %mlir-opt in.mlir -o original.mlir
// RUN: %mlir-opt --poly-schedule="function=product check=false script=refused.try" in.mlir -o refused.mlir 2>&1 | FileCheck in.mlir --check-prefix=REFUSED
// RUN: diff original.mlir refused.mlir
// RUN: %mlir-opt --poly-schedule="function=product script=wrong.try" in.mlir -o wrong.mlir 2>&1 | FileCheck in.mlir --check-prefix=WRONG
// RUN: diff original.mlir wrong.mlir
// RUN: not %mlir-opt --poly-schedule="function=product script=absent.try" in.mlir 2>&1 | FileCheck in.mlir --check-prefix=ABSENT
// RUN: not %mlir-opt --poly-schedule="script=steps.try load-schedule=steps.try" in.mlir 2>&1 | FileCheck in.mlir --check-prefix=BOTH
//
// Regions are selected by function, line or number; what none selects is optimized as ever, and lines that select none are told.
// RUN: %mlir-opt --poly-schedule="function=two script=regions.try" in.mlir -o two.mlir 2>&1 | FileCheck in.mlir --check-prefix=TWO
// RUN: FileCheck in.mlir --check-prefix=TWOCODE --input-file=two.mlir

//--- steps.try
region product
interchange i1 i2   # along rows
tile i0 i1 i2 8 16 32
parallel i0.tile
//--- refused.try
region product
interchange i1 i2

parallel i2
//--- wrong.try
region product
interchang i1 i2
//--- regions.try
region two#1
tile i0 5
region two#2
tile i0 7
region two:99
parallel i0
region three
parallel i0
//--- in.mlir
// DONE: remark: poly-schedule: scop: product
// TREE: mark: "tile"
// TREE: mark: "parallel"
// TREE: mark: "point"
// CODE: affine.parallel
// REFUSED: remark: poly-schedule: refused: script refused.try:4: `parallel i2`: S0(i0=0, i1=0, i2=0) writes arg5[0][0], which S0(i0=0, i1=0, i2=1) reads
// WRONG: remark: poly-schedule: refused: script wrong.try:2:1: `interchang` is no command; is `interchange` meant?
// ABSENT: error: poly-schedule: option 'script': cannot read absent.try: No such file
// BOTH: 'script'
// TWO: warning: poly-schedule: script regions.try:5: there is no region two:99; there are two:
// TWO-NOT: region three
// TWOCODE-LABEL: func.func @two
// TWOCODE: step 5
// TWOCODE: call @barrier
// TWOCODE: step 7

func.func @product(%m: index, %n: index, %k: index, %A: memref<?x?xf64>, %B: memref<?x?xf64>, %C: memref<?x?xf64>) {
  affine.for %i = 0 to %m {
    affine.for %j = 0 to %n {
      affine.for %l = 0 to %k {
        %a = affine.load %A[%i, %l] : memref<?x?xf64>
        %b = affine.load %B[%l, %j] : memref<?x?xf64>
        %c = affine.load %C[%i, %j] : memref<?x?xf64>
        %p = arith.mulf %a, %b : f64
        %s = arith.addf %c, %p : f64
        affine.store %s, %C[%i, %j] : memref<?x?xf64>
      }
    }
  }
  return
}

func.func private @barrier()

func.func @two(%n: index, %A: memref<?xf64>, %x: f64) {
  affine.for %i = 0 to %n {
    affine.store %x, %A[%i] : memref<?xf64>
  }
  call @barrier() : () -> ()
  affine.for %i = 0 to %n {
    affine.store %x, %A[%i] : memref<?xf64>
  }
  return
}

//--- equal.mlir
// EXPECT: tiled parallel
// shape A: m, k
// shape B: k, n
// shape C: m, n
func.func @product(%m: index, %n: index, %k: index, %A: memref<?x?xf64>, %B: memref<?x?xf64>, %C: memref<?x?xf64>) {
  affine.for %i = 0 to %m {
    affine.for %j = 0 to %n {
      affine.for %l = 0 to %k {
        %a = affine.load %A[%i, %l] : memref<?x?xf64>
        %b = affine.load %B[%l, %j] : memref<?x?xf64>
        %c = affine.load %C[%i, %j] : memref<?x?xf64>
        %p = arith.mulf %a, %b : f64
        %s = arith.addf %c, %p : f64
        affine.store %s, %C[%i, %j] : memref<?x?xf64>
      }
    }
  }
  return
}
