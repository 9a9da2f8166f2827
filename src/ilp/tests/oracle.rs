//! Integer minima against isl's.

use super::*;
use polyrs_isl::{Ctx, DimType, Set};

/// The set of the problem's points, as text.
fn text(problem: &Problem) -> String {
    let names: Vec<String> = (0..problem.variables).map(|i| format!("x{i}")).collect();
    let mut conditions: Vec<String> = names.iter().map(|name| format!("{name} >= 0")).collect();
    let side = |row: &[BigInt]| {
        let terms = row[1..].iter().zip(&names).map(|(a, name)| format!(" + {a} {name}"));
        format!("{}{}", row[0], terms.collect::<String>())
    };
    conditions.extend(problem.equalities.iter().map(|row| format!("{} = 0", side(row))));
    conditions.extend(problem.inequalities.iter().map(|row| format!("{} >= 0", side(row))));
    format!("{{ [{}] : {} }}", names.join(", "), conditions.join(" and ")).replace("+ -", "- ")
}

/// isl's minimum; `None` when it did not find one within its quota.
fn isl_lexmin(ctx: &Ctx, problem: &Problem) -> Option<Outcome<Point>> {
    let set = Set::parse(ctx, &text(problem)).unwrap();
    let result = ctx.with_quota(200_000, || -> polyrs_isl::Result<Outcome<Point>> {
        let minimum = set.lexmin()?;
        if minimum.is_empty()? {
            return Ok(Outcome::Infeasible);
        }
        let point = minimum.sample_point()?;
        let coordinate = |i: usize| Ok(point.coordinate(DimType::SET, i as i32)?.to_string().parse().unwrap());
        let numerators = (0..problem.variables).map(coordinate).collect::<polyrs_isl::Result<Vec<BigInt>>>()?;
        Ok(Outcome::Optimal(Point { denominator: BigInt::from(1), numerators }))
    });
    match result {
        Ok(outcome) => Some(outcome),
        Err(error) => {
            assert!(error.is_exhausted(), "{error}: {}", text(problem));
            None
        }
    }
}

/// What came out of a number of comparisons.
#[derive(Debug, Default)]
struct Tally {
    optimal: u64,
    infeasible: u64,
    /// One of the two spent its budget.
    unknown: u64,
    /// Minima beyond 64 and 128 bits.
    beyond_64: u64,
    beyond_128: u64,
}

fn compare(seeds: std::ops::Range<u64>) -> Tally {
    let mut tally = Tally::default();
    let ctx = Ctx::new();
    for seed in seeds {
        let problem = problem(seed);
        let ours = problem.integer();
        if ours == Outcome::Budget {
            tally.unknown += 1;
            continue;
        }
        let Some(theirs) = isl_lexmin(&ctx, &problem) else {
            tally.unknown += 1;
            continue;
        };
        assert_eq!(ours, theirs, "seed {seed}: {}", text(&problem));
        match ours {
            Outcome::Optimal(point) => {
                tally.optimal += 1;
                tally.beyond_64 += u64::from(point.to_i64().is_none());
                tally.beyond_128 += u64::from(point.numerators.iter().any(|x| x.bits() > 127));
            }
            _ => tally.infeasible += 1,
        }
    }
    tally
}

/// Both answers must be frequent, wide ones too, and missing ones rare.
fn assert_telling(tally: &Tally, count: u64) {
    assert!(tally.optimal > count / 2 && tally.infeasible > count / 10, "{tally:?}");
    assert!(tally.beyond_64 > count / 50 && tally.beyond_128 > count / 100, "{tally:?}");
    assert!(tally.unknown < count / 100, "{tally:?}");
}

#[test]
fn integer_minima_are_those_of_isl() {
    assert_telling(&compare(0..4000), 4000);
}

#[test]
#[ignore = "takes minutes; `cargo xtask test --level long` runs it"]
fn integer_minima_are_those_of_isl_on_many_problems() {
    let count = 150_000;
    let tally = compare(1_000_000..1_000_000 + count);
    println!("{tally:?}");
    assert_telling(&tally, count);
    assert!(tally.optimal + tally.infeasible >= 100_000, "{tally:?}");
}
