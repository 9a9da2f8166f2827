// ludcmp: solution of A x = b by LU decomposition, forward and back substitution
// (the sizes are parameters, the arrays pointers to their first elements)
POLYBENCH_NOINLINE
void kernel_ludcmp_pointers(int n, double *POLYBENCH_RESTRICT A, double *POLYBENCH_RESTRICT b,
                            double *POLYBENCH_RESTRICT x, double *POLYBENCH_RESTRICT y) {
  double w;
  for (int i = 0; i < n; i++) {
    for (int j = 0; j < i; j++) {
      w = A[i * n + j];
      for (int k = 0; k < j; k++)
        w -= A[i * n + k] * A[k * n + j];
      A[i * n + j] = w / A[j * n + j];
    }
    for (int j = i; j < n; j++) {
      w = A[i * n + j];
      for (int k = 0; k < i; k++)
        w -= A[i * n + k] * A[k * n + j];
      A[i * n + j] = w;
    }
  }
  for (int i = 0; i < n; i++) {
    w = b[i];
    for (int j = 0; j < i; j++)
      w -= A[i * n + j] * y[j];
    y[i] = w;
  }
  for (int i = n - 1; i >= 0; i--) {
    w = y[i];
    for (int j = i + 1; j < n; j++)
      w -= A[i * n + j] * x[j];
    x[i] = w / A[i * n + i];
  }
}

static void kernel_ludcmp(double A[POLYBENCH_RESTRICT N][N], double b[POLYBENCH_RESTRICT N],
                          double x[POLYBENCH_RESTRICT N], double y[POLYBENCH_RESTRICT N]) {
  kernel_ludcmp_pointers(N, &A[0][0], &b[0], &x[0], &y[0]);
}
