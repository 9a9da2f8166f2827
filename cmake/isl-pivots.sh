# Sourced by the site files, in the folder where isl is configured: makes isl count pivots as isl-pivots.h says.
if test -f isl_tab.c && ! grep -q 'next_pivot(ctx' isl_tab.c; then
    sed -i -e '/^#include <bset_from_bmap.c>/r '"$(dirname "$CONFIG_SITE")/isl-pivots.h" \
        -e 's/if (isl_ctx_next_operation(ctx) < 0)/if (next_pivot(ctx, tab, row, col) < 0)/' isl_tab.c
    if test "$(grep -c 'next_pivot(' isl_tab.c)" != 2; then
        echo 'isl_tab.c is not as isl-pivots.sh expects it' >&2
        exit 1
    fi
fi
