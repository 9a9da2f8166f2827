// heat-3d: heat equation in three dimensions, explicit scheme, two arrays
// (the sizes are parameters, the arrays pointers to their first elements)
POLYBENCH_NOINLINE
void kernel_heat_3d_pointers(int tsteps, int n, double *POLYBENCH_RESTRICT A,
                             double *POLYBENCH_RESTRICT B) {
  for (int t = 1; t <= tsteps; t++) {
    for (int i = 1; i < n - 1; i++)
      for (int j = 1; j < n - 1; j++)
        for (int k = 1; k < n - 1; k++)
          B[(i * n + j) * n + k] = 0.125 * (A[((i + 1) * n + j) * n + k] - 2.0 * A[(i * n +
              j) * n + k] + A[((i - 1) * n + j) * n + k])
                       + 0.125 * (A[(i * n + j + 1) * n + k] - 2.0 * A[(i * n + j) * n + k] +
                           A[(i * n + j - 1) * n + k])
                       + 0.125 * (A[(i * n + j) * n + k + 1] - 2.0 * A[(i * n + j) * n + k] +
                           A[(i * n + j) * n + k - 1])
                       + A[(i * n + j) * n + k];
    for (int i = 1; i < n - 1; i++)
      for (int j = 1; j < n - 1; j++)
        for (int k = 1; k < n - 1; k++)
          A[(i * n + j) * n + k] = 0.125 * (B[((i + 1) * n + j) * n + k] - 2.0 * B[(i * n +
              j) * n + k] + B[((i - 1) * n + j) * n + k])
                       + 0.125 * (B[(i * n + j + 1) * n + k] - 2.0 * B[(i * n + j) * n + k] +
                           B[(i * n + j - 1) * n + k])
                       + 0.125 * (B[(i * n + j) * n + k + 1] - 2.0 * B[(i * n + j) * n + k] +
                           B[(i * n + j) * n + k - 1])
                       + B[(i * n + j) * n + k];
  }
}

static void kernel_heat_3d(double A[POLYBENCH_RESTRICT N][N][N],
                           double B[POLYBENCH_RESTRICT N][N][N]) {
  kernel_heat_3d_pointers(TSTEPS, N, &A[0][0][0], &B[0][0][0]);
}
