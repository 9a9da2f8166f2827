use super::*;
use crate::dependence::{Dependences, Mode};
use crate::ilp::{Budget, Outcome, Solver};
use crate::isl::{Ctx, UnionMap};
use crate::schedule::constraints;
use crate::scop::Scop;
use fastrand::Rng;

fn coefficients(map: &Map, of: Of<'_>) -> Result<Coefficients> {
    Points::of(map)?.coefficients(of)
}

fn inter_node(map: &Map) -> Result<Coefficients> {
    coefficients(map, Of::Pairs)
}

fn intra_node(map: &Map) -> Result<Coefficients> {
    coefficients(map, Of::Differences)
}

/// No vector that `stronger` allows is forbidden by `weaker`: each row of `weaker` follows, as the solver says.
fn implies(stronger: &Rows, weaker: &Rows) -> bool {
    let negative = |row: &Vec<i64>| row.iter().map(|x| -x).collect::<Vec<i64>>();
    let columns =
        stronger.0.iter().chain(&stronger.1).chain(&weaker.0).chain(&weaker.1).map(Vec::len).max().unwrap_or(0);
    let mut solver = Solver::new(2 * columns);
    // Variables are not negative: c = c+ − c-.
    let split = |row: &[i64], constant: i64| {
        let mut all = vec![constant];
        all.extend(row.iter().flat_map(|x| [*x, -x]));
        all
    };
    for row in &stronger.0 {
        solver.add_eq(&split(row, 0));
    }
    for row in &stronger.1 {
        solver.add_ge(&split(row, 0));
    }
    let opposite: Vec<Vec<i64>> = weaker.0.iter().map(negative).collect();
    weaker.0.iter().chain(&opposite).chain(&weaker.1).all(|row| {
        solver.push();
        solver.add_ge(&split(&negative(row), -1));
        let outcome = solver.lexmin_rational(&mut Budget::new(100_000));
        solver.pop();
        outcome == Outcome::Infeasible
    })
}

/// Equalities and inequalities of a cone of coefficients.
type Rows = (Vec<Vec<i64>>, Vec<Vec<i64>>);

fn same(a: &Rows, b: &Rows) -> bool {
    implies(a, b) && implies(b, a)
}

fn ours(c: Coefficients) -> Rows {
    (c.equalities, c.inequalities)
}

/// isl's coefficients of the forms that are not negative on a set.
fn by_isl(set: isl::Result<Set>) -> isl::Result<Rows> {
    let rows = set?.remove_divs()?.coefficients()?.constraint_rows()?.unwrap();
    let tail = |rows: Vec<Vec<i64>>| rows.into_iter().map(|row| row[1..].to_vec()).collect::<Vec<_>>();
    Ok((tail(rows.equalities), tail(rows.inequalities)))
}

/// The set of the integer points of a cone of coefficients.
fn cone(ctx: &Ctx, (equalities, inequalities): &Rows, columns: usize) -> Set {
    let names: Vec<String> = (0..columns).map(|i| format!("c{i}")).collect();
    let row = |row: &Vec<i64>, relation: &str| {
        let terms: Vec<String> = row.iter().zip(&names).map(|(a, name)| format!("{a}{name}")).collect();
        format!("{} {relation} 0", terms.join(" + "))
    };
    let mut all: Vec<String> = equalities.iter().map(|r| row(r, "=")).collect();
    all.extend(inequalities.iter().map(|r| row(r, ">=")));
    Set::parse(ctx, &format!("{{ [{}] : {} }}", names.join(", "), all.join(" and "))).unwrap()
}

fn parse(ctx: &Ctx, text: &str) -> Map {
    Map::parse(ctx, text).unwrap()
}

#[test]
fn verdoolaege2017_example_10_sets_30_to_35() {
    let ctx = Ctx::new();
    let flow = [
        "[n] -> { S[i, j] -> S[i, j + 1] : 0 <= i < n and 0 <= j < n - 1 }",
        "[n] -> { S[i, n - 1] -> S[i + 1, 0] : 0 <= i < n - 1 }",
    ];
    // Coefficients are d, cn, cx0, cx1; the report writes cx0, cx1, cn, d.
    let with_parameters = [
        "{ [d, cn, cx0, cx1] : cn >= 0 and cx1 + 2cn + d >= 0 }",
        "{ [d, cn, cx0, cx1] : cx1 <= cn and cx1 <= cx0 + 2cn + d }",
    ];
    let without = ["{ [d, cx0, cx1] : cx1 + d >= 0 }", "{ [d, cx0, cx1] : cx1 <= 0 and cx1 <= cx0 + d }"];
    let carried = ["{ [d, cx0, cx1] : d = -1 and cx1 > 0 }", "{ [d, cx0, cx1] : d = -1 and cx1 <= 0 and cx1 < cx0 }"];
    let set = |text: &str| Set::parse(&ctx, text).unwrap();
    for i in 0..2 {
        let map = parse(&ctx, flow[i]);
        let all = cone(&ctx, &ours(intra_node(&map).unwrap()), 4);
        assert!(all.is_equal(&set(with_parameters[i])).unwrap(), "{all}");
        let plain = cone(&ctx, &ours(coefficients(&map, Of::BoundedDifferences(&[None, None])).unwrap()), 3);
        assert!(plain.is_equal(&set(without[i])).unwrap(), "{plain}");
        let minus_one = isl::Val::int(&ctx, -1).unwrap();
        let negative = plain.fix_val(DimType::SET, 0, minus_one).unwrap();
        assert!(negative.is_equal(&set(carried[i])).unwrap(), "{negative}");
    }
    // Both at once: each conjunct imposes its own.
    let both = parse(&ctx, flow[0]).union(parse(&ctx, flow[1])).unwrap();
    let expected = set(with_parameters[0]).intersect(set(with_parameters[1])).unwrap();
    assert!(cone(&ctx, &ours(intra_node(&both).unwrap()), 4).is_equal(&expected).unwrap());
}

#[test]
fn verdoolaege2017_example_31_a_bound_by_the_size_is_left_out() {
    let ctx = Ctx::new();
    let map = parse(&ctx, "{ S[i, j] -> S[i + 1, k] : j <= k <= j + 6 }");
    let set = |text: &str| Set::parse(&ctx, text).unwrap();
    let of = |sizes: &[Option<i64>]| cone(&ctx, &ours(coefficients(&map, Of::BoundedDifferences(sizes)).unwrap()), 3);
    let all = of(&[None, Some(7)]);
    assert!(all.is_equal(&set("{ [d, a, b] : d + a >= 0 and d + a + 6b >= 0 }")).unwrap(), "{all}");
    let dropped = of(&[None, Some(6)]);
    assert!(dropped.is_equal(&set("{ [d, a, b] : d + a >= 0 and b >= 0 }")).unwrap(), "{dropped}");
}

#[test]
fn an_empty_relation_imposes_nothing() {
    let ctx = Ctx::new();
    for text in ["{ S[i] -> T[j] : 1 = 0 }", "{ S[i] -> T[j] : i > j and j > i }"] {
        let none = inter_node(&parse(&ctx, text)).unwrap();
        assert_eq!((none.n_in, none.n_out), (1, 1));
        assert!(none.equalities.is_empty() && none.inequalities.is_empty(), "{none:?}");
    }
}

#[test]
fn large_numbers_are_refused() {
    let ctx = Ctx::new();
    let map = parse(
        &ctx,
        "{ S[i, j] -> T[k] : 3037000507 i + 5 j >= 3037000499 k and 3037000493 j >= 7 i + 2 k and 0 <= k <= 3037000000 i + 1 }",
    );
    assert_eq!(inter_node(&map), Err(Error::Overflow));
    let larger = parse(&ctx, "{ S[i] -> T[j] : i >= 9223372036854775807 and j = 9223372036854775809 }");
    assert_eq!(inter_node(&larger), Err(Error::Overflow));
}

/// A conjunction over the names, with a division now and then.
fn conjunction(random: &mut Rng, names: &[String]) -> String {
    let mut all = Vec::new();
    for _ in 0..1 + random.u64(..5) {
        let relation = if random.u64(..5) == 0 { "=" } else { ">=" };
        let mut terms = vec!["0".to_owned()];
        for name in names {
            if random.u64(..2) == 0 {
                terms.push(format!("{}{name}", random.i64(-3..=3)));
            }
        }
        all.push(format!("{} + {} {relation} 0", random.i64(-8..=8), terms.join(" + ")));
    }
    if random.u64(..4) == 0 {
        let name = &names[random.usize(..names.len())];
        all.push(format!("{name} mod {} = {}", 2 + random.u64(..2), random.u64(..2)));
    }
    all.join(" and ")
}

fn random_map(random: &mut Rng, ctx: &Ctx) -> Map {
    let (parameters, dimensions) = (random.usize(..3), 1 + random.usize(..2));
    let list = |prefix: &str, n: usize| (0..n).map(|i| format!("{prefix}{i}")).collect::<Vec<String>>();
    let (n, x, y) = (list("n", parameters), list("x", dimensions), list("y", dimensions));
    let names = [&n[..], &x[..], &y[..]].concat();
    let pairs = format!("S[{}] -> S[{}]", x.join(", "), y.join(", "));
    let disjuncts: Vec<String> =
        (0..1 + random.u64(..2)).map(|_| format!("{pairs} : {}", conjunction(random, &names))).collect();
    parse(ctx, &format!("[{}] -> {{ {} }}", n.join(", "), disjuncts.join("; ")))
}

#[test]
fn coefficients_are_isls_on_random_relations() {
    let ctx = Ctx::new();
    let mut random = Rng::with_seed(0x5eed_0001);
    let (mut compared, mut all_the_same) = (0, 0);
    while compared < 500 {
        let map = random_map(&mut random, &ctx);
        if map.is_empty().unwrap() {
            continue;
        }
        compared += 1;
        // isl rounds bounds to the integers between; it may find more, never less.
        let pairs = ours(inter_node(&map).unwrap());
        let expected = by_isl(map.clone().wrap()).unwrap();
        let equal = implies(&expected, &pairs);
        assert!(implies(&pairs, &expected), "{map}: {pairs:?}, isl {expected:?}");
        let differences = ours(intra_node(&map).unwrap());
        let expected = by_isl(map.clone().deltas()).unwrap();
        assert!(implies(&differences, &expected), "{map}: {differences:?}, isl {expected:?}");
        all_the_same += usize::from(equal && implies(&expected, &differences));
    }
    assert!(all_the_same * 10 > compared * 9, "{all_the_same} of {compared} are the same");
}

#[test]
fn coefficients_are_isls_on_all_dependences_of_the_test_programs() {
    let (mut relations, mut compared) = (0, 0);
    for file in crate::regions::files() {
        let ctx = Ctx::new();
        let scop = Scop::parse(&ctx, &std::fs::read_to_string(&file).unwrap()).unwrap();
        let deps = Dependences::compute(&scop, Mode { live_range_reordering: true, ..Mode::default() }).unwrap();
        let constraints = constraints(&scop, &deps, None).unwrap();
        let all: UnionMap = constraints.validity().unwrap().union(deps.dep_false.clone()).unwrap();
        for map in all.map_list().unwrap().to_vec().unwrap() {
            relations += 1;
            let space = map.space().unwrap();
            let (found, expected) = match space.tuple_is_equal(DimType::In, &space, DimType::Out).unwrap() {
                true => (intra_node(&map).unwrap(), map.clone().deltas()),
                false => (inter_node(&map).unwrap(), map.clone().wrap()),
            };
            let found = ours(found);
            // Eliminating multipliers takes isl minutes for some.
            if found.0.len() + found.1.len() > 40 {
                continue;
            }
            let expected = by_isl(expected).unwrap();
            compared += 1;
            assert!(same(&found, &expected), "{}: {map}: {found:?}, isl {expected:?}", file.display());
        }
    }
    assert!(compared > 100 && compared * 10 > relations * 9, "{compared} of {relations}");
}

#[test]
fn a_form_is_only_said_to_be_negative_where_some_pair_makes_it_so() {
    let ctx = Ctx::new();
    let is_negative = |text: &str, form: &[i64]| {
        let map = Map::parse(&ctx, text).unwrap();
        Points::of(&map).unwrap().is_somewhere_negative(form)
    };
    let triangle = "[n] -> { [i] -> [j] : 0 <= i <= j < n }";
    // j − i, i − j, and n − 5, which is negative at the vertex; 10 − j falls along a ray.
    assert!(!is_negative(triangle, &[0, 0, -1, 1]) && is_negative(triangle, &[0, 0, 1, -1]));
    assert!(is_negative(triangle, &[-5, 1, 0, 0]) && is_negative(triangle, &[10, 0, 0, -1]));
    // No vertex is integer, and 2 − 2j is zero at the only point.
    assert!(!is_negative("{ [i] -> [j] : 1 <= 2i <= 3 and 1 <= 2j <= 3 and i = j }", &[2, 0, -2]));
    // The hull is larger than what is even.
    assert!(!is_negative("{ [i] -> [i] : i mod 2 = 0 and 0 <= i <= 3 }", &[2, -1, 0]));
}
