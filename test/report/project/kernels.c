// Nests that get new code, one with a row that is longer than a telephone is wide.
#include "shared.h"

void product(int n, double A[n][n], double B[n][n], double C[n][n]) {
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++)
      for (int k = 0; k < n; k++)
        C[i][j] += A[i][k] * B[k][j];
}

void transposed(double to[2000][2000], double from[2000][2000], double a_parameter_with_a_long_name, double another_parameter_with_a_long_name) {
  for (int i = 0; i < 2000; i++)
    for (int j = 0; j < 2000; j++)
      to[j][i] += from[i][j] * a_parameter_with_a_long_name * another_parameter_with_a_long_name + a_parameter_with_a_long_name;
}

void as_it_is(double A[100][100]) {
  for (int i = 0; i < 100; i++)
    for (int j = 0; j < 100; j++)
      A[i][j] *= 2;
}
double use_kernels(const double *x) { return in_a_header(x, 10) < 3; }
