// What holds for the whole process from the first use on: the settings of the environment, and whether it is a fork.
#ifndef POLYRS_GPU_PROCESS_H
#define POLYRS_GPU_PROCESS_H

#include <stdbool.h>

enum pgpu_mode { PGPU_OFF, PGPU_ON, PGPU_ALWAYS, PGPU_REQUIRE };

struct pgpu_settings {
  // POLYRS_GPU
  enum pgpu_mode mode;
  // POLYRS_GPU_TRACE
  bool trace;
  // POLYRS_GPU_DRIVER: the file of the driver; never NULL.
  const char *driver;
  // POLYRS_GPU_DEVICE: the number of a device as text, or NULL.
  const char *device;
};

// The environment as it was at the first call.
const struct pgpu_settings *pgpu_settings(void);

// Whether the process was forked after the first use: then the driver is unusable, and no lock may be waited for,
// since its owner may not exist here.
bool pgpu_is_forked(void);

#endif
