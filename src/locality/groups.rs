//! Groups of references (the unified report, 4.5).
//!
//! A group is first one reference; references that add to each other's multiplicity are then one group. They do if their access
//! relations have the same affine hull once constants are dropped. References without affine subscripts remain alone.

use super::Group;
use super::references::Reference;
use super::subscripts::Subscript;
use crate::isl::{Result, UnionMap};
use crate::scop::{Scop, StatementId};
use std::collections::{BTreeMap, BTreeSet};

/// The linear part of a subscript.
type Linear<'r> = (&'r [i64], &'r BTreeMap<String, i64>);

/// What the references of a group have in common; without subscripts, the position tells.
#[derive(PartialEq, Eq, PartialOrd, Ord)]
struct Key<'r> {
    statement: StatementId,
    array: &'r str,
    subscripts: std::result::Result<Vec<Linear<'r>>, usize>,
}

/// The groups, their relations still empty, and for each the positions of its references.
pub(super) fn combine(scop: &Scop, references: &[Reference<'_>]) -> Result<(Vec<Group>, Vec<Vec<usize>>)> {
    let mut known: BTreeMap<Key<'_>, usize> = BTreeMap::new();
    let (mut numbers, mut classes) = (BTreeMap::new(), BTreeMap::new());
    let (mut groups, mut members): (Vec<Group>, Vec<Vec<usize>>) = Default::default();
    for (position, reference) in references.iter().enumerate() {
        let subscripts = match &reference.subscripts {
            Some(subscripts) => Ok(subscripts.expressions.iter().map(|s| s.linear()).collect()),
            None => Err(position),
        };
        let key = Key { statement: reference.statement, array: &reference.array.name, subscripts };
        let index = *known.entry(key).or_insert(groups.len());
        if index == groups.len() {
            groups.push(group(scop, reference)?);
            let linear = match &reference.subscripts {
                Some(subscripts) => Ok(subscripts.expressions.iter().map(by_position).collect::<Vec<Linear>>()),
                None => Err(position),
            };
            let next = classes.len();
            groups[index].alike = *classes.entry((&reference.array.name, linear)).or_insert(next);
            members.push(Vec::new());
        }
        groups[index].references.push(reference.name.clone());
        groups[index].multiplicity += 1;
        let touched = match &reference.subscripts {
            Some(subscripts) => {
                let full = |subscript| (by_position(subscript), subscript.constant);
                Ok((&reference.array.name, subscripts.expressions.iter().map(full).collect::<Vec<_>>()))
            }
            None => Err(position),
        };
        let next = numbers.len();
        groups[index].distinct.insert(*numbers.entry(touched).or_insert(next));
        members[index].push(position);
    }
    Ok((groups, members))
}

/// The linear part, with the coefficients of iterators up to the last that is not zero: statements may have more or less of them.
fn by_position(subscript: &Subscript) -> Linear<'_> {
    let (iterators, parameters) = subscript.linear();
    let used = iterators.iter().rposition(|a| *a != 0).map_or(0, |last| last + 1);
    (&iterators[..used], parameters)
}

fn group(scop: &Scop, reference: &Reference<'_>) -> Result<Group> {
    let none = UnionMap::empty(scop.context.space()?)?;
    Ok(Group {
        statement: reference.statement,
        array: reference.array.name.clone(),
        references: Vec::new(),
        multiplicity: 0,
        alike: 0,
        distinct: BTreeSet::new(),
        access: reference.subscripts.as_ref().map_or(&reference.relation, |s| &s.access).clone(),
        temporal: none.clone(),
        spatial: none,
    })
}
