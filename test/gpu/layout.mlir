// Arrays whose layout is another one while kernels run (docs/layout.md): the new ones are on the device, on the host only where the host accesses them.

// RUN: %equal --with="target=gpu parallel=false tile-sizes=4,3 block-sizes=2,2 then lower-affine poly-kernels-to-loops=threads=backward" --with="target=gpu parallel=false cpu-version=false tile-sizes=8,18 block-sizes=2,3 grid-sizes=2,3 then lower-affine poly-kernels-to-loops" --with="target=gpu parallel=false device-memory=true then lower-affine poly-kernels-to-loops=threads=backward" %s

// RUN: %mlir-opt --poly-schedule="target=gpu profitability=off parallel=false" %s 2>&1 | FileCheck %s
// CHECK: remark: poly-schedule: scop: host_before{{.*}} kernels=2 layout=1
// CHECK: remark: poly-schedule: for the CPU: scop: host_before{{.*}} layout=1

// The code for the CPU has the layout in all of them.
// RUN: %mlir-opt --poly-schedule="target=gpu profitability=off parallel=false" %s 2>&1 >/dev/null | grep "for the CPU: scop" | FileCheck %s --check-prefix=BESIDE
// BESIDE-COUNT-7: layout=1

// RUN: %mlir-opt --poly-schedule="target=gpu profitability=off parallel=false" --poly-lower-nvptx %s 2>/dev/null | FileCheck %s --check-prefix=RUNTIME

// What the host writes before kernels goes to the device, and never back.
// CHECK-LABEL: func.func @host_before
// CHECK:         scf.if %{{.*}} -> (i1) {
// CHECK:           %[[HOST:.*]] = memref.alloc(%{{.*}}) {alignment = 64 : i64} : memref<4x?xf64>
// CHECK:           %[[THERE:.*]] = arith.cmpi ne
// CHECK-NEXT:      %[[DONE:.*]] = scf.if %[[THERE]] -> (i1) {
// CHECK:             affine.store %{{.*}}, %[[HOST]]
// CHECK:             %[[DEVICE:.*]] = gpu.alloc (%{{.*}}) : memref<4x?xf64>
// CHECK-NEXT:        gpu.memcpy %[[DEVICE]], %[[HOST]]
// CHECK:             gpu.launch
// CHECK-NOT:         gpu.memcpy %[[HOST]]
// CHECK:           } {polyrs.kernels = "copied"}
// CHECK-NEXT:      scf.if %[[DONE]] {
// CHECK-NEXT:      } else {
// CHECK-NEXT:      }
// CHECK-NEXT:      memref.dealloc %[[HOST]]
// CHECK-NEXT:      scf.yield %[[DONE]]
// CHECK:         } {polyrs.relaid}
// shape T: n
// shape x: n
// shape B: m, n
// EXPECT: kernels
func.func @host_before(%T: memref<?xf64>, %x: memref<?xf64>, %B: memref<?x?xf64>, %n: index, %m: index)
    attributes {polyrs.layout = "map(out: arg0(i) -> (0, i%4, i/4))"} {
  affine.if affine_set<(d0) : (d0 - 1 >= 0)>(%n) {
    %c = affine.load %x[0] : memref<?xf64>
    affine.store %c, %T[0] : memref<?xf64>
  }
  affine.for %i = 1 to %n {
    %a = affine.load %T[%i - 1] : memref<?xf64>
    %b = affine.load %x[%i] : memref<?xf64>
    %c = arith.subf %b, %a : f64
    affine.store %c, %T[%i] : memref<?xf64>
  }
  affine.for %i = 0 to %m {
    affine.for %j = 0 to %n {
      %a = affine.load %T[%j] : memref<?xf64>
      %b = affine.load %B[%i, %j] : memref<?x?xf64>
      %c = arith.mulf %a, %b : f64
      affine.store %c, %B[%i, %j] : memref<?x?xf64>
    }
  }
  return
}

// What only kernels access is the device's alone: the runtime is asked for memory without an address of the host's.
// CHECK-LABEL: func.func @in_loop
// CHECK:         %[[ONLY:.*]] = gpu.alloc (%arg3, %arg2) : memref<?x?xf64>
// CHECK-NOT:     gpu.memcpy {{.*}}%[[ONLY]]
// CHECK:         gpu.dealloc %[[ONLY]]
// RUNTIME-LABEL: llvm.func @in_loop
// RUNTIME-NOT:     @malloc
// RUNTIME:         llvm.call @polyrs_gpu_begin_if
// RUNTIME-COUNT-3: llvm.call @polyrs_gpu_buffer
// RUNTIME-NOT:     polyrs_gpu_buffer
// RUNTIME:         llvm.call @polyrs_gpu_end
// RUNTIME:         llvm.call @malloc
// A region in a loop that is none of it.
// shape A: n, m
// shape x: n
// EXPECT: kernels
func.func @in_loop(%A: memref<?x?xf64>, %x: memref<?xf64>, %n: index, %m: index)
    attributes {polyrs.layout = "map(inout: arg0(i, j) -> (0, j, i))"} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c3 = arith.constant 3 : index
  scf.for %t = %c0 to %c3 step %c1 {
    affine.for %i = 0 to %n {
      affine.for %j = 0 to %m {
        %a = affine.load %A[%i, %j] : memref<?x?xf64>
        %b = affine.load %x[%i] : memref<?xf64>
        %c = arith.mulf %a, %b : f64
        affine.store %c, %A[%i, %j] : memref<?x?xf64>
      }
    }
    scf.yield
  }
  return
}

// A value that is used afterwards.
// shape A: n, m
// EXPECT: kernels
func.func @seen(%A: memref<?x?xf64>, %n: index, %m: index) -> f64
    attributes {polyrs.layout = "map(inout: arg0(i, j) -> (0, j, i))"} {
  %zero = arith.constant 0.0 : f64
  affine.for %i = 0 to %n {
    affine.for %j = 0 to %m {
      %a = affine.load %A[%i, %j] : memref<?x?xf64>
      %c = arith.mulf %a, %a : f64
      affine.store %c, %A[%i, %j] : memref<?x?xf64>
    }
  }
  %s = affine.for %i = 0 to %n iter_args(%s = %zero) -> f64 {
    %q = affine.for %j = 0 to %m iter_args(%r = %s) -> f64 {
      %a = affine.load %A[%i, %j] : memref<?x?xf64>
      %t = arith.addf %r, %a : f64
      affine.yield %t : f64
    }
    affine.yield %q : f64
  }
  return %s : f64
}

// Two regions, each with a buffer of its own.
// shape A: n, m
// shape x: n
// EXPECT: kernels
func.func @two(%A: memref<?x?xf64>, %x: memref<?xf64>, %n: index, %m: index)
    attributes {polyrs.layout = "map(inout: arg0(i, j) -> (0, j, i))"} {
  affine.for %i = 0 to %n {
    affine.for %j = 0 to %m {
      %a = affine.load %A[%i, %j] : memref<?x?xf64>
      %c = arith.mulf %a, %a : f64
      affine.store %c, %A[%i, %j] : memref<?x?xf64>
    }
  }
  func.call @other() : () -> ()
  affine.for %i = 0 to %n {
    affine.for %j = 0 to %m {
      %a = affine.load %A[%i, %j] : memref<?x?xf64>
      %b = affine.load %x[%i] : memref<?xf64>
      %c = arith.addf %a, %b : f64
      affine.store %c, %A[%i, %j] : memref<?x?xf64>
    }
  }
  return
}

func.func private @other() {
  return
}

// In a parallel loop there are no kernels; the CPU has the layout.
// shape A: n, m
// shape x: n
// EXPECT-REFUSED: kernels are in a parallel loop
func.func @in_parallel(%A: memref<?x?xf64>, %x: memref<?xf64>, %n: index, %m: index)
    attributes {polyrs.layout = "map(inout: arg0(i, j) -> (0, j, i))"} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  scf.parallel (%t) = (%c0) to (%c1) step (%c1) {
    affine.for %i = 0 to %n {
      affine.for %j = 0 to %m {
        %a = affine.load %A[%i, %j] : memref<?x?xf64>
        %c = arith.mulf %a, %a : f64
        affine.store %c, %A[%i, %j] : memref<?x?xf64>
      }
    }
    scf.reduce
  }
  return
}

// Nothing but copies is parallel, and one thread would do the rest: the CPU does it.
// shape A: n
// EXPECT-REFUSED: none of its loops can run in parallel on a GPU
func.func @chain(%A: memref<?xf64>, %n: index)
    attributes {polyrs.layout = "map(inout: arg0(i) -> (0, i/3, i%3))"} {
  affine.for %i = 1 to %n {
    %a = affine.load %A[%i - 1] : memref<?xf64>
    %b = affine.load %A[%i] : memref<?xf64>
    %c = arith.addf %a, %b : f64
    affine.store %c, %A[%i] : memref<?xf64>
  }
  return
}
