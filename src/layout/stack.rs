//! Which new arrays are on the stack.

use crate::isl;
use crate::scop::Array;

/// The bytes that a region's new arrays take on the stack at most, together: far fewer than packed tiles may have
/// ([`crate::footprint::PACKED_BYTES`]), as they stay until the function returns and need no cache.
const MOST_BYTES: u64 = 16 << 10;

/// New arrays begin at cache lines, of so many bytes.
const LINE: u64 = 64;

/// For each of a region's new arrays, whether it is on the stack, where there is one that does not grow: the first ones
/// of known sizes, as long as they are small together.
///
/// # Errors
/// Those of isl.
pub fn on_stack<'s>(arrays: impl IntoIterator<Item = &'s Array>) -> isl::Result<Vec<bool>> {
    let mut left = MOST_BYTES;
    let mut all = Vec::new();
    for array in arrays {
        let lines = array.known_bytes()?.and_then(|bytes| bytes.checked_next_multiple_of(LINE));
        let rest = lines.and_then(|bytes| left.checked_sub(bytes));
        left = rest.unwrap_or(left);
        all.push(rest.is_some());
    }
    Ok(all)
}
