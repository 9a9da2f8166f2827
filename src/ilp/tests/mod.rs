//! The solver against isl's lexmin, its own certificates and brute force, on random problems.

mod behaviour;
mod certificate;
mod generators;
mod oracle;
mod regions;

use super::{Budget, Outcome, Point, Solver};
use fastrand::Rng;
use num_bigint::BigInt;

/// Pivots for one problem: far more than any of them needs, unless it needs cuts without end.
const OPERATIONS: u64 = 50_000;

/// A problem: rows with the constant first.
#[derive(Debug, Clone, Default)]
struct Problem {
    variables: usize,
    equalities: Vec<Vec<BigInt>>,
    inequalities: Vec<Vec<BigInt>>,
}

impl Problem {
    fn solver(&self) -> Solver {
        let mut solver = Solver::new(self.variables);
        for row in &self.equalities {
            solver.add_eq_wide(row);
        }
        for row in &self.inequalities {
            solver.add_ge_wide(row);
        }
        solver
    }

    fn integer(&self) -> Outcome<Point> {
        self.solver().lexmin_integer(&mut Budget::new(OPERATIONS))
    }

    /// The solver's rows, equalities first, as [`Problem::solver`] counts them.
    fn row(&self, row: usize) -> &[BigInt] {
        if row < self.equalities.len() {
            &self.equalities[row]
        } else {
            &self.inequalities[row - self.equalities.len()]
        }
    }

    fn add(&mut self, equality: bool, row: &[i64]) {
        let rows = if equality { &mut self.equalities } else { &mut self.inequalities };
        rows.push(row.iter().map(|&a| BigInt::from(a)).collect());
    }
}

/// The row's value, times the denominator.
fn value(row: &[BigInt], point: &Point) -> BigInt {
    let sum: BigInt = row[1..].iter().zip(&point.numerators).map(|(a, x)| a * x).sum();
    &row[0] * &point.denominator + sum
}

fn big(values: &[i64]) -> Vec<BigInt> {
    values.iter().map(|&x| BigInt::from(x)).collect()
}

/// Few variables, small coefficients, anything goes; in a box or not.
fn anything(random: &mut Rng) -> Problem {
    let variables = random.i64(1..=5) as usize;
    let mut problem = Problem { variables, ..Problem::default() };
    let size = random.i64(1..=7);
    for _ in 0..random.i64(0..=2).min(variables as i64 - 1) {
        let row: Vec<i64> = (0..=variables).map(|_| random.i64(-size..=size)).collect();
        problem.add(true, &row);
    }
    for _ in 0..random.i64(1..=7) {
        let mut row: Vec<i64> = (0..=variables).map(|_| random.i64(-size..=size)).collect();
        row[0] *= random.i64(0..=4);
        problem.add(false, &row);
    }
    if random.bool() {
        let bound = random.i64(1..=12);
        for i in 0..variables {
            let mut row = vec![0; 1 + variables];
            (row[0], row[1 + i]) = (bound, -1);
            problem.add(false, &row);
        }
    }
    problem
}

/// Like a scheduler's: sums of the others in front, pairs with opposite coefficients, small sparse rows.
fn scheduling(random: &mut Rng) -> Problem {
    let pairs = random.i64(1..=4) as usize;
    let variables = 2 + 2 * pairs;
    let mut problem = Problem { variables, ..Problem::default() };
    let mut sum = vec![1; 1 + variables];
    (sum[0], sum[1], sum[2]) = (0, 0, -1);
    problem.add(true, &sum);
    for _ in 0..random.i64(2..=12) {
        let mut row = vec![0; 1 + variables];
        for pair in 0..pairs {
            if random.bool() {
                let a = random.i64(-2..=2) * if random.u8(..6) == 0 { random.i64(1..=30) } else { 1 };
                (row[3 + 2 * pair], row[4 + 2 * pair]) = (-a, a);
            }
        }
        row[1] = i64::from(random.bool());
        row[0] = if random.u8(..3) == 0 { -random.i64(0..=5) } else { 0 };
        problem.add(false, &row);
    }
    problem
}

/// Each variable is held above or at a large multiple of the one before, so that values pass 64 bits, and often 128.
fn growing(random: &mut Rng) -> Problem {
    let variables = random.i64(2..=8) as usize;
    let mut problem = Problem { variables, ..Problem::default() };
    let mut first = vec![0; 1 + variables];
    (first[0], first[1]) = (-random.i64(1..=9), 1);
    problem.add(false, &first);
    for i in 1..variables {
        let mut row = vec![0; 1 + variables];
        row[0] = random.i64(-9..=9);
        let largest = i64::MAX >> random.i64(1..=40);
        row[i] = -random.i64(1..=largest);
        row[1 + i] = if random.u8(..4) == 0 { random.i64(1..=3) } else { 1 };
        let other = random.i64(1..=i as i64) as usize;
        row[other] -= i64::from(random.u8(..3) == 0) * random.i64(0..=1 << 20);
        let equality = random.u8(..3) == 0 && row[1 + i] == 1;
        problem.add(equality, &row);
    }
    if random.u8(..4) == 0 {
        let mut row = vec![0; 1 + variables];
        (row[0], row[variables]) = (random.i64(1..=i64::MAX), -1);
        problem.add(false, &row);
    }
    problem
}

/// Small bounds around rows with coefficients of up to 150 bits that differ by little.
fn huge(random: &mut Rng) -> Problem {
    let variables = random.i64(2..=4) as usize;
    let mut problem = Problem { variables, ..Problem::default() };
    for _ in 0..random.i64(1..=3) {
        let scale = BigInt::from(random.i64(1..=i64::MAX)) << random.i64(0..=90);
        let row = (0..=variables).map(|_| &scale * random.i64(-3..=3) + random.i64(-4..=4)).collect();
        problem.inequalities.push(row);
    }
    for i in 0..variables {
        let mut row = vec![0; 1 + variables];
        (row[0], row[1 + i]) = (random.i64(1..=9), -1);
        problem.add(false, &row);
    }
    problem
}

/// A problem of one of the kinds.
fn problem(seed: u64) -> Problem {
    let mut random = Rng::with_seed(seed);
    match seed % 8 {
        0..=2 => anything(&mut random),
        3..=5 => scheduling(&mut random),
        6 => growing(&mut random),
        _ => huge(&mut random),
    }
}
