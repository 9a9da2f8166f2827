//! Lines of memory.

use crate::machine::Machine;

/// The size of what memory hands over at once. Where lines begin is not known; see `lines.rs`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Line {
    /// The size in bytes.
    pub bytes: u32,
}

impl Line {
    /// The lines of a machine.
    pub fn of(machine: &Machine) -> Self {
        Line { bytes: machine.line_bytes }
    }
}

impl Default for Line {
    /// Those of [`Machine::generic`].
    fn default() -> Self {
        Line::of(&Machine::generic())
    }
}
