# Sourced by the site files, in the folder where isl is configured: makes isl count its work as isl-pivots.h and isl-cells.h say, and its
# memory as isl-memory.h says. Corrects what cannot be corrected from outside (src/isl/corrected.rs has the other corrections).
#
# isl's build goes on whatever goes wrong here, so one function has a name that tells the version of these files, as src/isl/build.rs finds it:
# where isl was built by other ones, or none, nothing links.

# stop REASON: there is no isl.
stop() {
    echo "isl-meter.sh: $1 (cargo clean --release -p isl-rs)" >&2
    exit 1
}

# change FILE COUNT TEXT SED-ARGUMENTS...: puts isl-cells.h in front of isl's own file, and changes so many lines, which then have the text.
change() {
    file=$1 count=$2 text=$3
    shift 3
    if ! test -f "$file.own"; then
        ! grep -q 'isl_cells\|pivot_weight' "$file" || stop "another version of this has changed $file"
        cp "$file" "$file.new" && mv "$file.new" "$file.own" || stop "$file cannot be copied"
    fi
    { cat "$here/isl-cells.h" && sed "$@" "$file.own"; } > "$file.new" || stop "$file cannot be changed"
    test "$(grep -c "$text" "$file.new")" = "$count" || stop "$file is not as expected"
    mv "$file.new" "$file" || stop "$file cannot be replaced"
}

meter() {
    digest=$(cd "$here" && cat isl-cells.h isl-memory.h isl-meter.sh isl-pivots.h isl-settle.c isl-small.h isl-vertex.h isl-words.h | cksum | cut -d ' ' -f 1)
    test "$digest" || stop "there is no cksum"

    cells='s/^\t\tfor .*/\t\tpivot_cells(mat->row[i], mat->row[row], off + col, off + tab->n_col);/'
    # The loop of isl_tab_pivot over the columns of a row becomes a call.
    change isl_tab.c 4 'next_pivot(\|pivot_cells(' -e '/^#include <bset_from_bmap.c>/r '"$here/isl-pivots.h" \
        -e 's/if (isl_ctx_next_operation(ctx) < 0)/if (next_pivot(ctx, tab, row, col) < 0)/' \
        -e '/^\t\tisl_int_mul(mat->row\[i\]\[0\], mat/,/^\t\t}$/{/^\t\tfor /!{/^\t\tisl_int_mul/!d;};'"$cells"';}'

    # detect_mod: where a constraint says 0 <= m i + m n e - f < m and i has at most n values, i is a remainder modulo n. isl accepts i if it
    # has at most m values; with m > n that drops iterations, as tile loops that meet strides have it (src/codegen/tests/random.rs).
    # A point that shows a set not to be empty is often there before it is looked for.
    change isl_map.c 2 'data->n, &data->sum);\|= vertex_or_sample(bset);' -e '/^#include <set_from_map.c>$/r '"$here/isl-vertex.h" \
        -e '/^static isl_bool detect_mod(/,/^}/{/data->pos, v_div,$/{n;s/data->m,/data->n,/}}' \
        -e '/^isl_bool isl_basic_map_is_empty(/,/^}/s/isl_basic_set_sample_vec(bset)/vertex_or_sample(bset)/'

    # isl's own programs and tests, 26 of its 109 object files, are not made.
    sed 's/^PROGRAMS = $(noinst_PROGRAMS)$/PROGRAMS =/' Makefile.in > Makefile.in.new && mv Makefile.in.new Makefile.in \
        && grep -qx 'PROGRAMS =' Makefile.in || stop 'Makefile.in is not as expected'

    cp "$here/isl-memory.h" . && sed 's/^DEFAULT_INCLUDES = .*/& -include isl-memory.h/' Makefile.in > Makefile.in.new \
        && mv Makefile.in.new Makefile.in && grep -q '^DEFAULT_INCLUDES = .*isl-memory.h' Makefile.in || stop 'Makefile.in is not as expected'

    # Functions of rows, by their length; twice that where two rows go in.
    one='clr\|set\|set_si\|neg\|cpy\|sub\|submul\|addmul\|scale\|scale_down\|cdiv_q\|fdiv_q\|fdiv_r\|eq\|cmp'
    one="$one"'\|first_non_zero\|last_non_zero\|abs_min_non_zero\|gcd\|lcm\|hash'
    # No number other than 0 is less than 1 or -1: nothing is looked for any more then.
    break='s/^\t\t\tmin = i;/\t\t\tif (isl_int_is_unit(p[min = i]))\n\t\t\t\tbreak;/'
    change isl_seq.c 25 'isl_cells +=\|isl_int_is_unit(' -e '/^[a-z].* isl_seq_\('"$one"'\)(/,/^{/s/^{/{\n\tisl_cells += len;/' \
        -e '/^[a-z].* isl_seq_\(combine\|inner_product\)(/,/^{/s/^{/{\n\tisl_cells += 2 * len;/' \
        -e '/^int isl_seq_abs_min_non_zero(/,/^}/{s/^\tfor (.*/\tif (isl_int_is_unit(p[min]))\n\t\treturn min;\n&/;'"$break"';}'

    change isl_dim_map.c 1 'isl_cells +=' \
        -e '/^static void copy_constraint_dim_map(/,/^{/s/^{/{\n\tisl_cells += dim_map->len;/'

    change imath/imath.c 5 'isl_cells +=' \
        -e 's/^mp_result mp_int_\(add\|sub\)(mp_int a, mp_int b, .*{$/&\n  isl_cells += LARGE_SUM(MP_USED(a), MP_USED(b));/' \
        -e 's/^mp_result mp_int_\(mul\|div\)(mp_int a, mp_int b, .*{$/&\n  isl_cells += LARGE_PRODUCT(MP_USED(a), MP_USED(b));/' \
        -e 's/^mp_result mp_int_gcd(mp_int a, mp_int b, .*{$/&\n  isl_cells += LARGE_GCD(MP_USED(a), MP_USED(b));/'

    # What these functions do with small numbers is done in line, and they are called for the others.
    slow='set\|set_si\|neg\|abs\|add\|sub\|mul\|addmul\|submul\|tdiv_q\|sgn\|cmp\|cmp_si\|abs_cmp'
    change isl_int_sioimath.h 41 '^CALLED inline\|^#define isl_int_.*isl_small_\|^IN_LINE int isl_int_is_unit(' \
        -e 's/^#include <isl\/hash.h>$/&\n#define CALLED __attribute__((noinline))/' \
        -e 's/^inline \(void\|int\) isl_sioimath_\('"$slow"'\)(/CALLED &/' \
        -e '/^typedef isl_sioimath isl_int\[1\];$/r '"$here/isl-small.h" \
        -e 's/^\(#define isl_int_.*\)isl_sioimath_\('"$slow"'\)(/\1isl_small_\2(/'

    change isl_int_sioimath.c 1 'if (gcd_of_words(' -e '/^#include <isl_int.h>$/r '"$here/isl-words.h" \
        -e '/^void isl_sioimath_gcd(/,/^}/s/^\timpz_gcd(.*/\tif (gcd_of_words(dst, lhs, rhs))\n\t\treturn;\n&/'

    # Last, since its name says that all of them were changed.
    sed "s/DIGEST/$digest/" "$here/isl-settle.c" > isl-settle.c || stop 'isl-settle.c cannot be written'
    next='/^int isl_ctx_next_operation(/,/^}/s/^\tif (ctx->abort) {/\tctx->operations += isl_cells \/ CELLS_PER_OPERATION;\n'
    may='s/isl_ctx_next_operation(ctx) < 0/isl_next_allocation(ctx,'
    change isl_ctx.c 7 'isl_cells %=\|isl_cells = 0\|isl_next_allocation(ctx,' -e '/^#include <isl_options_private.h>$/r isl-settle.c' \
        -e "$next"'\tisl_cells %= CELLS_PER_OPERATION;\n&/' -e 's/^\tctx->operations = 0;/&\n\tisl_cells = 0;/' \
        -e "/^void .isl_\\(m\\|re\\)alloc_or_die(/,/^}/$may 1, size) < 0/" -e "/^void .isl_calloc_or_die(/,/^}/$may nmemb, size) < 0/"
}

# A compiler that knows these functions may call one that is not counted in place of another.
CFLAGS="$CFLAGS -fno-builtin-malloc -fno-builtin-calloc -fno-builtin-realloc -fno-builtin-free -fno-builtin-strdup"

if test -f isl_tab.c; then
    here=$(dirname "$CONFIG_SITE")
    # A process of its own, as configure has variables of these names.
    (meter) || exit 1
fi
