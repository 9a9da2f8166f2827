// cholesky: A = L * L^T, L over the lower triangle of A
// (the sizes are parameters, the arrays pointers to their first elements)
POLYBENCH_NOINLINE
void kernel_cholesky_pointers(int n, double *POLYBENCH_RESTRICT A) {
  for (int i = 0; i < n; i++) {
    for (int j = 0; j < i; j++) {
      for (int k = 0; k < j; k++)
        A[i * n + j] -= A[i * n + k] * A[j * n + k];
      A[i * n + j] /= A[j * n + j];
    }
    for (int k = 0; k < i; k++)
      A[i * n + i] -= A[i * n + k] * A[i * n + k];
    A[i * n + i] = sqrt(A[i * n + i]);
  }
}

static void kernel_cholesky(double A[POLYBENCH_RESTRICT N][N]) {
  kernel_cholesky_pointers(N, &A[0][0]);
}
