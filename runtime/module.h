// The code of a region on the device: loaded once for each context, and kept in the region's slot.
#ifndef POLYRS_GPU_MODULE_H
#define POLYRS_GPU_MODULE_H

#include "context.h"

struct pgpu_kernel {
  struct pgpu_kernel *next;
  char *name;
  pgpu_function function;
  int static_shared;
  // How much dynamic shared memory the driver was asked to permit.
  int dynamic_limit;
};

// A region's code in one context.
struct pgpu_module {
  struct pgpu_module *next;
  struct pgpu_place place;
  struct pgpu_limits limits;
  // NULL where it does not load; `why` says why, and it is not tried again.
  pgpu_code code;
  struct pgpu_why why;
  // Whether the region had a warning here.
  atomic_bool told;
  struct pgpu_kernel *kernels;
};

// What a region runs.
struct pgpu_source {
  const char *region;
  const char *ptx;
  int64_t ptx_bytes;
};

// The code of a region in a context, which is the current one.
struct pgpu_module *pgpu_module_find(const struct pgpu_driver *driver, void **slot, const struct pgpu_source *source,
                                     const struct pgpu_place *place, struct pgpu_why *why);

// A kernel that may be launched with so many bytes of dynamic shared memory. Its context is the current one.
bool pgpu_kernel_find(const struct pgpu_driver *driver, struct pgpu_module *module, const char *name, int64_t shared,
                      pgpu_function *function, struct pgpu_why *why);

#endif
