// Dynamic programming, and sweeps that follow each other. See README.md.

// Local alignment of two sequences (Smith and Waterman).
// sizes: N=3000 M=3000 / N=21 M=17
// arguments: N, M, uint8_t[N]%4, uint8_t[M]%4, int[(N+1)*(M+1)]
void alignment(int n, int m, const uint8_t *restrict a, const uint8_t *restrict b, int score[restrict n + 1][m + 1]) {
  for (int i = 0; i <= n; i++)
    score[i][0] = 0;
  for (int j = 0; j <= m; j++)
    score[0][j] = 0;
  for (int i = 1; i <= n; i++)
    for (int j = 1; j <= m; j++) {
      int best = score[i - 1][j - 1] + (a[i - 1] == b[j - 1] ? 3 : -1);
      best = best > score[i - 1][j] - 2 ? best : score[i - 1][j] - 2;
      best = best > score[i][j - 1] - 2 ? best : score[i][j - 1] - 2;
      score[i][j] = best > 0 ? best : 0;
    }
}

// How many letters change one word into the other.
// sizes: N=3000 M=3000 / N=21 M=17
// arguments: N, M, uint8_t[N]%4, uint8_t[M]%4, uint16_t[(N+1)*(M+1)]
void edit_distance(int n, int m, const uint8_t *restrict a, const uint8_t *restrict b,
                   uint16_t distance[restrict n + 1][m + 1]) {
  for (int i = 0; i <= n; i++)
    distance[i][0] = i;
  for (int j = 0; j <= m; j++)
    distance[0][j] = j;
  for (int i = 1; i <= n; i++)
    for (int j = 1; j <= m; j++) {
      uint16_t same = distance[i - 1][j - 1] + (a[i - 1] != b[j - 1]);
      uint16_t gone = distance[i - 1][j] + 1, more = distance[i][j - 1] + 1;
      uint16_t least = gone < more ? gone : more;
      distance[i][j] = same < least ? same : least;
    }
}

// The longest common subsequence.
// sizes: N=3000 M=3000 / N=21 M=17
// arguments: N, M, int[N]%4, int[M]%4, int[(N+1)*(M+1)]
void common_subsequence(int n, int m, const int *restrict a, const int *restrict b, int length[restrict n + 1][m + 1]) {
  for (int j = 0; j <= m; j++)
    length[0][j] = 0;
  for (int i = 1; i <= n; i++) {
    length[i][0] = 0;
    for (int j = 1; j <= m; j++)
      if (a[i - 1] == b[j - 1])
        length[i][j] = length[i - 1][j - 1] + 1;
      else
        length[i][j] = length[i - 1][j] > length[i][j - 1] ? length[i - 1][j] : length[i][j - 1];
  }
}

// The most valuable things that a bag of each size holds.
// sizes: N=300 W=20000 / N=9 W=41
// arguments: N, W, int[N]%30+1, int[N]%50, int[(N+1)*(W+1)]
void knapsack(int n, int w, const int *restrict weight, const int *restrict value, int best[restrict n + 1][w + 1]) {
  for (int j = 0; j <= w; j++)
    best[0][j] = 0;
  for (int i = 1; i <= n; i++)
    for (int j = 0; j <= w; j++) {
      int with = j >= weight[i - 1] ? best[i - 1][j - weight[i - 1]] + value[i - 1] : 0;
      best[i][j] = best[i - 1][j] > with ? best[i - 1][j] : with;
    }
}

// The shortest way down a grid of costs, one column to either side at each step.
// sizes: N=2000 M=3000 / N=17 M=23
// arguments: N, M, float[N*M], float[N*M]
void way_down(int n, int m, float cost[restrict n][m], float way[restrict n][m]) {
  for (int j = 0; j < m; j++)
    way[0][j] = cost[0][j];
  for (int i = 1; i < n; i++)
    for (int j = 1; j < m - 1; j++) {
      float least = way[i - 1][j] < way[i - 1][j - 1] ? way[i - 1][j] : way[i - 1][j - 1];
      least = least < way[i - 1][j + 1] ? least : way[i - 1][j + 1];
      way[i][j] = least + cost[i][j];
    }
}

// Costs of products of chains of matrices.
// sizes: N=400 / N=15
// arguments: N, double[N+1]+9, double[N*N]
void chain_of_products(int n, const double size[restrict n + 1], double cost[restrict n][n]) {
  for (int i = n - 1; i >= 0; i--) {
    cost[i][i] = 0;
    for (int j = i + 1; j < n; j++) {
      cost[i][j] = cost[i + 1][j] + size[i] * size[i + 1] * size[j + 1];
      for (int k = i + 1; k < j; k++) {
        double other = cost[i][k] + cost[k + 1][j] + size[i] * size[k + 1] * size[j + 1];
        cost[i][j] = other < cost[i][j] ? other : cost[i][j];
      }
    }
  }
}

// The same with whole numbers, stored if they are less.
// sizes: N=1000 / N=45
// arguments: N, int[N+1]%9, int[N*N]%5
void best_order(int n, const int *restrict size, int cost[restrict n][n]) {
  for (int i = n - 1; i >= 0; i--)
    for (int j = i + 1; j < n; j++) {
      cost[i][j] = 0x7fffffff;
      for (int k = i; k < j; k++) {
        int other = cost[i][k] + cost[k + 1][j] + size[i] * size[k] * size[j];
        if (other < cost[i][j])
          cost[i][j] = other;
      }
    }
}

// Which symbols, one a bit, derive which parts of a word.
// sizes: N=1000 / N=45
// arguments: N, uint32_t[N*N]
void derived_parts(int n, uint32_t symbols[restrict n][n]) {
  for (int i = n - 1; i >= 0; i--)
    for (int j = i + 1; j < n; j++)
      for (int k = i; k < j; k++)
        symbols[i][j] |= symbols[i][k] & symbols[k + 1][j];
}

// A tridiagonal system for each row, along it.
// sizes: N=1000 M=1000 / N=17 M=13
// arguments: N, M, double[N*M], double[N*M]
void systems_along_rows(int n, int m, double x[restrict n][m], double w[restrict n][m]) {
  for (int i = 0; i < n; i++) {
    w[i][0] = 0.25;
    x[i][0] = x[i][0] * 0.25;
    for (int j = 1; j < m; j++) {
      double scale = 1.0 / (4.0 - w[i][j - 1]);
      w[i][j] = scale;
      x[i][j] = (x[i][j] + x[i][j - 1]) * scale;
    }
    for (int j = m - 2; j >= 0; j--)
      x[i][j] = x[i][j] + w[i][j] * x[i][j + 1];
  }
}

// The same along columns, one after the other.
// sizes: N=1000 M=1000 / N=17 M=13
// arguments: N, M, double[N*M], double[N*M]
void systems_along_columns(int n, int m, double x[restrict n][m], double w[restrict n][m]) {
  for (int j = 0; j < m; j++) {
    w[0][j] = 0.25;
    x[0][j] = x[0][j] * 0.25;
    for (int i = 1; i < n; i++) {
      double scale = 1.0 / (4.0 - w[i - 1][j]);
      w[i][j] = scale;
      x[i][j] = (x[i][j] + x[i - 1][j]) * scale;
    }
    for (int i = n - 2; i >= 0; i--)
      x[i][j] = x[i][j] + w[i][j] * x[i + 1][j];
  }
}

// Both directions in turns, several times.
// sizes: N=700 T=8 / N=15 T=3
// arguments: T, N, double[N*N]
void directions_in_turns(int t_end, int n, double x[restrict n][n]) {
  for (int t = 0; t < t_end; t++) {
    for (int i = 0; i < n; i++)
      for (int j = 1; j < n; j++)
        x[i][j] = 0.6 * x[i][j] + 0.4 * x[i][j - 1];
    for (int j = 0; j < n; j++)
      for (int i = 1; i < n; i++)
        x[i][j] = 0.6 * x[i][j] + 0.4 * x[i - 1][j];
  }
}

// A filter that remembers what it made, forwards and backwards along rows, then along columns.
// sizes: N=1000 M=1200 / N=17 M=13
// arguments: N, M, float[N*M], float[N*M]
void recursive_filter(int n, int m, float image[restrict n][m], float made[restrict n][m]) {
  for (int i = 0; i < n; i++) {
    float before = 0;
    for (int j = 0; j < m; j++) {
      before = 0.5f * image[i][j] + 0.5f * before;
      made[i][j] = before;
    }
    float behind = 0;
    for (int j = m - 1; j >= 0; j--) {
      behind = 0.5f * image[i][j] + 0.5f * behind;
      made[i][j] += behind;
    }
  }
  for (int j = 0; j < m; j++) {
    float before = 0;
    for (int i = 0; i < n; i++) {
      before = 0.5f * made[i][j] + 0.5f * before;
      image[i][j] = before;
    }
  }
}
