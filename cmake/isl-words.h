/* Included in isl_int_sioimath.c by isl-meter.sh.
 *
 * isl computes with numbers of 31 bits itself and leaves all others to imath, whose greatest common divisor shifts and subtracts numbers of any
 * length. Most of the others are bounds of types and a few times that, which fit two words: their divisors are found here.
 */

/* What a division costs, of a word and of two, as numbers of isl-cells.h. */
#define WORD_DIVISION 3
#define TWO_WORDS_DIVISION 16

typedef unsigned __int128 two_words;

/* The magnitude of "number"; 0 if it does not fit two words. */
static int words_of(isl_sioimath number, two_words *magnitude)
{
	int32_t small;
	mp_int big;
	mp_size i;

	if (isl_sioimath_decode_small(number, &small)) {
		*magnitude = small < 0 ? -(int64_t) small : small;
		return 1;
	}
	isl_sioimath_decode_big(number, &big);
	if (big->used * sizeof(mp_digit) > sizeof(two_words))
		return 0;
	*magnitude = 0;
	for (i = big->used; i > 0; --i)
		*magnitude = *magnitude << 8 * sizeof(mp_digit) | big->digits[i - 1];
	return 1;
}

/* Sets "dst" to the greatest common divisor of "lhs" and "rhs"; 0, with nothing set, if one of them does not fit two words, or it a word. */
static int gcd_of_words(isl_sioimath_ptr dst, isl_sioimath lhs, isl_sioimath rhs)
{
	two_words dividend, divisor, remainder;

	if (!words_of(lhs, &dividend) || !words_of(rhs, &divisor))
		return 0;
	while (divisor) {
		isl_cells += dividend > UINT64_MAX || divisor > UINT64_MAX ? TWO_WORDS_DIVISION : WORD_DIVISION;
		remainder = dividend % divisor;
		dividend = divisor;
		divisor = remainder;
	}
	if (dividend > INT64_MAX)
		return 0;
	isl_sioimath_set_int64(dst, dividend);
	return 1;
}
