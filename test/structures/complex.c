// A product of matrices of complex numbers, which are pairs.

#include "harness.h"

__attribute__((noinline)) static void product(int n, double a[restrict n][n][2], double b[restrict n][n][2],
                                              double c[restrict n][n][2]) {
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++)
      for (int k = 0; k < n; k++) {
        c[i][j][0] += a[i][k][0] * b[k][j][0] - a[i][k][1] * b[k][j][1];
        c[i][j][1] += a[i][k][0] * b[k][j][1] + a[i][k][1] * b[k][j][0];
      }
}

int main(void) {
  void *a = doubles(2L * 700 * 700), *b = doubles(2L * 700 * 700), *c = doubles(2L * 700 * 700);
  MEASURE("complex-24", product(24, a, b, c), c, 16L * 24 * 24);
  MEASURE("complex-250", product(250, a, b, c), c, 16L * 250 * 250);
  MEASURE("complex-700", product(700, a, b, c), c, 16L * 700 * 700);
}
