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
