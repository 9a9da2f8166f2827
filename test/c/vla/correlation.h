// correlation: the matrix of the correlation coefficients of the columns of data
// (the sizes are parameters, the arrays have variable lengths)
POLYBENCH_NOINLINE
void kernel_correlation_vla(int m, int n, double float_n, double data[POLYBENCH_RESTRICT n][m],
                            double corr[POLYBENCH_RESTRICT m][m],
                            double mean[POLYBENCH_RESTRICT m],
                            double stddev[POLYBENCH_RESTRICT m]) {
  for (int j = 0; j < m; j++) {
    mean[j] = 0.0;
    for (int i = 0; i < n; i++)
      mean[j] += data[i][j];
    mean[j] /= float_n;
  }
  for (int j = 0; j < m; j++) {
    stddev[j] = 0.0;
    for (int i = 0; i < n; i++)
      stddev[j] += (data[i][j] - mean[j]) * (data[i][j] - mean[j]);
    stddev[j] /= float_n;
    stddev[j] = sqrt(stddev[j]);
    // a column that hardly deviates is not divided by nearly zero
    stddev[j] = stddev[j] <= 0.1 ? 1.0 : stddev[j];
  }
  // centre and reduce the columns
  for (int i = 0; i < n; i++)
    for (int j = 0; j < m; j++) {
      data[i][j] -= mean[j];
      data[i][j] /= sqrt(float_n) * stddev[j];
    }
  for (int i = 0; i < m - 1; i++) {
    corr[i][i] = 1.0;
    for (int j = i + 1; j < m; j++) {
      corr[i][j] = 0.0;
      for (int k = 0; k < n; k++)
        corr[i][j] += data[k][i] * data[k][j];
      corr[j][i] = corr[i][j];
    }
  }
  corr[m - 1][m - 1] = 1.0;
}

static void kernel_correlation(double float_n, double data[POLYBENCH_RESTRICT N][M],
                               double corr[POLYBENCH_RESTRICT M][M],
                               double mean[POLYBENCH_RESTRICT M],
                               double stddev[POLYBENCH_RESTRICT M]) {
  kernel_correlation_vla(M, N, float_n, data, corr, mean, stddev);
}
