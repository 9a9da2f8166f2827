//! Groups of references as the scheduler sees them (unified report, section 4.5).

use crate::isl::{DimType, Map, PwMultiAff};
use crate::proximity::ReferenceGroup;
use crate::schedule::error::{Error, Result};
use crate::schedule::farkas::cone::echelon;
use crate::schedule::graph::{References, Statement};

impl References {
    /// What a group means for its statement, compressed.
    pub(in crate::schedule) fn new(group: &ReferenceGroup, statement: &Statement) -> Result<References> {
        let expand = statement.compression.as_ref().map(|compression| compression.expand.clone());
        let (subscripts, along_rows) = subscripts(&group.access, expand)?;
        Ok(References {
            group: group.alike,
            array: group.array.clone(),
            multiplicity: group.multiplicity,
            subscripts,
            along_rows,
            distinct: group.distinct.clone(),
        })
    }
}

/// The linear parts of subscripts in a statement's compressed variables, up to factors; those that are no affine
/// functions are left out. And for each variable, whether it goes from element to element along rows: it is in the last
/// subscript alone, by one.
fn subscripts(access: &Map, expand: Option<PwMultiAff>) -> Result<(Vec<Vec<i64>>, Vec<bool>)> {
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
    let along_rows = (0..inner).map(along).collect();
    Ok((rows.iter().map(|row| row[fixed..fixed + inner].to_vec()).collect(), along_rows))
}
