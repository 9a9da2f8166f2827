//! Rational minima, proved by feasibility and by dual multipliers for each objective.

use super::super::{Certificate, Owner};
use super::*;
use num_bigint::Sign;
use num_integer::Integer as _;

/// The coefficients of an owner, without the constant.
fn gradient(problem: &Problem, owner: Owner) -> Vec<BigInt> {
    match owner {
        Owner::Variable(i) => (0..problem.variables).map(|j| BigInt::from(u8::from(i == j))).collect(),
        Owner::Row(row) => problem.row(row.0 as usize)[1..].to_vec(),
        Owner::Cut => panic!("a rational minimum needs no cut"),
    }
}

fn dot(a: &[BigInt], b: &[BigInt]) -> BigInt {
    a.iter().zip(b).map(|(a, b)| a * b).sum()
}

/// The rank of rows of integers, by elimination without fractions.
fn rank(mut rows: Vec<Vec<BigInt>>) -> usize {
    let mut rank = 0;
    for column in 0..rows.first().map_or(0, Vec::len) {
        let Some(pivot) = (rank..rows.len()).find(|&r| rows[r][column] != BigInt::ZERO) else { continue };
        rows.swap(rank, pivot);
        let base = rows[rank].clone();
        for row in &mut rows[rank + 1..] {
            let factor = row[column].clone();
            for (x, y) in row.iter_mut().zip(&base) {
                *x = &*x * &base[column] - &factor * y;
            }
            let divisor = row.iter().fold(BigInt::ZERO, |divisor, x| divisor.gcd(x));
            if divisor != BigInt::ZERO {
                row.iter_mut().for_each(|x| *x /= &divisor);
            }
        }
        rank += 1;
    }
    rank
}

/// Panics unless the certificate proves its point to be the minimum of the problem.
fn verify(problem: &Problem, certificate: &Certificate) {
    let Certificate { point, rays } = certificate;
    assert_eq!(point.denominator.sign(), Sign::Plus);
    assert!(point.numerators.iter().all(|x| x.sign() != Sign::Minus), "{point:?}");
    assert!(problem.equalities.iter().all(|row| value(row, point) == BigInt::ZERO));
    assert!(problem.inequalities.iter().all(|row| value(row, point).sign() != Sign::Minus));

    // The rays are a basis of the directions within the equalities, dual to their owners up to positive factors.
    let gradients: Vec<Vec<BigInt>> = problem.equalities.iter().map(|row| row[1..].to_vec()).collect();
    assert_eq!(rays.len() + rank(gradients.clone()), problem.variables);
    for (index, (owner, ray)) in rays.iter().enumerate() {
        assert!(gradients.iter().all(|row| dot(row, ray) == BigInt::ZERO));
        let own = gradient(problem, *owner);
        assert_eq!(dot(&own, ray).sign(), Sign::Plus);
        assert!(rays.iter().enumerate().all(|(other, (_, ray))| other == index || dot(&own, ray) == BigInt::ZERO));
        match owner {
            Owner::Variable(i) => assert_eq!(point.numerators[*i], BigInt::ZERO),
            Owner::Row(row) => assert_eq!(value(problem.row(row.0 as usize), point), BigInt::ZERO),
            Owner::Cut => unreachable!(),
        }
    }
    // Objective `i` with those before at their minimum: slacks whose rays move an earlier one up are zero, and the
    // others' multipliers must not be negative.
    for objective in 0..problem.variables {
        for (_, ray) in rays {
            if ray[..objective].iter().all(|x| *x == BigInt::ZERO) {
                assert_ne!(ray[objective].sign(), Sign::Minus, "objective {objective}: {certificate:?}");
            } else {
                assert_eq!(ray.iter().find(|x| **x != BigInt::ZERO).unwrap().sign(), Sign::Plus);
            }
        }
    }
}

#[test]
fn rational_minima_have_certificates() {
    let (mut optimal, mut fractional) = (0, 0);
    for seed in 0..6000 {
        let problem = problem(seed);
        let mut solver = problem.solver();
        match solver.lexmin_rational(&mut Budget::new(OPERATIONS)) {
            Outcome::Optimal(point) => {
                let certificate = solver.certificate();
                assert_eq!(certificate.point, point);
                verify(&problem, &certificate);
                optimal += 1;
                fractional += u32::from(!point.is_integer());
            }
            Outcome::Infeasible => {
                // A conflict, with the equalities, is infeasible by itself.
                let rows = solver.conflict();
                let mut part = Problem { inequalities: Vec::new(), ..problem.clone() };
                part.inequalities = rows.iter().map(|row| problem.row(row.0 as usize).to_vec()).collect();
                let again = part.solver().lexmin_rational(&mut Budget::new(OPERATIONS));
                assert_eq!(again, Outcome::Infeasible, "seed {seed}: {problem:?} {rows:?}");
            }
            Outcome::Budget => panic!("seed {seed}: rational problems end"),
        }
    }
    assert!(optimal > 3000 && fractional > 1000, "{optimal} {fractional}");
}
