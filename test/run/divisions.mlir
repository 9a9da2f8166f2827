// Divisions and remainders in all bounds and subscripts. The dependences take a second, so a few sets of options do.
// RUN: %equal --with="parallel=true tile-sizes=3,4,5" --with="parallel=true scheduler=none tile-sizes=2,3" \
// RUN:   --with="parallel=false scheduler=ppcg tile-sizes=4,3" --sizes=13 --sizes=5 --sizes=1 --sizes=0 --sizes=3 %s

// shape A: 3 * n + 4
func.func @divisions(%n: index, %A: memref<?xi64>) {
  affine.for %i = affine_map<()[s0] -> (s0 floordiv 3)>()[%n] to affine_map<()[s0] -> ((3 * s0) ceildiv 2)>()[%n] {
    affine.for %j = affine_map<(d0) -> (d0 mod 3)>(%i) to affine_map<(d0) -> (d0 floordiv 2 + 2)>(%i) {
      %a = affine.load %A[%i + %j] : memref<?xi64>
      %b = affine.load %A[(%i + %j) floordiv 2] : memref<?xi64>
      %c = arith.subi %a, %b : i64
      affine.store %c, %A[%i + (%j mod 4)] : memref<?xi64>
    }
  }
  return
}
