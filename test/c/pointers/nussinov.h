// nussinov: RNA folding by dynamic programming: the most base pairs in every interval
// (the sizes are parameters, the arrays pointers to their first elements)
POLYBENCH_NOINLINE
void kernel_nussinov_pointers(int n, base *POLYBENCH_RESTRICT seq, int *POLYBENCH_RESTRICT table) {
  for (int i = n - 1; i >= 0; i--) {
    for (int j = i + 1; j < n; j++) {
      if (j - 1 >= 0)
        table[i * n + j] = max_score(table[i * n + j], table[i * n + j - 1]);
      if (i + 1 < n)
        table[i * n + j] = max_score(table[i * n + j], table[(i + 1) * n + j]);
      if (j - 1 >= 0 && i + 1 < n) {
        // Adjacent bases do not bond.
        if (i < j - 1)
          table[i * n + j] = max_score(table[i * n + j], table[(i + 1) * n + j - 1] +
              match(seq[i], seq[j]));
        else
          table[i * n + j] = max_score(table[i * n + j], table[(i + 1) * n + j - 1]);
      }
      for (int k = i + 1; k < j; k++)
        table[i * n + j] = max_score(table[i * n + j], table[i * n + k] + table[(k + 1) * n + j]);
    }
  }
}

static void kernel_nussinov(base seq[POLYBENCH_RESTRICT N], int table[POLYBENCH_RESTRICT N][N]) {
  kernel_nussinov_pointers(N, &seq[0], &table[0][0]);
}
