// floyd-warshall: the lengths of the shortest paths between all pairs of nodes
#include "polybench.h"

#define N POLYBENCH_SIZE(39, 119, 60, 180, 500, 2800)

static void init_array(int path[N][N]) {
  for (int i = 0; i < N; i++)
    for (int j = 0; j < N; j++) {
      int sum = i + j;
      path[i][j] = sum % 13 == 0 || sum % 7 == 0 || sum % 11 == 0 ? 999 : i * j % 7 + 1;
    }
}

#ifdef POLYBENCH_KERNEL_FILE
#include POLYBENCH_KERNEL_FILE
#else
POLYBENCH_NOINLINE
static void kernel_floyd_warshall(int path[POLYBENCH_RESTRICT N][N]) {
  for (int k = 0; k < N; k++)
    for (int i = 0; i < N; i++)
      for (int j = 0; j < N; j++)
        path[i][j] = path[i][j] < path[i][k] + path[k][j] ? path[i][j] : path[i][k] + path[k][j];
}
#endif

static void print_array(int path[N][N]) {
  bench_array(polybench_tag("path"));
  for (int i = 0; i < N; i++)
    for (int j = 0; j < N; j++)
      bench_value_i32(path[i][j]);
}

void polybench_run(void) {
  int(*path)[N][N] = polybench_alloc(sizeof *path);
  for (int64_t left = bench_repetitions(); left > 0; left--) {
    init_array(*path);
    bench_start();
    POLYBENCH_KERNEL(kernel_floyd_warshall(*path));
    bench_stop();
  }
  print_array(*path);
  free(path);
}
