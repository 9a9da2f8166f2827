// syr2k: symmetric update of rank 2k of the lower half of C,
// (the sizes are parameters, the arrays pointers to their first elements)
POLYBENCH_NOINLINE
void kernel_syr2k_pointers(int n, int m, double alpha, double beta, double *POLYBENCH_RESTRICT C,
                           double *POLYBENCH_RESTRICT A, double *POLYBENCH_RESTRICT B) {
  for (int i = 0; i < n; i++) {
    for (int j = 0; j <= i; j++)
      C[i * n + j] *= beta;
    for (int k = 0; k < m; k++)
      for (int j = 0; j <= i; j++)
        C[i * n + j] += A[j * m + k] * alpha * B[i * m + k] + B[j * m + k] * alpha * A[i * m + k];
  }
}

static void kernel_syr2k(double alpha, double beta, double C[POLYBENCH_RESTRICT N][N],
                         double A[POLYBENCH_RESTRICT N][M], double B[POLYBENCH_RESTRICT N][M]) {
  kernel_syr2k_pointers(N, M, alpha, beta, &C[0][0], &A[0][0], &B[0][0]);
}
