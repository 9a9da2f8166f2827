// Image pipelines whose stages have an image of their own, of which windows of rows are enough.

#include "harness.h"

__attribute__((noinline)) static void blur(int n, int m, const float in[restrict n][m], float out[restrict n][m]) {
  float(*rows)[m] = malloc(sizeof(float[n][m]));
  for (int i = 0; i < n; i++)
    for (int j = 1; j < m - 1; j++)
      rows[i][j] = (in[i][j - 1] + in[i][j] + in[i][j + 1]) * 0.3333f;
  for (int i = 1; i < n - 1; i++)
    for (int j = 1; j < m - 1; j++)
      out[i][j] = (rows[i - 1][j] + rows[i][j] + rows[i + 1][j]) * 0.3333f;
  free(rows);
}

__attribute__((noinline)) static void sharpen(int n, int m, const float in[restrict n][m], float out[restrict n][m]) {
  float(*rows)[m] = malloc(sizeof(float[n][m]));
  float(*both)[m] = malloc(sizeof(float[n][m]));
  for (int i = 0; i < n; i++)
    for (int j = 2; j < m - 2; j++)
      rows[i][j] = 0.0625f * (in[i][j - 2] + in[i][j + 2]) + 0.25f * (in[i][j - 1] + in[i][j + 1]) + 0.375f * in[i][j];
  for (int i = 2; i < n - 2; i++)
    for (int j = 2; j < m - 2; j++)
      both[i][j] =
          0.0625f * (rows[i - 2][j] + rows[i + 2][j]) + 0.25f * (rows[i - 1][j] + rows[i + 1][j]) + 0.375f * rows[i][j];
  for (int i = 2; i < n - 2; i++)
    for (int j = 2; j < m - 2; j++)
      out[i][j] = in[i][j] + 3.0f * (in[i][j] - both[i][j]);
  free(rows);
  free(both);
}

int main(void) {
  const int sizes[] = {50, 200, 1000, 4000};
  float *in = floats(4000L * 4000), *out = floats(4000L * 4000);
  char name[32];
  for (int k = 0; k < 4; k++) {
    int n = sizes[k];
    snprintf(name, sizeof name, "blur-%d", n);
    for (int warm = 0; warm < 2; warm++) blur(n, n, (void *)in, (void *)out);
    MEASURE(name, blur(n, n, (void *)in, (void *)out), out, 4L * n * n);
    snprintf(name, sizeof name, "sharpen-%d", n);
    for (int warm = 0; warm < 2; warm++) sharpen(n, n, (void *)in, (void *)out);
    MEASURE(name, sharpen(n, n, (void *)in, (void *)out), out, 4L * n * n);
  }
}
