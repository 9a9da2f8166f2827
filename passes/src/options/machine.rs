//! The option `machine`: what is known of the machine that code is made for.

use polyrs_core::machine::{Choice, ENVIRONMENT, Machine};

use super::value::{OptionError, Values, option};
use polyrs_host::OptionRow;

/// The option, for every pass and pipeline whose choices depend on the machine.
pub const MACHINE: OptionRow = option(
    "machine",
    "host|generic|FILE",
    "",
    "What is known of the machine: detected, assumed, or read from a file (default: what POLYRS_MACHINE says, or else host)",
);

/// Reads the option.
///
/// # Errors
/// A file that cannot be read or is no description.
pub fn machine(values: &Values) -> Result<Machine, OptionError> {
    let (option, choice) = match values.optional("machine") {
        Some(text) => ("machine", Choice::of(&text)),
        None => (ENVIRONMENT, Choice::of_environment()),
    };
    choice.load().map_err(|error| OptionError::File { option: option.to_owned(), problem: error.to_string() })
}
