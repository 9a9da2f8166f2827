// On which device, and in which of its contexts, a region runs.
#ifndef POLYRS_GPU_CONTEXT_H
#define POLYRS_GPU_CONTEXT_H

#include "driver.h"

// What a device can do. Sizes are x, y, z.
struct pgpu_limits {
  int capability; // 90 for sm_90
  int grid[3];
  int block[3];
  int threads;
  // Bytes of shared memory for a block: what any kernel may have, and what it gets on request.
  int shared;
  int shared_on_request;
};

// A context and its number, which no other one of the process has or had: one that was destroyed may leave its address
// to another. Drivers before 12.1 do not count: 0.
struct pgpu_place {
  pgpu_context context;
  unsigned long long number;
};

// Finds the context to run in, and makes it the thread's current one: what was the current one, or else the primary
// context of the device that the settings name. `pgpu_context_leave` undoes it.
bool pgpu_context_enter(const struct pgpu_driver *driver, struct pgpu_place *place, struct pgpu_why *why);

// Makes the context that was the thread's current one before, or none, its current one again.
bool pgpu_context_leave(const struct pgpu_driver *driver, struct pgpu_why *why);

// The limits of the current context's device.
bool pgpu_limits_read(const struct pgpu_driver *driver, struct pgpu_limits *limits, struct pgpu_why *why);

#endif
