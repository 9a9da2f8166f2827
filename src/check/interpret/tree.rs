//! The run of a schedule tree: instances enumerated, then dated by a walk of the tree.

use super::Error;
use super::interpreter::Interpreter;
use super::trace::{Foreign, InstanceId, Step, Trace};
use crate::isl::{self, DimType, NodeType, Schedule, ScheduleNode, UnionMap};
use crate::thread::{Assignment, Threads};
use polyrs_model::Mark;
use std::collections::{BTreeMap, BTreeSet};

/// Which of a tree's promises are put to the test.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Reading {
    /// The marks: what is marked parallel or vector runs in any order.
    Marks,
    /// The marks and the coincident flags: every coincident member runs in any order.
    Coincident,
    /// The marks and the permutable flags: the members of permutable bands are nested the other way round.
    Permuted,
}

/// A node of the tree with what it says about every instance.
enum Plan {
    Leaf,
    Band(Band),
    Filter(BTreeSet<InstanceId>, Box<Plan>),
    Sequence(Vec<Plan>),
    Set(Vec<Plan>),
    Kernel(Kernel),
}

/// A kernel: threads are in no order.
struct Kernel {
    /// For each mark the values of the members that it assigns.
    assigned: Vec<BTreeMap<InstanceId, Vec<i64>>>,
    child: Box<Plan>,
}

struct Band {
    dates: BTreeMap<InstanceId, Vec<i64>>,
    members: Vec<Member>,
    child: Box<Plan>,
}

struct Member {
    position: usize,
    /// The iterations run in any order, each with its own copy of these arrays.
    unordered: Option<Vec<usize>>,
}

/// The marks between a band and the next node above that is none.
#[derive(Default)]
struct Marks {
    parallel: Option<Vec<usize>>,
    vector: bool,
}

impl Interpreter<'_> {
    /// The original order.
    ///
    /// # Errors
    /// See [`Interpreter::tree`].
    pub fn original(&self) -> Result<Trace, Error> {
        self.tree(&self.scop.schedule, Reading::Marks)
    }

    /// The order of a tree. Instances of the tree that the region does not have are noted, not run.
    ///
    /// # Errors
    /// When the tree has extension, expansion or guard nodes, or a mark that cannot be obeyed; when the bound strikes.
    pub fn tree(&self, schedule: &Schedule, reading: Reading) -> Result<Trace, Error> {
        let root = schedule.root()?;
        let mut foreign = Vec::new();
        let domain = self.instances_of(&schedule.domain()?, Some(&mut foreign))?;
        let plan = Planner { interpreter: self, reading }.plan(&root, Marks::default())?;
        let instances: Vec<InstanceId> = domain.into_iter().collect();
        Ok(Trace { root: self.steps(&plan, &instances)?, foreign, faults: Vec::new() })
    }

    /// The instances in a union set at the parameter values; others go to `foreign`.
    fn instances_of(
        &self,
        set: &isl::UnionSet,
        mut foreign: Option<&mut Vec<Foreign>>,
    ) -> Result<BTreeSet<InstanceId>, Error> {
        let mut found = BTreeSet::new();
        for part in set.set_list()?.to_vec()? {
            let name = part.tuple_name()?.unwrap_or_default();
            let statement = self.scop.statement_by_name(&name);
            let statement = statement.ok_or_else(|| Error::Malformed(format!("there is no statement `{name}`")))?;
            for vector in self.budget.points(&self.fixed(part)?)? {
                match (self.instance(statement, vector.clone()), &mut foreign) {
                    (Some(id), _) => drop(found.insert(id)),
                    (None, Some(foreign)) => foreign.push(Foreign { statement, vector, thread: None }),
                    (None, None) => {}
                }
            }
        }
        Ok(found)
    }

    fn steps(&self, plan: &Plan, instances: &[InstanceId]) -> Result<Step, Error> {
        self.budget.take(1)?;
        match plan {
            Plan::Leaf => {
                self.budget.take(instances.len())?;
                let children = instances.iter().map(|&id| Step::Instance(id, Vec::new())).collect();
                Ok(Step::Unordered { children, private: Vec::new() })
            }
            Plan::Filter(keep, child) => {
                let kept: Vec<InstanceId> = instances.iter().copied().filter(|i| keep.contains(i)).collect();
                self.steps(child, &kept)
            }
            Plan::Sequence(children) => {
                Ok(Step::Sequence(children.iter().map(|c| self.steps(c, instances)).collect::<Result<_, _>>()?))
            }
            Plan::Set(children) => {
                let children = children.iter().map(|c| self.steps(c, instances)).collect::<Result<_, _>>()?;
                Ok(Step::Unordered { children, private: Vec::new() })
            }
            Plan::Band(band) => self.band_steps(band, 0, instances),
            Plan::Kernel(kernel) => self.kernel_steps(kernel, instances),
        }
    }

    fn kernel_steps(&self, kernel: &Kernel, instances: &[InstanceId]) -> Result<Step, Error> {
        let mut threads: BTreeMap<Vec<Option<&Vec<i64>>>, Vec<InstanceId>> = BTreeMap::new();
        for &instance in instances {
            let thread = kernel.assigned.iter().map(|values| values.get(&instance)).collect();
            threads.entry(thread).or_default().push(instance);
        }
        self.budget.take(threads.len())?;
        let children = threads.values().map(|i| self.steps(&kernel.child, i)).collect::<Result<_, _>>()?;
        Ok(Step::Unordered { children, private: Vec::new() })
    }

    fn band_steps(&self, band: &Band, depth: usize, instances: &[InstanceId]) -> Result<Step, Error> {
        let Some(member) = band.members.get(depth) else { return self.steps(&band.child, instances) };
        let mut by_date: BTreeMap<i64, Vec<InstanceId>> = BTreeMap::new();
        for &instance in instances {
            let date = band.dates.get(&instance).ok_or_else(|| {
                let found = &self.instances[instance];
                let name = self.instance_name(found.statement, &found.vector);
                Error::Malformed(format!("a band gives no date to {name}"))
            })?;
            by_date.entry(date[member.position]).or_default().push(instance);
        }
        self.budget.take(by_date.len())?;
        let children = by_date.values().map(|i| self.band_steps(band, depth + 1, i)).collect::<Result<_, _>>()?;
        Ok(match &member.unordered {
            Some(private) => Step::Unordered { children, private: private.clone() },
            None => Step::Sequence(children),
        })
    }
}

struct Planner<'m, 's> {
    interpreter: &'m Interpreter<'s>,
    reading: Reading,
}

impl Planner<'_, '_> {
    fn plan(&self, node: &ScheduleNode, marks: Marks) -> Result<Plan, Error> {
        let kind = node.node_type()?;
        if marks.parallel.is_some() && !matches!(kind, NodeType::Band | NodeType::Mark) {
            return Err(Error::Malformed("a parallel mark is not right above a band".into()));
        }
        match kind {
            NodeType::Domain | NodeType::Context => self.plan(&node.clone().first_child()?, Marks::default()),
            NodeType::Leaf => Ok(Plan::Leaf),
            NodeType::Filter => {
                // A filter may name instances that do not reach it.
                let filter = node.filter()?.intersect(node.domain()?)?;
                let keep = self.interpreter.instances_of(&filter, None)?;
                Ok(Plan::Filter(keep, Box::new(self.plan(&node.clone().first_child()?, Marks::default())?)))
            }
            NodeType::Sequence => Ok(Plan::Sequence(self.children(node)?)),
            NodeType::Set => Ok(Plan::Set(self.children(node)?)),
            NodeType::Mark => self.mark(node, marks),
            NodeType::Band => self.band(node, &marks),
            NodeType::Extension | NodeType::Expansion | NodeType::Guard => Err(Error::Unsupported(format!("{kind:?}"))),
        }
    }

    fn children(&self, node: &ScheduleNode) -> Result<Vec<Plan>, Error> {
        node.children()?.iter().map(|child| self.plan(child, Marks::default())).collect()
    }

    /// Marks that are not ours say nothing about the order.
    fn mark(&self, node: &ScheduleNode, mut marks: Marks) -> Result<Plan, Error> {
        let name = node.mark_id()?.name()?.unwrap_or_default();
        match name.parse::<Mark>() {
            Ok(Mark::Kernel) => return self.kernel(node),
            Ok(Mark::Parallel { private }) => {
                let positions = private.iter().map(|name| self.interpreter.array_position(name));
                marks.parallel = Some(positions.collect::<Result<_, _>>()?);
            }
            Ok(Mark::Vector) => marks.vector = true,
            Ok(_) | Err(_) => {}
        }
        self.plan(&node.clone().first_child()?, marks)
    }

    fn kernel(&self, node: &ScheduleNode) -> Result<Plan, Error> {
        let mut assigned = Vec::new();
        for Assignment { domain, members, .. } in Threads::of_kernel(node)?.assignments {
            let values = UnionMap::from_multi_union_pw_aff(members)?.intersect_domain(domain)?;
            assigned.push(self.values(&values)?);
        }
        let child = Box::new(self.plan(&node.clone().first_child()?, Marks::default())?);
        Ok(Plan::Kernel(Kernel { assigned, child }))
    }

    fn band(&self, node: &ScheduleNode, marks: &Marks) -> Result<Plan, Error> {
        let n = node.band_n_member()?;
        let coincident = node.band_coincident()?;
        let reversed = n > 1 && self.reading == Reading::Permuted && node.band_permutable()?;
        let member = |position| {
            let parallel = marks.parallel.as_ref().filter(|_| position == 0).cloned();
            // The mark is a promise about the last member inside of all the others.
            let vector = marks.vector && position + 1 == n && !reversed;
            let claimed = self.reading == Reading::Coincident && coincident[position];
            Member { position, unordered: parallel.or_else(|| (vector || claimed).then(Vec::new)) }
        };
        let mut members: Vec<Member> = (0..n).map(member).collect();
        if reversed {
            members.reverse();
        }
        let child = Box::new(self.plan(&node.clone().first_child()?, Marks::default())?);
        Ok(Plan::Band(Band { dates: self.dates(node, n)?, members, child }))
    }

    /// The date of every instance that reaches a band.
    fn dates(&self, node: &ScheduleNode, members: usize) -> Result<BTreeMap<InstanceId, Vec<i64>>, Error> {
        let domain = node.domain()?;
        if members == 0 {
            let instances = self.interpreter.instances_of(&domain, None)?;
            return Ok(instances.into_iter().map(|i| (i, Vec::new())).collect());
        }
        self.values(&node.band_partial_schedule_union_map()?.intersect_domain(domain)?)
    }

    /// The values of a function `{ S[i] -> [v] }` by instance.
    fn values(&self, function: &UnionMap) -> Result<BTreeMap<InstanceId, Vec<i64>>, Error> {
        let mut dates = BTreeMap::new();
        for part in function.map_list()?.to_vec()? {
            let name = part.tuple_name(DimType::In)?.unwrap_or_default();
            let statement = self.interpreter.scop.statement_by_name(&name);
            let statement = statement.ok_or_else(|| Error::Malformed(format!("there is no statement `{name}`")))?;
            let dimensions = part.dim(DimType::In)?;
            for pair in self.interpreter.pairs(&part)? {
                let (vector, date) = pair.split_at(dimensions);
                if let Some(instance) = self.interpreter.instance(statement, vector.to_vec()) {
                    dates.insert(instance, date.to_vec());
                }
            }
        }
        Ok(dates)
    }
}
