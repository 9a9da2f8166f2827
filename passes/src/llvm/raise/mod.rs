//! Regions of LLVM IR to the affine dialect.
//!
//! [`read`] turns a canonical clone into plain data, [`code::Code`]; everything else but [`place`] works on that and knows no
//! LLVM. [`structure`] recovers loops and conditions from branches. [`search`] looks for the longest runs of them that can
//! be raised, after [`survey`] found nothing that is clear without isl. For one run, [`describe`] says exactly where loops go, when conditions hold and what is accessed, with
//! [`exact`] for integers that wrap around in LLVM and must not in the affine dialect; [`shape`] and [`arrays`] find the
//! shapes of arrays; [`emit`] writes the function, [`check`] the function that says when that may run instead of the
//! original. [`place`] then prepares the clone: blocks are split at the ends of the region, and what is used behind it goes
//! through the stack.

mod action;
mod arrays;
mod body;
mod check;
mod code;
mod condition;
mod describe;
mod dominance;
mod emit;
mod exact;
mod facts;
mod host;
mod needed;
mod place;
mod polynomial;
mod read;
mod refusal;
mod region;
mod search;
mod shape;
mod structure;
mod survey;
mod term;
mod text;

use std::time::Instant;

use super::analysis::Analysis;
use super::ir::Location;
use super::options::LlvmOptions;
use super::raised::{Raised, Refusal};

use arrays::Array;
use code::{Action, ValueId};
use describe::Description;
use place::Placer;
use read::{Reading, read};
use refusal::{Obstacle, Reason};
use search::Singles;

/// Raises the regions of a clone, in the order in which they stand in it. May change the clone in ways that keep its
/// meaning. `explain`: somebody wants to know what is in the way of single loops, too. Nothing is begun after
/// the deadline.
pub fn raise_function<'f>(
    analysis: &'f Analysis<'_>,
    options: &LlvmOptions,
    explain: bool,
    deadline: Option<Instant>,
) -> Vec<Result<Raised<'f>, Refusal<'f>>> {
    let reading = read(analysis);
    let apart =
        |one: &Array, other: &Array, description: &Description| are_apart(analysis, &reading, one, other, description);
    let singles = match options.single_loops {
        true => Singles::Raised,
        false if explain || options.dump_raised => Singles::Shown,
        false => Singles::Left,
    };
    let found = search::search(&reading.code, &analysis.original().name(), singles, deadline, &apart);
    let mut results = Vec::new();
    let mut regions = Vec::new();
    for one in found {
        match one {
            // The clone is to be the same whoever looks on, so nothing is prepared for it.
            Ok(region) if region.single && singles == Singles::Shown => {
                options.show_raised(&region.name, &region.text);
                let location = reading.blocks[region.nodes[0].block(&reading.code).0].location();
                results.push(Some(Err(Refusal { location, reason: Reason::Single.to_string() })));
            }
            Ok(region) => {
                regions.push((results.len(), region));
                results.push(None);
            }
            Err(obstacle) if explain => {
                let location = location(&reading, &obstacle);
                results.push(Some(Err(Refusal { location, reason: obstacle.reason.to_string() })));
            }
            Err(_) => {}
        }
    }
    let mut placer = Placer::new(analysis, reading);
    for (position, region) in regions {
        results[position] = placer.place(&region).map(Ok);
    }
    results.into_iter().flatten().collect()
}

/// Whether LLVM knows that no two accesses to two arrays touch the same memory.
fn are_apart(
    analysis: &Analysis<'_>,
    reading: &Reading<'_>,
    one: &Array,
    other: &Array,
    description: &Description,
) -> bool {
    const PAIRS: usize = 4096;
    if one.accesses.len().saturating_mul(other.accesses.len()) > PAIRS {
        return false;
    }
    // A scope that starts in the region starts again in each iteration, and promises nothing for several.
    let hint = |value: &ValueId| matches!(reading.code.instruction(*value).map(|it| &it.action), Some(Action::Hint));
    let scoped = !description.inside.iter().any(hint);
    let raw = |value: ValueId| reading.values[value.0].raw();
    let stores = |value: ValueId| matches!(reading.code.instruction(value).map(|it| &it.action), Some(Action::Store));
    one.accesses.iter().all(|left| {
        other.accesses.iter().filter(|right| stores(*left) || stores(**right)).all(|right| {
            // SAFETY: the analysis is alive and fresh; the values are of its function.
            unsafe {
                let base = raw(one.base);
                let other_base = raw(other.base);
                host::polyHostLlvmDisjoint(analysis.raw(), base, raw(*left), other_base, raw(*right), scoped)
            }
        })
    })
}

/// Where an obstacle is, as debug information has it.
fn location<'f>(reading: &Reading<'f>, obstacle: &Obstacle) -> Location<'f> {
    let Some(block) = reading.blocks.get(obstacle.block.0) else { return Location::unknown() };
    let exact = reading.code.values.iter().zip(&reading.values).find_map(|(value, raw)| {
        let code::Source::Computed(instruction) = &value.source else { return None };
        let same = instruction.place.is_some() && instruction.place == obstacle.place;
        same.then(|| raw.instruction().map(super::ir::Instruction::location))?
    });
    exact.unwrap_or_else(|| block.location())
}
