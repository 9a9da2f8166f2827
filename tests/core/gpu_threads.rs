//! The code of kernels, run thread by thread at small sizes: blocks and threads in several orders, from barrier to
//! barrier, with tiles in shared memory. Found may be: a difference of values, a race, threads that come to other
//! barriers, a tile that does not hold what is read from it. Sums that threads hold are in their buffers; so that these
//! runs are known to see them, code that holds something else is run as well.

use super::gpu::{polybench, region, scheduled};
use super::held::{corruptions_found, ends_found, holds};
use crate::regions::{below, files};
use polyrs::check::interpret::{Fault, Interpreter, small_parameters};
use polyrs::check::legality::{Assumptions, check};
use polyrs::codegen::{Ast, Options, generate};
use polyrs::isl::Schedule;
use polyrs::machine::Machine;
use polyrs::scop::Scop;
use polyrs::transform::gpu::{KernelSizes, map, select};
use std::path::PathBuf;

/// The steps of the interpreter for a region, at most.
const STEPS: u64 = 480_000;

/// The regions whose code was run, and those that were left out.
#[derive(Debug, Default, PartialEq, Eq)]
struct Runs {
    run: usize,
    /// Those of them where threads hold elements while a loop runs.
    held: usize,
    /// Those of them where that loop has copies to shared memory in it, and so barriers.
    held_over_tiles: usize,
    /// Those where threads hold what exists of a block at the end of an array.
    ending: usize,
    /// Running them takes too many steps.
    too_large: Vec<String>,
    /// Threads share what each of them needs a copy of: the checker refuses their trees, and there is a race.
    refused: Vec<String>,
}

impl Runs {
    /// Runs the code of a tree, all parameters being `least` or little more.
    fn add(&mut self, name: &str, scop: &Scop, (tree, code): &(Schedule, Ast), least: i64) {
        let Some(parameters) = small_parameters(scop, least).unwrap() else { return };
        let report = match Interpreter::new(scop, &parameters, STEPS).and_then(|all| all.compare_ast(code)) {
            Ok(report) => report,
            Err(error) if error.is_exhausted() => return self.too_large.push(name.to_owned()),
            Err(error) => panic!("{name}: {error}"),
        };
        if !report.is_same() && check(scop, tree, &Assumptions::default()).is_err() {
            assert!(report.faults.iter().any(|fault| matches!(fault, Fault::Race { .. })), "{name}: {report:#?}");
            return self.refused.push(name.to_owned());
        }
        assert!(report.is_same(), "{name}: {report:#?}\n{}", code.to_text(scop));
        self.run += 1;
        // All that the host does is in loops without blocks. At some sizes no block is whole.
        if holds(&code.root, &|_| true) && corruptions_found(name, scop, &parameters, code) {
            self.held += 1;
            self.held_over_tiles += usize::from(holds(&code.root, &|inner| inner.body.has_shared()));
        }
        self.ending += usize::from(ends_found(name, scop, &parameters, code));
    }
}

/// How code is mapped and run.
struct Shape {
    tiles: &'static str,
    block: &'static str,
    grid: Option<&'static str>,
    /// Only what has tiles in shared memory is run.
    needs_shared: bool,
    /// The least value of parameters.
    least: i64,
}

/// A block for each tile, and several points for each thread.
const BLOCK_FOR_EACH: Shape = Shape { tiles: "4,4", block: "2,4", grid: None, needs_shared: false, least: 5 };
/// Several tiles for each block.
const FEW_BLOCKS: Shape = Shape { tiles: "2,3", block: "2,2", grid: Some("2,2"), needs_shared: false, least: 4 };
/// The least tiles that are worth shared memory, with a rest at the end.
const SHARED: Shape = Shape { tiles: "8,16,16", block: "2,4", grid: None, needs_shared: true, least: 17 };

impl Shape {
    fn sizes(&self) -> KernelSizes {
        let (tiles, block) = (Some(self.tiles.parse().unwrap()), Some(self.block.parse().unwrap()));
        let grid = self.grid.map(|grid| grid.parse().unwrap());
        KernelSizes { tiles, block, grid, no_shared_memory: !self.needs_shared, ..KernelSizes::default() }
    }
}

/// Runs all regions in some shapes.
fn all<const N: usize>(files: &[PathBuf], shapes: [Shape; N]) -> [Runs; N] {
    let mut runs = [(); N].map(|()| Runs::default());
    for file in files {
        let name = file.file_stem().unwrap_or_default().to_string_lossy();
        let scop = region(file);
        let Some(selected) = select(&scheduled(&scop)).unwrap() else { continue };
        for (runs, shape) in runs.iter_mut().zip(&shapes) {
            let tree = map(&scop, &selected, &shape.sizes(), &Machine::generic().gpu_or_default()).unwrap();
            let code = generate(&scop, &tree, &Options::default()).unwrap();
            if code.root.has_shared() || !shape.needs_shared {
                runs.add(&name, &scop, &(tree, code), shape.least);
            }
        }
    }
    runs
}

/// Left out are: in shared memory what has too many instances, and what has no copies of scalars for threads.
#[test]
fn the_code_of_polybench_runs_thread_by_thread() {
    let [each, few, shared] = all(&below(&polybench()), [BLOCK_FOR_EACH, FEW_BLOCKS, SHARED]);
    for runs in [&each, &few] {
        assert!(runs.run >= 32 && runs.too_large.is_empty(), "{runs:?}");
        assert_eq!(runs.refused, ["deriche", "symm"]);
    }
    assert!(shared.run >= 15, "{shared:?}");
    assert!(each.held >= 4 && shared.held >= 11 && shared.held_over_tiles >= 8, "{each:?}\n{shared:?}");
    assert!(each.ending >= 4 && shared.ending >= 8, "{each:?}\n{shared:?}");
    assert_eq!(shared.too_large, ["adi", "doitgen-expanded"]);
    assert_eq!(shared.refused, ["symm"]);
}

/// Left out are: a network of constant size, and what has no copies of temporaries for threads.
#[test]
fn the_code_of_papers_runs_thread_by_thread() {
    let [each, shared] = all(&files(), [BLOCK_FOR_EACH, SHARED]);
    assert!(each.run >= 32, "{each:?}");
    assert_eq!(each.too_large, ["listing29-convolution"]);
    let temporaries =
        ["appendix-copy", "figure01-temporaries", "figure05-basic-blocks", "figure11-dist", "listing03-kill"];
    assert_eq!(each.refused, temporaries);
    assert!(shared.run >= 12 && shared.too_large.is_empty() && shared.refused.is_empty(), "{shared:?}");
    assert!(each.held >= 7 && shared.held >= 11 && shared.held_over_tiles >= 8, "{each:?}\n{shared:?}");
    assert!(each.ending >= 4 && shared.ending >= 8, "{each:?}\n{shared:?}");
}
