//! Updates of a reduction that may change places with each other.

use super::ordering::all_before;
use crate::isl::{Result, UnionMap, UnionSet};
use crate::scop::{AccessKind, ElementKind, Operator, Role, Scop, Statement};

/// The statements that gather integers in an order that never counts ([`Operator::is_free_of_order`]), and what their
/// instances wait for.
#[derive(Debug, Clone)]
pub struct FreeUpdates {
    /// All instances of the statements: `{ S[i] }`.
    pub statements: UnionSet,
    /// What has to come before them: everything that conflicts, the earlier one first, but for two updates of an element by the same
    /// operation: `{ S[i] -> T[j] }`.
    pub waiting: UnionMap,
}

/// A statement that gathers values.
struct Update {
    number: usize,
    operator: Operator,
    /// The positions of the read and the write of what it gathers in.
    gathered: (usize, usize),
}

impl FreeUpdates {
    /// Those of a region in its original order; `None` where there are none.
    ///
    /// # Errors
    /// Those of isl.
    pub fn of(scop: &Scop) -> Result<Option<Self>> {
        let updates = updates(scop)?;
        if updates.is_empty() {
            return Ok(None);
        }
        let none = UnionMap::empty(scop.context.space()?)?;
        let (mut reads, mut writes) = (none.clone(), none.clone());
        let (mut own_reads, mut own_writes) = (none.clone(), none.clone());
        for (number, statement) in scop.statements.iter().enumerate() {
            let update = updates.iter().find(|update| update.number == number);
            for position in 0..statement.accesses.len() {
                let relation = accessed(scop, statement, position)?;
                let kind = statement.accesses[position].kind;
                match update.map(|update| update.gathered) {
                    Some((read, write)) if position == read || position == write => {
                        own_writes = own_writes.union(relation)?;
                        continue;
                    }
                    Some(_) => own_reads = own_reads.union(relation.clone())?,
                    None => {}
                }
                let all = if kind == AccessKind::Read { &mut reads } else { &mut writes };
                *all = all.clone().union(relation)?;
            }
        }
        let before = |source: UnionMap, sink: UnionMap| all_before(source, sink, &scop.schedule);
        let mut waiting = before(writes.clone().union(own_writes.clone())?, own_reads)?;
        waiting = waiting.union(before(reads.union(writes)?, own_writes)?)?;
        for one in &updates {
            let sink = gathered(scop, one)?;
            for other in updates.iter().filter(|other| other.operator != one.operator) {
                waiting = waiting.union(before(gathered(scop, other)?, sink.clone())?)?;
            }
        }
        let statements = updates.iter().map(|update| scop.statements[update.number].domain.clone().to_union_set());
        let statements = statements.reduce(|all, one| all?.union(one?)).transpose()?;
        Ok(statements.map(|statements| FreeUpdates { statements, waiting }))
    }
}

/// What an update gathers in: `{ S[i] -> A[a] }`.
fn gathered(scop: &Scop, update: &Update) -> Result<UnionMap> {
    accessed(scop, &scop.statements[update.number], update.gathered.1)
}

/// `{ S[i] -> A[a] }`
fn accessed(scop: &Scop, statement: &Statement, position: usize) -> Result<UnionMap> {
    let relation = statement.accesses[position].relation.clone().intersect_domain(statement.domain.clone())?;
    relation.to_union_map()?.intersect_params(scop.context.clone())
}

fn updates(scop: &Scop) -> Result<Vec<Update>> {
    let mut found = Vec::new();
    for (number, statement) in scop.statements.iter().enumerate() {
        let Some(reduction) = statement.reduction.filter(|reduction| reduction.role == Role::Update) else { continue };
        if !reduction.operator.is_free_of_order() {
            continue;
        }
        let Some(gathered) = statement.gathered()? else { continue };
        let write = &statement.accesses[gathered.1];
        let array = scop.array_by_name(&write.array()?);
        let is_integer = array.is_some_and(|array| array.element.kind == ElementKind::Int);
        if is_integer && write.relation.is_single_valued()? {
            found.push(Update { number, operator: reduction.operator, gathered });
        }
    }
    Ok(found)
}
