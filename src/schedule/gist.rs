//! Leaving out of a relation what the context says anyway.
//!
//! What follows from the context is not wanted in constraints on coefficients: it would let schedules depend on bounds of
//! parameters (ppcg report, 7.5.1). A row of a conjunction is left out if it is no facet of the conjunction with the context,
//! or if a row of the context is the same facet: facets are found from the generators on which rows are zero. The generators of
//! the conjunction alone come first on the way; where no row is left out they are of use later.
//!
//! # Column order
//! `[constant, parameters.., in.., out..]`

use super::cone::Cone;
use super::error::Result;
use super::farkas::{Disjunct, Points, homogeneous};
use crate::ilp::{Faces, generators_and_faces};
use crate::isl::{BasicMap, ConstraintRows, DimType, Map, Set};

/// What holds for the parameters: `{ : }`.
pub(super) struct Context {
    set: Set,
    /// Nothing is known.
    universe: bool,
    /// Rows `[constant, parameters..]` of inequalities, if that is all the context is.
    rows: Option<Vec<Vec<i64>>>,
}

/// With more generators than that the library does it.
const LIMIT: usize = 200;

impl Context {
    pub(super) fn new(set: Set) -> Result<Context> {
        let universe = set.plain_is_universe()?;
        let rows = match set.basic_set_list()?.to_vec()?.as_slice() {
            [only] if only.dim(DimType::Div)? == 0 => {
                only.constraint_rows()?.filter(|rows| rows.equalities.is_empty()).map(|rows| rows.inequalities)
            }
            _ => None,
        };
        Ok(Context { set, universe, rows })
    }

    /// The relation without constraints that hold in the context, and its points if they are known. Its parameters are those
    /// of the context.
    pub(super) fn simplify(&self, map: Map) -> Result<(Map, Option<Points>)> {
        if self.universe {
            return Ok((map, None));
        }
        let by_isl = |map: Map| map.gist_params(self.set.clone());
        let Some(context) = &self.rows else { return Ok((by_isl(map)?, None)) };
        let disjuncts = map.basic_map_list()?.to_vec()?;
        let mut simple: Option<Map> = None;
        let mut parts = Vec::with_capacity(disjuncts.len());
        for disjunct in &disjuncts {
            let next = match simplified(disjunct, context)? {
                Simple::Same(cone) => {
                    parts.push(Disjunct { map: disjunct.clone(), cone: Some(cone) });
                    disjunct.clone().to_map()?
                }
                Simple::Rows(rows) => BasicMap::from_constraint_rows(map.space()?, &rows)?.to_map()?,
                Simple::Unknown => by_isl(disjunct.clone().to_map()?)?,
            };
            simple = Some(match simple {
                None => next,
                Some(before) => before.union(next)?,
            });
        }
        if parts.len() == disjuncts.len() {
            let points = Points::with_parts(&map, parts)?;
            return Ok((map, Some(points)));
        }
        Ok((simple.unwrap_or(map), None))
    }
}

/// What is left of a conjunction.
enum Simple {
    /// All of it, with these generators.
    Same(Cone),
    Rows(ConstraintRows),
    /// More has to be known, or the conjunction has no points in the context.
    Unknown,
}

fn simplified(disjunct: &BasicMap, context: &[Vec<i64>]) -> Result<Simple> {
    if disjunct.dim(DimType::Div)? > 0 {
        return Ok(Simple::Unknown);
    }
    let Some(mut rows) = disjunct.constraint_rows()? else { return Ok(Simple::Unknown) };
    let dimension = 1 + disjunct.dim(DimType::All)?;
    let count = rows.inequalities.len();
    rows.inequalities.push(homogeneous(dimension));
    let found = generators_and_faces(dimension, &rows.equalities, &rows.inequalities, context, LIMIT, LIMIT);
    let Ok((generators, Some(faces))) = found else { return Ok(Simple::Unknown) };
    let Some(needed) = needed(&faces, count, count + 1 + context.len()) else { return Ok(Simple::Unknown) };
    if needed.iter().all(|needed| *needed) {
        return Ok(Simple::Same(Cone { lines: generators.lines, rays: generators.rays }));
    }
    let mut needed = needed.into_iter();
    rows.inequalities.retain(|_| needed.next() == Some(true));
    Ok(Simple::Rows(rows))
}

/// Which of the first rows are facets that no other is, those that are known, which come last, before them, and otherwise those
/// in front. None: some row is zero everywhere, which the homogeneous one is if there are no points.
fn needed(faces: &Faces, rows: usize, all: usize) -> Option<Vec<bool>> {
    if (0..all).any(|row| faces.is_everywhere(row)) {
        return None;
    }
    let before = |other: usize, row: usize| other >= rows || other < row;
    let implies = |other: usize, row: usize| {
        other != row && faces.contains(other, row) && (before(other, row) || !faces.contains(row, other))
    };
    Some((0..rows).map(|row| !(0..all).any(|other| implies(other, row))).collect())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::isl::Ctx;

    /// The relation is simplified to this one, as by isl.
    fn check(context: &str, map: &str, expected: &str) {
        let ctx = Ctx::new();
        let (context, map) = (Set::parse(&ctx, context).unwrap(), Map::parse(&ctx, map).unwrap());
        let context = context.align_params(map.space().unwrap()).unwrap();
        let map = map.align_params(context.space().unwrap()).unwrap();
        let simple = Context::new(context.clone()).unwrap().simplify(map.clone()).unwrap().0;
        let expected = Map::parse(&ctx, expected).unwrap();
        assert!(simple.is_equal(&expected).unwrap(), "{simple}");
        assert!(map.gist_params(context).unwrap().is_equal(&expected).unwrap());
    }

    #[test]
    fn what_the_context_says_goes() {
        let map = "[n, m] -> { S[i] -> T[j] : j = i + 1 and 0 <= i < n and n > 0 and i < m and m >= 2; S[i] -> T[0] : n > 0 }";
        let simple = "[n, m] -> { S[i] -> T[j] : j = i + 1 and 0 <= i < n and m >= 2 and i < m; S[i] -> T[0] }";
        check("[n, m] -> { : n > 0 }", map, simple);
        let simple = "[n, m] -> { S[i] -> T[j] : j = i + 1 and 0 <= i < n; S[i] -> T[0] }";
        check("[n, m] -> { : n > 0 and m >= 2 + n }", map, simple);
        check("[n, m] -> { : }", map, map);
    }

    #[test]
    fn what_is_beyond_facets_is_left_to_isl() {
        let some =
            "[n] -> { S[i] -> T[i] : 0 <= i < n and n > 0; S[i] -> T[0] : i mod 2 = 0 and 0 <= i < n and n > 0 }";
        let simple = "[n] -> { S[i] -> T[i] : 0 <= i < n; S[i] -> T[0] : i mod 2 = 0 and 0 <= i < n }";
        check("[n] -> { : n > 0 }", some, simple);
        let map = "[n] -> { S[i] -> T[i] : i mod 2 = 0 and 0 <= i < n and n > 0 }";
        check("[n] -> { : n > 0 }", map, "[n] -> { S[i] -> T[i] : i mod 2 = 0 and 0 <= i < n }");
        check("[n] -> { : n = 5 }", "[n] -> { S[i] -> T[i] : 0 <= i < n }", "[n] -> { S[i] -> T[i] : 0 <= i < 5 }");
        check("[n] -> { : n > 0 }", "[n] -> { S[i] -> T[i] : 0 <= i < n < 0 }", "[n] -> { S[i] -> T[j] : 1 = 0 }");
    }
}
