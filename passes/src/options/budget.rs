//! The option `time-budget-ms`: how much processor time a region may take.

use std::ffi::OsStr;
use std::time::Duration;

use super::value::{OptionError, Values, number, option};
use polyrs_host::OptionRow;

/// The environment variable with another default, for machines that are slow.
const ENVIRONMENT: &str = "POLYRS_TIME_BUDGET_MS";

/// Ten minutes: counted budgets end within seconds, on any machine.
const DEFAULT_MS: u64 = 600_000;

/// The option's name.
const NAME: &str = "time-budget-ms";

/// The option.
pub const BUDGET: OptionRow = option(
    NAME,
    "N",
    "",
    "Leave a region alone when it takes longer than this (default: what POLYRS_TIME_BUDGET_MS says, or else 600000)",
);

/// Reads the option.
///
/// # Errors
/// A value that is no whole number, or zero.
pub fn budget(values: &Values) -> Result<Duration, OptionError> {
    from(values, std::env::var_os(ENVIRONMENT).as_deref())
}

fn from(values: &Values, environment: Option<&OsStr>) -> Result<Duration, OptionError> {
    let known = environment.filter(|value| !value.is_empty()).map(OsStr::to_string_lossy);
    let milliseconds = match (values.optional(NAME), known) {
        (Some(_), _) => values.number(NAME, 1)?,
        (None, Some(value)) => number(ENVIRONMENT, value.trim(), 1)?,
        (None, None) => DEFAULT_MS,
    };
    Ok(Duration::from_millis(milliseconds))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_option_counts_more_than_the_environment() {
        let read = |option: &str, environment: Option<&str>| {
            let values = Values::new([(NAME.to_owned(), option.to_owned())]);
            from(&values, environment.map(OsStr::new))
        };
        let of = Duration::from_millis;
        assert_eq!((read("", None), read("", Some(""))), (Ok(of(600_000)), Ok(of(600_000))));
        assert_eq!((read("", Some(" 77 ")), read("5", Some("77"))), (Ok(of(77)), Ok(of(5))));
        let refused = read("", Some("soon")).unwrap_err().to_string();
        assert!(refused.contains(ENVIRONMENT) && refused.contains("'soon'"), "{refused}");
        assert!(read("0", None).unwrap_err().to_string().contains(NAME));
    }
}
