//! The region with one statement for each place in the code.
//!
//! Once it is proved that the executions in the code are the region's instances, one to one, the region can be written
//! down in terms of the code's iterators. Both orders are simple there; in terms of the original ones, each dimension
//! of the code would be a function with a piece for each place.

use super::emitted::Place;
use crate::isl::{self, Schedule, Set, UnionPwMultiAff, UnionSet};
use crate::legality::Conflicts;
use crate::scop::{Access, Scop, Statement, StatementId};

/// The region in terms of the executions in the code, and trees over it.
pub(super) struct Model {
    /// The region; its statements are the places, then the kills.
    pub scop: Scop,
    /// The instance of each execution, and each kill itself: `{ N[j] -> S[i]; K[i] -> K[i] }`.
    instances: UnionPwMultiAff,
    /// The executions and the kills.
    domain: UnionSet,
}

impl Model {
    /// The region, from the iterations in which each place is reached, `{ N[j] }`.
    pub fn new(scop: &Scop, places: &[Place], executed: &[Set]) -> isl::Result<Self> {
        let mut instances = scop.kill_domain()?.identity()?;
        let mut domain = scop.kill_domain()?;
        let mut statements = Vec::new();
        for (place, executed) in places.iter().zip(executed) {
            instances = instances.union(place.instances.clone().to_union_map()?)?;
            domain = domain.union(executed.clone().to_union_set()?)?;
            statements.push(statement(scop, place, executed)?);
        }
        statements.extend(scop.statements.iter().filter(|statement| statement.is_kill()).cloned());
        let instances = UnionPwMultiAff::from_union_map(instances)?;
        let mut model = Model { scop: scop.clone(), instances, domain };
        model.scop.schedule = model.pull_back(&scop.schedule)?;
        model.scop.statements = statements;
        Ok(model)
    }

    /// The region's conflicts between the executions. That is much less work than to find them from the accesses again.
    pub fn conflicts(&self, conflicts: &Conflicts) -> isl::Result<Conflicts> {
        conflicts.pull_back(&self.instances, &self.domain)
    }

    /// A tree over the region's instances as one over the executions.
    pub fn pull_back(&self, tree: &Schedule) -> isl::Result<Schedule> {
        tree.clone().pullback_union_pw_multi_aff(self.instances.clone())?.intersect_domain(self.domain.clone())
    }
}

/// A place as a statement: what the original does, in terms of the place's iterators.
fn statement(scop: &Scop, place: &Place, executed: &Set) -> isl::Result<Statement> {
    let StatementId(number) = place.statement;
    let original = &scop.statements[number];
    let name = executed.tuple_name()?.unwrap_or_default();
    let mut accesses = Vec::new();
    for access in &original.accesses {
        let relation = place.instances.clone().apply_range(access.relation.clone())?;
        accesses.push(Access::new(format!("{}_{name}", access.reference), access.kind, relation));
    }
    Ok(Statement { name, domain: executed.clone(), accesses, ..original.clone() })
}
