"""Prints a function with as many loops as the first argument says, as many additions in each as the second (none if it
is missing), and the third as the loops' upper bound (a parameter if it is missing)."""

import sys

loops = int(sys.argv[1])
additions = int(sys.argv[2]) if len(sys.argv) > 2 else 0
bound = sys.argv[3] if len(sys.argv) > 3 else "%n"
print("func.func @huge(%n: index, %A: memref<?xf32>, %v: f32) {")
for number in range(loops):
    print(f"  affine.for %i{number} = 0 to {bound} {{")
    print(f"    %x{number}_0 = affine.load %A[%i{number}] : memref<?xf32>")
    for addition in range(additions):
        print(f"    %x{number}_{addition + 1} = arith.addf %x{number}_{addition}, %v : f32")
    print(f"    affine.store %x{number}_{additions}, %A[%i{number}] : memref<?xf32>")
    print("  }")
print("  return\n}")
