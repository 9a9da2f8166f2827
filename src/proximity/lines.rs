//! From elements to lines (the unified report, 4.1).
//!
//! An array's rows are cut into lines of `C` elements, as many as fit the machine's line: the last subscript `a`
//! becomes `floor(a / C)`, the number of the line. The report rounds to zero, which would make the line around zero nearly
//! twice as long as others and relate elements further apart than `C`; rounded down, all lines are alike, and shifting
//! all subscripts by `C` changes nothing.
//!
//! A number stands for those elements of its line that the region touches, so that nothing outside the array is meant.
//! (The report says the same with the elements themselves, and has to cut off the others.)
//!
//! Scalars have no line: they may not be in memory at all.

use super::line::Line;
use super::subscripts::to_i32;
use crate::isl::{DimType, Map, MultiAff, Result, Space, Val};
use crate::scop::Array;

impl Line {
    /// How many elements of an array are in a line. `None`: not more than one, or the array is a scalar, so that no
    /// other element is near.
    pub fn elements(self, array: &Array) -> Option<u32> {
        let elements = self.bytes / array.element.bytes().max(1);
        (array.rank() > 0 && elements > 1).then_some(elements)
    }
}

/// From an array's elements to their lines, `{ A[a] -> A[a'] }`, for the space `{ A[a] }` of an array that is no
/// scalar.
pub(super) fn lines(elements: Space, per_line: u32) -> Result<Map> {
    let last = to_i32(elements.dim(DimType::SET)?.saturating_sub(1));
    let identity = MultiAff::identity(elements.map_from_set()?)?;
    let size = Val::int(identity.ctx(), i64::from(per_line))?;
    let number = identity.at(last)?.scale_down(size)?.floor()?;
    identity.set_at(last, number)?.as_map()
}
