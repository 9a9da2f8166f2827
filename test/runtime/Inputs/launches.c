// Sizes of launches, and texts of code, that a device takes or refuses.
#include "kernel.h"

static unsigned launched;

void increment(void **args, const unsigned grid[3], const unsigned block[3], unsigned shared_bytes) {
  (void)args;
  launched = grid[0] ^ grid[1] << 4 ^ grid[2] << 8 ^ block[0] << 12 ^ block[1] << 16 ^ block[2] << 20 ^ shared_bytes;
}

// What the device must be told of a size, for comparison with `launched`.
static unsigned told(const int64_t size[7]) {
  return (unsigned)size[0] ^ (unsigned)size[1] << 4 ^ (unsigned)size[2] << 8 ^ (unsigned)size[3] << 12 ^
         (unsigned)size[4] << 16 ^ (unsigned)size[5] << 20 ^ (unsigned)size[6];
}

enum { REFUSED, LAUNCHED, NOTHING };

static const struct {
  int64_t size[7]; // grid, block, shared memory
  int outcome;
} launches[] = {
    {{1, 1, 1, 1, 1, 1, 0}, LAUNCHED},
    {{7, 6, 5, 4, 3, 2, 1}, LAUNCHED},
    {{2147483647, 65535, 65535, 1024, 1, 1, 0}, LAUNCHED},
    {{2147483648, 1, 1, 1, 1, 1, 0}, REFUSED},
    {{4294967297, 1, 1, 1, 1, 1, 0}, REFUSED},
    {{1, 65536, 1, 1, 1, 1, 0}, REFUSED},
    {{1, 1, 65536, 1, 1, 1, 0}, REFUSED},
    {{-1, 1, 1, 1, 1, 1, 0}, REFUSED},
    {{1, 1, INT64_MIN, 1, 1, 1, 0}, REFUSED},
    {{0, 1, 1, 1, 1, 1, 0}, NOTHING},
    {{1, 0, 1, 1, 1, 1, 0}, NOTHING},
    {{1, 1, 0, 1, 1, 1, 0}, NOTHING},
    {{0, 1, 1, 2000, 1, 1, 0}, REFUSED},
    {{0, 1, 1, 0, 1, 1, 0}, REFUSED},
    {{1, 1, 1, 1, 1, 64, 0}, LAUNCHED},
    {{1, 1, 1, 1, 1, 65, 0}, REFUSED},
    {{1, 1, 1, 1025, 1, 1, 0}, REFUSED},
    {{1, 1, 1, 32, 33, 1, 0}, REFUSED},
    {{1, 1, 1, 32, 32, 1, 0}, LAUNCHED},
    {{1, 1, 1, 0, 1, 1, 0}, REFUSED},
    {{1, 1, 1, 1, -1, 1, 0}, REFUSED},
    {{1, 1, 1, 4294967297, 1, 1, 0}, REFUSED},
    {{1, 1, 1, 1, 1, 1, 48152}, LAUNCHED},
    {{1, 1, 1, 1, 1, 1, 48153}, LAUNCHED},
    {{1, 1, 1, 1, 1, 1, 231448}, LAUNCHED},
    {{1, 1, 1, 1, 1, 1, 60000}, LAUNCHED},
    {{1, 1, 1, 1, 1, 1, 231449}, REFUSED},
    {{1, 1, 1, 1, 1, 1, 4294967296}, REFUSED},
    {{1, 1, 1, 1, 1, 1, -1}, REFUSED},
};

static void check_launches(void) {
  static void *slot;
  for (size_t i = 0; i < sizeof launches / sizeof *launches; i++) {
    const int64_t *s = launches[i].size;
    void *run = polyrs_gpu_begin(&slot, "sizes", ptx, sizeof ptx - 1);
    CHECK(run);
    launched = 0xffffffff;
    polyrs_gpu_launch(run, "increment", s[0], s[1], s[2], s[3], s[4], s[5], s[6], NULL);
    int done = polyrs_gpu_end(run);
    unsigned wanted = launches[i].outcome == LAUNCHED ? told(s) : 0xffffffff;
    if (done != (launches[i].outcome != REFUSED) || launched != wanted) {
      printf("launch %zu: %d, %#x\n", i, done, launched);
      exit(1);
    }
  }
}

static void check_names(void) {
  static void *slot;
  void *run = polyrs_gpu_begin(&slot, "names", ptx, sizeof ptx - 1);
  CHECK(run);
  polyrs_gpu_launch(run, "decrement", 1, 1, 1, 1, 1, 1, 0, NULL);
  CHECK(polyrs_gpu_end(run) == 0);
}

// Whether a device takes a text of code; twice, since a refusal is kept.
static int takes(const char *region, const char *text, int64_t bytes) {
  void *slot = NULL;
  int taken[2];
  for (int i = 0; i < 2; i++) {
    void *run = polyrs_gpu_begin(&slot, region, text, bytes);
    taken[i] = run != NULL;
    polyrs_gpu_end(run);
  }
  CHECK(taken[0] == taken[1]);
  return taken[0];
}

static int takes_text(const char *region, const char *text) { return takes(region, text, (int64_t)strlen(text)); }

// The device is sm_100.
static void check_code(void) {
  CHECK(takes_text("older", "//\n.version 8.0\n.target sm_90\n"));
  CHECK(takes_text("first line", ".target sm_90\n.version 8.0\n"));
  CHECK(takes_text("equal", ".version 8.0\n.target sm_100\n"));
  CHECK(takes_text("equal, own", ".version 8.0\n.target sm_100a\n"));
  CHECK(takes_text("unknown", ".version 8.0\n"));
  CHECK(!takes_text("newer", ".version 8.0\n.target sm_120, debug\n"));
  CHECK(!takes_text("newer, family", ".version 8.0\n.target sm_103f\n"));
  CHECK(!takes_text("older, own", ".version 8.0\n.target sm_90a\n"));
  CHECK(!takes_text("malformed", "\n.target sm_90\n"));
  CHECK(!takes("too long", ptx, (int64_t)strlen(ptx) - 1));
  CHECK(!takes("zero inside", "\n.version 8.0\0\n.target sm_90\n", 29));
  CHECK(!takes("empty", "", 0));
  CHECK(!takes("negative", ptx, -1));
}

int main(void) {
  setvbuf(stdout, NULL, _IONBF, 0);
  check_launches();
  check_names();
  check_code();
  puts("right");
  return 0;
}
