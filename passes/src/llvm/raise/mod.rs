//! Regions of LLVM IR to the affine dialect.
//!
//! A canonical clone is read as plain data; everything else works on that and knows no LLVM. Loops and conditions are
//! recovered from branches, and the longest runs of them are searched that can be raised, after early rejection found
//! nothing that is clear without isl. One run is described exactly: where loops go, when conditions hold, what is
//! accessed. Its arrays get shapes, its function is written, and with it the function that says when that may run
//! instead of the original. [`splice`](super::splice) then puts calls of new code in the place of regions.
//!
//! | file | what |
//! |---|---|
//! | [`read`] | LLVM IR to plain data |
//! | [`code`] | the function as plain data, its numbers, and its integers as scalar evolution has them |
//! | [`structure`] | loops and conditions instead of branches; where a run of them starts and ends |
//! | [`affine`] | early rejection, description, exact integers, conditions, assumptions |
//! | [`delinearize`] | shapes of arrays, subscripts, footprints |
//! | [`emit`] | the text of the function and of its check at run time |
//! | [`region`] | one region, from nodes to text: the steps in order |
//! | [`search`] | the longest runs that can be raised |
//! | [`names`] | what users call the arguments of a raised function |
//! | [`refusal`] | why something is left as it is |
//!
//! A file imports none that imports it (`tests/core/import_cycles.rs`); the table is in the order that they may use
//! each other, but that `search` uses `region`.
//!
//! # Why the new code does what the original does
//!
//! *Poison.* A value from outside that is poison, or undefined, is frozen before the region: the new code sees one
//! number `x` in its place. The original may be taken to see the same number wherever it looks at the value at all
//! (that is a refinement of it), and a branch or an access that depends on poison is undefined. So flags of
//! instructions and of SCEVs can be relied on: where one is broken, whatever depends on it does not run, or all is
//! undefined. Ranges cannot: `x` need not be in the value's range, and what follows from a range (extents, what arrays
//! hold, what is left of the check) is used of the whole region. So a range counts only for values that are neither
//! undefined nor poison ([`region::Oracle::is_certain`]); for others on which some fact relied it is a part of the
//! check ([`affine::assumptions::Assumptions::confirm`]).
//!
//! *Offsets.* LLVM computes them modulo 2^64. Where all indices of an address are exact numbers (their operations do
//! not wrap around, or the program is undefined) and all of its steps are `inbounds`, the polynomial is the offset
//! itself, an object has less than 2^63 bytes, and so different numbers are different places
//! ([`affine::describe::Access::exact`]). For any other array the offset behind its last element is known or checked to
//! be at most 2^60 bytes, and no subscript is negative: no offset in between wraps around. Extents other than the first
//! are at most 2^31 - 1, known or checked, and subscripts other than the first are known or checked to be within them.
//!
//! *Subscripts of fewer bits.* `A[i * n + j]` with numbers of 32 bits without sign is `zext` of a polynomial modulo 2^32.
//! Where that is at least 0 and below 2^32, it is the number itself, whichever of the polynomials that are congruent is
//! taken; below 2^31 for `sext`. That is not assumed, since it is no affine condition, but follows from the elements: no
//! subscript is negative, so no offset is, and the greatest element that the region accesses is checked to be no further out
//! than where the number is 2^32 - 1 ([`affine::congruent::Congruent::reach`]). That is so for offsets that are a positive
//! multiple of the number and a constant less than the multiple. Of any other offset the number is only a part: it gets
//! a shape as an array of bytes has it, all of the above holds for that array, and its greatest element is checked to be below
//! 2^32 ([`delinearize::arrays::Part`]). Footprints are of all iterations of an access, whatever conditions on data it is
//! under. Bounds of loops and conditions are not taken so.
//!
//! *The number of rows.* `poly-schedule` takes it that no array has 2^60 elements along a dimension. Inner dimensions
//! are shorter, as said. Rows of 8 bytes or more are less than 2^60 in an object of less than 2^63 bytes, where
//! offsets are exact; those of shorter ones are known to be few by the ranges of the values that bound them, or
//! checked: at most 2^60 bytes. So a loop of 2^60 iterations runs in its original form if it accesses anything that
//! is smaller.
//!
//! *Overlap.* Two arrays of which one is written are known to be apart, or the check compares the bytes from the least
//! to the greatest element that the region accesses of each ([`delinearize::footprint`]). An array of which nothing is
//! accessed for the values at hand overlaps nothing. The new code accesses the elements that the original does, and no
//! others. Of an array whose offsets are exact, the elements lie in one object, which does not wrap around; of any
//! other the end is checked to be an address, at most 2^64.
//!
//! *Rows behind pointers.* `a[i][j]` is described as an element of an array that starts where row zero does, `spacing` elements
//! for each row further on ([`affine::rows`]). Both are found before the region by a function ([`emit::rows`]). That loads
//! pointers which the region loads, and nothing else, but only if the values from outside are none of those for which the
//! original has to run, whatever the rows are, and the conditions hold under which the original loads them. Sets of rows
//! with divisions, multiples of rows, or conditions that are left out are refused, so that these are the pointers that are
//! loaded, exactly. Offsets of pointers need not be exact: a pointer is loaded from `step * row` bytes behind the first one,
//! modulo 2^64, and each row is known or checked to be from 0 to 2^40. Where an offset is not exact, the end of the table is
//! checked to be an address, by the function before it loads and by the check.
//! Where the program may stop for a reason that only the check knows (errors of numbers that are no
//! polynomials of degree one, what is assumed not to change), there are no rows.
//! Nothing of the region writes to the table, or the check fails. So wherever the check holds, each pointer is `start + i *
//! spacing` modulo 2^64; the rest is that of an array whose offsets are not exact. What is loaded may be undefined where
//! nothing is accessed, and is frozen: it may let the check fail. The rows may be objects of their own, and the start is to
//! be a pointer to all of them: LLVM is not to see which row it was computed from, so the function that finds it does not
//! come in line, and its result goes through an empty piece of assembly.
//!
//! *Errors.* The new code has none, so the check says that there is none in any iteration that the region may run, whatever
//! conditions on data are around it: what the original writes before an error, all of the original writes. The number of a
//! checked access that is a sum of products ([`affine::limit`]) is known modulo 2^64. It lies in the shape of an array as
//! offsets do, no subscript is negative, and the number behind the last element is checked to be no greater than the limit, which
//! is less than 2^63: so each number is that of the program, and below the limit, with sign or without.
//!
//! *What is assumed not to change.* Of a loop in two versions ([`code::function::Versions`]) the first one has what is loaded before
//! it, where the second one loads it in each iteration. It is raised as a whole or not at all, all that is loaded before it counts
//! as an array of one element that is not written, and alias analysis is not asked about that. Where the check holds, no store
//! of the region writes any of it, so each iteration of the second version would load what was loaded before, and both do
//! the same. Where it does not, the second version runs. Nothing that the first one says of itself is used elsewhere, as
//! control never gets there.
//!
//! *Arithmetic of the function.* It has 64 bits. Subscripts are small where something is accessed. Bounds of loops and
//! conditions are differences of two numbers of the program, which may have 65 bits: what does not fit wherever it is
//! computed is left to the original ([`affine::fits`]). Products must not wrap around in MLIR, those of subscripts
//! neither.
//!
//! *Arithmetic of the check.* It has 128 bits, and what wraps around is no poison. Values have 64 bits, coefficients
//! at most 40, and a polynomial 64 products at most: bounds on subscripts are less than 2^112. Where an array is
//! accessed, subscripts are not negative, the first one is checked to be at most 2^40 (or known by ranges), and
//! others are less than 2^31, since they are kept within their extents; so what is computed from them is exact. A
//! stride is less than 2^62, or a product of two extents, less than 2^31 each, and of less than 2^20 bytes. So
//! offsets are less than 2^124, and the sums of all subscripts less than 2^126, which stands for an array of which
//! nothing is accessed. Bounds with divisions are checked to have 63 bits. Where nothing is accessed, though the
//! conditions of a corner hold (they are of a rational projection), its numbers are of no use and may be any; they
//! can only make the check fail, or another corner be further out.

mod affine;
mod code;
mod delinearize;
mod emit;
mod names;
mod read;
mod refusal;
mod region;
mod search;
mod structure;
#[cfg(test)]
mod tests;

use std::collections::{BTreeMap, BTreeSet};

use polyrs_core::isl::Moment;
use polyrs_host::raw as host;
use polyrs_interface::Outlook;

use super::analysis::Analysis;
use super::annotation::Annotations;
use super::ir::Location;
use super::options::LlvmOptions;
use super::raised::{RaiseRefusal, Raised};

pub use affine::polynomial::Symbol;
pub use code::function::Type;
use code::ids::LoopId;
pub use code::ids::{BlockId, ValueId};
pub use delinearize::shape::Stride;
pub use emit::emitter::StandIn;
pub use read::instruction::type_of;
pub use read::reader::{Errno, Reading, read};
pub use refusal::Reason;
pub use region::{Argument, RowsCall, Site};
pub use structure::nodes::ControlNode;

use affine::describe::Description;
use code::function::{Action, Code, Source};
use delinearize::arrays::Array;
use names::{Origin, names, origin};
use refusal::Obstacle;
use region::{Layouts, Oracle, RaisedRegion};
use search::Wanted;
use structure::members::blocks_of_loops;

/// Raises the regions of a clone. `explain`: somebody wants to know what is in the way of single loops, too. Nothing is
/// begun after the deadline.
pub fn raise_function<'f>(
    analysis: &Analysis<'_>,
    reading: &Reading<'f>,
    annotations: &Annotations,
    options: &LlvmOptions,
    explain: bool,
    deadline: Option<Moment>,
) -> Vec<Result<Raised<'f>, RaiseRefusal<'f>>> {
    let oracle = Llvm { analysis, reading, annotations };
    let least = if annotations.is_empty() { options.least() } else { options.least().min(Outlook::Row) };
    let wanted = Wanted { least, shown: explain || options.dump_raised };
    let mut found = search::search(&reading.code, &analysis.original().name(), wanted, deadline, &oracle);
    keep_causes(&mut found, &reading.code, wanted);
    let mut results = Vec::new();
    for one in found {
        match one {
            // The clone is to be the same whoever looks on, so nothing is done about it.
            Ok(region) if !wanted.takes(&region) => {
                options.show_raised(&region.name, &region.text);
                let location = reading.blocks[region.site.nodes[0].block(&reading.code).0].location();
                let reason = Reason::of_unwanted(region.outlook);
                results.push(Err(RaiseRefusal { location, reason, depth: 1, is_unwanted: true }));
            }
            Ok(region) => results.push(Ok(raised(reading, region))),
            Err(obstacle) if explain => {
                let location = location(reading, &obstacle);
                let (reason, depth) = (obstacle.reason, reading.code.depth(obstacle.block));
                results.push(Err(RaiseRefusal { location, reason, depth, is_unwanted: false }));
            }
            Err(_) => {}
        }
    }
    results
}

/// Leaves out obstacles in what is raised in spite of them, as the search tries longer runs first, those that are in the way
/// of a nest once more, and that a loop is alone where something else is in the way of more.
fn keep_causes(found: &mut Vec<Result<RaisedRegion, Obstacle>>, code: &Code, wanted: Wanted) {
    let taken = found.iter().flatten().filter(|region| wanted.takes(region));
    let taken: BTreeSet<BlockId> = taken.flat_map(|region| blocks_of_loops(code, &region.site.nodes)).collect();
    let nest =
        |block: BlockId| std::iter::successors(code.blocks[block.0].around, |inner| code.loops[inner.0].parent).last();
    let is_small = |reason: &Reason| matches!(reason, Reason::Idle | Reason::Single | Reason::Row);
    let causes: BTreeSet<Option<LoopId>> = found
        .iter()
        .filter_map(|one| one.as_ref().err().filter(|obstacle| !is_small(&obstacle.reason)))
        .map(|obstacle| nest(obstacle.block))
        .collect();
    let mut said = BTreeSet::new();
    found.retain(|one| {
        let Err(Obstacle { reason, block, .. }) = one else { return true };
        let nest = nest(*block);
        let is_covered = nest.is_some() && is_small(reason) && causes.contains(&nest);
        // Code between nests is no cause where they are taken one by one.
        let is_told = match nest {
            None => !taken.is_empty(),
            Some(_) => taken.contains(block) || !said.insert((nest, reason.to_string())),
        };
        !is_covered && !is_told
    });
}

fn raised<'f>(reading: &Reading<'f>, region: RaisedRegion) -> Raised<'f> {
    let location = reading.location(&region.site.nodes);
    let RaisedRegion { site, text, name, checked, assured, annotated, outlook, calls } = region;
    let calls = calls.into_iter().map(|call| call.with_call(|call| reading.values[call.0])).collect();
    Raised { text, name, checked, assured, annotated, outlook, site, calls, location }
}

/// LLVM's answers about a clone.
struct Llvm<'a, 'f, 'm> {
    analysis: &'a Analysis<'m>,
    reading: &'a Reading<'f>,
    annotations: &'a Annotations,
}

impl Oracle for Llvm<'_, '_, '_> {
    fn are_apart(&self, one: &Array, other: &Array, description: &Description) -> bool {
        are_apart(self.analysis, self.reading, one, other, description)
    }

    fn is_certain(&self, value: ValueId, block: BlockId) -> bool {
        let (value, block) = (self.reading.values[value.0], self.reading.blocks[block.0]);
        // SAFETY: the analysis is alive and fresh; value and block are of its function.
        unsafe { host::polyHostLlvmIsCertain(self.analysis.raw(), value.raw(), block.raw()) }
    }

    fn dies(&self, base: ValueId, accesses: &[ValueId], around: Option<LoopId>) -> bool {
        let raw = |value: ValueId| self.reading.values[value.0].raw();
        let accesses: Vec<_> = accesses.iter().map(|value| raw(*value)).collect();
        let header = around.map(|number| self.reading.code.loops[number.0].header);
        let header = header.map_or(std::ptr::null_mut(), |block| self.reading.blocks[block.0].raw());
        // SAFETY: the analysis is alive and fresh; values and block are of its function.
        unsafe { host::polyHostLlvmDies(self.analysis.raw(), raw(base), accesses.as_ptr(), accesses.len(), header) }
    }

    fn layouts(&self, arguments: &[Argument]) -> Layouts {
        if self.annotations.is_empty() {
            return Layouts::default();
        }
        let origins: Vec<Origin> =
            arguments.iter().map(|argument| origin(self.analysis.function(), self.reading, argument)).collect();
        let mut annotated = Vec::new();
        let mut of_arguments = BTreeMap::new();
        for (number, origin) in origins.iter().enumerate() {
            if let (Origin::Parameter { number: parameter, .. }, Argument::Array(..)) = (origin, &arguments[number])
                && let Some(texts) = self.annotations.of_parameters.get(parameter)
            {
                annotated.push(*parameter);
                of_arguments.insert(number, texts.join("\n"));
            }
        }
        let texts = &self.annotations.of_function;
        let text = (!texts.is_empty()).then(|| texts.join("\n"));
        Layouts { text, of_arguments, annotated, names: names(&origins, self.annotations.hidden) }
    }
}

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
    let stores = |value: ValueId| reading.code.instruction(value).is_some_and(|it| it.action.stores());
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
        let Source::Computed(instruction) = &value.source else { return None };
        let same = instruction.location.is_some() && instruction.location == obstacle.location;
        same.then(|| raw.instruction().map(super::ir::Instruction::location))?
    });
    exact.unwrap_or_else(|| block.location())
}
