//! Leaving out of a relation what the context says anyway.
//!
//! What follows from the context is not wanted in constraints on coefficients: it would let schedules depend on bounds
//! of parameters (ppcg report, 7.5.1). A row of a conjunction is left out if it is no facet of the conjunction with the
//! context, or if a row of the context is the same facet: facets are found from the generators on which rows are zero.
//! The generators of the conjunction alone come first on the way; where no row is left out they are of use later.
//!
//! # Column order
//! `[constant, parameters.., in.., out..]`

use crate::ilp::{Faces, generators_and_faces};
use crate::isl::{BasicMap, ConstraintRows, Ctx, DimType, Map, Set};
use crate::schedule::error::Result;
use crate::schedule::farkas::cone::Cone;
use crate::schedule::farkas::{Disjunct, Points, homogeneous};
use crate::schedule::graph::independent_factors::independent_factors;
use crate::schedule::work::counted;

/// What holds for the parameters: `{ : }`.
pub(in crate::schedule) struct Context {
    set: Set,
    /// Nothing is known.
    universe: bool,
    /// Rows `[constant, parameters..]` of inequalities, if that is all the context is.
    rows: Option<Vec<Vec<i64>>>,
}

/// With more generators than these, isl does it.
const LIMIT: usize = 500;

/// So many factors of variables are looked at by themselves.
const MANY: usize = 4;

impl Context {
    pub(in crate::schedule) fn new(set: Set) -> Result<Context> {
        let universe = set.plain_is_universe()?;
        let rows = match set.basic_set_list()?.to_vec()?.as_slice() {
            [only] if only.dim(DimType::Div)? == 0 => {
                only.constraint_rows()?.filter(|rows| rows.equalities.is_empty()).map(|rows| rows.inequalities)
            }
            _ => None,
        };
        Ok(Context { set, universe, rows })
    }

    /// The relation without constraints that hold in the context, and its points if they are known. Its parameters are
    /// those of the context.
    pub(in crate::schedule) fn simplify(&self, map: Map) -> Result<(Map, Option<Points>)> {
        if self.universe {
            return Ok((map, None));
        }
        let by_isl = |map: Map| map.gist_params(self.set.clone());
        let Some(context) = &self.rows else { return Ok((by_isl(map)?, None)) };
        let disjuncts = map.basic_map_list()?.to_vec()?;
        let mut changed = false;
        let mut maps = Vec::with_capacity(disjuncts.len());
        let mut parts = Vec::with_capacity(disjuncts.len());
        for disjunct in disjuncts {
            let (simple, cone) = match simplified(&disjunct, context)? {
                Simple::Same(cone) => (disjunct.clone().to_map()?, cone.map(|cone| (disjunct, cone))),
                Simple::Rows(rows, cone) => {
                    changed = true;
                    let simple = BasicMap::from_constraint_rows(map.space()?, &rows)?;
                    (simple.clone().to_map()?, cone.map(|cone| (simple, cone)))
                }
                Simple::Unknown => {
                    changed = true;
                    (by_isl(disjunct.to_map()?)?, None)
                }
            };
            maps.push(simple);
            parts.push(cone.map(|(map, cone)| Disjunct { map, cone: Some(cone) }));
        }
        let map = match changed {
            true => maps.into_iter().map(Ok).reduce(|all, next| all?.union(next?)).transpose()?.unwrap_or(map),
            false => map,
        };
        let parts: Option<Vec<Disjunct>> = parts.into_iter().collect();
        let points = parts.map(|parts| Points::with_parts(&map, parts)).transpose()?;
        Ok((map, points))
    }
}

/// What is left of a conjunction, with its generators if they were found on the way.
enum Simple {
    /// All of it.
    Same(Option<Cone>),
    /// These constraints.
    Rows(ConstraintRows, Option<Cone>),
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
    // Such rows are never needed, and without them the generators are mostly those of what is left in the end.
    rows.inequalities.retain(|row| !context.iter().any(|known| is_weaker(row, known)));
    let Some((needed, cone)) = needed_rows(disjunct.ctx(), dimension, &mut rows, context) else {
        return Ok(Simple::Unknown);
    };
    let mut flags = needed.iter();
    rows.inequalities.retain(|_| flags.next() == Some(&true));
    let cone = cone.filter(|_| rows.inequalities.len() == needed.len());
    Ok(if rows.inequalities.len() < count { Simple::Rows(rows, cone) } else { Simple::Same(cone) })
}

/// A row over more variables is the known one but for a larger constant, if any.
fn is_weaker(row: &[i64], known: &[i64]) -> bool {
    let (first, rest) = row.split_at(known.len());
    first[0] >= known[0] && first[1..] == known[1..] && rest.iter().all(|x| *x == 0)
}

/// Which of the inequalities are needed, and the generators of the whole if they were found on the way. None: more has
/// to be known.
fn needed_rows(
    ctx: &Ctx,
    dimension: usize,
    rows: &mut ConstraintRows,
    context: &[Vec<i64>],
) -> Option<(Vec<bool>, Option<Cone>)> {
    let constant = |row: &Vec<i64>| row[1..].iter().all(|entry| *entry == 0);
    // Each factor that makes more generators has a few constraints.
    let factors =
        if rows.inequalities.len() < 2 * MANY { Vec::new() } else { independent_factors(dimension, rows, context) };
    if factors.len() < MANY || rows.equalities.iter().chain(&rows.inequalities).any(constant) {
        let (needed, cone) = needed_at_once(ctx, dimension, rows, context)?;
        return Some((needed, Some(cone)));
    }
    let mut all = vec![false; rows.inequalities.len()];
    for mut factor in factors {
        let (needed, _) = needed_at_once(ctx, factor.columns.len(), &mut factor.rows, &factor.known)?;
        factor.inequalities.iter().zip(needed).for_each(|(&i, needed)| all[i] = needed);
    }
    Some((all, None))
}

/// The same without looking at parts.
fn needed_at_once(
    ctx: &Ctx,
    dimension: usize,
    rows: &mut ConstraintRows,
    context: &[Vec<i64>],
) -> Option<(Vec<bool>, Cone)> {
    let count = rows.inequalities.len();
    rows.inequalities.push(homogeneous(dimension));
    let found = counted(ctx, |budget| {
        generators_and_faces(dimension, &rows.equalities, &rows.inequalities, context, LIMIT, LIMIT, budget)
    });
    rows.inequalities.truncate(count);
    let (generators, faces) = found.ok()?;
    let needed = needed(&faces?, count, count + 1 + context.len())?;
    Some((needed, Cone { lines: generators.lines, rays: generators.rays }))
}

/// Which of the first rows are facets that no other is, those that are known, which come last, before them, and
/// otherwise those in front. None: some row is zero everywhere, which the homogeneous one is if there are no points.
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
