// Memory of the host that a run needs for itself.
#ifndef POLYRS_GPU_HOST_H
#define POLYRS_GPU_HOST_H

#include <stddef.h>

// Memory of so many bytes, or NULL. What is large is asked for in huge pages where the system has them: it is written
// once and read once, so most of the time that it takes is that of the first touch of each page.
void *pgpu_host_take(size_t bytes);

// Gives it back; NULL is nothing.
void pgpu_host_give(void *memory);

#endif
