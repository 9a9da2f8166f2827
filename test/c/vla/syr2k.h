// syr2k: symmetric update of rank 2k of the lower half of C,
// (the sizes are parameters, the arrays have variable lengths)
POLYBENCH_NOINLINE
void kernel_syr2k_vla(int n, int m, double alpha, double beta, double C[POLYBENCH_RESTRICT n][n],
                      double A[POLYBENCH_RESTRICT n][m], double B[POLYBENCH_RESTRICT n][m]) {
  for (int i = 0; i < n; i++) {
    for (int j = 0; j <= i; j++)
      C[i][j] *= beta;
    for (int k = 0; k < m; k++)
      for (int j = 0; j <= i; j++)
        C[i][j] += A[j][k] * alpha * B[i][k] + B[j][k] * alpha * A[i][k];
  }
}

static void kernel_syr2k(double alpha, double beta, double C[POLYBENCH_RESTRICT N][N],
                         double A[POLYBENCH_RESTRICT N][M], double B[POLYBENCH_RESTRICT N][M]) {
  kernel_syr2k_vla(N, M, alpha, beta, C, A, B);
}
