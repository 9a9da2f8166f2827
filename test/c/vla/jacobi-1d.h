// jacobi-1d: three-point Jacobi stencil in one dimension, two arrays
// (the sizes are parameters, the arrays have variable lengths)
POLYBENCH_NOINLINE
void kernel_jacobi_1d_vla(int tsteps, int n, double A[POLYBENCH_RESTRICT n],
                          double B[POLYBENCH_RESTRICT n]) {
  for (int t = 0; t < tsteps; t++) {
    for (int i = 1; i < n - 1; i++)
      B[i] = 0.33333 * (A[i - 1] + A[i] + A[i + 1]);
    for (int i = 1; i < n - 1; i++)
      A[i] = 0.33333 * (B[i - 1] + B[i] + B[i + 1]);
  }
}

static void kernel_jacobi_1d(double A[POLYBENCH_RESTRICT N], double B[POLYBENCH_RESTRICT N]) {
  kernel_jacobi_1d_vla(TSTEPS, N, A, B);
}
