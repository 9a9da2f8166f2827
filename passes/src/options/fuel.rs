//! The environment variable `POLYRS_FUEL=N`: only the first N regions that have better code get it, so that the one at
//! fault can be found by bisection (docs/debugging.md).
//!
//! It is no option of a pass: options are for a function or a module, and what is counted is all that a process does.

use std::ffi::OsStr;
use std::sync::atomic::{AtomicU64, Ordering};

use super::value::{OptionError, number};

/// Its name.
pub const FUEL: &str = "POLYRS_FUEL";

/// The regions that got new code so far, in this process.
static BURNT: AtomicU64 = AtomicU64::new(0);

/// How many regions may get new code.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Fuel {
    regions: u64,
}

impl Fuel {
    /// The number of the region that is to get new code now, counted from 1; `None` when the fuel is used up.
    pub fn burn(self) -> Option<u64> {
        self.burn_from(&BURNT)
    }

    fn burn_from(self, burnt: &AtomicU64) -> Option<u64> {
        let more = |known: u64| (known < self.regions).then_some(known + 1);
        burnt.fetch_update(Ordering::Relaxed, Ordering::Relaxed, more).ok().map(|known| known + 1)
    }
}

/// Reads the variable; `None` where it is not set.
///
/// # Errors
/// What is no whole number.
pub fn fuel() -> Result<Option<Fuel>, OptionError> {
    from(std::env::var_os(FUEL).as_deref())
}

fn from(value: Option<&OsStr>) -> Result<Option<Fuel>, OptionError> {
    let known = value.filter(|value| !value.is_empty()).map(OsStr::to_string_lossy);
    known.map(|value| Ok(Fuel { regions: number(FUEL, value.trim(), 0)? })).transpose()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_number_of_regions_may_change() {
        let fuel = from(Some(OsStr::new(" 2 "))).unwrap().unwrap();
        let burnt = AtomicU64::new(0);
        let regions: Vec<_> = (0..4).map(|_| fuel.burn_from(&burnt)).collect();
        assert_eq!(regions, [Some(1), Some(2), None, None]);
        assert_eq!(Fuel { regions: 0 }.burn_from(&AtomicU64::new(0)), None);
    }

    #[test]
    fn only_whole_numbers_are_read() {
        assert_eq!((from(None), from(Some(OsStr::new("")))), (Ok(None), Ok(None)));
        for value in ["all", "-1", "1.5", "99999999999999999999999"] {
            let refused = from(Some(OsStr::new(value))).unwrap_err().to_string();
            assert!(refused.contains(FUEL) && refused.contains(value), "{refused}");
        }
    }
}
