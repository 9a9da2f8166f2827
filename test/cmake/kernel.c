#include "kernel.h"

void matmul(double C[restrict N][N], double A[restrict N][N], double B[restrict N][N]) {
  for (int i = 0; i < N; i++)
    for (int j = 0; j < N; j++)
      for (int k = 0; k < N; k++)
        C[i][j] += A[i][k] * B[k][j];
}
