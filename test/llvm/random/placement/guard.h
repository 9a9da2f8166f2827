// What the random programs call: memory between inaccessible pages, output, and ends. See guard.c.
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#ifdef __cplusplus
extern "C" {
#endif

void *place(size_t bytes, int back);
void fill(void *data, long count, char kind, int seed);
void restricted(void);
void finish(void);
void say(long value);
void say_real(double value);
__attribute__((noreturn)) void fail(int code, long value, double real);
void test(int run);
extern const int runs;

#ifdef __cplusplus
}
#endif
