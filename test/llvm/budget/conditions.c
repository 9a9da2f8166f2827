// Conditions in conditions, each on several loops.
double A[400][400], B[400][400];
void conditions(long n, long m, long p) {
  for (long i = 0; i < n; i++)
    for (long j = 0; j < m; j++)
      for (long k = 0; k < p; k++) {
        if (i + j < n)
          if (2 * i - j > 3) {
            if (3 * k + i < 2 * m) {
              if (j - 2 * k + p > i) A[i][j] += B[j][k];
              else B[i][k] += A[k][j];
            } else if (i + k < m) A[k][i] += B[i][j];
          } else if (j + k < p + i) {
            if (5 * i < 3 * j + k) B[j][i] -= A[i][k];
            else if (i + j + k < n + m) A[j][k] -= B[k][i];
          }
      }
}
