//! How much is done at a time.

/// How many instances of a statement the innermost loop executes at a time, or how many elements a copy moves.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Width {
    /// One.
    Scalar,
    /// As many as a vector holds.
    Vector,
}

/// Loops that together run as often at most are unrolled by the compiler behind us: a window of three by three by three.
pub(super) const MOST_UNROLLED: u64 = 27;

/// The same for a body of so many instructions: LLVM unrolls what becomes 300 at most. Measured: a window of 7 by 7 is, one
/// of 9 by 9 is not.
pub(super) fn most_unrolled(instructions: u64) -> u64 {
    (300 / instructions.max(1)).max(MOST_UNROLLED)
}
