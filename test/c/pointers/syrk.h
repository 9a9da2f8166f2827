// syrk: symmetric update of rank k of the lower half of C, C = alpha A A^T + beta C
// (the sizes are parameters, the arrays pointers to their first elements)
POLYBENCH_NOINLINE
void kernel_syrk_pointers(int n, int m, double alpha, double beta, double *POLYBENCH_RESTRICT C,
                          double *POLYBENCH_RESTRICT A) {
  for (int i = 0; i < n; i++) {
    for (int j = 0; j <= i; j++)
      C[i * n + j] *= beta;
    for (int k = 0; k < m; k++)
      for (int j = 0; j <= i; j++)
        C[i * n + j] += alpha * A[i * m + k] * A[j * m + k];
  }
}

static void kernel_syrk(double alpha, double beta, double C[POLYBENCH_RESTRICT N][N],
                        double A[POLYBENCH_RESTRICT N][M]) {
  kernel_syrk_pointers(N, M, alpha, beta, &C[0][0], &A[0][0]);
}
