//! The facts about parameters that accesses imply.
//!
//! An access that is executed is within the bounds of its buffer, and no buffer has 2^60 elements along a dimension.
//! So parameter values for which some access surely leaves its buffer do not occur, and the model need not hold there.
//! Leaving such a fact out is always right, so the work is bounded and what is too complicated is skipped.
//!
//! That sizes are below some number beyond all caches tells hardly anybody but the proof that numbers do not overflow anything. The model
//! does without: with such constants isl's numbers are no machine words any more, and code for lu takes it three times as long. A layout
//! of an array that is so large asks for the bound when the program runs instead.

use polyrs_core::isl::{self, BasicSet, ConstraintRows, DimType, PwAff, Set, Space, Val};
use polyrs_core::scop::AccessKind;

use super::expression;
use super::reader::Reader;
use super::refusal::Step;
use super::tree::{BodyId, MemoryAccess, TreeNode};

/// The isl operations spent on one access.
const QUOTA: u64 = 20_000;
/// The isl operations spent on all accesses.
const TOTAL: u64 = 400_000;
/// The conjunctions that the context may have.
const PIECES: usize = 1;
/// No buffer has so many elements along one dimension.
const LIMIT: i64 = 1 << 60;
/// Bounds on a parameter from above are left out of the model from this size on.
const FAR: i64 = 1 << 30;
/// Those on several parameters together: no layout can ask for them when the program runs, so arrays of fewer elements keep theirs.
const FAR_TOGETHER: i64 = 1 << 40;

impl<'c, 'a> Reader<'_, 'c, 'a> {
    /// The known values of the parameters, with and without far bounds: `[p] -> { : ... }`.
    pub(super) fn contexts(&self) -> Step<'c, 'a, (Set, Set)> {
        let limits = self.limits()?;
        let near = without_far_bounds(&limits)?;
        Ok((limits, near))
    }

    fn limits(&self) -> Step<'c, 'a, Set> {
        let space = self.parameters.space(&self.isl)?;
        let mut context = Set::universe(space)?;
        for position in self.parameters.extents() {
            context = context.lower_bound_val(DimType::Param, position, Val::int(&self.isl, 0)?)?;
            context = context.upper_bound_val(DimType::Param, position, Val::int(&self.isl, LIMIT - 1)?)?;
        }
        let mut spent = 0;
        for (block, access) in self.certain_accesses() {
            spent += QUOTA;
            if spent > TOTAL {
                break;
            }
            let narrowed = self.isl.with_quota(QUOTA, || self.narrow(&context, block, access));
            match narrowed {
                Ok(Some(narrowed)) => context = narrowed,
                Ok(None) => {}
                Err(error) if error.kind == isl::ErrorKind::Quota => {}
                Err(error) => return Err(error.into()),
            }
        }
        Ok(context)
    }

    /// The accesses that every iteration of their block executes exactly.
    fn certain_accesses(&self) -> Vec<(BodyId, &MemoryAccess)> {
        let mut found = Vec::new();
        for (number, block) in self.tree.blocks.iter().enumerate() {
            for node in &block.nodes {
                let accesses: &[MemoryAccess] = match node {
                    TreeNode::Leaf(leaf) => &leaf.accesses,
                    TreeNode::Loop(inner) => &self.tree.get_loop(*inner).expanded,
                    TreeNode::If(_) => &[],
                };
                found.extend(accesses.iter().filter(|access| access.exact).map(|access| (BodyId(number), access)));
            }
        }
        found.retain(|(_, access)| matches!(access.kind, AccessKind::Read | AccessKind::MustWrite));
        found
    }

    /// The context without the parameter values for which an access leaves its buffer; nothing if that says nothing
    /// new or is complicated.
    fn narrow(&self, context: &Set, block: BodyId, access: &MemoryAccess) -> isl::Result<Option<Set>> {
        let domain = self.tree.block(block).domain.clone().intersect_params(context.clone())?;
        let reached = access.relation.clone().intersect_domain(domain)?;
        let outside = reached.subtract_range(self.within(access.array)?)?.params()?;
        let narrowed = context.clone().subtract(outside)?.coalesce()?;
        if narrowed.n_basic_set()? > PIECES || narrowed.is_empty()? || context.is_subset(&narrowed)? {
            return Ok(None);
        }
        Ok(Some(narrowed))
    }

    /// The elements that an array can have: `[p] -> { A[a] : 0 <= a < extent }`.
    fn within(&self, array: usize) -> isl::Result<Set> {
        let space = self.array_space(array)?;
        let mut set = Set::universe(space.clone())?;
        for (dimension, extent) in self.memory.arrays[array].extent.iter().enumerate() {
            let subscript = expression::variable(&space, dimension)?;
            set = set.lower_bound_val(DimType::SET, dimension, Val::int(&self.isl, 0)?)?;
            set = set.intersect(match extent {
                Some(extent) => subscript.lt_set(self.on(extent, &space)?)?,
                None => subscript.lt_set(expression::constant(&space, LIMIT)?)?,
            })?;
        }
        Ok(set)
    }

    /// A function of the parameters on another space.
    fn on(&self, function: &PwAff, space: &Space) -> isl::Result<PwAff> {
        // { A[a] -> [] }
        let none = space.clone().map_from_domain_and_range(self.space(0)?)?;
        function.clone().pullback_multi_aff(isl::MultiAff::zero(none)?)
    }
}

/// The values without the bounds that are far: a superset of them.
fn without_far_bounds(limits: &Set) -> isl::Result<Set> {
    let space = limits.space()?;
    let columns = 1 + space.dim(DimType::Param)?;
    let mut near = Set::empty(space.clone())?;
    for piece in limits.basic_set_list()?.to_vec()? {
        let Some(rows) = piece.constraint_rows()? else { return Ok(limits.clone()) };
        if rows.equalities.iter().chain(&rows.inequalities).any(|row| row.len() != columns) {
            return Ok(limits.clone());
        }
        // A constant below zero is a bound that keeps parameters from being small.
        let is_near = |row: &Vec<i64>| match row[1..].iter().filter(|factor| **factor != 0).count() {
            0 | 1 => row[0] < FAR,
            _ => row[0] < FAR_TOGETHER,
        };
        let inequalities = rows.inequalities.into_iter().filter(is_near).collect();
        let rows = ConstraintRows { equalities: rows.equalities, inequalities };
        near = near.union(BasicSet::from_constraint_rows(space.clone(), &rows)?.to_set()?)?;
    }
    Ok(near)
}
