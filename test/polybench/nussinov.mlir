// nussinov: RNA folding by dynamic programming: the most base pairs in every interval
//
// PolyBench's table starts at zero everywhere, and then two statements change nothing: the one
// that reads below the diagonal, and the one that reads the left neighbour, whose value the last
// split gives too. Here some entries below the diagonal are 1, and those on it are -1. The outer
// loop descends in C; here row r stands for i = n - 1 - r.

#self = affine_map<(d0) -> (d0)>
#next = affine_map<(d0) -> (d0 + 1)>
#mirror = affine_map<(d0)[s0] -> (s0 - 1 - d0)>
#has_left = affine_set<(d0) : (d0 - 1 >= 0)>
#has_below = affine_set<(d0)[s0] : (s0 - d0 - 2 >= 0)>
#has_inner = affine_set<(d0, d1)[s0] : (d1 - 1 >= 0, s0 - d0 - 2 >= 0)>
#not_adjacent = affine_set<(d0, d1) : (d1 - d0 - 2 >= 0)>

func.func private @bench_size(i64, i64) -> i64
func.func private @bench_repetitions() -> i64
func.func private @bench_start()
func.func private @bench_stop()
func.func private @bench_array(i64)
func.func private @bench_value_i32(i32)

func.func @init_array(%n: index, %seq: memref<?xi8>, %table: memref<?x?xi32>) {
  %one = arith.constant 1 : index
  %four = arith.constant 4 : index
  %five = arith.constant 5 : index
  %zero = arith.constant 0 : i32
  %minus_one = arith.constant -1 : i32
  affine.for %i = 0 to %n {
    %next = arith.addi %i, %one : index
    %rest = arith.remsi %next, %four : index
    %base = arith.index_cast %rest : index to i8
    affine.store %base, %seq[%i] : memref<?xi8>
  }
  affine.for %i = 0 to %n {
    affine.for %j = 0 to #self(%i) {
      %sum = arith.addi %i, %j : index
      %rest = arith.remsi %sum, %five : index
      %quot = arith.divsi %rest, %four : index
      %entry = arith.index_cast %quot : index to i32
      affine.store %entry, %table[%i, %j] : memref<?x?xi32>
    }
    affine.store %minus_one, %table[%i, %i] : memref<?x?xi32>
    affine.for %j = #next(%i) to %n {
      affine.store %zero, %table[%i, %j] : memref<?x?xi32>
    }
  }
  return
}

func.func @kernel_nussinov(%n: index, %seq: memref<?xi8>, %table: memref<?x?xi32>) {
  affine.for %r = 0 to %n {
    %i = affine.apply #mirror(%r)[%n]
    affine.for %j = #next(%i) to %n {
      affine.if #has_left(%j) {
        %old = affine.load %table[%i, %j] : memref<?x?xi32>
        %other = affine.load %table[%i, %j - 1] : memref<?x?xi32>
        %best = arith.maxsi %old, %other : i32
        affine.store %best, %table[%i, %j] : memref<?x?xi32>
      }
      affine.if #has_below(%i)[%n] {
        %old = affine.load %table[%i, %j] : memref<?x?xi32>
        %other = affine.load %table[%i + 1, %j] : memref<?x?xi32>
        %best = arith.maxsi %old, %other : i32
        affine.store %best, %table[%i, %j] : memref<?x?xi32>
      }
      affine.if #has_inner(%i, %j)[%n] {
        affine.if #not_adjacent(%i, %j) {
          %old = affine.load %table[%i, %j] : memref<?x?xi32>
          %other = affine.load %table[%i + 1, %j - 1] : memref<?x?xi32>
          %base_i = affine.load %seq[%i] : memref<?xi8>
          %base_j = affine.load %seq[%j] : memref<?xi8>
          %left = arith.extsi %base_i : i8 to i32
          %right = arith.extsi %base_j : i8 to i32
          %pair = arith.addi %left, %right : i32
          %three = arith.constant 3 : i32
          %bond = arith.cmpi eq, %pair, %three : i32
          %match = arith.extui %bond : i1 to i32
          %score = arith.addi %other, %match : i32
          %best = arith.maxsi %old, %score : i32
          affine.store %best, %table[%i, %j] : memref<?x?xi32>
        } else {
          %old = affine.load %table[%i, %j] : memref<?x?xi32>
          %other = affine.load %table[%i + 1, %j - 1] : memref<?x?xi32>
          %best = arith.maxsi %old, %other : i32
          affine.store %best, %table[%i, %j] : memref<?x?xi32>
        }
      }
      affine.for %k = #next(%i) to #self(%j) {
        %old = affine.load %table[%i, %j] : memref<?x?xi32>
        %left = affine.load %table[%i, %k] : memref<?x?xi32>
        %right = affine.load %table[%k + 1, %j] : memref<?x?xi32>
        %both = arith.addi %left, %right : i32
        %best = arith.maxsi %old, %both : i32
        affine.store %best, %table[%i, %j] : memref<?x?xi32>
      }
    }
  }
  return
}

func.func @print_array(%n: index, %table: memref<?x?xi32>) {
  %tag_table = arith.constant 0x7461626c65 : i64 // "table"
  call @bench_array(%tag_table) : (i64) -> ()
  affine.for %i = 0 to %n {
    affine.for %j = #self(%i) to %n {
      %value = affine.load %table[%i, %j] : memref<?x?xi32>
      func.call @bench_value_i32(%value) : (i32) -> ()
    }
  }
  return
}

func.func @polybench_run() {
  %n_which = arith.constant 0 : i64
  %n_large = arith.constant 2500 : i64
  %n_asked = call @bench_size(%n_which, %n_large) : (i64, i64) -> i64
  %n = arith.index_cast %n_asked : i64 to index
  %seq = memref.alloc(%n) : memref<?xi8>
  %table = memref.alloc(%n, %n) : memref<?x?xi32>
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  %repetitions_asked = call @bench_repetitions() : () -> i64
  %repetitions = arith.index_cast %repetitions_asked : i64 to index
  scf.for %repetition = %zero to %repetitions step %one {
    func.call @init_array(%n, %seq, %table) : (index, memref<?xi8>, memref<?x?xi32>) -> ()
    func.call @bench_start() : () -> ()
    func.call @kernel_nussinov(%n, %seq, %table) : (index, memref<?xi8>, memref<?x?xi32>) -> ()
    func.call @bench_stop() : () -> ()
  }
  call @print_array(%n, %table) : (index, memref<?x?xi32>) -> ()
  memref.dealloc %seq : memref<?xi8>
  memref.dealloc %table : memref<?x?xi32>
  return
}
