//! The edits that may make a region smaller.

use super::draft::Draft;
use super::notation::{constants, weaker, with_constant, with_value};
use polyrs::check::interpret::small_parameters;
use polyrs::isl::{self, Map, Set, UnionSet};
use polyrs::scop::Scop;
use std::ops::Range;

/// A list of which items may be dropped.
pub struct Part {
    /// How many items there are.
    pub count: fn(&Draft) -> usize,
    /// The region without some of them; what is beyond the end of the list is no item. `None` if that is no region.
    pub without: fn(&Draft, Range<usize>) -> Option<Draft>,
}

/// The lists, the most effective one first.
pub const PARTS: &[Part] = &[
    Part { count: |draft| draft.scop().statements.len(), without: without_statements },
    Part { count: access_count, without: without_accesses },
    Part { count: live_out_count, without: without_live_out },
];

/// The edit of a number, counted from 0: `None` behind the last one, `Some(None)` for one that leaves no region.
pub type Edit = fn(&Draft, usize) -> Option<Option<Draft>>;

/// Edits of single places.
pub const EDITS: &[Edit] = &[parameter, constraint, constant, remark];

fn without_statements(draft: &Draft, range: Range<usize>) -> Option<Draft> {
    let mut scop = draft.scop().clone();
    let end = range.end.min(scop.statements.len());
    scop.statements.drain(range.start.min(end)..end);
    // A region without statements is none.
    if scop.statements.is_empty() { None } else { Draft::of(scop) }
}

fn access_count(draft: &Draft) -> usize {
    draft.scop().statements.iter().map(|statement| statement.accesses.len()).sum()
}

fn without_accesses(draft: &Draft, range: Range<usize>) -> Option<Draft> {
    let mut scop = draft.scop().clone();
    let mut number = 0;
    for statement in &mut scop.statements {
        statement.accesses.retain(|_| {
            number += 1;
            !range.contains(&(number - 1))
        });
    }
    Draft::of(scop)
}

fn live_out_count(draft: &Draft) -> usize {
    draft.scop().live_out.n_set().unwrap_or(0)
}

fn without_live_out(draft: &Draft, range: Range<usize>) -> Option<Draft> {
    let mut scop = draft.scop().clone();
    let mut rest = UnionSet::empty(scop.context.space().ok()?).ok()?;
    for (number, set) in scop.live_out.set_list().ok()?.to_vec().ok()?.into_iter().enumerate() {
        if !range.contains(&number) {
            rest = rest.union(set.to_union_set().ok()?).ok()?;
        }
    }
    scop.live_out = rest;
    Draft::of(scop)
}

/// A parameter gets a small value.
fn parameter(draft: &Draft, number: usize) -> Option<Option<Draft>> {
    let names = draft.scop().parameters().ok()?;
    let name = names.get(number)?;
    let value = small_parameters(draft.scop(), 4).ok().flatten().and_then(|values| values.get(name).copied());
    Some(value.and_then(|value| Draft::of_text(&with_value(draft.text(), name, value))))
}

/// A set or relation loses a part or a constraint.
fn constraint(draft: &Draft, number: usize) -> Option<Option<Draft>> {
    let mut left = number;
    for place in places(draft.scop()) {
        let forms = weaker(&place.notation(draft.scop()));
        match forms.get(left) {
            Some(form) => {
                let mut scop = draft.scop().clone();
                return Some(place.replace(&mut scop, form).ok().and_then(|()| Draft::of(scop)));
            }
            None => left -= forms.len(),
        }
    }
    None
}

/// A constant becomes 1, half of what it is, or one less.
fn constant(draft: &Draft, number: usize) -> Option<Option<Draft>> {
    let old = *constants(draft.text()).get(number / 3)?;
    let new = [1, old / 2, old - 1][number % 3];
    Some(Draft::of_text(&with_constant(draft.text(), old, new)))
}

/// What is said of a statement goes: its text, its flags and its basic block.
fn remark(draft: &Draft, number: usize) -> Option<Option<Draft>> {
    let mut scop = draft.scop().clone();
    let statement = scop.statements.get_mut(number / 4)?;
    match number % 4 {
        0 => statement.text.clear(),
        1 => statement.side_effect = false,
        2 => statement.may_trap = false,
        _ => statement.block = None,
    }
    Some(Draft::of(scop))
}

/// A set or relation of a region.
#[derive(Clone, Copy)]
enum Place {
    Context,
    Domain(usize),
    Access(usize, usize),
    LiveOut,
}

fn places(scop: &Scop) -> Vec<Place> {
    let mut places = vec![Place::Context, Place::LiveOut];
    for (number, statement) in scop.statements.iter().enumerate() {
        places.push(Place::Domain(number));
        places.extend((0..statement.accesses.len()).map(|access| Place::Access(number, access)));
    }
    places
}

impl Place {
    fn notation(self, scop: &Scop) -> String {
        match self {
            Place::Context => scop.context.to_string(),
            Place::LiveOut => scop.live_out.to_string(),
            Place::Domain(statement) => scop.statements[statement].domain.to_string(),
            Place::Access(statement, access) => scop.statements[statement].accesses[access].relation.to_string(),
        }
    }

    fn replace(self, scop: &mut Scop, notation: &str) -> isl::Result<()> {
        let ctx = scop.ctx().clone();
        match self {
            Place::Context => scop.context = Set::parse(&ctx, notation)?,
            Place::LiveOut => scop.live_out = UnionSet::parse(&ctx, notation)?,
            Place::Domain(statement) => scop.statements[statement].domain = Set::parse(&ctx, notation)?,
            Place::Access(statement, access) => {
                scop.statements[statement].accesses[access].relation = Map::parse(&ctx, notation)?;
            }
        }
        Ok(())
    }
}
