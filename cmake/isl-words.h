/* Included in isl_int_sioimath.c by isl-meter.sh.
 *
 * isl computes with numbers of 31 bits itself and leaves all others to imath, whose greatest common divisor shifts and subtracts numbers of any
 * length. Most of the others are bounds of types, which fit a word: their divisors are found here, for what LARGE_GCD says that they cost.
 */

/* The magnitude of "number", and how many digits it has for imath; 0 if it does not fit a word. */
static int word_of(isl_sioimath number, uint64_t *magnitude, unsigned *digits)
{
	int32_t small;
	mp_int big;
	mp_size i;

	if (isl_sioimath_decode_small(number, &small)) {
		*magnitude = small < 0 ? -(int64_t) small : small;
		*digits = 1;
		return 1;
	}
	isl_sioimath_decode_big(number, &big);
	if (big->used * sizeof(mp_digit) > sizeof(uint64_t))
		return 0;
	*magnitude = 0;
	for (i = big->used; i > 0; --i)
		*magnitude = *magnitude << 8 * sizeof(mp_digit) | big->digits[i - 1];
	*digits = big->used;
	return 1;
}

/* Sets "dst" to the greatest common divisor of "lhs" and "rhs"; 0, with nothing set, if one of them does not fit a word. */
static int gcd_of_words(isl_sioimath_ptr dst, isl_sioimath lhs, isl_sioimath rhs)
{
	uint64_t dividend, divisor, remainder;
	unsigned lhs_digits, rhs_digits;

	if (!word_of(lhs, &dividend, &lhs_digits) || !word_of(rhs, &divisor, &rhs_digits))
		return 0;
	while (divisor) {
		remainder = dividend % divisor;
		dividend = divisor;
		divisor = remainder;
	}
	if (dividend > INT64_MAX)
		return 0;
	isl_cells += LARGE_GCD(lhs_digits, rhs_digits);
	isl_sioimath_set_int64(dst, dividend);
	return 1;
}
