//! How large a domain is in each direction, and what that means for coefficients (ppcg report, 7.5.2 and 7.5.3).

use super::cone::{Cone, generators};
use super::error::{Error, Result};
use crate::isl::{DimType, Set};

/// The size of a domain `{ C[x] }` in each direction (98): the largest difference in that coordinate of two points that agree in
/// all others and the parameters. `None` where there is no bound. Of a union the size is that of a convex superset; the points
/// are rational ones and the size is rounded down.
pub(super) fn sizes(domain: &Set) -> Result<Vec<Option<i64>>> {
    let variables = domain.dim(DimType::SET)?;
    let parameters = domain.dim(DimType::Param)?;
    let hull = domain.clone().simple_hull()?;
    let divisions = hull.dim(DimType::Div)?;
    // Numbers that do not fit: nothing is known of the size.
    let Some(rows) = hull.constraint_rows()? else { return Ok(vec![None; variables]) };
    let dimension = 1 + parameters + variables + divisions;
    let mut inequalities = rows.inequalities;
    inequalities.push(homogeneous(dimension));
    let Ok(hull) = hull_without_divisions(dimension, divisions, &rows.equalities, &inequalities) else {
        return Ok(vec![None; variables]);
    };
    (0..variables).map(|i| size(&hull, dimension - divisions, 1 + parameters + i)).collect()
}

fn homogeneous(dimension: usize) -> Vec<i64> {
    let mut row = vec![0; dimension];
    row[0] = 1;
    row
}

/// Facets over `[constant, parameters, variables]`, as the rays of the dual cone, and equalities as its lines.
fn hull_without_divisions(
    dimension: usize,
    divisions: usize,
    equalities: &[Vec<i64>],
    inequalities: &[Vec<i64>],
) -> Result<Cone> {
    if divisions == 0 {
        return Ok(Cone { lines: equalities.to_vec(), rays: inequalities.to_vec() });
    }
    let kept: Vec<(usize, Option<usize>)> = (0..dimension - divisions).map(|i| (i, None)).collect();
    let projected = generators(dimension, equalities, inequalities)?.project(&kept)?;
    Ok(generators(kept.len(), &projected.lines, &projected.rays)?)
}

/// The largest `t` with `x` and `x + t e` in the polyhedron, `e` the unit vector of a column.
fn size(hull: &Cone, dimension: usize, column: usize) -> Result<Option<i64>> {
    // Over [constant, parameters, variables, t].
    let at = |row: &Vec<i64>| [&row[..], &[0]].concat();
    let moved = |row: &Vec<i64>| [&row[..], &[row[column]]].concat();
    let both = |rows: &[Vec<i64>]| -> Vec<Vec<i64>> {
        let moving = rows.iter().filter(|row| row[column] != 0).map(moved);
        rows.iter().map(at).chain(moving).collect()
    };
    let mut inequalities = both(&hull.rays);
    let mut positive = vec![0; dimension + 1];
    positive[dimension] = 1;
    inequalities.extend([homogeneous(dimension + 1), positive]);
    let Ok(pairs) = generators(dimension + 1, &both(&hull.lines), &inequalities) else { return Ok(None) };
    if pairs.rays.iter().any(|ray| ray[0] == 0 && ray[dimension] > 0) {
        return Ok(None);
    }
    Ok(pairs.rays.iter().filter(|ray| ray[0] > 0).map(|ray| ray[dimension] / ray[0]).max())
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
