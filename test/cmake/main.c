#include "kernel.h"

#include <stdio.h>

static double A[N][N], B[N][N], C[N][N];

// Small integers, so that every sum is exact.
int main(void) {
  for (int i = 0; i < N; i++)
    for (int j = 0; j < N; j++) {
      A[i][j] = i + 2 * j;
      B[i][j] = i * j % 7;
    }
  matmul(C, A, B);
  for (int i = 0; i < N; i++)
    for (int j = 0; j < N; j++) {
      double sum = 0;
      for (int k = 0; k < N; k++)
        sum += A[i][k] * B[k][j];
      if (C[i][j] != sum) {
        printf("C[%d][%d] is %g, not %g\n", i, j, C[i][j], sum);
        return 1;
      }
    }
  return 0;
}
