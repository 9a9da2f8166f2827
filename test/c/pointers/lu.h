// lu: LU decomposition without pivoting, in place
// (the sizes are parameters, the arrays pointers to their first elements)
POLYBENCH_NOINLINE
void kernel_lu_pointers(int n, double *POLYBENCH_RESTRICT A) {
  for (int i = 0; i < n; i++) {
    for (int j = 0; j < i; j++) {
      for (int k = 0; k < j; k++)
        A[i * n + j] -= A[i * n + k] * A[k * n + j];
      A[i * n + j] /= A[j * n + j];
    }
    for (int j = i; j < n; j++)
      for (int k = 0; k < i; k++)
        A[i * n + j] -= A[i * n + k] * A[k * n + j];
  }
}

static void kernel_lu(double A[POLYBENCH_RESTRICT N][N]) {
  kernel_lu_pointers(N, &A[0][0]);
}
