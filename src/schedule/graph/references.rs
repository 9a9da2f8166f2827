//! Groups of references as the scheduler sees them (unified report, section 4.5).

use crate::isl::{DimType, Map, PwMultiAff};
use crate::proximity::ReferenceGroup;
use crate::schedule::error::{Error, Result};
use crate::schedule::farkas::cone::echelon;
use crate::schedule::graph::contiguity::Counted;
use crate::schedule::graph::{References, Statement};
use crate::schedule::strategy::Weights;

impl References {
    /// What a group means for its statement, compressed.
    pub(in crate::schedule) fn new(
        group: &ReferenceGroup,
        statement: &Statement,
        weights: &Weights,
    ) -> Result<References> {
        let expand = statement.compression.as_ref().map(|compression| compression.expand.clone());
        let Subscripts { subscripts, along_rows, last_subscript } = subscripts(&group.access, expand)?;
        Ok(References {
            group: group.alike,
            array: group.array.clone(),
            multiplicity: group.multiplicity,
            subscripts,
            along_rows,
            last_subscript,
            weight: weights.of_array(&group.array),
            distinct: group.distinct.clone(),
        })
    }

    /// What they count for.
    pub(in crate::schedule) fn counted(&self) -> Counted<'_> {
        let times = i64::try_from(self.multiplicity).unwrap_or(i64::MAX).saturating_mul(self.weight);
        Counted { times, along_rows: &self.along_rows, last_subscript: &self.last_subscript }
    }
}

/// What is known of subscripts; those that are no affine functions are left out.
struct Subscripts {
    /// Their linear parts in a statement's compressed variables, up to factors.
    subscripts: Vec<Vec<i64>>,
    /// For each variable, whether it goes from element to element along rows: it is in the last subscript alone, by one.
    along_rows: Vec<bool>,
    /// For each variable, the last subscript that it is in, counted from 1, or zero.
    last_subscript: Vec<i64>,
}

fn subscripts(access: &Map, expand: Option<PwMultiAff>) -> Result<Subscripts> {
    // { C[x] -> A[a] }
    let access = match expand {
        None => access.clone(),
        Some(expand) => access.clone().preimage_domain_pw_multi_aff(expand)?,
    };
    let fixed = 1 + access.dim(DimType::Param)?;
    let inner = access.dim(DimType::In)?;
    let hull = access.wrap()?.affine_hull()?.remove_divs()?;
    let mut rows = hull.constraint_rows()?.ok_or(Error::Overflow)?.equalities;
    echelon(&mut rows)?;
    let of_subscript = |row: &&Vec<i64>| row[fixed + inner..].iter().any(|a| *a != 0);
    let rows: Vec<&Vec<i64>> = rows.iter().filter(of_subscript).collect();
    // Rows have one subscript each, the last one first.
    let last = rows.first().filter(|row| row.last() != Some(&0));
    let along = |variable: usize| {
        let of = |row: &Vec<i64>| row[fixed + variable];
        let step = |row: &Vec<i64>| row.last().is_some_and(|scale| of(row).abs() == scale.abs());
        last.is_some_and(|row| step(row)) && rows[1..].iter().all(|row| of(row) == 0)
    };
    let last_in = |variable: usize| {
        let having = rows.iter().filter(|row| row[fixed + variable] != 0);
        let subscript =
            |row: &&Vec<i64>| row[fixed + inner..].iter().rposition(|a| *a != 0).map_or(0, |place| place + 1);
        i64::try_from(having.map(subscript).max().unwrap_or(0)).unwrap_or(i64::MAX)
    };
    Ok(Subscripts {
        along_rows: (0..inner).map(along).collect(),
        last_subscript: (0..inner).map(last_in).collect(),
        subscripts: rows.iter().map(|row| row[fixed..fixed + inner].to_vec()).collect(),
    })
}
