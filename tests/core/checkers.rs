//! The two checkers against each other, on every region under `test/scop`: what the legality check accepts must run
//! like the original order, whatever was done to the tree. The interpreter knows no theory of dependences, so it can
//! tell when the theory is wrong.

use crate::regions::files;
use polyrs::check::interpret::{Interpreter, Reading, small_parameters};
use polyrs::check::legality::{self, Assumptions, CheckError};
use polyrs::driver::{Budget, Options, Scheduler, optimize};
use polyrs::isl::{self, Ctx, Id, NodeType, Schedule, ScheduleNode, UnionPwAff, Val};
use polyrs::schedule_tree::TileSizes;
use polyrs::scop::text::{parse_schedule, schedule_to_text};
use polyrs::scop::{ArrayKind, Scop};
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

/// Steps for one machine; the regions are small.
const BOUND: u64 = 20_000_000;

/// Operations for one region: trees that nobody gets who does not ask for them, such as wavefronts of two degrees of
/// nested tiles, may have code that takes five seconds to find.
const OPERATIONS: u64 = 5 * Budget::REGION;

/// Bands of one tree that are corrupted, outermost first.
const BANDS: usize = 2;

fn read(file: &Path) -> Scop {
    let text = std::fs::read_to_string(file).unwrap();
    Scop::parse(&Ctx::new(), &text).unwrap_or_else(|e| panic!("{}:{e}", file.display()))
}

/// A machine at small parameter values, smaller where there are many.
fn machine(scop: &Scop) -> Interpreter<'_> {
    let least = if scop.parameters().unwrap().len() > 4 { 2 } else { 3 };
    let parameters = small_parameters(scop, least).unwrap().expect("the context is not empty");
    Interpreter::new(scop, &parameters, BOUND).unwrap()
}

fn legal(scop: &Scop, tree: &Schedule) -> bool {
    match legality::check(scop, tree, &Assumptions::default()) {
        Ok(()) => true,
        Err(CheckError::Illegal(_)) => false,
        Err(error) => panic!("{}: {error}\n{tree}", scop.name),
    }
}

fn same(machine: &Interpreter<'_>, tree: &Schedule, reading: Reading) -> bool {
    machine.compare_tree(tree, reading).unwrap_or_else(|e| panic!("{e}\n{tree}")).is_same()
}

#[test]
fn what_the_optimizer_makes_is_accepted_by_both() {
    for file in files() {
        let scop = read(&file);
        let machine = machine(&scop);
        let mut seen = BTreeSet::new();
        for scheduler in [Scheduler::Own("ppcg"), Scheduler::default(), Scheduler::Isl, Scheduler::None] {
            let sizes = [TileSizes::new(&[3, 2]), TileSizes::nested(&[vec![5, 6], vec![3, 2]])];
            // What tiles and wavefronts make of a band is the same whoever found it: the dearest pair is tried once.
            let last = if scheduler == Scheduler::Own("ppcg") { 2 } else { 1 };
            for (live_range_reordering, outer_coincidence, levels, wavefront) in
                [(true, true, 1, None), (false, true, 2, None), (true, false, last, Some(2))]
            {
                let options = Options {
                    scheduler,
                    live_range_reordering,
                    outer_coincidence: Some(outer_coincidence),
                    tile_sizes: sizes[levels - 1].clone(),
                    wavefront,
                    profitability: false,
                    check: false,
                    budget: Budget::new(OPERATIONS),
                    ..Options::default()
                };
                let found = optimize(&scop, &options, &mut ()).unwrap_or_else(|e| panic!("{}: {e}", file.display()));
                if !seen.insert((found.tree.to_string(), format!("{:?}", found.ast))) {
                    continue;
                }
                let place = format!("{} {options:?}\n{}", file.display(), found.tree);
                assert!(legal(&scop, &found.tree), "{place}");
                assert!(same(&machine, &found.tree, Reading::Marks), "{place}");
                let report = machine.compare_ast(&found.ast).unwrap();
                assert!(report.is_same(), "{place}\n{}\n{report:?}", found.ast.to_text(&scop));
                assert!(report.executed > 0);
            }
        }
    }
}

/// What is done to a tree.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Corruption {
    Reversed,
    Shifted,
    Parallel,
    Vector,
    Coincident,
    Permutable,
    Unordered,
    Missing,
}

/// The member of a band replaced by a function of it. The band keeps no flags.
fn with_member(
    node: &ScheduleNode,
    position: i32,
    change: impl FnOnce(UnionPwAff) -> isl::Result<UnionPwAff>,
) -> isl::Result<Schedule> {
    let partial = node.band_partial_schedule()?;
    let member = change(partial.at(position)?)?;
    node.clone().delete()?.insert_partial_schedule(partial.set_at(position, member)?)?.schedule()
}

/// One statement shifted by one at a member.
fn shifted(node: &ScheduleNode, position: i32, scop: &Scop) -> isl::Result<Option<Schedule>> {
    let domain = node.domain()?;
    let sets = domain.set_list()?.to_vec()?;
    if sets.len() < 2 {
        return Ok(None);
    }
    let one = sets[0].clone().to_union_set()?;
    let rest = domain.clone().subtract(one.clone())?;
    let step = UnionPwAff::val_on_domain(one, Val::int(scop.ctx(), 1)?)?;
    let step = step.union_add(UnionPwAff::val_on_domain(rest, Val::int(scop.ctx(), 0)?)?)?;
    with_member(node, position, |member| member.intersect_domain(domain)?.add(step)).map(Some)
}

/// The second member skewed backwards by twice the first. The order stays as legal as it was where the first member
/// carries what the second then goes against, but the band must not be permutable.
fn skewed(band: &ScheduleNode, scop: &Scop) -> isl::Result<Schedule> {
    let partial = band.band_partial_schedule()?;
    let twice = partial.at(0)?.scale(Val::int(scop.ctx(), 2)?)?;
    let partial = partial.clone().set_at(1, partial.at(1)?.sub(twice)?)?;
    band.clone().delete()?.insert_partial_schedule(partial)?.band_set_permutable(true)?.schedule()
}

/// Corrupted versions of a tree.
fn corruptions(scop: &Scop, tree: &Schedule) -> isl::Result<Vec<(Corruption, Schedule)>> {
    let mut bands = Vec::new();
    tree.root()?.for_each_descendant_top_down(&mut |node| {
        if node.node_type()? == NodeType::Band && node.band_n_member()? > 0 {
            bands.push(node.clone());
        }
        Ok(true)
    })?;
    let mut all = Vec::new();
    let minus = Val::int(scop.ctx(), -1)?;
    for band in bands.iter().take(BANDS) {
        for (i, position) in (0..band.band_n_member()?).zip(0i32..) {
            let negated = |member: UnionPwAff| member.scale(minus.clone());
            all.push((Corruption::Reversed, with_member(band, position, negated)?));
            if let Some(tree) = shifted(band, position, scop)? {
                all.push((Corruption::Shifted, tree));
            }
            if !band.band_member_coincident(position)? {
                let node = band.clone().band_member_set_coincident(position, true)?;
                all.push((Corruption::Coincident, node.schedule()?));
            }
            if i > 0 {
                continue;
            }
            for (corruption, mark) in [(Corruption::Parallel, "parallel"), (Corruption::Vector, "vector")] {
                let node = band.clone().insert_mark(Id::new(scop.ctx(), mark)?)?;
                all.push((corruption, node.schedule()?));
            }
        }
        if band.band_n_member()? > 1 {
            all.push((Corruption::Permutable, skewed(band, scop)?));
        }
    }
    let text = schedule_to_text(tree)?;
    if text.contains("sequence:") {
        let unordered = parse_schedule(scop, &text.replacen("sequence:", "set:", 1));
        all.push((Corruption::Unordered, unordered.expect("a set may stand for a sequence")));
    }
    // The lexicographically first instances of each statement are not run.
    let domain = tree.domain()?;
    let missing = tree.clone().intersect_domain(domain.clone().subtract(domain.lexmin()?)?)?;
    all.push((Corruption::Missing, missing));
    Ok(all)
}

#[test]
fn what_the_legality_check_accepts_runs_like_the_original() {
    // How often each corruption was tried, refused by the proof, and found by the interpreter.
    let mut counts: BTreeMap<Corruption, [usize; 3]> = BTreeMap::new();
    for file in files() {
        let scop = read(&file);
        let machine = machine(&scop);
        let mut seen = BTreeSet::new();
        // Coincidence is promised only up to private copies, which the flag does not say.
        let shared = scop.arrays.iter().all(|array| array.kind == ArrayKind::Memory);
        for scheduler in [Scheduler::Own("ppcg"), Scheduler::default(), Scheduler::Isl, Scheduler::None] {
            let plain =
                Options { tile: false, parallel: false, profitability: false, check: false, ..Options::default() };
            let options = Options { scheduler, ..plain };
            let tree = optimize(&scop, &options, &mut ()).unwrap().tree;
            if !seen.insert(tree.to_string()) {
                continue;
            }
            for (corruption, tree) in corruptions(&scop, &tree).unwrap() {
                let reading = match corruption {
                    Corruption::Coincident if shared => Reading::Coincident,
                    Corruption::Permutable => Reading::Permuted,
                    _ => Reading::Marks,
                };
                let (legal, same) = (legal(&scop, &tree), same(&machine, &tree, reading));
                assert!(!legal || same, "{} {corruption:?} is accepted but differs\n{tree}", file.display());
                let count = counts.entry(corruption).or_default();
                for (counter, found) in count.iter_mut().zip([true, !legal, !same]) {
                    *counter += usize::from(found);
                }
            }
        }
    }
    println!("{counts:#?}");
    assert_eq!(counts.len(), 8, "{counts:?}");
    for (corruption, [tried, refused, found]) in counts {
        assert!(found > 0 && refused >= found && tried >= refused, "{corruption:?}: {tried}, {refused}, {found}");
    }
}
