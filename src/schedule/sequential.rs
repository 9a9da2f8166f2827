//! Which constraints keep a member from being coincident.

use super::pending::Pending;
use crate::isl::{
    DimType, MultiUnionPwAff, NodeType, Result, Schedule, ScheduleConstraints, ScheduleNode, Set, UnionPwAff, UnionSet,
};

/// A member of a band that is not marked coincident.
#[derive(Debug, Clone)]
pub struct Sequential {
    /// The band, counted from the outside and from the first child on.
    pub band: usize,
    /// The member.
    pub member: usize,
    /// Its functions: `{ S[i] -> [(t)] }`.
    pub function: UnionPwAff,
    /// What it separates; nothing where the member could be coincident for all that the constraints say.
    pub separated: Vec<Separated>,
}

/// Coincidence constraints between two statements that a member does not coschedule.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Separated {
    /// The name of the first statement.
    pub source: String,
    /// The name of the second.
    pub sink: String,
    /// One pair, in isl notation with the parameter values: `[n] -> { S[0] -> T[1] : n = 3 }`.
    pub example: String,
}

/// The members of a tree that are not marked coincident, and the coincidence constraints between instances which the
/// outer bands leave together but the member does not.
///
/// # Errors
/// Failures of isl, and what [`super::original`] cannot read.
pub fn sequential_members(schedule: &Schedule, constraints: &ScheduleConstraints) -> Result<Vec<Sequential>> {
    let mut search = Search { found: Vec::new(), bands: 0 };
    search.visit(&schedule.root()?, Pending::new(constraints)?)?;
    Ok(search.found)
}

struct Search {
    found: Vec<Sequential>,
    bands: usize,
}

impl Search {
    fn visit(&mut self, node: &ScheduleNode, pending: Pending) -> Result<()> {
        match node.node_type()? {
            NodeType::Leaf => Ok(()),
            NodeType::Band => {
                let partial = node.band_partial_schedule()?;
                let domain = node.domain()?;
                let band = self.bands;
                self.bands += 1;
                let mut members = Vec::new();
                for (member, coincident) in node.band_coincident()?.into_iter().enumerate() {
                    let function = partial.at(i32::try_from(member).unwrap_or(i32::MAX))?;
                    if !coincident {
                        let separated = separated(&pending, &function)?;
                        let function = function.clone().intersect_domain(domain.clone().universe()?)?;
                        self.found.push(Sequential { band, member, function, separated });
                    }
                    members.push(function);
                }
                self.visit(&node.clone().first_child()?, pending.below(&members)?)
            }
            NodeType::Filter => {
                let filter: UnionSet = node.filter()?;
                self.visit(&node.clone().first_child()?, pending.among(&filter)?)
            }
            _ => node.children()?.iter().try_for_each(|child| self.visit(child, pending.clone())),
        }
    }
}

fn separated(pending: &Pending, function: &UnionPwAff) -> Result<Vec<Separated>> {
    let coincidence = pending.coincidence();
    let together = coincidence.clone().eq_at(MultiUnionPwAff::from_union_pw_aff(function.clone())?)?;
    let mut found = Vec::new();
    for map in coincidence.clone().subtract(together)?.map_list()?.to_vec()? {
        if map.is_empty()? {
            continue;
        }
        let source = map.tuple_name(DimType::In)?.unwrap_or_default();
        let sink = map.tuple_name(DimType::Out)?.unwrap_or_default();
        let example = Set::from_point(map.clone().wrap()?.sample_point()?)?.unwrap_map()?.to_string();
        found.push(Separated { source, sink, example });
    }
    found.sort_by(|a, b| (&a.source, &a.sink).cmp(&(&b.source, &b.sink)));
    Ok(found)
}

#[cfg(test)]
mod tests {
    use super::sequential_members;
    use crate::isl::{Ctx, Schedule, ScheduleConstraints};

    #[test]
    fn a_member_is_sequential_for_what_outer_bands_leave_together() {
        let ctx = Ctx::new();
        let constraints = "domain: { A[i, j] : 0 <= i, j < 9; B[i, j] : 0 <= i, j < 9 }\n\
                           coincidence: { A[i, j] -> A[i, j + 1]; A[i, j] -> B[i + 1, j] }";
        let constraints = ScheduleConstraints::parse(&ctx, constraints).unwrap();
        let band = |member: &str, child: &str| {
            format!("{{ schedule: \"[{{ A[i, j] -> [({member})]; B[i, j] -> [({member})] }}]\"{child} }}")
        };
        let separated = |outer: &str, inner: &str| -> Vec<Vec<(String, String)>> {
            // One band within the other.
            let tree = band(outer, &format!(", child: {}", band(inner, "")));
            let domain = "{ A[i, j] : 0 <= i, j < 9; B[i, j] : 0 <= i, j < 9 }";
            let tree = Schedule::parse(&ctx, &format!("{{ domain: \"{domain}\", child: {tree} }}")).unwrap();
            let found = sequential_members(&tree, &constraints).unwrap();
            assert!(found.iter().enumerate().all(|(i, s)| (s.band, s.member) == (i, 0)));
            let names = |s: &super::Separated| (s.source.clone(), s.sink.clone());
            found.iter().map(|s| s.separated.iter().map(names).collect()).collect()
        };
        let pair = |source: &str, sink: &str| (source.to_owned(), sink.to_owned());
        // What i carries is no matter to j.
        assert_eq!(separated("i", "j"), [vec![pair("A", "B")], vec![pair("A", "A")]]);
        assert_eq!(separated("j", "i"), [vec![pair("A", "A")], vec![pair("A", "B")]]);
    }
}
