// ludcmp: solution of A x = b by LU decomposition, forward and back substitution
//
// The scalar w of the C code is the value that the loops carry in iter_args. The loop of the back
// substitution descends in C; here row r stands for n - 1 - r.
#include "polybench.h"

#define N POLYBENCH_SIZE(37, 101, 40, 120, 400, 2000)

static void init_array(double A[N][N], double b[N], double x[N], double y[N]) {
  double fn = (double)N;
  for (int i = 0; i < N; i++) {
    x[i] = 0;
    y[i] = 0;
    b[i] = (i + 1) / fn / 2.0 + 4;
  }
  for (int i = 0; i < N; i++) {
    for (int j = 0; j <= i; j++)
      A[i][j] = (double)(-j % N) / N + 1;
    for (int j = i + 1; j < N; j++)
      A[i][j] = 0;
    A[i][i] = 1;
  }
  // A times its transpose is symmetric positive definite: no pivot vanishes.
  double(*B)[N] = polybench_alloc(sizeof(double[N][N]));
  for (int r = 0; r < N; r++)
    for (int s = 0; s < N; s++)
      B[r][s] = 0;
  for (int t = 0; t < N; t++)
    for (int r = 0; r < N; r++)
      for (int s = 0; s < N; s++)
        B[r][s] += A[r][t] * A[s][t];
  for (int r = 0; r < N; r++)
    for (int s = 0; s < N; s++)
      A[r][s] = B[r][s];
  free(B);
}

#ifdef POLYBENCH_KERNEL_FILE
#include POLYBENCH_KERNEL_FILE
#else
POLYBENCH_NOINLINE
static void kernel_ludcmp(double A[POLYBENCH_RESTRICT N][N], double b[POLYBENCH_RESTRICT N],
                          double x[POLYBENCH_RESTRICT N], double y[POLYBENCH_RESTRICT N]) {
  double w;
  for (int i = 0; i < N; i++) {
    for (int j = 0; j < i; j++) {
      w = A[i][j];
      for (int k = 0; k < j; k++)
        w -= A[i][k] * A[k][j];
      A[i][j] = w / A[j][j];
    }
    for (int j = i; j < N; j++) {
      w = A[i][j];
      for (int k = 0; k < i; k++)
        w -= A[i][k] * A[k][j];
      A[i][j] = w;
    }
  }
  for (int i = 0; i < N; i++) {
    w = b[i];
    for (int j = 0; j < i; j++)
      w -= A[i][j] * y[j];
    y[i] = w;
  }
  for (int i = N - 1; i >= 0; i--) {
    w = y[i];
    for (int j = i + 1; j < N; j++)
      w -= A[i][j] * x[j];
    x[i] = w / A[i][i];
  }
}
#endif

static void print_array(double x[N]) {
  bench_array(polybench_tag("x"));
  for (int i = 0; i < N; i++)
    bench_value_f64(x[i]);
}

void polybench_run(void) {
  double(*A)[N][N] = polybench_alloc(sizeof *A);
  double(*b)[N] = polybench_alloc(sizeof *b);
  double(*x)[N] = polybench_alloc(sizeof *x);
  double(*y)[N] = polybench_alloc(sizeof *y);
  for (int64_t r = bench_repetitions(); r > 0; r--) {
    init_array(*A, *b, *x, *y);
    bench_start();
    POLYBENCH_KERNEL(kernel_ludcmp(*A, *b, *x, *y));
    bench_stop();
  }
  print_array(*x);
  free(A);
  free(b);
  free(x);
  free(y);
}
