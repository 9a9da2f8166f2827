// trmm: product with the transpose of a unit lower triangular matrix, in place,
// (the sizes are parameters, the arrays have variable lengths)
POLYBENCH_NOINLINE
void kernel_trmm_vla(int m, int n, double alpha, double A[POLYBENCH_RESTRICT m][m],
                     double B[POLYBENCH_RESTRICT m][n]) {
  for (int i = 0; i < m; i++)
    for (int j = 0; j < n; j++) {
      for (int k = i + 1; k < m; k++)
        B[i][j] += A[k][i] * B[k][j];
      B[i][j] = alpha * B[i][j];
    }
}

static void kernel_trmm(double alpha, double A[POLYBENCH_RESTRICT M][M],
                        double B[POLYBENCH_RESTRICT M][N]) {
  kernel_trmm_vla(M, N, alpha, A, B);
}
