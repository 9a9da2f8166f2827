// nussinov: RNA folding by dynamic programming: the most base pairs in every interval
// (the sizes are parameters, the arrays have variable lengths)
POLYBENCH_NOINLINE
void kernel_nussinov_vla(int n, base seq[POLYBENCH_RESTRICT n],
                         int table[POLYBENCH_RESTRICT n][n]) {
  for (int i = n - 1; i >= 0; i--) {
    for (int j = i + 1; j < n; j++) {
      if (j - 1 >= 0)
        table[i][j] = max_score(table[i][j], table[i][j - 1]);
      if (i + 1 < n)
        table[i][j] = max_score(table[i][j], table[i + 1][j]);
      if (j - 1 >= 0 && i + 1 < n) {
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

static void kernel_nussinov(base seq[POLYBENCH_RESTRICT N], int table[POLYBENCH_RESTRICT N][N]) {
  kernel_nussinov_vla(N, seq, table);
}
