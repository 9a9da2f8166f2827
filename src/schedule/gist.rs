//! Leaving out of a relation what the context says anyway.
//!
//! What follows from the context is not wanted in constraints on coefficients: it would let schedules depend on bounds of
//! parameters (ppcg report, 7.5.1). A row of a conjunction is left out if it is no facet of the conjunction with the context,
//! or if a row of the context is the same facet: facets are found from the generators on which rows are zero.
//!
//! # Column order
//! `[constant, parameters.., in.., out..]`

use super::cone::{Cone, zeros};
use super::error::Result;
use crate::ilp::generators;
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

    /// The relation without constraints that hold in the context. Its parameters are those of the context.
    pub(super) fn simplify(&self, map: Map) -> Result<Map> {
        if self.universe {
            return Ok(map);
        }
        let by_isl = |map: Map| Ok(map.gist_params(self.set.clone())?);
        let Some(context) = &self.rows else { return by_isl(map) };
        let disjuncts = map.basic_map_list()?.to_vec()?;
        let mut simple: Option<Map> = None;
        let mut changed = false;
        for disjunct in disjuncts {
            let simplified = simplified(&disjunct, context)?;
            changed |= !matches!(simplified, Simple::Same);
            let next = match simplified {
                Simple::Same => disjunct.to_map()?,
                Simple::Rows(rows) => BasicMap::from_constraint_rows(map.space()?, &rows)?.to_map()?,
                Simple::Unknown => by_isl(disjunct.to_map()?)?,
            };
            simple = Some(match simple {
                None => next,
                Some(before) => before.union(next)?,
            });
        }
        Ok(simple.filter(|_| changed).unwrap_or(map))
    }
}

/// What is left of a conjunction.
enum Simple {
    Same,
    Rows(ConstraintRows),
    /// More has to be known, or the conjunction has no points in the context.
    Unknown,
}

fn simplified(disjunct: &BasicMap, context: &[Vec<i64>]) -> Result<Simple> {
    if disjunct.dim(DimType::Div)? > 0 {
        return Ok(Simple::Unknown);
    }
    let Some(mut rows) = disjunct.constraint_rows()? else { return Ok(Simple::Unknown) };
    let parameters = disjunct.dim(DimType::Param)?;
    let dimension = 1 + parameters + disjunct.dim(DimType::In)? + disjunct.dim(DimType::Out)?;
    // What holds: the homogeneous coordinate is not negative, and the context.
    let mut all: Vec<Vec<i64>> = vec![(0..dimension).map(|i| i64::from(i == 0)).collect()];
    all.extend(context.iter().map(|row| (0..dimension).map(|i| row.get(i).copied().unwrap_or(0)).collect()));
    let known = all.len();
    all.extend(rows.inequalities.iter().cloned());
    let Ok(points) = generators(dimension, &rows.equalities, &all, LIMIT) else { return Ok(Simple::Unknown) };
    let Some(needed) = needed(&Cone { lines: points.lines, rays: points.rays }, &all, known) else {
        return Ok(Simple::Unknown);
    };
    if needed.iter().all(|needed| *needed) {
        return Ok(Simple::Same);
    }
    let mut needed = needed.into_iter();
    rows.inequalities.retain(|_| needed.next() == Some(true));
    Ok(Simple::Rows(rows))
}

/// Which of the rows after the first `known` are facets that no row before is. None: there are no points, or some row is zero
/// on all.
fn needed(points: &Cone, rows: &[Vec<i64>], known: usize) -> Option<Vec<bool>> {
    if !points.rays.iter().any(|ray| ray[0] > 0) {
        return None;
    }
    let zeros = rows.iter().map(|row| zeros(row, &points.rays)).collect::<std::result::Result<Vec<_>, _>>().ok()?;
    let count = |zeros: &Vec<u64>| zeros.iter().map(|word| word.count_ones()).sum::<u32>() as usize;
    if zeros.iter().any(|zeros| count(zeros) == points.rays.len()) {
        return None;
    }
    let within = |a: &[u64], b: &[u64]| a.iter().zip(b).all(|(a, b)| a & b == *a);
    let implied = |i: usize| (0..rows.len()).any(|j| within(&zeros[i], &zeros[j]) && (j < i || zeros[i] != zeros[j]));
    Some((known..rows.len()).map(|i| !implied(i)).collect())
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
        let simple = Context::new(context.clone()).unwrap().simplify(map.clone()).unwrap();
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
