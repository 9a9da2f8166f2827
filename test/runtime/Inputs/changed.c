// Of a buffer with CHANGED only the bytes that kernels changed are written to the host's memory. While its kernel runs
// the host changes all others, as another thread of it may.
#define _GNU_SOURCE
#include "kernel.h"

#include <sys/mman.h>
#include <unistd.h>

enum { READ = POLYRS_GPU_IN, WRITE = POLYRS_GPU_OUT, CHANGED = READ | WRITE | POLYRS_GPU_CHANGED };

static const char change_ptx[] = "\n.version 8.0\n.target sm_90\n.address_size 64\n.visible .entry change()\n";

// Three pages of any machine.
enum { ROOM = 3 << 16 };

static unsigned char memory[ROOM], kept[ROOM];

// What the kernel does to each byte of its buffer, from the first on; what is 0 it does not store to.
static unsigned char flips[ROOM];

// What the host does while the kernel runs, and before bytes are copied to the device.
static void (*meanwhile)(unsigned char *device, int64_t bytes);
static void (*before_copy)(void);

void stub_before_copy_in(void);
void stub_before_copy_in(void) {
  if (before_copy)
    before_copy();
}

void change(void **args, const unsigned grid[3], const unsigned block[3], unsigned shared_bytes);

void change(void **args, const unsigned grid[3], const unsigned block[3], unsigned shared_bytes) {
  (void)grid, (void)block, (void)shared_bytes;
  unsigned char *device = *(unsigned char **)args[0];
  int64_t bytes = *(int64_t *)args[1];
  if (meanwhile)
    meanwhile(device, bytes);
  for (int64_t i = 0; i < bytes; i++)
    if (flips[i])
      device[i] ^= flips[i];
}

static void *begin(void) {
  static void *slot;
  void *run = polyrs_gpu_begin(&slot, "changed", change_ptx, sizeof change_ptx - 1);
  CHECK(run);
  return run;
}

static void launch(void *run, void *device, int64_t bytes) {
  polyrs_gpu_launch(run, "change", 1, 1, 1, 1, 1, 1, 0, (void *[]){&device, &bytes});
}

static unsigned random_number(void) {
  static uint64_t state = 1;
  state = state * 6364136223846793005u + 1442695040888963407u;
  return (unsigned)(state >> 33);
}

static void fill(int64_t bytes) {
  for (int64_t i = 0; i < bytes; i++)
    memory[i] = (unsigned char)random_number();
}

// Has the kernel change about `of_eight` of eight bytes.
static void plan(int64_t bytes, unsigned of_eight) {
  for (int64_t i = 0; i < bytes; i++)
    flips[i] = (unsigned char)(random_number() % 8 < of_eight ? 1 + random_number() % 255 : 0);
}

static unsigned char *host;

static void host_changes_others(unsigned char *device, int64_t bytes) {
  (void)device;
  for (int64_t i = 0; i < bytes; i++)
    if (!flips[i])
      host[i] ^= 0xff;
}

static void bytes(int offset, int64_t count, unsigned of_eight) {
  fill(offset + count + 9);
  plan(count, of_eight);
  memcpy(kept, memory, ROOM);
  host = memory + offset;
  meanwhile = host_changes_others;
  void *run = begin();
  launch(run, polyrs_gpu_buffer(run, host, count, CHANGED), count);
  CHECK(polyrs_gpu_end(run) == 1);
  for (int64_t i = 0; i < count; i++)
    kept[offset + i] ^= flips[i] ? flips[i] : 0xff;
  CHECK(memcmp(memory, kept, ROOM) == 0);
}

static void all_bytes(void) {
  const int64_t counts[] = {1, 2, 7, 8, 9, 15, 16, 17, 63, 64, 65, 255, 256, 257, 1000, 4095, 4096, 4097, 20000};
  for (size_t i = 0; i < sizeof counts / sizeof *counts; i++)
    for (int offset = 0; offset < 9; offset++)
      for (unsigned of_eight = 0; of_eight <= 8; of_eight++)
        bytes(offset, counts[i], of_eight);
}

// One byte of many, each in turn.
static void one_byte(void) {
  fill(150);
  host = memory + 3;
  meanwhile = NULL;
  memset(flips, 0, ROOM);
  for (int i = 0; i < 130; i++) {
    memcpy(kept, memory, ROOM);
    flips[i] = 1;
    void *run = begin();
    launch(run, polyrs_gpu_buffer(run, host, 130, CHANGED), 130);
    CHECK(polyrs_gpu_end(run) == 1);
    flips[i] = 0;
    kept[3 + i] ^= 1;
    CHECK(memcmp(memory, kept, ROOM) == 0);
  }
}

// Memory that is only for reading stays what it is: the second page of three, where kernels change nothing.
static void read_only(void) {
  int64_t page = sysconf(_SC_PAGESIZE);
  unsigned char *pages = mmap(NULL, 3 * (size_t)page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  CHECK(pages != MAP_FAILED && 3 * page <= ROOM);
  for (int64_t i = 0; i < 3 * page; i++)
    pages[i] = (unsigned char)random_number();
  CHECK(mprotect(pages + page, (size_t)page, PROT_READ) == 0);
  meanwhile = NULL;
  // That page alone, then with its neighbours, so that words that the runtime compares lie across its borders.
  memset(flips, 0, ROOM);
  memcpy(kept, pages, 3 * (size_t)page);
  void *run = begin();
  launch(run, polyrs_gpu_buffer(run, pages + page, page, CHANGED), page);
  CHECK(polyrs_gpu_end(run) == 1);
  CHECK(memcmp(pages, kept, 3 * (size_t)page) == 0);
  enum { LEFT = 3 };
  int64_t bytes = 3 * page - LEFT;
  for (int64_t i = 0; i < bytes; i++)
    kept[LEFT + i] ^= flips[i] = LEFT + i < page || LEFT + i >= 2 * page;
  run = begin();
  launch(run, polyrs_gpu_buffer(run, pages + LEFT, bytes, CHANGED), bytes);
  CHECK(polyrs_gpu_end(run) == 1);
  CHECK(memcmp(pages, kept, 3 * (size_t)page) == 0);
  CHECK(munmap(pages, 3 * (size_t)page) == 0);
}

enum { SIZE = 21 };

static unsigned char on_device;

static void host_changes_second(unsigned char *device, int64_t bytes) {
  (void)bytes;
  on_device = device[0];
  memory[1] = 200;
}

// Up to three calls for the same memory (less than 0: none). The kernel changes the first byte. The host changes the
// second byte while it runs, which stays if `compared`; and before the calls from the second on, the first byte, which
// the kernel sees as it was `seen`, counted from 1.
static void again(int first, int second, int third, int compared, int seen) {
  const int flags[] = {first, second, third};
  memset(memory, 0, SIZE);
  memset(flips, 0, ROOM);
  flips[0] = 0x80;
  meanwhile = host_changes_second;
  void *run = begin(), *device = NULL;
  for (int i = 0; i < 3 && flags[i] >= 0; i++) {
    memory[0] = (unsigned char)(i + 1);
    void *same = polyrs_gpu_buffer(run, memory, SIZE, flags[i]);
    CHECK(same && (i == 0 || same == device));
    device = same;
  }
  launch(run, device, SIZE);
  CHECK(polyrs_gpu_end(run) == 1);
  CHECK(on_device == seen);
  CHECK(memory[0] == (0x80 ^ seen));
  CHECK(memory[1] == (compared ? 200 : 0));
  for (int i = 2; i < SIZE; i++)
    CHECK(memory[i] == 0);
}

static void all_again(void) {
  again(CHANGED, -1, -1, 1, 1);
  again(CHANGED, CHANGED, -1, 1, 1);
  again(CHANGED, READ, -1, 1, 1);
  again(CHANGED, 0, -1, 1, 1);
  again(0, CHANGED, -1, 1, 2);
  // What was copied in and not kept is copied again.
  again(READ, CHANGED, -1, 1, 2);
  again(READ, CHANGED, READ, 1, 2);
  again(READ, READ, CHANGED, 1, 3);
  // All of it is written.
  again(READ | WRITE, -1, -1, 0, 1);
  again(READ | WRITE, CHANGED, -1, 0, 1);
  again(CHANGED, READ | WRITE, -1, 0, 1);
  again(CHANGED, WRITE, -1, 0, 1);
  again(WRITE, CHANGED, -1, 0, 2);
  again(CHANGED, WRITE, CHANGED, 0, 1);
  again(READ, WRITE, CHANGED, 0, 1);
  again(READ, CHANGED, WRITE, 0, 2);
}

static void host_counts_second(void) { memory[1]++; }

// What the host changes between its calls and the copy to the device is no change of a kernel.
static void between(void) {
  before_copy = host_counts_second;
  again(CHANGED, -1, -1, 1, 1);
  again(READ, CHANGED, -1, 1, 2);
  before_copy = NULL;
}

// Where nothing was launched nothing is written.
static void idle(void) {
  fill(ROOM);
  memcpy(kept, memory, ROOM);
  void *run = begin();
  unsigned char *device = polyrs_gpu_buffer(run, memory, ROOM, CHANGED);
  CHECK(device);
  memset(device, 0, ROOM);
  CHECK(polyrs_gpu_end(run) == 1);
  CHECK(memcmp(memory, kept, ROOM) == 0);
}

int main(void) {
  all_bytes();
  one_byte();
  read_only();
  all_again();
  between();
  idle();
  puts("right");
  return 0;
}
