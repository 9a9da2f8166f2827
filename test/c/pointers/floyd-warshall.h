// floyd-warshall: the lengths of the shortest paths between all pairs of nodes
// (the sizes are parameters, the arrays pointers to their first elements)
POLYBENCH_NOINLINE
void kernel_floyd_warshall_pointers(int n, int *POLYBENCH_RESTRICT path) {
  for (int k = 0; k < n; k++)
    for (int i = 0; i < n; i++)
      for (int j = 0; j < n; j++)
        path[i * n + j] = path[i * n + j] < path[i * n + k] + path[k * n + j] ? path[i * n + j] :
            path[i * n + k] + path[k * n + j];
}

static void kernel_floyd_warshall(int path[POLYBENCH_RESTRICT N][N]) {
  kernel_floyd_warshall_pointers(N, &path[0][0]);
}
