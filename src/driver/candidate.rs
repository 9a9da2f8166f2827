//! Candidates: what may be done to a region, as data that can be printed, saved and replayed.
//!
//! A candidate is a point of a small space; [`super::candidates`] enumerates it. What a candidate does not say is the
//! same for all of a region: the machine, the scheduler and its strategy, whether only what gains is tiled.

use crate::schedule_tree::TileSizes;
use std::fmt;
use std::str::FromStr;

/// One way to run a region. Its text form is one word, so that it can be the value of an option:
/// `order=scheduled+tiles=32,8/4+wavefront=1+points=interchanged+register-tiles=true+parallel=true`. Where a tool
/// hands blanks on, they may stand in the place of `+`; keys that are left out have the value that does nothing. A
/// candidate stands for a tree together with the other options, the budget among them.
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
    /// What blocks for registers read across rows is packed.
    pub pack: bool,
}

/// Where an order of instances comes from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
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
    /// Nests that pass through the same rows share a loop over some of them ([`crate::transform::post_tile::Common::Rows`]).
    Rows(TileSizes),
    /// Loops over time have diamonds, all of which along a grid start at the same time ([`crate::transform::diamonds`]).
    Diamonds(TileSizes),
    /// Loops whose iterations wait for each other are in a loop over tiles of what is in them ([`crate::transform::post_tile::left_looking`]).
    LeftLooking(TileSizes),
    /// The same loops are in strips, with what nobody waits for behind the rest ([`crate::transform::post_tile::right_looking`]).
    RightLooking(TileSizes),
}

impl Tiles {
    /// Their sizes, if there are any.
    pub fn sizes(&self) -> Option<&TileSizes> {
        match self {
            Tiles::None => None,
            Tiles::Own(sizes) | Tiles::Shared(sizes) | Tiles::Rows(sizes) | Tiles::Diamonds(sizes) => Some(sizes),
            Tiles::LeftLooking(sizes) | Tiles::RightLooking(sizes) => Some(sizes),
        }
    }
}

/// The order of the points of a tile.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Points {
    /// That of the band, with its members interchanged as the cost model says.
    Interchanged,
    /// Scheduled anew under the loops over tiles (the post-tile phase; unified report, section 7).
    Rescheduled,
    /// Interchanged, those of tiles that one statement has alone apart from the others ([`crate::transform::apart`]).
    Apart,
    /// Interchanged, with updates that need finished tiles alone ahead of the others ([`crate::transform::ahead`]).
    Ahead,
    /// So that iterations of innermost loops do not wait for the one before ([`crate::transform::skew`]).
    Skewed,
    /// In blocks whose rows are an iteration apart ([`crate::transform::stagger`]).
    Staggered,
}

impl Candidate {
    /// A tree that the user gave, taken as it is.
    pub(super) fn loaded() -> Candidate {
        Candidate { order: Order::Loaded, ..Candidate::as_it_is() }
    }

    /// The region as it is.
    pub(super) fn as_it_is() -> Candidate {
        Candidate {
            order: Order::Original,
            tiles: Tiles::None,
            wavefront: 0,
            points: Points::Interchanged,
            register_tiles: false,
            parallel: false,
            pack: false,
        }
    }
}

impl fmt::Display for Candidate {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Candidate { order, tiles, wavefront, points, register_tiles, parallel, pack } = self;
        write!(f, "order={order}+tiles={tiles}+wavefront={wavefront}+points={points}+")?;
        write!(f, "register-tiles={register_tiles}+parallel={parallel}")?;
        if *pack { f.write_str("+pack=true") } else { Ok(()) }
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
            Tiles::Rows(sizes) => write!(f, "rows:{sizes}"),
            Tiles::Diamonds(sizes) => write!(f, "diamonds:{sizes}"),
            Tiles::LeftLooking(sizes) => write!(f, "left-looking:{sizes}"),
            Tiles::RightLooking(sizes) => write!(f, "right-looking:{sizes}"),
        }
    }
}

impl fmt::Display for Points {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Points::Interchanged => "interchanged",
            Points::Rescheduled => "rescheduled",
            Points::Apart => "apart",
            Points::Ahead => "ahead",
            Points::Skewed => "skewed",
            Points::Staggered => "staggered",
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
        let mut known = Vec::new();
        for word in text.split(|c: char| c == '+' || c.is_whitespace()).filter(|word| !word.is_empty()) {
            let (key, value) = word.split_once('=').ok_or_else(|| format!("'{word}' is not key=value"))?;
            if known.contains(&key) {
                return Err(format!("'{word}': {key} is said twice"));
            }
            known.push(key);
            candidate.set(key, value).map_err(|problem| format!("'{word}': {problem}"))?;
        }
        if candidate.order == Order::Loaded {
            return Err("a candidate needs order=original, scheduled or outer-coincidence".to_owned());
        }
        let lacks_tiles = candidate.tiles == Tiles::None;
        let has_points = matches!(candidate.points, Points::Rescheduled | Points::Apart | Points::Ahead);
        let is_in_tiles = candidate.register_tiles || has_points || candidate.pack;
        if lacks_tiles && is_in_tiles {
            return Err("register-tiles=true, points=rescheduled, apart or ahead, and pack=true need tiles=".to_owned());
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
                self.tiles = match value.split_once(':').unwrap_or(("", value)) {
                    ("", "none") => Tiles::None,
                    ("shared", sizes) => Tiles::Shared(sizes.parse()?),
                    ("rows", sizes) => Tiles::Rows(sizes.parse()?),
                    ("diamonds", sizes) => Tiles::Diamonds(one_level(sizes)?),
                    ("left-looking", sizes) => Tiles::LeftLooking(sizes.parse()?),
                    ("right-looking", sizes) => Tiles::RightLooking(sizes.parse()?),
                    _ => Tiles::Own(value.parse()?),
                }
            }
            "wavefront" => self.wavefront = value.parse().map_err(|_| "a number of degrees".to_owned())?,
            "points" => {
                self.points = match value {
                    "interchanged" => Points::Interchanged,
                    "rescheduled" => Points::Rescheduled,
                    "apart" => Points::Apart,
                    "ahead" => Points::Ahead,
                    "skewed" => Points::Skewed,
                    "staggered" => Points::Staggered,
                    _ => return Err("interchanged, rescheduled, apart, ahead, skewed or staggered".to_owned()),
                }
            }
            "register-tiles" => self.register_tiles = truth()?,
            "parallel" => self.parallel = truth()?,
            "pack" => self.pack = truth()?,
            _ => return Err("keys are order, tiles, wavefront, points, register-tiles, parallel, pack".to_owned()),
        }
        Ok(())
    }
}

/// Sizes of tiles that have none in them.
fn one_level(text: &str) -> Result<TileSizes, String> {
    let sizes: TileSizes = text.parse()?;
    if sizes.levels().count() == 1 { Ok(sizes) } else { Err("diamonds have one level".to_owned()) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_cannot_be_read_is_named() {
        let problem = |text: &str| text.parse::<Candidate>().unwrap_err();
        assert!(problem("").contains("needs order="));
        assert!(problem("order=loaded").contains("'order=loaded': original, scheduled"));
        assert!(problem("order=original+tile=3").contains("'tile=3': keys are"));
        assert!(problem("order=original tiles=0").contains("'tiles=0'"));
        assert!(problem("order=original tiles=diamonds:8/4").contains("diamonds have one level"));
        assert!(problem("order=original parallel").contains("'parallel' is not key=value"));
        assert!(problem("order=original order=scheduled").contains("order is said twice"));
        assert!(problem("order=original points=rescheduled").contains("need tiles="));
        assert!(problem("order=original pack=true").contains("need tiles="));
    }
}
