// ludcmp: solution of A x = b by LU decomposition, forward and back substitution
// (the sizes are parameters, the arrays have variable lengths)
POLYBENCH_NOINLINE
void kernel_ludcmp_vla(int n, double A[POLYBENCH_RESTRICT n][n], double b[POLYBENCH_RESTRICT n],
                       double x[POLYBENCH_RESTRICT n], double y[POLYBENCH_RESTRICT n]) {
  double w;
  for (int i = 0; i < n; i++) {
    for (int j = 0; j < i; j++) {
      w = A[i][j];
      for (int k = 0; k < j; k++)
        w -= A[i][k] * A[k][j];
      A[i][j] = w / A[j][j];
    }
    for (int j = i; j < n; j++) {
      w = A[i][j];
      for (int k = 0; k < i; k++)
        w -= A[i][k] * A[k][j];
      A[i][j] = w;
    }
  }
  for (int i = 0; i < n; i++) {
    w = b[i];
    for (int j = 0; j < i; j++)
      w -= A[i][j] * y[j];
    y[i] = w;
  }
  for (int i = n - 1; i >= 0; i--) {
    w = y[i];
    for (int j = i + 1; j < n; j++)
      w -= A[i][j] * x[j];
    x[i] = w / A[i][i];
  }
}

static void kernel_ludcmp(double A[POLYBENCH_RESTRICT N][N], double b[POLYBENCH_RESTRICT N],
                          double x[POLYBENCH_RESTRICT N], double y[POLYBENCH_RESTRICT N]) {
  kernel_ludcmp_vla(N, A, b, x, y);
}
