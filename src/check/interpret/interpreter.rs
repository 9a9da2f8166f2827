//! A region at given parameter values: all instances, and the elements that each touches.

use super::Error;
use super::budget::Budget;
use super::outcome::Outcome;
use super::trace::{ElementId, InstanceId};
use crate::isl::{self, DimType};
use crate::scop::{Access, AccessKind, Scop, StatementId};
use std::cell::OnceCell;
use std::collections::BTreeMap;

/// What an access of one instance does.
#[derive(Debug)]
pub(super) struct Touch {
    pub kind: AccessKind,
    /// In lexicographic order.
    pub elements: Vec<ElementId>,
}

/// An instance.
#[derive(Debug)]
pub(super) struct Instance {
    pub statement: StatementId,
    pub vector: Vec<i64>,
    /// One entry an access of the statement.
    pub touches: Vec<Touch>,
}

/// An element.
#[derive(Debug)]
pub(super) struct Element {
    /// The position of the array in the region.
    pub array: usize,
    pub index: Vec<i64>,
    /// Some instance may write or kill it.
    pub written: bool,
    /// It is written, and the final value may be observed.
    pub live_out: bool,
}

/// A region at given parameter values, ready to run.
#[derive(Debug)]
pub struct Interpreter<'s> {
    pub(super) scop: &'s Scop,
    pub(super) parameters: BTreeMap<String, i64>,
    pub(super) budget: Budget,
    pub(super) instances: Vec<Instance>,
    pub(super) elements: Vec<Element>,
    /// By statements: the position of the read of what a reduction gathers values in, where there is one.
    pub(super) gathered: Vec<Option<usize>>,
    /// What the original order leaves behind, once it was run.
    pub(super) reference: OnceCell<Outcome>,
    by_vector: BTreeMap<(StatementId, Vec<i64>), InstanceId>,
    by_index: BTreeMap<(usize, Vec<i64>), ElementId>,
}

impl<'s> Interpreter<'s> {
    /// The region with a value for each of its parameters; `bound` limits the work of this and of all runs together, in
    /// steps (a step is a point enumerated, an instance placed or a node visited).
    ///
    /// # Errors
    /// When a parameter has no value, the values are outside the context, an access is unbounded, or the bound strikes.
    pub fn new(scop: &'s Scop, parameters: &BTreeMap<String, i64>, bound: u64) -> Result<Self, Error> {
        let mut interpreter = Self {
            scop,
            parameters: parameters.clone(),
            budget: Budget::new(bound),
            instances: Vec::new(),
            elements: Vec::new(),
            gathered: Vec::new(),
            reference: OnceCell::new(),
            by_vector: BTreeMap::new(),
            by_index: BTreeMap::new(),
        };
        interpreter.check_parameters()?;
        for id in (0..scop.statements.len()).map(StatementId) {
            interpreter.gathered.push(scop.statement(id).gathered()?.map(|(read, _)| read));
            interpreter.add_instances(id)?;
            for access in &scop.statement(id).accesses {
                interpreter.add_access(id, access)?;
            }
        }
        interpreter.mark_live_out()?;
        Ok(interpreter)
    }

    /// The number of instances, kills included.
    pub fn instance_count(&self) -> usize {
        self.instances.len()
    }

    fn check_parameters(&self) -> Result<(), Error> {
        let known = self.scop.parameters()?;
        if let Some(unknown) = self.parameters.keys().find(|name| !known.contains(name)) {
            return Err(Error::UnknownParameter(unknown.clone()));
        }
        if let Some(missing) = known.iter().find(|name| !self.parameters.contains_key(*name)) {
            return Err(Error::MissingParameter(missing.clone()));
        }
        if self.fixed(self.scop.context.clone())?.is_empty()? {
            return Err(Error::OutsideContext(self.scop.context.to_string()));
        }
        Ok(())
    }

    /// A set at the parameter values, without parameters: `[p] -> { S[i] }` to `{ S[i] }`.
    pub(super) fn fixed(&self, set: isl::Set) -> Result<isl::Set, Error> {
        let names = set.space()?.dim_names(DimType::Param)?;
        let mut set = set;
        for (i, name) in names.iter().enumerate() {
            let value = *self.parameters.get(name).ok_or_else(|| Error::MissingParameter(name.clone()))?;
            let value = isl::Val::int(set.ctx(), value)?;
            set = set.fix_val(DimType::Param, i, value)?;
        }
        Ok(set.project_out(DimType::Param, 0, names.len())?)
    }

    /// The points of a relation at the parameter values: each the domain's tuple followed by the range's.
    pub(super) fn pairs(&self, map: &isl::Map) -> Result<Vec<Vec<i64>>, Error> {
        self.budget.points(&self.fixed(map.clone().wrap()?)?)
    }

    fn add_instances(&mut self, statement: StatementId) -> Result<(), Error> {
        let domain = self.fixed(self.scop.statement(statement).domain.clone())?;
        for vector in self.budget.instances(&domain)? {
            self.by_vector.insert((statement, vector.clone()), self.instances.len());
            self.instances.push(Instance { statement, vector, touches: Vec::new() });
        }
        Ok(())
    }

    fn add_access(&mut self, statement: StatementId, access: &Access) -> Result<(), Error> {
        let array = self.array_position(&access.array()?)?;
        let domain = self.scop.statement(statement).domain.clone();
        let relation = self.bounded(access.relation.clone().intersect_domain(domain)?, array, access)?;
        let dimensions = relation.dim(DimType::In)?;
        let first = self.instances.iter().position(|i| i.statement == statement).unwrap_or(self.instances.len());
        for instance in &mut self.instances[first..] {
            instance.touches.push(Touch { kind: access.kind, elements: Vec::new() });
        }
        for pair in self.pairs(&relation)? {
            let (vector, index) = pair.split_at(dimensions);
            let element = self.intern(array, index);
            self.elements[element].written |= access.kind != AccessKind::Read;
            let instance = self.by_vector.get(&(statement, vector.to_vec()));
            let touch = instance.and_then(|&i| self.instances[i].touches.last_mut());
            let touch =
                touch.ok_or_else(|| Error::Malformed(format!("`{}` is not of the domain", access.reference)))?;
            touch.elements.push(element);
        }
        Ok(())
    }

    /// The relation, restricted to the array where it is not bounded by itself.
    fn bounded(&self, relation: isl::Map, array: usize, access: &Access) -> Result<isl::Map, Error> {
        if self.fixed(relation.clone().wrap()?)?.is_bounded()? {
            return Ok(relation);
        }
        let mut relation = relation;
        for (i, extent) in self.scop.arrays[array].extent.iter().enumerate() {
            let Some(extent) = extent else { return Err(Error::Unbounded(access.reference.clone())) };
            let last = self.value(extent)?.checked_sub(1).ok_or_else(|| Error::Overflow(extent.to_string()))?;
            let val = |value| isl::Val::int(relation.ctx(), value);
            let (first, last) = (val(0)?, val(last)?);
            relation = relation.lower_bound_val(DimType::Out, i, first)?.upper_bound_val(DimType::Out, i, last)?;
        }
        Ok(relation)
    }

    /// The value of an expression of the parameters.
    fn value(&self, expression: &isl::PwAff) -> Result<i64, Error> {
        let names = expression.space()?.dim_names(DimType::Param)?;
        let mut point = isl::Set::universe(expression.space()?.params()?)?;
        for (i, name) in names.iter().enumerate() {
            let value = *self.parameters.get(name).ok_or_else(|| Error::MissingParameter(name.clone()))?;
            point = point.fix_val(DimType::Param, i, isl::Val::int(expression.ctx(), value)?)?;
        }
        let value = expression.clone().intersect_params(point)?.max_val()?;
        if value.is_int()? {
            return Ok(value.to_i64()?);
        }
        Err(Error::Malformed(format!("the extent {expression} has no value")))
    }

    fn intern(&mut self, array: usize, index: &[i64]) -> ElementId {
        let fresh = self.elements.len();
        let id = *self.by_index.entry((array, index.to_vec())).or_insert(fresh);
        if id == fresh {
            self.elements.push(Element { array, index: index.to_vec(), written: false, live_out: false });
        }
        id
    }

    /// Only elements that are written can change, so no other needs to be looked at.
    fn mark_live_out(&mut self) -> Result<(), Error> {
        for live in self.scop.live_out.set_list()?.to_vec()? {
            let name = live.tuple_name()?.unwrap_or_default();
            let array = self.array_position(&name)?;
            let live = self.fixed(live)?;
            let bounded = live.is_bounded()?;
            let points = if bounded { self.budget.points(&live)? } else { Vec::new() };
            let all = live.plain_is_universe()?;
            for element in self.elements.iter_mut().filter(|e| e.array == array && e.written) {
                element.live_out |= match bounded {
                    true => points.binary_search(&element.index).is_ok(),
                    false => all || contains(&live, &element.index)?,
                };
            }
        }
        Ok(())
    }

    pub(super) fn array_position(&self, name: &str) -> Result<usize, Error> {
        let position = self.scop.arrays.iter().position(|a| a.name == name);
        position.ok_or_else(|| Error::Malformed(format!("there is no array `{name}`")))
    }

    /// The instance with a vector.
    pub(super) fn instance(&self, statement: StatementId, vector: Vec<i64>) -> Option<InstanceId> {
        self.by_vector.get(&(statement, vector)).copied()
    }

    /// An element that some instance touches.
    pub(super) fn element(&self, array: usize, index: &[i64]) -> Option<ElementId> {
        self.by_index.get(&(array, index.to_vec())).copied()
    }

    /// An instance of the region in words.
    pub(super) fn name(&self, id: InstanceId) -> String {
        let Instance { statement, vector, .. } = &self.instances[id];
        self.instance_name(*statement, vector)
    }

    /// An instance in words: `S[1, 2]`.
    pub(super) fn instance_name(&self, statement: StatementId, vector: &[i64]) -> String {
        format!("{}{vector:?}", self.scop.statement(statement).name)
    }

    /// An element in words: `A[1, 2]`.
    pub(super) fn element_name(&self, element: ElementId) -> String {
        let Element { array, index, .. } = &self.elements[element];
        format!("{}{index:?}", self.scop.arrays[*array].name)
    }
}

/// A point is in a set without parameters.
fn contains(set: &isl::Set, point: &[i64]) -> isl::Result<bool> {
    let mut set = set.clone();
    for (i, value) in point.iter().enumerate() {
        let value = isl::Val::int(set.ctx(), *value)?;
        set = set.fix_val(DimType::SET, i, value)?;
    }
    Ok(!set.is_empty()?)
}
