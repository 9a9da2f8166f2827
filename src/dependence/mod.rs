//! Dependences of a scop, by isl's dataflow analysis (ppcg report, section 3.2).
//!
//! Two modes exist. Without live-range reordering (3.2.1) flow and false dependences fix the order. With it (3.2.5) the
//! false dependences are refined to *forced* ones, which always hold, and *order* ones, which hold only between live
//! ranges that are not local to a level of the schedule.
//!
//! Kills take part in the dataflow analysis, in their place in the original order, but never are the source or the sink
//! of a dependence.

mod dead;
mod exposed;
mod fields;
mod flow;
mod free_updates;
mod handed_on;
mod input;
mod on_arrays;
mod ordering;
mod parts;
mod print;
mod private;
mod restart;
#[cfg(test)]
pub(crate) mod samples;
#[cfg(test)]
mod spans;
mod tags;
#[cfg(test)]
mod tests;

pub use dead::dead_instances;
pub use free_updates::FreeUpdates;
pub(crate) use handed_on::HandedOn;
pub use tags::untag;

use crate::isl::{Result, UnionMap};
use crate::scop::Scop;
use tags::Tags;

/// Regions with so many statements, or accesses, are analysed by parts.
const MANY_STATEMENTS: usize = 20;
const MANY_ACCESSES: usize = 100;

/// An analysis of everything at once would take long.
pub(crate) fn is_large(scop: &Scop) -> bool {
    let accesses = scop.statements.iter().map(|statement| statement.accesses.len()).sum::<usize>();
    scop.statements.len() >= MANY_STATEMENTS || accesses >= MANY_ACCESSES
}

/// How dependences are classified.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Mode {
    /// Compute what live-range reordering needs: `tagged_order` and `forced` (ppcg report, section 3.2.5).
    pub live_range_reordering: bool,
    /// Compute [`Dependences::dep_false`] with live-range reordering too, where it is proximity and nothing else (ppcg
    /// report, section 4.3). A scheduler that looks at groups of references has no use for it.
    pub false_for_proximity: bool,
}

impl Default for Mode {
    /// Live-range reordering is on, and false dependences are proximity, as in ppcg.
    fn default() -> Self {
        Mode { live_range_reordering: true, false_for_proximity: true }
    }
}

impl Mode {
    /// Somebody looks at false dependences.
    fn has_false(self) -> bool {
        !self.live_range_reordering || self.false_for_proximity
    }
}

/// The dependences of a scop. All relations go from the earlier to the later instance in the original order.
#[derive(Debug, Clone)]
pub struct Dependences {
    /// The mode that they were computed in.
    pub mode: Mode,
    /// Writes whose value a read may see: `{ S[i] -> T[j] }`.
    pub flow: UnionMap,
    /// The same between references: `{ [S[i] -> R[]] -> [T[j] -> Q[]] }`.
    pub tagged_flow: UnionMap,
    /// Accesses whose element a later write may overwrite: `{ S[i] -> T[j] }`. Pairs that other pairs imply are left
    /// out. Empty where nobody looks at them ([`Mode::false_for_proximity`]).
    pub dep_false: UnionMap,
    /// Reads and unread writes, with the writes that later begin another live range of the element:
    /// `{ [S[i] -> R[]] -> [T[j] -> Q[]] }`. Needed only where a live range next to it is not local. Empty without
    /// live-range reordering.
    pub tagged_order: UnionMap,
    /// False dependences that hold whatever happens to live ranges: nothing overwrites what is live-out or not yet read
    /// by a live-in read, and writes that reach the same read keep their order: `{ S[i] -> T[j] }`. Empty without
    /// live-range reordering.
    pub forced: UnionMap,
    /// Reads that may see a value from before the region: `{ S[i] -> A[a] }`.
    pub may_live_in: UnionMap,
    /// Writes whose value may be seen after the region, thus to elements of [`Scop::live_out`] only: `{ S[i] -> A[a]
    /// }`.
    pub may_live_out: UnionMap,
}

impl Dependences {
    /// Analyses the scop in its original order.
    ///
    /// # Errors
    /// An [`crate::isl::Error`]; one that is exhausted left the question unanswered.
    pub fn compute(scop: &Scop, mode: Mode) -> Result<Self> {
        if !is_large(scop) {
            return Self::analysed(scop, mode);
        }
        Self::by_parts(scop, mode)
    }

    /// What needs no analysis apart from what does, and that by fields and arrays, as what an analysis costs grows faster
    /// than its statements do.
    fn by_parts(scop: &Scop, mode: Mode) -> Result<Self> {
        let handed_on = HandedOn::of(scop)?;
        let (rest, fields) = fields::cut(&scop.without_accesses_to(&handed_on.names()?)?)?;
        let rest = Self::of_each_array(&rest, mode)?;
        let may_live_in = fields.whole(rest.may_live_in)?;
        let rest = Dependences { may_live_in, may_live_out: fields.whole(rest.may_live_out)?, ..rest };
        if handed_on.values.is_empty() {
            return Ok(rest);
        }
        let tagged_flow = handed_on.tagged_flow(scop)?;
        let dep_false = match mode.has_false() {
            true => rest.dep_false.union(handed_on.dep_false(scop)?)?.coalesce()?,
            false => rest.dep_false,
        };
        let tagged_order = match mode.live_range_reordering {
            true => rest.tagged_order.union(handed_on.tagged_order(scop)?)?,
            false => rest.tagged_order,
        };
        Ok(Dependences {
            flow: rest.flow.union(untag(tagged_flow.clone())?)?.coalesce()?,
            tagged_flow: rest.tagged_flow.union(tagged_flow)?,
            dep_false,
            tagged_order,
            ..rest
        })
    }

    /// Those of each array by itself.
    fn of_each_array(scop: &Scop, mode: Mode) -> Result<Self> {
        let none = UnionMap::empty(scop.context.space()?)?;
        let mut all = Dependences {
            mode,
            flow: none.clone(),
            tagged_flow: none.clone(),
            dep_false: none.clone(),
            tagged_order: none.clone(),
            forced: none.clone(),
            may_live_in: none.clone(),
            may_live_out: none,
        };
        for part in parts::by_array(scop)? {
            all = all.union(Self::analysed(&part, mode)?)?;
        }
        // Several arrays may relate the same statements.
        let (flow, dep_false, forced) = (all.flow.coalesce()?, all.dep_false.coalesce()?, all.forced.coalesce()?);
        Ok(Dependences { flow, dep_false, forced, ..all })
    }

    fn union(self, other: Dependences) -> Result<Self> {
        Ok(Dependences {
            mode: self.mode,
            flow: self.flow.union(other.flow)?,
            tagged_flow: self.tagged_flow.union(other.tagged_flow)?,
            dep_false: self.dep_false.union(other.dep_false)?,
            tagged_order: self.tagged_order.union(other.tagged_order)?,
            forced: self.forced.union(other.forced)?,
            may_live_in: self.may_live_in.union(other.may_live_in)?,
            may_live_out: self.may_live_out.union(other.may_live_out)?,
        })
    }

    /// Everything by dataflow analysis.
    fn analysed(scop: &Scop, mode: Mode) -> Result<Self> {
        let tags = Tags::new(scop)?;
        let flow = flow::compute(scop, &tags)?;
        let may_live_out = flow::may_live_out(scop, &tags)?;
        let none = UnionMap::empty(scop.context.space()?)?;
        let dep_false = if mode.has_false() { ordering::dep_false(scop)? } else { none.clone() };
        let (tagged_order, forced) = if mode.live_range_reordering {
            (ordering::tagged_order(&tags, &flow)?, ordering::forced(scop, &tags, &flow, &may_live_out)?)
        } else {
            (none.clone(), none)
        };
        let flow::Flow { tagged_flow, may_live_in, .. } = flow;
        let flow = untag(tagged_flow.clone())?.coalesce()?;
        Ok(Dependences { mode, flow, tagged_flow, dep_false, tagged_order, forced, may_live_in, may_live_out })
    }

    /// The order dependences between instances: `{ S[i] -> T[j] }`.
    pub fn order(&self) -> Result<UnionMap> {
        untag(self.tagged_order.clone())?.coalesce()
    }

    /// The pairs that any schedule must keep in order when nothing is known about live ranges: flow, forced and false
    /// dependences, which have to be computed: `{ S[i] -> T[j] }`.
    pub fn all(&self) -> Result<UnionMap> {
        self.flow.clone().union(self.forced.clone())?.union(self.dep_false.clone())
    }
}
