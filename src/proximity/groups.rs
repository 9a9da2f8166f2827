//! Groups of references (the unified report, 4.5).
//!
//! A group is first one reference; references that add to each other's multiplicity are then one group. They do if
//! their access relations have the same affine hull once constants are dropped. References without affine subscripts
//! remain alone.

use super::group::ReferenceGroup;
use super::references::Reference;
use super::subscripts::Subscript;
use crate::isl::{Result, UnionMap};
use crate::scop::Scop;
use std::collections::{BTreeMap, BTreeSet};

/// The groups, their relations still empty, and for each the positions of its references.
pub(super) fn combine(scop: &Scop, references: &[Reference<'_>]) -> Result<(Vec<ReferenceGroup>, Vec<Vec<usize>>)> {
    let (mut known, mut numbers, mut classes) = (BTreeMap::new(), BTreeMap::new(), BTreeMap::new());
    let (mut groups, mut members): (Vec<ReferenceGroup>, Vec<Vec<usize>>) = Default::default();
    for (position, reference) in references.iter().enumerate() {
        // Without subscripts, the position tells.
        let linear = match &reference.subscripts {
            Some(subscripts) => Ok(subscripts.expressions.iter().map(Subscript::linear).collect::<Vec<_>>()),
            None => Err(position),
        };
        let next = classes.len();
        let alike = *classes.entry((&reference.array.name, linear)).or_insert(next);
        let index = *known.entry((reference.statement, alike)).or_insert(groups.len());
        if index == groups.len() {
            groups.push(group(scop, reference, alike)?);
            members.push(Vec::new());
        }
        groups[index].references.push(reference.name.clone());
        groups[index].multiplicity += 1;
        let touched = match &reference.subscripts {
            Some(subscripts) => {
                let full = subscripts.expressions.iter().map(|subscript| (subscript.linear(), subscript.constant));
                Ok((&reference.array.name, full.collect::<Vec<_>>()))
            }
            None => Err(position),
        };
        let next = numbers.len();
        groups[index].distinct.insert(*numbers.entry(touched).or_insert(next));
        members[index].push(position);
    }
    Ok((groups, members))
}

fn group(scop: &Scop, reference: &Reference<'_>, alike: usize) -> Result<ReferenceGroup> {
    let none = UnionMap::empty(scop.context.space()?)?;
    Ok(ReferenceGroup {
        statement: reference.statement,
        array: reference.array.name.clone(),
        references: Vec::new(),
        multiplicity: 0,
        alike,
        distinct: BTreeSet::new(),
        access: reference.subscripts.as_ref().map_or(&reference.relation, |s| &s.access).clone(),
        temporal: none.clone(),
        spatial: none,
    })
}
