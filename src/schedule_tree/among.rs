//! The order of some statements alone.

use super::positions::names;
use crate::isl::{self, NodeType, Schedule, ScheduleNode, UnionSet};
use std::collections::BTreeSet;

/// A tree without all but some statements, and without the nodes that nothing is left in; `None` if there are none of
/// them. Only the order counts: marks, flags and what is said of parameters are left out.
///
/// # Errors
/// Failures of isl; nodes that add instances.
pub fn among(tree: &Schedule, statements: &BTreeSet<String>) -> isl::Result<Option<Schedule>> {
    restricted(&tree.root()?.first_child()?, &kept(tree.domain()?, statements)?)
}

/// The sets of some statements in a union.
fn kept(instances: UnionSet, statements: &BTreeSet<String>) -> isl::Result<UnionSet> {
    let mut all = UnionSet::empty(instances.space()?)?;
    for set in instances.set_list()?.to_vec()? {
        if set.tuple_name()?.is_some_and(|name| statements.contains(&name)) {
            all = all.union(set.to_union_set()?)?;
        }
    }
    Ok(all)
}

fn restricted(node: &ScheduleNode, instances: &UnionSet) -> isl::Result<Option<Schedule>> {
    if instances.n_set()? == 0 {
        return Ok(None);
    }
    match node.node_type()? {
        NodeType::Leaf => Schedule::from_domain(instances.clone()).map(Some),
        NodeType::Band => {
            let Some(inside) = restricted(&node.clone().first_child()?, instances)? else { return Ok(None) };
            let partial = node.band_partial_schedule()?;
            if partial.size()? == 0 {
                return Ok(Some(inside));
            }
            inside.insert_partial_schedule(partial.intersect_domain(instances.clone().universe()?)?).map(Some)
        }
        kind @ (NodeType::Sequence | NodeType::Set) => {
            let mut all: Option<Schedule> = None;
            for filter in node.children()? {
                let filtered = filter.filter()?;
                let inside = kept(filtered, &names(instances)?)?.intersect(instances.clone())?;
                let Some(child) = restricted(&filter.first_child()?, &inside)? else { continue };
                all = Some(match all {
                    None => child,
                    Some(before) if kind == NodeType::Sequence => before.sequence(child)?,
                    Some(before) => before.set(child)?,
                });
            }
            Ok(all)
        }
        NodeType::Filter => {
            let inside = instances.clone().intersect(node.filter()?)?;
            restricted(&node.clone().first_child()?, &inside)
        }
        NodeType::Mark | NodeType::Context | NodeType::Guard => restricted(&node.clone().first_child()?, instances),
        NodeType::Domain | NodeType::Expansion | NodeType::Extension => {
            Err(isl::Error::invalid("the order of some statements below a node that adds instances"))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::among;
    use crate::isl::{Ctx, Schedule};
    use std::collections::BTreeSet;

    #[test]
    fn what_is_left_is_in_the_same_order() {
        let ctx = Ctx::new();
        let text = "{ domain: \"{ A[i] : 0 <= i < 9; B[i, j] : 0 <= i, j < 9; C[] }\", child: { sequence: [ { filter: \"{ A[i]; B[i, j] }\", child: { schedule: \"[{ A[i] -> [(i)]; B[i, j] -> [(j)] }]\", child: { sequence: [ { filter: \"{ A[i] }\" }, { filter: \"{ B[i, j] }\", child: { schedule: \"[{ B[i, j] -> [(i)] }]\" } } ] } } }, { filter: \"{ C[] }\" } ] } }";
        let tree = Schedule::parse(&ctx, text).unwrap();
        let left = |names: &[&str]| {
            let names: BTreeSet<String> = names.iter().map(|name| (*name).to_owned()).collect();
            among(&tree, &names).unwrap().map(|tree| tree.map().unwrap().to_string())
        };
        assert_eq!(left(&["D"]), None);
        let only_b = "{ B[i, j] -> [j, i] }";
        assert_eq!(left(&["B"]).unwrap(), only_b);
        let parsed = |text: &str| crate::isl::UnionMap::parse(&ctx, text).unwrap();
        let expected = "{ A[i] -> [0, i]; C[] -> [1, 0] }";
        assert!(parsed(&left(&["A", "C"]).unwrap()).is_equal(&parsed(expected)).unwrap());
    }
}
