//! Statements that have parts, as one again.

use super::error::{LayoutError, different};
use crate::isl::{self, DimType, Id, Map, MultiUnionPwAff, Schedule, UnionMap};
use crate::scop::{AccessKind, Scop, Statement};

/// A region in which some statements, the first of each pair by their names, are parts of others, as the region in which these
/// have all of the instances: each accesses what it accesses as a part, when it does so as a part. That a part does the same as
/// what it is a part of is up to whoever makes code for it.
///
/// # Errors
/// [`LayoutError::Different`] where two parts have an instance in common, or are not of one kind; failures of isl.
pub fn joined(scop: &Scop, parts: &[(String, String)]) -> Result<Scop, LayoutError> {
    let mut same = scop.clone();
    // { T[i] -> T_p[i] }
    let mut becomes = UnionMap::empty(scop.context.space()?)?;
    let mut wholes: Vec<&String> = parts.iter().map(|(_, whole)| whole).collect();
    wholes.sort_unstable();
    wholes.dedup();
    for name in wholes {
        let members = parts.iter().filter(|(_, whole)| whole == name).map(|(part, _)| part);
        let members: Vec<&Statement> =
            std::iter::once(name).chain(members).map(|member| find(scop, member)).collect::<Result<_, _>>()?;
        let (first, others) = members.split_first().ok_or_else(|| isl::Error::invalid("a statement without parts"))?;
        let mut whole = restricted(first, first)?;
        becomes = becomes.union(whole.domain.clone().identity()?.to_union_map()?)?;
        for part in others {
            if kind(part) != kind(first) {
                return different(format!("`{}` is no part of `{name}`", part.name));
            }
            let own = restricted(part, first)?;
            if !own.domain.is_disjoint(&whole.domain)? {
                return different(format!("`{}` has instances that other parts of `{name}` have", part.name));
            }
            let named = own.domain.clone().identity()?.set_tuple_id(DimType::Out, part.domain.tuple_id()?)?;
            becomes = becomes.union(named.to_union_map()?)?;
            whole.domain = whole.domain.union(own.domain)?;
            for (access, more) in whole.accesses.iter_mut().zip(own.accesses) {
                access.relation = access.relation.clone().union(more.relation)?;
            }
        }
        let position = same.statements.iter().position(|statement| statement.name == *name);
        let position = position.ok_or_else(|| isl::Error::invalid("a statement that is a part of itself"))?;
        same.statements[position] = whole;
        same.statements.retain(|statement| !others.iter().any(|part| part.name == statement.name));
    }
    if !parts.is_empty() {
        let of_parts = becomes.clone().range()?.universe()?;
        let others = scop.schedule.domain()?.subtract(of_parts)?.identity()?;
        // { S[i] -> [t] }
        let dates = becomes.union(others)?.apply_range(scop.schedule.map()?)?;
        let order = Schedule::from_domain(dates.clone().domain()?)?;
        same.schedule = order.insert_partial_schedule(MultiUnionPwAff::from_union_map(dates)?)?;
    }
    Ok(same)
}

fn find<'s>(scop: &'s Scop, name: &str) -> Result<&'s Statement, LayoutError> {
    match scop.statement_by_name(name) {
        Some(id) => Ok(scop.statement(id)),
        None => different(format!("`{name}` is missing")),
    }
}

/// What parts have in common.
fn kind(statement: &Statement) -> (bool, bool, bool, Option<crate::scop::Reduction>, usize, Vec<AccessKind>) {
    let Statement { side_effect, may_trap, copy, reduction, .. } = statement;
    let rank = statement.domain.dim(DimType::SET).unwrap_or(usize::MAX);
    (*side_effect, *may_trap, *copy, *reduction, rank, statement.accesses.iter().map(|access| access.kind).collect())
}

/// A statement under the name of another one, with what its instances access.
fn restricted(statement: &Statement, name: &Statement) -> isl::Result<Statement> {
    let id = Id::new(statement.domain.ctx(), &name.name)?;
    let mut own = statement.clone();
    for access in &mut own.accesses {
        let relation: Map = access.relation.clone().intersect_domain(statement.domain.clone())?;
        access.relation = relation.set_tuple_id(DimType::In, id.clone())?;
    }
    own.domain = own.domain.set_tuple_id(id)?;
    Ok(own)
}
