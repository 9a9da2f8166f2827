//! How large a domain is in each direction, and what that means for coefficients (ppcg report, 7.5.2 and 7.5.3).

use crate::ilp::{Outcome, Solver};
use crate::isl::{BasicSet, Ctx, DimType, Set};
use crate::schedule::error::{Error, Result};
use crate::schedule::farkas::cone::{self, Cone, generators};
use crate::schedule::graph::independent_factors::{Factor, independent_factors};
use crate::schedule::work::counted;
use num_integer::Integer as _;

/// The size of a domain `{ C[x] }` in each direction (98): the largest difference in that coordinate of two points that
/// agree in all others and the parameters. `None` where there is no bound. Of a union the size is that of a convex
/// superset; the points are rational ones and the size is rounded down.
///
/// The difference at a point is the least of what the pairs of a lower and an upper bound leave: affine forms `g_k`. So
/// the size is the greatest value of `min_k g_k`, which by duality is the least `s` such that some weights `w_k ≥ 0`
/// with `Σ w_k = 1` have `Σ w_k g_k ≤ s` on the domain: a linear problem with a variable for each pair and a row for
/// each generator of the domain.
///
/// # Errors
/// isl's; what needs too much work or too large numbers counts as without bound.
pub(in crate::schedule) fn sizes(domain: &Set) -> Result<Vec<Option<i64>>> {
    let hull = domain.clone().simple_hull()?.remove_divs()?;
    Ok(Shape::of(&hull)?.map_or_else(|| vec![None; hull.dim(DimType::SET).unwrap_or(0)], |shape| shape.sizes()))
}

/// A conjunction without divisions, with what it consists of.
pub(in crate::schedule) struct Shape {
    ctx: Ctx,
    parameters: usize,
    variables: usize,
    /// The points with the coordinates of each factor; none where they are too many.
    factors: Vec<(Factor, Option<Cone>)>,
}

impl Shape {
    /// None: there are numbers that do not fit.
    fn of(conjunction: &BasicSet) -> Result<Option<Shape>> {
        let (parameters, variables) = (conjunction.dim(DimType::Param)?, conjunction.dim(DimType::SET)?);
        let Some(rows) = conjunction.constraint_rows()? else { return Ok(None) };
        let factors = independent_factors(1 + parameters + variables, &rows, &[]).into_iter();
        let factors = factors.map(|factor| {
            let points = points(conjunction.ctx(), &factor);
            (factor, points)
        });
        Ok(Some(Shape { ctx: conjunction.ctx().clone(), parameters, variables, factors: factors.collect() }))
    }

    /// That of a domain `{ C[x] }`. None: it is something else, or has numbers that do not fit.
    pub(in crate::schedule) fn of_domain(domain: &Set) -> Result<Option<Shape>> {
        match domain.basic_set_list()?.to_vec()?.as_slice() {
            [only] if only.dim(DimType::Div)? == 0 => Shape::of(only),
            _ => Ok(None),
        }
    }

    /// There are integer points in all dimensions: no equality holds for all.
    pub(in crate::schedule) fn is_full(&self) -> bool {
        self.factors
            .iter()
            .all(|(factor, points)| points.as_ref().is_some_and(|points| is_full(points, factor.columns.len())))
    }

    /// See [`sizes`].
    pub(in crate::schedule) fn sizes(&self) -> Vec<Option<i64>> {
        let mut sizes = vec![None; self.variables];
        for (factor, points) in self.factors.iter().filter_map(|(factor, points)| Some((factor, points.as_ref()?))) {
            let fixed = |column: usize| factor.rows.equalities.iter().any(|row| row[column] != 0);
            for (column, place) in factor.columns.iter().enumerate() {
                if let Some(i) = place.checked_sub(1 + self.parameters) {
                    sizes[i] = if fixed(column) {
                        Some(0)
                    } else {
                        size(&self.ctx, points, &factor.rows.inequalities, column)
                    };
                }
            }
        }
        sizes
    }
}

/// The points with the coordinates of a factor. None: they are too many.
fn points(ctx: &Ctx, factor: &Factor) -> Option<Cone> {
    let dimension = factor.columns.len();
    let mut inequalities = factor.rows.inequalities.clone();
    inequalities.push((0..dimension).map(|i| i64::from(i == 0)).collect());
    generators(ctx, dimension, &factor.rows.equalities, &inequalities).ok()
}

/// The integer vertices, and the integer points that rays and lines lead to from them, do not lie in a plane.
fn is_full(points: &Cone, dimension: usize) -> bool {
    let vertices = points.rays.iter().filter(|ray| ray[0] == 1);
    let directions = points.rays.iter().filter(|ray| ray[0] == 0).chain(&points.lines);
    let mut all: Vec<Vec<i64>> = vertices.cloned().collect();
    if all.is_empty() {
        return false;
    }
    all.extend(directions.cloned());
    cone::echelon(&mut all).is_ok() && all.len() == dimension
}

/// The size in the direction of a column of a domain with these generators, none of whose equalities has the column.
fn size(ctx: &Ctx, points: &Cone, inequalities: &[Vec<i64>], column: usize) -> Option<i64> {
    let with_sign = |sign: i64| inequalities.iter().filter(move |row| row[column].signum() == sign);
    let pairs = with_sign(1).flat_map(|lower| with_sign(-1).map(move |upper| (lower, upper)));
    let pairs: Vec<(Vec<i64>, i64)> =
        pairs.map(|(lower, upper)| between(lower, upper, column)).collect::<Option<_>>()?;
    // Columns: the size, the weights.
    let mut solver = Solver::new(1 + pairs.len());
    let scale = pairs.iter().try_fold(1i64, |scale, (_, d)| scale.checked_mul(d / cone::gcd(scale, *d)))?;
    let mut of_generator = |generator: &Vec<i64>, equal: bool| {
        let mut row = vec![0, generator[0].checked_mul(scale)?];
        for (form, d) in &pairs {
            row.push(cone::dot(form, generator).ok()?.checked_mul(scale / d)?.checked_neg()?);
        }
        if equal {
            solver.add_eq(&row)
        } else {
            solver.add_ge(&row)
        };
        Some(())
    };
    points.lines.iter().try_for_each(|line| of_generator(line, true))?;
    points.rays.iter().try_for_each(|ray| of_generator(ray, false))?;
    let mut weights = vec![1; 2 + pairs.len()];
    (weights[0], weights[1]) = (-1, 0);
    solver.add_eq(&weights);
    match ctx.with_quota(OPERATIONS, || counted(ctx, |budget| solver.lexmin_rational(budget))) {
        Outcome::Optimal(point) => i64::try_from(point.numerators[0].div_floor(&point.denominator)).ok(),
        Outcome::Infeasible | Outcome::Budget => None,
    }
}

/// So many operations may a size take.
const OPERATIONS: u64 = 200_000;

/// The difference in a column that a lower and an upper bound leave: a form, and what it is to be divided by.
fn between(lower: &[i64], upper: &[i64], column: usize) -> Option<(Vec<i64>, i64)> {
    // a x + l ≥ 0 and u − b x ≥ 0: x is from −l/a to u/b, and u/b + l/a is (a u + b l) / (a b).
    let (a, b) = (lower[column], upper[column].checked_neg()?);
    let divisor = cone::gcd(a, b);
    let (a_part, b_part) = (a / divisor, b / divisor);
    let entry = |(l, u): (&i64, &i64)| l.checked_mul(b_part)?.checked_add(u.checked_mul(a_part)?);
    let form = lower.iter().zip(upper).map(entry).collect::<Option<Vec<i64>>>()?;
    Some((form, a_part.checked_mul(b)?))
}

/// The bounds (104) on the coefficients in absolute value, from the sizes in the other directions, and a bound on all:
/// half of the least size, rounded up. `None` where there is no bound. Empty: there is none at all.
///
/// # Errors
/// [`Error::Overflow`].
pub(in crate::schedule) fn limits(
    sizes: &[Option<i64>],
    variables: usize,
    all: Option<i64>,
) -> Result<Vec<Option<i64>>> {
    let limit = |i: usize| {
        let others = sizes.iter().enumerate().filter(|(j, _)| *j != i).filter_map(|(_, size)| *size);
        let twice = all.map(|all| all.checked_mul(2).ok_or(Error::Overflow)).transpose()?;
        let least = others.chain(twice).min();
        Ok(least.map(|least| least / 2 + least % 2))
    };
    let limits: Vec<Option<i64>> = (0..variables).map(limit).collect::<Result<_>>()?;
    Ok(if limits.iter().all(Option::is_none) { Vec::new() } else { limits })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::isl::Ctx;

    fn of(text: &str) -> Vec<Option<i64>> {
        sizes(&Set::parse(&Ctx::new(), text).unwrap()).unwrap()
    }

    #[test]
    fn verdoolaege2017_example_29_as_printed() {
        // The set (99) as it is printed is narrow in x ...
        assert_eq!(of("{ [x, y] : x >= 0 and x <= y and x + y <= 100 }"), [Some(50), Some(100)]);
        // ... and the sizes in the report's text are those of this one.
        assert_eq!(of("{ [x, y] : y >= 0 and y <= x and x + y <= 100 }"), [Some(100), Some(50)]);
    }

    #[test]
    fn parameters_leave_sizes_open_unless_they_are_bounded() {
        assert_eq!(of("[n] -> { [x, y] : 0 <= x < n and 0 <= y < 10 }"), [None, Some(9)]);
        assert_eq!(of("[n] -> { [x, y] : 0 <= x < n <= 20 and n <= y <= n + 3 }"), [Some(19), Some(3)]);
        assert_eq!(of("{ [x, y] : 0 <= x < 7 }"), [Some(6), None]);
        assert_eq!(of("{ [x] : 3 <= x <= 5; [x] : 8 <= x <= 9 }"), [Some(6)]);
        assert_eq!(
            of("[n] -> { [x, y, z] : x >= 0 and 2x <= n and 3x <= 40 - n and y >= n and 2y <= n + 17 }"),
            [Some(8), Some(8), None]
        );
        assert_eq!(of("{ [x, y] : x = 2y and 0 <= y <= 4 }"), [Some(0), Some(0)]);
        assert_eq!(of("{ [x, y] : 0 <= x <= 8 and y = floor(x/2) }")[1], Some(0));
    }

    #[test]
    fn integer_points_tell_whether_a_domain_is_full() {
        let ctx = Ctx::new();
        let is_full =
            |text: &str| Shape::of_domain(&Set::parse(&ctx, text).unwrap()).unwrap().map(|shape| shape.is_full());
        assert_eq!(is_full("[n] -> { [x, y] : 0 <= x < n <= 100 and 0 <= y <= x }"), Some(true));
        assert_eq!(is_full("[n] -> { [x, y, z] : 0 <= x < n and y >= 7 }"), Some(true));
        assert_eq!(is_full("[n] -> { [x, y] : 0 <= x < n and y = 3x }"), Some(false));
        assert_eq!(is_full("{ [x, y] : 0 <= x and 1 <= 3y + x <= 2 and x <= 1 }"), Some(false));
        assert_eq!(is_full("{ [x] : x mod 2 = 0; [x] : x > 7 }"), None);
    }

    #[test]
    fn limits_are_half_the_least_size_of_the_other_directions() {
        let sizes = [Some(9), None, Some(4)];
        assert_eq!(limits(&sizes, 3, None).unwrap(), [Some(2), Some(2), Some(5)]);
        assert_eq!(limits(&sizes, 3, Some(3)).unwrap(), [Some(2), Some(2), Some(3)]);
        assert_eq!(limits(&[Some(9)], 1, None).unwrap(), []);
        assert_eq!(limits(&[], 2, Some(1)).unwrap(), [Some(1), Some(1)]);
    }
}
