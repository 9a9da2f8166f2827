// Views are traced to the buffer that they show.
// RUN: %mlir-opt --mlir-disable-threading --poly-schedule="dump=scop" %s -o /dev/null 2>&1 | FileCheck %s

// CHECK-LABEL: scop: "cast
// CHECK: arrays:
// CHECK-NEXT: arg0: { kind: memory, element: f32, extent: [8] }
// CHECK-NEXT: statements:
// CHECK: read {{.*}} -> arg0[i0] }"
// CHECK: must_write {{.*}} -> arg0[1 + i0] }"
func.func @cast(%A: memref<8xf32>) {
  %view = memref.cast %A : memref<8xf32> to memref<?xf32>
  affine.for %i = 0 to 7 {
    %a = affine.load %A[%i] : memref<8xf32>
    affine.store %a, %view[%i + 1] : memref<?xf32>
  }
  return
}

// CHECK-LABEL: scop: "subview
// CHECK: arrays:
// CHECK-NEXT: arg1: { kind: memory
// CHECK-NEXT: statements:
// CHECK: read {{.*}} -> arg1[i0, 0] }"
// CHECK: must_write {{.*}} -> arg1[4, arg0 + 2i0] }"
func.func @subview(%n: index, %A: memref<?x?xf32>) {
  %row = memref.subview %A[4, %n] [1, %n] [1, 2] : memref<?x?xf32> to memref<?xf32, strided<[2], offset: ?>>
  affine.for %i = 0 to %n {
    %a = affine.load %A[%i, 0] : memref<?x?xf32>
    affine.store %a, %row[%i] : memref<?xf32, strided<[2], offset: ?>>
  }
  return
}

// A subview made in the loop.
// CHECK-LABEL: scop: "window
// CHECK: must_write {{.*}} -> arg1[i0 + i1] }"
func.func @window(%n: index, %A: memref<?xf32>, %v: f32) {
  affine.for %i = 0 to %n {
    %window = memref.subview %A[%i] [4] [1] : memref<?xf32> to memref<4xf32, strided<[1], offset: ?>>
    affine.for %j = 0 to 4 {
      affine.store %v, %window[%j] : memref<4xf32, strided<[1], offset: ?>>
    }
  }
  return
}

// CHECK-LABEL: scop: "shapes
// CHECK: arrays:
// CHECK-NEXT: arg0: { kind: memory, element: f32, extent: [8, 6] }
// CHECK-NEXT: statements:
// CHECK: read {{.*}} -> arg0[o0, o1] : (-i0 + o1) mod 6 = 0 and -5 + i0 <= 6o0 <= i0 and 0 <= o1 <= 5 }"
// CHECK: must_write {{.*}} -> arg0[1, 1 + 2i1] }"
func.func @shapes(%A: memref<8x6xf32>) {
  %flat = memref.collapse_shape %A [[0, 1]] : memref<8x6xf32> into memref<48xf32>
  %deep = memref.expand_shape %A [[0], [1, 2]] output_shape [8, 3, 2] : memref<8x6xf32> into memref<8x3x2xf32>
  affine.for %i = 0 to 48 {
    affine.for %j = 0 to 3 {
      %a = affine.load %flat[%i] : memref<48xf32>
      affine.store %a, %deep[1, %j, 1] : memref<8x3x2xf32>
    }
  }
  return
}

// What cannot be said in the buffer's subscripts is anywhere in it.
// CHECK-LABEL: scop: "reinterpreted
// CHECK: arrays:
// CHECK-NEXT: arg0: { kind: memory, element: f32, extent: [8, 6] }
// CHECK-NEXT: statements:
// CHECK: read {{.*}}S0[i0] -> arg0[o0, o1] }"
// CHECK: must_write {{.*}} -> arg0[0, i0] }"
func.func @reinterpreted(%A: memref<8x6xf32>) {
  %other = memref.reinterpret_cast %A to offset: [0], sizes: [6, 8], strides: [8, 1] : memref<8x6xf32> to memref<6x8xf32>
  affine.for %i = 0 to 6 {
    %a = affine.load %other[%i, 2] : memref<6x8xf32>
    affine.store %a, %A[0, %i] : memref<8x6xf32>
  }
  return
}

// Unless nothing else accesses the buffer: then the view is the array.
// CHECK-LABEL: scop: "only_handle
// CHECK: arrays:
// CHECK-NEXT: arg0: { kind: memory, element: f32, extent: [6, 8] }
// CHECK-NEXT: buffer0: { kind: memory, element: f32, extent: [4] }
// CHECK-NEXT: statements:
// CHECK: read {{.*}} -> arg0[i0, 2] }"
// CHECK: must_write {{.*}} -> buffer0[3] }"
// CHECK: must_write {{.*}} -> arg0[1, i0] }"
func.func @only_handle(%A: memref<8x6xf32>) {
  %other = memref.reinterpret_cast %A to offset: [0], sizes: [6, 8], strides: [8, 1] : memref<8x6xf32> to memref<6x8xf32>
  %zero = arith.constant 0 : index
  %bytes = memref.alloc() : memref<16xi8>
  %floats = memref.view %bytes[%zero][] : memref<16xi8> to memref<4xf32>
  affine.for %i = 0 to 6 {
    %a = affine.load %other[%i, 2] : memref<6x8xf32>
    affine.store %a, %floats[3] : memref<4xf32>
    affine.store %a, %other[1, %i] : memref<6x8xf32>
  }
  return
}

memref.global "private" @table : memref<16xf32>
memref.global "private" @tab.le : memref<16xf32>

// Two addresses of one global are one array; another global is another.
// CHECK-LABEL: scop: "globals
// CHECK: arrays:
// CHECK-NEXT: global_table: { kind: memory
// CHECK-NEXT: global_tab_le: { kind: memory
// CHECK-NEXT: statements:
// CHECK: read {{.*}} -> global_table[i0] }"
// CHECK-NEXT: read {{.*}} -> global_tab_le[i0] }"
// CHECK-NEXT: must_write {{.*}} -> global_table[1 + i0] }"
func.func @globals() {
  %one = memref.get_global @table : memref<16xf32>
  affine.for %i = 0 to 15 {
    %two = memref.get_global @table : memref<16xf32>
    %other = memref.get_global @tab.le : memref<16xf32>
    %a = affine.load %one[%i] : memref<16xf32>
    %b = affine.load %other[%i] : memref<16xf32>
    %s = arith.addf %a, %b : f32
    affine.store %s, %two[%i + 1] : memref<16xf32>
  }
  return
}

// Claims about a buffer do not make another one of it.
// CHECK-LABEL: scop: "claims
// CHECK: arrays:
// CHECK-NEXT: arg0: { kind: memory
// CHECK-NEXT: arg1: { kind: memory
// CHECK-NEXT: statements:
func.func @claims(%A: memref<8xf32>, %B: memref<8xf32>) {
  %aligned = memref.assume_alignment %A, 64 : memref<8xf32>
  %a, %b = memref.distinct_objects %aligned, %B : memref<8xf32>, memref<8xf32>
  affine.for %i = 0 to 7 {
    %x = affine.load %A[%i] : memref<8xf32>
    affine.store %x, %a[%i + 1] : memref<8xf32>
    affine.store %x, %b[%i] : memref<8xf32>
  }
  return
}
