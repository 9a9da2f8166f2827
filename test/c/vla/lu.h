// lu: LU decomposition without pivoting, in place
// (the sizes are parameters, the arrays have variable lengths)
POLYBENCH_NOINLINE
void kernel_lu_vla(int n, double A[POLYBENCH_RESTRICT n][n]) {
  for (int i = 0; i < n; i++) {
    for (int j = 0; j < i; j++) {
      for (int k = 0; k < j; k++)
        A[i][j] -= A[i][k] * A[k][j];
      A[i][j] /= A[j][j];
    }
    for (int j = i; j < n; j++)
      for (int k = 0; k < i; k++)
        A[i][j] -= A[i][k] * A[k][j];
  }
}

static void kernel_lu(double A[POLYBENCH_RESTRICT N][N]) {
  kernel_lu_vla(N, A);
}
