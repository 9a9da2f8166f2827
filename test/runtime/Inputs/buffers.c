// The rules of buffers.
#include "kernel.h"

enum { COUNT = 8, BYTES = COUNT * sizeof(int) };
enum { IN = POLYRS_GPU_IN, OUT = POLYRS_GPU_OUT, CHANGED = POLYRS_GPU_CHANGED };

static int x[3 * COUNT];

void increment(void **args, const unsigned grid[3], const unsigned block[3], unsigned shared_bytes) {
  (void)grid, (void)block, (void)shared_bytes;
  for (int64_t i = 0; i < *(int64_t *)args[1]; i++)
    (*(int **)args[0])[i]++;
}

static void *begin(void) {
  static void *slot;
  for (int i = 0; i < 3 * COUNT; i++)
    x[i] = i;
  void *run = polyrs_gpu_begin(&slot, "buffers", ptx, sizeof ptx - 1);
  CHECK(run);
  return run;
}

// Whether `x` has one more than at the start from `first` up to `last`.
static int incremented(int first, int last) {
  for (int i = 0; i < 3 * COUNT; i++)
    if (x[i] != i + (i >= first && i < last))
      return 0;
  return 1;
}

// The same memory twice, with these flags, is one buffer with both.
static void same(int first, int second) {
  void *run = begin();
  void *a = polyrs_gpu_buffer(run, x, BYTES, first);
  void *b = polyrs_gpu_buffer(run, x, BYTES, second);
  CHECK(a && a == b);
  launch_increment(run, b, COUNT);
  CHECK(polyrs_gpu_end(run) == 1);
  CHECK(incremented(0, COUNT));
}

// A buffer in the middle of `x`, and another one that is fine, or not.
static void beside(int start, int count, int fine) {
  void *run = begin();
  void *a = polyrs_gpu_buffer(run, x + COUNT, BYTES, IN | OUT);
  void *b = polyrs_gpu_buffer(run, x + start, count * (int64_t)sizeof(int), IN | OUT);
  CHECK(a && !b == (!fine || count == 0));
  launch_increment(run, a, COUNT);
  launch_increment(run, b, count);
  CHECK(polyrs_gpu_end(run) == fine);
  CHECK(fine ? x[COUNT] == COUNT + 1 : incremented(0, 0));
}

// A buffer of `count` numbers from `x + start` on.
struct part {
  int start, count, flags;
};

// Buffers that overlap in part. The last one is fine, or not; those before it are.
static void overlap(int parts, const struct part *part, int fine) {
  void *run = begin();
  for (int i = 0; i < parts; i++) {
    int *copy = polyrs_gpu_buffer(run, x + part[i].start, part[i].count * (int64_t)sizeof(int), part[i].flags);
    CHECK(!copy == (i == parts - 1 && !fine));
    CHECK(!copy || !(part[i].flags & IN) || copy[part[i].count - 1] == x[part[i].start + part[i].count - 1]);
  }
  CHECK(polyrs_gpu_end(run) == fine);
  CHECK(incremented(0, 0));
}

#define OVERLAP(fine, ...)                                                                                             \
  overlap(sizeof((struct part[]){__VA_ARGS__}) / sizeof(struct part), (struct part[]){__VA_ARGS__}, fine)

// What only is read may be in many buffers, whatever part of it.
static void overlaps(void) {
  OVERLAP(1, {0, 8, IN}, {4, 8, IN});
  OVERLAP(1, {4, 8, IN}, {0, 8, IN}, {0, 16, IN}, {8, 1, IN}, {4, 8, IN}, {4, 8, 0});
  const int written[] = {0, OUT, IN | OUT, IN | OUT | CHANGED};
  for (int i = 0; i < 4; i++) {
    int flags = written[i];
    // Before what is read, and after it.
    OVERLAP(0, {0, 8, flags}, {4, 8, IN});
    OVERLAP(0, {0, 8, IN}, {4, 8, flags});
    OVERLAP(0, {0, 8, flags}, {0, 9, flags});
    OVERLAP(0, {20, 4, IN}, {0, 8, IN}, {16, 4, IN}, {7, 1, flags});
    // By a second call, of the last buffer and of the first.
    if (flags) {
      OVERLAP(0, {0, 8, IN}, {4, 8, IN}, {4, 8, flags});
      OVERLAP(0, {0, 8, IN}, {4, 8, IN}, {0, 8, flags});
    }
    // One of three, which overlaps with none.
    OVERLAP(1, {0, 8, IN}, {4, 8, IN}, {12, 8, IN}, {12, 8, flags});
    OVERLAP(1, {12, 8, flags}, {0, 8, IN}, {4, 8, IN}, {12, 8, IN});
  }
}

// A buffer that is an error, after which nothing happens.
static void refused(void *host, int64_t bytes, int flags) {
  void *run = begin();
  void *a = polyrs_gpu_buffer(run, x, BYTES, IN | OUT);
  CHECK(a);
  CHECK(!polyrs_gpu_buffer(run, host, bytes, flags));
  CHECK(!polyrs_gpu_buffer(run, x + COUNT, BYTES, IN));
  launch_increment(run, a, COUNT);
  CHECK(polyrs_gpu_end(run) == 0);
  CHECK(incremented(0, 0));
}

static void scratch(void) {
  void *run = begin();
  void *a = polyrs_gpu_buffer(run, NULL, BYTES, 0), *b = polyrs_gpu_buffer(run, NULL, BYTES, 0);
  void *c = polyrs_gpu_buffer(run, x, BYTES, 0);
  CHECK(a && b && c && a != b && a != c && b != c);
  memset(a, 1, BYTES);
  launch_increment(run, a, COUNT);
  CHECK(polyrs_gpu_end(run) == 1);
  CHECK(incremented(0, 0));
}

static void late(void) {
  void *run = begin();
  void *a = polyrs_gpu_buffer(run, x, BYTES, IN | OUT);
  launch_increment(run, a, COUNT);
  CHECK(!polyrs_gpu_buffer(run, x + COUNT, BYTES, IN));
  CHECK(polyrs_gpu_end(run) == 0);
  CHECK(incremented(0, 0));
}

// Where nothing was launched, memory that kernels would have written stays.
static void idle(void) {
  void *run = begin();
  void *a = polyrs_gpu_buffer(run, x, BYTES, OUT);
  int64_t count = COUNT;
  polyrs_gpu_launch(run, "increment", 0, 1, 1, 32, 1, 1, 0, (void *[]){&a, &count});
  CHECK(polyrs_gpu_end(run) == 1);
  CHECK(incremented(0, 0));
}

int main(void) {
  same(IN, OUT);
  same(OUT, IN);
  same(0, IN | OUT);
  same(IN | OUT, IN | OUT);
  same(IN | OUT | CHANGED, IN | OUT | CHANGED);
  same(IN | OUT | CHANGED, IN | OUT);
  same(IN | OUT | CHANGED, IN);
  same(OUT, IN | OUT | CHANGED);
  beside(0, COUNT, 1);
  beside(2 * COUNT, COUNT, 1);
  beside(COUNT + 1, 0, 1);
  beside(0, COUNT + 1, 0);
  beside(2 * COUNT - 1, COUNT, 0);
  beside(COUNT, COUNT - 1, 0);
  beside(COUNT, COUNT + 1, 0);
  beside(COUNT + 1, 1, 0);
  beside(0, 3 * COUNT, 0);
  refused(NULL, 4, IN);
  refused(NULL, 4, OUT);
  refused(NULL, 4, POLYRS_GPU_DEVICE);
  refused(x + COUNT, -1, IN);
  refused(x + COUNT, INT64_MIN, IN);
  refused(x + COUNT, INT64_MAX, IN);
  refused((void *)(UINTPTR_MAX - 1), 4, IN);
  refused(x + COUNT, BYTES, 16);
  refused(x + COUNT, BYTES, CHANGED);
  refused(x + COUNT, BYTES, CHANGED | IN);
  refused(x + COUNT, BYTES, CHANGED | OUT);
  refused(x + COUNT, BYTES, CHANGED | POLYRS_GPU_DEVICE);
  refused(x, BYTES, CHANGED);
  refused(x, BYTES, IN | POLYRS_GPU_DEVICE);
  overlaps();
  scratch();
  late();
  idle();
  // Calls without a run do nothing.
  CHECK(!polyrs_gpu_buffer(NULL, x, BYTES, IN | OUT));
  launch_increment(NULL, x, COUNT);
  CHECK(polyrs_gpu_end(NULL) == 0);
  puts("right");
  return 0;
}
