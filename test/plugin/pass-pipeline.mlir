// The textual form, with and without options, around other passes, and only on the operation it is for.

// RUN: %mlir-opt --pass-pipeline="builtin.module(func.func(poly-schedule))" %s | FileCheck %s
// RUN: %mlir-opt --pass-pipeline="builtin.module(func.func(cse,poly-schedule{target=cpu tile-sizes=32,32,32 parallel=true},canonicalize))" %s \
// RUN:   | FileCheck %s
// CHECK: func.func @empty

// What is printed can be read again.
// RUN: %mlir-opt --poly-schedule="tile-sizes=4,8 dump=scop,ast" --dump-pass-pipeline %s -o /dev/null 2>&1 | FileCheck %s --check-prefix=DUMP
// RUN: %mlir-opt --pass-pipeline="builtin.module(func.func(poly-schedule{dump=scop,ast report= save-schedule= tile-sizes=4,8}))" %s | FileCheck %s
// DUMP: poly-schedule{assume-noalias=true {{.*}}check=true {{.*}}dump=scop,ast {{.*}}tile-sizes=4,8

// RUN: not %mlir-opt --pass-pipeline="builtin.module(poly-schedule)" %s 2>&1 | FileCheck %s --check-prefix=ANCHOR
// ANCHOR: Can't add pass 'poly-schedule' restricted to 'func.func' on a PassManager intended to run on 'builtin.module'

func.func @empty() {
  return
}
