// floyd-warshall: the lengths of the shortest paths between all pairs of nodes
// (the sizes are parameters, the arrays have variable lengths)
POLYBENCH_NOINLINE
void kernel_floyd_warshall_vla(int n, int path[POLYBENCH_RESTRICT n][n]) {
  for (int k = 0; k < n; k++)
    for (int i = 0; i < n; i++)
      for (int j = 0; j < n; j++)
        path[i][j] = path[i][j] < path[i][k] + path[k][j] ? path[i][j] : path[i][k] + path[k][j];
}

static void kernel_floyd_warshall(int path[POLYBENCH_RESTRICT N][N]) {
  kernel_floyd_warshall_vla(N, path);
}
