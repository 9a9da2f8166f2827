//! Where the elements of an array live once parallel loops have private copies.

use crate::isl::{self, Id, MultiUnionPwAff, NodeType, ScheduleNode, UnionMap, UnionSet};
use crate::nodes::{band_below, mark_of};
use polyrs_model::Mark;
use std::collections::BTreeSet;

/// One `parallel private(...)` mark.
struct PrivateLoop {
    arrays: Vec<String>,
    /// The instances under the mark: `{ S[i] }`.
    domain: UnionSet,
    /// Which copy: that of this loop, in this iteration of the loops around it and of its own: `{ S[i] -> copyN[p, t] }`.
    copy: UnionMap,
}

/// All private copies of a tree.
pub(super) struct Storage {
    loops: Vec<PrivateLoop>,
}

impl Storage {
    /// Reads the marks of a tree.
    pub fn of_tree(root: &ScheduleNode) -> isl::Result<Self> {
        let mut loops = Vec::new();
        root.for_each_descendant_top_down(&mut |node| {
            if node.node_type()? == NodeType::Mark
                && let Some(Mark::Parallel { private }) = mark_of(node)?
                && !private.is_empty()
                && let Some(band) = band_below(node)?
            {
                let member = MultiUnionPwAff::from_union_pw_aff(band.band_partial_schedule()?.at(0)?)?;
                let around = node.prefix_schedule()?;
                let all = if around.size()? == 0 { member } else { around.flat_range_product(member)? };
                let id = Id::new(node.ctx(), &format!("copy{}", loops.len()))?;
                let all = all.set_tuple_id(isl::DimType::SET, id)?;
                let domain = node.domain()?;
                let copy = UnionMap::from_multi_union_pw_aff(all)?.intersect_domain(domain.clone())?;
                loops.push(PrivateLoop { arrays: private, domain, copy });
            }
            Ok(true)
        })?;
        Ok(Storage { loops })
    }

    /// The arrays that have private copies somewhere.
    pub fn private_arrays(&self) -> BTreeSet<String> {
        self.loops.iter().flat_map(|l| l.arrays.iter().cloned()).collect()
    }

    /// Accesses `{ S[i] -> A[a] }` by what they touch: `{ S[i] -> A[a] }` where the storage is shared,
    /// `{ S[i] -> [A[a] -> copyN[p, t]] }` where an iteration has its own copy (nested once per private loop around).
    /// Copies do not outlive the loop: those of another loop, or of the same one in another iteration `p` around it, are
    /// others.
    pub fn place(&self, array: &str, accesses: UnionMap) -> isl::Result<UnionMap> {
        let mut placed = accesses;
        for private in self.loops.iter().filter(|l| l.arrays.iter().any(|a| a == array)) {
            let own = placed.clone().intersect_domain(private.domain.clone())?.range_product(private.copy.clone())?;
            placed = placed.subtract_domain(private.domain.clone())?.union(own)?;
        }
        Ok(placed)
    }

    /// The inverse on elements: a relation from placed elements back to `A[a]`, `{ [A[a] -> [t]] -> A[a] }` and the
    /// identity on shared ones, for the elements in `placed`.
    pub fn unplace(&self, placed: UnionSet) -> isl::Result<UnionMap> {
        let mut back = placed.identity()?;
        for _ in &self.loops {
            // One level of nesting at a time: elements that are no pairs stay.
            let pairs = back.clone().range()?;
            let nested = pairs.clone().unwrap_map()?;
            if nested.is_empty()? {
                break;
            }
            // { [X -> [t]] -> X }
            let strip = nested.clone().domain_map()?;
            let flat = back.clone().subtract_range(nested.wrap()?)?;
            back = back.apply_range(strip)?.union(flat)?;
        }
        Ok(back)
    }
}
