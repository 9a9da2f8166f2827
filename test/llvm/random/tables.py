"""What programs over tables that are called with several sizes have in common (`intervals.py`, `pivots.py`)."""


def head(width, vectors):
    """The beginning of a program: two tables of `width` by `width`, with space around them, and behind them so many vectors."""
    return f"""#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#define NOINLINE __attribute__((noinline))
enum {{ W = {width}, SPACE = W * 8, SIZE = (W + 4) * W * 8 }};
static _Alignas(64) char buffer[2 * SIZE + {2 * vectors} * SPACE];
static void show(const char *name, int n) {{
  uint64_t sum = 1469598103934665603u;
  for (unsigned long i = 0; i < sizeof(buffer); i++) sum = (sum ^ (unsigned char)buffer[i]) * 1099511628211u;
  printf("%s %d %016llx\\n", name, n, (unsigned long long)sum);
}}
"""


def fill(name, value):
    """A function that fills them with numbers of a type: an expression over the position `i`."""
    return f"""static void fill_{name.replace(' ', '_')}(void) {{
  {name} *all = (void *)buffer;
  memset(buffer, 0, sizeof(buffer));
  for (long i = 0; i < (long)(sizeof(buffer) / sizeof(*all)); i++) all[i] = ({name})({value});
}}"""


def program(head, fills, functions, sizes):
    """The program that calls each function with each size."""
    calls = [f"  call_{function.name}({n});" for function in functions for n in sizes]
    parts = [head, *fills, *(function.text() for function in functions)]
    return "\n".join([*parts, "int main(void) {", *calls, "  return 0;", "}", ""])
