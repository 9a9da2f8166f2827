//! A region whose statements are in parts that keep operands: the statements, the copies, and their order.

use super::kept::{Kept, Operand};
use crate::isl::{
    self, DimType, Id, Map, NodeType, Schedule, ScheduleNode, Set, UnionMap, UnionPwMultiAff, UnionSet, UnionSetList,
};
use crate::scop::{Access, AccessKind, Array, ArrayKind, Scop, Statement, StatementId};

/// What becomes of a statement.
pub(super) struct Split {
    /// Its parts, of which the first has its name.
    pub parts: Vec<Statement>,
    /// Their numbers in the new region, as soon as they have some.
    pub numbers: Vec<StatementId>,
    /// Where operands are kept, by [`Operand::array`].
    pub arrays: Vec<Array>,
    /// What copies them there, in the order of [`Kept::operands`].
    pub copies: Vec<Statement>,
    /// For each instance of a part the instance that it was, for each of a copy that which it comes right before:
    /// `{ T_p[i] -> T[i]; copy[e] -> T[i] }`.
    was: UnionMap,
}

impl Split {
    /// The parts of a statement with what they keep; `name` makes names that are not taken.
    ///
    /// # Errors
    /// Those of isl.
    pub fn of(scop: &Scop, kept: &Kept, name: &mut dyn FnMut(&str) -> String) -> isl::Result<Self> {
        let whole = scop.statement(kept.statement);
        let mut split = Split {
            parts: Vec::new(),
            numbers: Vec::new(),
            arrays: Vec::new(),
            copies: Vec::new(),
            was: UnionMap::empty(scop.context.space()?)?,
        };
        let of = u32::try_from(kept.parts.len()).unwrap_or(u32::MAX);
        for (number, instances) in kept.parts.iter().enumerate() {
            let part = if number == 0 { whole.clone() } else { renamed(whole, name, number)? };
            split.was = split.was.union(becomes(instances, &part.name)?.reverse()?.to_union_map()?)?;
            let domain = instances.clone().set_tuple_id(Id::new(scop.ctx(), &part.name)?)?;
            let domain = domain.gist_params(scop.context.clone())?.coalesce()?;
            // No two parts have the same iterations of the same loops.
            let block = if of > 1 { None } else { whole.block };
            split.parts.push(Statement { domain, parts: whole.parts.saturating_mul(of), block, ..part });
        }
        let dates = scop.schedule.map()?;
        for operand in &kept.operands {
            split.keep(scop, kept, operand, &dates, name)?;
        }
        Ok(split)
    }

    /// Has a part read an operand where it is kept.
    fn keep(
        &mut self,
        scop: &Scop,
        kept: &Kept,
        operand: &Operand,
        dates: &UnionMap,
        name: &mut dyn FnMut(&str) -> String,
    ) -> isl::Result<()> {
        let array = &scop.arrays[kept.array];
        if self.arrays.len() == operand.array {
            let extent = operand.extent.iter().cloned().map(Some).collect();
            let field = name(&format!("{}_kept", array.name));
            self.arrays.push(Array::new(field, extent, array.element, ArrayKind::Local));
        }
        let field = &self.arrays[operand.array].name;
        let place = operand.place(scop, array, Id::new(scop.ctx(), field)?)?;
        let part = &mut self.parts[operand.part];
        let id = Id::new(scop.ctx(), &part.name)?;
        for read in &operand.reads {
            let relation =
                operand.relation.clone().apply_range(place.clone())?.set_tuple_id(DimType::In, id.clone())?;
            part.accesses[*read].relation = relation.gist_domain(part.domain.clone())?;
        }
        let copy = name(&format!("keep_{}", array.name));
        let id = Id::new(scop.ctx(), &copy)?;
        let first = operand.first(dates)?.set_tuple_id(DimType::In, id.clone())?;
        self.was = self.was.clone().union(first.to_union_map()?)?;
        let elements = operand.relation.clone().range()?;
        let own = Set::universe(elements.space()?)?.identity()?;
        let mut access = |kind, suffix: &str, relation: Map| -> isl::Result<Access> {
            Ok(Access::new(name(&format!("{copy}_{suffix}")), kind, relation.set_tuple_id(DimType::In, id.clone())?))
        };
        let accesses = vec![access(AccessKind::Read, "r", own)?, access(AccessKind::MustWrite, "w", place)?];
        let domain = elements.set_tuple_id(id.clone())?.gist_params(scop.context.clone())?.coalesce()?;
        let (side_effect, may_trap, block, parts) = (false, false, None, 1);
        let text = format!("copy of {} for {}", array.name, scop.statement(kept.statement).name);
        let reduction = None;
        self.copies.push(Statement {
            name: copy,
            domain,
            accesses,
            side_effect,
            may_trap,
            copy: true,
            reduction,
            block,
            parts,
            text,
        });
        Ok(())
    }

    /// An order of the region with the parts in the place of the statement, and each copy right before the first instance that reads it.
    ///
    /// # Errors
    /// Those of isl.
    pub fn ordered(&self, order: Schedule) -> isl::Result<Schedule> {
        let own = |all: &[Statement]| -> isl::Result<Vec<UnionSet>> {
            all.iter().map(|statement| statement.domain.clone().to_union_set()?.universe()).collect()
        };
        let (parts, copies) = (own(&self.parts)?, own(&self.copies)?);
        let whole = self.was.clone().range()?.universe()?;
        let others = order.domain()?.subtract(whole)?.identity()?;
        let was = UnionPwMultiAff::from_union_map(self.was.clone().union(others)?)?;
        let order = order.pullback_union_pw_multi_aff(was)?;
        let mut rewrite = |node: ScheduleNode| in_turn(node, &copies, &parts);
        order.root()?.map_descendant_bottom_up(&mut rewrite)?.schedule()
    }
}

/// At a leaf that several of some statements reach: copies, then parts.
fn in_turn(node: ScheduleNode, copies: &[UnionSet], parts: &[UnionSet]) -> isl::Result<ScheduleNode> {
    if node.node_type()? != NodeType::Leaf {
        return Ok(node);
    }
    let domain = node.domain()?;
    let mut filters = Vec::new();
    for one in copies.iter().chain(parts) {
        if !domain.is_disjoint(one)? {
            filters.push(one.clone());
        }
    }
    if filters.len() < 2 {
        return Ok(node);
    }
    node.clone().insert_sequence(UnionSetList::from_vec(node.ctx(), filters)?)
}

/// A part of a statement: the statement with other names.
fn renamed(whole: &Statement, name: &mut dyn FnMut(&str) -> String, number: usize) -> isl::Result<Statement> {
    let mut part = whole.clone();
    part.name = name(&format!("{}_{number}", whole.name));
    let id = Id::new(whole.domain.ctx(), &part.name)?;
    for access in &mut part.accesses {
        let relation = access.relation.clone().set_tuple_id(DimType::In, id.clone())?;
        *access = Access::new(name(&format!("{}_{number}", access.reference)), access.kind, relation);
    }
    Ok(part)
}

/// `{ T[i] -> T_p[i] }`
fn becomes(instances: &Set, part: &str) -> isl::Result<Map> {
    instances.clone().identity()?.set_tuple_id(DimType::Out, Id::new(instances.ctx(), part)?)
}
