// scheduler=isl interchanges the loops of a column-wise copy after a row-wise one and fuses them, and so do ours, unless
// the strategy gives up fusion or carries dependences first; scheduler=none keeps the original order and still tiles, here even
// where nothing comes back to the data.
//
// RUN: %mlir-opt --poly-schedule="scheduler=none parallel=false tile=false" %s -o %t.none 2>%t.err
// RUN: FileCheck %s --check-prefix=REMARK --input-file=%t.err
// RUN: FileCheck %s --check-prefix=NONE --input-file=%t.none
// RUN: %mlir-opt --poly-schedule="scheduler=isl parallel=false tile=false profitability=off" %s 2>/dev/null | FileCheck %s --check-prefix=ISL
// RUN: %mlir-opt --poly-schedule="scheduler=ppcg parallel=false tile=false profitability=off" %s 2>/dev/null | FileCheck %s --check-prefix=ISL
// RUN: %mlir-opt --poly-schedule="scheduler=pluto parallel=false tile=false profitability=off" %s 2>/dev/null | FileCheck %s --check-prefix=ISL
// RUN: %mlir-opt --poly-schedule="scheduler=unified parallel=false tile=false profitability=off" %s 2>/dev/null | FileCheck %s --check-prefix=UNIFIED
// RUN: %mlir-opt --poly-schedule="scheduler=feautrier parallel=false tile=false profitability=off" %s 2>/dev/null | FileCheck %s --check-prefix=NONE
// RUN: printf 'fusion = "none"\n' > %t.toml
// RUN: %mlir-opt --poly-schedule="scheduler=ppcg strategy=%t.toml parallel=false tile=false profitability=off" %s 2>/dev/null | FileCheck %s --check-prefix=NONE
// RUN: printf 'fusion = "some"\n' > %t.bad.toml
// RUN: not %mlir-opt --poly-schedule="scheduler=ppcg strategy=%t.bad.toml" %s 2>&1 | FileCheck %s --check-prefix=BAD
// RUN: %mlir-opt --poly-schedule="scheduler=none parallel=false profitability=off" %s 2>/dev/null | FileCheck %s --check-prefix=TILED

// REMARK: scop: chain:{{.*}} bands=2
// NONE-COUNT-4: affine.for
// NONE-NOT: affine.for
// ISL-COUNT-2: affine.for
// ISL-NOT: affine.for
// UNIFIED-COUNT-2: affine.for
// UNIFIED-NOT: affine.for
// TILED-COUNT-2: step 32
// BAD: error: poly-schedule: option 'strategy': {{.*}}bad.toml:1:1: unknown variant `some`, expected one of `none`, `smart`, `max`, `incremental`

func.func @chain(%A: memref<1000x1000xf64>, %B: memref<1000x1000xf64>, %C: memref<1000x1000xf64>) {
  affine.for %i = 0 to 1000 {
    affine.for %j = 0 to 1000 {
      %0 = affine.load %A[%i, %j] : memref<1000x1000xf64>
      affine.store %0, %B[%i, %j] : memref<1000x1000xf64>
    }
  }
  affine.for %i = 0 to 1000 {
    affine.for %j = 0 to 1000 {
      %0 = affine.load %B[%j, %i] : memref<1000x1000xf64>
      affine.store %0, %C[%j, %i] : memref<1000x1000xf64>
    }
  }
  return
}
