// A schedule tree can be saved and loaded again. A loaded tree is checked, even with check=false.
//
// RUN: rm -rf %t && mkdir %t
// RUN: %mlir-opt --poly-schedule="function=shift save-schedule=%t/tree.yaml" %s -o %t/direct.mlir
// RUN: FileCheck %s --check-prefix=TREE --input-file=%t/tree.yaml
// RUN: %mlir-opt --poly-schedule="function=shift load-schedule=%t/tree.yaml" %s -o %t/loaded.mlir
// RUN: diff %t/direct.mlir %t/loaded.mlir
//
// Iterations depend on the ones before, so the loop cannot run backwards.
// RUN: sed -e 's/S0\[i0\] -> \[(i0)\]/S0[i0] -> [(-i0)]/g' %t/tree.yaml > %t/backwards.yaml
// RUN: not diff %t/tree.yaml %t/backwards.yaml
// RUN: %mlir-opt --poly-schedule="function=shift check=false load-schedule=%t/backwards.yaml" %s -o %t/refused.mlir 2>&1 | FileCheck %s --check-prefix=BACKWARDS
// RUN: %mlir-opt %s -o %t/original.mlir
// RUN: diff %t/original.mlir %t/refused.mlir
//
// What cannot be read is said before anything runs; where the file of one region is missing, that one stays as it is.
// RUN: not %mlir-opt --poly-schedule="function=shift load-schedule=%t/absent.yaml" %s -o %t/absent.mlir 2>&1 | FileCheck %s --check-prefix=ABSENT
// RUN: %mlir-opt --poly-schedule="function=shift load-schedule=%t/none-%%.yaml" %s -o %t/none.mlir 2>&1 | FileCheck %s --check-prefix=NONE
// RUN: diff %t/original.mlir %t/none.mlir
// RUN: echo "domain: [" > %t/broken.yaml
// RUN: %mlir-opt --poly-schedule="function=shift load-schedule=%t/broken.yaml" %s -o %t/broken.mlir 2>&1 | FileCheck %s --check-prefix=BROKEN
// RUN: diff %t/original.mlir %t/broken.mlir
//
// Two regions do not fit into one file; % stands for the name of the region.
// RUN: %mlir-opt --poly-schedule="function=two save-schedule=%t/two.yaml" %s -o %t/two.mlir 2>&1 | FileCheck %s --check-prefix=TWO
// RUN: diff %t/original.mlir %t/two.mlir
// RUN: %mlir-opt --poly-schedule="function=two save-schedule=%t/trees/%%.yaml" %s -o /dev/null
// RUN: ls %t/trees | count 2

// At low effort a region whose own order is best is left as it is: the tree in the file has no instances that only
// end the life of arrays, and can be loaded.
// RUN: %mlir-opt --poly-schedule="function=temporary effort=low parallel=false save-schedule=%t/own.yaml" %s -o /dev/null
// RUN: %mlir-opt --poly-schedule="function=temporary effort=low parallel=false load-schedule=%t/own.yaml" %s -o /dev/null 2>&1 | FileCheck %s --check-prefix=OWN --implicit-check-not=refused

// TREE: domain: "[arg0] -> { S0[i0] : {{.*}} }"
// TREE: schedule: "[arg0] -> [{ S0[i0] -> [(i0)] }
// BACKWARDS: remark: poly-schedule: refused: check: the schedule is illegal: {{.*}}array arg1, references {{.*}}, for example S0
// ABSENT: error: poly-schedule: option 'load-schedule': cannot read {{.*}}absent.yaml: No such file or directory
// NONE: remark: poly-schedule: refused: cannot read {{.*}}none-shift_{{.*}}.yaml
// BROKEN: remark: poly-schedule: refused: loaded schedule: 2:1:
// OWN: remark: poly-schedule: scop: temporary
// TWO-COUNT-2: remark: poly-schedule: refused: the function has 2 regions, but {{.*}}two.yaml names one file; use %

func.func @shift(%n: index, %A: memref<?xf64>) {
  affine.for %i = 1 to %n {
    %0 = affine.load %A[%i - 1] : memref<?xf64>
    %1 = arith.addf %0, %0 : f64
    affine.store %1, %A[%i] : memref<?xf64>
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

func.func @temporary(%n: index, %m: index, %A: memref<?x?xf64>, %B: memref<?x?xf64>) {
  %t = memref.alloc(%m) : memref<?xf64>
  affine.for %i = 0 to %n {
    affine.for %j = 0 to %m {
      %a = affine.load %A[%i, %j] : memref<?x?xf64>
      %b = affine.load %B[%i, %j] : memref<?x?xf64>
      %q = arith.divf %a, %b : f64
      affine.store %q, %t[%j] : memref<?xf64>
    }
    affine.for %j = 0 to %m {
      %a = affine.load %t[%j] : memref<?xf64>
      %b = affine.load %B[%i, %j] : memref<?x?xf64>
      %q = arith.divf %a, %b : f64
      affine.store %q, %B[%i, %j] : memref<?x?xf64>
    }
  }
  memref.dealloc %t : memref<?xf64>
  return
}
