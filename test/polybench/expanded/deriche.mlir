// deriche with its scalars expanded to arrays, one for each scalar of each of the four passes. An element stands for the
// value that a scalar has at the start of an iteration, so that each array has one more than there are iterations.

func.func @kernel_deriche(%w: index, %h: index, %alpha: f32, %imgIn: memref<?x?xf32>,
                          %imgOut: memref<?x?xf32>, %y1: memref<?x?xf32>, %y2: memref<?x?xf32>) {
  %f1 = arith.constant 1.0 : f32
  %f2 = arith.constant 2.0 : f32
  %fm2 = arith.constant -2.0 : f32
  %f0 = arith.constant 0.0 : f32
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
  %c1 = arith.constant 1 : index
  %w1 = arith.addi %w, %c1 : index
  %h1 = arith.addi %h, %c1 : index
  %xm1 = memref.alloc(%w, %h1) : memref<?x?xf32>
  %ym1 = memref.alloc(%w, %h1) : memref<?x?xf32>
  %ym2 = memref.alloc(%w, %h1) : memref<?x?xf32>
  %xp1 = memref.alloc(%w, %h1) : memref<?x?xf32>
  %xp2 = memref.alloc(%w, %h1) : memref<?x?xf32>
  %yp1 = memref.alloc(%w, %h1) : memref<?x?xf32>
  %yp2 = memref.alloc(%w, %h1) : memref<?x?xf32>
  %tm1 = memref.alloc(%w1, %h) : memref<?x?xf32>
  %vm1 = memref.alloc(%w1, %h) : memref<?x?xf32>
  %vm2 = memref.alloc(%w1, %h) : memref<?x?xf32>
  %tp1 = memref.alloc(%w1, %h) : memref<?x?xf32>
  %tp2 = memref.alloc(%w1, %h) : memref<?x?xf32>
  %vp1 = memref.alloc(%w1, %h) : memref<?x?xf32>
  %vp2 = memref.alloc(%w1, %h) : memref<?x?xf32>
  affine.for %i = 0 to %w {
    affine.store %f0, %xm1[%i, 0] : memref<?x?xf32>
    affine.store %f0, %ym1[%i, 0] : memref<?x?xf32>
    affine.store %f0, %ym2[%i, 0] : memref<?x?xf32>
    affine.for %j = 0 to %h {
      %in = affine.load %imgIn[%i, %j] : memref<?x?xf32>
      %t = arith.mulf %k, %in : f32
      %xm1_v = affine.load %xm1[%i, %j] : memref<?x?xf32>
      %t_1 = arith.mulf %a2, %xm1_v : f32
      %s = arith.addf %t, %t_1 : f32
      %ym1_v = affine.load %ym1[%i, %j] : memref<?x?xf32>
      %t_2 = arith.mulf %b1, %ym1_v : f32
      %s_1 = arith.addf %s, %t_2 : f32
      %ym2_v = affine.load %ym2[%i, %j] : memref<?x?xf32>
      %t_3 = arith.mulf %b2, %ym2_v : f32
      %s_2 = arith.addf %s_1, %t_3 : f32
      affine.store %s_2, %y1[%i, %j] : memref<?x?xf32>
      %in_1 = affine.load %imgIn[%i, %j] : memref<?x?xf32>
      affine.store %in_1, %xm1[%i, %j + 1] : memref<?x?xf32>
      %ym1_1 = affine.load %ym1[%i, %j] : memref<?x?xf32>
      affine.store %ym1_1, %ym2[%i, %j + 1] : memref<?x?xf32>
      %out = affine.load %y1[%i, %j] : memref<?x?xf32>
      affine.store %out, %ym1[%i, %j + 1] : memref<?x?xf32>
    }
  }
  affine.for %i = 0 to %w {
    affine.store %f0, %xp1[%i, 0] : memref<?x?xf32>
    affine.store %f0, %xp2[%i, 0] : memref<?x?xf32>
    affine.store %f0, %yp1[%i, 0] : memref<?x?xf32>
    affine.store %f0, %yp2[%i, 0] : memref<?x?xf32>
    affine.for %j = 0 to %h {
      %xp1_v = affine.load %xp1[%i, %j] : memref<?x?xf32>
      %t = arith.mulf %a3, %xp1_v : f32
      %xp2_v = affine.load %xp2[%i, %j] : memref<?x?xf32>
      %t_1 = arith.mulf %a4, %xp2_v : f32
      %s = arith.addf %t, %t_1 : f32
      %yp1_v = affine.load %yp1[%i, %j] : memref<?x?xf32>
      %t_2 = arith.mulf %b1, %yp1_v : f32
      %s_1 = arith.addf %s, %t_2 : f32
      %yp2_v = affine.load %yp2[%i, %j] : memref<?x?xf32>
      %t_3 = arith.mulf %b2, %yp2_v : f32
      %s_2 = arith.addf %s_1, %t_3 : f32
      affine.store %s_2, %y2[%i, %h - 1 - %j] : memref<?x?xf32>
      %xp1_1 = affine.load %xp1[%i, %j] : memref<?x?xf32>
      affine.store %xp1_1, %xp2[%i, %j + 1] : memref<?x?xf32>
      %in_1 = affine.load %imgIn[%i, %h - 1 - %j] : memref<?x?xf32>
      affine.store %in_1, %xp1[%i, %j + 1] : memref<?x?xf32>
      %yp1_1 = affine.load %yp1[%i, %j] : memref<?x?xf32>
      affine.store %yp1_1, %yp2[%i, %j + 1] : memref<?x?xf32>
      %out = affine.load %y2[%i, %h - 1 - %j] : memref<?x?xf32>
      affine.store %out, %yp1[%i, %j + 1] : memref<?x?xf32>
    }
  }
  affine.for %i = 0 to %w {
    affine.for %j = 0 to %h {
      %y1_v = affine.load %y1[%i, %j] : memref<?x?xf32>
      %y2_v = affine.load %y2[%i, %j] : memref<?x?xf32>
      %s = arith.addf %y1_v, %y2_v : f32
      %t = arith.mulf %f1, %s : f32
      affine.store %t, %imgOut[%i, %j] : memref<?x?xf32>
    }
  }
  affine.for %j = 0 to %h {
    affine.store %f0, %tm1[0, %j] : memref<?x?xf32>
    affine.store %f0, %vm1[0, %j] : memref<?x?xf32>
    affine.store %f0, %vm2[0, %j] : memref<?x?xf32>
    affine.for %i = 0 to %w {
      %in = affine.load %imgOut[%i, %j] : memref<?x?xf32>
      %t = arith.mulf %k, %in : f32
      %tm1_v = affine.load %tm1[%i, %j] : memref<?x?xf32>
      %t_1 = arith.mulf %a2, %tm1_v : f32
      %s = arith.addf %t, %t_1 : f32
      %vm1_v = affine.load %vm1[%i, %j] : memref<?x?xf32>
      %t_2 = arith.mulf %b1, %vm1_v : f32
      %s_1 = arith.addf %s, %t_2 : f32
      %vm2_v = affine.load %vm2[%i, %j] : memref<?x?xf32>
      %t_3 = arith.mulf %b2, %vm2_v : f32
      %s_2 = arith.addf %s_1, %t_3 : f32
      affine.store %s_2, %y1[%i, %j] : memref<?x?xf32>
      %in_1 = affine.load %imgOut[%i, %j] : memref<?x?xf32>
      affine.store %in_1, %tm1[%i + 1, %j] : memref<?x?xf32>
      %vm1_1 = affine.load %vm1[%i, %j] : memref<?x?xf32>
      affine.store %vm1_1, %vm2[%i + 1, %j] : memref<?x?xf32>
      %out = affine.load %y1[%i, %j] : memref<?x?xf32>
      affine.store %out, %vm1[%i + 1, %j] : memref<?x?xf32>
    }
  }
  affine.for %j = 0 to %h {
    affine.store %f0, %tp1[0, %j] : memref<?x?xf32>
    affine.store %f0, %tp2[0, %j] : memref<?x?xf32>
    affine.store %f0, %vp1[0, %j] : memref<?x?xf32>
    affine.store %f0, %vp2[0, %j] : memref<?x?xf32>
    affine.for %i = 0 to %w {
      %tp1_v = affine.load %tp1[%i, %j] : memref<?x?xf32>
      %t = arith.mulf %a3, %tp1_v : f32
      %tp2_v = affine.load %tp2[%i, %j] : memref<?x?xf32>
      %t_1 = arith.mulf %a4, %tp2_v : f32
      %s = arith.addf %t, %t_1 : f32
      %vp1_v = affine.load %vp1[%i, %j] : memref<?x?xf32>
      %t_2 = arith.mulf %b1, %vp1_v : f32
      %s_1 = arith.addf %s, %t_2 : f32
      %vp2_v = affine.load %vp2[%i, %j] : memref<?x?xf32>
      %t_3 = arith.mulf %b2, %vp2_v : f32
      %s_2 = arith.addf %s_1, %t_3 : f32
      affine.store %s_2, %y2[%w - 1 - %i, %j] : memref<?x?xf32>
      %tp1_1 = affine.load %tp1[%i, %j] : memref<?x?xf32>
      affine.store %tp1_1, %tp2[%i + 1, %j] : memref<?x?xf32>
      %in_1 = affine.load %imgOut[%w - 1 - %i, %j] : memref<?x?xf32>
      affine.store %in_1, %tp1[%i + 1, %j] : memref<?x?xf32>
      %vp1_1 = affine.load %vp1[%i, %j] : memref<?x?xf32>
      affine.store %vp1_1, %vp2[%i + 1, %j] : memref<?x?xf32>
      %out = affine.load %y2[%w - 1 - %i, %j] : memref<?x?xf32>
      affine.store %out, %vp1[%i + 1, %j] : memref<?x?xf32>
    }
  }
  affine.for %i = 0 to %w {
    affine.for %j = 0 to %h {
      %y1_v = affine.load %y1[%i, %j] : memref<?x?xf32>
      %y2_v = affine.load %y2[%i, %j] : memref<?x?xf32>
      %s = arith.addf %y1_v, %y2_v : f32
      %t = arith.mulf %f1, %s : f32
      affine.store %t, %imgOut[%i, %j] : memref<?x?xf32>
    }
  }
  memref.dealloc %xm1 : memref<?x?xf32>
  memref.dealloc %ym1 : memref<?x?xf32>
  memref.dealloc %ym2 : memref<?x?xf32>
  memref.dealloc %xp1 : memref<?x?xf32>
  memref.dealloc %xp2 : memref<?x?xf32>
  memref.dealloc %yp1 : memref<?x?xf32>
  memref.dealloc %yp2 : memref<?x?xf32>
  memref.dealloc %tm1 : memref<?x?xf32>
  memref.dealloc %vm1 : memref<?x?xf32>
  memref.dealloc %vm2 : memref<?x?xf32>
  memref.dealloc %tp1 : memref<?x?xf32>
  memref.dealloc %tp2 : memref<?x?xf32>
  memref.dealloc %vp1 : memref<?x?xf32>
  memref.dealloc %vp2 : memref<?x?xf32>
  return
}
