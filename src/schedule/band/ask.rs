//! What problems ask of distances (ppcg report, section 6.5.5).

/// What is asked of the distance over an edge.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Ask {
    /// Not negative: (36), (37).
    NonNegative,
    /// Not positive.
    NonPositive,
    /// At most the bound: (41), (42).
    Bounded,
    /// Its negative is at most the bound.
    BoundedBelow,
}

impl Ask {
    /// The distance's sign in the form that is not negative, and whether the bound is added.
    pub fn form(self) -> (i64, bool) {
        match self {
            Ask::NonNegative => (1, false),
            Ask::NonPositive => (-1, false),
            Ask::Bounded => (-1, true),
            Ask::BoundedBelow => (1, true),
        }
    }
}
