// covariance: the matrix of the covariances of the columns of data
// (the sizes are parameters, the arrays have variable lengths)
POLYBENCH_NOINLINE
void kernel_covariance_vla(int m, int n, double float_n, double data[POLYBENCH_RESTRICT n][m],
                           double cov[POLYBENCH_RESTRICT m][m],
                           double mean[POLYBENCH_RESTRICT m]) {
  for (int j = 0; j < m; j++) {
    mean[j] = 0.0;
    for (int i = 0; i < n; i++)
      mean[j] += data[i][j];
    mean[j] /= float_n;
  }
  for (int i = 0; i < n; i++)
    for (int j = 0; j < m; j++)
      data[i][j] -= mean[j];
  for (int i = 0; i < m; i++)
    for (int j = i; j < m; j++) {
      cov[i][j] = 0.0;
      for (int k = 0; k < n; k++)
        cov[i][j] += data[k][i] * data[k][j];
      cov[i][j] /= float_n - 1.0;
      cov[j][i] = cov[i][j];
    }
}

static void kernel_covariance(double float_n, double data[POLYBENCH_RESTRICT N][M],
                              double cov[POLYBENCH_RESTRICT M][M],
                              double mean[POLYBENCH_RESTRICT M]) {
  kernel_covariance_vla(M, N, float_n, data, cov, mean);
}
