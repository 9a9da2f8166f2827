//! Every instance is executed exactly once.

use super::violation::{Rule, Violation};
use crate::isl::{self, NodeType, ScheduleNode, Set, UnionSet};

/// What the tree drops, repeats or invents, given the instances that must be executed, `{ S[i] }`. What it says of
/// parameter values outside the context does not matter.
pub(super) fn violations(alive: &UnionSet, context: &Set, root: &ScheduleNode) -> isl::Result<Vec<Violation>> {
    let mut found = Vec::new();
    let domain = root.domain_domain()?.intersect_params(context.clone())?;
    note(&mut found, Rule::Missing, alive.clone().subtract(domain.clone())?, "domain")?;
    note(&mut found, Rule::Stray, domain.clone().subtract(alive.clone())?, "domain")?;
    descend(root, alive.clone(), &mut found)?;
    Ok(found)
}

fn note(found: &mut Vec<Violation>, rule: Rule, instances: UnionSet, place: &str) -> isl::Result<()> {
    if !instances.is_empty()? {
        found.push(Violation::of_instances(rule, &instances, place)?);
    }
    Ok(())
}

/// `reaching`: the instances that the node gets, `{ S[i] }`.
fn descend(node: &ScheduleNode, reaching: UnionSet, found: &mut Vec<Violation>) -> isl::Result<()> {
    match node.node_type()? {
        NodeType::Leaf => Ok(()),
        NodeType::Band => {
            let mut dated = node.band_partial_schedule()?.domain()?;
            if dated.is_params()? {
                // A band without members that is for all instances at these parameter values.
                dated = reaching.clone().intersect_params(dated.params()?)?;
            }
            note(found, Rule::Missing, reaching.clone().subtract(dated)?, "band without a date for an instance")?;
            descend(&node.clone().first_child()?, reaching, found)
        }
        NodeType::Sequence | NodeType::Set => {
            let mut rest = reaching.clone();
            for child in node.children()? {
                let filter = child.filter()?;
                let here = reaching.clone().intersect(filter)?;
                note(found, Rule::Twice, here.clone().subtract(rest.clone())?, "filters overlap")?;
                rest = rest.subtract(here.clone())?;
                descend(&child.first_child()?, here, found)?;
            }
            note(found, Rule::Missing, rest, "no filter lets an instance pass")
        }
        NodeType::Filter => {
            let here = reaching.clone().intersect(node.filter()?)?;
            note(found, Rule::Missing, reaching.subtract(here.clone())?, "filter")?;
            descend(&node.clone().first_child()?, here, found)
        }
        _ => descend(&node.clone().first_child()?, reaching, found),
    }
}
