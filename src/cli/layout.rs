//! `polyrs layout`.

use crate::choices::Choices;
use crate::failure::Failure;
use crate::input::{Input, Quota, read};
use crate::output::print;
use clap::{Args, ValueEnum};
use polyrs::driver::{Joint, in_some_order};
use polyrs::isl::Schedule;
use polyrs::layout::{Error, Field, Layout, Redistribution, Transfer};
use polyrs::scop::Scop;
use std::fmt::Write;

/// Give arrays of a region another layout
///
/// A map says where elements are while the region runs: `map(inout: C(i, j) -> (0, i/32, j/64, i%32, j%64))`, with in,
/// out, inout or none for what is copied before and after. Numbers tell fields apart, other dimensions are indices;
/// `pad N` makes one longer, `align N` up to a multiple. `expand(sum, 2)` gives an array or a value a place for each
/// iteration of the 2 outermost loops around it. `contract(A)` keeps as much of an array as is alive at a time, in the
/// region's order or else in one that is found for it; `contract(A, all)` in any order; `contract(none: A(i, j) -> (i%3, j))`
/// as the map says. `before S2: map(redist: A(i, j) -> (j, i))` gives an array another layout from a place at the top level
/// on, just before the outermost loop that begins with S2, and `redist: A -> original` the program's own. `reduce(C, 8)` gathers what is added up in C in 8 partial results first, so
/// that iterations run in parallel, where the order of the operations may be changed. `keep(p, 64)` has 64 iterations of the outermost
/// loop copy what they read of rows of p that they overwrite. What comes out is a region, proved to compute the same, that other commands read:
/// `polyrs layout gemm.scop --map '...' | polyrs codegen -`. With --auto the maps are those that seem to cost least,
/// together with the schedule for them; --what=choice lists what was compared.
#[derive(Debug, Args)]
pub struct LayoutCommand {
    #[command(flatten)]
    input: Input,
    /// A map of an array
    #[arg(long = "map", value_name = "MAP", required_unless_present_any = ["maps", "auto"])]
    map: Vec<String>,
    /// A file of maps
    #[arg(long, value_name = "FILE", conflicts_with = "map")]
    maps: Option<String>,
    /// Choose the maps
    #[arg(long, conflicts_with_all = ["map", "maps"])]
    auto: bool,
    /// What to print
    #[arg(long, value_enum, default_value_t = What::Region)]
    what: What,
    #[command(flatten)]
    choices: Choices,
    #[command(flatten)]
    quota: Quota,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum What {
    /// The region with its new arrays and copies
    Region,
    /// Sizes and accesses in one field of memory
    Linear,
    /// The same as nested structures
    Nested,
    /// The maps themselves; with --auto all that were scheduled, with their predicted costs, best first
    Choice,
}

impl LayoutCommand {
    /// Runs the command.
    pub fn run(&self) -> Result<(), Failure> {
        let scop = self.input.read()?;
        if self.auto {
            return print(&self.chosen(&scop)?);
        }
        let (name, text) = match &self.maps {
            Some(file) => (file.as_str(), read(file)?),
            None => ("--map", self.map.join("\n")),
        };
        let failure = |error: Error| match error {
            Error::Directive(error) | Error::Alive(error) => Failure::Input(format!("error: {name}:{error}")),
            other => Failure::Failed(format!("error: {other}")),
        };
        let options = self.choices.bounded(&self.quota)?;
        let read = |order: Option<&Schedule>| match order {
            None => Layout::parse(&scop, &text),
            Some(order) => Layout::parse_in_order(&scop, &text, order),
        };
        let shown = || {
            let layout = in_some_order(&scop, &options, &read)?;
            let applied = layout.apply(&scop)?;
            applied.check(&scop)?;
            self.show(&scop, &layout, &applied.scop)
        };
        print(&scop.ctx().with_quota(self.quota.operations(), || shown().map_err(failure))?)
    }

    /// What the joint search chose.
    fn chosen(&self, scop: &Scop) -> Result<String, Failure> {
        let found = self.choices.optimize_jointly(scop, &self.quota)?;
        if self.what == What::Choice {
            return Ok(list(&found));
        }
        let failure = |error: Error| Failure::Failed(format!("error: {error}"));
        match found.relaid {
            None => Ok(scop.to_text()?),
            Some(relaid) => self.show(scop, &relaid.layout, &relaid.applied.scop).map_err(failure),
        }
    }

    fn show(&self, scop: &Scop, layout: &Layout, applied: &Scop) -> Result<String, Error> {
        let has_others = !layout.expansions.is_empty() || !layout.partial_sums.is_empty() || !layout.kept.is_empty();
        let expanded = if has_others { ARRAYS_OF_THEIR_OWN } else { "" };
        Ok(match self.what {
            What::Region => applied.to_text()?,
            What::Linear => format!("{}{expanded}", fields(scop, layout, &|field| field.linear())?),
            What::Nested => format!("{}{expanded}", fields(scop, layout, &|field| field.nested())?),
            What::Choice => format!("{}\n", layout.to_text(scop)?),
        })
    }
}

/// The fields of each place that has any.
fn fields(scop: &Scop, layout: &Layout, shown: &dyn Fn(&Field<'_>) -> String) -> Result<String, Error> {
    let mut text = String::new();
    // What has another layout at the end is not copied from the first.
    let mut maps = layout.maps.clone();
    for map in &mut maps {
        let is_here = |one: &Redistribution| {
            one.back.contains(&map.array) || one.maps.iter().any(|later| later.array == map.array)
        };
        if layout.redistributions.iter().any(is_here) {
            map.transfer = if map.transfer.is_in() { Transfer::In } else { Transfer::None };
        }
    }
    if !maps.is_empty() {
        text += &shown(&Field::of(scop, &maps)?);
    }
    for one in &layout.redistributions {
        let _ = writeln!(text, "// Before {}", scop.statement(one.before).name);
        for array in &one.back {
            let _ = writeln!(text, "// {} is where the program has it", scop.arrays[*array].name);
        }
        if !one.maps.is_empty() {
            text += &shown(&Field::of(scop, &one.maps)?);
        }
    }
    if !layout.redistributions.is_empty() {
        text +=
            "// Behind the region redistributed arrays are copied from the layout that they have then: --what=region\n";
    }
    Ok(text)
}

/// Fields are about maps.
const ARRAYS_OF_THEIR_OWN: &str =
    "// expand(...), reduce(...) and keep(...) make arrays of their own, which --what=region shows\n";

/// The layouts that were scheduled, a line each, the one that was taken marked with `*`.
fn list(found: &Joint) -> String {
    let mut text = String::new();
    for one in &found.considered {
        let mark = if one.is_chosen { '*' } else { ' ' };
        let maps = if one.maps.is_empty() { "as it is" } else { &one.maps };
        let refused = one.refused.as_ref().map_or(String::new(), |why| format!(" (refused: {why})"));
        let _ = writeln!(text, "{mark} {:>12} {maps}{refused}", one.cost);
    }
    text
}
