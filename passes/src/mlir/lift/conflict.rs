//! Whether accesses of one iteration may meet in the same element.

use polyrs_core::isl::{self, DimType, Map};

use super::tree::{BodyId, MemoryAccess, Point, Tree};

impl<'c, 'a> Tree<'c, 'a> {
    /// A relation of a block as one of an enclosing block: what all iterations of the inner loops touch.
    fn relation_at(&self, relation: &Map, block: BodyId, outer: BodyId) -> isl::Result<Map> {
        let relation = relation.clone().intersect_domain(self.block(block).domain.clone())?;
        let (inner, depth) = (self.depth(block), self.depth(outer));
        relation.project_out(DimType::In, depth, inner.saturating_sub(depth))
    }

    /// A relation of a block as one of a block nested in it.
    pub fn relation_in(&self, relation: &Map, block: BodyId, inner: BodyId) -> isl::Result<Map> {
        let (depth, inner) = (self.depth(block), self.depth(inner));
        relation.clone().insert_dims(DimType::In, depth, inner.saturating_sub(depth))
    }

    /// Whether in one iteration of `outer` an access of it meets one of a block nested in it.
    pub fn meets(
        &self,
        access: &MemoryAccess,
        outer: BodyId,
        other: &MemoryAccess,
        block: BodyId,
    ) -> isl::Result<bool> {
        if access.array != other.array {
            return Ok(false);
        }
        let here = self.relation_at(&access.relation, outer, outer)?;
        let there = self.relation_at(&other.relation, block, outer)?;
        Ok(!here.is_disjoint(&there)?)
    }

    /// Whether a load's value can as well be loaded at a later point: nothing that it reads is written on the way.
    pub fn can_load_at(&self, load: Point, later: Point) -> isl::Result<bool> {
        let Some(leaf) = self.leaf(load) else { return Ok(false) };
        let Some(end) = self.ancestor(later, load.block) else { return Ok(false) };
        // A point inside of a loop or condition is passed with everything that is in it.
        let last = if later.block == load.block { end.node } else { end.node + 1 };
        for access in &leaf.accesses {
            if self.any_between(load.block, load.node + 1, last, access, true)? {
                return Ok(false);
            }
        }
        Ok(true)
    }

    /// Whether some access at or below the nodes `first..last` of a block meets an access of the block. Only writes
    /// are asked if `writes` is set.
    pub fn any_between(
        &self,
        block: BodyId,
        first: usize,
        last: usize,
        access: &MemoryAccess,
        writes: bool,
    ) -> isl::Result<bool> {
        let nodes = &self.block(block).nodes;
        for node in nodes.iter().take(last).skip(first) {
            let mut found = Vec::new();
            self.accesses_of(block, node, &mut found);
            for (inner, other) in found {
                if (!writes || other.kind.is_write()) && self.meets(access, block, other, inner)? {
                    return Ok(true);
                }
            }
        }
        Ok(false)
    }
}
