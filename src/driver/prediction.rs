//! What a change is expected to bring.

use std::fmt;

/// What a change is expected to bring, in the units of [`crate::cost::cost`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Prediction {
    /// The cost of the original code.
    pub before: u64,
    /// The cost of the new code.
    pub after: u64,
}

impl Prediction {
    /// The new code takes so much less time that the original takes so many tenths of it at least.
    pub(super) fn gains(self, tenths: u64) -> bool {
        self.after.saturating_mul(tenths) <= self.before.saturating_mul(10)
    }
}

impl fmt::Display for Prediction {
    /// As a factor: `6.1x` is code that takes less than a sixth of the time.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let tenths = self.before.saturating_mul(10) / self.after.max(1);
        write!(f, "{}.{}x", tenths / 10, tenths % 10)
    }
}
