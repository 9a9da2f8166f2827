//! Why code stays as it is.

use super::analysis::Basis;
use super::candidate::Order;
use super::options::Options;
use super::ranking::{gains_for_large_sizes, stays};
use super::realize::Realized;
use std::fmt;

/// Why the code of a region is best left as it is, as far as its machine's description tells.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Unprofitable {
    /// The name of the machine.
    pub machine: String,
    /// What the original order was compared with.
    pub best_alternative: Option<BestAlternative>,
    /// It was compared with a lower bound on what any order costs, and that alone.
    pub bound_alone: bool,
    /// Another order is expected to gain for larger sizes than those that are known.
    pub for_large_sizes: bool,
    /// A loop could run in parallel, but has too little work to pay for starting threads.
    pub short: bool,
}

/// The best other order, in the units of [`crate::cost::cost`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct BestAlternative {
    /// The cost of the original order.
    pub original: u64,
    /// The cost of the other.
    pub other: u64,
}

impl Unprofitable {
    /// Why the candidate that was chosen, with the code of the original order, is best; nothing for a tree or a
    /// candidate that the user gave.
    pub(super) fn of(options: &Options, chosen: &Realized, ranked: &[Realized], basis: &Basis) -> Option<Self> {
        // Nothing was compared.
        if chosen.candidate().order == Order::Loaded || options.candidate.is_some() {
            return None;
        }
        let others = ranked.iter().filter(|other| !other.is_original());
        let other = |other| BestAlternative { original: chosen.cost, other };
        let best_alternative = others.map(|realized| other(realized.cost));
        Some(Unprofitable {
            machine: options.machine.name.clone(),
            best_alternative: best_alternative.min_by_key(|best| best.other).filter(|_| chosen.is_original()),
            bound_alone: basis.original_is_best(),
            for_large_sizes: stays(chosen) && gains_for_large_sizes(ranked),
            short: chosen.too_little_work,
        })
    }
}

impl Unprofitable {
    /// The reason, without the name of the machine.
    pub fn reason(&self) -> String {
        let mut reason = match self.best_alternative {
            _ if self.bound_alone => "no other order can be expected to save a quarter of the time".to_owned(),
            _ if self.for_large_sizes => "another order gains for larger sizes only (size-versions=false)".to_owned(),
            Some(BestAlternative { original, other }) if other > original => {
                let tenths = other.saturating_mul(10) / original.max(1);
                format!("another order is expected to take {}.{}x its time", tenths / 10, tenths % 10)
            }
            Some(_) => "no other order is expected to save a tenth of the time".to_owned(),
            None => "no other order was found, and no tiles or threads that gain".to_owned(),
        };
        if self.short {
            reason.push_str(", its loops have too little work for threads");
        }
        reason
    }
}

impl fmt::Display for Unprofitable {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} (machine: {})", self.reason(), self.machine)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reasons_name_the_machine_and_the_best_alternative() {
        let reason = |best_alternative, short| {
            let machine = "M".to_owned();
            let (bound_alone, for_large_sizes) = (false, false);
            Unprofitable { machine, best_alternative, bound_alone, for_large_sizes, short }.to_string()
        };
        let best_alternative = |other| Some(BestAlternative { original: 20, other });
        assert_eq!(reason(best_alternative(27), false), "another order is expected to take 1.3x its time (machine: M)");
        assert_eq!(
            reason(best_alternative(20), false),
            "no other order is expected to save a tenth of the time (machine: M)"
        );
        let short = "no other order was found, and no tiles or threads that gain, its loops have too little work for \
                     threads (machine: M)";
        assert_eq!(reason(None, true), short);
        assert!(reason(Some(BestAlternative { original: 0, other: 5 }), false).contains(" 5.0x "));
        let with = |bound_alone, for_large_sizes| {
            let machine = "M".to_owned();
            Unprofitable { machine, best_alternative: None, bound_alone, for_large_sizes, short: false }.to_string()
        };
        assert!(with(true, false).starts_with("no other order can be expected to save a quarter"));
        assert!(with(false, true).starts_with("another order gains for larger sizes only"));
    }
}
