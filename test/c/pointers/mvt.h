// mvt: two products of one matrix with a vector, the second with its transpose
// (the sizes are parameters, the arrays pointers to their first elements)
POLYBENCH_NOINLINE
void kernel_mvt_pointers(int n, double *POLYBENCH_RESTRICT x1, double *POLYBENCH_RESTRICT x2,
                         double *POLYBENCH_RESTRICT y_1, double *POLYBENCH_RESTRICT y_2,
                         double *POLYBENCH_RESTRICT A) {
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++)
      x1[i] = x1[i] + A[i * n + j] * y_1[j];
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++)
      x2[i] = x2[i] + A[j * n + i] * y_2[j];
}

static void kernel_mvt(double x1[POLYBENCH_RESTRICT N], double x2[POLYBENCH_RESTRICT N],
                       double y_1[POLYBENCH_RESTRICT N], double y_2[POLYBENCH_RESTRICT N],
                       double A[POLYBENCH_RESTRICT N][N]) {
  kernel_mvt_pointers(N, &x1[0], &x2[0], &y_1[0], &y_2[0], &A[0][0]);
}
