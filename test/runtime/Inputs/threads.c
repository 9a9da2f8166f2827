// Threads that run two regions at once, first of all the loading of their code.
#define _GNU_SOURCE
#include "kernel.h"

#include <pthread.h>

enum { THREADS = 4, TURNS = 40, COUNT = 100 };

static pthread_barrier_t start;

void increment(void **args, const unsigned grid[3], const unsigned block[3], unsigned shared_bytes) {
  (void)grid, (void)block, (void)shared_bytes;
  for (int64_t i = 0; i < *(int64_t *)args[1]; i++)
    (*(int **)args[0])[i]++;
}

static void turn(void **slot, const char *region, int *x, int64_t shared) {
  void *run = polyrs_gpu_begin(slot, region, ptx, sizeof ptx - 1);
  CHECK(run);
  void *a = polyrs_gpu_buffer(run, x, COUNT * sizeof *x, POLYRS_GPU_IN | POLYRS_GPU_OUT);
  int64_t count = COUNT;
  polyrs_gpu_launch(run, "increment", 1, 1, 1, 32, 1, 1, shared, (void *[]){&a, &count});
  CHECK(polyrs_gpu_end(run) == 1);
}

static void *work(void *argument) {
  static void *slots[2];
  int number = *(int *)argument, x[COUNT];
  for (int i = 0; i < COUNT; i++)
    x[i] = number;
  pthread_barrier_wait(&start);
  for (int i = 0; i < TURNS; i++) {
    // Each thread asks for another amount of shared memory.
    turn(&slots[0], "first", x, 50000 + 1000 * number);
    turn(&slots[1], "second", x, 0);
  }
  for (int i = 0; i < COUNT; i++)
    CHECK(x[i] == number + 2 * TURNS);
  return NULL;
}

int main(void) {
  pthread_t threads[THREADS];
  int numbers[THREADS];
  pthread_barrier_init(&start, NULL, THREADS);
  for (int i = 0; i < THREADS; i++) {
    numbers[i] = i;
    CHECK(pthread_create(&threads[i], NULL, work, &numbers[i]) == 0);
  }
  for (int i = 0; i < THREADS; i++)
    CHECK(pthread_join(threads[i], NULL) == 0);
  puts("right");
  return 0;
}
