#define _GNU_SOURCE
#include "context.h"
#include "process.h"

#include <pthread.h>
#include <stdlib.h>

// The primary context is retained by the first region that needs it, and kept: giving it back at exit could fail.
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pgpu_context primary;
static bool primary_tried;
static struct pgpu_why why_no_primary;

// The number of the device that the settings name.
static bool chosen(int count, int *number, struct pgpu_why *why) {
  const char *text = pgpu_settings()->device;
  *number = 0;
  if (!text)
    return true;
  char *end;
  long value = strtol(text, &end, 10);
  if (*end || value < 0)
    return pgpu_unexpected(why, "POLYRS_GPU_DEVICE=%s is no number of a device", text);
  if (value >= count)
    return pgpu_unexpected(why, "POLYRS_GPU_DEVICE=%s, but there are %d devices, counted from 0", text, count);
  *number = (int)value;
  return true;
}

static bool retain(const struct pgpu_driver *driver, struct pgpu_why *why) {
  int count, number;
  pgpu_device device;
  if (!pgpu_succeeded(driver->cuDeviceGetCount(&count), why, "cuDeviceGetCount"))
    return false;
  if (count == 0)
    return pgpu_expected(why, "there is no device");
  return chosen(count, &number, why) &&
         pgpu_succeeded(driver->cuDeviceGet(&device, number), why, "cuDeviceGet") &&
         pgpu_succeeded(driver->cuDevicePrimaryCtxRetain(&primary, device), why, "cuDevicePrimaryCtxRetain");
}

// A failure stays: trying again may take long, and each region would.
static bool find_primary(const struct pgpu_driver *driver, pgpu_context *context, struct pgpu_why *why) {
  pthread_mutex_lock(&lock);
  if (!primary_tried && !retain(driver, &why_no_primary))
    primary = NULL;
  primary_tried = true;
  *context = primary;
  if (!primary)
    *why = why_no_primary;
  pthread_mutex_unlock(&lock);
  return *context != NULL;
}

bool pgpu_context_enter(const struct pgpu_driver *driver, struct pgpu_place *place, struct pgpu_why *why) {
  if (!pgpu_succeeded(driver->cuCtxGetCurrent(&place->context), why, "cuCtxGetCurrent"))
    return false;
  if (!place->context && !find_primary(driver, &place->context, why))
    return false;
  place->number = 0;
  if (driver->cuCtxGetId && !pgpu_succeeded(driver->cuCtxGetId(place->context, &place->number), why, "cuCtxGetId"))
    return false;
  // The current one is pushed as well, so that leaving is the same for all.
  return pgpu_succeeded(driver->cuCtxPushCurrent_v2(place->context), why, "cuCtxPushCurrent");
}

bool pgpu_context_leave(const struct pgpu_driver *driver, struct pgpu_why *why) {
  pgpu_context left;
  return pgpu_succeeded(driver->cuCtxPopCurrent_v2(&left), why, "cuCtxPopCurrent");
}

bool pgpu_limits_read(const struct pgpu_driver *driver, struct pgpu_limits *limits, struct pgpu_why *why) {
  pgpu_device device;
  if (!pgpu_succeeded(driver->cuCtxGetDevice(&device), why, "cuCtxGetDevice"))
    return false;
  int major, minor;
  const struct {
    int *value, attribute;
  } asked[] = {
      {&major, PGPU_DEVICE_MAJOR},
      {&minor, PGPU_DEVICE_MINOR},
      {&limits->threads, PGPU_DEVICE_THREADS},
      {&limits->block[0], PGPU_DEVICE_BLOCK_X},
      {&limits->block[1], PGPU_DEVICE_BLOCK_X + 1},
      {&limits->block[2], PGPU_DEVICE_BLOCK_X + 2},
      {&limits->grid[0], PGPU_DEVICE_GRID_X},
      {&limits->grid[1], PGPU_DEVICE_GRID_X + 1},
      {&limits->grid[2], PGPU_DEVICE_GRID_X + 2},
      {&limits->shared, PGPU_DEVICE_SHARED},
      {&limits->shared_on_request, PGPU_DEVICE_SHARED_ON_REQUEST},
  };
  for (size_t i = 0; i < sizeof asked / sizeof *asked; i++) {
    pgpu_result result = driver->cuDeviceGetAttribute(asked[i].value, asked[i].attribute, device);
    if (!pgpu_succeeded(result, why, "cuDeviceGetAttribute"))
      return false;
  }
  limits->capability = 10 * major + minor;
  return true;
}
