// A product of two matrices. Small integers, so that every sum is exact in any order.
#include <stdio.h>

enum { N = 500 };

static double A[N][N], B[N][N], C[N][N];

static void product(double C[restrict N][N], double A[restrict N][N], double B[restrict N][N]) {
  for (int i = 0; i < N; i++)
    for (int j = 0; j < N; j++)
      for (int k = 0; k < N; k++)
        C[i][j] += A[i][k] * B[k][j];
}

int main(void) {
  for (int i = 0; i < N; i++)
    for (int j = 0; j < N; j++) {
      A[i][j] = i % 10;
      B[i][j] = j % 7 + 1;
    }
  product(C, A, B);
  for (int i = 0; i < N; i++)
    for (int j = 0; j < N; j++)
      if (C[i][j] != (double)N * (i % 10) * (j % 7 + 1)) {
        printf("C[%d][%d] is %g\n", i, j, C[i][j]);
        return 1;
      }
  printf("the product is right\n");
  return 0;
}
