// deriche: Deriche's recursive edge detector
//
// Each of the two directions is filtered forwards into y1 and backwards into y2. The horizontal
// passes carry their scalars through iter_args, the vertical ones through memory.

func.func private @bench_size(i64, i64) -> i64
func.func private @bench_repetitions() -> i64
func.func private @bench_start()
func.func private @bench_stop()
func.func private @bench_array(i64)
func.func private @bench_value_f32(f32)

func.func @init_array(%w: index, %h: index, %imgIn: memref<?x?xf32>, %imgOut: memref<?x?xf32>) {
  %c313 = arith.constant 313 : index
  %c991 = arith.constant 991 : index
  %c65536 = arith.constant 65536 : index
  %f65535 = arith.constant 65535.0 : f32
  %fm1 = arith.constant -1.0 : f32
  affine.for %i = 0 to %w {
    affine.for %j = 0 to %h {
      %prod = arith.muli %c313, %i : index
      %prod1 = arith.muli %c991, %j : index
      %sum = arith.addi %prod, %prod1 : index
      %rem = arith.remsi %sum, %c65536 : index
      %int = arith.index_cast %rem : index to i64
      %real = arith.sitofp %int : i64 to f32
      %quot = arith.divf %real, %f65535 : f32
      affine.store %quot, %imgIn[%i, %j] : memref<?x?xf32>
      affine.store %fm1, %imgOut[%i, %j] : memref<?x?xf32>
    }
  }
  return
}

func.func @kernel_deriche(%w: index, %h: index, %alpha: f32, %imgIn: memref<?x?xf32>,
                          %imgOut: memref<?x?xf32>, %y1: memref<?x?xf32>, %y2: memref<?x?xf32>) {
  %f1 = arith.constant 1.0 : f32
  %f2 = arith.constant 2.0 : f32
  %fm2 = arith.constant -2.0 : f32
  %f0 = arith.constant 0.0 : f32
  %tm1 = memref.alloca() : memref<f32>
  %vm1 = memref.alloca() : memref<f32>
  %vm2 = memref.alloca() : memref<f32>
  %tp1 = memref.alloca() : memref<f32>
  %tp2 = memref.alloca() : memref<f32>
  %vp1 = memref.alloca() : memref<f32>
  %vp2 = memref.alloca() : memref<f32>
  %neg = arith.negf %alpha : f32
  %exp = math.exp %neg : f32
  %diff = arith.subf %f1, %exp : f32
  %neg1 = arith.negf %alpha : f32
  %exp1 = math.exp %neg1 : f32
  %diff1 = arith.subf %f1, %exp1 : f32
  %prod = arith.mulf %diff, %diff1 : f32
  %prod1 = arith.mulf %f2, %alpha : f32
  %neg2 = arith.negf %alpha : f32
  %exp2 = math.exp %neg2 : f32
  %prod2 = arith.mulf %prod1, %exp2 : f32
  %sum = arith.addf %f1, %prod2 : f32
  %prod3 = arith.mulf %f2, %alpha : f32
  %exp3 = math.exp %prod3 : f32
  %diff2 = arith.subf %sum, %exp3 : f32
  %k = arith.divf %prod, %diff2 : f32
  %neg3 = arith.negf %alpha : f32
  %exp4 = math.exp %neg3 : f32
  %prod4 = arith.mulf %k, %exp4 : f32
  %diff3 = arith.subf %alpha, %f1 : f32
  %a2 = arith.mulf %prod4, %diff3 : f32
  %neg4 = arith.negf %alpha : f32
  %exp5 = math.exp %neg4 : f32
  %prod5 = arith.mulf %k, %exp5 : f32
  %sum1 = arith.addf %alpha, %f1 : f32
  %a3 = arith.mulf %prod5, %sum1 : f32
  %neg5 = arith.negf %k : f32
  %prod6 = arith.mulf %fm2, %alpha : f32
  %exp6 = math.exp %prod6 : f32
  %a4 = arith.mulf %neg5, %exp6 : f32
  %neg6 = arith.negf %alpha : f32
  %b1 = math.powf %f2, %neg6 : f32
  %prod7 = arith.mulf %fm2, %alpha : f32
  %exp7 = math.exp %prod7 : f32
  %b2 = arith.negf %exp7 : f32
  affine.for %i = 0 to %w {
    %carried:3 = affine.for %j = 0 to %h
        iter_args(%ym1_in = %f0, %ym2_in = %f0, %xm1_in = %f0)
        -> (f32, f32, f32) {
      %imgin_v = affine.load %imgIn[%i, %j] : memref<?x?xf32>
      %prod8 = arith.mulf %k, %imgin_v : f32
      %prod9 = arith.mulf %a2, %xm1_in : f32
      %sum2 = arith.addf %prod8, %prod9 : f32
      %prod10 = arith.mulf %b1, %ym1_in : f32
      %sum3 = arith.addf %sum2, %prod10 : f32
      %prod11 = arith.mulf %b2, %ym2_in : f32
      %sum4 = arith.addf %sum3, %prod11 : f32
      affine.store %sum4, %y1[%i, %j] : memref<?x?xf32>
      %xm1 = affine.load %imgIn[%i, %j] : memref<?x?xf32>
      %ym1 = affine.load %y1[%i, %j] : memref<?x?xf32>
      affine.yield %ym1, %ym1_in, %xm1 : f32, f32, f32
    }
  }
  affine.for %i = 0 to %w {
    %carried:4 = affine.for %j = 0 to %h
        iter_args(%yp1_in = %f0, %yp2_in = %f0, %xp1_in = %f0, %xp2_in = %f0)
        -> (f32, f32, f32, f32) {
      %prod8 = arith.mulf %a3, %xp1_in : f32
      %prod9 = arith.mulf %a4, %xp2_in : f32
      %sum2 = arith.addf %prod8, %prod9 : f32
      %prod10 = arith.mulf %b1, %yp1_in : f32
      %sum3 = arith.addf %sum2, %prod10 : f32
      %prod11 = arith.mulf %b2, %yp2_in : f32
      %sum4 = arith.addf %sum3, %prod11 : f32
      affine.store %sum4, %y2[%i, %h - 1 - %j] : memref<?x?xf32>
      %xp1 = affine.load %imgIn[%i, %h - 1 - %j] : memref<?x?xf32>
      %yp1 = affine.load %y2[%i, %h - 1 - %j] : memref<?x?xf32>
      affine.yield %yp1, %yp1_in, %xp1, %xp1_in : f32, f32, f32, f32
    }
  }
  affine.for %i = 0 to %w {
    affine.for %j = 0 to %h {
      %y1_v = affine.load %y1[%i, %j] : memref<?x?xf32>
      %y2_v = affine.load %y2[%i, %j] : memref<?x?xf32>
      %sum2 = arith.addf %y1_v, %y2_v : f32
      %prod8 = arith.mulf %f1, %sum2 : f32
      affine.store %prod8, %imgOut[%i, %j] : memref<?x?xf32>
    }
  }
  affine.for %j = 0 to %h {
    affine.store %f0, %tm1[] : memref<f32>
    affine.store %f0, %vm1[] : memref<f32>
    affine.store %f0, %vm2[] : memref<f32>
    affine.for %i = 0 to %w {
      %imgout_v = affine.load %imgOut[%i, %j] : memref<?x?xf32>
      %prod8 = arith.mulf %k, %imgout_v : f32
      %tm1_v = affine.load %tm1[] : memref<f32>
      %prod9 = arith.mulf %a2, %tm1_v : f32
      %sum2 = arith.addf %prod8, %prod9 : f32
      %vm1_v = affine.load %vm1[] : memref<f32>
      %prod10 = arith.mulf %b1, %vm1_v : f32
      %sum3 = arith.addf %sum2, %prod10 : f32
      %vm2_v = affine.load %vm2[] : memref<f32>
      %prod11 = arith.mulf %b2, %vm2_v : f32
      %sum4 = arith.addf %sum3, %prod11 : f32
      affine.store %sum4, %y1[%i, %j] : memref<?x?xf32>
      %imgout_v1 = affine.load %imgOut[%i, %j] : memref<?x?xf32>
      affine.store %imgout_v1, %tm1[] : memref<f32>
      %vm1_v1 = affine.load %vm1[] : memref<f32>
      affine.store %vm1_v1, %vm2[] : memref<f32>
      %y1_v = affine.load %y1[%i, %j] : memref<?x?xf32>
      affine.store %y1_v, %vm1[] : memref<f32>
    }
  }
  affine.for %j = 0 to %h {
    affine.store %f0, %tp1[] : memref<f32>
    affine.store %f0, %tp2[] : memref<f32>
    affine.store %f0, %vp1[] : memref<f32>
    affine.store %f0, %vp2[] : memref<f32>
    affine.for %i = 0 to %w {
      %tp1_v = affine.load %tp1[] : memref<f32>
      %prod8 = arith.mulf %a3, %tp1_v : f32
      %tp2_v = affine.load %tp2[] : memref<f32>
      %prod9 = arith.mulf %a4, %tp2_v : f32
      %sum2 = arith.addf %prod8, %prod9 : f32
      %vp1_v = affine.load %vp1[] : memref<f32>
      %prod10 = arith.mulf %b1, %vp1_v : f32
      %sum3 = arith.addf %sum2, %prod10 : f32
      %vp2_v = affine.load %vp2[] : memref<f32>
      %prod11 = arith.mulf %b2, %vp2_v : f32
      %sum4 = arith.addf %sum3, %prod11 : f32
      affine.store %sum4, %y2[%w - 1 - %i, %j] : memref<?x?xf32>
      %tp1_v1 = affine.load %tp1[] : memref<f32>
      affine.store %tp1_v1, %tp2[] : memref<f32>
      %imgout_v = affine.load %imgOut[%w - 1 - %i, %j] : memref<?x?xf32>
      affine.store %imgout_v, %tp1[] : memref<f32>
      %vp1_v1 = affine.load %vp1[] : memref<f32>
      affine.store %vp1_v1, %vp2[] : memref<f32>
      %y2_v = affine.load %y2[%w - 1 - %i, %j] : memref<?x?xf32>
      affine.store %y2_v, %vp1[] : memref<f32>
    }
  }
  affine.for %i = 0 to %w {
    affine.for %j = 0 to %h {
      %y1_v = affine.load %y1[%i, %j] : memref<?x?xf32>
      %y2_v = affine.load %y2[%i, %j] : memref<?x?xf32>
      %sum2 = arith.addf %y1_v, %y2_v : f32
      %prod8 = arith.mulf %f1, %sum2 : f32
      affine.store %prod8, %imgOut[%i, %j] : memref<?x?xf32>
    }
  }
  return
}

func.func @print_array(%w: index, %h: index, %imgOut: memref<?x?xf32>) {
  %tag_imgOut = arith.constant 0x696d674f7574 : i64 // "imgOut"
  call @bench_array(%tag_imgOut) : (i64) -> ()
  affine.for %i = 0 to %w {
    affine.for %j = 0 to %h {
      %imgout_v = affine.load %imgOut[%i, %j] : memref<?x?xf32>
      func.call @bench_value_f32(%imgout_v) : (f32) -> ()
    }
  }
  return
}

func.func @polybench_run() {
  %w_which = arith.constant 0 : i64
  %w_large = arith.constant 4096 : i64
  %w_asked = call @bench_size(%w_which, %w_large) : (i64, i64) -> i64
  %w = arith.index_cast %w_asked : i64 to index
  %h_which = arith.constant 1 : i64
  %h_large = arith.constant 2160 : i64
  %h_asked = call @bench_size(%h_which, %h_large) : (i64, i64) -> i64
  %h = arith.index_cast %h_asked : i64 to index
  %alpha = arith.constant 0.25 : f32
  %imgIn = memref.alloc(%w, %h) : memref<?x?xf32>
  %imgOut = memref.alloc(%w, %h) : memref<?x?xf32>
  %y1 = memref.alloc(%w, %h) : memref<?x?xf32>
  %y2 = memref.alloc(%w, %h) : memref<?x?xf32>
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  %repetitions_asked = call @bench_repetitions() : () -> i64
  %repetitions = arith.index_cast %repetitions_asked : i64 to index
  scf.for %repetition = %zero to %repetitions step %one {
    func.call @init_array(%w, %h, %imgIn, %imgOut)
        : (index, index, memref<?x?xf32>, memref<?x?xf32>) -> ()
    func.call @bench_start() : () -> ()
    func.call @kernel_deriche(%w, %h, %alpha, %imgIn, %imgOut, %y1, %y2)
        : (index, index, f32, memref<?x?xf32>, memref<?x?xf32>, memref<?x?xf32>,
           memref<?x?xf32>) -> ()
    func.call @bench_stop() : () -> ()
  }
  call @print_array(%w, %h, %imgOut) : (index, index, memref<?x?xf32>) -> ()
  memref.dealloc %imgIn : memref<?x?xf32>
  memref.dealloc %imgOut : memref<?x?xf32>
  memref.dealloc %y1 : memref<?x?xf32>
  memref.dealloc %y2 : memref<?x?xf32>
  return
}
