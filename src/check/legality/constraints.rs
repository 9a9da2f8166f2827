//! A tree against schedule constraints, where there is no region to check it by (ppcg report, section 4.2).
//!
//! - Every instance is executed exactly once.
//! - A validity constraint `a -> b` has `a` strictly before `b`, unless they are the same instance.
//! - A conditioned one may go backwards, but only where every condition next to it is local: a condition is next to
//!   `a -> b` when it ends at `a` or starts at `b`, and local when the tree gives its two ends the same dates up to and
//!   including the place that orders `b` before `a`.
//! - In a permutable band no pair that the nodes above leave together goes backwards at any member, conditioned ones
//!   next to conditions that are local to the whole band aside. Along a coincident member no coincidence constraint
//!   goes anywhere.
//!
//! Constraints between what is no instance do not matter, nor what holds at parameter values outside the context.

use super::coverage;
use super::order::{is_parallel_mark, refuse_unknown_nodes};
use super::violation::{CheckError, Rule, Violation, sample_pair};
use crate::isl::{
    self, MultiUnionPwAff, NodeType, Schedule, ScheduleConstraints, ScheduleNode, UnionMap, UnionPwMultiAff, UnionSet,
};

/// Proves that a tree respects schedule constraints, and that its flags are right.
///
/// # Errors
/// [`CheckError::Illegal`] with what is wrong, [`CheckError::Budget`] when the quota (0: none) or deadline struck
/// first, [`CheckError::Unsupported`] for a tree with nodes that the checker does not know.
pub fn check_constraints(constraints: &ScheduleConstraints, tree: &Schedule, quota: u64) -> Result<(), CheckError> {
    let violations = tree.ctx().with_quota(quota, || violations(constraints, tree))?;
    if violations.is_empty() { Ok(()) } else { Err(CheckError::Illegal(violations)) }
}

fn violations(constraints: &ScheduleConstraints, tree: &Schedule) -> Result<Vec<Violation>, CheckError> {
    let root = tree.root()?;
    refuse_unknown_nodes(&root)?;
    let mut parallel = false;
    root.for_each_descendant_top_down(&mut |node| {
        parallel |= node.node_type()? == NodeType::Mark && is_parallel_mark(node)?;
        Ok(true)
    })?;
    if parallel {
        return Err(CheckError::Unsupported("parallel marks without a region".to_owned()));
    }
    let context = constraints.context()?;
    let domain = constraints.domain()?.intersect_params(context.clone())?;
    let found = coverage::violations(&domain, &context, &root)?;
    let mut walk = Walk::new(constraints, &domain, found)?;
    let together = Together::all(constraints, &domain, &walk.tagger)?;
    walk.visit(&root, together)?;
    Ok(walk.found)
}

/// The constraints whose ends the nodes above leave together.
#[derive(Clone)]
struct Together {
    /// `{ S[i] -> T[j] }`
    validity: UnionMap,
    /// `{ S[i] -> T[j] }`
    coincidence: UnionMap,
    /// `{ S[i] -> T[j] }` or `{ [S[i] -> R[]] -> [T[j] -> Q[]] }`
    condition: UnionMap,
    /// The same.
    conditioned: UnionMap,
}

impl Together {
    fn all(constraints: &ScheduleConstraints, domain: &UnionSet, tagger: &UnionPwMultiAff) -> isl::Result<Self> {
        let all = Together {
            validity: constraints.validity()?,
            coincidence: constraints.coincidence()?,
            condition: constraints.conditional_validity_condition()?,
            conditioned: constraints.conditional_validity()?,
        };
        all.among(domain, tagger)
    }

    /// Those among some instances.
    fn among(self, domain: &UnionSet, tagger: &UnionPwMultiAff) -> isl::Result<Self> {
        let tagged = domain.clone().preimage_union_pw_multi_aff(tagger.clone())?;
        let restrict = |pairs: UnionMap, ends: &UnionSet| {
            if pairs.is_empty()? {
                Ok(pairs)
            } else {
                pairs.intersect_domain(ends.clone())?.intersect_range(ends.clone())
            }
        };
        Ok(Together {
            validity: restrict(self.validity, domain)?,
            coincidence: restrict(self.coincidence, domain)?,
            condition: restrict(self.condition, &tagged)?,
            conditioned: restrict(self.conditioned, &tagged)?,
        })
    }

    fn is_empty(&self) -> isl::Result<bool> {
        Ok(self.validity.is_empty()? && self.coincidence.is_empty()? && self.conditioned.is_empty()?)
    }
}

/// Dates of instances, and of their references.
struct Dates {
    plain: MultiUnionPwAff,
    tagged: MultiUnionPwAff,
}

struct Walk {
    /// From references, or from instances where there are no tags, to instances: `{ [S[i] -> R[]] -> S[i] }`.
    tagger: UnionPwMultiAff,
    /// All conditions, local ones included.
    conditions: UnionMap,
    bands: usize,
    found: Vec<Violation>,
}

impl Walk {
    fn new(constraints: &ScheduleConstraints, domain: &UnionSet, found: Vec<Violation>) -> isl::Result<Self> {
        let conditions = constraints.conditional_validity_condition()?;
        let both = conditions.clone().union(constraints.conditional_validity()?)?;
        let mut to_instance = UnionMap::empty(domain.space()?)?;
        for set in both.clone().domain()?.union(both.range()?)?.universe()?.set_list()?.to_vec()? {
            let wrapping = set.is_wrapping()?;
            let ends = set.to_union_set()?;
            let part = if wrapping { ends.unwrap_map()?.domain_map()? } else { ends.identity()? };
            to_instance = to_instance.union(part)?;
        }
        let tagger = to_instance.as_union_pw_multi_aff()?;
        let tagged = domain.clone().preimage_union_pw_multi_aff(tagger.clone())?;
        let conditions = conditions.intersect_domain(tagged.clone())?.intersect_range(tagged)?;
        Ok(Walk { tagger, conditions, bands: 0, found })
    }

    fn visit(&mut self, node: &ScheduleNode, together: Together) -> isl::Result<()> {
        if together.is_empty()? {
            return Ok(());
        }
        match node.node_type()? {
            NodeType::Leaf => self.visit_leaf(&together),
            NodeType::Band => self.visit_band(node, together),
            NodeType::Sequence => self.visit_children(node, together, true),
            NodeType::Set => self.visit_children(node, together, false),
            NodeType::Filter => {
                let together = together.among(&node.filter()?, &self.tagger)?;
                self.visit(&node.clone().first_child()?, together)
            }
            _ => self.visit(&node.clone().first_child()?, together),
        }
    }

    /// What a leaf leaves together has no order.
    fn visit_leaf(&mut self, together: &Together) -> isl::Result<()> {
        for pairs in [&together.validity, &together.conditioned] {
            let same = pairs.clone().domain()?.identity()?;
            self.note(Rule::NotKept, &pairs.clone().subtract(same)?, "unordered")?;
        }
        Ok(())
    }

    fn visit_children(&mut self, node: &ScheduleNode, together: Together, ordered: bool) -> isl::Result<()> {
        let none = UnionMap::empty(together.validity.space()?)?;
        let (mut inside, mut before) = (none.clone(), UnionSet::empty(none.space()?)?);
        let (mut parts, mut wrong, mut conditioned_wrong) = (Vec::new(), none.clone(), none);
        for child in node.children()? {
            let filter = child.filter()?;
            let part = together.clone().among(&filter, &self.tagger)?;
            let tagged = |set: &UnionSet| set.clone().preimage_union_pw_multi_aff(self.tagger.clone());
            let leaving = |pairs: &UnionMap, from: UnionSet, to: UnionSet, within: &UnionMap| {
                let from_here = pairs.clone().intersect_domain(from)?;
                if ordered { from_here.intersect_range(to) } else { from_here.subtract(within.clone()) }
            };
            let away = leaving(&together.validity, filter.clone(), before.clone(), &part.validity)?;
            wrong = wrong.union(away)?;
            let away = leaving(&together.conditioned, tagged(&filter)?, tagged(&before)?, &part.conditioned)?;
            conditioned_wrong = conditioned_wrong.union(away)?;
            inside = inside.union(part.condition.clone())?;
            before = before.union(filter)?;
            parts.push((child.first_child()?, part));
        }
        self.note(Rule::NotKept, &wrong, if ordered { "sequence" } else { "set" })?;
        let broken = self.next_to_global(conditioned_wrong, &inside)?;
        self.note(Rule::ConditionedNotKept, &broken, if ordered { "sequence" } else { "set" })?;
        parts.into_iter().try_for_each(|(child, part)| self.visit(&child, part))
    }

    fn visit_band(&mut self, node: &ScheduleNode, mut together: Together) -> isl::Result<()> {
        let partial = node.band_partial_schedule()?;
        let dates = (0..partial.size()?)
            .map(|member| {
                let plain = MultiUnionPwAff::from_union_pw_aff(partial.at(i32::try_from(member).unwrap_or(0))?)?;
                let tagged = plain.clone().pullback_union_pw_multi_aff(self.tagger.clone())?;
                Ok(Dates { plain, tagged })
            })
            .collect::<isl::Result<Vec<_>>>()?;
        let number = self.bands;
        self.bands += 1;
        self.check_flags(node, &dates, &together, number)?;
        for (member, dates) in dates.iter().enumerate() {
            let place = format!("band {number}, member {member}");
            let backwards = together.validity.clone().lex_gt_at(dates.plain.clone())?;
            self.note(Rule::NotKept, &backwards, &place)?;
            let backwards = together.conditioned.clone().lex_gt_at(dates.tagged.clone())?;
            together = Together {
                validity: together.validity.eq_at(dates.plain.clone())?,
                coincidence: together.coincidence.eq_at(dates.plain.clone())?,
                condition: together.condition.eq_at(dates.tagged.clone())?,
                conditioned: together.conditioned.eq_at(dates.tagged.clone())?,
            };
            let broken = self.next_to_global(backwards, &together.condition)?;
            self.note(Rule::ConditionedNotKept, &broken, &place)?;
        }
        self.visit(&node.clone().first_child()?, together)
    }

    fn check_flags(
        &mut self,
        node: &ScheduleNode,
        dates: &[Dates],
        together: &Together,
        number: usize,
    ) -> isl::Result<()> {
        let permutable = node.band_permutable()? && dates.len() > 1;
        let mut local = together.condition.clone();
        if permutable {
            for dates in dates {
                local = local.eq_at(dates.tagged.clone())?;
            }
        }
        for (member, (dates, coincident)) in dates.iter().zip(node.band_coincident()?).enumerate() {
            let place = format!("band {number}, member {member}");
            if permutable {
                let backwards = together.validity.clone().lex_gt_at(dates.plain.clone())?;
                self.note(Rule::NotPermutable, &backwards, &place)?;
                let backwards = together.conditioned.clone().lex_gt_at(dates.tagged.clone())?;
                self.note(Rule::NotPermutable, &self.next_to_global(backwards, &local)?, &place)?;
            }
            if coincident {
                let still = together.coincidence.clone().eq_at(dates.plain.clone())?;
                self.note(Rule::NotCoincident, &together.coincidence.clone().subtract(still)?, &place)?;
            }
        }
        Ok(())
    }

    /// Those of the conditioned pairs that are next to a condition that is not among the local ones.
    fn next_to_global(&self, pairs: UnionMap, local: &UnionMap) -> isl::Result<UnionMap> {
        if pairs.is_empty()? {
            return Ok(pairs);
        }
        let global = self.conditions.clone().subtract(local.clone())?;
        let after = pairs.clone().intersect_domain(global.clone().range()?)?;
        after.union(pairs.intersect_range(global.domain()?)?)
    }

    fn note(&mut self, rule: Rule, pairs: &UnionMap, place: &str) -> isl::Result<()> {
        if let Some((source, sink, _)) = sample_pair(pairs)? {
            let (example, place) = (vec![source, sink], place.to_owned());
            self.found.push(Violation { rule, array: None, references: None, example, place });
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::isl::Ctx;

    /// The rules broken.
    fn broken(constraints: &str, tree: &str) -> Vec<Rule> {
        let ctx = Ctx::new();
        let constraints = ScheduleConstraints::parse(&ctx, constraints).unwrap();
        match check_constraints(&constraints, &Schedule::parse(&ctx, tree).unwrap(), 0) {
            Ok(()) => Vec::new(),
            Err(CheckError::Illegal(violations)) => violations.iter().map(|v| v.rule).collect(),
            Err(error) => panic!("{error}"),
        }
    }

    const ROWS: &str = "domain: { A[i, j] : 0 <= i, j < 9 }\nvalidity: { A[i, j] -> A[i, j + 1]; A[i, j] -> A[i + 1, j - 1] }\n\
                        coincidence: { A[i, j] -> A[i, j + 1] }";

    fn rows(schedule: &str, flags: &str) -> Vec<Rule> {
        let domain = "domain: \"{ A[i, j] : 0 <= i, j < 9 }\"";
        broken(ROWS, &format!("{domain}\nchild:\n  schedule: \"[{schedule}]\"\n  {flags}\n"))
    }

    #[test]
    fn order_and_flags_are_checked() {
        let in_order = "{ A[i, j] -> [(i)] }, { A[i, j] -> [(j)] }";
        let skewed = "{ A[i, j] -> [(i)] }, { A[i, j] -> [(i + j)] }";
        assert_eq!(rows(in_order, "permutable: 0"), []);
        assert_eq!(rows(in_order, "permutable: 1"), [Rule::NotPermutable]);
        assert_eq!(rows(skewed, "permutable: 1\n  coincident: [1, 0]"), []);
        assert_eq!(rows(skewed, "permutable: 1\n  coincident: [1, 1]"), [Rule::NotCoincident]);
        let backwards = "{ A[i, j] -> [(-i)] }, { A[i, j] -> [(j)] }";
        assert_eq!(rows(backwards, "permutable: 0"), [Rule::NotKept]);
        assert_eq!(rows("{ A[i, j] -> [(i)] }", "permutable: 0"), [Rule::NotKept]);
        assert!(rows("{ A[i, j] -> [(i)] : i < 3 }, { A[i, j] -> [(j)] }", "permutable: 0").contains(&Rule::Missing));
    }

    #[test]
    fn sequences_and_sets_are_checked() {
        let constraints = "domain: { A[]; B[] }\nvalidity: { A[] -> B[] }";
        let tree = |kind: &str, first: &str, second: &str| {
            format!(
                "domain: \"{{ A[]; B[] }}\"\nchild:\n  {kind}:\n  - filter: \"{{ {first}[] }}\"\n  - filter: \"{{ {second}[] }}\"\n"
            )
        };
        assert_eq!(broken(constraints, &tree("sequence", "A", "B")), []);
        assert_eq!(broken(constraints, &tree("sequence", "B", "A")), [Rule::NotKept]);
        assert_eq!(broken(constraints, &tree("set", "A", "B")), [Rule::NotKept]);
    }

    #[test]
    fn conditioned_pairs_may_go_backwards_next_to_local_conditions_alone() {
        // Each iteration writes v in S and reads it in T; the next iteration writes it again.
        let constraints = "domain: { S[i] : 0 <= i < 9; T[i] : 0 <= i < 9 }\nvalidity: { S[i] -> T[i] }\n\
            condition: { [S[i] -> w[]] -> [T[i] -> r[]] }\n\
            conditional_validity: { [T[i] -> r[]] -> [S[i'] -> w[]] : i' > i }";
        let tree = |first: &str, second: &str| {
            format!(
                "domain: \"{{ S[i] : 0 <= i < 9; T[i] : 0 <= i < 9 }}\"\nchild:\n  schedule: \"[{{ S[i] -> [({first})]; T[i] -> [({second})] }}]\"\n  \
                 child:\n    sequence:\n    - filter: \"{{ S[i] }}\"\n    - filter: \"{{ T[i] }}\"\n"
            )
        };
        assert_eq!(broken(constraints, &tree("i", "i")), []);
        assert_eq!(broken(constraints, &tree("-i", "-i")), []);
        assert_eq!(broken(constraints, &tree("i", "i + 1")), [Rule::ConditionedNotKept]);
        // Backwards within the band and, where dates are equal, in the sequence.
        assert_eq!(broken(constraints, &tree("0", "i")), [Rule::ConditionedNotKept; 2]);
    }
}
