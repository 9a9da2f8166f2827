//! The table of pointers to rows as an array, with the pointers that a region loads, exactly: they are looked at before the
//! region, and nothing else is known to be there.

use std::collections::BTreeMap;

use polyrs_core::isl::{self, BasicSet, Set};

use super::arrays::Array;
use super::footprint::{CORNERS, Corner, End, Footprint, corner};
use super::shape::Stride;
use crate::llvm::raise::affine::assumptions::Assumptions;
use crate::llvm::raise::affine::polynomial::Dim;
use crate::llvm::raise::affine::rows::{POINTER, RowLoad, RowTable};
use crate::llvm::raise::code::function::Type;
use crate::llvm::raise::refusal::{Reason, Step};

/// The pointers of a table that a region loads, as elements of an array of integers, a step apart: all of those from the
/// least to the greatest one of each corner, where the corner's conditions hold.
///
/// # Errors
/// [`Reason::Base`] if they are not known exactly; isl's.
pub fn pointers(assumptions: &Assumptions, table: &RowTable) -> Step<Array> {
    let mut loaded: BTreeMap<String, Set> = BTreeMap::new();
    for load in &table.loads {
        let rows = rows(assumptions, load)?;
        loaded.insert(rows.to_string(), rows);
    }
    let mut all: Option<Set> = None;
    for rows in loaded.into_values() {
        all = Some(match all {
            Some(all) => all.union(rows)?,
            None => rows,
        });
    }
    let all = all.ok_or(Reason::Base)?.coalesce()?;
    if all.n_basic_set()? > CORNERS {
        return Err(Reason::Base);
    }
    let mut footprint = Footprint { least: Vec::new(), most: Vec::new() };
    for piece in all.basic_set_list()?.to_vec()? {
        if !piece.is_empty()? {
            footprint.least.push(exact_corner(piece.clone(), End::Least)?);
            footprint.most.push(exact_corner(piece, End::Most)?);
        }
    }
    Ok(Array {
        base: table.rows.table,
        element: Type::Int(64),
        extents: Vec::new(),
        strides: vec![Stride { values: Vec::new(), factor: i128::from(table.step / POINTER) }],
        written: false,
        accesses: table.loads.iter().map(|load| load.value).collect(),
        footprint,
        exact: table.loads.iter().all(|load| load.exact),
        may_wrap: false,
        reach: None,
        parts: Vec::new(),
    })
}

/// The numbers of the rows that a load loads pointers to: `[v] -> { [row] }`
fn rows(assumptions: &Assumptions, load: &RowLoad) -> Step<Set> {
    let depth = load.domain.dims.len();
    let with_row = assumptions.with_greatest(&load.domain, Dim::Subscript(0), std::slice::from_ref(&load.row))?;
    let exact = with_row.set.project_out(isl::DimType::SET, 0, depth)?;
    let plain = exact.clone().remove_divs()?;
    if !plain.is_subset(&exact)? {
        return Err(Reason::Base);
    }
    assumptions.without_widest_ranges(plain)
}

/// The corner of a conjunction, if an element is there whenever its conditions hold: no multiple of the row is bounded,
/// and no constraint is left out.
fn exact_corner(piece: BasicSet, end: End) -> Step<Corner> {
    let rows = piece.constraint_rows()?.ok_or(Reason::Base)?;
    let is_plain = |row: &Vec<i64>| row.last().is_some_and(|entry| entry.unsigned_abs() <= 1);
    if !rows.equalities.iter().chain(&rows.inequalities).all(is_plain) {
        return Err(Reason::Base);
    }
    let set = piece.to_set()?;
    let some = set.clone().project_out(isl::DimType::SET, 0, 1)?.remove_divs()?.remove_redundancies()?;
    some.simple_hull()?.constraint_rows()?.ok_or(Reason::Base)?;
    corner(set, 1, end)
}
