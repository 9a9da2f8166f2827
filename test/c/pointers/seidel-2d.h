// seidel-2d: nine-point Gauss-Seidel stencil in two dimensions, in place
// (the sizes are parameters, the arrays pointers to their first elements)
POLYBENCH_NOINLINE
void kernel_seidel_2d_pointers(int tsteps, int n, double *POLYBENCH_RESTRICT A) {
  for (int t = 0; t <= tsteps - 1; t++)
    for (int i = 1; i <= n - 2; i++)
      for (int j = 1; j <= n - 2; j++)
        A[i * n + j] = (A[(i - 1) * n + j - 1] + A[(i - 1) * n + j] + A[(i - 1) * n + j + 1]
                   + A[i * n + j - 1] + A[i * n + j] + A[i * n + j + 1]
                   + A[(i + 1) * n + j - 1] + A[(i + 1) * n + j] + A[(i + 1) * n + j + 1]) / 9.0;
}

static void kernel_seidel_2d(double A[POLYBENCH_RESTRICT N][N]) {
  kernel_seidel_2d_pointers(TSTEPS, N, &A[0][0]);
}
