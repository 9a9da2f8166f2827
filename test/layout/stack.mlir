// New buffers of known sizes that are small together are on the stack, where it does not grow: made once, when the function starts, and never freed. They are always there.

// RUN: %mlir-opt --poly-schedule="profitability=off parallel=false tile=false machine=generic read-back=true" %s 2>%t.err | FileCheck %s
// RUN: FileCheck %s --check-prefix=BACK < %t.err
// BACK-COUNT-7: layout=1 {{.*}}read-back=1
// BACK-NOT: internal error
// RUN: %equal --sizes=7,5 --sizes=1,1 --sizes=2,9 --sizes=0,2 --with="parallel=true tile-sizes=3" --with="parallel=false" --with="parallel=true tile-sizes=2 then again" --with="parallel=true read-back=true scheduler=none" %s

// CHECK-LABEL: func.func @small(
// CHECK-NEXT: memref.alloca() {alignment = 64 : i64} : memref<8x9xf64>
// CHECK-NOT: memref.alloc(
// CHECK: scf.if %{{.*}} -> (i1) {
// CHECK-NOT: memref.extract_aligned_pointer_as_index
// CHECK-NOT: memref.dealloc
// CHECK: %[[TRUE:.*]] = arith.constant true
// CHECK-NEXT: scf.yield %[[TRUE]]
// EXPECT: found
func.func @small(%A: memref<9x8xf64>, %t: index)
    attributes {polyrs.layout = "map(inout: arg0(i, j) -> (j, i))"} {
  affine.for %s = 0 to %t {
    affine.for %i = 1 to 8 {
      affine.for %j = 1 to 7 {
        %a = affine.load %A[%i - 1, %j] : memref<9x8xf64>
        %b = affine.load %A[%i, %j - 1] : memref<9x8xf64>
        %d = arith.addf %a, %b : f64
        affine.store %d, %A[%i, %j] : memref<9x8xf64>
      }
    }
  }
  return
}

// What depends on a size is allocated, and that alone is looked for.
// CHECK-LABEL: func.func @mixed(
// CHECK-NEXT: memref.alloca() {alignment = 64 : i64} : memref<6x40xf32>
// CHECK: %[[FIELD:.*]] = memref.alloc(%{{.*}}) {alignment = 64 : i64} : memref<6x?xf32>
// CHECK-COUNT-1: memref.extract_aligned_pointer_as_index %[[FIELD]]
// CHECK-NOT: memref.extract_aligned_pointer_as_index
// CHECK: memref.dealloc %[[FIELD]]
// CHECK-NOT: memref.dealloc
// shape B: n
// EXPECT: found
func.func @mixed(%A: memref<40x6xf32>, %B: memref<?x6xf32>, %n: index)
    attributes {polyrs.layout = "map(in: arg0(i, j) -> (0, j, i)) map(inout: arg1(i, j) -> (1, j, i))"} {
  affine.for %i = 0 to %n {
    affine.for %j = 0 to 6 {
      affine.for %k = 0 to 40 {
        %a = affine.load %A[%k, %j] : memref<40x6xf32>
        %b = affine.load %B[%i, %j] : memref<?x6xf32>
        %c = arith.mulf %b, %a : f32
        %d = arith.subf %a, %c : f32
        affine.store %d, %B[%i, %j] : memref<?x6xf32>
      }
    }
  }
  return
}

// 8,000 bytes and 7,232 are small together, but not with 2,048 more; what is larger than 16 KiB is allocated.
// CHECK-LABEL: func.func @together(
// CHECK-DAG: memref.alloca() {alignment = 64 : i64} : memref<10x100xf64>
// CHECK-DAG: memref.alloca() {alignment = 64 : i64} : memref<4x226xf64>
// CHECK: memref.alloc() {alignment = 64 : i64} : memref<4x64xf64>
// CHECK-NEXT: memref.alloc() {alignment = 64 : i64} : memref<50x50xf64>
// EXPECT: found
func.func @together(%A: memref<100x10xf64>, %B: memref<226x4xf64>, %C: memref<64x4xf64>, %D: memref<50x50xf64>)
    attributes {polyrs.layout = "map(inout: arg0(i, j) -> (0, j, i)) map(inout: arg1(i, j) -> (1, j, i)) map(inout: arg2(i, j) -> (2, j, i)) map(inout: arg3(i, j) -> (3, j, i))"} {
  affine.for %i = 0 to 50 {
    affine.for %j = 0 to 4 {
      %a = affine.load %A[2 * %i, %j + 2] : memref<100x10xf64>
      %b = affine.load %B[3 * %i + 5, %j] : memref<226x4xf64>
      %c = affine.load %C[%i + 1, %j] : memref<64x4xf64>
      %d = affine.load %D[%i, 7 * %j] : memref<50x50xf64>
      %e = arith.addf %a, %b : f64
      %f = arith.mulf %c, %d : f64
      affine.store %f, %A[2 * %i, %j + 2] : memref<100x10xf64>
      affine.store %e, %D[%i, 7 * %j] : memref<50x50xf64>
      affine.store %d, %B[3 * %i + 5, %j] : memref<226x4xf64>
      affine.store %a, %C[%i + 1, %j] : memref<64x4xf64>
    }
  }
  return
}

// In a loop that is no part of the region, and that does one thing after the other.
// CHECK-LABEL: func.func @in_a_loop(
// CHECK-NEXT: memref.alloca() {alignment = 64 : i64} : memref<8x9xf64>
// CHECK: scf.while
// CHECK-NOT: memref.alloc
// CHECK: return
// EXPECT: found
func.func @in_a_loop(%A: memref<9x8xf64>, %t: index)
    attributes {polyrs.layout = "map(inout: arg0(i, j) -> (j, i))"} {
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  %last = scf.while (%s = %zero) : (index) -> index {
    %more = arith.cmpi slt, %s, %t : index
    scf.condition(%more) %s : index
  } do {
  ^bb0(%s: index):
    affine.for %i = 1 to 9 {
      affine.for %j = 1 to 8 {
        %a = affine.load %A[%i - 1, %j] : memref<9x8xf64>
        %b = affine.load %A[%i, %j - 1] : memref<9x8xf64>
        %d = arith.subf %a, %b : f64
        affine.store %d, %A[%i, %j] : memref<9x8xf64>
      }
    }
    %next = arith.addi %s, %one : index
    scf.yield %next : index
  }
  return
}

// Iterations that run at the same time need buffers of their own.
// CHECK-LABEL: func.func @at_the_same_time(
// CHECK-NOT: memref.alloca
// CHECK: scf.parallel
// CHECK: memref.alloc() {alignment = 64 : i64} : memref<8x9xf64>
// EXPECT: found
func.func @at_the_same_time(%A: memref<9x8xf64>, %B: memref<4xf64>)
    attributes {polyrs.layout = "map(in: arg0(i, j) -> (j, i))"} {
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  %four = arith.constant 4 : index
  scf.parallel (%p) = (%zero) to (%four) step (%one) {
    %T = memref.alloc() : memref<9x8xf64>
    affine.for %i = 1 to 9 {
      affine.for %j = 1 to 8 {
        %a = affine.load %A[%i - 1, %j] : memref<9x8xf64>
        %b = affine.load %A[%i, %j - 1] : memref<9x8xf64>
        %d = arith.subf %a, %b : f64
        affine.store %d, %T[%i, %j] : memref<9x8xf64>
      }
    }
    %row = arith.addi %p, %four : index
    %d = memref.load %T[%row, %row] : memref<9x8xf64>
    memref.store %d, %B[%p] : memref<4xf64>
    memref.dealloc %T : memref<9x8xf64>
    scf.reduce
  }
  return
}

// A function that calls others may be called by them while it runs.
// CHECK-LABEL: func.func @calls(
// CHECK-NOT: memref.alloca
// CHECK: memref.alloc() {alignment = 64 : i64} : memref<8x9xf64>
// EXPECT: found
func.func @calls(%A: memref<9x8xf64>, %t: index)
    attributes {polyrs.layout = "map(inout: arg0(i, j) -> (j, i))"} {
  affine.for %i = 1 to 9 {
    affine.for %j = 1 to 8 {
      %a = affine.load %A[%i - 1, %j] : memref<9x8xf64>
      %b = affine.load %A[%i, %j - 1] : memref<9x8xf64>
      %d = arith.subf %a, %b : f64
      affine.store %d, %A[%i, %j] : memref<9x8xf64>
    }
  }
  %one = arith.constant 1 : index
  %less = arith.subi %t, %one : index
  %more = arith.cmpi sgt, %t, %one : index
  scf.if %more {
    func.call @calls(%A, %less) : (memref<9x8xf64>, index) -> ()
  }
  return
}

// A loop of blocks.
// CHECK-LABEL: func.func @blocks(
// CHECK-NEXT: memref.alloca() {alignment = 64 : i64} : memref<8x9xf64>
// CHECK-NOT: memref.alloc
// CHECK: return
// EXPECT: found
func.func @blocks(%A: memref<9x8xf64>, %t: index)
    attributes {polyrs.layout = "map(inout: arg0(i, j) -> (j, i))"} {
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  cf.br ^head(%zero : index)
^head(%s: index):
  %more = arith.cmpi slt, %s, %t : index
  cf.cond_br %more, ^body, ^end
^body:
  affine.for %i = 1 to 9 {
    affine.for %j = 1 to 8 {
      %a = affine.load %A[%i - 1, %j] : memref<9x8xf64>
      %b = affine.load %A[%i, %j - 1] : memref<9x8xf64>
      %d = arith.subf %a, %b : f64
      affine.store %d, %A[%i, %j] : memref<9x8xf64>
    }
  }
  %next = arith.addi %s, %one : index
  cf.br ^head(%next : index)
^end:
  return
}
