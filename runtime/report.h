// What the runtime says on standard error, and why something could not be done.
#ifndef POLYRS_GPU_REPORT_H
#define POLYRS_GPU_REPORT_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

// Why something could not be done on the device.
struct pgpu_why {
  // An event of normal life, such as a machine without a device: told only to those who ask (POLYRS_GPU_TRACE).
  bool expected;
  char text[2048];
};

#define PGPU_PRINTF(text, values) __attribute__((format(printf, text, values)))

// Sets a reason that is an event of normal life; gives false, so that it can be returned.
bool pgpu_expected(struct pgpu_why *why, const char *format, ...) PGPU_PRINTF(2, 3);

// Sets a reason that somebody has to look into; gives false.
bool pgpu_unexpected(struct pgpu_why *why, const char *format, ...) PGPU_PRINTF(2, 3);

// Whether somebody asked for lines about all that is done (POLYRS_GPU_TRACE).
bool pgpu_traces(void);

// A line about a region, where lines are asked for.
void pgpu_trace(const char *region, const char *format, ...) PGPU_PRINTF(2, 3);

// A line about a region, always.
void pgpu_warn(const char *region, const char *format, ...) PGPU_PRINTF(2, 3);

// Makes a reason that was told before an expected one: one warning is enough.
void pgpu_tell_once(struct pgpu_why *why, atomic_bool *told);

// Says that the CPU takes over, and why; ends the process where a GPU is required.
void pgpu_leave_to_cpu(const char *region, const struct pgpu_why *why);

// The time in microseconds, from some fixed time on.
int64_t pgpu_microseconds(void);

#endif
