//! What can be read off the generators of an edge's pairs without general sets: how many directions can be aligned, and
//! how far the pairs are apart (ppcg report, 7.3.3 and 7.3.5).
//!
//! The rows of [`Coefficients`] are vertices, rays and lines of the convex hull of the pairs, and
//! [`Coefficients::n_param`] and so on tell what their columns are: `[constant, parameters.., in.., out..]`, where
//! vertices have a positive constant and rays and lines have none. So an affine form is bounded by its values on the
//! vertices, if the values on the others are zero, and the equalities that hold on the pairs are those that hold on all
//! rows.

use crate::linear::hermite;
use crate::schedule::error::{Error, Result};
use crate::schedule::farkas::Coefficients;
use crate::schedule::graph::Node;
use crate::schedule::graph::independence::Independence;

/// The weight of an edge: the number of independent equalities between the ends of its pairs, in what the rows of the
/// nodes so far leave of their spaces. That many further members could have distance zero.
pub fn weight(pairs: &Coefficients, source: &Node, target: &Node) -> Result<i64> {
    let (from, to) = (left_over(source)?, left_over(target)?);
    let fixed = 1 + pairs.n_param;
    let mut rows = Vec::with_capacity(pairs.equalities.len() + pairs.inequalities.len());
    for row in pairs.equalities.iter().chain(&pairs.inequalities) {
        let (head, tail) = row.split_at(fixed);
        let (first, second) = tail.split_at(pairs.n_in);
        let mut changed = head.to_vec();
        for (forms, x) in [(&from, first), (&to, second)] {
            match forms {
                None => changed.extend_from_slice(x),
                Some(forms) => {
                    for form in forms {
                        changed.push(product(form, x)?);
                    }
                }
            }
        }
        rows.push(changed);
    }
    let inner = from.as_ref().map_or(pairs.n_in, Vec::len);
    let outer = to.as_ref().map_or(pairs.n_out, Vec::len);
    let equalities = Independence::of(rows.iter().map(Vec::as_slice), fixed + inner + outer)?.forms;
    let between = equalities.iter().filter(|form| {
        let (first, second) = form[fixed..].split_at(inner);
        first.iter().any(|a| *a != 0) && second.iter().any(|a| *a != 0)
    });
    Ok(i64::try_from(between.count()).unwrap_or(i64::MAX))
}

/// Coordinates of a node's space that its rows say nothing about: they complete the rows to a basis. `None`: all.
fn left_over(node: &Node) -> Result<Option<Vec<Vec<i64>>>> {
    if node.independence().rank == 0 {
        return Ok(None);
    }
    let rows: Vec<Vec<i64>> = node.rows().iter().map(|row| node.linear(row).to_vec()).collect();
    let hermite = hermite(&rows, node.variables())?;
    Ok(Some(hermite.inverse[hermite.rank..].to_vec()))
}

fn product(form: &[i64], x: &[i64]) -> Result<i64> {
    let mut sum = 0i128;
    for (&a, &b) in form.iter().zip(x) {
        sum = sum.checked_add(i128::from(a) * i128::from(b)).ok_or(Error::Overflow)?;
    }
    i64::try_from(sum).map_err(|_| Error::Overflow)
}

/// The value of an affine form `[constant, parameters.., variables..]` at a generator's constant and parameters and
/// these of its variables.
pub fn value(form: &[i64], head: &[i64], variables: &[i64]) -> Result<i64> {
    let (fixed, linear) = form.split_at(head.len());
    product(fixed, head)?.checked_add(product(linear, variables)?).ok_or(Error::Overflow)
}

/// The distance between the ends of the pairs in a row of their schedules, for each generator, with the generator's
/// constant.
pub struct Distances<'a> {
    pairs: &'a Coefficients,
    /// The row of the source, `[constant, parameters.., variables..]`.
    pub source: &'a [i64],
    /// The row of the target.
    pub target: &'a [i64],
}

/// The largest distance that counts as small.
const SMALL: i64 = 2;

impl<'a> Distances<'a> {
    /// Of an edge between distinct nodes.
    pub fn new(pairs: &'a Coefficients, source: &'a [i64], target: &'a [i64]) -> Distances<'a> {
        Distances { pairs, source, target }
    }

    /// The values of both rows at each generator.
    fn values(&self) -> impl Iterator<Item = Result<(&'a [i64], i64, i64)>> {
        let fixed = 1 + self.pairs.n_param;
        self.pairs.equalities.iter().chain(&self.pairs.inequalities).map(move |row| {
            let (head, tail) = row.split_at(fixed);
            let (first, second) = tail.split_at(self.pairs.n_in);
            Ok((head, value(self.source, head, first)?, value(self.target, head, second)?))
        })
    }

    /// All integer distances are small, because all rational ones are less than the next integer.
    pub fn are_small(&self) -> Result<bool> {
        for values in self.values() {
            let (head, first, second) = values?;
            let distance = (i128::from(second) - i128::from(first)).unsigned_abs();
            let limit = i128::from(head[0]) * i128::from(SMALL + 1);
            if distance != 0 && distance >= limit.unsigned_abs() {
                return Ok(false);
            }
        }
        Ok(true)
    }

    /// All sources or all targets have the same value in the row, once the parameters are known.
    pub fn have_single_end(&self) -> Result<bool> {
        let width = 2 + self.pairs.n_param;
        let (mut sources, mut targets) = (Vec::new(), Vec::new());
        for values in self.values() {
            let (head, first, second) = values?;
            sources.push([head, &[first]].concat());
            targets.push([head, &[second]].concat());
        }
        for ends in [sources, targets] {
            let equalities = Independence::of(ends.iter().map(Vec::as_slice), width)?.forms;
            if equalities.iter().any(|form| form[width - 1] != 0) {
                return Ok(true);
            }
        }
        Ok(false)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::isl::{Ctx, Map, Set};
    use crate::schedule::farkas::{Of, Points};
    use crate::schedule::graph::Statement;
    use std::rc::Rc;

    fn pairs(text: &str) -> Coefficients {
        Points::of(&Map::parse(&Ctx::new(), text).unwrap()).unwrap().coefficients(Of::Pairs).unwrap()
    }

    fn node(variables: usize, rows: &[&[i64]]) -> Node {
        let names: Vec<String> = (0..variables).map(|i| format!("i{i}")).collect();
        let set = Set::parse(&Ctx::new(), &format!("[n] -> {{ S[{}] }}", names.join(", "))).unwrap();
        let mut node = Node::new(Rc::new(Statement::plain(set).unwrap()), 1).unwrap();
        rows.iter().for_each(|row| node.push_row(row.to_vec()).unwrap());
        node
    }

    #[test]
    fn weights_count_equalities_between_the_ends() {
        let all = |text: &str, from, to| weight(&pairs(text), &node(from, &[]), &node(to, &[])).unwrap();
        assert_eq!(all("[n] -> { S[i, j] -> T[i, j] : 0 <= i, j < n }", 2, 2), 2);
        assert_eq!(all("[n] -> { S[i, j] -> T[j + 1, k] : 0 <= i, j, k < n }", 2, 2), 1);
        // Fixed values are no alignment.
        assert_eq!(all("[n] -> { S[0, j] -> T[n, k] : 0 <= j, k < n }", 2, 2), 0);
        assert_eq!(all("[n] -> { S[i, j] -> T[i, n] : 0 <= i, j < n; S[i, j] -> T[i, 0] : i = j }", 2, 2), 1);
    }

    #[test]
    fn directions_of_outer_bands_do_not_count() {
        let identity = pairs("[n] -> { S[i, j] -> T[i, j] : 0 <= i, j < n }");
        let first: &[i64] = &[0, 0, 1, 0];
        assert_eq!(weight(&identity, &node(2, &[first]), &node(2, &[first])).unwrap(), 1);
        let both: &[i64] = &[0, 0, 1, 1];
        assert_eq!(weight(&identity, &node(2, &[first, both]), &node(2, &[first, both])).unwrap(), 0);
        let crossed = weight(&identity, &node(2, &[first]), &node(2, &[&[0, 0, 0, 1]])).unwrap();
        assert_eq!(crossed, 0, "what is left of the ends is not related");
    }

    #[test]
    fn distances_are_small_up_to_two() {
        let small = |text: &str| Distances::new(&pairs(text), &[0, 0, 1], &[0, 0, 1]).are_small().unwrap();
        assert!(small("[n] -> { S[i] -> T[i + 2] : 0 <= i < n }"));
        assert!(!small("[n] -> { S[i] -> T[i + 3] : 0 <= i < n }"));
        assert!(small("[n] -> { S[i] -> T[j] : i - 2 <= j <= i + 2 }"));
        assert!(!small("[n] -> { S[i] -> T[j] : i - 3 <= j <= i + 2 }"));
        assert!(!small("[n] -> { S[i] -> T[j] : i <= j }"));
        // No integer in between.
        assert!(small("[n] -> { S[i] -> T[j] : 2i <= 2j <= 2i + 5 }"));
    }

    #[test]
    fn ends_that_parameters_fix_are_single() {
        let single = |text: &str| Distances::new(&pairs(text), &[0, 0, 1], &[0, 0, 1]).have_single_end().unwrap();
        assert!(single("[n] -> { S[i] -> T[n + 5] : 0 <= i < n }"));
        assert!(single("[n] -> { S[2n] -> T[i] : 0 <= i < n }"));
        assert!(!single("[n] -> { S[i] -> T[j] : 0 <= i, j < n }"));
        assert!(!single("[n] -> { S[i] -> T[i] : 0 <= i < n }"));
    }
}
