//! Random strategies, written as files, on every region under `test/scop`: each tree is legal by both judges, or there is a
//! reason why there is none, within a bound on the work.

use crate::coefficients::broken;
use crate::regions::files;
use crate::schedules::{complaints, groups_of_region, read};
use fastrand::Rng;
use polyrs::dependence::{Dependences, Mode};
use polyrs::isl::{Ctx, DimType, Set};
use polyrs::machine::Machine;
use polyrs::schedule::{Error, Strategy, as_aimed, check_names, constraints, schedule_groups};
use polyrs::scop::Scop;
use std::fmt::Write;

/// The operations of a schedule: some seconds.
const QUOTA: u64 = 4_000_000;

fn one_of<'a>(random: &mut Rng, words: &[&'a str]) -> &'a str {
    words[random.usize(..words.len())]
}

/// What a problem makes least: an aim, and what tells equally good members apart, in some order.
fn minimized(random: &mut Rng) -> Vec<&'static str> {
    let mut terms = match random.u32(..10) {
        0..3 => vec!["bound-sum", "bound-constant"],
        3..5 => vec!["bound-parameters", "bound-constant"],
        5..7 => vec!["uncarried-spatial"],
        7 => vec!["weighted-distances"],
        _ => Vec::new(),
    };
    if terms.len() == 2 && random.bool() {
        terms.reverse();
    }
    for term in ["parameter-coefficients", "variable-coefficients", "row-coefficients", "stride-coefficients"] {
        let is_needed = term == "variable-coefficients" && terms.contains(&"uncarried-spatial");
        let is_rare = term == "stride-coefficients";
        if is_needed || random.u32(..4) > if is_rare { 2 } else { 0 } {
            let before = if is_needed { terms.iter().position(|term| *term == "uncarried-spatial") } else { None };
            terms.insert(random.usize(..=before.unwrap_or(terms.len())), term);
        }
    }
    if terms.iter().all(|term| term.ends_with("coefficients")) && random.bool() {
        let distances: &[&[&str]] = &[
            &["group-distances"],
            &["temporal-distances"],
            &["spatial-distances"],
            &["spatial-distances", "temporal-distances"],
        ];
        terms.splice(0..0, distances[random.usize(..distances.len())].iter().copied());
    }
    terms
}

/// The terms that groups of references are for.
const OF_GROUPS: [&str; 4] = ["group-distances", "temporal-distances", "spatial-distances", "uncarried-spatial"];

fn is_of_groups(terms: &[&str]) -> bool {
    terms.iter().any(|term| OF_GROUPS.contains(term))
}

/// A choice among what is near, for a problem that has distances, in a strategy with groups of references or without.
fn near(random: &mut Rng, terms: &[&str], by_groups: bool, has_input: bool, arrays: &[&str]) -> String {
    let has_distances = terms.iter().any(|term| *term == "bound-constant" || *term == "weighted-distances");
    if !has_distances && !is_of_groups(terms) || random.u32(..3) > 0 {
        return String::new();
    }
    let kinds = ["flow", "false", "input"];
    let kinds: &[&str] = if by_groups { &[] } else { &kinds[..if has_input { 3 } else { 2 }] };
    let mut list: Vec<&str> = kinds.iter().chain(arrays).copied().filter(|_| random.u32(..3) == 0).collect();
    random.shuffle(&mut list);
    if list.is_empty() { String::new() } else { format!("near = {list:?}\n") }
}

/// Weights of what the terms of a strategy look at.
fn weights(random: &mut Rng, terms: &[Vec<&str>], statements: &[Named], arrays: &[&str]) -> String {
    let has = |wanted: &[&str]| terms.iter().flatten().any(|term| wanted.contains(term));
    let mut text = String::new();
    if has(&["weighted-distances"]) {
        let mut name = || &statements[random.usize(..statements.len())].0;
        let (source, target) = (name(), name());
        let _ = writeln!(text, "\"{source} -> {target}\" = 3\nothers = {}", random.u32(..3));
    }
    if has(&["row-coefficients", "stride-coefficients"]) && random.bool() {
        for array in arrays {
            if random.u32(..3) > 0 {
                continue;
            }
            let _ = writeln!(text, "\"{array}\" = {}", [0, 1, 2, 1_000_000][random.usize(..4)]);
        }
    }
    if text.is_empty() { text } else { format!("[weights]\n{text}") }
}

/// A statement, with the names of its loops.
type Named = (String, Vec<String>);

fn statements(scop: &Scop) -> Vec<Named> {
    let named = |set: Set| (set.tuple_name().unwrap().unwrap(), set.space().unwrap().dim_names(DimType::SET).unwrap());
    scop.domain().unwrap().set_list().unwrap().to_vec().unwrap().into_iter().map(named).collect()
}

/// A coefficient of some statement.
fn coefficient(random: &mut Rng, (name, loops): &Named) -> String {
    let place = random.usize(..=loops.len());
    format!("{name}.{}", loops.get(place).map_or("1", String::as_str))
}

/// Constraints on coefficients.
fn of_coefficients(random: &mut Rng, statements: &[Named]) -> String {
    let constraint = |random: &mut Rng| {
        let one = &statements[random.usize(..statements.len())];
        let other = &statements[random.usize(..statements.len())];
        let relation = one_of(random, &["=", "<=", ">="]);
        let (first, second) = (coefficient(random, one), coefficient(random, other));
        match (random.u32(..3), one.1.first()) {
            (0, Some(of)) => format!("*.{of} <= {}", random.u32(..2)),
            (1, _) => format!("{first} {relation} {}", random.u32(..2)),
            _ => format!("{} {first} - {second} {relation} 0", random.u32(1..3)),
        }
    };
    let constraints: Vec<String> = (0..random.usize(1..3)).map(|_| constraint(random)).collect();
    format!("constraints = {constraints:?}\n")
}

/// Constraints on coefficients, and loops for vectors.
fn of_statements(random: &mut Rng, statements: &[Named]) -> String {
    let mut text = if random.u32(..3) == 0 { of_coefficients(random, statements) } else { String::new() };
    let (name, loops) = &statements[random.usize(..statements.len())];
    if random.u32(..4) == 0 && !loops.is_empty() {
        let _ = writeln!(text, "vectorize = {{ {name} = \"{}\" }}", loops[random.usize(..loops.len())]);
    }
    text
}

/// The outermost members, some of which are legal.
fn prefix(random: &mut Rng, statements: &[Named]) -> String {
    let function = |random: &mut Rng, is_constant: bool| {
        let value = |random: &mut Rng, place: usize, loops: &[String]| match loops.len() {
            _ if is_constant => place.to_string(),
            0 => "0".to_owned(),
            n => format!("{} + {}", loops[random.usize(..n.min(2))], random.u32(..2)),
        };
        let one = |random: &mut Rng, (place, (name, loops)): (usize, &Named)| {
            format!("{name}[{}] -> [({})]", loops.join(", "), value(random, place, loops))
        };
        let all: Vec<String> = statements.iter().enumerate().map(|named| one(random, named)).collect();
        format!("{{ {} }}", all.join("; "))
    };
    let members: Vec<String> = (0..random.usize(1..3))
        .map(|_| {
            let is_constant = random.u32(..3) == 0;
            function(random, is_constant)
        })
        .collect();
    format!("prefix = {members:?}\n")
}

/// A file of a strategy with decoupled levels.
fn decoupled(random: &mut Rng, statements: &[Named], arrays: &[&str]) -> String {
    let mut terms = minimized(random);
    terms.retain(|term| !term.ends_with("-distances") && *term != "uncarried-spatial");
    let fusion = one_of(random, &["none", "smart", "max"]);
    let preset = one_of(random, &["isl-defaults", "ppcg", "pluto", "pluto-lp-dfp"]);
    let mut text = format!("preset = \"{preset}\"\nalgorithm = \"decoupled\"\nfusion = \"{fusion}\"\n");
    for key in ["maximize-band-depth", "outer-coincidence", "treat-coalescing", "input-dependences"] {
        if random.bool() {
            let _ = writeln!(text, "{key} = {}", random.bool());
        }
    }
    for key in ["max-coefficient", "max-constant"] {
        if random.u32(..5) == 0 {
            let _ = writeln!(text, "{key} = {}", random.u32(1..5));
        }
    }
    let parametric = terms.contains(&"parameter-coefficients") || random.bool();
    let skew = random.u32(..4) > 0;
    let near = near(random, &terms, false, has_input(&text), arrays);
    text += &weights(random, &[terms.clone()], statements, arrays);
    let _ = writeln!(
        text,
        "[problems.p]\nminimize = {terms:?}\n{near}signs = \"non-negative\"\nskew = {skew}\nparametric = {parametric}\n\
         [[steps]]\nproblem = \"p\"\ncoincident = \"none\""
    );
    text
}

/// A file so far has input dependences.
fn has_input(text: &str) -> bool {
    let of_preset = text.starts_with("preset = \"pluto") && !text.contains("input-dependences = false");
    of_preset || text.contains("input-dependences = true")
}

/// A file of a strategy, all of whose problems are solved by some step.
fn strategy(random: &mut Rng, statements: &[Named], arrays: &[&str]) -> String {
    if random.u32(..5) == 0 {
        return decoupled(random, statements, arrays);
    }
    let mut text = format!("preset = \"{}\"\n", one_of(random, &["isl-defaults", "ppcg", "pluto", "feautrier"]));
    let fusion = one_of(random, &["none", "smart", "max", "incremental"]);
    let _ = writeln!(text, "fusion = \"{fusion}\"");
    for key in [
        "maximize-band-depth",
        "outer-coincidence",
        "treat-coalescing",
        "unscale",
        "carry-self-first",
        "input-dependences",
        "private-arrays",
    ] {
        if random.bool() {
            let _ = writeln!(text, "{key} = {}", random.bool());
        }
    }
    if fusion == "incremental" {
        let _ = writeln!(text, "maximize-coincidence = {}", random.bool());
    }
    for key in ["max-coefficient", "max-constant"] {
        if random.u32(..5) == 0 {
            let _ = writeln!(text, "{key} = {}", random.u32(1..5));
        }
    }
    if random.u32(..8) == 0 {
        text += &prefix(random, statements);
    }
    if random.u32(..4) == 0 {
        text += &of_coefficients(random, statements);
    }
    let mut bodies = String::new();
    let problems = random.usize(1..=3);
    let terms: Vec<Vec<&str>> = (0..problems).map(|_| minimized(random)).collect();
    let by_groups = terms.iter().any(|terms| is_of_groups(terms));
    for (problem, minimize) in terms.iter().enumerate() {
        let forms = minimize.contains(&"uncarried-spatial") || random.u32(..3) > 0;
        let independence = if forms { "forms" } else { "orthogonal" };
        let signs = one_of(random, &["any", "non-negative"]);
        let skew = random.u32(..4) > 0;
        let parametric = minimize.contains(&"parameter-coefficients") || random.bool();
        let _ = writeln!(
            bodies,
            "[problems.p{problem}]\nminimize = {minimize:?}\nindependence = \"{independence}\"\nsigns = \"{signs}\"\n\
             skew = {skew}\nparametric = {parametric}"
        );
        bodies += &near(random, minimize, by_groups, has_input(&text), arrays);
        bodies += &of_statements(random, statements);
    }
    text += &weights(random, &terms, statements, arrays);
    text += &bodies;
    for problem in 0..problems {
        let is_last = problem + 1 == problems;
        let mut when = Vec::new();
        for condition in ["first", "last", "inner", "left <= 2", "nothing-parallel", "all-coincident"] {
            if random.u32(..if is_last { 12 } else { 4 }) == 0 {
                when.push(condition);
            }
        }
        let coincident = one_of(random, &["all", "one", "none"]);
        let _ = writeln!(text, "[[steps]]\nwhen = {when:?}\nproblem = \"p{problem}\"\ncoincident = \"{coincident}\"");
        let is_final = !is_last && when.is_empty();
        if is_final || random.u32(..3) == 0 {
            let otherwise = if is_final { "next" } else { one_of(random, &["next", "relax", "end"]) };
            let _ = writeln!(text, "otherwise = \"{otherwise}\"");
        }
        if by_groups && random.u32(..5) == 0 {
            text += "keep = \"carries-spatial\"\n";
        }
        if random.u32(..6) == 0 {
            text += "ends-band = true\n";
        }
    }
    text
}

#[test]
fn random_strategies_give_legal_trees_or_reasons() {
    let times: u64 = std::env::var("POLYRS_CAMPAIGN").ok().and_then(|times| times.parse().ok()).unwrap_or(1);
    let (machine, files) = (Machine::generic(), files());
    let (mut wrong, mut found, mut exhausted, mut refused) = (Vec::new(), 0, 0, 0);
    for seed in 0..120 * times {
        let mut random = Rng::with_seed(seed);
        let file = &files[random.usize(..files.len())];
        let ctx = Ctx::new();
        let scop = Scop::parse(&ctx, &read(file)).unwrap();
        let arrays: Vec<&str> = scop.arrays.iter().map(|array| array.name.as_str()).collect();
        let text = strategy(&mut random, &statements(&scop), &arrays);
        let strategy = Strategy::parse(&text, &machine).unwrap_or_else(|error| panic!("seed {seed}: {error}\n{text}"));
        let again = Strategy::parse(&strategy.to_string(), &machine);
        assert_eq!(again.as_ref(), Ok(&strategy), "seed {seed}: {strategy}");
        let mode = Mode { live_range_reordering: random.bool(), ..Mode::default() };
        let dependences = Dependences::compute(&scop, mode).unwrap();
        let made = constraints(&scop, &dependences, None).unwrap();
        let constraints = as_aimed(made, &scop, &dependences, &strategy).unwrap();
        let groups = if strategy.looks_at_references() { groups_of_region(&ctx, file) } else { Vec::new() };
        let place = format!("seed {seed}, {}, {mode:?}", file.display());
        let tree = match ctx.with_quota(QUOTA, || schedule_groups(&constraints, &groups, &strategy, &mut |_| ())) {
            Ok(tree) => tree,
            Err(error) if error.is_exhausted() => {
                exhausted += 1;
                continue;
            }
            Err(Error::NothingCarried | Error::NothingWithin | Error::NoStep(_) | Error::Overflow) => continue,
            Err(Error::Prefix { .. }) => {
                refused += 1;
                continue;
            }
            Err(error) => {
                wrong.push(format!("{place}: {error}\n{text}"));
                continue;
            }
        };
        assert_eq!(check_names(&strategy, &constraints, Some(&scop)), Ok(()), "{place}");
        found += 1;
        if strategy.prefix.is_empty() {
            wrong.extend(broken(&strategy, &tree).into_iter().map(|what| format!("{place}: {what}\n{text}")));
        }
        let complaints = complaints(&constraints, &scop, &tree).into_iter();
        wrong.extend(complaints.map(|complaint| format!("{place}: {complaint}\n{text}\n{tree}")));
    }
    assert!(wrong.is_empty(), "{} of {found}:\n{}", wrong.len(), wrong.join("\n"));
    let few = refused < 20 * times && exhausted < 6 * times;
    assert!(found > 60 * times && few, "{found} trees, {exhausted} exhausted, {refused} with a prefix that cannot be");
}
