void product(int n, double *restrict c, const double *restrict a, const double *restrict b) {
  for (int i = 0; i < n; ++i)
    for (int j = 0; j < n; ++j)
      for (int k = 0; k < n; ++k)
        c[i * 1000 + j] += a[i * 1000 + k] * b[k * 1000 + j];
}
