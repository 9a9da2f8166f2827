// A schedule that skews loops whose iterations are odd.
// RUN: %equal --with="scheduler=ppcg parallel=false" --with="scheduler=ppcg parallel=true" --with="scheduler=isl parallel=true" %s

// Odd iterations next to others with bounds of theirs: isl took bounds of two loops for a pair.
// EXPECT: found
func.func @odd_iterations(%n: index, %A: memref<i64>) {
  affine.for %i = 0 to 2 {
    affine.for %j = 1 to 4 {
      affine.for %k = 1 to 5 step 2 {
        affine.for %l = affine_map<(d0) -> (d0)>(%k) to affine_map<(d0) -> (d0 + 5)>(%j) {
          affine.if affine_set<(d0, d1) : (d0 + d1 - 3 >= 0)>(%k, %l) {
            %a = arith.muli %j, %k : index
            %b = arith.addi %a, %l : index
            %c = arith.index_cast %b : index to i64
            affine.store %c, %A[] : memref<i64>
          }
        }
      }
    }
  }
  return
}
