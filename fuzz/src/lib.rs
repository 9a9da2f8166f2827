//! The duties of text readers with any text: end soon, without a panic, and read again what is printed of what they
//! read.
//!
//! `tests/core/readers.rs` includes this file as a module and runs it on a stable compiler.

use polyrs::driver::{Candidate, OPTIONS, Options};
use polyrs::isl::Ctx;
use polyrs::machine::{Gpu, Machine, Work};
use polyrs::schedule::{IslOptions, Strategy};
use polyrs::schedule_tree::{Mark, TileSizes};
use polyrs::scop::text::{ParseError, parse_constraints, parse_schedule, schedule_to_text};
use polyrs::scop::{ElementType, Scop};
use std::str::FromStr;

/// A reader: takes a text, and panics where something is wrong with the reader.
pub type Entry = fn(&str);

/// All readers, by the names of their targets.
pub const ENTRIES: [(&str, Entry); 6] = [
    ("scop", scop),
    ("tree", tree),
    ("constraints", constraints),
    ("machine", machine),
    ("strategy", strategy),
    ("words", words),
];

/// Operations of isl that a text may take.
const QUOTA: u64 = 1_000_000;

/// The region whose trees are read.
const REGION: &str = include_str!("../../test/scop/basic/gemm.scop");

/// A place is in the text, or right behind it.
fn assert_placed(error: &ParseError, text: &str) {
    // YAML has more ends of lines than Rust.
    let lines = text.chars().filter(|c| "\n\r\u{85}\u{2028}\u{2029}".contains(*c)).count() + 1;
    assert!(error.line >= 1 && error.column >= 1 && error.line <= lines + 1, "{error}: the text has {lines} lines");
}

/// A region: `Scop::parse`.
pub fn scop(text: &str) {
    let ctx = Ctx::new();
    ctx.with_quota(QUOTA, || match Scop::parse(&ctx, text) {
        Err(error) => assert_placed(&error, text),
        Ok(scop) => {
            let Ok(printed) = scop.to_text() else { return };
            match Scop::parse(&ctx, &printed) {
                Ok(again) => assert!(!matches!(scop.difference(&again), Ok(Some(_))), "{printed}"),
                Err(error) => assert!(error.exhausted, "{error}: {printed}"),
            }
        }
    });
}

/// A schedule tree: `parse_schedule`.
pub fn tree(text: &str) {
    let ctx = Ctx::new();
    let scop = Scop::parse(&ctx, REGION).expect("it is a region");
    ctx.with_quota(QUOTA, || match parse_schedule(&scop, text) {
        Err(error) => assert_placed(&error, text),
        Ok(tree) => {
            let Ok(printed) = schedule_to_text(&tree) else { return };
            if let Err(error) = parse_schedule(&scop, &printed) {
                assert!(error.exhausted, "{error}: {printed}");
            }
        }
    });
}

/// Schedule constraints: `parse_constraints`, and the options in their comments.
pub fn constraints(text: &str) {
    let ctx = Ctx::new();
    ctx.with_quota(QUOTA, || match parse_constraints(&ctx, text) {
        Err(error) => assert_placed(&error, text),
        Ok(found) => {
            let words: Vec<&str> = found.options.iter().map(|word| word.text.as_str()).collect();
            options(&words);
        }
    });
}

/// A machine: `Machine::parse`.
pub fn machine(text: &str) {
    if let Ok(machine) = Machine::parse(text) {
        let printed = machine.to_string();
        assert_eq!(Machine::parse(&printed).as_ref(), Ok(&machine), "{printed}");
        // What follows from it has no arithmetic that ends badly.
        let _ = (machine.tile_size(), machine.strip_length(), machine.register_limit(), machine.parallel_threshold());
        let _ = TileSizes::for_machine(&machine);
        machine.gpu.iter().for_each(gpu);
    }
}

/// The largest block has a place on it, and no time is out of bounds.
fn gpu(gpu: &Gpu) {
    let occupancy = gpu.occupancy(gpu.block_threads, 0, gpu.shared_most);
    assert!(occupancy.blocks >= 1 && occupancy.warps <= gpu.resident_warps(), "{occupancy:?} on {gpu}");
    assert!((1..=gpu.resident_blocks).contains(&gpu.occupancy(1, gpu.thread_registers, 0).blocks), "{gpu}");
    let all = u64::MAX;
    let work = Work { bytes: all, f32_operations: all, f64_operations: all, launches: 1 };
    assert!(gpu.roofline_ns(&work) >= u64::from(gpu.launch) && gpu.transfer_ns(all) >= gpu.transfer_ns(1), "{gpu}");
}

/// A strategy: `Strategy::parse`.
pub fn strategy(text: &str) {
    let machine = Machine::generic();
    if let Ok(strategy) = Strategy::parse(text, &machine) {
        let printed = strategy.to_string();
        assert_eq!(Strategy::parse(&printed, &machine).as_ref(), Ok(&strategy), "{printed}");
    }
}

/// Options and other single words: the optimizer's and those of isl's scheduler, tile sizes, marks, types of elements,
/// candidates.
pub fn words(text: &str) {
    options(&text.split_whitespace().collect::<Vec<_>>());
    for word in text.lines().chain(text.split_whitespace()) {
        reads_again::<TileSizes>(word);
        reads_again::<Mark>(word);
        reads_again::<ElementType>(word);
        reads_again::<Candidate>(word);
        // Any text is refused or taken.
        for row in OPTIONS {
            let _ = row.set(&mut Options::new(Machine::generic()), word);
        }
    }
}

fn options(words: &[&str]) {
    for outcome in [IslOptions::default().apply(words), Strategy::ppcg().apply(words)] {
        if let Err(error) = outcome {
            assert!(error.word < words.len(), "{error}");
        }
    }
}

fn reads_again<T: FromStr + ToString + PartialEq>(word: &str) {
    if let Ok(value) = word.parse::<T>() {
        let printed = value.to_string();
        assert!(printed.parse::<T>().is_ok_and(|again| again == value), "{word} is printed as {printed}");
    }
}
