// Odd but valid functions come out as they went in; invalid IR is upstream's to refuse.

// RUN: %mlir-opt --poly-schedule --poly-alias-facts --poly-allow-contract --poly-outline-parallel %s > %t
// RUN: mlir-opt %s > %t.expected
// RUN: diff %t %t.expected
// RUN: %mlir-opt --poly-lower-x86 %s | mlir-translate --mlir-to-llvmir -o /dev/null
// RUN: %mlir-opt --poly-lower-openmp %s | mlir-translate --mlir-to-llvmir -o /dev/null
// RUN: echo "func.func @f() { affine.yield }" | not %mlir-opt --poly-schedule 2>&1 | FileCheck %s
// CHECK: error:

func.func private @declaration(memref<4xf32>, memref<4xf32>)

func.func @empty() {
  return
}

func.func @unranked(%a: memref<*xf32>, %b: memref<*xf32>) {
  affine.for %i = 0 to 3 {
  }
  return
}

func.func @blocks(%c: i1, %n: index) -> index {
  cf.cond_br %c, ^then, ^else(%n : index)
^then:
  %zero = arith.constant 0 : index
  cf.br ^else(%zero : index)
^else(%x: index):
  return %x : index
}

module @inner {
  func.func @nested(%a: memref<4xf32>) {
    return
  }
}
