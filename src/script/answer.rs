//! What is answered to a command.

use super::dependence::Forbidding;
use serde::Serialize;

/// The version of what is answered as JSON (docs/try.md): it grows where a field changes its meaning, or goes.
pub const PROTOCOL: u32 = 1;

/// A loop, as it is listed.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct LoopEntry {
    /// Its name.
    pub name: String,
    /// What it runs over: `loop`, `tile`, `point`, `register`, `block` or `front`.
    pub kind: &'static str,
    /// How many loops are around it.
    pub depth: usize,
    /// The statements in it, in textual order.
    pub statements: Vec<String>,
    /// No two of its iterations touch the same memory, one of them to write it.
    pub independent: bool,
    /// Its iterations run at the same time.
    pub parallel: bool,
    /// The arrays that each of these has a copy of.
    pub private: Vec<String>,
    /// It makes vectors.
    pub vector: bool,
}

/// What is answered to a command.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Answer {
    /// [`PROTOCOL`].
    pub protocol: u32,
    /// The command, as it was written.
    pub command: String,
    /// It was done.
    pub accepted: bool,
    /// Why not.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
    /// What would help.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub help: Option<String>,
    /// The column of the command that is wrong, from 1.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub column: Option<usize>,
    /// The dependence that forbids it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub dependence: Option<Forbidding>,
    /// What the tree seems to cost, in the units of [`crate::cost::cost`].
    pub cost: u64,
    /// How many times faster than the original order that is, by the cost model.
    pub speedup: f64,
    /// What was asked for, as text.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub output: Option<String>,
    /// The loops of the tree; of steps, and of `show`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub loops: Option<Vec<LoopEntry>>,
}

/// `1.8 times faster than the original order`.
pub fn speedup_in_words(before: u64, after: u64) -> String {
    let tenths = |more: u64, less: u64| {
        let all = u128::from(more) * 10 / u128::from(less.max(1));
        format!("{}.{}", all / 10, all % 10)
    };
    let order = "the original order";
    match (tenths(before, after), tenths(after, before)) {
        (faster, _) if before > after && faster != "1.0" => format!("{faster} times faster than {order}"),
        (_, slower) if after > before && slower != "1.0" => format!("{slower} times slower than {order}"),
        _ => format!("as fast as {order}"),
    }
}

#[cfg(test)]
mod tests {
    use super::speedup_in_words;

    #[test]
    fn speedups_have_one_digit() {
        assert_eq!(speedup_in_words(180, 100), "1.8 times faster than the original order");
        assert_eq!(speedup_in_words(100, 250), "2.5 times slower than the original order");
        assert_eq!(speedup_in_words(100, 101), "as fast as the original order");
        assert_eq!(speedup_in_words(100, 100), "as fast as the original order");
        assert_eq!(speedup_in_words(0, 0), "as fast as the original order");
        assert_eq!(speedup_in_words(u64::MAX, 1), "18446744073709551615.0 times faster than the original order");
    }
}
