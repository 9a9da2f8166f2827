// <script>document.title = "no"</script> & "quotes"
#include "shared.h"

int elsewhere(int);

void calls(int n, double *A) {
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++)
      A[i * n + j] += elsewhere(j);
}

void indirect(int n, double *A, int *index) {
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++)
      for (int k = 0; k < n; k++)
        A[index[i] + j] += index[j] + k;
}

void single(double *A) {
  for (int i = 0; i < 100; i++)
    A[i] = 2;
}
double use_refused(const double *x) { return in_a_header(x, 20) < 3; }
