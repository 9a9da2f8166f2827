//! Code for a machine that a file describes, with a strategy from a file.
//!
//! `cargo run --release --example machines [FILE.scop [FILE.machine [FILE.toml]]]` prints the loops for the assumed
//! machine and for that of the file, and the tree of the strategy. Without files these are a product of three matrices,
//! `examples/small.machine` and `examples/strategies/apart.toml`.

use polyrs::driver::{Options, optimize};
use polyrs::isl::Ctx;
use polyrs::machine::Machine;
use polyrs::schedule::Strategy;
use polyrs::schedule_tree::TileSizes;
use polyrs::scop::Scop;
use polyrs::scop::text::schedule_to_text;

type Failure = Box<dyn std::error::Error>;

const REGION: &str = include_str!("../test/scop/papers/zinenko2017/figure06-2mm.scop");
const MACHINE: &str = include_str!("small.machine");
const STRATEGY: &str = include_str!("strategies/apart.toml");

/// The loops for a machine.
fn loops(region: &str, machine: Machine) -> Result<String, Failure> {
    let scop = Scop::parse(&Ctx::new(), region)?;
    let title = format!("// for the machine {}, with tiles of {}\n", machine.name, machine.tile_size());
    // Sizes follow from the machine; here they are said, and each choice could be made otherwise.
    let options = Options { tile_sizes: TileSizes::for_machine(&machine), parallel: false, ..Options::new(machine) };
    Ok(title + &optimize(&scop, &options, &mut ())?.ast.to_text(&scop))
}

/// The tree that a strategy leads to, without tiles.
fn tree(region: &str, strategy: &str) -> Result<String, Failure> {
    let scop = Scop::parse(&Ctx::new(), region)?;
    let machine = Machine::generic();
    let strategy = Strategy::parse(strategy, &machine)?;
    let options = Options {
        strategy: Some(strategy),
        tile: false,
        post_tile: false,
        profitability: false,
        ..Options::new(machine)
    };
    Ok(format!("# by the strategy\n{}", schedule_to_text(&optimize(&scop, &options, &mut ())?.tree)?))
}

fn main() -> Result<(), Failure> {
    let mut files = std::env::args().skip(1);
    let mut text = |own: &str| files.next().map_or(Ok(own.to_owned()), std::fs::read_to_string);
    let (region, machine, strategy) = (text(REGION)?, text(MACHINE)?, text(STRATEGY)?);
    println!("{}", loops(&region, Machine::generic())?);
    println!("{}", loops(&region, Machine::parse(&machine)?)?);
    print!("{}", tree(&region, &strategy)?);
    Ok(())
}

#[test]
fn files_decide() {
    let small = loops(REGION, Machine::parse(MACHINE).unwrap()).unwrap();
    assert!(small.starts_with("// for the machine small, with tiles of 16\n") && small.contains("+= 16"), "{small}");
    assert!(loops(REGION, Machine::generic()).unwrap().contains("+= 128"), "sixteen lines of doubles");
    let heads = |text: &str| tree(REGION, text).unwrap();
    assert_ne!(heads(STRATEGY), heads("preset = \"ppcg\"\nfusion = \"max\"\n"));
}
