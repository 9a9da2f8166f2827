// nussinov: RNA folding by dynamic programming: the most base pairs in every interval
//
// PolyBench's table starts at zero everywhere, and then two statements change nothing: the one
// that reads below the diagonal, and the one that reads the left neighbour, whose value the last
// split gives too. Here some entries below the diagonal are 1, and those on it are -1. The outer
// loop descends in C; here row r stands for i = n - 1 - r.
#include "polybench.h"

#define N POLYBENCH_SIZE(45, 113, 60, 180, 500, 2500)

// RNA bases, 0 to 3.
typedef char base;

#define match(b1, b2) (((b1) + (b2)) == 3 ? 1 : 0)
#define max_score(s1, s2) ((s1) >= (s2) ? (s1) : (s2))

static void init_array(base seq[N], int table[N][N]) {
  for (int i = 0; i < N; i++)
    seq[i] = (base)((i + 1) % 4);
  for (int i = 0; i < N; i++) {
    for (int j = 0; j < i; j++)
      table[i][j] = ((i + j) % 5) / 4;
    table[i][i] = -1;
    for (int j = i + 1; j < N; j++)
      table[i][j] = 0;
  }
}

#ifdef POLYBENCH_KERNEL_FILE
#include POLYBENCH_KERNEL_FILE
#else
POLYBENCH_NOINLINE
static void kernel_nussinov(base seq[POLYBENCH_RESTRICT N], int table[POLYBENCH_RESTRICT N][N]) {
  for (int i = N - 1; i >= 0; i--) {
    for (int j = i + 1; j < N; j++) {
      if (j - 1 >= 0)
        table[i][j] = max_score(table[i][j], table[i][j - 1]);
      if (i + 1 < N)
        table[i][j] = max_score(table[i][j], table[i + 1][j]);
      if (j - 1 >= 0 && i + 1 < N) {
        // Adjacent bases do not bond.
        if (i < j - 1)
          table[i][j] = max_score(table[i][j], table[i + 1][j - 1] + match(seq[i], seq[j]));
        else
          table[i][j] = max_score(table[i][j], table[i + 1][j - 1]);
      }
      for (int k = i + 1; k < j; k++)
        table[i][j] = max_score(table[i][j], table[i][k] + table[k + 1][j]);
    }
  }
}
#endif

static void print_array(int table[N][N]) {
  bench_array(polybench_tag("table"));
  for (int i = 0; i < N; i++)
    for (int j = i; j < N; j++)
      bench_value_i32(table[i][j]);
}

void polybench_run(void) {
  base(*seq)[N] = polybench_alloc(sizeof *seq);
  int(*table)[N][N] = polybench_alloc(sizeof *table);
  for (int64_t r = bench_repetitions(); r > 0; r--) {
    init_array(*seq, *table);
    bench_start();
    POLYBENCH_KERNEL(kernel_nussinov(*seq, *table));
    bench_stop();
  }
  print_array(*table);
  free(seq);
  free(table);
}
