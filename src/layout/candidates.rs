//! The layouts that a search may choose from: for each array some maps of it alone, any of which goes with any of
//! another array (section 5; the paper tries the transpositions of a product's arrays).
//!
//! | map | for |
//! |---|---|
//! | another dimension last | rows along what loops walk along |
//! | what the last subscript leaves of its stride in front of all | arrays of structures |
//! | two dimensions skewed, so that an innermost loop that changes both walks along rows | wavefronts |
//! | partial results of a reduction, one for each thread | loops that gather values, run in parallel (Figure 11) |
//!
//! Dimensions that are short go in front, so that the long ones stay together; others keep their order. Rows begin at
//! lines, so that no vector is in two of them.

use super::Error;
use super::clause::{Clause, Clauses};
use super::expansion::Expansion;
use super::kept::Kept;
use super::legality::Moved;
use super::map::{Layout, Pad, Transfer, subscript_names};
use super::reduction::PartialSums;
use super::token::Place;
use crate::codegen::{Expr, IteratorId};
use crate::isl::{self, DimType, UnionSet};
use crate::proximity::Subscripts;
use crate::scop::{AccessKind, Array, ArrayKind, ElementKind, Scop, Statement, StatementId};
use num_integer::Integer;
use std::collections::BTreeMap;

/// Strides from this one on tell nothing about structures.
const LONGEST_STRUCTURE: i64 = 64;

/// So many successive iterations gather in one partial result where they walk along rows: what is read is read in stretches,
/// and what a vector has gathered is added up once for each. Loops of some ten thousand iterations are shared out evenly.
const BLOCK: i64 = 512;

/// Loops that lead further in a step are no reason to skew an array.
const LONGEST_DIRECTION: i64 = 4;

/// Arrays with more dimensions keep their layout.
const MOST_DIMENSIONS: usize = 6;

/// What may be done with an array.
#[derive(Debug, Clone)]
pub struct Choice {
    /// The array, by its position.
    pub array: usize,
    /// The dimensions that are last in some layout, the array's own included.
    pub last: Vec<usize>,
    /// Layouts of this array alone.
    pub layouts: Vec<Layout>,
    /// The one of them in which the innermost loop of an order that was found walks along rows that no dimension is.
    pub skewed: Option<usize>,
    /// For the array's own layout and for these, up to the skewed one: what is last.
    rows: Vec<Row>,
    /// The coefficients of the iterators in each reference, a row for each subscript.
    references: Vec<Vec<Vec<i64>>>,
}

/// What walks along the rows of a layout.
#[derive(Debug, Clone, Copy)]
struct Row {
    /// The dimension that is last.
    dimension: usize,
    /// A step of so many elements leads to the next one.
    step: i64,
}

impl Choice {
    /// The layout in which most references stay in place or walk along a row where an iterator changes, by the
    /// iterator's position in its statement; `None` if that is the array's own.
    pub fn best_along(&self, iterator: usize) -> Option<usize> {
        let is_across = |row: &Row, reference: &Vec<Vec<i64>>| {
            let moved = |dimension: usize| reference[dimension].get(iterator).copied().unwrap_or(0);
            let others = (0..reference.len()).filter(|dimension| *dimension != row.dimension);
            others.into_iter().any(|dimension| moved(dimension) != 0) || moved(row.dimension).abs() > row.step
        };
        let across = |row: &Row| self.references.iter().filter(|reference| is_across(row, reference)).count();
        let best = (0..self.rows.len()).min_by_key(|layout| across(&self.rows[*layout]));
        best.and_then(|layout| layout.checked_sub(1))
    }
}

/// The arrays of a region that may have another layout, with those that may be worth it, on a machine with such lines;
/// `directions`: how subscripts change along the innermost loops of an order that was found, by array.
///
/// # Errors
/// Those of isl.
pub fn choices(scop: &Scop, line_bytes: u32, directions: &BTreeMap<String, Vec<i64>>) -> isl::Result<Vec<Choice>> {
    let parameters = scop.context.space()?.dim_names(DimType::Param)?;
    let mut choices = Vec::new();
    for (position, array) in scop.arrays.iter().enumerate() {
        let has_layout = array.kind != ArrayKind::Scalar && array.element.kind != ElementKind::Other;
        if !has_layout || !(1..=MOST_DIMENSIONS).contains(&array.rank()) {
            continue;
        }
        let Some(references) = references(scop, array)? else { continue };
        let own = Row { dimension: array.rank() - 1, step: 1 };
        let mut choice = Choice {
            array: position,
            last: vec![own.dimension],
            layouts: Vec::new(),
            skewed: None,
            rows: vec![own],
            references: references.iter().map(Subscripts::matrix).collect(),
        };
        let alone = |line, address| {
            let clause = clause(array, position, line, address, &parameters);
            match Layout::of(scop, &parameters, Clauses { maps: vec![clause], ..Clauses::default() }, None) {
                Ok(layout) => layout.with_needed_copies(scop).map(Some),
                Err(Error::Isl(error)) => Err(error),
                // Some access has no place in it.
                Err(_) => Ok(None),
            }
        };
        for (row, address) in addresses(array, &references)? {
            if let Some(layout) = alone(elements_of_line(array, row, line_bytes)?, address)? {
                choice.last.push(row.dimension);
                choice.rows.push(row);
                choice.layouts.push(layout);
            }
        }
        let skewed = directions.get(&array.name).and_then(|direction| skewed_address(direction));
        if let Some(address) = skewed
            && let Some(layout) = alone(line_bytes / array.element.bytes().max(1), address)?
        {
            choice.skewed = Some(choice.layouts.len());
            choice.layouts.push(layout);
        }
        if !choice.layouts.is_empty() {
            choices.push(choice);
        }
    }
    Ok(choices)
}

impl Layout {
    /// Layouts of different arrays as one, without redistributions; each has a field of its own.
    ///
    /// # Errors
    /// Those of isl.
    pub fn joined<'a>(layouts: impl Iterator<Item = &'a Layout>) -> isl::Result<Option<Layout>> {
        let mut all: Option<Layout> = None;
        for one in layouts {
            all = Some(match all {
                None => one.clone(),
                Some(mut known) => {
                    known.maps.extend(one.maps.iter().cloned());
                    known.expansions.extend(one.expansions.iter().cloned());
                    known.partial_sums.extend(one.partial_sums.iter().cloned());
                    known.kept.extend(one.kept.iter().cloned());
                    known.order = known.order.or_else(|| one.order.clone());
                    known.sizes.extend(&one.sizes);
                    known.sizes.sort_unstable();
                    known.sizes.dedup();
                    Layout { moved: known.moved.and(&one.moved)?, ..known }
                }
            });
        }
        Ok(all)
    }

    /// For each array that iterations of some loops use anew, the layout that expands it along as many as that takes.
    ///
    /// # Errors
    /// Those of isl.
    pub fn expanding(scop: &Scop) -> isl::Result<Vec<Self>> {
        let mut layouts = Vec::new();
        for array in 0..scop.arrays.len() {
            if let Some(expansion) = Expansion::best(scop, array)? {
                let moved = Moved::of(scop, std::iter::empty())?;
                layouts.push(Layout { expansions: vec![expansion], ..Layout::of_maps(Vec::new(), moved) });
            }
        }
        Ok(layouts)
    }

    /// What iterations of the outermost loop read and later ones overwrite, kept for so many of them at a time; `None` where
    /// there is no such thing.
    ///
    /// # Errors
    /// Those of isl.
    pub fn keeping(scop: &Scop, iterations: i64) -> isl::Result<Option<Self>> {
        let kept = Kept::all(scop, iterations)?;
        if kept.is_empty() {
            return Ok(None);
        }
        let moved = Moved::of(scop, std::iter::empty())?;
        Ok(Some(Layout { kept, ..Layout::of_maps(Vec::new(), moved) }))
    }

    /// For each statement that gathers values, and is no part of `others` `{ S[i] }`, the layout in which so many partial
    /// results are gathered at the same time, in blocks of a few lines where the loop that is shared out walks along rows.
    ///
    /// # Errors
    /// Those of isl, or a number of partial results that does not fit.
    pub fn reducing(scop: &Scop, parts: i64, others: &UnionSet) -> Result<Vec<Self>, Error> {
        let mut layouts = Vec::new();
        for update in (0..scop.statements.len()).map(StatementId) {
            let statement = scop.statement(update);
            if statement.reduction.is_none() || statement.domain.clone().to_union_set()?.is_subset(others)? {
                continue;
            }
            let Ok(choices) = PartialSums::of(scop, update, (parts, 1), None)? else { continue };
            let mut wanted = Vec::new();
            for choice in choices {
                let block = if has_rows_along(statement, choice.split)? { BLOCK } else { 1 };
                wanted.push(PartialSums { block, ..choice });
            }
            if let Ok(found) = Layout::first_proved(scop, wanted)? {
                layouts.push(Layout::of_partial_sums(scop, vec![found])?);
            }
        }
        Ok(layouts)
    }

    fn with_needed_copies(mut self, scop: &Scop) -> isl::Result<Self> {
        for map in &mut self.maps {
            map.transfer = self.moved.needed(scop, map)?;
        }
        Ok(self)
    }
}

/// Some read of a statement goes along a row where an iterator changes.
fn has_rows_along(statement: &Statement, iterator: usize) -> isl::Result<bool> {
    for access in statement.accesses.iter().filter(|access| access.kind == AccessKind::Read) {
        let restricted = access.relation.clone().intersect_domain(statement.domain.clone())?;
        let Some(known) = Subscripts::of(&access.relation, &restricted, &statement.domain)? else { continue };
        if known.expressions.last().is_some_and(|last| last.iterators.get(iterator).is_some_and(|one| *one != 0)) {
            return Ok(true);
        }
    }
    Ok(false)
}

/// The subscripts of an array's references; `None` where some are not affine.
fn references(scop: &Scop, array: &Array) -> isl::Result<Option<Vec<Subscripts>>> {
    let mut found = Vec::new();
    for statement in &scop.statements {
        for access in statement.accesses.iter().filter(|access| access.kind != AccessKind::Kill) {
            if access.array()? == array.name {
                let restricted = access.relation.clone().intersect_domain(statement.domain.clone())?;
                match Subscripts::of(&access.relation, &restricted, &statement.domain)? {
                    Some(subscripts) => found.push(subscripts),
                    None => return Ok(None),
                }
            }
        }
    }
    Ok(Some(found))
}

/// Addresses, each with what is last in it.
fn addresses(array: &Array, references: &[Subscripts]) -> isl::Result<Vec<(Row, Vec<Expr>)>> {
    let own = array.rank() - 1;
    let subscript = |dimension: usize| Expr::Iterator(IteratorId(dimension));
    let mut order: Vec<(u64, usize)> = Vec::new();
    for dimension in 0..array.rank() {
        let short = array.known_extent(dimension)?.filter(|extent| *extent <= LONGEST_STRUCTURE.unsigned_abs());
        order.push((short.map_or(1, |_| 0), dimension));
    }
    order.sort_unstable();
    let mut found = Vec::new();
    for last in (0..own).filter(|last| references.iter().any(|reference| walks(reference, *last, own))) {
        let others = order.iter().map(|(_, dimension)| *dimension).filter(|dimension| *dimension != last);
        let row = Row { dimension: last, step: 1 };
        found.push((row, others.chain([last]).map(subscript).collect()));
    }
    if let Some(stride) = stride(references, own) {
        let divided = |of: fn(Box<Expr>, i64) -> Expr| of(Box::new(subscript(own)), stride);
        let others = order.iter().map(|(_, dimension)| *dimension).filter(|dimension| *dimension != own);
        let address = [divided(Expr::Mod)].into_iter().chain(others.map(subscript));
        let row = Row { dimension: own, step: stride };
        found.push((row, address.chain([divided(Expr::FloorDiv)]).collect()));
    }
    Ok(found)
}

/// An address along the last dimension of which a direction leads to the next element: for `d` with two subscripts that
/// change in opposite ways, `p` and `q`, in their places `|d_q| p + |d_p| q`, which the direction leaves as it is, and at the end
/// the smallest `x p + y q` with `x d_p + y d_q` one or minus one, the other way round. It is one-to-one, as its determinant is
/// one or minus one, and nowhere negative. This is what objective (5) of the unified report asks of schedules, asked of the array: all rows of its map but the
/// last are zero along the loop.
fn skewed_address(direction: &[i64]) -> Option<Vec<Expr>> {
    let changed: Vec<usize> = (0..direction.len()).filter(|dimension| direction[*dimension] != 0).collect();
    let [p, q] = changed[..] else { return None };
    let (a, b) = (direction[p], direction[q]);
    let is_short = |one: i64| one.abs() <= LONGEST_DIRECTION;
    if !is_short(a) || !is_short(b) || a.signum() == b.signum() || a.gcd(&b) != 1 {
        return None;
    }
    let one = |x: i64, y: i64| (x * a + y * b).abs() == 1;
    let pairs = (0..=b.abs()).flat_map(|x| (0..=a.abs()).map(move |y| (x, y)));
    let (x, y) = pairs.filter(|(x, y)| one(*x, *y)).min_by_key(|(x, y)| x + y)?;
    let sum = |x: i64, y: i64| {
        let times = |factor: i64, dimension: usize| match factor {
            0 => None,
            1 => Some(Expr::Iterator(IteratorId(dimension))),
            _ => Some(Expr::Mul(factor, Box::new(Expr::Iterator(IteratorId(dimension))))),
        };
        let both = times(x, p).into_iter().chain(times(y, q));
        both.reduce(|one, other| Expr::Add(Box::new(one), Box::new(other)))
    };
    let others = (0..direction.len()).filter(|dimension| *dimension != p && *dimension != q);
    let others = others.map(|dimension| Expr::Iterator(IteratorId(dimension)));
    Some(others.chain(sum(b.abs(), a.abs())).chain(sum(x, y)).collect())
}

/// Some loop moves one dimension and leaves another.
fn walks(reference: &Subscripts, moved: usize, left: usize) -> bool {
    let of = |dimension: usize| &reference.expressions[dimension].iterators;
    of(moved).iter().zip(of(left)).any(|(one, other)| *one != 0 && *other == 0)
}

/// What all references' coefficients in a dimension are multiples of, if that is more than 1.
fn stride(references: &[Subscripts], dimension: usize) -> Option<i64> {
    let coefficients = references.iter().flat_map(|reference| &reference.expressions[dimension].iterators);
    let stride = coefficients.fold(0, |known: i64, one| known.gcd(one));
    (2..=LONGEST_STRUCTURE).contains(&stride).then_some(stride)
}

/// How many elements a line has; 1 where rows are known to be so short that whole lines would waste memory.
fn elements_of_line(array: &Array, row: Row, line_bytes: u32) -> isl::Result<u32> {
    let elements = line_bytes / array.element.bytes().max(1);
    let length = array.known_extent(row.dimension)?.map(|extent| extent / row.step.unsigned_abs().max(1));
    Ok(if length.is_some_and(|length| length < 4 * u64::from(elements)) { 1 } else { elements.max(1) })
}

/// The clause of an array's map, in a field that has the array's position as its number, with rows of whole lines of so
/// many elements.
fn clause(array: &Array, position: usize, line: u32, address: Vec<Expr>, parameters: &[String]) -> Clause {
    let number = Expr::Const(i64::try_from(position).unwrap_or(i64::MAX));
    let address: Vec<Expr> = std::iter::once(number).chain(address).collect();
    let mut pads = vec![Pad::By(0); address.len()];
    if let (Some(last), true) = (pads.last_mut(), line > 1) {
        *last = Pad::To(line);
    }
    Clause {
        transfer: Transfer::InOut,
        array: array.name.clone(),
        subscripts: subscript_names(array.rank(), parameters),
        pads,
        address,
        domain: None,
        contraction: false,
        place: Place { text: 0, line: 1, column: 1 },
    }
}
