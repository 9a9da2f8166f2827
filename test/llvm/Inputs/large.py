#!/usr/bin/env python3
"""Writes a C function with many loops.

large.py KIND NUMBER

KIND is `nests` (each can be raised), `indirect` (each fails, behind two loops) or `body` (one nest with as many
statements).
"""

import sys

kind, number = sys.argv[1], int(sys.argv[2])
print("double a[100][100], b[100][100]; int k[100]; void unknown(void);\nvoid large(int n) {")
loops = "for (int i = 0; i < n; i++) for (int j = 0; j < n; j++)"
if kind == "body":
    print(loops, "{", *(f"a[i][j] += {part} * b[j][i] + a[{part % 100}][j];" for part in range(number)), "}", sep="\n")
for part in range(number):
    if kind == "nests":
        print(loops, f"a[i][j] += {part} * b[j][i];")
    if kind == "indirect":
        print(loops, f"a[i][k[j]] += {part} * b[j][i];")
print("}")
