// Options that do not exist, and options without a value.

// RUN: not %mlir-opt --poly-schedule="tilesizes=32" %s 2>%t | count 0
// RUN: FileCheck %s --input-file=%t
// CHECK: no such option tilesizes
// CHECK: poly-schedule: bad options '{{.*}}tilesizes=32'; the options are target, scheduler, {{.*}}tile-sizes, {{.*}}check

// RUN: not %mlir-opt --poly-schedule="parallel" %s 2>&1 | FileCheck %s --check-prefix=BARE
// BARE: --parallel option: requires a value
// BARE: poly-schedule: bad options '{{.*}}parallel'; the options are

// RUN: not %mlir-opt --poly-lower-x86="tile=true" %s 2>&1 | FileCheck %s --check-prefix=LOWER
// LOWER: poly-lower-x86: {{.*}}no such option tile; bad options 'tile=true'; the options are assume-noalias, prefer-vector-width

func.func @empty() {
  return
}
