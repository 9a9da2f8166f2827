//! Non-trivial minima against a search through all points of a box.

use super::super::{Improve, NonTrivialRegion};
use super::*;

/// The point that the search of section 6.5.7 ends with, found by looking at all points with values up to `bound`: a
/// recursion over the cases, written without regard to time.
struct Brute<'a> {
    points: Vec<Vec<i64>>,
    regions: &'a [NonTrivialRegion],
    significant: usize,
    best: Option<Vec<i64>>,
}

fn form(form: &[(usize, i64)], point: &[i64]) -> i64 {
    form.iter().map(|&(i, a)| a * point[i]).sum()
}

impl Brute<'_> {
    /// Solves the problem of these points, which are in lexicographic order. True: the search is over.
    fn search(&mut self, points: Vec<Vec<i64>>) -> bool {
        let Some(least) = points.first().cloned() else { return false };
        let trivial =
            |region: &&NonTrivialRegion| !region.forms.is_empty() && region.forms.iter().all(|f| form(f, &least) == 0);
        let Some(region) = self.regions.iter().find(trivial) else {
            let optimal = least[..self.significant].iter().all(|&x| x == 0);
            self.best = Some(least);
            return optimal;
        };
        let mut rest = points;
        for k in 0..region.forms.len() {
            for sign in [1, -1] {
                if let Some(best) = self.best.clone() {
                    // A solution from outside this region's cases restricted the points before the region came up.
                    if let Some(first) = best[..self.significant].iter().position(|&x| x != 0) {
                        rest.retain(|point| point[..=first].iter().all(|&x| x == 0));
                    }
                }
                let case = rest.iter().filter(|point| sign * form(&region.forms[k], point) >= 1).cloned().collect();
                if self.search(case) {
                    return true;
                }
            }
            rest.retain(|point| form(&region.forms[k], point) == 0);
        }
        false
    }
}

/// All points of a box that satisfy the problem, in lexicographic order.
fn points(problem: &Problem, bound: i64) -> Vec<Vec<i64>> {
    let mut all: Vec<Vec<i64>> = vec![vec![]];
    for _ in 0..problem.variables {
        all = all.into_iter().flat_map(|point| (0..=bound).map(move |x| [&point[..], &[x]].concat())).collect();
    }
    let holds = |point: &Vec<i64>| {
        let point = Point { denominator: BigInt::from(1), numerators: big(point) };
        problem.equalities.iter().all(|row| value(row, &point) == BigInt::ZERO)
            && problem.inequalities.iter().all(|row| value(row, &point) >= BigInt::ZERO)
    };
    all.retain(holds);
    all
}

/// A bound as the first objective, pairs behind it, and a box around all.
fn boxed(random: &mut Rng, bound: i64) -> (Problem, Vec<NonTrivialRegion>) {
    let pairs = if bound > 2 { random.i64(1..=2) } else { 3 } as usize;
    let variables = 1 + 2 * pairs;
    let mut problem = Problem { variables, ..Problem::default() };
    for i in 0..variables {
        let mut row = vec![0; 1 + variables];
        (row[0], row[1 + i]) = (bound, -1);
        problem.add(false, &row);
    }
    for _ in 0..random.i64(1..=4) {
        let mut row = vec![0; 1 + variables];
        row[0] = random.i64(-1..=1);
        row[1] = random.i64(0..=2);
        for entry in &mut row[2..] {
            *entry = random.i64(-2..=2);
        }
        problem.add(random.u8(..12) == 0, &row);
    }
    let region = |pair: usize, random: &mut Rng| {
        let forms = (0..random.i64(1..=2)).map(|_| {
            let a = random.i64(1..=2);
            match random.i64(0..=2) {
                0 => vec![(1 + 2 * pair, -a), (2 + 2 * pair, a)],
                1 => vec![(1 + 2 * pair, 1), (2 + 2 * pair, 1)],
                _ => vec![(0, 1), (2 + 2 * pair, -a)],
            }
        });
        NonTrivialRegion { forms: forms.collect() }
    };
    let regions = (0..pairs).map(|pair| region(pair, random)).collect();
    (problem, regions)
}

#[test]
fn non_trivial_minima_are_those_of_brute_force() {
    let (mut found, mut infeasible, mut trivial) = (0, 0, 0);
    for seed in 0..1500 {
        let mut random = Rng::with_seed(seed);
        let bound = if seed % 4 == 0 { 2 } else { 4 };
        let (problem, regions) = boxed(&mut random, bound);
        let significant = random.i64(0..=2) as usize;
        let all = points(&problem, bound);
        let least = all.first().cloned();
        let mut brute = Brute { points: all, regions: &regions, significant, best: None };
        let points = std::mem::take(&mut brute.points);
        brute.search(points);

        let mut solver = problem.solver();
        let before = solver.lexmin_integer(&mut Budget::new(OPERATIONS));
        let mut conflicts = 0;
        let mut budget = Budget::new(OPERATIONS);
        let ours = solver
            .non_trivial_lexmin(&regions, significant, Improve::LeadingZero, &mut budget, &mut |_| conflicts += 1);
        let expected = match &brute.best {
            Some(point) => Outcome::Optimal(Point { denominator: BigInt::from(1), numerators: big(point) }),
            None => Outcome::Infeasible,
        };
        assert_eq!(ours, expected, "seed {seed}: {problem:?} {regions:?} {significant}");
        assert_eq!(solver.lexmin_integer(&mut Budget::new(OPERATIONS)), before, "the solver is as it was");
        found += u32::from(brute.best.is_some());
        trivial += u32::from(brute.best.is_some() && brute.best != least);
        infeasible += u32::from(brute.best.is_none());
        assert!(brute.best.is_some() || conflicts > 0);
    }
    assert!(found > 300 && infeasible > 100 && trivial > 100, "{found} {infeasible} {trivial}");
}

/// ppcg report, Example 12, in the column order of 6.5.5: sum, m, sum, sum, then c_1^-, c_1^+, c_0^-, c_0^+, the
/// constant.
#[test]
fn ppcg_example_12() {
    let mut solver = Solver::new(9);
    solver.add_eq(&[0, 1, 0, 0, 0, 0, 0, 0, 0, 0]);
    solver.add_eq(&[0, 0, 0, 1, 0, 0, 0, 0, 0, 0]);
    solver.add_eq(&[0, 0, 0, 0, -1, 1, 1, 1, 1, 0]);
    // m − c_0 ≥ 0, and m + c_0 ≥ 0 from the reversed pair (6.5.2), which the example's (63) leaves out: without it c_0
    // = −1 with m = 0 would be a solution, and the text says that there is none.
    solver.add_ge(&[0, 0, 1, 0, 0, 0, 0, 1, -1, 0]);
    solver.add_ge(&[0, 0, 1, 0, 0, 0, 0, -1, 1, 0]);
    let region = NonTrivialRegion::from_matrix(4, &[vec![0, 0, -1, 1], vec![-1, 1, 0, 0]]);
    let outcome =
        solver.non_trivial_lexmin(&[region], 2, Improve::LeadingZero, &mut Budget::new(OPERATIONS), &mut |_| ());
    // m = 0, c_0 = 0, c_1 = 1: (67)
    let Outcome::Optimal(point) = outcome else { panic!("{outcome:?}") };
    assert_eq!(point.to_i64().unwrap(), [0, 0, 0, 1, 0, 1, 0, 0, 0]);
}
