// ludcmp: solution of A x = b by LU decomposition, forward and back substitution
//
// The scalar w of the C code is the value that the loops carry in iter_args. The loop of the back
// substitution descends in C; here row r stands for n - 1 - r.

#self = affine_map<(d0) -> (d0)>
#next = affine_map<(d0) -> (d0 + 1)>
#below = affine_map<(d0)[s0] -> (s0 - d0)>

func.func private @bench_size(i64, i64) -> i64
func.func private @bench_repetitions() -> i64
func.func private @bench_start()
func.func private @bench_stop()
func.func private @bench_array(i64)
func.func private @bench_value_f64(f64)

func.func @init_array(%n: index, %A: memref<?x?xf64>, %b: memref<?xf64>, %x: memref<?xf64>,
                      %y: memref<?xf64>) {
  %f0 = arith.constant 0.0 : f64
  %c1 = arith.constant 1 : index
  %f2 = arith.constant 2.0 : f64
  %f4 = arith.constant 4.0 : f64
  %c0 = arith.constant 0 : index
  %f1 = arith.constant 1.0 : f64
  affine.for %i = 0 to %n {
    affine.store %f0, %x[%i] : memref<?xf64>
    affine.store %f0, %y[%i] : memref<?xf64>
    %sum = arith.addi %i, %c1 : index
    %int = arith.index_cast %sum : index to i64
    %fp = arith.sitofp %int : i64 to f64
    %int_1 = arith.index_cast %n : index to i64
    %fp_1 = arith.sitofp %int_1 : i64 to f64
    %quot = arith.divf %fp, %fp_1 : f64
    %quot_1 = arith.divf %quot, %f2 : f64
    %sum_1 = arith.addf %quot_1, %f4 : f64
    affine.store %sum_1, %b[%i] : memref<?xf64>
  }
  affine.for %i = 0 to %n {
    affine.for %j = 0 to #next(%i) {
      %diff = arith.subi %c0, %j : index
      %rest = arith.remsi %diff, %n : index
      %int_2 = arith.index_cast %rest : index to i64
      %fp_2 = arith.sitofp %int_2 : i64 to f64
      %int_3 = arith.index_cast %n : index to i64
      %fp_3 = arith.sitofp %int_3 : i64 to f64
      %quot_2 = arith.divf %fp_2, %fp_3 : f64
      %sum_2 = arith.addf %quot_2, %f1 : f64
      affine.store %sum_2, %A[%i, %j] : memref<?x?xf64>
    }
    affine.for %j = #next(%i) to %n {
      affine.store %f0, %A[%i, %j] : memref<?x?xf64>
    }
    affine.store %f1, %A[%i, %i] : memref<?x?xf64>
  }
  // A times its transpose is symmetric positive definite: no pivot vanishes.
  %B = memref.alloc(%n, %n) : memref<?x?xf64>
  affine.for %r = 0 to %n {
    affine.for %s = 0 to %n {
      affine.store %f0, %B[%r, %s] : memref<?x?xf64>
    }
  }
  affine.for %t = 0 to %n {
    affine.for %r = 0 to %n {
      affine.for %s = 0 to %n {
        %b_rs = affine.load %B[%r, %s] : memref<?x?xf64>
        %a_rt = affine.load %A[%r, %t] : memref<?x?xf64>
        %a_st = affine.load %A[%s, %t] : memref<?x?xf64>
        %prod = arith.mulf %a_rt, %a_st : f64
        %sum_3 = arith.addf %b_rs, %prod : f64
        affine.store %sum_3, %B[%r, %s] : memref<?x?xf64>
      }
    }
  }
  affine.for %r = 0 to %n {
    affine.for %s = 0 to %n {
      %b_rs_1 = affine.load %B[%r, %s] : memref<?x?xf64>
      affine.store %b_rs_1, %A[%r, %s] : memref<?x?xf64>
    }
  }
  memref.dealloc %B : memref<?x?xf64>
  return
}

func.func @kernel_ludcmp(%n: index, %A: memref<?x?xf64>, %b: memref<?xf64>, %x: memref<?xf64>,
                         %y: memref<?xf64>) {
  affine.for %i = 0 to %n {
    affine.for %j = 0 to #self(%i) {
      %first = affine.load %A[%i, %j] : memref<?x?xf64>
      %last = affine.for %k = 0 to #self(%j) iter_args(%w = %first) -> (f64) {
        %a_ik = affine.load %A[%i, %k] : memref<?x?xf64>
        %a_kj = affine.load %A[%k, %j] : memref<?x?xf64>
        %prod = arith.mulf %a_ik, %a_kj : f64
        %next = arith.subf %w, %prod : f64
        affine.yield %next : f64
      }
      %a_jj = affine.load %A[%j, %j] : memref<?x?xf64>
      %quot = arith.divf %last, %a_jj : f64
      affine.store %quot, %A[%i, %j] : memref<?x?xf64>
    }
    affine.for %j = #self(%i) to %n {
      %first = affine.load %A[%i, %j] : memref<?x?xf64>
      %last = affine.for %k = 0 to #self(%i) iter_args(%w = %first) -> (f64) {
        %a_ik_1 = affine.load %A[%i, %k] : memref<?x?xf64>
        %a_kj_1 = affine.load %A[%k, %j] : memref<?x?xf64>
        %prod_1 = arith.mulf %a_ik_1, %a_kj_1 : f64
        %next = arith.subf %w, %prod_1 : f64
        affine.yield %next : f64
      }
      affine.store %last, %A[%i, %j] : memref<?x?xf64>
    }
  }
  affine.for %i = 0 to %n {
    %first = affine.load %b[%i] : memref<?xf64>
    %last = affine.for %j = 0 to #self(%i) iter_args(%w = %first) -> (f64) {
      %a_ij = affine.load %A[%i, %j] : memref<?x?xf64>
      %y_j = affine.load %y[%j] : memref<?xf64>
      %prod_2 = arith.mulf %a_ij, %y_j : f64
      %next = arith.subf %w, %prod_2 : f64
      affine.yield %next : f64
    }
    affine.store %last, %y[%i] : memref<?xf64>
  }
  affine.for %r = 0 to %n {
    %first = affine.load %y[%n - 1 - %r] : memref<?xf64>
    %last = affine.for %j = #below(%r)[%n] to %n iter_args(%w = %first) -> (f64) {
      %a_nmrj = affine.load %A[%n - 1 - %r, %j] : memref<?x?xf64>
      %x_j = affine.load %x[%j] : memref<?xf64>
      %prod_3 = arith.mulf %a_nmrj, %x_j : f64
      %next = arith.subf %w, %prod_3 : f64
      affine.yield %next : f64
    }
    %a_nmrnmr = affine.load %A[%n - 1 - %r, %n - 1 - %r] : memref<?x?xf64>
    %quot_1 = arith.divf %last, %a_nmrnmr : f64
    affine.store %quot_1, %x[%n - 1 - %r] : memref<?xf64>
  }
  return
}

func.func @print_array(%n: index, %x: memref<?xf64>) {
  %tag_x = arith.constant 0x78 : i64 // "x"
  call @bench_array(%tag_x) : (i64) -> ()
  affine.for %i = 0 to %n {
    %value = affine.load %x[%i] : memref<?xf64>
    func.call @bench_value_f64(%value) : (f64) -> ()
  }
  return
}

func.func @polybench_run() {
  %n_which = arith.constant 0 : i64
  %n_large = arith.constant 2000 : i64
  %n_asked = call @bench_size(%n_which, %n_large) : (i64, i64) -> i64
  %n = arith.index_cast %n_asked : i64 to index
  %A = memref.alloc(%n, %n) : memref<?x?xf64>
  %b = memref.alloc(%n) : memref<?xf64>
  %x = memref.alloc(%n) : memref<?xf64>
  %y = memref.alloc(%n) : memref<?xf64>
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  %repetitions_asked = call @bench_repetitions() : () -> i64
  %repetitions = arith.index_cast %repetitions_asked : i64 to index
  scf.for %repetition = %zero to %repetitions step %one {
    func.call @init_array(%n, %A, %b, %x, %y)
        : (index, memref<?x?xf64>, memref<?xf64>, memref<?xf64>, memref<?xf64>) -> ()
    func.call @bench_start() : () -> ()
    func.call @kernel_ludcmp(%n, %A, %b, %x, %y)
        : (index, memref<?x?xf64>, memref<?xf64>, memref<?xf64>, memref<?xf64>) -> ()
    func.call @bench_stop() : () -> ()
  }
  call @print_array(%n, %x) : (index, memref<?xf64>) -> ()
  memref.dealloc %A : memref<?x?xf64>
  memref.dealloc %b : memref<?xf64>
  memref.dealloc %x : memref<?xf64>
  memref.dealloc %y : memref<?xf64>
  return
}
