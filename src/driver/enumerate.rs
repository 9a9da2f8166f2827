//! The candidates that options leave for a region.

use super::candidate::{Candidate, Order, Points, Tiles};
use super::options::{Options, Scheduler, Target};
use crate::schedule::WavefrontPartner;
use crate::schedule_tree::TileSizes;
use crate::transform::Packing;

/// All candidates for a region, the ones that are realized first in front: of each order the first, then what is made
/// of that. The search (`search.rs`) leaves out those that cannot be better than what it has.
pub fn candidates(options: &Options) -> Vec<Candidate> {
    let first = Candidate::first(options);
    let more = |first: &Candidate| {
        let waiting = [first.skewed(options), first.staggered(options)];
        let more =
            [first.in_sequence(options)].into_iter().chain(waiting).chain([first.apart(options), first.ahead(options)]);
        more.flatten()
            .chain(first.over_rows(options))
            .chain(first.in_diamonds(options))
            .chain(first.left_looking(options))
            .chain(first.right_looking(options))
            .chain(first.post_tile(options))
    };
    let more: Vec<Candidate> = first.iter().flat_map(more).collect();
    first.into_iter().chain(more).collect()
}

impl Candidate {
    /// An order, with everything that the options have for it.
    pub(super) fn of(order: Order, options: &Options) -> Candidate {
        let degrees = options.wavefront.unwrap_or(if options.tile { 1 } else { 0 });
        if options.target == Target::Gpu {
            return Candidate::for_gpu(order);
        }
        Candidate {
            order,
            tiles: if options.tile { Tiles::Own(options.tile_sizes.clone()) } else { Tiles::None },
            wavefront: if options.parallel { degrees } else { 0 },
            points: Points::Interchanged,
            register_tiles: options.tile && options.register_tiles,
            parallel: options.parallel,
            pack: false,
        }
    }

    /// An order whose kernels have the sizes that the options say.
    fn for_gpu(order: Order) -> Candidate {
        let points = Points::Interchanged;
        Candidate {
            order,
            tiles: Tiles::None,
            wavefront: 0,
            points,
            register_tiles: false,
            parallel: true,
            pack: false,
        }
    }

    /// One candidate for each order. Only what beats the original order gains; where it is open whether outermost
    /// members must be coincident, both are tried, at first the one without, which may tell that the other is the same.
    pub(super) fn first(options: &Options) -> Vec<Candidate> {
        let gpu = || Some(options.aims().is_none_or(|aims| aims.outer_coincidence));
        let asks = options.aims().is_some_and(|aims| aims.may_ask_for_outer_coincidence());
        let outer_coincidence = match options.scheduler {
            Scheduler::None => return vec![Candidate::of(Order::Original, options)],
            // The strategy says it, or leaves no choice.
            Scheduler::Own(_) if options.strategy.is_some() || !asks => Some(false),
            // Only what is parallel runs on a GPU.
            _ if options.target == Target::Gpu => options.outer_coincidence.or_else(gpu),
            Scheduler::Own(_) | Scheduler::Isl => options.outer_coincidence,
        };
        let competes = options.profitability && options.target == Target::Cpu;
        let choices = outer_coincidence.map_or(vec![false, true], |choice| vec![choice]);
        let scheduled = choices.into_iter().map(|outer_coincidence| Order::Scheduled { outer_coincidence });
        let orders = scheduled.chain(competes.then_some(Order::Original));
        orders.map(|order| Candidate::of(order, options)).collect()
    }

    /// The same without wavefronts, which have no blocks for registers. Whoever asks for wavefronts gets them.
    pub(super) fn in_sequence(&self, options: &Options) -> Option<Candidate> {
        let is_open = options.profitability && options.wavefront.is_none();
        (is_open && self.wavefront > 0 && self.register_tiles).then(|| Candidate { wavefront: 0, ..self.clone() })
    }

    /// The same with points that do not wait for each other.
    pub(super) fn skewed(&self, options: &Options) -> Option<Candidate> {
        let is_open = options.profitability && options.target == Target::Cpu;
        is_open.then(|| Candidate { points: Points::Skewed, ..self.clone() })
    }

    /// The same in blocks whose rows are an iteration apart, which hold what they hand on.
    pub(super) fn staggered(&self, options: &Options) -> Option<Candidate> {
        let is_open =
            options.profitability && options.target == Target::Cpu && options.register_tiles && options.promote;
        is_open.then(|| Candidate { points: Points::Staggered, register_tiles: false, ..self.clone() })
    }

    /// The same, tiles that one statement has alone apart from the others. Code for wavefronts of them would be large with tiles of
    /// tiles.
    pub(super) fn apart(&self, options: &Options) -> Option<Candidate> {
        let sizes = self.blocks(options).filter(|sizes| self.wavefront == 0 || sizes.levels().count() == 1);
        sizes.map(|_| Candidate { points: Points::Apart, ..self.clone() })
    }

    /// The same, updates that need finished tiles alone ahead of the others.
    pub(super) fn ahead(&self, options: &Options) -> Option<Candidate> {
        let sizes = self.blocks(options).filter(|sizes| sizes.levels().count() == 1);
        sizes.map(|_| Candidate { points: Points::Ahead, ..self.clone() })
    }

    /// The same, nests that pass through the same rows sharing a loop over these, or over half as many, which may stay near where
    /// rows are long. Such a loop is seldom coincident: threads share what they read in each nest.
    pub(super) fn over_rows(&self, options: &Options) -> Vec<Candidate> {
        let Some(sizes) = self.blocks_on_one_thread(options).filter(|_| options.common_rows) else { return Vec::new() };
        let half = TileSizes::new(&[(sizes.at(1, 0) / 2).max(1)]);
        let rows = [sizes.clone(), half].map(Tiles::Rows);
        rows.map(|tiles| Candidate { tiles, ..self.clone() }).to_vec()
    }

    /// The same in diamonds, in which threads start at the same time. Whoever asks for wavefronts, says of what, or says how large tiles
    /// are, gets wavefronts.
    pub(super) fn in_diamonds(&self, options: &Options) -> Vec<Candidate> {
        let asks = options.wavefront.is_some()
            || options.aims().is_some_and(|aims| aims.wavefront_partner != WavefrontPartner::Next)
            || options.tile_sizes != TileSizes::for_machine(&options.machine);
        let is_open = options.profitability && options.target == Target::Cpu && !asks;
        let tiles = Tiles::Diamonds(options.tile_sizes.clone());
        let has_tiles = matches!(self.tiles, Tiles::Own(_));
        if !is_open || !has_tiles || !self.parallel {
            return Vec::new();
        }
        let plain = Candidate { tiles, wavefront: 0, register_tiles: false, ..self.clone() };
        let rescheduled = self.is_rescheduled_in_tiles(options).then_some(Points::Rescheduled);
        let rescheduled = rescheduled.map(|points| Candidate { points, ..plain.clone() });
        std::iter::once(plain).chain(rescheduled).collect()
    }

    /// The same in left-looking order.
    pub(super) fn left_looking(&self, options: &Options) -> Option<Candidate> {
        let sizes = self.blocks_on_one_thread(options).filter(|_| options.left_looking)?;
        Some(Candidate { tiles: Tiles::LeftLooking(sizes.clone()), ..self.clone() })
    }

    /// The same in right-looking order.
    pub(super) fn right_looking(&self, options: &Options) -> Option<Candidate> {
        // Whoever asks for wavefronts gets them.
        let is_open = options.right_looking && options.wavefront.unwrap_or(0) == 0;
        let sizes = self.blocks(options).filter(|_| is_open)?;
        Some(Candidate { tiles: Tiles::RightLooking(sizes.clone()), wavefront: 0, ..self.clone() })
    }

    /// The sizes of its tiles, if it has blocks for registers in them and runs on one thread.
    fn blocks_on_one_thread(&self, options: &Options) -> Option<&TileSizes> {
        self.blocks(options).filter(|_| !self.parallel && self.wavefront == 0)
    }

    /// The sizes of its tiles, if it may have blocks for registers in them.
    fn blocks(&self, options: &Options) -> Option<&TileSizes> {
        let is_open = options.profitability && options.target == Target::Cpu;
        match &self.tiles {
            Tiles::Own(sizes) if is_open && self.register_tiles => Some(sizes),
            _ => None,
        }
    }

    /// The same with tiles packed.
    pub(super) fn packed(&self, options: &Options) -> Option<Candidate> {
        let is_wanted = match options.pack_tiles {
            None => false,
            Some(Packing::Gaining) => options.promote && self.register_tiles,
            Some(Packing::All) => self.tiles != Tiles::None,
        };
        is_wanted.then(|| Candidate { pack: true, ..self.clone() })
    }

    /// The post-tile phase may schedule the points of its tiles.
    fn is_rescheduled_in_tiles(&self, options: &Options) -> bool {
        let wanted = options.post_tile && options.aims().is_some_and(|aims| aims.is_near_by_groups());
        wanted && matches!(self.order, Order::Scheduled { .. })
    }

    /// The same with the points of tiles scheduled anew, in the tiles that there are, and in tiles that several nests
    /// share. Only a strategy that looks at groups of references has aims that the first phase cannot pursue inside of tiles.
    pub(super) fn post_tile(&self, options: &Options) -> Vec<Candidate> {
        let (Tiles::Own(sizes), true) = (&self.tiles, self.is_rescheduled_in_tiles(options)) else { return Vec::new() };
        let own = Candidate { points: Points::Rescheduled, ..self.clone() };
        let shared = Candidate { tiles: Tiles::Shared(sizes.clone()), ..own.clone() };
        vec![own, shared]
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
        // Three orders; each without its wavefront, with points that do not wait, in two kinds, and in right-looking order; the
        // scheduled ones with the post-tile phase, in two kinds of tiles.
        assert_eq!(all.len(), 3 + 4 * 3 + 2 * 2);
        // Tiles of one level are taken apart in wavefronts, too, may have updates ahead, and may be diamonds, with the post-tile
        // phase as well.
        assert_eq!(candidates(&Options::default()).len(), 3 + 7 * 3 + 3 * 2);
        let one_thread = candidates(&Options { parallel: false, ..Options::default() });
        assert!(one_thread.iter().any(|candidate| matches!(candidate.tiles, Tiles::Rows(_))));
        for candidate in all.into_iter().chain(one_thread) {
            assert_eq!(candidate.to_string().parse(), Ok(candidate));
        }
    }

    #[test]
    fn what_options_rule_out_is_no_candidate() {
        let count = |options: Options| candidates(&options).len();
        let options = Options { profitability: false, outer_coincidence: Some(true), ..Options::default() };
        assert_eq!(count(Options { post_tile: false, ..options.clone() }), 1);
        assert_eq!(count(Options { scheduler: Scheduler::Own("ppcg"), ..options.clone() }), 1);
        assert_eq!(count(Options { tile: false, ..options.clone() }), 1);
        assert_eq!(count(options), 3);
        assert_eq!(count(Options { parallel: false, post_tile: false, ..Options::default() }), 27);
        assert_eq!(count(Options { wavefront: Some(1), post_tile: false, ..Options::default() }), 15);
    }
}
