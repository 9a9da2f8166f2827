//! The trial of code at small parameter values, before it takes the place of a region.
//!
//! The proof of a schedule ends at its tree. What makes code of the tree is a library that is seldom wrong, and has been (`isl/stride.rs`);
//! to prove the code as well ([`crate::check::relift`]) takes several times as long as all other steps. To run it where the region is
//! small takes milliseconds, and shows what is wrong for all sizes, or for most.
//!
//! Parameters are tried at a few sizes, as large as the work allows. A region whose sizes are constants is tried as it is, if it is small.

use super::{Error, Machine, Report, small_parameters};
use crate::codegen::Ast;
use crate::scop::Scop;
use std::collections::BTreeMap;

/// The least parameter values that are tried.
const SIZES: [u32; 3] = [3, 6, 20];

/// The steps of the interpreter at one size (see [`Machine::new`]).
const STEPS: u64 = 8_000;

/// What a trial found.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Trial {
    /// The code did what the region does, at so many sizes. None is tried where the region is too large at all of them, or unbounded.
    Same(usize),
    /// The code does something else: what, and at which parameter values.
    Different(String),
}

/// Runs code that should run each instance of a region at small parameter values.
pub fn trial(scop: &Scop, ast: &Ast) -> Trial {
    let mut tried: Vec<BTreeMap<String, i64>> = Vec::new();
    for (i, least) in SIZES.into_iter().enumerate() {
        let Ok(Some(parameters)) = small_parameters(scop, least.into()) else { break };
        if tried.contains(&parameters) {
            continue;
        }
        let Ok(machine) = Machine::new(scop, &parameters, STEPS) else { break };
        match machine.first_difference(ast) {
            Ok(Some(difference)) => return Trial::Different(difference + &place(&parameters)),
            Ok(None) => tried.push(parameters),
            Err(error) if error.is_exhausted() => break,
            Err(error) => return Trial::Different(error.to_string() + &place(&parameters)),
        }
        // The next size is not begun where three loops in one another would take too long.
        let growth = SIZES.get(i + 1).map_or(0, |next| u64::from(next / least).pow(3));
        if machine.steps_taken() * growth > STEPS {
            break;
        }
    }
    Trial::Same(tried.len())
}

impl Machine<'_> {
    /// What the code does first that the original order does not; nothing where that one cannot be run.
    fn first_difference(&self, ast: &Ast) -> Result<Option<String>, Error> {
        if self.reference().is_err() {
            return Err(Error::TooMuch(STEPS));
        }
        let Report { instances, values, .. } = self.compare_ast(ast)?;
        Ok(instances.iter().chain(&values).next().map(ToString::to_string))
    }
}

/// ` at n = 3, m = 4`; nothing without parameters.
fn place(parameters: &BTreeMap<String, i64>) -> String {
    let values: Vec<String> = parameters.iter().map(|(name, value)| format!("{name} = {value}")).collect();
    if values.is_empty() { String::new() } else { format!(" at {}", values.join(", ")) }
}
