//! Constraints on the coefficients of affine forms that are not negative on a set of dependences (ppcg report, 6.3,
//! 6.4.2).
//!
//! An affine form `c_0 + c_n · n + c_x · x + c_y · y` is not negative on a dependence relation exactly if it is not
//! negative on the vertices of its convex hull and does not fall along its rays; that is what the Farkas lemma comes to
//! once its multipliers are eliminated (report, 6.3). So the constraints on `c` have the generators of the hull as
//! their rows: a vertex `x` is the row `(1, x)`, scaled to integers, a ray `r` is `(0, r)`, and a line is an equality.
//! Variables that are not wanted — integer divisions, parameters whose coefficient is zero anyway, the two ends of an
//! intra-node dependence of which only the difference counts — are projected out by dropping coordinates, and a union
//! has the generators of all its parts.
//!
//! # Column order
//! `[constant, parameters.., in.., out..]`, parameters and dimensions in isl's order. An inter-node form has
//! coefficients for both ends; an intra-node one is on the differences `δ = y − x`, which are `in`, and `out` is empty.
//!
//! # Integers
//! The hull is that of the rational points of each conjunction, as in the report. Numbers that do not fit 64 bits on
//! the way leave the work to isl's own functions, which give the same constraints.
//!
//! | file | what |
//! |---|---|
//! | `cone.rs` | cones by their generators |
//! | `coefficients.rs` | what is known of the affine forms on an edge |
//! | `coalescing.rs` | members that combine several directions (7.5) |

pub(in crate::schedule) mod coalescing;
pub(in crate::schedule) mod coefficients;
pub(in crate::schedule) mod cone;

use crate::isl::{self, BasicMap, Ctx, DimType, Map, Set};
use crate::schedule::error::{Error, Result};
use crate::schedule::farkas::cone::{Cone, Failure, generators};
use crate::schedule::phases::{Phase, enter};
use std::borrow::Cow;

impl From<Failure> for Error {
    fn from(_: Failure) -> Error {
        Error::Overflow
    }
}

/// The affine forms that are not negative on some set: those whose coefficients have `row · c = 0` for the equalities
/// and `row · c ≥ 0` for the inequalities. The columns are `[constant, parameters.., in.., out..]`.
#[derive(Debug, Clone, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct Coefficients {
    /// The number of parameters' coefficients.
    pub n_param: usize,
    /// The number of coefficients of the first tuple.
    pub n_in: usize,
    /// The number of coefficients of the second tuple.
    pub n_out: usize,
    /// Rows that are zero on the coefficients.
    pub equalities: Vec<Vec<i64>>,
    /// Rows that are not negative on them.
    pub inequalities: Vec<Vec<i64>>,
}

/// What the forms of [`Coefficients`] are functions of.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Of<'a> {
    /// Both ends of a dependence and the parameters.
    Pairs,
    /// The difference of a dependence's ends and the parameters.
    Differences,
    /// The difference alone. Bounds on a difference by the size of the domain in its direction, if there is one, are
    /// left out, because only a coalescing schedule could make use of them (report, 7.5.5). No sizes: none is left out.
    BoundedDifferences(&'a [Option<i64>]),
}

/// The points of a relation `{ S[x] -> T[y] }`, by generators: what all kinds of coefficients are read off.
#[derive(Debug)]
pub struct Points {
    ctx: Ctx,
    n_param: usize,
    n_in: usize,
    n_out: usize,
    parts: Vec<Disjunct>,
}

/// One conjunction.
#[derive(Debug)]
pub(in crate::schedule) struct Disjunct {
    pub map: BasicMap,
    /// The cone over it, of coordinates `[constant, parameters.., in.., out.., divisions..]`. None: it has too large
    /// numbers, or too many generators.
    pub cone: Option<Cone>,
}

impl Points {
    /// The points of each conjunction. Those without rational points are left out.
    pub(in crate::schedule) fn of(map: &Map) -> Result<Points> {
        let _phase = enter(Phase::Farkas);
        let mut parts = Vec::new();
        for disjunct in map.basic_map_list()?.to_vec()? {
            parts.extend(part(disjunct)?);
        }
        Points::with_parts(map, parts)
    }

    /// The points of a relation that has these parts.
    pub(in crate::schedule) fn with_parts(map: &Map, parts: Vec<Disjunct>) -> Result<Points> {
        let (n_param, n_in, n_out) = (map.dim(DimType::Param)?, map.dim(DimType::In)?, map.dim(DimType::Out)?);
        Ok(Points { ctx: map.ctx().clone(), n_param, n_in, n_out, parts })
    }

    /// A form on `[constant, parameters.., in.., out..]` is surely negative at some point: at an integer vertex, or on
    /// the way from one along a ray or line.
    pub(in crate::schedule) fn is_somewhere_negative(&self, form: &[i64]) -> bool {
        let value =
            |point: &Vec<i64>| point.iter().zip(form).map(|(a, b)| i128::from(*a) * i128::from(*b)).sum::<i128>();
        // With divisions not every integer point of the hull need be one of the relation.
        let plain = |cone: &&Cone| cone.rays.first().is_some_and(|ray| ray.len() == form.len());
        self.parts.iter().filter_map(|part| part.cone.as_ref()).filter(plain).any(|cone| {
            let falls = |ray: &&Vec<i64>| ray[0] <= 1 && value(ray) < 0;
            let has_vertex = cone.rays.iter().any(|ray| ray[0] == 1);
            has_vertex && (cone.rays.iter().any(|ray| falls(&ray)) || cone.lines.iter().any(|line| value(line) != 0))
        })
    }

    /// The affine forms that are not negative on the points, as functions of a choice of variables.
    pub fn coefficients(&self, of: Of<'_>) -> Result<Coefficients> {
        let _phase = enter(Phase::Farkas);
        let shape = self.shape(of)?;
        Ok(Coefficients::of_parts(&self.ctx, self.projected(&shape, of)?, shape.result))
    }

    /// The parts of the convex hull, one a disjunct, each as a canonical cone: generators `[1, x]·k` and `[0, r]`.
    pub(in crate::schedule) fn hulls(&self, of: Of<'_>) -> Result<Vec<Cone>> {
        let _phase = enter(Phase::Farkas);
        let shape = self.shape(of)?;
        let parts = self.projected(&shape, of)?.into_iter();
        Ok(parts.map(|part| part.canonical(&self.ctx, shape.kept.len())).collect())
    }

    fn projected(&self, shape: &Shape, of: Of<'_>) -> Result<Vec<Part<'_>>> {
        let mut parts = Vec::with_capacity(self.parts.len());
        for Disjunct { map, cone } in &self.parts {
            let part = cone.as_ref().and_then(|cone| project(&self.ctx, cone, shape, of).ok());
            parts.push(match part {
                Some(part) => part,
                None => Part { cone: Cow::Owned(hull_by_isl(map.clone(), of)?), extreme: false },
            });
        }
        Ok(parts)
    }

    fn shape(&self, of: Of<'_>) -> Result<Shape> {
        let (n_param, n_in, n_out) = (self.n_param, self.n_in, self.n_out);
        let start = 1 + n_param;
        let differences = (0..n_in.min(n_out)).map(|i| (start + n_in + i, Some(start + i)));
        let plain = |n: usize| (0..n).map(|i| (i, None));
        let (kept, result) = match of {
            Of::Pairs => (plain(start + n_in + n_out).collect(), (n_param, n_in, n_out)),
            Of::Differences => (plain(start).chain(differences).collect(), (n_param, n_in, 0)),
            Of::BoundedDifferences(_) => (plain(1).chain(differences).collect(), (0, n_in, 0)),
        };
        if of != Of::Pairs && n_in != n_out {
            return Err(isl::Error::invalid("differences of tuples of different size").into());
        }
        Ok(Shape { kept, result })
    }
}

/// What becomes of the columns.
struct Shape {
    /// What is kept of a vector over `[constant, parameters, in, out, divisions]`.
    kept: Vec<(usize, Option<usize>)>,
    /// The columns `(parameters, in, out)` of the result.
    result: (usize, usize, usize),
}

/// A part of a hull.
struct Part<'p> {
    cone: Cow<'p, Cone>,
    /// No ray is a combination of the other generators.
    extreme: bool,
}

impl Part<'_> {
    /// In canonical form; where numbers get too large, with more generators than needed.
    fn canonical(self, ctx: &Ctx, dimension: usize) -> Cone {
        let mut cone = (*self.cone).clone();
        let result = match self.extreme {
            true => cone.simplify().map(|()| cone),
            false => cone.canonical(ctx, dimension),
        };
        result.unwrap_or_else(|Failure| self.cone.into_owned())
    }
}

/// The points of one conjunction. None: there are no rational points.
fn part(map: BasicMap) -> Result<Option<Disjunct>> {
    let Some(mut rows) = map.constraint_rows()? else { return Ok(Some(Disjunct { map, cone: None })) };
    let dimension = 1 + map.dim(DimType::All)?;
    rows.inequalities.push(homogeneous(dimension));
    let cone = generators(map.ctx(), dimension, &rows.equalities, &rows.inequalities).ok();
    let empty = cone.as_ref().is_some_and(|cone| !cone.has_points());
    Ok((!empty).then_some(Disjunct { map, cone }))
}

/// The row that says that the homogeneous coordinate is not negative.
pub(in crate::schedule) fn homogeneous(dimension: usize) -> Vec<i64> {
    (0..dimension).map(|i| i64::from(i == 0)).collect()
}

/// A choice of variables of a cone.
fn project<'p>(ctx: &Ctx, cone: &'p Cone, shape: &Shape, of: Of<'_>) -> std::result::Result<Part<'p>, Failure> {
    let all = cone.rays.first().is_some_and(|ray| ray.len() == shape.kept.len());
    if all && of == Of::Pairs {
        return Ok(Part { cone: Cow::Borrowed(cone), extreme: true });
    }
    let cone = cone.project(&shape.kept)?;
    Ok(match of {
        Of::BoundedDifferences(sizes) if sizes.iter().any(Option::is_some) => {
            Part { cone: Cow::Owned(without_bounds(ctx, &cone, shape.kept.len(), sizes)?), extreme: true }
        }
        _ => Part { cone: Cow::Owned(cone), extreme: false },
    })
}

/// Leaves out the facets `δ_i ≤ k` and `δ_i ≥ −k` with `k` at least the size in direction `i`.
fn without_bounds(
    ctx: &Ctx,
    cone: &Cone,
    dimension: usize,
    sizes: &[Option<i64>],
) -> std::result::Result<Cone, Failure> {
    let mut facets = generators(ctx, dimension, &cone.lines, &cone.rays)?.canonical(ctx, dimension)?;
    for facet in &mut facets.rays {
        // Differences are integers.
        let divisor = facet[1..].iter().fold(0, |divisor, x| cone::gcd(divisor, *x));
        if divisor > 1 {
            facet[0] = facet[0].div_euclid(divisor);
            facet[1..].iter_mut().for_each(|x| *x /= divisor);
        }
    }
    let exploitable = |facet: &Vec<i64>| {
        let mut entries = (0..sizes.len()).filter(|&i| facet[1 + i] != 0);
        match (entries.next(), entries.next()) {
            (Some(i), None) => facet[1 + i].abs() == 1 && sizes[i].is_some_and(|size| facet[0] >= size),
            _ => false,
        }
    };
    facets.rays.retain(|facet| !exploitable(facet));
    facets.rays.push(homogeneous(dimension));
    generators(ctx, dimension, &facets.lines, &facets.rays)
}

impl Coefficients {
    /// The constraints that all of these parts of a hull impose, with so many columns of parameters, `in` and `out`.
    fn of_parts(ctx: &Ctx, mut parts: Vec<Part<'_>>, (n_param, n_in, n_out): (usize, usize, usize)) -> Coefficients {
        let all = match parts.len() {
            1 => parts.swap_remove(0),
            _ => {
                let mut all = Cone::default();
                for part in parts {
                    let part = part.cone.into_owned();
                    all.lines.extend(part.lines);
                    all.rays.extend(part.rays);
                }
                Part { cone: Cow::Owned(all), extreme: false }
            }
        };
        let all = all.canonical(ctx, 1 + n_param + n_in + n_out);
        Coefficients { n_param, n_in, n_out, equalities: all.lines, inequalities: all.rays }
    }
}

/// The hull of one conjunction by isl.
fn hull_by_isl(disjunct: BasicMap, of: Of<'_>) -> Result<Cone> {
    let map = disjunct.to_map()?;
    let set = match of {
        Of::Pairs => map.remove_divs()?.wrap()?,
        Of::Differences => map.deltas()?.remove_divs()?,
        Of::BoundedDifferences(sizes) => {
            // { δ : −size <= δ <= size }
            let deltas = map.deltas()?.project_out_all_params()?.remove_divs()?;
            let mut bounds = Set::universe(deltas.space()?)?;
            for (i, size) in sizes.iter().enumerate().filter_map(|(i, size)| Some((i, (*size)?))) {
                let value = isl::Val::int(deltas.ctx(), size)?;
                bounds = bounds.lower_bound_val(DimType::SET, i, value.clone().neg()?)?;
                bounds = bounds.upper_bound_val(DimType::SET, i, value)?;
            }
            deltas.gist(bounds)?.remove_divs()?
        }
    };
    let rows = set.coefficients()?.constraint_rows()?.ok_or(Error::Overflow)?;
    // The coefficients' space has the constant's as a dimension, and no constant of its own.
    let drop_constant = |rows: Vec<Vec<i64>>| rows.into_iter().map(|row| row[1..].to_vec()).collect();
    Ok(Cone { lines: drop_constant(rows.equalities), rays: drop_constant(rows.inequalities) })
}

#[cfg(test)]
mod tests;
