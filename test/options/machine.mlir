// What is known of the machine decides how large tiles are and which loops are worth threads; MLIR's own default is the host.
//
// RUN: printf 'name: small\ncaches: 8K # one level\n' > %t.small
// RUN: printf 'caches: 128K, 16M/8\n' > %t.large
// RUN: %mlir-opt --poly-schedule="parallel=false machine=generic" %s 2>/dev/null | FileCheck %s --check-prefixes=CHECK,GENERIC
// RUN: %mlir-opt --poly-schedule="parallel=false machine=%t.small" %s 2>/dev/null | FileCheck %s --check-prefixes=CHECK,SMALL
// RUN: %mlir-opt --poly-schedule="parallel=false machine=%t.large" %s 2>/dev/null | FileCheck %s --check-prefixes=CHECK,LARGE
// RUN: env POLYRS_MACHINE=%t.large %mlir-opt --poly-schedule="parallel=false" %s 2>/dev/null \
// RUN:   | FileCheck %s --check-prefixes=CHECK,LARGE
// RUN: env POLYRS_MACHINE=/nowhere %mlir-opt --poly-schedule="parallel=false machine=%t.small tile-sizes=7" %s 2>/dev/null \
// RUN:   | FileCheck %s --check-prefixes=CHECK,SEVEN
// RUN: %mlir-opt --poly-schedule="machine=host" %s -o /dev/null 2>/dev/null
//
// CHECK-LABEL: @product
// GENERIC: affine.for {{.*}} step 256
// GENERIC-NEXT: affine.for {{.*}} step 192
// GENERIC-NEXT: affine.for {{.*}} step 128
// SMALL-COUNT-3: affine.for {{.*}} step 16
// LARGE-COUNT-3: affine.for {{.*}} step 64
// SEVEN-COUNT-3: affine.for {{.*}} step 7
//
// Ten thousand operations on two cores do not pay for starting threads, unless starting takes less or nobody asks.
//
// RUN: printf 'parallel-start: 1000\n' > %t.quick
// RUN: printf 'cores: 1\nname: single\n' > %t.single
// RUN: %mlir-opt --poly-schedule="function=scale,product" %s 2>&1 | FileCheck %s --check-prefix=SEQUENTIAL
// RUN: %mlir-opt --poly-schedule="function=scale,product machine=%t.quick" %s 2>&1 | FileCheck %s --check-prefix=PARALLEL
// RUN: %mlir-opt --poly-schedule="function=scale,product profitability=off" %s 2>&1 | FileCheck %s --check-prefix=PARALLEL
// RUN: %mlir-opt --poly-schedule="function=scale,product machine=%t.single" %s 2>&1 | FileCheck %s --check-prefix=SINGLE
//
// SEQUENTIAL: scop: product:{{.*}} parallel=1
// SEQUENTIAL: scop: scale:{{.*}} parallel=0 {{.*}} too-little-work=1; left as it is: the best code found is the original;
// SEQUENTIAL-SAME: its loops have too little work for threads (machine: generic)
// SEQUENTIAL: @scale
// SEQUENTIAL-NOT: affine.parallel
// PARALLEL: scop: scale:{{.*}} parallel=1
// PARALLEL: @scale
// PARALLEL: affine.parallel
// SINGLE: scop: product:{{.*}} parallel=0
// SINGLE: scop: scale:{{.*}} parallel=0 {{.*}} (machine: single)
//
// Mistakes are told before anything runs.
//
// RUN: printf '# mine\ncaches: 8K\nl1: 32K\n' > %t.bad
// RUN: not %mlir-opt --poly-schedule="machine=%t.bad" %s 2>&1 | FileCheck %s --check-prefix=BAD
// RUN: env POLYRS_MACHINE=%t.bad not %mlir-opt --poly-schedule %s 2>&1 | FileCheck %s --check-prefix=BAD
// RUN: not %mlir-opt --poly-schedule="machine=hots" %s 2>&1 | FileCheck %s --check-prefix=MISSING
// BAD: error: poly-schedule: {{option 'machine'|environment variable POLYRS_MACHINE}}: {{.*}}.bad:3:1: nothing is called l1; there are base, name, cores, line-bytes, caches,
// MISSING: error: poly-schedule: option 'machine': cannot read hots: No such file

func.func @product(%n: index, %A: memref<?x?xf64>, %B: memref<?x?xf64>, %C: memref<?x?xf64>) {
  affine.for %i = 0 to %n {
    affine.for %j = 0 to %n {
      affine.for %k = 0 to %n {
        %0 = affine.load %C[%i, %j] : memref<?x?xf64>
        %1 = affine.load %A[%i, %k] : memref<?x?xf64>
        %2 = affine.load %B[%k, %j] : memref<?x?xf64>
        %3 = arith.mulf %1, %2 : f64
        %4 = arith.addf %0, %3 : f64
        affine.store %4, %C[%i, %j] : memref<?x?xf64>
      }
    }
  }
  return
}

func.func @scale(%c: f64, %A: memref<50x100xf64>) {
  affine.for %i = 0 to 50 {
    affine.for %j = 0 to 100 {
      %0 = affine.load %A[%i, %j] : memref<50x100xf64>
      %1 = arith.mulf %0, %c : f64
      affine.store %1, %A[%i, %j] : memref<50x100xf64>
    }
  }
  return
}
