// cholesky: A = L * L^T, L over the lower triangle of A
// (the sizes are parameters, the arrays have variable lengths)
POLYBENCH_NOINLINE
void kernel_cholesky_vla(int n, double A[POLYBENCH_RESTRICT n][n]) {
  for (int i = 0; i < n; i++) {
    for (int j = 0; j < i; j++) {
      for (int k = 0; k < j; k++)
        A[i][j] -= A[i][k] * A[j][k];
      A[i][j] /= A[j][j];
    }
    for (int k = 0; k < i; k++)
      A[i][i] -= A[i][k] * A[i][k];
    A[i][i] = sqrt(A[i][i]);
  }
}

static void kernel_cholesky(double A[POLYBENCH_RESTRICT N][N]) {
  kernel_cholesky_vla(N, A);
}
