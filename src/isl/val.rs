//! Exact rational values and tuples of them.

use super::{Ctx, Error, Result, Set, Space, ValList};
use std::ffi::{c_long, c_void};

object! {
    /// An exact rational number, an infinity or NaN.
    Val, isl_val_copy, isl_val_free, isl_val_to_str
}

parse! { Val = isl_val_read_from_str; }

methods! { Val:
    /// The number is an integer.
    fn is_int(&self) -> bool = isl_val_is_int;
    /// The number is zero.
    fn is_zero(&self) -> bool = isl_val_is_zero;
    /// The value is NaN.
    fn is_nan(&self) -> bool = isl_val_is_nan;
    /// The value is plus infinity.
    fn is_infty(&self) -> bool = isl_val_is_infty;
    /// The value is minus infinity.
    fn is_neginfty(&self) -> bool = isl_val_is_neginfty;
    /// -1, 0 or 1.
    fn sgn(&self) -> i32 = isl_val_sgn;
    /// The sum.
    fn add(self, other: Val) -> Val = isl_val_add;
    /// The product.
    fn mul(self, other: Val) -> Val = isl_val_mul;
    /// The negated value.
    fn neg(self) -> Val = isl_val_neg;
    /// Less than.
    fn lt(&self, other: &Val) -> bool = isl_val_lt;
    /// Less than or equal.
    fn le(&self, other: &Val) -> bool = isl_val_le;
    /// The denominator as a value.
    fn den(&self) -> Val = isl_val_get_den_val;
}

impl Val {
    /// An integer.
    pub fn int(ctx: &Ctx, value: i64) -> Result<Self> {
        unsafe extern "C" {
            fn isl_val_int_from_si(ctx: *mut c_void, i: c_long) -> *mut c_void;
        }
        // SAFETY: the context is alive.
        super::macros::Ret::from_raw(unsafe { isl_val_int_from_si(ctx.ptr(), value) }, ctx)
    }

    /// The value as an `i64`.
    ///
    /// # Errors
    /// When it is not an integer or does not fit.
    pub fn to_i64(&self) -> Result<i64> {
        let value = self.to_i128()?;
        i64::try_from(value).map_err(|_| Error::invalid(format!("{self} does not fit 64 bits")))
    }

    /// The value as an `i128`.
    ///
    /// # Errors
    /// When it is not an integer or does not fit.
    pub fn to_i128(&self) -> Result<i128> {
        self.to_string().parse().map_err(|_| Error::invalid(format!("{self} is no integer of 128 bits")))
    }
}

object! {
    /// A tuple of values in a space.
    MultiVal, isl_multi_val_copy, isl_multi_val_free, isl_multi_val_to_str
}

parse! { MultiVal = isl_multi_val_read_from_str; }

methods! { MultiVal:
    /// The tuple with all values zero in a (set) space.
    new zero(space: Space) = isl_multi_val_zero;
    /// The tuple of these values in a (set) space.
    new from_val_list(space: Space, values: ValList) = isl_multi_val_from_val_list;
    /// The number of values.
    fn size(&self) -> usize = isl_multi_val_size;
    /// The value at a position.
    fn at(&self, position: i32) -> Val = isl_multi_val_get_at;
    /// The tuple with the value at a position replaced.
    fn set_at(self, position: i32, value: Val) -> MultiVal = isl_multi_val_set_at;
    /// The space.
    fn space(&self) -> Space = isl_multi_val_get_space;
}

methods! { Set:
    /// The least value of each dimension, parameters free (minus infinity where unbounded).
    fn dim_min_val(self, position: i32) -> Val = isl_set_dim_min_val;
    /// The greatest value of each dimension, parameters free (infinity where unbounded).
    fn dim_max_val(self, position: i32) -> Val = isl_set_dim_max_val;
}
