// mvt: two products of one matrix with a vector, the second with its transpose
// (the sizes are parameters, the arrays have variable lengths)
POLYBENCH_NOINLINE
void kernel_mvt_vla(int n, double x1[POLYBENCH_RESTRICT n], double x2[POLYBENCH_RESTRICT n],
                    double y_1[POLYBENCH_RESTRICT n], double y_2[POLYBENCH_RESTRICT n],
                    double A[POLYBENCH_RESTRICT n][n]) {
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++)
      x1[i] = x1[i] + A[i][j] * y_1[j];
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++)
      x2[i] = x2[i] + A[j][i] * y_2[j];
}

static void kernel_mvt(double x1[POLYBENCH_RESTRICT N], double x2[POLYBENCH_RESTRICT N],
                       double y_1[POLYBENCH_RESTRICT N], double y_2[POLYBENCH_RESTRICT N],
                       double A[POLYBENCH_RESTRICT N][N]) {
  kernel_mvt_vla(N, x1, x2, y_1, y_2, A);
}
