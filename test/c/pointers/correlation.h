// correlation: the matrix of the correlation coefficients of the columns of data
// (the sizes are parameters, the arrays pointers to their first elements)
POLYBENCH_NOINLINE
void kernel_correlation_pointers(int m, int n, double float_n, double *POLYBENCH_RESTRICT data,
                                 double *POLYBENCH_RESTRICT corr, double *POLYBENCH_RESTRICT mean,
                                 double *POLYBENCH_RESTRICT stddev) {
  for (int j = 0; j < m; j++) {
    mean[j] = 0.0;
    for (int i = 0; i < n; i++)
      mean[j] += data[i * m + j];
    mean[j] /= float_n;
  }
  for (int j = 0; j < m; j++) {
    stddev[j] = 0.0;
    for (int i = 0; i < n; i++)
      stddev[j] += (data[i * m + j] - mean[j]) * (data[i * m + j] - mean[j]);
    stddev[j] /= float_n;
    stddev[j] = sqrt(stddev[j]);
    // a column that hardly deviates is not divided by nearly zero
    stddev[j] = stddev[j] <= 0.1 ? 1.0 : stddev[j];
  }
  // centre and reduce the columns
  for (int i = 0; i < n; i++)
    for (int j = 0; j < m; j++) {
      data[i * m + j] -= mean[j];
      data[i * m + j] /= sqrt(float_n) * stddev[j];
    }
  for (int i = 0; i < m - 1; i++) {
    corr[i * m + i] = 1.0;
    for (int j = i + 1; j < m; j++) {
      corr[i * m + j] = 0.0;
      for (int k = 0; k < n; k++)
        corr[i * m + j] += data[k * m + i] * data[k * m + j];
      corr[j * m + i] = corr[i * m + j];
    }
  }
  corr[(m - 1) * m + m - 1] = 1.0;
}

static void kernel_correlation(double float_n, double data[POLYBENCH_RESTRICT N][M],
                               double corr[POLYBENCH_RESTRICT M][M],
                               double mean[POLYBENCH_RESTRICT M],
                               double stddev[POLYBENCH_RESTRICT M]) {
  kernel_correlation_pointers(M, N, float_n, &data[0][0], &corr[0][0], &mean[0], &stddev[0]);
}
