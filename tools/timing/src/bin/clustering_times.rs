//! What clusters of statements save a scheduler: what `cargo xtask bench clustering` runs.
//!
//! `clustering_times table REPEAT FILE.scop` prints, for no clusters and each heuristic, a line `NAME STATEMENTS
//! DEPENDENCES SECONDS MEMBERS COINCIDENT`: what the scheduler is given (relations between statements, by pairs of
//! statements), and the fastest of some runs from constraints to a tree, clusters found and the tree expanded within it;
//! how many members the outermost bands of the statements have, and how many statements have a coincident outermost
//! member. `NAME -` where that took longer than a minute.
//!
//! `clustering_times region REPEAT FILE.scop` prints `NAME SECONDS OPERATIONS MEMBERS COINCIDENT TILED PARALLEL` of the
//! whole way from a region to its code, for `cluster=none`, `basic-block` and `auto`, or `NAME -` where it is refused.
//!
//! `clustering_times synthetic chain|pipeline STATEMENTS` prints a region: statements in one loop nest each of which uses
//! what the one before wrote, or as many loop nests each of which filters what the one before wrote.

use polyrs::clustering::{Clustering, Quotient};
use polyrs::dependence::{Dependences, Mode};
use polyrs::driver::{LayoutSearch, Options, optimize};
use polyrs::isl::{self, Ctx, Moment, NodeType, Schedule, ScheduleConstraints};
use polyrs::machine::Machine;
use polyrs::schedule::{Strategy, constraints, schedule};
use polyrs::scop::Scop;
use std::collections::BTreeSet;
use std::fmt::Write;
use std::time::{Duration, Instant};

type Failure = Box<dyn std::error::Error>;

/// No run takes longer.
const LONGEST: Duration = Duration::from_secs(60);

/// After so long no further run is begun.
const ENOUGH: Duration = Duration::from_secs(2);

const HEURISTICS: [(&str, Clustering); 4] = [
    ("none", Clustering::None),
    ("scc", Clustering::Scc),
    ("basic-block", Clustering::BasicBlock),
    ("chains", Clustering::Chains),
];

const REGIONS: [(&str, Clustering); 3] =
    [("none", Clustering::None), ("basic-block", Clustering::BasicBlock), ("auto", Clustering::Auto)];

fn read(file: &str) -> Result<Scop, Failure> {
    Ok(Scop::parse(&Ctx::new(), &std::fs::read_to_string(file)?)?)
}

/// The pairs of statements that something relates.
fn dependences(constraints: &ScheduleConstraints) -> isl::Result<usize> {
    let conditional = constraints.conditional_validity()?.factor_domain()?;
    let live = constraints.conditional_validity_condition()?.factor_domain()?;
    constraints.validity()?.union(conditional)?.union(live)?.n_map()
}

fn found(scop: &Scop, all: &ScheduleConstraints, clustering: &Clustering) -> Result<(Quotient, Schedule), Failure> {
    let clusters = clustering.decide(scop, all)?;
    let quotient = Quotient::new(all, &clusters.positions, &clusters.decision)?;
    let tree = schedule(quotient.constraints(), &Strategy::ppcg(), &mut |_| ())?;
    let tree = quotient.expand(tree)?;
    Ok((quotient, tree))
}

/// Of the outermost bands: members, each counted for each statement, and statements with a coincident first member.
fn outermost(tree: &Schedule) -> isl::Result<(usize, usize)> {
    let (mut members, mut coincident) = (0, 0);
    tree.root()?.for_each_descendant_top_down(&mut |node| {
        if node.node_type()? != NodeType::Band {
            return Ok(true);
        }
        let statements = node.universe_domain()?.n_set()?;
        let flags = node.band_coincident()?;
        members += statements * flags.len();
        coincident += if flags.first() == Some(&true) { statements } else { 0 };
        Ok(false)
    })?;
    Ok((members, coincident))
}

fn table(repeat: u32, file: &str) -> Result<(), Failure> {
    let scop = read(file)?;
    let dependences_of_all = Dependences::compute(&scop, Mode::default())?;
    let all = constraints(&scop, &dependences_of_all, None)?;
    for (name, clustering) in HEURISTICS {
        let (mut best, begin) = (Duration::MAX, Instant::now());
        let mut result = None;
        for _ in 0..repeat {
            let start = Instant::now();
            scop.ctx().set_deadline(Moment::after(LONGEST));
            result = found(&scop, &all, &clustering).ok();
            best = best.min(start.elapsed());
            if result.is_none() || begin.elapsed() > ENOUGH {
                break;
            }
        }
        scop.ctx().set_deadline(None);
        let Some((quotient, tree)) = result else {
            println!("{name} -");
            continue;
        };
        let statements = quotient.constraints().domain()?.n_set()?;
        let (members, coincident) = outermost(&tree)?;
        let (edges, seconds) = (dependences(quotient.constraints())?, best.as_secs_f64());
        println!("{name} {statements} {edges} {seconds} {members} {coincident}");
    }
    Ok(())
}

fn region(repeat: u32, file: &str) -> Result<(), Failure> {
    let scop = read(file)?;
    for (name, clustering) in REGIONS {
        let options = Options { clustering, layout: LayoutSearch::None, ..Options::new(Machine::generic()) };
        let (mut best, begin) = (Duration::MAX, Instant::now());
        let mut result = None;
        let before = scop.ctx().operations();
        let mut operations = 0;
        for _ in 0..repeat {
            let start = Instant::now();
            result = optimize(&scop, &options, &mut ()).ok();
            best = best.min(start.elapsed());
            if operations == 0 {
                operations = scop.ctx().operations() - before;
            }
            if begin.elapsed() > ENOUGH {
                break;
            }
        }
        match result {
            None => println!("{name} - {operations}"),
            Some(found) => {
                let tree = found.schedules.first().unwrap_or(&found.tree);
                let (members, coincident) = outermost(tree)?;
                let statistics = &found.statistics;
                println!(
                    "{name} {} {operations} {members} {coincident} {} {}",
                    best.as_secs_f64(),
                    statistics.tiled,
                    statistics.parallel
                );
            }
        }
    }
    Ok(())
}

/// The text of a region of so many statements.
fn synthetic(kind: &str, count: usize) -> Result<String, Failure> {
    let is_chain = match kind {
        "chain" => true,
        "pipeline" => false,
        _ => return Err(format!("`{kind}` is neither chain nor pipeline").into()),
    };
    let mut text = format!("scop: {kind}_{count}\nparameters: [n]\ncontext: \"{{ : n > 0 }}\"\narrays:\n");
    for array in 0..=count {
        writeln!(text, "  A{array}: {{ kind: memory, element: f64, extent: [n, n] }}")?;
    }
    text += "statements:\n";
    let domain = |s: usize| format!("S{s}[i, j] : 0 < i < n - 1 and 0 < j < n - 1");
    for s in 0..count {
        let next = s + 1;
        writeln!(text, "  S{s}:\n    domain: \"{{ {} }}\"\n    accesses:", domain(s))?;
        let reads: &[&str] = if is_chain { &["i, j"] } else { &["i, j - 1", "i, j", "i, j + 1"] };
        for (number, subscripts) in reads.iter().enumerate() {
            writeln!(text, "      - read R{s}_{number}: \"{{ S{s}[i, j] -> A{s}[{subscripts}] }}\"")?;
        }
        writeln!(text, "      - must_write W{s}: \"{{ S{s}[i, j] -> A{next}[i, j] }}\"")?;
        if is_chain {
            text += "    block: 0\n";
        }
    }
    let all: Vec<String> = (0..count).map(domain).collect();
    writeln!(text, "schedule:\n  domain: \"{{ {} }}\"\n  child:", all.join("; "))?;
    let member = |of: &BTreeSet<usize>, iterator: &str| {
        let functions: Vec<String> = of.iter().map(|s| format!("S{s}[i, j] -> [({iterator})]")).collect();
        format!("[{{ {} }}]", functions.join("; "))
    };
    if is_chain {
        let all = (0..count).collect();
        writeln!(text, "    schedule: \"{}\"\n    child:", member(&all, "i"))?;
        writeln!(text, "      schedule: \"{}\"\n      child:\n        sequence:", member(&all, "j"))?;
        for s in 0..count {
            writeln!(text, "          - filter: \"{{ S{s}[i, j] }}\"")?;
        }
    } else {
        text += "    sequence:\n";
        for s in 0..count {
            let one = BTreeSet::from([s]);
            writeln!(text, "      - filter: \"{{ S{s}[i, j] }}\"\n        child:")?;
            writeln!(text, "          schedule: \"{}\"\n          child:", member(&one, "i"))?;
            writeln!(text, "            schedule: \"{}\"", member(&one, "j"))?;
        }
    }
    writeln!(text, "live_out: \"{{ A{count}[i, j] }}\"")?;
    Ok(text)
}

fn main() -> Result<(), Failure> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let words: Vec<&str> = arguments.iter().map(String::as_str).collect();
    match words[..] {
        ["table", repeat, file] => table(repeat.parse()?, file),
        ["region", repeat, file] => region(repeat.parse()?, file),
        ["synthetic", kind, count] => {
            print!("{}", synthetic(kind, count.parse()?)?);
            Ok(())
        }
        _ => {
            Err("usage: clustering_times table|region REPEAT FILE.scop, or synthetic chain|pipeline STATEMENTS".into())
        }
    }
}
