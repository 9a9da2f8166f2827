//! One region under each scheduler, side by side.
//!
//! `cargo run --release --example schedulers [FILE.scop]` prints a table, and the loops over the instances that each of
//! them finds, before tiles. Without a file the region is a stencil that sweeps twice over a row for each step of time.

use polyrs::codegen;
use polyrs::driver::{Options, Scheduler, optimize};
use polyrs::isl::Ctx;
use polyrs::machine::Choice;
use polyrs::scop::Scop;
use std::fmt::Write;

type Failure = Box<dyn std::error::Error>;

const STENCIL: &str = include_str!("../test/scop/papers/bondhugula2008/figure03-jacobi-1d.scop");

/// The table, and the loops below it; docs/schedulers.md says what the schedulers aim at.
fn compare(text: &str) -> Result<String, Failure> {
    let target = Choice::of_environment().load()?;
    let mut table =
        format!("{:<13} {:>8} {:>8} {:>10} {:>8}\n", "scheduler", "bands", "members", "coincident", "effect");
    let mut loops = String::new();
    for (name, scheduler) in Scheduler::all() {
        // Nothing competes with what the scheduler finds, and it stays without tiles, so that it can be seen.
        let options = Options {
            scheduler,
            tile: false,
            post_tile: false,
            wavefront: Some(0),
            profitability: false,
            parallel: true,
            ..Options::new(target.clone())
        };
        // A context of its own for each: what isl has found out for one must not help another.
        let scop = Scop::parse(&Ctx::new(), text)?;
        let found = optimize(&scop, &options, &mut ())?;
        let counts = &found.statistics;
        let effect = found.prediction.map_or("none".to_owned(), |prediction| prediction.to_string());
        writeln!(table, "{name:<13} {:>8} {:>8} {:>10} {effect:>8}", counts.bands, counts.members, counts.coincident)?;
        let ast = codegen::generate(&scop, &found.tree, &codegen::Options::default())?;
        write!(loops, "\n// {name}\n{}", ast.to_text(&scop))?;
    }
    Ok(table + &loops)
}

fn main() -> Result<(), Failure> {
    match std::env::args().nth(1) {
        Some(file) => print!("{}", compare(&std::fs::read_to_string(file)?)?),
        None => print!("{}", compare(STENCIL)?),
    }
    Ok(())
}

#[test]
fn each_scheduler_has_its_row_and_its_loops() {
    let text = compare(STENCIL).unwrap();
    for (name, _) in Scheduler::all() {
        let loops = text.split(&format!("\n// {name}\n")).nth(1).unwrap_or_else(|| panic!("{name}: {text}"));
        assert!(text.contains(&format!("\n{name} ")) && loops.contains("for ("), "{name}: {text}");
    }
}
