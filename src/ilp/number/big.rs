//! Arbitrary precision: slow, and never too narrow.

use super::{Number, Overflow, RowRef, Scaled};
use num_bigint::{BigInt, Sign};
use num_integer::Integer as _;
use std::cmp::Ordering;

impl Number for BigInt {
    /// A number has memory of its own, and its digits are multiplied and divided with those of others of about the same
    /// size.
    fn weight(&self) -> u64 {
        let words = 1 + BigInt::bits(self) / 64;
        60 + 4 * words * words
    }

    fn zero() -> BigInt {
        BigInt::ZERO
    }

    fn one() -> BigInt {
        BigInt::from(1)
    }

    fn from_i64(value: i64) -> BigInt {
        BigInt::from(value)
    }

    fn from_big(value: &BigInt) -> Option<BigInt> {
        Some(value.clone())
    }

    fn to_big(&self) -> BigInt {
        self.clone()
    }

    fn to_i64(&self) -> Option<i64> {
        i64::try_from(self).ok()
    }

    fn sign(&self) -> Ordering {
        match BigInt::sign(self) {
            Sign::Minus => Ordering::Less,
            Sign::NoSign => Ordering::Equal,
            Sign::Plus => Ordering::Greater,
        }
    }

    fn bits(_: &[BigInt]) -> u32 {
        0
    }

    fn norm(_: &[BigInt]) -> u32 {
        0
    }

    fn dot(row: RowRef<'_, BigInt>, vector: &[BigInt], _: u32) -> Result<BigInt, Overflow> {
        Ok(row.index.iter().zip(row.coefficient).map(|(&i, a)| a * &vector[i as usize]).sum())
    }

    fn subtract(out: &mut [BigInt], x: Scaled<'_, BigInt>, y: Scaled<'_, BigInt>) -> Result<u32, Overflow> {
        let mut divisor = BigInt::ZERO;
        for (z, (a, b)) in out.iter_mut().zip(x.vector.iter().zip(y.vector)) {
            *z = x.factor * a - y.factor * b;
            divisor = divisor.gcd(z);
        }
        if divisor > BigInt::from(1) {
            for z in out {
                *z /= &divisor;
            }
        }
        Ok(0)
    }

    fn compare_products(a: &BigInt, b: &BigInt, c: &BigInt, d: &BigInt) -> Result<Ordering, Overflow> {
        Ok((a * b).cmp(&(c * d)))
    }

    fn lowest_terms(a: &BigInt, b: &BigInt) -> Result<(BigInt, BigInt), Overflow> {
        let divisor = a.gcd(b);
        Ok((a / &divisor, b / &divisor))
    }

    fn negated(&self) -> Result<BigInt, Overflow> {
        Ok(-self)
    }

    fn minus_product(&self, a: &BigInt, b: &BigInt) -> Result<BigInt, Overflow> {
        Ok(self - a * b)
    }

    fn div_floor(&self, divisor: &BigInt) -> BigInt {
        num_integer::Integer::div_floor(self, divisor)
    }

    fn is_multiple_of(&self, divisor: &BigInt) -> bool {
        num_integer::Integer::is_multiple_of(self, divisor)
    }
}
