// trisolv: forward substitution, L x = b with a lower triangular L

#self = affine_map<(d0) -> (d0)>
#next = affine_map<(d0) -> (d0 + 1)>

func.func private @bench_size(i64, i64) -> i64
func.func private @bench_repetitions() -> i64
func.func private @bench_start()
func.func private @bench_stop()
func.func private @bench_array(i64)
func.func private @bench_value_f64(f64)

func.func @init_array(%n: index, %L: memref<?x?xf64>, %x: memref<?xf64>, %b: memref<?xf64>) {
  %c1 = arith.constant 1 : index
  %f2 = arith.constant 2.0 : f64
  affine.for %i = 0 to %n {
    %before = arith.constant -999.0 : f64
    affine.store %before, %x[%i] : memref<?xf64>
    %int = arith.index_cast %i : index to i64
    %fp = arith.sitofp %int : i64 to f64
    affine.store %fp, %b[%i] : memref<?xf64>
    affine.for %j = 0 to #next(%i) {
      %sum = arith.addi %i, %n : index
      %diff = arith.subi %sum, %j : index
      %sum_1 = arith.addi %diff, %c1 : index
      %int_1 = arith.index_cast %sum_1 : index to i64
      %fp_1 = arith.sitofp %int_1 : i64 to f64
      %prod = arith.mulf %fp_1, %f2 : f64
      %int_2 = arith.index_cast %n : index to i64
      %fp_2 = arith.sitofp %int_2 : i64 to f64
      %quot = arith.divf %prod, %fp_2 : f64
      affine.store %quot, %L[%i, %j] : memref<?x?xf64>
    }
  }
  return
}

func.func @kernel_trisolv(%n: index, %L: memref<?x?xf64>, %x: memref<?xf64>, %b: memref<?xf64>) {
  affine.for %i = 0 to %n {
    %b_i = affine.load %b[%i] : memref<?xf64>
    affine.store %b_i, %x[%i] : memref<?xf64>
    affine.for %j = 0 to #self(%i) {
      %x_i = affine.load %x[%i] : memref<?xf64>
      %l_ij = affine.load %L[%i, %j] : memref<?x?xf64>
      %x_j = affine.load %x[%j] : memref<?xf64>
      %prod = arith.mulf %l_ij, %x_j : f64
      %diff = arith.subf %x_i, %prod : f64
      affine.store %diff, %x[%i] : memref<?xf64>
    }
    %x_i_1 = affine.load %x[%i] : memref<?xf64>
    %l_ii = affine.load %L[%i, %i] : memref<?x?xf64>
    %quot = arith.divf %x_i_1, %l_ii : f64
    affine.store %quot, %x[%i] : memref<?xf64>
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
  %L = memref.alloc(%n, %n) : memref<?x?xf64>
  %x = memref.alloc(%n) : memref<?xf64>
  %b = memref.alloc(%n) : memref<?xf64>
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  %repetitions_asked = call @bench_repetitions() : () -> i64
  %repetitions = arith.index_cast %repetitions_asked : i64 to index
  scf.for %repetition = %zero to %repetitions step %one {
    func.call @init_array(%n, %L, %x, %b)
        : (index, memref<?x?xf64>, memref<?xf64>, memref<?xf64>) -> ()
    func.call @bench_start() : () -> ()
    func.call @kernel_trisolv(%n, %L, %x, %b)
        : (index, memref<?x?xf64>, memref<?xf64>, memref<?xf64>) -> ()
    func.call @bench_stop() : () -> ()
  }
  call @print_array(%n, %x) : (index, memref<?xf64>) -> ()
  memref.dealloc %L : memref<?x?xf64>
  memref.dealloc %x : memref<?xf64>
  memref.dealloc %b : memref<?xf64>
  return
}
