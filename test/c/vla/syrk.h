// syrk: symmetric update of rank k of the lower half of C, C = alpha A A^T + beta C
// (the sizes are parameters, the arrays have variable lengths)
POLYBENCH_NOINLINE
void kernel_syrk_vla(int n, int m, double alpha, double beta, double C[POLYBENCH_RESTRICT n][n],
                     double A[POLYBENCH_RESTRICT n][m]) {
  for (int i = 0; i < n; i++) {
    for (int j = 0; j <= i; j++)
      C[i][j] *= beta;
    for (int k = 0; k < m; k++)
      for (int j = 0; j <= i; j++)
        C[i][j] += alpha * A[i][k] * A[j][k];
  }
}

static void kernel_syrk(double alpha, double beta, double C[POLYBENCH_RESTRICT N][N],
                        double A[POLYBENCH_RESTRICT N][M]) {
  kernel_syrk_vla(N, M, alpha, beta, C, A);
}
