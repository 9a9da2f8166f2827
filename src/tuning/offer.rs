//! The candidates of a region that are worth a measurement.

use super::file::Choice;
use super::key::Identity;
use crate::driver::{Candidate, Joint, LayoutSearch, Optimized, Options, Points, Target, Tiles, candidates, optimize};
use crate::schedule_tree::TileSizes;
use crate::scop::Scop;
use crate::scop::text::schedule_to_text;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// More are not realized: each takes as long as scheduling a region.
const MOST_REALIZED: usize = 60;

/// Sizes of tiles that are tried besides those of the model, which are about as large as the nearest cache holds.
const SIZES: [&str; 8] = ["16", "64", "8", "128", "16,64", "64,16", "8,128", "256/32"];

/// What may be measured of a region.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Offer {
    /// The region's name, as `gemm:12`.
    pub region: String,
    /// The key of its model.
    pub key: String,
    /// The machine that it was made for.
    pub machine: String,
    /// A number for the options.
    pub options: String,
    /// What it costs as it is, in the units of [`crate::cost::cost`]; 0 where that is not known.
    pub original: u64,
    /// What is taken without a choice costs so much.
    pub default: u64,
    /// The candidates, those that come first in front.
    pub candidates: Vec<Offered>,
}

/// A candidate.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Offered {
    /// In the words that a file of choices has for it.
    pub candidate: String,
    /// Its predicted cost.
    pub cost: u64,
}

impl Offer {
    /// Reads what [`Self::to_text`] writes.
    ///
    /// # Errors
    /// What is wrong, in words.
    pub fn parse(text: &str) -> Result<Offer, String> {
        toml::from_str(text).map_err(|error| error.message().to_owned())
    }

    /// Its text.
    pub fn to_text(&self) -> String {
        toml::to_string(self).unwrap_or_default()
    }
}

/// What may be measured of a region for which `joint` is found without a choice: at most so many candidates, each
/// realized and checked, of which no two have the same tree, nor that of what is taken or of the region as it is. They are
/// for the region's own layout; where another one is taken without a choice, half of them for that.
pub fn offer(scop: &Scop, options: &Options, joint: &Joint, most: usize) -> Option<Offer> {
    let identity = Identity::of(scop, options).ok()?;
    let found = &joint.optimized;
    let mut candidates = Vec::new();
    if let Some(relaid) = &joint.relaid {
        let others = realized(&relaid.applied.scop, options, Some(found));
        candidates = offered(spread(others, most.div_ceil(2)), Choice::Relaid);
    }
    let own = realized(scop, options, joint.relaid.is_none().then_some(found));
    candidates.extend(offered(spread(own, most - candidates.len()), Choice::Candidate));
    candidates.sort_by_key(|one| one.cost);
    let original = match (&found.prediction, &found.unprofitable) {
        (Some(prediction), _) => prediction.before,
        (None, Some(reason)) => reason.best_alternative.map_or(found.cost, |best| best.original),
        (None, None) => 0,
    };
    let Identity { key, machine, options } = identity;
    Some(Offer { region: scop.name.clone(), key, machine, options, original, default: found.cost, candidates })
}

fn offered(candidates: Vec<(Candidate, u64)>, choice: fn(Candidate) -> Choice) -> Vec<Offered> {
    let one = |(candidate, cost)| Offered { candidate: choice(candidate).to_string(), cost };
    candidates.into_iter().map(one).collect()
}

/// The candidates that a region may have besides what was found for it, each with a tree of its own, and what they cost.
fn realized(scop: &Scop, options: &Options, found: Option<&Optimized>) -> Vec<(Candidate, u64)> {
    let mut trees: Vec<String> = found.and_then(|found| schedule_to_text(&found.tree).ok()).into_iter().collect();
    let mut realized: Vec<(Candidate, u64)> = Vec::new();
    for candidate in wanted(options).into_iter().take(MOST_REALIZED) {
        let own = Options { candidate: Some(candidate.clone()), layout: LayoutSearch::None, ..options.clone() };
        let Ok(one) = optimize(scop, &own, &mut ()) else { continue };
        let Ok(tree) = schedule_to_text(&one.tree) else { continue };
        if !one.same_as_original && !trees.contains(&tree) {
            trees.push(tree);
            realized.push((candidate, one.cost));
        }
    }
    realized
}

/// The candidates that the search knows, then the same with one thing changed: other sizes of tiles, packed tiles, no
/// blocks for registers, one thread.
fn wanted(options: &Options) -> Vec<Candidate> {
    let mut all = Vec::new();
    if options.target != Target::Cpu {
        return all;
    }
    let first = candidates(options);
    let mut add = |candidate: Candidate| {
        if !all.contains(&candidate) {
            all.push(candidate);
        }
    };
    first.iter().cloned().for_each(&mut add);
    for candidate in &first {
        let is_tiled = candidate.tiles.sizes().is_some();
        if is_tiled && !candidate.pack {
            add(Candidate { pack: true, ..candidate.clone() });
        }
        if candidate.parallel {
            add(Candidate { parallel: false, wavefront: 0, ..candidate.clone() });
        }
        if is_tiled && candidate.points == Points::Interchanged && !candidate.pack {
            add(Candidate { register_tiles: false, ..candidate.clone() });
        }
    }
    let tiled = || first.iter().filter(|one| one.tiles.sizes().is_some());
    for candidate in tiled().filter(|one| one.points == Points::Interchanged) {
        add(Candidate { tiles: Tiles::None, register_tiles: false, wavefront: 0, ..candidate.clone() });
    }
    for sizes in SIZES.iter().filter_map(|sizes| sizes.parse::<TileSizes>().ok()) {
        // Diamonds have one level.
        let is_open = |tiles: &Tiles| !matches!(tiles, Tiles::Diamonds(_)) || sizes.levels().count() == 1;
        for candidate in tiled().filter(|candidate| is_open(&candidate.tiles)) {
            add(Candidate { tiles: with_sizes(&candidate.tiles, &sizes), ..candidate.clone() });
        }
    }
    all
}

fn with_sizes(tiles: &Tiles, sizes: &TileSizes) -> Tiles {
    let sizes = sizes.clone();
    match tiles {
        Tiles::None => Tiles::None,
        Tiles::Own(_) => Tiles::Own(sizes),
        Tiles::Shared(_) => Tiles::Shared(sizes),
        Tiles::Rows(_) => Tiles::Rows(sizes),
        Tiles::Diamonds(_) => Tiles::Diamonds(sizes),
        Tiles::LeftLooking(_) => Tiles::LeftLooking(sizes),
        Tiles::RightLooking(_) => Tiles::RightLooking(sizes),
    }
}

/// So many of the candidates as are wanted: the best of each kind by prediction, then the second best of each, and so on.
/// Those that differ in sizes of tiles alone are of one kind.
pub fn spread(candidates: Vec<(Candidate, u64)>, most: usize) -> Vec<(Candidate, u64)> {
    let mut kinds: BTreeMap<String, Vec<(Candidate, u64)>> = BTreeMap::new();
    for (candidate, cost) in candidates {
        let kind = Candidate { tiles: with_sizes(&candidate.tiles, &TileSizes::new(&[1])), ..candidate.clone() };
        kinds.entry(kind.to_string()).or_default().push((candidate, cost));
    }
    let mut placed = Vec::new();
    for mut kind in kinds.into_values() {
        kind.sort_by_key(|(_, cost)| *cost);
        placed.extend(kind.into_iter().enumerate());
    }
    placed.sort_by_key(|(place, (_, cost))| (*place, *cost));
    placed.into_iter().map(|(_, one)| one).take(most).collect()
}

#[cfg(test)]
mod tests {
    use super::{Offer, offer, spread, wanted};
    use crate::driver::{Candidate, LayoutSearch, Options, optimize_jointly};
    use crate::isl::Ctx;
    use crate::scop::Scop;
    use crate::tuning::Choice;
    use std::path::Path;

    #[test]
    fn the_best_of_each_kind_come_first() {
        let of = |text: &str, cost| (text.parse::<Candidate>().unwrap(), cost);
        let all = vec![
            of("order=scheduled+tiles=8", 10),
            of("order=scheduled+tiles=16", 11),
            of("order=scheduled+tiles=32", 9),
            of("order=original", 20),
            of("order=original+tiles=32", 12),
        ];
        let chosen: Vec<u64> = spread(all.clone(), 4).into_iter().map(|(_, cost)| cost).collect();
        assert_eq!(chosen, [9, 12, 20, 10]);
        assert_eq!(spread(all, 9).len(), 5);
    }

    #[test]
    fn what_is_offered_is_new_and_read_back() {
        let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("test/scop/basic/gemm.scop");
        let scop = Scop::parse(&Ctx::new(), &std::fs::read_to_string(file).unwrap()).unwrap();
        let options = Options { parallel: false, layout: LayoutSearch::None, ..Options::default() };
        assert!(wanted(&options).iter().any(|one| one.pack));
        for one in wanted(&Options::default()) {
            assert_eq!(one.to_string().parse(), Ok(one));
        }
        let found = optimize_jointly(&scop, &options, &|_| true, &mut ()).unwrap();
        let made = offer(&scop, &options, &found, 6).unwrap();
        assert!((3..=6).contains(&made.candidates.len()), "{made:?}");
        assert!(made.original > made.default, "{made:?}");
        for one in &made.candidates {
            assert!(one.candidate.parse::<Candidate>().is_ok() && one.cost > 0, "{one:?}");
            assert_ne!(one.candidate, found.optimized.candidate.to_string());
        }
        assert_eq!(Offer::parse(&made.to_text()), Ok(made));
        assert!(Offer::parse("key = 3").is_err());
        // Where another layout is taken there are candidates for both.
        let options = Options { layout: LayoutSearch::Any, ..options };
        let found = optimize_jointly(&scop, &options, &|_| true, &mut ()).unwrap();
        let made = offer(&scop, &options, &found, 6).unwrap();
        let relaid = made.candidates.iter().filter(|one| matches!(one.candidate.parse(), Ok(Choice::Relaid(_))));
        assert!(found.relaid.is_some() && (1..=3).contains(&relaid.count()), "{made:?}");
    }
}
