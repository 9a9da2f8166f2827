//! Candidates: what may be done to a region, as data that can be printed, saved and replayed.
//!
//! A candidate is a point of a small space; [`candidates`] enumerates it. What a candidate does not say is the same for
//! all of a region: the machine, the scheduler and its strategy, whether only what gains is tiled.

use super::{Options, Scheduler};
use crate::schedule_tree::TileSizes;
use std::fmt;
use std::str::FromStr;

/// One way to run a region. Its text form is one word, so that it can be the value of an option:
/// `order=scheduled+tiles=32,8/4+wavefront=1+points=interchanged+register-tiles=true+parallel=true`. Blanks may stand in
/// the place of `+`; keys that are left out have the value that does nothing.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Candidate {
    /// Where the order of instances comes from.
    pub order: Order,
    /// The tiles of permutable bands.
    pub tiles: Tiles,
    /// Degrees of pipelined parallelism in bands without a coincident member (Pluto paper, Algorithm 2).
    pub wavefront: usize,
    /// The order of the points of tiles.
    pub points: Points,
    /// Points are cut into blocks whose accumulators stay in registers.
    pub register_tiles: bool,
    /// Coincident members become parallel loops.
    pub parallel: bool,
}

/// Where an order of instances comes from.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Order {
    /// A schedule tree that the user gave.
    Loaded,
    /// The original order, its bands found anew.
    Original,
    /// From the scheduler.
    Scheduled {
        /// Outermost members are coincident where that is possible at all (ppcg report, section 6.2).
        outer_coincidence: bool,
    },
}

/// The tiles of permutable bands.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Tiles {
    /// There are none.
    None,
    /// Each band has its own.
    Own(TileSizes),
    /// Several nests share loops over tiles (unified report, section 7).
    Shared(TileSizes),
}

/// The order of the points of a tile.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Points {
    /// That of the band, with its members interchanged as the cost model says.
    Interchanged,
    /// Scheduled anew under the loops over tiles (the post-tile phase; unified report, section 7).
    Rescheduled,
}

/// All candidates for a region, the ones that are realized first in front: of each order the first, then what is made
/// of that. The search (`search.rs`) leaves out those that cannot be better than what it has.
pub fn candidates(options: &Options) -> Vec<Candidate> {
    let first = Candidate::first(options);
    let more = |first: &Candidate| first.in_sequence(options).into_iter().chain(first.post_tile(options));
    let more: Vec<Candidate> = first.iter().flat_map(more).collect();
    first.into_iter().chain(more).collect()
}

impl Candidate {
    /// A tree that the user gave, taken as it is.
    pub(super) fn loaded() -> Candidate {
        Candidate {
            order: Order::Loaded,
            tiles: Tiles::None,
            wavefront: 0,
            points: Points::Interchanged,
            register_tiles: false,
            parallel: false,
        }
    }

    /// An order, with everything that the options have for it.
    pub(super) fn of(order: Order, options: &Options) -> Candidate {
        let degrees = options.wavefront.unwrap_or(if options.tile { 1 } else { 0 });
        Candidate {
            order,
            tiles: if options.tile { Tiles::Own(options.tile_sizes.clone()) } else { Tiles::None },
            wavefront: if options.parallel { degrees } else { 0 },
            points: Points::Interchanged,
            register_tiles: options.tile && options.register_tiles,
            parallel: options.parallel,
        }
    }

    /// One candidate for each order. Only what beats the original order gains; where it is open whether outermost
    /// members must be coincident, both are tried, at first the one without, which may tell that the other is the same.
    pub(super) fn first(options: &Options) -> Vec<Candidate> {
        let outer_coincidence = match options.scheduler {
            Scheduler::None => return vec![Candidate::of(Order::Original, options)],
            // The strategy says it, or leaves no choice.
            Scheduler::Pluto | Scheduler::Feautrier => Some(false),
            Scheduler::Ppcg | Scheduler::Unified if options.strategy.is_some() => Some(false),
            Scheduler::Ppcg | Scheduler::Unified | Scheduler::Isl => options.outer_coincidence,
        };
        let choices = outer_coincidence.map_or(vec![false, true], |choice| vec![choice]);
        let scheduled = choices.into_iter().map(|outer_coincidence| Order::Scheduled { outer_coincidence });
        let orders = scheduled.chain(options.profitability.then_some(Order::Original));
        orders.map(|order| Candidate::of(order, options)).collect()
    }

    /// The same without wavefronts, which have no blocks for registers. Whoever asks for wavefronts gets them.
    pub(super) fn in_sequence(&self, options: &Options) -> Option<Candidate> {
        let is_open = options.profitability && options.wavefront.is_none();
        (is_open && self.wavefront > 0 && self.register_tiles).then(|| Candidate { wavefront: 0, ..self.clone() })
    }

    /// The same with the points of tiles scheduled anew, in the tiles that there are, and in tiles that several nests
    /// share. Only the unified strategy has aims that the first phase cannot pursue inside of tiles.
    pub(super) fn post_tile(&self, options: &Options) -> Vec<Candidate> {
        let wanted = options.post_tile && options.scheduler == Scheduler::Unified;
        let (Tiles::Own(sizes), Order::Scheduled { .. }, true) = (&self.tiles, self.order, wanted) else {
            return Vec::new();
        };
        let own = Candidate { points: Points::Rescheduled, ..self.clone() };
        let shared = Candidate { tiles: Tiles::Shared(sizes.clone()), ..own.clone() };
        vec![own, shared]
    }
}

impl fmt::Display for Candidate {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Candidate { order, tiles, wavefront, points, register_tiles, parallel } = self;
        write!(f, "order={order}+tiles={tiles}+wavefront={wavefront}+points={points}+")?;
        write!(f, "register-tiles={register_tiles}+parallel={parallel}")
    }
}

impl fmt::Display for Order {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Order::Loaded => "loaded",
            Order::Original => "original",
            Order::Scheduled { outer_coincidence: false } => "scheduled",
            Order::Scheduled { outer_coincidence: true } => "outer-coincidence",
        })
    }
}

impl fmt::Display for Tiles {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Tiles::None => f.write_str("none"),
            Tiles::Own(sizes) => write!(f, "{sizes}"),
            Tiles::Shared(sizes) => write!(f, "shared:{sizes}"),
        }
    }
}

impl fmt::Display for Points {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Points::Interchanged => "interchanged",
            Points::Rescheduled => "rescheduled",
        })
    }
}

impl FromStr for Candidate {
    type Err = String;

    /// Reads what is displayed.
    ///
    /// # Errors
    /// The word that cannot be read, and what it may be.
    fn from_str(text: &str) -> Result<Self, String> {
        let mut candidate = Candidate::loaded();
        for word in text.split(|c: char| c == '+' || c.is_whitespace()).filter(|word| !word.is_empty()) {
            let (key, value) = word.split_once('=').ok_or_else(|| format!("'{word}' is not key=value"))?;
            candidate.set(key, value).map_err(|problem| format!("'{word}': {problem}"))?;
        }
        if candidate.order == Order::Loaded {
            return Err("a candidate needs order=original, scheduled or outer-coincidence".to_owned());
        }
        let lacks_tiles = candidate.tiles == Tiles::None;
        if lacks_tiles && (candidate.register_tiles || candidate.points == Points::Rescheduled) {
            return Err("register-tiles=true and points=rescheduled need tiles=".to_owned());
        }
        Ok(candidate)
    }
}

impl Candidate {
    fn set(&mut self, key: &str, value: &str) -> Result<(), String> {
        let truth = || value.parse::<bool>().map_err(|_| "true or false".to_owned());
        match key {
            "order" => {
                self.order = match value {
                    "original" => Order::Original,
                    "scheduled" => Order::Scheduled { outer_coincidence: false },
                    "outer-coincidence" => Order::Scheduled { outer_coincidence: true },
                    _ => return Err("original, scheduled or outer-coincidence".to_owned()),
                }
            }
            "tiles" => {
                self.tiles = match (value, value.strip_prefix("shared:")) {
                    ("none", _) => Tiles::None,
                    (_, Some(sizes)) => Tiles::Shared(sizes.parse()?),
                    (sizes, None) => Tiles::Own(sizes.parse()?),
                }
            }
            "wavefront" => self.wavefront = value.parse().map_err(|_| "a number of degrees".to_owned())?,
            "points" => {
                self.points = match value {
                    "interchanged" => Points::Interchanged,
                    "rescheduled" => Points::Rescheduled,
                    _ => return Err("interchanged or rescheduled".to_owned()),
                }
            }
            "register-tiles" => self.register_tiles = truth()?,
            "parallel" => self.parallel = truth()?,
            _ => return Err("keys are order, tiles, wavefront, points, register-tiles, parallel".to_owned()),
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_is_read_back() {
        let sizes = TileSizes::nested(&[vec![256, 64], vec![32, 8]]);
        let options = Options { tile_sizes: sizes, wavefront: None, ..Options::default() };
        let all = candidates(&options);
        // Three orders; each without its wavefront; the scheduled ones with the post-tile phase, in two kinds of tiles.
        assert_eq!(all.len(), 3 + 3 + 2 * 2);
        for candidate in all {
            assert_eq!(candidate.to_string().parse(), Ok(candidate));
        }
    }

    #[test]
    fn what_options_rule_out_is_no_candidate() {
        let count = |options: Options| candidates(&options).len();
        let options = Options { profitability: false, outer_coincidence: Some(true), ..Options::default() };
        assert_eq!(count(Options { post_tile: false, ..options.clone() }), 1);
        assert_eq!(count(Options { scheduler: Scheduler::Ppcg, ..options.clone() }), 1);
        assert_eq!(count(Options { tile: false, ..options.clone() }), 1);
        assert_eq!(count(options), 3);
        assert_eq!(count(Options { parallel: false, post_tile: false, ..Options::default() }), 3);
        assert_eq!(count(Options { wavefront: Some(1), post_tile: false, ..Options::default() }), 3);
    }

    #[test]
    fn what_cannot_be_read_is_named() {
        let problem = |text: &str| text.parse::<Candidate>().unwrap_err();
        assert!(problem("").contains("needs order="));
        assert!(problem("order=loaded").contains("'order=loaded': original, scheduled"));
        assert!(problem("order=original+tile=3").contains("'tile=3': keys are"));
        assert!(problem("order=original tiles=0").contains("'tiles=0'"));
        assert!(problem("order=original parallel").contains("'parallel' is not key=value"));
        assert!(problem("order=original points=rescheduled").contains("need tiles="));
    }
}
