//! The solver against isl's lexmin, its own certificates and brute force, on random problems.

mod behaviour;
mod certificate;
mod generators;
mod oracle;
mod regions;

use super::{Budget, Outcome, Point, Solver};
use num_bigint::BigInt;

/// Pivots for one problem: far more than any of them needs, unless it needs cuts without end.
const OPERATIONS: u64 = 50_000;

/// Pseudo-random numbers (xorshift), the same on each run.
struct Random(u64);

impl Random {
    fn new(seed: u64) -> Random {
        Random(seed.wrapping_mul(0x9E37_79B9_7F4A_7C15) | 1)
    }

    fn next(&mut self) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0.wrapping_mul(0x2545_F491_4F6C_DD1D)
    }

    /// A number from `low` to `high`.
    fn range(&mut self, low: i64, high: i64) -> i64 {
        low + (self.next() % (high - low + 1) as u64) as i64
    }

    /// True in one of `n` cases.
    fn one_in(&mut self, n: i64) -> bool {
        self.range(1, n) == 1
    }
}

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
fn anything(random: &mut Random) -> Problem {
    let variables = random.range(1, 5) as usize;
    let mut problem = Problem { variables, ..Problem::default() };
    let size = random.range(1, 7);
    for _ in 0..random.range(0, 2).min(variables as i64 - 1) {
        let row: Vec<i64> = (0..=variables).map(|_| random.range(-size, size)).collect();
        problem.add(true, &row);
    }
    for _ in 0..random.range(1, 7) {
        let mut row: Vec<i64> = (0..=variables).map(|_| random.range(-size, size)).collect();
        row[0] *= random.range(0, 4);
        problem.add(false, &row);
    }
    if random.one_in(2) {
        let bound = random.range(1, 12);
        for i in 0..variables {
            let mut row = vec![0; 1 + variables];
            (row[0], row[1 + i]) = (bound, -1);
            problem.add(false, &row);
        }
    }
    problem
}

/// Like a scheduler's: sums of the others in front, pairs with opposite coefficients, small sparse rows.
fn scheduling(random: &mut Random) -> Problem {
    let pairs = random.range(1, 4) as usize;
    let variables = 2 + 2 * pairs;
    let mut problem = Problem { variables, ..Problem::default() };
    let mut sum = vec![1; 1 + variables];
    (sum[0], sum[1], sum[2]) = (0, 0, -1);
    problem.add(true, &sum);
    for _ in 0..random.range(2, 12) {
        let mut row = vec![0; 1 + variables];
        for pair in 0..pairs {
            if random.one_in(2) {
                let a = random.range(-2, 2) * if random.one_in(6) { random.range(1, 30) } else { 1 };
                (row[3 + 2 * pair], row[4 + 2 * pair]) = (-a, a);
            }
        }
        row[1] = i64::from(random.one_in(2));
        row[0] = if random.one_in(3) { -random.range(0, 5) } else { 0 };
        problem.add(false, &row);
    }
    problem
}

/// Each variable is held above or at a large multiple of the one before, so that values pass 64 bits, and often 128.
fn growing(random: &mut Random) -> Problem {
    let variables = random.range(2, 8) as usize;
    let mut problem = Problem { variables, ..Problem::default() };
    let mut first = vec![0; 1 + variables];
    (first[0], first[1]) = (-random.range(1, 9), 1);
    problem.add(false, &first);
    for i in 1..variables {
        let mut row = vec![0; 1 + variables];
        row[0] = random.range(-9, 9);
        let largest = i64::MAX >> random.range(1, 40);
        row[i] = -random.range(1, largest);
        row[1 + i] = if random.one_in(4) { random.range(1, 3) } else { 1 };
        let other = random.range(1, i as i64) as usize;
        row[other] -= i64::from(random.one_in(3)) * random.range(0, 1 << 20);
        let equality = random.one_in(3) && row[1 + i] == 1;
        problem.add(equality, &row);
    }
    if random.one_in(4) {
        let mut row = vec![0; 1 + variables];
        (row[0], row[variables]) = (random.range(1, i64::MAX), -1);
        problem.add(false, &row);
    }
    problem
}

/// Small bounds around rows with coefficients of up to 150 bits that differ by little.
fn huge(random: &mut Random) -> Problem {
    let variables = random.range(2, 4) as usize;
    let mut problem = Problem { variables, ..Problem::default() };
    for _ in 0..random.range(1, 3) {
        let scale = BigInt::from(random.range(1, i64::MAX)) << random.range(0, 90);
        let row = (0..=variables).map(|_| &scale * random.range(-3, 3) + random.range(-4, 4)).collect();
        problem.inequalities.push(row);
    }
    for i in 0..variables {
        let mut row = vec![0; 1 + variables];
        (row[0], row[1 + i]) = (random.range(1, 9), -1);
        problem.add(false, &row);
    }
    problem
}

/// A problem of one of the kinds.
fn problem(seed: u64) -> Problem {
    let mut random = Random::new(seed);
    match seed % 8 {
        0..=2 => anything(&mut random),
        3..=5 => scheduling(&mut random),
        6 => growing(&mut random),
        _ => huge(&mut random),
    }
}
