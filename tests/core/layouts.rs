//! Random layouts of all regions: legal maps are applied, proved and run, illegal ones refused; and regions whose layout
//! was tampered with are seen to be wrong.

use super::gpu::{polybench, region};
use crate::regions::{below, files};
use fastrand::Rng;
use polyrs::check::interpret::{Interpreter, Order, small_parameters};
use polyrs::check::layout::check_layout;
use polyrs::driver::{Budget, Options, Scheduler, optimize};
use polyrs::isl::{Ctx, Map};
use polyrs::layout::{Applied, Error, Layout, Memory};
use polyrs::machine::Machine;
use polyrs::scop::{AccessKind, Array, ArrayKind, Scop};
use std::collections::BTreeMap;
use std::path::PathBuf;

/// The steps of the interpreter for a region, at most.
pub(super) const STEPS: u64 = 60_000;

/// The arrays that may have a map.
pub(super) fn mappable(scop: &Scop) -> Vec<&Array> {
    let accessed = |name: &str| scop.statements.iter().any(|statement| statement.uses(name).unwrap());
    let arrays = scop.arrays.iter().filter(|array| array.kind != ArrayKind::Scalar && array.rank() > 0);
    arrays.filter(|array| accessed(&array.name)).collect()
}

pub(super) fn names(rank: usize) -> Vec<String> {
    (0..rank).map(|position| format!("e{position}")).collect()
}

/// One-to-one functions of subscripts, as the dimensions of an address: skewed, in another order, cut into tiles.
pub(super) fn dimensions(rank: usize, numbers: &mut Rng) -> Vec<String> {
    let mut subscripts = names(rank);
    for position in 1..rank {
        if numbers.u8(..) < 50 {
            let other = numbers.usize(..position);
            subscripts[position] = format!("{} + {}*{}", subscripts[position], numbers.u8(1..3), subscripts[other]);
        }
    }
    let mut address = Vec::new();
    for subscript in subscripts {
        if numbers.u8(..) < 80 {
            let size = numbers.u8(2..5);
            address.push(format!("({subscript})/{size}"));
            address.push(format!("({subscript})%{size}"));
        } else {
            address.push(subscript);
        }
    }
    numbers.shuffle(&mut address);
    for one in &mut address {
        if numbers.u8(..) < 40 {
            let word = if numbers.bool() { "pad" } else { "align" };
            *one = format!("{one} {word} {}", numbers.u8(1..4));
        }
    }
    address
}

fn clause(transfer: &str, array: &Array, address: &[String]) -> String {
    format!("map({transfer}: {}({}) -> ({}))", array.name, names(array.rank()).join(", "), address.join(", "))
}

/// Maps of some arrays: each for itself, or several interleaved.
fn legal(scop: &Scop, numbers: &mut Rng) -> Option<String> {
    let mut arrays = mappable(scop);
    numbers.shuffle(&mut arrays);
    arrays.truncate(numbers.usize(1..=4));
    let first = *arrays.first()?;
    let mut clauses = Vec::new();
    let (together, alone): (Vec<_>, Vec<_>) = arrays
        .into_iter()
        .partition(|array| array.rank() == first.rank() && array.element == first.element && numbers.bool());
    // The same dimensions for all of them, so that they are in one tree.
    let shared = dimensions(first.rank(), numbers);
    let at = numbers.usize(..=shared.len());
    for (number, array) in together.iter().enumerate() {
        let mut address = shared.clone();
        address.insert(at, number.to_string());
        address.insert(0, "0".to_owned());
        clauses.push(clause("inout", array, &address));
    }
    for (number, array) in alone.iter().enumerate() {
        let mut address = dimensions(array.rank(), numbers);
        address.insert(0, (number + 1).to_string());
        clauses.push(clause("inout", array, &address));
    }
    Some(clauses.join("\n"))
}

/// What the original order of a region leaves in memory.
pub(super) fn left(scop: &Scop, least: i64) -> Option<BTreeMap<String, Option<u64>>> {
    let parameters = small_parameters(scop, least).unwrap()?;
    let interpreter = match Interpreter::new(scop, &parameters, STEPS) {
        Ok(interpreter) => interpreter,
        Err(error) if error.is_exhausted() => return None,
        Err(error) => panic!("{}: {error}", scop.name),
    };
    let outcome = interpreter.run(&interpreter.original().unwrap(), Order::Ascending);
    Some(interpreter.live_out(&outcome).into_iter().collect())
}

/// What came of the maps of all regions.
#[derive(Debug, Default)]
struct Counts {
    applied: usize,
    run: usize,
    refused: Vec<String>,
    /// The proof takes more than its quota.
    exhausted: Vec<String>,
    tampered: usize,
}

pub(super) fn regions() -> Vec<(String, Scop)> {
    let name = |file: &PathBuf| file.file_stem().unwrap_or_default().to_string_lossy().into_owned();
    let all = below(&polybench()).into_iter().chain(files());
    all.map(|file| (name(&file), region(&file))).filter(|(_, scop)| !mappable(scop).is_empty()).collect()
}

/// Small tampering with a region that has a layout: a copy that is not made, or another element that is accessed.
fn tampered(scop: &Scop, applied: &Applied, numbers: &mut Rng) -> Option<Scop> {
    let mut other = applied.scop.clone();
    let copies: Vec<usize> = (scop.statements.len()..other.statements.len()).collect();
    if numbers.bool() {
        let copy = &other.statements[*numbers.choice(&copies)?];
        return Some(other.without(&copy.domain.clone().to_union_set().unwrap()).unwrap());
    }
    let place = numbers.choice(&applied.placed)?;
    let field = other.arrays[place.field].clone();
    let statement = numbers.choice(&mut other.statements[..])?;
    let accesses = statement.accesses.iter_mut().filter(|access| access.kind == AccessKind::Read);
    let accesses = accesses.filter(|access| access.array().unwrap() == field.name);
    let access = numbers.choice(accesses.collect::<Vec<_>>())?;
    // The next element along the first dimension.
    let names: Vec<String> = (0..field.rank()).map(|position| format!("v{position}")).collect();
    let (name, all) = (&field.name, names.join(", "));
    let next = format!("{{ {name}[{all}] -> {name}[v0 + 1{}] }}", all.strip_prefix("v0").unwrap());
    let next = Map::parse(scop.ctx(), &next).unwrap();
    access.relation = access.relation.clone().apply_range(next).unwrap();
    let none = access.relation.clone().intersect_domain(statement.domain.clone()).unwrap().is_empty().unwrap();
    (!none).then_some(other)
}

fn try_layout(name: &str, scop: &Scop, text: &str, numbers: &mut Rng, counts: &mut Counts) {
    let find = || {
        let applied = Layout::parse(scop, text)?.apply(scop)?;
        check_layout(scop, &applied.scop, &applied.claims)?;
        Ok(applied)
    };
    let applied = match scop.ctx().with_quota(Budget::LAYOUT, find) {
        Ok(applied) => applied,
        Err(Error::Directive(error)) => return counts.refused.push(format!("{name}: {error}")),
        Err(Error::Isl(error)) if error.is_exhausted() => return counts.exhausted.push(name.to_owned()),
        Err(error) => panic!("{name}: {error}\n{text}"),
    };
    counts.applied += 1;
    let tampered = tampered(scop, &applied, numbers);
    let told = held((name, text), scop, &applied.scop, tampered.as_ref());
    counts.run += usize::from(told.0);
    counts.tampered += usize::from(told.1);
}

/// A region with a layout leaves the same in memory, and one that was tampered with is refused. Whether it was small
/// enough to be run, and whether there is one.
pub(super) fn held((name, text): (&str, &str), scop: &Scop, relaid: &Scop, tampered: Option<&Scop>) -> (bool, bool) {
    let runs = left(scop, 3).zip(left(relaid, 3));
    if let Some((before, after)) = &runs {
        assert_eq!(before, after, "{name}\n{text}");
    }
    if let Some(other) = tampered {
        assert!(check_layout(scop, other, &[]).is_err(), "{name}\n{text}\n{}", other.to_text().unwrap());
    }
    (runs.is_some(), tampered.is_some())
}

#[test]
fn legal_maps_leave_the_same_in_memory() {
    let (mut numbers, mut counts) = (Rng::with_seed(21), Counts::default());
    let regions = regions();
    // `POLYRS_CAMPAIGN=20` has more than a thousand.
    let times = std::env::var("POLYRS_CAMPAIGN").ok().and_then(|times| times.parse().ok()).unwrap_or(1);
    while counts.applied < 60 * times {
        for (name, scop) in &regions {
            if let Some(text) = legal(scop, &mut numbers) {
                try_layout(name, scop, &text, &mut numbers, &mut counts);
            }
        }
    }
    assert!(counts.run * 10 > counts.applied * 9 && counts.tampered > counts.applied / 4, "{counts:?}");
    println!("{:?}", counts.exhausted);
    assert!(counts.exhausted.len() * 10 < counts.applied, "{counts:?}");
    // Such are written under conditions, or accessed at places that are unknown or outside of their extents.
    for refusal in &counts.refused {
        let reasons = ["nobody knows what to copy", "not known", "outside of its extents"];
        assert!(reasons.iter().any(|reason| refusal.contains(reason)), "{refusal}");
    }
}

/// All arrays and values of all regions along any number of loops: what is not refused is proved and computes the same.
#[test]
fn expansions_leave_the_same_in_memory() {
    let (mut numbers, mut counts) = (Rng::with_seed(24), Counts::default());
    let all = below(&polybench()).into_iter().chain(files());
    for file in all {
        let (name, scop) = (file.display().to_string(), region(&file));
        for array in &scop.arrays {
            for loops in 1..=3 {
                let text = format!("expand({}, {loops})", array.name);
                try_layout(&name, &scop, &text, &mut numbers, &mut counts);
            }
        }
    }
    assert!(counts.applied > 60 && counts.run * 10 > counts.applied * 9, "{counts:?}");
    assert!(counts.tampered > counts.applied / 4 && counts.exhausted.len() * 10 < counts.applied, "{counts:?}");
    for refusal in &counts.refused {
        let reasons = ["never written", "before it is written", "conditions on data", "not known", "no known"];
        let of_loops = ["all loops", "accesses within", "another iteration", "may be negative", "after the region"];
        let reasons = [reasons, of_loops].concat();
        assert!(reasons.iter().any(|reason| refusal.contains(reason)), "{refusal}");
    }
}

/// What a layout expands is not more than it says.
#[test]
fn the_memory_of_expansions_is_bounded() {
    let scop = region(&polybench().join("doitgen.scop"));
    let layout = Layout::parse(&scop, "expand(arg5, 2)").unwrap();
    let Memory::FitsWhere(condition) = layout.memory(&scop, 1000).unwrap() else { panic!("{layout:?}") };
    assert_eq!((condition.least, condition.terms.len()), (-1000, 1));
    assert_eq!((condition.terms[0].each, condition.terms[0].lengths.len()), (-8, 3));
    let text = std::fs::read_to_string(polybench().join("doitgen.scop")).unwrap();
    let known = text.replace("\"{ : }\"", "\"{ : arg0 = 10 and arg1 = 20 and arg2 = 30 }\"");
    let scop = Scop::parse(&Ctx::new(), &known).unwrap();
    let layout = Layout::parse(&scop, "expand(arg5, 2)").unwrap();
    assert_eq!(layout.memory(&scop, 48_000).unwrap(), Memory::Fits);
    assert_eq!(layout.memory(&scop, 47_999).unwrap(), Memory::TooMuch(48_000));
}

/// A map that is wrong, and what the refusal says.
fn illegal(scop: &Scop, numbers: &mut Rng) -> Option<(String, &'static str)> {
    let arrays = mappable(scop);
    let array = *numbers.choice(&arrays)?;
    let subscripts = names(array.rank());
    let last = subscripts.last()?.clone();
    let with = |one: &str| [&subscripts[..subscripts.len() - 1], &[one.to_owned()]].concat();
    Some(match numbers.u8(..7) {
        0 => (clause("inout", array, &with(&format!("{last}/2"))), "one-to-one"),
        1 => (clause("inout", array, &with(&format!("{last}%2"))), "one-to-one"),
        2 => (clause("inout", array, &with(&format!("{last} - 1"))), "negative"),
        3 => (clause("inout", array, &with("1000000")), "one-to-one"),
        4 => {
            let twice = clause("inout", array, &subscripts);
            (format!("{twice}\n{twice}"), "has a map already")
        }
        5 => {
            let other = arrays.iter().find(|other| other.name != array.name && other.rank() == array.rank())?;
            let text = format!("{}\n{}", clause("inout", array, &subscripts), clause("inout", other, &subscripts));
            (text, "addresses in common")
        }
        _ => {
            let other = arrays.iter().find(|other| other.name != array.name)?;
            let numbered = clause("inout", array, &[&["0".to_owned()], &subscripts[..]].concat());
            (format!("{numbered}\n{}", clause("inout", other, &names(other.rank()))), "is a number there")
        }
    })
}

#[test]
fn illegal_maps_are_refused() {
    let (mut numbers, mut refused) = (Rng::with_seed(22), 0);
    let regions = regions();
    while refused < 200 {
        for (name, scop) in &regions {
            let Some((text, reason)) = illegal(scop, &mut numbers) else { continue };
            match Layout::parse(scop, &text) {
                // Something else may be wrong with the array, too.
                Err(Error::Directive(error)) => refused += usize::from(error.message.contains(reason)),
                Err(error) => panic!("{name}: {error}"),
                // With one element along the last dimension nothing is lost.
                Ok(_) => assert!(reason == "one-to-one", "{name}\n{text}"),
            }
        }
    }
}

/// The scheduler sees a region like any other.
#[test]
pub(super) fn regions_with_layouts_are_optimized() {
    let mut numbers = Rng::with_seed(23);
    let (mut optimized, mut tiled) = (0, 0);
    for (name, scop) in
        regions().iter().filter(|(name, _)| ["gemm", "mvt", "gemver", "syrk", "trmm"].contains(&&name[..]))
    {
        for _ in 0..3 {
            let Some(text) = legal(scop, &mut numbers) else { continue };
            let applied = Layout::parse(scop, &text).and_then(|layout| layout.apply(scop)).unwrap();
            let options =
                Options { profitability: false, scheduler: Scheduler::default(), ..Options::new(Machine::generic()) };
            let found = optimize(&applied.scop, &options, &mut ())
                .unwrap_or_else(|refusal| panic!("{name}: {refusal}\n{text}"));
            optimized += 1;
            tiled += usize::from(found.statistics.levels > 0);
            let parameters = small_parameters(&applied.scop, 5).unwrap().unwrap();
            let report =
                Interpreter::new(&applied.scop, &parameters, STEPS).and_then(|all| all.compare_ast(&found.ast));
            match report {
                Ok(report) => assert!(report.is_same(), "{name}\n{text}\n{report:?}"),
                Err(error) => assert!(error.is_exhausted(), "{name}: {error}"),
            }
        }
    }
    assert!(optimized >= 12 && tiled >= 8, "{optimized} {tiled}");
}
