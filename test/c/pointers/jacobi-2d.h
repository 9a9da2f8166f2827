// jacobi-2d: five-point Jacobi stencil in two dimensions, two arrays
// (the sizes are parameters, the arrays pointers to their first elements)
POLYBENCH_NOINLINE
void kernel_jacobi_2d_pointers(int tsteps, int n, double *POLYBENCH_RESTRICT A,
                               double *POLYBENCH_RESTRICT B) {
  for (int t = 0; t < tsteps; t++) {
    for (int i = 1; i < n - 1; i++)
      for (int j = 1; j < n - 1; j++)
        B[i * n + j] = 0.2 * (A[i * n + j] + A[i * n + j - 1] + A[i * n + j + 1] + A[(i +
            1) * n + j] + A[(i - 1) * n + j]);
    for (int i = 1; i < n - 1; i++)
      for (int j = 1; j < n - 1; j++)
        A[i * n + j] = 0.2 * (B[i * n + j] + B[i * n + j - 1] + B[i * n + j + 1] + B[(i +
            1) * n + j] + B[(i - 1) * n + j]);
  }
}

static void kernel_jacobi_2d(double A[POLYBENCH_RESTRICT N][N],
                             double B[POLYBENCH_RESTRICT N][N]) {
  kernel_jacobi_2d_pointers(TSTEPS, N, &A[0][0], &B[0][0]);
}
