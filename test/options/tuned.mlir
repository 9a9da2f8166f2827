// `tuned=FILE`: the choices of a file (docs/tune.md), for the region with this model, on this machine, with these options.

// RUN: rm -rf %t && mkdir %t
// RUN: env POLYRS_RECORDS=%t POLYRS_TUNE_CANDIDATES=4 %mlir-opt --poly-schedule="layout=none" %s -o /dev/null
// RUN: cat %t/*.candidates | FileCheck %s --check-prefix=OFFER
// OFFER:     region = "product:
// OFFER:     key = "{{[0-9a-f]+}}"
// OFFER:     machine = "generic-{{[0-9a-f]+}}"
// OFFER:     candidate = "order=
// OFFER:     cost =

// RUN: echo 'version = 1' > %t/head && echo '[[region]]' >> %t/head && echo 'name = "product:1"' >> %t/head
// RUN: cat %t/*.candidates | grep -E "^(key|machine|options) =" >> %t/head
// RUN: cp %t/head %t/own && echo 'choice = "order=original+tiles=5"' >> %t/own
// RUN: %mlir-opt --poly-schedule="layout=none tuned=%t/own" %s 2>&1 | FileCheck %s --check-prefix=OWN
// OWN: remark: poly-schedule: scop: product{{.*}} tile-sizes=5 {{.*}}; as {{.*}}own says: order=original+tiles=5+
// OWN: step 5

// RUN: cp %t/head %t/original && echo 'choice = "original"' >> %t/original
// RUN: env POLYRS_TUNED=%t/original %mlir-opt --poly-schedule="layout=none" %s -o %t/left.mlir 2>&1 | FileCheck %s --check-prefix=ORIGINAL
// ORIGINAL: remark: poly-schedule: scop: product{{.*}}: left as it is; as {{.*}}original says: original
// RUN: %mlir-opt %s -o %t/as-it-is.mlir && cmp %t/left.mlir %t/as-it-is.mlir

// RUN: cp %t/head %t/default && echo 'choice = "default"' >> %t/default
// RUN: %mlir-opt --poly-schedule="layout=none tuned=%t/default" %s -o %t/by-default.mlir 2>&1 | FileCheck %s --check-prefix=DEFAULT
// DEFAULT: ; as {{.*}}default says: default
// RUN: %mlir-opt --poly-schedule="layout=none" %s -o %t/without.mlir && cmp %t/by-default.mlir %t/without.mlir

// What is for other options, or another machine, is not taken, and a warning says so.

// RUN: %mlir-opt --poly-schedule="layout=none tuned=%t/own wavefront=2" %s 2>&1 | FileCheck %s --check-prefix=OPTIONS
// OPTIONS: remark: {{.*}}; not as {{.*}}own says: it was measured with other options
// OPTIONS: warning: poly-schedule: not as measured: it was measured with other options
// RUN: %mlir-opt --poly-schedule="layout=none tuned=%t/own machine=%S/../machine.txt" %s 2>&1 | FileCheck %s --check-prefix=MACHINE
// MACHINE: warning: poly-schedule: not as measured: it was measured on generic-

// RUN: not %mlir-opt --poly-schedule="tuned=%t/none" %s 2>&1 | FileCheck %s --check-prefix=NONE
// NONE: error: poly-schedule: option 'tuned': {{.*}}none: No such file
// RUN: echo 'version = 1' > %t/bad && echo 'regions = 3' >> %t/bad
// RUN: not %mlir-opt --poly-schedule="tuned=%t/bad" %s 2>&1 | FileCheck %s --check-prefix=BAD
// BAD: option 'tuned': {{.*}}bad: line 2: unknown field `regions`

func.func @product(%n: index, %A: memref<?x?xf64>, %B: memref<?x?xf64>, %C: memref<?x?xf64>) {
  affine.for %i = 0 to %n {
    affine.for %j = 0 to %n {
      affine.for %k = 0 to %n {
        %a = affine.load %A[%i, %k] : memref<?x?xf64>
        %b = affine.load %B[%k, %j] : memref<?x?xf64>
        %c = affine.load %C[%i, %j] : memref<?x?xf64>
        %p = arith.mulf %a, %b : f64
        %s = arith.addf %c, %p : f64
        affine.store %s, %C[%i, %j] : memref<?x?xf64>
      }
    }
  }
  return
}
