#define _GNU_SOURCE
#include "host.h"

#include <stdlib.h>
#include <sys/mman.h>

// Tests say less.
#ifndef PGPU_HUGE_PAGE
#define PGPU_HUGE_PAGE (2 << 20)
#endif

enum { HUGE_PAGE = PGPU_HUGE_PAGE };

void *pgpu_host_take(size_t bytes) {
  if (bytes < 2 * (size_t)HUGE_PAGE)
    return malloc(bytes);
  void *memory = NULL;
  if (posix_memalign(&memory, HUGE_PAGE, bytes) != 0)
    return NULL;
#ifdef MADV_HUGEPAGE
  // No more than a hint: without such pages it is memory like any other.
  madvise(memory, bytes / HUGE_PAGE * HUGE_PAGE, MADV_HUGEPAGE);
#endif
  return memory;
}

void pgpu_host_give(void *memory) { free(memory); }
