// Partial results of reductions: what becomes of the loop that gathers, which operations may be reordered, and what is wrong.

// RUN: split-file %s %t
// RUN: sed 's/ fastmath<reassoc>//' %t/dot.mlir > %t/strict.mlir

// The loop is shared out among eight sums, which are the lanes of vectors.
// RUN: %mlir-opt --poly-schedule="layout-maps=%t/dot.maps machine=%S/../emit/Inputs/wide.txt read-back=true" %t/dot.mlir 2>&1 | FileCheck %s
// CHECK: remark: poly-schedule: scop: dot:3: 3 statements; {{.*}}vector=2 {{.*}}layout=1
// CHECK: %[[SUMS:.*]] = memref.alloca() {alignment = 64 : i64} : memref<8xf64>
// CHECK: %[[ZERO:.*]] = arith.constant -0.0{{.*}} : f64
// CHECK: affine.store %[[ZERO]], %[[SUMS]][
// CHECK: affine.load %arg0[%[[Q:.*]] * 8 + %[[P:.*]]] : memref<?xf64>
// CHECK: arith.addf %{{.*}}, %{{.*}} fastmath<reassoc> : f64
// CHECK: affine.store %{{.*}}, %[[SUMS]][%[[P]]]
// The sums are gathered in order, whatever ran in parallel.
// CHECK: affine.for %[[P:.*]] = 0 to 8 {
// CHECK-NEXT: affine.load %arg2[]
// CHECK-NEXT: affine.load %[[SUMS]][%[[P]]]
// CHECK-NEXT: arith.addf %{{.*}}, %{{.*}} : f64
// CHECK-NEXT: affine.store %{{.*}}, %arg2[]

// In blocks each part walks along the array.
// RUN: %mlir-opt --poly-schedule="layout-maps=%t/blocks.maps machine=generic read-back=true" %t/dot.mlir 2>&1 | FileCheck %s --check-prefix=BLOCKS
// BLOCKS: remark: poly-schedule: scop: dot:3: 3 statements; {{.*}}parallel=1 {{.*}}layout=1
// BLOCKS: affine.parallel (%[[P:.*]]) = (0) to (4)
// BLOCKS: affine.load %arg0[%[[P]] * 64 + %{{.*}} * 256 + %{{.*}}] : memref<?xf64>

// The search finds them where nothing else runs in parallel, if reductions may be reordered.
// RUN: %mlir-opt --poly-schedule="layout=auto machine=generic" %t/dot.mlir 2>&1 | FileCheck %s --check-prefix=FOUND
// FOUND: remark: poly-schedule: scop: dot:3: 3 statements; {{.*}}parallel=1 {{.*}}layout=1 {{.*}}layout: {{[0-9.]+}}x with reduce(arg2, 4, loop 1, block 512)
// FOUND-NOT: where the layout is not used
// RUN: %mlir-opt --poly-schedule="layout=auto machine=generic" %t/strict.mlir 2>&1 | FileCheck %s --check-prefix=KEPT
// KEPT: remark: poly-schedule: scop: dot:3: {{.*}}parallel=0
// KEPT-NOT: reduce(

// A loop carries what integers add up to. That no sum overflows was said of another order.
// RUN: %mlir-opt --poly-schedule="machine=generic profitability=off tile=false read-back=true" %t/carried.mlir 2>&1 | FileCheck %s --check-prefix=CARRIED
// CARRIED: remark: poly-schedule: scop: carried:5: {{.*}}parallel=1 {{.*}}layout=1
// CARRIED: affine.parallel
// CARRIED: affine.load %{{.*}} : memref<8x16xi32>
// CARRIED: arith.addi %{{.*}}, %{{.*}} : i32
// CARRIED: affine.store %{{.*}} : memref<8x16xi32>

// Floating-point numbers need leave, by their flags or by an option.
// RUN: not %mlir-opt --poly-schedule="layout-maps=%t/dot.maps" %t/strict.mlir 2>&1 | FileCheck %s --check-prefix=STRICT
// STRICT: dot.maps:1:8: `arg2` is gathered by no operation whose order may be changed: of floating-point numbers it has to be allowed
// RUN: %mlir-opt --poly-schedule="layout-maps=%t/dot.maps machine=generic reorder-reductions=true" %t/strict.mlir 2>&1 | FileCheck %s --check-prefix=OPTION
// OPTION: remark: poly-schedule: scop: dot:3: 3 statements; {{.*}}layout=1

// Which statements gather values, of what they are, and which do not.
// RUN: %mlir-opt --mlir-disable-threading --poly-schedule="layout=none dump=scop" %t/kinds.mlir 2>&1 | FileCheck %s --check-prefix=KINDS --implicit-check-not="reduction:"
// KINDS: scop: "product:
// KINDS: reduction: mul update
// KINDS: scop: "chain:
// KINDS: reduction: add update
// KINDS: scop: "difference:
// KINDS: reduction: add update
// KINDS: scop: "greatest:
// KINDS: reduction: max update
// KINDS: scop: "bits:
// KINDS: reduction: xor update
// KINDS: scop: "fused:
// KINDS: reduction: add update
// KINDS: scop: "no_infinity:
// KINDS: scop: "taken_away:
// KINDS: scop: "used_twice:
// KINDS: scop: "read_twice:
// KINDS: scop: "another_element:
// KINDS: scop: "mixed:

// Errors have a place.
// RUN: not %mlir-opt --poly-schedule="layout-maps=%t/few.maps" %t/dot.mlir 2>&1 | FileCheck %s --check-prefix=FEW
// FEW: few.maps:1:14: expected a number of partial results, from 2 to 1024
// RUN: not %mlir-opt --poly-schedule="layout-maps=%t/loop.maps" %t/dot.mlir 2>&1 | FileCheck %s --check-prefix=LOOP
// LOOP: loop.maps:1:8: `arg2` is not gathered by that loop: its elements depend on it
// RUN: not %mlir-opt --poly-schedule="layout-maps=%t/word.maps" %t/dot.mlir 2>&1 | FileCheck %s --check-prefix=WORD
// WORD: word.maps:1:17: expected `loop` or `block` once, not `loops`
// RUN: not %mlir-opt --poly-schedule="layout-maps=%t/twice.maps" %t/dot.mlir 2>&1 | FileCheck %s --check-prefix=TWICE
// TWICE: twice.maps:2:8: `arg2` has another place already
// RUN: not %mlir-opt --poly-schedule="layout-maps=%t/dot.maps" %t/running.mlir 2>&1 | FileCheck %s --check-prefix=RUNNING
// RUNNING: dot.maps:1:8: `arg2` has no partial results: what `S0` has gathered is read before it is whole

// What is only read is not gathered.
// RUN: not %mlir-opt --poly-schedule="layout-maps=%t/read.maps" %t/dot.mlir 2>&1 | FileCheck %s --check-prefix=READ
// READ: read.maps:1:8: `arg0` is gathered by no operation whose order may be changed

//--- read.maps
reduce(arg0, 8)
//--- dot.maps
reduce(arg2, 8)
//--- blocks.maps
reduce(arg2, 4, block 64)
//--- few.maps
reduce(arg2, 1)
//--- loop.maps
reduce(arg2, 4, loop 2)
//--- word.maps
reduce(arg2, 4, loops 2)
//--- twice.maps
reduce(arg2, 4)
reduce(arg2, 8)

//--- dot.mlir
// A sum in an element.
func.func @dot(%a: memref<?xf64>, %b: memref<?xf64>, %s: memref<f64>, %n: index) {
  affine.for %i = 0 to %n {
    %x = affine.load %a[%i] : memref<?xf64>
    %y = affine.load %b[%i] : memref<?xf64>
    %p = arith.mulf %x, %y : f64
    %o = affine.load %s[] : memref<f64>
    %r = arith.addf %o, %p fastmath<reassoc> : f64
    affine.store %r, %s[] : memref<f64>
  }
  return
}

//--- carried.mlir
// A sum that a loop carries.
func.func @carried(%a: memref<?xi32>, %n: index) -> i32
    attributes {polyrs.layout = "reduce(acc0, 8, block 32)"} {
  %z = arith.constant 0 : i32
  %s = affine.for %i = 0 to %n iter_args(%c = %z) -> i32 {
    %x = affine.load %a[%i] : memref<?xi32>
    %r = arith.addi %c, %x overflow<nsw> : i32
    affine.yield %r : i32
  }
  return %s : i32
}

//--- running.mlir
// Each sum is seen.
func.func @running(%a: memref<?xf64>, %b: memref<?xf64>, %s: memref<f64>, %n: index) {
  affine.for %i = 0 to %n {
    %x = affine.load %a[%i] : memref<?xf64>
    %o = affine.load %s[] : memref<f64>
    %r = arith.addf %o, %x fastmath<fast> : f64
    affine.store %r, %s[] : memref<f64>
    %u = affine.load %s[] : memref<f64>
    affine.store %u, %b[%i] : memref<?xf64>
  }
  return
}

//--- kinds.mlir
func.func @product(%a: memref<?xf64>, %s: memref<f64>, %n: index) {
  affine.for %i = 0 to %n {
    %x = affine.load %a[%i] : memref<?xf64>
    %o = affine.load %s[] : memref<f64>
    %r = arith.mulf %x, %o fastmath<reassoc> : f64
    affine.store %r, %s[] : memref<f64>
  }
  return
}
// (s + x) - y
func.func @chain(%a: memref<?xf64>, %s: memref<f64>, %n: index) {
  affine.for %i = 0 to %n {
    %x = affine.load %a[%i] : memref<?xf64>
    %y = affine.load %a[%i + 1] : memref<?xf64>
    %o = affine.load %s[] : memref<f64>
    %q = arith.addf %x, %o fastmath<reassoc> : f64
    %r = arith.subf %q, %y fastmath<reassoc> : f64
    affine.store %r, %s[] : memref<f64>
  }
  return
}
func.func @difference(%a: memref<?xi64>, %s: memref<i64>, %n: index) {
  affine.for %i = 0 to %n {
    %x = affine.load %a[%i] : memref<?xi64>
    %o = affine.load %s[] : memref<i64>
    %r = arith.subi %o, %x : i64
    affine.store %r, %s[] : memref<i64>
  }
  return
}
func.func @greatest(%a: memref<?xf32>, %s: memref<f32>, %n: index) {
  affine.for %i = 0 to %n {
    %x = affine.load %a[%i] : memref<?xf32>
    %o = affine.load %s[] : memref<f32>
    %r = arith.maximumf %o, %x fastmath<reassoc> : f32
    affine.store %r, %s[] : memref<f32>
  }
  return
}
func.func @bits(%a: memref<?xi8>, %s: memref<i8>, %n: index) {
  affine.for %i = 0 to %n {
    %x = affine.load %a[%i] : memref<?xi8>
    %o = affine.load %s[] : memref<i8>
    %r = arith.xori %o, %x : i8
    affine.store %r, %s[] : memref<i8>
  }
  return
}
func.func @fused(%a: memref<?xf64>, %s: memref<f64>, %n: index) {
  affine.for %i = 0 to %n {
    %x = affine.load %a[%i] : memref<?xf64>
    %o = affine.load %s[] : memref<f64>
    %r = math.fma %x, %x, %o fastmath<reassoc> : f64
    affine.store %r, %s[] : memref<f64>
  }
  return
}
// The neutral element is infinity, of which the program says that there is none.
func.func @no_infinity(%a: memref<?xf32>, %s: memref<f32>, %n: index) {
  affine.for %i = 0 to %n {
    %x = affine.load %a[%i] : memref<?xf32>
    %o = affine.load %s[] : memref<f32>
    %r = arith.maximumf %o, %x fastmath<fast> : f32
    affine.store %r, %s[] : memref<f32>
  }
  return
}
// x - s changes the sign each time.
func.func @taken_away(%a: memref<?xi64>, %s: memref<i64>, %n: index) {
  affine.for %i = 0 to %n {
    %x = affine.load %a[%i] : memref<?xi64>
    %o = affine.load %s[] : memref<i64>
    %r = arith.subi %x, %o : i64
    affine.store %r, %s[] : memref<i64>
  }
  return
}
// s + s * x
func.func @used_twice(%a: memref<?xi64>, %s: memref<i64>, %n: index) {
  affine.for %i = 0 to %n {
    %x = affine.load %a[%i] : memref<?xi64>
    %o = affine.load %s[] : memref<i64>
    %p = arith.muli %o, %x : i64
    %r = arith.addi %o, %p : i64
    affine.store %r, %s[] : memref<i64>
  }
  return
}
// The same with two loads.
func.func @read_twice(%a: memref<?xi64>, %s: memref<i64>, %n: index) {
  affine.for %i = 0 to %n {
    %x = affine.load %a[%i] : memref<?xi64>
    %o = affine.load %s[] : memref<i64>
    %u = affine.load %s[] : memref<i64>
    %p = arith.muli %u, %x : i64
    %r = arith.addi %o, %p : i64
    affine.store %r, %s[] : memref<i64>
  }
  return
}
func.func @another_element(%a: memref<?xi64>, %s: memref<?xi64>, %n: index) {
  affine.for %i = 0 to %n {
    %x = affine.load %a[%i] : memref<?xi64>
    %o = affine.load %s[%i] : memref<?xi64>
    %r = arith.addi %o, %x : i64
    affine.store %r, %s[%i + 1] : memref<?xi64>
  }
  return
}
// (s * x) + y
func.func @mixed(%a: memref<?xi64>, %s: memref<i64>, %n: index) {
  affine.for %i = 0 to %n {
    %x = affine.load %a[%i] : memref<?xi64>
    %o = affine.load %s[] : memref<i64>
    %p = arith.muli %o, %x : i64
    %r = arith.addi %p, %x : i64
    affine.store %r, %s[] : memref<i64>
  }
  return
}
