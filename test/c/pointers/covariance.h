// covariance: the matrix of the covariances of the columns of data
// (the sizes are parameters, the arrays pointers to their first elements)
POLYBENCH_NOINLINE
void kernel_covariance_pointers(int m, int n, double float_n, double *POLYBENCH_RESTRICT data,
                                double *POLYBENCH_RESTRICT cov, double *POLYBENCH_RESTRICT mean) {
  for (int j = 0; j < m; j++) {
    mean[j] = 0.0;
    for (int i = 0; i < n; i++)
      mean[j] += data[i * m + j];
    mean[j] /= float_n;
  }
  for (int i = 0; i < n; i++)
    for (int j = 0; j < m; j++)
      data[i * m + j] -= mean[j];
  for (int i = 0; i < m; i++)
    for (int j = i; j < m; j++) {
      cov[i * m + j] = 0.0;
      for (int k = 0; k < n; k++)
        cov[i * m + j] += data[k * m + i] * data[k * m + j];
      cov[i * m + j] /= float_n - 1.0;
      cov[j * m + i] = cov[i * m + j];
    }
}

static void kernel_covariance(double float_n, double data[POLYBENCH_RESTRICT N][M],
                              double cov[POLYBENCH_RESTRICT M][M],
                              double mean[POLYBENCH_RESTRICT M]) {
  kernel_covariance_pointers(M, N, float_n, &data[0][0], &cov[0][0], &mean[0]);
}
