/* Included first in every file of isl by isl-meter.sh.
 *
 * isl bounds the number of its allocations, and not what they take: a map with thousands of constraints is one. Here allocations are named
 * apart, so that isl-settle.c counts the bytes that are in use. What isl hands out for its caller to free is to be freed by the same name.
 */

#include <stdlib.h>
#include <string.h>

#pragma redefine_extname malloc isl_counted_malloc
#pragma redefine_extname calloc isl_counted_calloc
#pragma redefine_extname realloc isl_counted_realloc
#pragma redefine_extname strdup isl_counted_strdup
#pragma redefine_extname strndup isl_counted_strndup
#pragma redefine_extname free isl_counted_free
