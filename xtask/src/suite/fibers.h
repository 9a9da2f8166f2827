// The threads of a block, each with a stack of its own, on one thread of the host's: for kernels with barriers.
//
// All run to the barrier, one after the other, and then on from it, from the last to the first, and so on. A barrier
// that not all come to is told, and ends the program. A switch saves no signals, unlike those of ucontext.h, and so
// asks nothing of the kernel of the system.
#define _GNU_SOURCE
#include <setjmp.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <ucontext.h>

enum { STUB_STACK = 128 << 10, STUB_THREADS = 1024 };

// `barrier` is where the thread waits: the address that it goes on from; null once it is done.
struct stub_fiber {
  jmp_buf here;
  void *barrier;
  int started;
};

struct stub_block {
  struct stub_fiber *fibers;
  char *stacks;
  unsigned current;
  jmp_buf all;
  void (*body)(void **);
  void **arguments;
};

ONCE _Thread_local struct stub_block stub_block;

// Goes from a thread to those who step all of them.
ONCE void stub_leave(void *barrier);
void stub_leave(void *barrier) {
  struct stub_fiber *own = &stub_block.fibers[stub_block.current];
  own->barrier = barrier;
  if (!_setjmp(own->here))
    _longjmp(stub_block.all, 1);
}

// Each fiber is one thread of a block, and of the next one after that.
ONCE void stub_live(void);
void stub_live(void) {
  for (;;) {
    stub_block.body(stub_block.arguments);
    stub_leave(NULL);
  }
}

ONCE void stub_start(unsigned number);
void stub_start(unsigned number) {
  ucontext_t context;
  getcontext(&context);
  context.uc_stack.ss_sp = stub_block.stacks + (size_t)number * STUB_STACK;
  context.uc_stack.ss_size = STUB_STACK;
  context.uc_link = NULL;
  makecontext(&context, stub_live, 0);
  setcontext(&context);
}

// Runs a thread up to its next barrier, or its end.
ONCE void stub_step(unsigned number);
void stub_step(unsigned number) {
  stub_block.current = number;
  place[3] = number % size[3];
  place[4] = number / size[3] % size[4];
  place[5] = number / size[3] / size[4];
  if (_setjmp(stub_block.all))
    return;
  if (stub_block.fibers[number].started)
    _longjmp(stub_block.fibers[number].here, 1);
  stub_block.fibers[number].started = 1;
  stub_start(number);
}

ONCE void stub_barrier(uint32_t number) __asm__("stub.barrier");
void stub_barrier(uint32_t number) {
  (void)number;
  stub_leave(__builtin_return_address(0));
}

// Runs all threads of a block.
ONCE void stub_run(void (*body)(void **), void **arguments);
void stub_run(void (*body)(void **), void **arguments) {
  if (!stub_block.fibers) {
    stub_block.fibers = calloc(STUB_THREADS, sizeof *stub_block.fibers);
    stub_block.stacks = mmap(NULL, (size_t)STUB_THREADS * STUB_STACK, PROT_READ | PROT_WRITE,
                             MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (!stub_block.fibers || stub_block.stacks == MAP_FAILED)
      abort();
  }
  unsigned count = size[3] * size[4] * size[5];
  stub_block.body = body;
  stub_block.arguments = arguments;
  for (unsigned phase = 0;; phase++) {
    for (unsigned step = 0; step < count; step++)
      stub_step(phase % 2 ? count - 1 - step : step);
    void *barrier = stub_block.fibers[0].barrier;
    for (unsigned number = 1; number < count; number++) {
      if (stub_block.fibers[number].barrier != barrier) {
        fprintf(stderr, "stub: not all threads of a block come to the same barrier: number %u does not\n", number);
        abort();
      }
    }
    if (!barrier)
      return;
  }
}
