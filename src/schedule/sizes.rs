//! How large a domain is in each direction, and what that means for coefficients (ppcg report, 7.5.2 and 7.5.3).

use super::cone::{self, Cone, generators};
use super::error::{Error, Result};
use crate::ilp::{Budget, Outcome, Solver};
use crate::isl::{DimType, Set};
use num_integer::Integer as _;

/// The size of a domain `{ C[x] }` in each direction (98): the largest difference in that coordinate of two points that agree in
/// all others and the parameters. `None` where there is no bound. Of a union the size is that of a convex superset; the points
/// are rational ones and the size is rounded down.
///
/// The difference at a point is the least of what the pairs of a lower and an upper bound leave: affine forms `g_k`. So the size
/// is the greatest value of `min_k g_k`, which by duality is the least `s` such that some weights `w_k ≥ 0` with `Σ w_k = 1` have
/// `Σ w_k g_k ≤ s` on the domain: a linear problem with a variable for each pair and a row for each generator of the domain.
///
/// # Errors
/// isl's; what needs too much work or too large numbers counts as without bound.
pub(super) fn sizes(domain: &Set) -> Result<Vec<Option<i64>>> {
    let variables = domain.dim(DimType::SET)?;
    let parameters = domain.dim(DimType::Param)?;
    let hull = domain.clone().simple_hull()?.remove_divs()?;
    let Some(rows) = hull.constraint_rows()? else { return Ok(vec![None; variables]) };
    let dimension = 1 + parameters + variables;
    let mut inequalities = rows.inequalities.clone();
    inequalities.push((0..dimension).map(|i| i64::from(i == 0)).collect());
    let Ok(points) = generators(dimension, &rows.equalities, &inequalities) else { return Ok(vec![None; variables]) };
    let size = |i: usize| match rows.equalities.iter().any(|row| row[1 + parameters + i] != 0) {
        true => Some(0),
        false => size(&points, &rows.inequalities, 1 + parameters + i),
    };
    Ok((0..variables).map(size).collect())
}

/// The size in the direction of a column of a domain with these generators, none of whose equalities has the column.
fn size(points: &Cone, inequalities: &[Vec<i64>], column: usize) -> Option<i64> {
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
    match solver.lexmin_rational(&mut Budget::new(PIVOTS)) {
        Outcome::Optimal(point) => i64::try_from(point.numerators[0].div_floor(&point.denominator)).ok(),
        Outcome::Infeasible | Outcome::Budget => None,
    }
}

/// So many pivots may a size take.
const PIVOTS: u64 = 10_000;

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

/// The bounds (104) on the coefficients in absolute value, from the sizes in the other directions, and a bound on all: half of
/// the least size, rounded up. `None` where there is no bound. Empty: there is none at all.
///
/// # Errors
/// [`Error::Overflow`].
pub(super) fn limits(sizes: &[Option<i64>], variables: usize, all: Option<i64>) -> Result<Vec<Option<i64>>> {
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
    fn limits_are_half_the_least_size_of_the_other_directions() {
        let sizes = [Some(9), None, Some(4)];
        assert_eq!(limits(&sizes, 3, None).unwrap(), [Some(2), Some(2), Some(5)]);
        assert_eq!(limits(&sizes, 3, Some(3)).unwrap(), [Some(2), Some(2), Some(3)]);
        assert_eq!(limits(&[Some(9)], 1, None).unwrap(), []);
        assert_eq!(limits(&[], 2, Some(1)).unwrap(), [Some(1), Some(1)]);
    }
}
