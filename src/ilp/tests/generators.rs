//! Generators against the solver: what is not negative on all of them is not negative on the cone.

use super::super::generators::{Generators, GeneratorsError, generators};
use super::*;

fn dot(a: &[i64], b: &[i64]) -> i128 {
    a.iter().zip(b).map(|(&a, &b)| i128::from(a) * i128::from(b)).sum()
}

/// Some `y` in the cone has a negative product with the form, asked of the solver: `y` as a difference of non-negative
/// variables, and the product at most −1, which scaling can always reach.
fn is_negative_somewhere(dimension: usize, equalities: &[Vec<i64>], inequalities: &[Vec<i64>], form: &[i64]) -> bool {
    let mut solver = Solver::new(2 * dimension);
    let split = |constant: i64, row: &[i64]| {
        let pairs = row.iter().flat_map(|&a| [a, -a]);
        std::iter::once(constant).chain(pairs).collect::<Vec<i64>>()
    };
    for row in equalities {
        solver.add_eq(&split(0, row));
    }
    for row in inequalities {
        solver.add_ge(&split(0, row));
    }
    let negated: Vec<i64> = form.iter().map(|&a| -a).collect();
    solver.add_ge(&split(-1, &negated));
    match solver.lexmin_rational(&mut Budget::new(OPERATIONS)) {
        Outcome::Optimal(_) => true,
        Outcome::Infeasible => false,
        Outcome::Budget => panic!("rational problems end"),
    }
}

/// Every row of the cone says the same, and leaving out any ray or line loses something.
fn verify(dimension: usize, equalities: &[Vec<i64>], inequalities: &[Vec<i64>], found: &Generators) {
    let Generators { lines, rays } = found;
    for generator in lines.iter().chain(rays) {
        assert!(equalities.iter().all(|row| dot(row, generator) == 0));
        assert!(inequalities.iter().all(|row| dot(row, generator) >= 0));
    }
    assert!(lines.iter().all(|line| inequalities.iter().all(|row| dot(row, line) == 0)));
    // A generator that is a combination of the others would be not negative wherever they are.
    for (index, ray) in rays.iter().enumerate() {
        let others: Vec<Vec<i64>> =
            rays.iter().enumerate().filter(|(other, _)| *other != index).map(|(_, ray)| ray.clone()).collect();
        assert!(is_negative_somewhere(dimension, lines, &others, ray), "{found:?}");
    }
    for index in 0..lines.len() {
        let mut others = lines.clone();
        let line = others.remove(index);
        assert!(is_negative_somewhere(dimension, &others, &[], &line), "{found:?}");
    }
}

#[test]
fn generators_say_what_is_not_negative_on_a_cone() {
    let (mut yes, mut no, mut most) = (0, 0, 0);
    for seed in 0..1500 {
        let mut random = Rng::with_seed(seed);
        let dimension = random.i64(1..=5) as usize;
        let row = |random: &mut Rng| (0..dimension).map(|_| random.i64(-3..=3)).collect::<Vec<i64>>();
        let equalities: Vec<_> = (0..random.i64(0..=2)).map(|_| row(&mut random)).collect();
        let inequalities: Vec<_> = (0..random.i64(0..=8)).map(|_| row(&mut random)).collect();
        let found = generators(dimension, &equalities, &inequalities, 1000, &mut Budget::new(OPERATIONS)).unwrap();
        verify(dimension, &equalities, &inequalities, &found);
        most = most.max(found.rays.len());
        for _ in 0..4 {
            // Half of the forms are combinations of the rows, so that some are not negative.
            let mut form = row(&mut random);
            if random.bool() {
                form = vec![0; dimension];
                for row in &inequalities {
                    let factor = random.i64(0..=2);
                    form.iter_mut().zip(row).for_each(|(x, a)| *x += factor * a);
                }
            }
            let ours = found.lines.iter().any(|line| dot(&form, line) != 0)
                || found.rays.iter().any(|ray| dot(&form, ray) < 0);
            let theirs = is_negative_somewhere(dimension, &equalities, &inequalities, &form);
            assert_eq!(ours, theirs, "{equalities:?} {inequalities:?} {form:?}");
            if ours { no += 1 } else { yes += 1 }
        }
    }
    assert!(yes > 1000 && no > 1000 && most > 5, "{yes} {no} {most}");
}

/// `0 ≤ x_i ≤ 1` in coordinates `(1, x)`: the generators are the corners.
#[test]
fn a_cube_has_its_corners() {
    for n in 1..=5 {
        let mut rows = Vec::new();
        for i in 0..n {
            let mut lower = vec![0; 1 + n];
            lower[1 + i] = 1;
            let mut upper = vec![0; 1 + n];
            (upper[0], upper[1 + i]) = (1, -1);
            rows.extend([lower, upper]);
        }
        let found = generators(1 + n, &[], &rows, 100, &mut Budget::new(OPERATIONS)).unwrap();
        assert!(found.lines.is_empty());
        let corners: std::collections::BTreeSet<Vec<i64>> = found.rays.iter().cloned().collect();
        assert_eq!((found.rays.len(), corners.len()), (1 << n, 1 << n));
        assert!(corners.iter().all(|corner| corner[0] == 1 && corner.iter().all(|x| (0..=1).contains(x))));
    }
    let square = [vec![0, 1, 0], vec![1, -1, 0], vec![0, 0, 1], vec![1, 0, -1]];
    assert_eq!(generators(3, &[], &square, 2, &mut Budget::new(OPERATIONS)), Err(GeneratorsError::Limit(2)));
}

/// ppcg report, Example 31: (110) gives (111), and without the upper bound (113).
#[test]
fn ppcg_example_31() {
    // { [1, b] : 0 ≤ b ≤ 6 } in coordinates (1, a, b).
    let equality = vec![-1, 1, 0];
    let positive = vec![1, 0, 0];
    let (lower, upper) = (vec![0, 0, 1], vec![6, 0, -1]);
    let mut bounded = generators(
        3,
        std::slice::from_ref(&equality),
        &[positive.clone(), lower.clone(), upper],
        100,
        &mut Budget::new(OPERATIONS),
    )
    .unwrap();
    bounded.rays.sort();
    // d + c_0 ≥ 0 and d + c_0 + 6 c_1 ≥ 0
    assert_eq!(bounded, Generators { lines: vec![], rays: vec![vec![1, 1, 0], vec![1, 1, 6]] });
    let mut half = generators(3, &[equality], &[positive, lower], 100, &mut Budget::new(OPERATIONS)).unwrap();
    half.rays.sort();
    // c_1 ≥ 0 and d + c_0 ≥ 0
    assert_eq!(half, Generators { lines: vec![], rays: vec![vec![0, 0, 1], vec![1, 1, 0]] });
}

#[test]
fn wide_steps_are_taken_and_wide_results_refused() {
    let n = i64::MAX;
    // x = n y, z = n y, and 0 ≤ x − z + y: the steps pass 64 bits, the result does not.
    let found =
        generators(3, &[vec![1, -n, 0], vec![0, n, -1]], &[vec![1, 1, -1]], 10, &mut Budget::new(OPERATIONS)).unwrap();
    assert_eq!(found, Generators { lines: vec![], rays: vec![vec![n, 1, n]] });
    let wide = generators(3, &[vec![1, -n, 0], vec![0, 1, -n]], &[], 10, &mut Budget::new(OPERATIONS));
    assert_eq!(wide, Err(GeneratorsError::Wide));
}
