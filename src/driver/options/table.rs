//! The options of the optimizer, declared once: the passes list and parse these rows, and the command makes its
//! arguments of them.

use super::{DEFAULT_SCHEDULER, Effort, LayoutSearch, Options, Scheduler, Target};
use crate::clustering::{Clustering, DecisionError};
use crate::schedule_tree::TileSizes;
use crate::text_file::why;
use crate::transform::Packing;
use crate::transform::gpu::{AxisSizes, OwnSizes};
use std::fmt;

/// One option.
pub struct OptionRow {
    /// Its name, as in `name=value`.
    pub name: &'static str,
    /// The form of its value, for `--help`.
    pub values: &'static str,
    /// The text of the default; empty where there is none, or where it depends on the machine.
    pub default: &'static str,
    /// The effect of the option.
    pub help: &'static str,
    set: fn(&mut Options, &str) -> Result<(), Unacceptable>,
}

/// Why a value is not accepted.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Unacceptable {
    /// The option has no such value; what may be given instead, as in "one of a, b".
    Unknown(String),
    /// The value is part of the contract, and not there yet; what is.
    Unavailable(String),
}

impl fmt::Display for Unacceptable {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Unacceptable::Unknown(allowed) => write!(f, "is not {allowed}"),
            Unacceptable::Unavailable(available) => write!(f, "is not available yet; available: {available}"),
        }
    }
}

impl OptionRow {
    /// Sets the option from its text, without surrounding spaces. An empty text is the default where that is empty.
    ///
    /// # Errors
    /// A text that is malformed, unknown, or not available yet.
    pub fn set(&self, options: &mut Options, text: &str) -> Result<(), Unacceptable> {
        if text.is_empty() && self.default.is_empty() { Ok(()) } else { (self.set)(options, text) }
    }

    /// The word that turns the option off, if it is a switch.
    pub fn off(&self) -> Option<&'static str> {
        match self.values {
            BOOLEAN => Some("false"),
            "on|off" => Some("off"),
            _ => None,
        }
    }
}

const BOOLEAN: &str = "true|false";

const fn boolean(
    name: &'static str,
    default: &'static str,
    help: &'static str,
    set: fn(&mut Options, &str) -> Result<(), Unacceptable>,
) -> OptionRow {
    OptionRow { name, values: BOOLEAN, default, help, set }
}

/// The options that say what is done to a region, in the order in which they are listed and set.
pub const OPTIONS: &[OptionRow] = &[
    OptionRow {
        name: "target",
        values: "cpu|gpu",
        default: "cpu",
        help: "What the loops are mapped to",
        set: |options, text| {
            word(text, &[("cpu", Some(Target::Cpu)), ("gpu", Some(Target::Gpu))]).map(|target| options.target = target)
        },
    },
    OptionRow {
        name: "scheduler",
        values: "unified|ppcg|pluto|pluto-lp-dfp|feautrier|isl-defaults|isl|none",
        default: DEFAULT_SCHEDULER,
        help: "Who finds the schedule; none keeps the original order",
        set: |options, text| {
            let all: Vec<_> = Scheduler::all().map(|(name, scheduler)| (name, Some(scheduler))).collect();
            word(text, &all).map(|scheduler| options.scheduler = scheduler)
        },
    },
    OptionRow {
        name: "outer-coincidence",
        values: BOOLEAN,
        default: "",
        help: "Where the scheduler leaves it open, make outermost members coincident where that is possible, or prefer \
               wide bands (default: both are tried)",
        set: |options, text| truth(text).map(|value| options.outer_coincidence = Some(value)),
    },
    boolean("tile", "true", "Tile permutable bands", |options, text| truth(text).map(|value| options.tile = value)),
    OptionRow {
        name: "tile-sizes",
        values: "N,N,.../N,...",
        default: "",
        help: "Tile sizes, outermost loop first; the last one is repeated (default: tiles that fit the nearest cache); / \
               is between levels, from large to small",
        set: |options, text| {
            let sizes: TileSizes = text.parse().map_err(Unacceptable::Unknown)?;
            options.kernel_sizes.tiles = Some(sizes.clone());
            options.tile_sizes = sizes;
            Ok(())
        },
    },
    OptionRow {
        name: "block-sizes",
        values: "Z,Y,X",
        default: "",
        help: "With target=gpu, the threads of a block along up to three axes (default: 256 along one axis, 32 with loops in it, \
               8,32 along two, 4,4,32 along three)",
        set: |options, text| {
            let sizes = AxisSizes::of_threads(text).map_err(Unacceptable::Unknown)?;
            options.kernel_sizes.block = Some(sizes);
            Ok(())
        },
    },
    OptionRow {
        name: "grid-sizes",
        values: "Y,X",
        default: "",
        help: "With target=gpu, the most blocks along up to two axes: with fewer than there are tiles, each takes \
               several (default: a block for each tile)",
        set: |options, text| {
            let sizes = AxisSizes::of_blocks(text).map_err(Unacceptable::Unknown)?;
            options.kernel_sizes.grid = Some(sizes);
            Ok(())
        },
    },
    OptionRow {
        name: "kernel-sizes",
        values: "K:T:B:G+...",
        default: "",
        help: "With target=gpu, tile-sizes, block-sizes and grid-sizes of a region's kernels by their numbers, from 0 \
               in the order of launches: 0:64,64,16:16,16+2::8,32; what is empty is as for all kernels",
        set: |options, text| {
            let sizes: OwnSizes = text.parse().map_err(Unacceptable::Unknown)?;
            options.kernel_sizes.own = sizes;
            Ok(())
        },
    },
    boolean(
        "shared-memory",
        "true",
        "With target=gpu, copy tiles of what the threads of a block read often to shared memory",
        |options, text| truth(text).map(|value| options.kernel_sizes.no_shared_memory = !value),
    ),
    boolean(
        "register-tiles",
        "true",
        "Cut the points of tiles into blocks whose accumulators stay in registers",
        |options, text| truth(text).map(|value| options.register_tiles = value),
    ),
    OptionRow {
        name: "pack-tiles",
        values: "none|auto|all",
        default: "auto",
        help: "Copy what blocks for registers read across rows, scale or share to small buffers, where it lies along rows, if that gains; with all, whatever tiles read, for tests",
        set: |options, text| {
            let words = [("none", None), ("auto", Some(Packing::Gaining)), ("all", Some(Packing::All))];
            word(text, &words.map(|(name, packing)| (name, Some(packing)))).map(|value| options.pack_tiles = value)
        },
    },
    boolean(
        "post-tile",
        "true",
        "Where groups of references count, as with unified, schedule what is in tiles anew under the loops over tiles",
        |options, text| truth(text).map(|value| options.post_tile = value),
    ),
    boolean(
        "common-rows",
        "true",
        "On one thread, let nests that pass through the same rows of a matrix share a loop over some of them",
        |options, text| truth(text).map(|value| options.common_rows = value),
    ),
    boolean(
        "left-looking",
        "true",
        "On one thread, take a few columns of a matrix at a time through a loop that passes over all of it",
        |options, text| truth(text).map(|value| options.left_looking = value),
    ),
    boolean(
        "right-looking",
        "true",
        "Take a few iterations of a loop that passes over all of a matrix at a time, keeping what they overwrite if need be",
        |options, text| truth(text).map(|value| options.right_looking = value),
    ),
    boolean("second-phase", "true", "The former name of post-tile; either turns it off", |options, text| {
        truth(text).map(|value| options.post_tile &= value)
    }),
    OptionRow {
        name: "wavefront",
        values: "N",
        default: "",
        help: "Degrees of pipelined parallelism where no loop is parallel; 0: no wavefronts (default: 1, across tiles)",
        set: |options, text| degrees(text).map(|degrees| options.wavefront = Some(degrees)),
    },
    boolean("parallel", "true", "Make coincident loops parallel", |options, text| {
        truth(text).map(|value| options.parallel = value)
    }),
    OptionRow {
        name: "profitability",
        values: "on|off",
        default: "on",
        help: "Leave alone what seems not to gain",
        set: |options, text| {
            word(text, &[("on", Some(true)), ("off", Some(false))]).map(|value| options.profitability = value)
        },
    },
    boolean(
        "size-versions",
        "true",
        "Where new code gains only because caches do not hold the data, run the code as it is for sizes that they hold",
        |options, text| truth(text).map(|value| options.size_versions = value),
    ),
    OptionRow {
        name: "candidate",
        values: "KEY=VALUE+KEY=VALUE+...",
        default: "",
        help: "Take this candidate, in the words in which polyrs candidates lists it, instead of the best one",
        set: |options, text| {
            let candidate = text.parse().map_err(|problem| Unacceptable::Unknown(format!("a candidate: {problem}")))?;
            options.candidate = Some(candidate);
            Ok(())
        },
    },
    OptionRow {
        name: "effort",
        values: "low|high",
        default: "high",
        help: "How much work a function may take: seconds, or a fraction of one, without a search for layouts (clang and flang: \
               low below -O3)",
        set: |options, text| {
            let words = [("low", Some(Effort::Low)), ("high", Some(Effort::High))];
            word(text, &words).map(|value| options.effort = value)
        },
    },
    OptionRow {
        name: "layout",
        values: "none|auto|any",
        default: "auto",
        help: "Whether arrays get another layout while a region runs: where that seems to gain, copies included, or the first \
               that is possible, for tests; auto is none with profitability=off, any gives it whatever the sizes",
        set: |options, text| {
            let words = [("none", LayoutSearch::None), ("auto", LayoutSearch::Auto), ("any", LayoutSearch::Any)];
            word(text, &words.map(|(word, value)| (word, Some(value)))).map(|value| options.layout = value)
        },
    },
    boolean(
        "reorder-reductions",
        "false",
        "Where layouts have partial results, let all sums and products be gathered in another order, as operations with \
         fastmath<reassoc> may be",
        |options, text| truth(text).map(|value| options.reorder_reductions = value),
    ),
    OptionRow {
        name: "expansion-bytes",
        values: "N",
        default: "67108864",
        help: "Bytes that arrays with a place for each iteration of some loops may take together, in a region",
        set: |options, text| whole(text).map(|value| options.expansion_bytes = value),
    },
    OptionRow {
        name: "layout-bytes",
        values: "N",
        default: "1073741824",
        help: "Bytes that all arrays of a layout that is chosen may take together, in a region; where they would take more, \
               arrays keep their layout",
        set: |options, text| whole(text).map(|value| options.layout_bytes = value),
    },
    OptionRow {
        name: "cluster",
        values: "none|chains|basic-block|scc|auto|FILE",
        default: "auto",
        help: "Which statements are scheduled as one: none, those that use at once what the one before computed, those \
               of a basic block, those that depend on each other at every depth, those of basic blocks where there are \
               many, or the ones that a file has in a line",
        set: |options, text| clustering(text).map(|clustering| options.clustering = clustering),
    },
    boolean("remove-dead", "false", "Remove instances whose values reach no result", |options, text| {
        truth(text).map(|value| options.remove_dead = value)
    }),
    boolean(
        "live-range-reordering",
        "true",
        "Let whole live ranges of reused storage change places",
        |options, text| truth(text).map(|value| options.live_range_reordering = value),
    ),
    boolean(
        "check",
        "true",
        "Check the schedule before the IR is touched; a loaded one is always checked",
        |options, text| truth(text).map(|value| options.check = value),
    ),
];

/// `true` or `false`.
fn truth(text: &str) -> Result<bool, Unacceptable> {
    word(text, &[("true", Some(true)), ("false", Some(false))])
}

/// One of some words. A word without a value is part of the contract and not available yet.
fn word<T: Copy>(text: &str, words: &[(&str, Option<T>)]) -> Result<T, Unacceptable> {
    let names = |wanted: fn(&Option<T>) -> bool| {
        let names: Vec<_> = words.iter().filter(|(_, value)| wanted(value)).map(|(name, _)| *name).collect();
        names.join(", ")
    };
    match words.iter().find(|(name, _)| *name == text) {
        Some((_, Some(value))) => Ok(*value),
        Some((_, None)) => Err(Unacceptable::Unavailable(names(Option::is_some))),
        None => Err(Unacceptable::Unknown(format!("one of {}", names(|_| true)))),
    }
}

/// A heuristic, or the decision in a file.
fn clustering(text: &str) -> Result<Clustering, Unacceptable> {
    let words = [
        ("none", Clustering::None),
        ("chains", Clustering::Chains),
        ("basic-block", Clustering::BasicBlock),
        ("scc", Clustering::Scc),
        ("auto", Clustering::Auto),
    ];
    let names = words.each_ref().map(|(name, _)| *name).join(", ");
    if let Some((_, clustering)) = words.into_iter().find(|(name, _)| *name == text) {
        return Ok(clustering);
    }
    let problem =
        |why: &dyn fmt::Display| Unacceptable::Unknown(format!("one of {names}, nor a file with a decision: {why}"));
    let decision = std::fs::read_to_string(text).map_err(|error| problem(&why(&error)))?;
    decision.parse().map(Clustering::Given).map_err(|error: DecisionError| problem(&error))
}

/// Degrees of pipelined parallelism. No band has more members than any number that fits.
fn degrees(text: &str) -> Result<usize, Unacceptable> {
    Ok(usize::try_from(whole(text)?).unwrap_or(usize::MAX))
}

fn whole(text: &str) -> Result<u64, Unacceptable> {
    let number = text.parse::<u64>().ok().filter(|number| i64::try_from(*number).is_ok());
    number.ok_or_else(|| Unacceptable::Unknown(format!("a whole number from 0 to {}", i64::MAX)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::machine::Machine;

    fn set(name: &str, text: &str) -> Result<Options, Unacceptable> {
        let mut options = Options::new(Machine::generic());
        OPTIONS.iter().find(|row| row.name == name).unwrap().set(&mut options, text).map(|()| options)
    }

    #[test]
    fn defaults_say_what_the_options_are() {
        let mut options = Options::new(Machine::generic());
        for row in OPTIONS {
            row.set(&mut options, row.default).unwrap();
        }
        assert_eq!(format!("{options:?}"), format!("{:?}", Options::new(Machine::generic())));
    }

    #[test]
    fn every_row_does_something_or_says_what_it_takes() {
        let before = format!("{:?}", Options::new(Machine::generic()));
        for row in OPTIONS {
            let texts = ["false", "true", "off", "none", "7", "order=original", "gpu", "auto", "0:8", "low"];
            let differs = |text: &&str| set(row.name, text).is_ok_and(|options| format!("{options:?}") != before);
            let unavailable = |text: &&str| matches!(set(row.name, text), Err(Unacceptable::Unavailable(_)));
            assert!(texts.iter().any(|text| differs(text) || unavailable(text)), "{}", row.name);
            assert!(matches!(set(row.name, "="), Err(Unacceptable::Unknown(_))), "{}", row.name);
        }
    }

    #[test]
    fn all_schedulers_are_in_the_table() {
        let row = OPTIONS.iter().find(|row| row.name == "scheduler").unwrap();
        let mut said: Vec<&str> = row.values.split('|').collect();
        let mut all: Vec<&str> = Scheduler::all().map(|(name, _)| name).collect();
        said.sort_unstable();
        all.sort_unstable();
        assert_eq!(said, all);
        assert_eq!(Scheduler::named(row.default), Some(Scheduler::default()));
    }

    #[test]
    fn a_former_name_is_still_read() {
        assert!(!set("second-phase", "false").unwrap().post_tile);
        assert!(set("second-phase", "true").unwrap().post_tile);
    }

    #[test]
    fn reasons_name_what_is_allowed() {
        let reason = |name, text| set(name, text).unwrap_err().to_string();
        assert_eq!(reason("tile", "yes"), "is not one of true, false");
        assert_eq!(reason("check", ""), "is not one of true, false");
        assert_eq!(reason("target", "fpga"), "is not one of cpu, gpu");
        assert!(
            reason("cluster", "blocks").starts_with("is not one of none, chains, basic-block, scc, auto, nor a file")
        );
        assert_eq!(reason("wavefront", "-1"), "is not a whole number from 0 to 9223372036854775807");
        assert_eq!(reason("tile-sizes", "8/16"), "is not a list of levels from the largest tiles to the smallest");
        assert_eq!(reason("tile-sizes", "8,"), "is not a list of whole numbers from 1 to 9223372036854775807");
        assert!(reason("candidate", "tiles=8").contains("needs order="));
    }
}
