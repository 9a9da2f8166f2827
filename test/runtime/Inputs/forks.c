// Processes that fork before, between and inside of regions.
#include "kernel.h"

#include <pthread.h>
#include <stdatomic.h>
#include <sys/wait.h>
#include <unistd.h>

enum { COUNT = 100, CHILDREN = 50 };

static atomic_bool stop;

void increment(void **args, const unsigned grid[3], const unsigned block[3], unsigned shared_bytes) {
  (void)grid, (void)block, (void)shared_bytes;
  for (int64_t i = 0; i < *(int64_t *)args[1]; i++)
    (*(int **)args[0])[i]++;
}

// Whether the GPU ran it. In the middle it forks if asked to: `*child` is what `fork` gave.
static int region(void **slot, pid_t *child) {
  int x[COUNT] = {0};
  void *run = polyrs_gpu_begin(slot, "forks", ptx, sizeof ptx - 1);
  launch_increment(run, polyrs_gpu_buffer(run, x, sizeof x, POLYRS_GPU_IN | POLYRS_GPU_OUT), COUNT);
  if (child)
    *child = fork();
  launch_increment(run, x, 0);
  int done = polyrs_gpu_end(run);
  CHECK(x[0] == done && x[COUNT - 1] == done);
  return done;
}

static void check_child(pid_t child) {
  int status;
  CHECK(waitpid(child, &status, 0) == child);
  CHECK(WIFEXITED(status) && WEXITSTATUS(status) == 0);
}

// A process that ends with 0 if the GPU runs the region there, or does not, as it should.
static void check_fork(void **slot, int on_gpu) {
  pid_t child = fork();
  if (child == 0) {
    alarm(20);
    _exit(region(slot, NULL) != on_gpu);
  }
  check_child(child);
}

// Holds the runtime's locks again and again.
static void *keep_busy(void *unused) {
  while (!atomic_load(&stop)) {
    void *slot = NULL;
    region(&slot, NULL);
  }
  return unused;
}

int main(void) {
  static void *slot, *other_slot;
  check_fork(&slot, 1);
  CHECK(region(&slot, NULL));
  check_fork(&slot, 0);
  check_fork(&other_slot, 0);

  pid_t child;
  int done = region(&slot, &child);
  if (child == 0)
    _exit(done);
  CHECK(done);
  check_child(child);

  pthread_t busy;
  CHECK(pthread_create(&busy, NULL, keep_busy, NULL) == 0);
  for (int i = 0; i < CHILDREN; i++)
    check_fork(&slot, 0);
  atomic_store(&stop, 1);
  CHECK(pthread_join(busy, NULL) == 0);
  CHECK(region(&slot, NULL));
  puts("right");
  return 0;
}
