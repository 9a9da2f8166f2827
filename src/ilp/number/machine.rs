//! 64 and 128 bits.
//!
//! Each kernel has a way without checks, taken when the bits say that nothing can overflow, and a way with checks. With
//! 64 bits the latter computes in 128 and fails only if the reduced result does not fit.

use super::{Number, Overflow, RowRef, Scaled};
use num_bigint::BigInt;
use std::cmp::Ordering;

/// Vectors with at most that many bits are left as they are: looking for a common divisor costs more than it saves.
const NARROW: u32 = 20;

/// The kernels that both widths share; `$room` is the number of bits that the sum of two products may have.
macro_rules! machine {
    ($int:ty, $unsigned:ty, $room:expr, $gcd:ident) => {
        /// The greatest common divisor.
        fn $gcd(mut a: $unsigned, mut b: $unsigned) -> $unsigned {
            if a == 0 || b == 0 {
                return a | b;
            }
            let shift = (a | b).trailing_zeros();
            a >>= a.trailing_zeros();
            while b != 0 {
                b >>= b.trailing_zeros();
                if a > b {
                    std::mem::swap(&mut a, &mut b);
                }
                b -= a;
            }
            a << shift
        }

        impl Number for $int {
            #[inline]
            fn weight(&self) -> u64 {
                u64::from(<$int>::BITS / 64).pow(2)
            }

            #[inline]
            fn zero() -> $int {
                0
            }

            #[inline]
            fn one() -> $int {
                1
            }

            #[inline]
            fn from_i64(value: i64) -> $int {
                <$int>::from(value)
            }

            fn from_big(value: &BigInt) -> Option<$int> {
                <$int>::try_from(value).ok()
            }

            fn to_big(&self) -> BigInt {
                BigInt::from(*self)
            }

            #[inline]
            fn to_i64(&self) -> Option<i64> {
                i64::try_from(*self).ok()
            }

            #[inline]
            fn sign(&self) -> Ordering {
                self.cmp(&0)
            }

            fn bits(vector: &[$int]) -> u32 {
                width(vector.iter().fold(0, |all, &x| all | magnitude(x)))
            }

            fn norm(coefficients: &[$int]) -> u32 {
                let sum = coefficients.iter().try_fold(0, |sum: $unsigned, x| sum.checked_add(x.unsigned_abs()));
                sum.map_or(<$unsigned>::BITS + 1, |sum| <$unsigned>::BITS - sum.leading_zeros())
            }

            #[inline]
            fn dot(row: RowRef<'_, $int>, vector: &[$int], bits: u32) -> Result<$int, Overflow> {
                if row.norm + bits > $room + 1 {
                    return checked_dot(row, vector);
                }
                let mut sum: $int = 0;
                for (&i, &a) in row.index.iter().zip(row.coefficient) {
                    sum = sum.wrapping_add(a.wrapping_mul(vector[i as usize]));
                }
                Ok(sum)
            }

            #[inline]
            fn subtract(out: &mut [$int], x: Scaled<'_, $int>, y: Scaled<'_, $int>) -> Result<u32, Overflow> {
                let (p, c) = (*x.factor, *y.factor);
                let room = $room;
                if width(magnitude(p)) + x.bits > room || width(magnitude(c)) + y.bits > room {
                    return checked_subtract(out, p, x.vector, c, y.vector);
                }
                let mut all = 0;
                let both = x.vector.iter().zip(y.vector);
                match (p, c) {
                    (1, 1) => {
                        for (z, (&x, &y)) in out.iter_mut().zip(both) {
                            *z = x.wrapping_sub(y);
                            all |= magnitude(*z);
                        }
                    }
                    (1, -1) => {
                        for (z, (&x, &y)) in out.iter_mut().zip(both) {
                            *z = x.wrapping_add(y);
                            all |= magnitude(*z);
                        }
                    }
                    (1, _) => {
                        for (z, (&x, &y)) in out.iter_mut().zip(both) {
                            *z = x.wrapping_sub(c.wrapping_mul(y));
                            all |= magnitude(*z);
                        }
                    }
                    _ => {
                        for (z, (&x, &y)) in out.iter_mut().zip(both) {
                            *z = p.wrapping_mul(x).wrapping_sub(c.wrapping_mul(y));
                            all |= magnitude(*z);
                        }
                    }
                }
                let bits = width(all);
                if bits <= NARROW {
                    return Ok(bits);
                }
                let mut divisor = 0;
                for &z in out.iter() {
                    if z != 0 {
                        divisor = $gcd(z.unsigned_abs(), divisor);
                        if divisor == 1 {
                            return Ok(bits);
                        }
                    }
                }
                // The bits leave no room for an entry that is the type's least number, so the divisor has a positive
                // sign.
                let divisor = divisor as $int;
                for z in out.iter_mut() {
                    *z /= divisor;
                }
                Ok(Self::bits(out))
            }

            fn lowest_terms(a: &$int, b: &$int) -> Result<($int, $int), Overflow> {
                if *a == 1 || *b == 1 || *b == -1 {
                    return Ok((*a, *b));
                }
                // The first is positive, so the divisor fits.
                let divisor = $gcd(a.unsigned_abs(), b.unsigned_abs()) as $int;
                Ok((a / divisor, b / divisor))
            }

            fn compare_products(a: &$int, b: &$int, c: &$int, d: &$int) -> Result<Ordering, Overflow> {
                compare_products((*a, *b), (*c, *d))
            }

            fn negated(&self) -> Result<$int, Overflow> {
                self.checked_neg().ok_or(Overflow)
            }

            fn minus_product(&self, a: &$int, b: &$int) -> Result<$int, Overflow> {
                a.checked_mul(*b).and_then(|product| self.checked_sub(product)).ok_or(Overflow)
            }

            fn div_floor(&self, divisor: &$int) -> $int {
                // For a positive divisor the Euclidean quotient is the one rounded down.
                self.div_euclid(*divisor)
            }

            fn is_multiple_of(&self, divisor: &$int) -> bool {
                *divisor == 1 || self % divisor == 0
            }
        }
    };
}

mod narrow {
    use super::*;

    const ROOM: u32 = 61;

    #[inline]
    fn magnitude(x: i64) -> u64 {
        (x ^ (x >> 63)) as u64
    }

    #[inline]
    fn width(x: u64) -> u32 {
        u64::BITS - x.leading_zeros()
    }

    #[cold]
    fn checked_dot(row: RowRef<'_, i64>, vector: &[i64]) -> Result<i64, Overflow> {
        let mut sum = 0i128;
        for (&i, &a) in row.index.iter().zip(row.coefficient) {
            let product = i128::from(a) * i128::from(vector[i as usize]);
            sum = sum.checked_add(product).ok_or(Overflow)?;
        }
        i64::try_from(sum).map_err(|_| Overflow)
    }

    /// One entry of `p·x − c·y`. Each product is at most 2^126, so nothing overflows.
    #[inline]
    fn entry(p: i64, x: i64, c: i64, y: i64) -> i128 {
        i128::from(p) * i128::from(x) - i128::from(c) * i128::from(y)
    }

    #[cold]
    fn checked_subtract(out: &mut [i64], p: i64, x: &[i64], c: i64, y: &[i64]) -> Result<u32, Overflow> {
        let mut divisor = 0u128;
        for (&x, &y) in x.iter().zip(y) {
            divisor = super::gcd_128(entry(p, x, c, y).unsigned_abs(), divisor);
            if divisor == 1 {
                break;
            }
        }
        let divisor = i128::try_from(divisor).map_err(|_| Overflow)?.max(1);
        for (z, (&x, &y)) in out.iter_mut().zip(x.iter().zip(y)) {
            *z = i64::try_from(entry(p, x, c, y) / divisor).map_err(|_| Overflow)?;
        }
        Ok(i64::bits(out))
    }

    #[inline]
    fn compare_products((a, b): (i64, i64), (c, d): (i64, i64)) -> Result<Ordering, Overflow> {
        Ok((i128::from(a) * i128::from(b)).cmp(&(i128::from(c) * i128::from(d))))
    }

    machine!(i64, u64, ROOM, gcd_64);
}

mod wide {
    use super::*;

    const ROOM: u32 = 125;

    #[inline]
    fn magnitude(x: i128) -> u128 {
        (x ^ (x >> 127)) as u128
    }

    #[inline]
    fn width(x: u128) -> u32 {
        u128::BITS - x.leading_zeros()
    }

    fn checked_dot(row: RowRef<'_, i128>, vector: &[i128]) -> Result<i128, Overflow> {
        row.index.iter().zip(row.coefficient).try_fold(0i128, |sum, (&i, &a)| {
            a.checked_mul(vector[i as usize]).and_then(|product| sum.checked_add(product)).ok_or(Overflow)
        })
    }

    fn checked_subtract(_: &mut [i128], _: i128, _: &[i128], _: i128, _: &[i128]) -> Result<u32, Overflow> {
        Err(Overflow)
    }

    fn compare_products((a, b): (i128, i128), (c, d): (i128, i128)) -> Result<Ordering, Overflow> {
        match (a.checked_mul(b), c.checked_mul(d)) {
            (Some(left), Some(right)) => Ok(left.cmp(&right)),
            _ => Err(Overflow),
        }
    }

    machine!(i128, u128, ROOM, gcd_wide);

    /// The greatest common divisor, for 64 bits with wider products.
    pub(super) fn gcd(a: u128, b: u128) -> u128 {
        gcd_wide(a, b)
    }
}

use wide::gcd as gcd_128;
