//! Statements of a basic block made one (`granularity=block`).
//!
//! A statement of the model reads all that it reads before it writes anything. So statements that follow each other become
//! one only as long as none accesses, in the same iteration, what one before it writes; values are handed on among their
//! operations, and what nobody else reads is not kept. A block in which that does not hold is cut there.

use std::collections::HashSet;

use melior::ir::Value;
use polyrs_core::isl::{self, DimType};
use polyrs_core::scop::AccessKind;

use super::frame::{OperationId, operation_id};
use super::statements::{Draft, DraftAccess, Item, add};
use crate::mlir::ir::value::{ValueId, id};
use crate::mlir::region::{StatementBody, ValueStorage};

/// What is behind the text of a statement that is several.
const MORE: &str = " and more";

/// Joins statements that follow each other. Scalars that `is_needed` says nothing of, and that no statement reads any more,
/// are not written any more; `name_of` says what they are called in accesses.
pub(super) fn joined<'c, 'a>(
    (items, drafts): (Vec<Item>, Vec<Draft<'c, 'a>>),
    is_needed: impl Fn(usize) -> bool,
    name_of: impl Fn(usize) -> String,
) -> isl::Result<(Vec<Item>, Vec<Draft<'c, 'a>>)> {
    let mut joining = Joining { before: drafts.into_iter().map(Some).collect(), after: Vec::new() };
    let items = joining.items(items)?;
    let mut drafts = joining.after;
    let read: HashSet<usize> =
        drafts.iter().flat_map(|draft| &draft.body.inputs).filter_map(|(_, place)| place.scalar()).collect();
    for draft in &mut drafts {
        let unread =
            |place: &ValueStorage<'_, '_>| place.scalar().filter(|one| !read.contains(one) && !is_needed(*one));
        let dropped: Vec<String> =
            draft.body.outputs.iter().filter_map(|(place, _)| unread(place)).map(&name_of).collect();
        draft.body.outputs.retain(|(place, _)| unread(place).is_none());
        let mut kept = Vec::new();
        for access in draft.accesses.drain(..) {
            let array = access.relation.tuple_name(DimType::Out)?;
            if !(access.kind.is_write() && array.is_some_and(|array| dropped.contains(&array))) {
                kept.push(access);
            }
        }
        draft.accesses = kept;
    }
    Ok((items, drafts))
}

/// Statements on their way.
struct Joining<'c, 'a> {
    /// Those that are left, by the positions that items name.
    before: Vec<Option<Draft<'c, 'a>>>,
    /// The new ones.
    after: Vec<Draft<'c, 'a>>,
}

impl<'c, 'a> Joining<'c, 'a> {
    fn items(&mut self, items: Vec<Item>) -> isl::Result<Vec<Item>> {
        let mut found = Vec::new();
        let mut is_open = false;
        for item in items {
            match item {
                Item::Loop(first, count, inside) => {
                    found.push(Item::Loop(first, count, self.items(inside)?));
                    is_open = false;
                }
                Item::Statement(number) => {
                    let Some(next) = self.before[number].take() else { continue };
                    match self.after.last_mut().filter(|_| is_open) {
                        Some(last) if follows(last, &next)? => append(last, next)?,
                        _ => {
                            self.after.push(next);
                            found.push(Item::Statement(self.after.len() - 1));
                        }
                    }
                    is_open = true;
                }
            }
        }
        Ok(found)
    }
}

/// The values of a later statement that an earlier one leaves in the scalars that they are read from.
fn handed_on<'c, 'a>(earlier: &Draft<'c, 'a>, later: &Draft<'c, 'a>) -> HashSet<ValueId> {
    let is_left = |value: &Value<'c, 'a>, place: &ValueStorage<'c, 'a>| {
        let same = |(own, left): &(ValueStorage<'c, 'a>, Value<'c, 'a>)| {
            id(*left) == id(*value) && own.scalar().is_some() && own.scalar() == place.scalar()
        };
        earlier.body.outputs.iter().any(same)
    };
    later.body.inputs.iter().filter(|(value, place)| is_left(value, place)).map(|(value, _)| id(*value)).collect()
}

/// A statement reads this only for values that are handed on to it.
fn is_handed_on(access: &DraftAccess<'_, '_>, values: &HashSet<ValueId>) -> bool {
    let all = access.values.iter().all(|value| values.contains(&id(*value)));
    access.kind == AccessKind::Read && !access.values.is_empty() && all
}

/// A statement may be executed as a part of the one before it.
fn follows(last: &Draft<'_, '_>, next: &Draft<'_, '_>) -> isl::Result<bool> {
    if last.block != next.block || last.basic_block != next.basic_block || last.is_kill() || next.is_kill() {
        return Ok(false);
    }
    let values = handed_on(last, next);
    let written: Vec<_> = last.accesses.iter().filter(|access| access.kind.is_write()).collect();
    for access in next.accesses.iter().filter(|access| !is_handed_on(access, &values)) {
        let array = access.relation.tuple_name(DimType::Out)?;
        for write in &written {
            if write.relation.tuple_name(DimType::Out)? == array
                && !write.relation.clone().intersect(access.relation.clone())?.is_empty()?
            {
                return Ok(false);
            }
        }
    }
    Ok(true)
}

/// Makes a statement a part of the one before it.
fn append<'c, 'a>(last: &mut Draft<'c, 'a>, next: Draft<'c, 'a>) -> isl::Result<()> {
    let values = handed_on(last, &next);
    for mut access in next.accesses {
        if is_handed_on(&access, &values) {
            continue;
        }
        access.values.retain(|value| !values.contains(&id(*value)));
        match access.kind.is_write() {
            true => last.accesses.push(access),
            false => add(&mut last.accesses, access)?,
        }
    }
    let StatementBody { inputs, operations, outputs, .. } = next.body;
    let body = &mut last.body;
    let read: HashSet<ValueId> = body.inputs.iter().map(|(value, _)| id(*value)).collect();
    body.inputs
        .extend(inputs.into_iter().filter(|(value, _)| !values.contains(&id(*value)) && !read.contains(&id(*value))));
    // What both compute is computed once.
    let known: HashSet<OperationId> = body.operations.iter().map(|operation| operation_id(*operation)).collect();
    body.operations.extend(operations.into_iter().filter(|operation| !known.contains(&operation_id(*operation))));
    body.outputs.extend(outputs);
    last.may_trap |= next.may_trap;
    if !last.text.ends_with(MORE) {
        last.text.push_str(MORE);
    }
    Ok(())
}
