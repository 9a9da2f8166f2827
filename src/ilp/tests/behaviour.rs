//! Snapshots, budgets, and the corners.

use super::super::{Improve, NonTrivialRegion};
use super::*;

fn integer(solver: &mut Solver) -> Outcome<Point> {
    solver.lexmin_integer(&mut Budget::new(OPERATIONS))
}

fn point(values: &[i64]) -> Outcome<Point> {
    Outcome::Optimal(Point { denominator: BigInt::from(1), numerators: big(values) })
}

#[test]
fn after_push_and_pop_the_solver_answers_like_a_fresh_one() {
    for seed in 0..3000 {
        let problem = problem(seed);
        let mut random = Rng::with_seed(seed + 7);
        let mut solver = Solver::new(problem.variables);
        // The rows as they are now, with the number of them at each push.
        let mut rows: Vec<(bool, Vec<BigInt>)> = Vec::new();
        let mut marks = Vec::new();
        let all: Vec<(bool, &Vec<BigInt>)> = (problem.equalities.iter().map(|row| (true, row)))
            .chain(problem.inequalities.iter().map(|row| (false, row)))
            .collect();
        for _ in 0..12 {
            match random.i64(0..=3) {
                0 => {
                    marks.push(rows.len());
                    solver.push();
                }
                1 if !marks.is_empty() => {
                    rows.truncate(marks.pop().unwrap());
                    solver.pop();
                }
                _ => {
                    let (equality, row) = all[random.i64(0..=all.len() as i64 - 1) as usize];
                    rows.push((equality, row.clone()));
                    let id = if equality { solver.add_eq_wide(row) } else { solver.add_ge_wide(row) };
                    assert_eq!(id.0 as usize + 1, rows.len());
                }
            }
            if random.bool() {
                let mut fresh = Solver::new(problem.variables);
                for (equality, row) in &rows {
                    if *equality {
                        fresh.add_eq_wide(row)
                    } else {
                        fresh.add_ge_wide(row)
                    };
                }
                let expected = integer(&mut fresh);
                let ours = integer(&mut solver);
                if expected != Outcome::Budget && ours != Outcome::Budget {
                    assert_eq!(ours, expected, "seed {seed}: {rows:?}");
                }
            }
        }
    }
}

#[test]
fn a_spent_budget_is_said_and_the_search_can_go_on() {
    for seed in 0..500 {
        let problem = problem(seed);
        let expected = problem.integer();
        if expected == Outcome::Budget {
            continue;
        }
        let mut solver = problem.solver();
        let mut rounds = 0;
        let outcome = loop {
            let mut budget = Budget::new(1);
            match solver.lexmin_integer(&mut budget) {
                Outcome::Budget => assert_eq!(budget.left(), 0),
                outcome => break outcome,
            }
            rounds += 1;
            assert!(rounds <= OPERATIONS);
        };
        assert_eq!(outcome, expected, "seed {seed}");
    }
}

#[test]
fn a_budget_spent_between_cases_leaves_the_solver_as_it_was() {
    let build = || {
        let mut solver = Solver::new(4);
        solver.add_ge_sparse(0, &[(0, 2), (2, -1), (3, 1)]);
        solver.add_ge_sparse(0, &[(1, 3), (2, 1), (3, -1)]);
        solver
    };
    let regions = [NonTrivialRegion::from_matrix(2, &[vec![1, -1]]), NonTrivialRegion::from_matrix(0, &[vec![1, 1]])];
    let mut spent = 0;
    let full = build().non_trivial_lexmin(&regions, 2, Improve::LeadingZero, &mut Budget::new(OPERATIONS), &mut |_| ());
    assert!(matches!(full, Outcome::Optimal(_)));
    for pivots in 0.. {
        let mut solver = build();
        let outcome =
            solver.non_trivial_lexmin(&regions, 2, Improve::LeadingZero, &mut Budget::new(pivots), &mut |_| ());
        assert_eq!(integer(&mut solver), point(&[0, 0, 0, 0]));
        if outcome != Outcome::Budget {
            assert_eq!(outcome, full);
            break;
        }
        spent += 1;
    }
    assert!(spent > 2);
}

#[test]
fn rational_points_without_integer_ones_are_told_apart() {
    // 3x = 3y − 1
    let mut parity = Solver::new(2);
    parity.add_eq(&[1, 3, -3]);
    // 1 ≤ 3x − 3y ≤ 2, which is unbounded.
    let mut strip = Solver::new(2);
    strip.add_ge(&[-1, 3, -3]);
    strip.add_ge(&[2, -3, 3]);
    // 2x + 2y = 2z + w and w = 1, each with integer points.
    let mut tied = Solver::new(4);
    tied.add_eq(&[0, 2, 2, -2, -1]);
    tied.add_eq(&[-1, 0, 0, 0, 1]);
    for solver in [&mut parity, &mut strip, &mut tied] {
        assert!(matches!(solver.lexmin_rational(&mut Budget::new(OPERATIONS)), Outcome::Optimal(_)));
        assert_eq!(integer(solver), Outcome::Infeasible);
    }
}

#[test]
fn corners() {
    assert_eq!(integer(&mut Solver::new(0)), point(&[]));
    assert_eq!(integer(&mut Solver::new(3)), point(&[0, 0, 0]));

    let mut constant = Solver::new(1);
    constant.add_ge(&[0, 0]);
    constant.add_eq(&[0, 0]);
    assert_eq!(integer(&mut constant), point(&[0]));
    let row = constant.add_ge(&[-1, 0]);
    assert_eq!(integer(&mut constant), Outcome::Infeasible);
    assert_eq!(constant.conflict(), [row]);

    let mut equality = Solver::new(2);
    equality.add_eq(&[5, 0, 0]);
    assert_eq!(integer(&mut equality), Outcome::Infeasible);

    // The minimum of the first variable leaves the second unbounded above, which does no harm.
    let mut free = Solver::new(2);
    free.add_ge(&[-7, 2, 1]);
    assert_eq!(integer(&mut free), point(&[0, 7]));
    // The same equality twice, and a multiple of it.
    let mut twice = Solver::new(2);
    for row in [[-6, 2, 3], [-6, 2, 3], [12, -4, -6]] {
        twice.add_eq(&row);
    }
    assert_eq!(integer(&mut twice), point(&[0, 2]));
    // Degenerate: many rows through one point.
    let mut degenerate = Solver::new(2);
    for k in -5..=5 {
        degenerate.add_ge(&[-k - 10, k, 10]);
    }
    degenerate.add_ge(&[-1, 1, 0]);
    assert_eq!(integer(&mut degenerate), point(&[1, 1]));
}

#[test]
fn the_least_number_of_64_bits_is_a_coefficient_like_any_other() {
    let mut solver = Solver::new(2);
    solver.add_ge(&[i64::MIN, 1, 0]);
    solver.add_ge(&[0, i64::MIN, 1]);
    let expected = vec![BigInt::from(1) << 63, BigInt::from(1) << 126];
    let outcome = integer(&mut solver);
    assert_eq!(outcome, Outcome::Optimal(Point { denominator: BigInt::from(1), numerators: expected }));
}

#[test]
fn going_back_beyond_an_overflow_continues_with_narrow_numbers() {
    let mut solver = Solver::new(3);
    solver.add_ge(&[-3, 1, 0, 0]);
    assert_eq!(integer(&mut solver), point(&[3, 0, 0]));
    solver.push();
    solver.add_ge(&[0, -i64::MAX, 1, 0]);
    solver.push();
    solver.add_ge(&[0, 0, -i64::MAX, 1]);
    let Outcome::Optimal(wide) = integer(&mut solver) else { panic!("feasible") };
    assert_eq!(wide.numerators[2], BigInt::from(3) * i64::MAX * i64::MAX);
    solver.pop();
    let Outcome::Optimal(middle) = integer(&mut solver) else { panic!("feasible") };
    assert_eq!(middle.numerators[1], BigInt::from(3) * i64::MAX);
    solver.pop();
    assert_eq!(integer(&mut solver), point(&[3, 0, 0]));
}
