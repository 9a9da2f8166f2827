// Two pairs of statements in one nest: the first fills A, the second reads what A got a diagonal further back. Each pair alone is
// parallel; both as one cluster are not. From Figure 11 of Baghdadi and Cohen 2020 (statement clustering), which has it from
// Allen and Kennedy's textbook; for the benchmark `clustering`.

void dist(int n, double A[restrict n][n], double B[restrict n][n], double C[restrict n][n], double D[restrict n][n]) {
  for (int i = 1; i < n; i++)
    for (int j = 1; j < n; j++) {
      double sum = B[i][j] + C[i][j];
      A[i][j] = sum;
      double twice = 2 * A[i - 1][j - 1];
      D[i][j] = twice;
    }
}
