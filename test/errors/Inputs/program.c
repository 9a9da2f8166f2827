#include <stdio.h>
static double a[400][400], b[400][400], c[400][400];
int main(void) {
  for (int i = 0; i < 400; ++i) for (int j = 0; j < 400; ++j) a[i][j] = b[i][j] = i + j;
  for (int i = 0; i < 400; ++i) for (int j = 0; j < 400; ++j) for (int k = 0; k < 400; ++k) c[i][j] += a[i][k] * b[k][j];
  printf("%g\n", c[3][4]);
}
