//! Conflicts on memory between the instances under a band, and what private copies do about them.
//!
//! Coincident flags alone do not say that iterations may run at the same time: order dependences on arrays that could
//! have private copies are left out of coincidence (ppcg report, section 4.3), and a tree may come from a file. So
//! everything here starts from the accesses themselves.

use crate::dependence::{Dependences, untag};
use crate::isl::{MultiUnionPwAff, NodeType, Result, ScheduleNode, UnionMap, UnionPwAff, UnionSet};
use crate::schedule_tree::Mark;
use crate::schedule_tree::band::{mark, position};
use crate::scop::{AccessKind, Array, ArrayKind, Scop};

/// What the mapper knows about one array.
#[derive(Clone)]
struct ArrayFacts {
    name: String,
    /// Pairs of instances that touch an element in common, the first one writing: `{ S[i] -> T[j] }`.
    conflicts: UnionMap,
    /// Values that pass from one instance to another through the array: `{ S[i] -> T[j] }`. `None` where the array is
    /// never given private copies.
    flow: Option<UnionMap>,
    /// Instances that may read a value from before the region or write one for after it: `{ S[i] }`.
    exposed: UnionSet,
}

/// The conflicts of a whole scop, for all trees that are mapped.
#[derive(Clone)]
pub struct Conflicts(Vec<ArrayFacts>);

impl Conflicts {
    /// Which instances conflict on which array.
    ///
    /// # Errors
    /// Those of isl.
    pub fn new(scop: &Scop, dependences: &Dependences) -> Result<Self> {
        let mut facts = Vec::new();
        for array in &scop.arrays {
            let array_facts = array_facts(scop, dependences, array)?;
            if !array_facts.conflicts.is_empty()? {
                facts.push(array_facts);
            }
        }
        Ok(Conflicts(facts))
    }

    /// The arrays on which two iterations of a member of a band conflict, what is above and the members before it
    /// being equal.
    pub(super) fn carried(&self, loops: &Loop) -> Result<Vec<Carried<'_>>> {
        let mut carried = Vec::new();
        for facts in &self.0 {
            if loops.separates(&facts.conflicts)? {
                carried.push(Carried { facts });
            }
        }
        Ok(carried)
    }

    /// The conflicting pairs of instances that meet in one execution of a loop.
    pub(super) fn inside(&self, loops: &Loop) -> Result<Inside> {
        let pairs = self.0.iter().map(|facts| loops.together(&facts.conflicts)).collect::<Result<_>>()?;
        let member = MultiUnionPwAff::from_union_pw_aff(loops.member.clone())?;
        Ok(Inside { none: UnionMap::empty(loops.domain.space()?)?, pairs, member })
    }
}

/// The conflicting pairs of instances that meet in one execution of a loop.
pub(super) struct Inside {
    none: UnionMap,
    /// By array, the one first that writes: `{ S[i] -> T[j] }`.
    pairs: Vec<UnionMap>,
    /// The loop's member: `{ S[i] -> [(t)] }`.
    member: MultiUnionPwAff,
}

impl Inside {
    /// The pairs in different iterations, the earlier one first: `{ S[i] -> T[j] }`.
    pub(super) fn forwards(&self) -> Result<UnionMap> {
        self.pairs.iter().try_fold(self.none.clone(), |all, pairs| {
            let back = pairs.clone().reverse()?.lex_lt_at(self.member.clone())?;
            all.union(pairs.clone().lex_lt_at(self.member.clone())?)?.union(back)
        })
    }

    /// The pairs in the same iteration, each both ways: `{ S[i] -> T[j] }`.
    pub(super) fn meanwhile(&self) -> Result<UnionMap> {
        self.pairs.iter().try_fold(self.none.clone(), |all, pairs| {
            let pairs = pairs.clone().eq_at(self.member.clone())?;
            all.union(pairs.clone().reverse()?)?.union(pairs)
        })
    }
}

/// An array on which iterations of a loop conflict.
pub(super) struct Carried<'c> {
    facts: &'c ArrayFacts,
}

impl Carried<'_> {
    pub(super) fn array(&self) -> &str {
        &self.facts.name
    }

    /// A private copy for each iteration of the loop makes the conflicts harmless: the array belongs to the region, and
    /// no value enters or leaves an iteration through it.
    pub(super) fn is_private(&self, loops: &Loop) -> Result<bool> {
        let Some(flow) = &self.facts.flow else { return Ok(false) };
        if !self.facts.exposed.is_disjoint(&loops.domain)? {
            return Ok(false);
        }
        let leaving = flow.clone().intersect_domain(loops.domain.clone())?;
        let entering = flow.clone().intersect_range(loops.domain.clone())?;
        let touching = leaving.union(entering)?;
        let inside = loops.together(&touching)?.eq_at(MultiUnionPwAff::from_union_pw_aff(loops.member.clone())?)?;
        touching.is_subset(&inside)
    }
}

/// One member of a band as a loop, with all that is fixed while it runs.
pub(super) struct Loop {
    /// The instances under the band: `{ S[i] }`.
    pub domain: UnionSet,
    /// What is above and the members before: `{ S[i] -> [(t)] }` each.
    fixed: Vec<UnionPwAff>,
    /// `{ S[i] -> [(t)] }`
    member: UnionPwAff,
}

impl Loop {
    /// The loop of the member at a position of the band at `node`.
    pub(super) fn new(node: &ScheduleNode, members: &[UnionPwAff], position: usize) -> Result<Self> {
        let Surroundings { domain, mut fixed } = Surroundings::of(node)?;
        fixed.extend_from_slice(&members[..position]);
        Ok(Loop { domain, fixed, member: members[position].clone() })
    }

    /// The pairs of a relation that meet in one execution of the loop: `{ S[i] -> T[j] }`.
    pub fn together(&self, relation: &UnionMap) -> Result<UnionMap> {
        let among = relation.clone().intersect_domain(self.domain.clone())?.intersect_range(self.domain.clone())?;
        // From the inside, one by one: where points are equal, so are the numbers of their tiles, which are divisions.
        self.fixed
            .iter()
            .rev()
            .try_fold(among, |pairs, fixed| pairs.eq_at(MultiUnionPwAff::from_union_pw_aff(fixed.clone())?))
    }

    /// Some execution of the loop runs instances of a set in two iterations or more.
    pub(super) fn iterates(&self, set: &UnionSet) -> Result<bool> {
        let set = set.clone().intersect(self.domain.clone())?;
        self.separates(&UnionMap::from_domain_and_range(set.clone(), set)?)
    }

    /// A pair of the relation is in two iterations of one execution of the loop.
    fn separates(&self, relation: &UnionMap) -> Result<bool> {
        let member = MultiUnionPwAff::from_union_pw_aff(self.member.clone())?;
        let together = self.together(relation)?;
        Ok(!together.clone().lex_lt_at(member.clone())?.is_empty()? || !together.lex_gt_at(member)?.is_empty()?)
    }
}

/// The instances that reach a node, or more of the same statements, and what is above it.
struct Surroundings {
    /// `{ S[i] }`
    domain: UnionSet,
    /// `{ S[i] -> [(t)] }` each.
    fixed: Vec<UnionPwAff>,
}

impl Surroundings {
    /// What is left of tiles ([`Mark::Rest`]) is said in so many words that a second look at all of them costs less: what
    /// holds for all instances of these statements holds for it.
    fn of(node: &ScheduleNode) -> Result<Self> {
        let (mut at, mut between, mut rest) = (node.clone(), Vec::new(), None);
        while rest.is_none() && at.has_parent()? {
            at = at.parent()?;
            if at.node_type()? == NodeType::Band {
                between.push(at.band_partial_schedule()?);
            } else if mark(&at)? == Some(Mark::Rest) {
                // mark > filter > sequence
                rest = Some(at.clone().ancestor(2)?);
            }
        }
        let (domain, prefix) = match &rest {
            Some(around) => (around.domain()?.intersect(node.universe_domain()?)?, around.prefix_schedule()?),
            None => (node.domain()?, node.prefix_schedule()?),
        };
        let inside = if rest.is_some() { between } else { Vec::new() };
        let mut fixed = Vec::new();
        for schedule in std::iter::once(prefix).chain(inside.into_iter().rev()) {
            for place in 0..schedule.size()? {
                fixed.push(schedule.at(position(place)?)?);
            }
        }
        Ok(Surroundings { domain, fixed })
    }
}

fn array_facts(scop: &Scop, dependences: &Dependences, array: &Array) -> Result<ArrayFacts> {
    // { S[i] -> A[a] }
    let accesses = |kinds: &[AccessKind]| -> Result<UnionMap> {
        let mut all = UnionMap::empty(scop.context.space()?)?;
        for statement in &scop.statements {
            for access in statement.accesses.iter().filter(|a| kinds.contains(&a.kind)) {
                if access.array()? == array.name {
                    let relation = access.relation.clone().intersect_domain(statement.domain.clone())?;
                    all = all.union(relation.to_union_map()?)?;
                }
            }
        }
        all.intersect_params(scop.context.clone())
    };
    let writes = accesses(&[AccessKind::MayWrite, AccessKind::MustWrite])?;
    let touched = writes.clone().union(accesses(&[AccessKind::Read])?)?.reverse()?;
    let of_array = |relation: &UnionMap| relation.clone().intersect_range(touched.clone().domain()?);
    let exposed =
        of_array(&dependences.may_live_in)?.domain()?.union(of_array(&dependences.may_live_out)?.domain()?)?;
    let flow = match array.kind {
        ArrayKind::Memory => None,
        ArrayKind::Local | ArrayKind::Scalar => Some(flow_through(scop, dependences, array)?),
    };
    Ok(ArrayFacts { name: array.name.clone(), conflicts: writes.apply_range(touched)?.coalesce()?, flow, exposed })
}

/// The flow dependences between references to an array: `{ S[i] -> T[j] }`.
fn flow_through(scop: &Scop, dependences: &Dependences, array: &Array) -> Result<UnionMap> {
    let mut references = UnionSet::empty(scop.context.space()?)?;
    for access in scop.statements.iter().flat_map(|s| &s.accesses) {
        if access.array()? == array.name {
            references =
                references.union(access.tag(access.relation.clone())?.domain()?.to_union_set()?.universe()?)?;
        }
    }
    untag(dependences.tagged_flow.clone().intersect_domain(references)?)
}
