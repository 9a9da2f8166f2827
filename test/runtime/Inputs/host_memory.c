// Has the HOST_FAIL-th allocation of the program's own code fail. Linked with
// -Wl,--wrap=malloc,--wrap=calloc,--wrap=strdup.
#include <stdlib.h>

void *__real_malloc(size_t bytes);
void *__real_calloc(size_t count, size_t bytes);
char *__real_strdup(const char *text);
void *__wrap_malloc(size_t bytes);
void *__wrap_calloc(size_t count, size_t bytes);
char *__wrap_strdup(const char *text);

static int fails(void) {
  static int calls;
  const char *plan = getenv("HOST_FAIL");
  return plan && ++calls == atoi(plan);
}

void *__wrap_malloc(size_t bytes) { return fails() ? NULL : __real_malloc(bytes); }

void *__wrap_calloc(size_t count, size_t bytes) { return fails() ? NULL : __real_calloc(count, bytes); }

char *__wrap_strdup(const char *text) { return fails() ? NULL : __real_strdup(text); }
