// A product of two matrices. Small integers, so that every sum is exact in any order. The first one's elements are
// the numbers of their rows, all elements of the second one are 2.
func.func private @puts(!llvm.ptr) -> i32
llvm.mlir.global private constant @right("the product is right\00") : !llvm.array<21 x i8>

func.func @product(%A: memref<400x300xf64>, %B: memref<300x200xf64>, %C: memref<400x200xf64>) {
  affine.for %i = 0 to 400 {
    affine.for %j = 0 to 200 {
      affine.for %k = 0 to 300 {
        %a = affine.load %A[%i, %k] : memref<400x300xf64>
        %b = affine.load %B[%k, %j] : memref<300x200xf64>
        %c = affine.load %C[%i, %j] : memref<400x200xf64>
        %term = arith.mulf %a, %b : f64
        %sum = arith.addf %c, %term : f64
        affine.store %sum, %C[%i, %j] : memref<400x200xf64>
      }
    }
  }
  return
}

// 1, if there is a wrong element.
func.func @wrong(%C: memref<400x200xf64>) -> i32 {
  %none = arith.constant 0 : i32
  %some = arith.constant 1 : i32
  %factor = arith.constant 600.0 : f64
  %found = affine.for %i = 0 to 400 iter_args(%rows = %none) -> i32 {
    %row = affine.for %j = 0 to 200 iter_args(%columns = %rows) -> i32 {
      %number = arith.index_cast %i : index to i32
      %double = arith.sitofp %number : i32 to f64
      %expected = arith.mulf %double, %factor : f64
      %c = affine.load %C[%i, %j] : memref<400x200xf64>
      %differs = arith.cmpf une, %c, %expected : f64
      %next = arith.select %differs, %some, %columns : i32
      affine.yield %next : i32
    }
    affine.yield %row : i32
  }
  return %found : i32
}

func.func @main() -> i32 {
  %zero = arith.constant 0.0 : f64
  %two = arith.constant 2.0 : f64
  %A = memref.alloc() : memref<400x300xf64>
  %B = memref.alloc() : memref<300x200xf64>
  %C = memref.alloc() : memref<400x200xf64>
  affine.for %i = 0 to 400 {
    %number = arith.index_cast %i : index to i32
    %double = arith.sitofp %number : i32 to f64
    affine.for %k = 0 to 300 {
      affine.store %double, %A[%i, %k] : memref<400x300xf64>
    }
  }
  affine.for %k = 0 to 300 {
    affine.for %j = 0 to 200 {
      affine.store %two, %B[%k, %j] : memref<300x200xf64>
    }
  }
  affine.for %i = 0 to 400 {
    affine.for %j = 0 to 200 {
      affine.store %zero, %C[%i, %j] : memref<400x200xf64>
    }
  }
  call @product(%A, %B, %C) : (memref<400x300xf64>, memref<300x200xf64>, memref<400x200xf64>) -> ()
  %wrong = call @wrong(%C) : (memref<400x200xf64>) -> i32
  %is_right = arith.constant 0 : i32
  %right = arith.cmpi eq, %wrong, %is_right : i32
  cf.cond_br %right, ^tell, ^end
^tell:
  %text = llvm.mlir.addressof @right : !llvm.ptr
  %said = call @puts(%text) : (!llvm.ptr) -> i32
  cf.br ^end
^end:
  return %wrong : i32
}
