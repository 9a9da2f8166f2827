//! The trial of code at small parameter values, before it takes the place of a region.
//!
//! The proof of a schedule ends at its tree. What makes code of the tree is a library that is seldom wrong, and has
//! been (`isl/stride.rs`); to prove the code as well ([`crate::translation_validation`]) takes several times as long as
//! all other steps. To run it where the region is small takes milliseconds.
//!
//! It is a net, and no proof: parameters are tried at a few sizes, all small, then one after the other beyond a tile
//! while the others are small, as far as the work allows. A region of constant size is tried only if it is small.

use super::parameters::parameters_from;
use super::{Error, Interpreter, Report};
use crate::ast::Ast;
use crate::scop::Scop;
use std::collections::BTreeMap;

/// The least values of all parameters, one trial for each.
const SMALL: [i64; 2] = [3, 6];

/// The least value of one parameter, beyond the default tiles' extent of 32, where all others are small.
const LARGE: i64 = 35;

/// The parameters that are tried beyond a tile, at most.
const MOST_LARGE: usize = 3;

/// The steps of the interpreter at one size (see [`Interpreter::new`]).
const STEPS: u64 = 5_000;

/// Those at all of them.
const ALL_STEPS: u64 = 12_000;

/// How many times as many there are for code with kernels: each thread of a block goes through all loops, and all
/// elements of a tile are looked at, however small the arrays are.
const FOR_KERNELS: u64 = 2;

/// What a trial found.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Trial {
    /// The code did what the region does, at so many sizes at which there are instances. None is tried where the region
    /// is too large at all of them, or unbounded.
    Same(usize),
    /// The code does something else: what, and at which parameter values.
    Different(String),
}

/// Runs code that should run each instance of a region at small parameter values.
pub fn trial(scop: &Scop, ast: &Ast) -> Trial {
    let mut tried: Vec<BTreeMap<String, i64>> = Vec::new();
    let factor = if ast.root.has_kernel() { FOR_KERNELS } else { 1 };
    let (mut sizes, mut left) = (0, factor * ALL_STEPS);
    let count = scop.parameters().map_or(0, |names| names.len());
    for wish in wishes(count) {
        let Ok(Some(parameters)) = parameters_from(scop, [wish]) else { continue };
        if tried.contains(&parameters) {
            continue;
        }
        let bound = (factor * STEPS).min(left);
        if bound == 0 {
            break;
        }
        left -= bound;
        let Ok(interpreter) = Interpreter::new(scop, &parameters, bound) else { continue };
        match interpreter.first_difference(ast) {
            Ok(Some(difference)) => return Trial::Different(difference + &place(&parameters)),
            Ok(None) => sizes += usize::from(interpreter.instance_count() > 0),
            Err(error) if error.is_exhausted() => {}
            Err(error) => return Trial::Different(error.to_string() + &place(&parameters)),
        }
        left += interpreter.budget.left();
        tried.push(parameters);
    }
    Trial::Same(sizes)
}

/// The least values of so many parameters, for one trial after the other.
fn wishes(parameters: usize) -> impl Iterator<Item = Vec<i64>> {
    let small = SMALL.into_iter().map(move |least| vec![least; parameters]);
    let large = (0..parameters.min(MOST_LARGE)).map(move |which| {
        let mut wish = vec![SMALL[0]; parameters];
        wish[which] = LARGE;
        wish
    });
    small.chain(large)
}

impl Interpreter<'_> {
    /// What the code does first that the original order does not; nothing where that one cannot be run.
    fn first_difference(&self, ast: &Ast) -> Result<Option<String>, Error> {
        if self.reference().is_err() {
            return Err(Error::TooMuch(STEPS));
        }
        let Report { instances, values, faults, .. } = self.compare_ast(ast)?;
        let fault = faults.first().map(ToString::to_string);
        Ok(instances.first().map(ToString::to_string).or(fault).or(values.first().map(ToString::to_string)))
    }
}

/// ` at n = 3, m = 4`; nothing without parameters.
fn place(parameters: &BTreeMap<String, i64>) -> String {
    let values: Vec<String> = parameters.iter().map(|(name, value)| format!("{name} = {value}")).collect();
    if values.is_empty() { String::new() } else { format!(" at {}", values.join(", ")) }
}
