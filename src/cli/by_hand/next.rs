//! What to do after a line.

/// What to do after a line.
pub enum Next {
    /// Read on.
    More,
    /// End.
    Quit,
}
