//! Comparing a run with the original order.

use super::fault::Fault;
use super::interpreter::Interpreter;
use super::line::Order;
use super::outcome::{Outcome, Value};
use super::trace::{ElementId, Foreign, InstanceId, Trace};
use super::{Error, Reading};
use crate::ast::Ast;
use crate::isl::Schedule;
use std::collections::BTreeMap;
use std::fmt;

/// The orders in which what is unordered is run.
pub(super) const ORDERS: [Order; 6] = [
    Order::Ascending,
    Order::Descending,
    Order::Shuffled(1),
    Order::Shuffled(2),
    Order::Interleaved(1),
    Order::Interleaved(2),
];

/// A difference from the original run.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Difference {
    /// An instance is not run.
    Missing(String),
    /// An instance is run several times.
    Repeated(String, usize),
    /// An instance is run that the region does not have.
    Foreign(String),
    /// The final value of an element is not the original one.
    Memory {
        /// The element.
        element: String,
        /// How what is unordered was ordered.
        order: Order,
    },
    /// An instance with a side effect reads other values than in the original order.
    Effect {
        /// The instance.
        instance: String,
        /// How what is unordered was ordered.
        order: Order,
    },
}

impl fmt::Display for Difference {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Difference::Missing(instance) => write!(f, "{instance} is not run"),
            Difference::Repeated(instance, count) => write!(f, "{instance} is run {count} times"),
            Difference::Foreign(instance) => write!(f, "{instance} is run, which the region does not have"),
            Difference::Memory { element, order } => {
                write!(f, "{element} ends with another value (unordered parts {})", words(*order))
            }
            Difference::Effect { instance, order } => {
                write!(f, "{instance} reads other values (unordered parts {})", words(*order))
            }
        }
    }
}

fn words(order: Order) -> String {
    match order {
        Order::Ascending => "ascending".into(),
        Order::Descending => "descending".into(),
        Order::Shuffled(seed) => format!("shuffled by {seed}"),
        Order::Interleaved(seed) => format!("interleaved by {seed}"),
    }
}

/// What the comparison of a run with the original found.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Report {
    /// The differences in the instances that are run.
    pub instances: Vec<Difference>,
    /// The differences in what can be observed.
    pub values: Vec<Difference>,
    /// What is wrong in kernels, one example of each mistake: also where values come out right.
    pub faults: Vec<Fault>,
    /// Where values differ, the instance that is the first in the original order to read other values, if one does.
    pub first_wrong_read: Option<String>,
    /// How many instances the original order runs, without kills.
    pub executed: usize,
    /// How many elements were compared.
    pub compared: usize,
    /// How many elements may be observed but are undefined in the original order, so that any value was accepted.
    pub undefined: usize,
}

impl Report {
    /// No difference at all, and no fault.
    pub fn is_same(&self) -> bool {
        self.instances.is_empty() && self.values.is_empty() && self.faults.is_empty()
    }
}

impl Interpreter<'_> {
    /// Compares a trace with the original order: each instance once, and the same observable values in several orders
    /// of what the trace leaves unordered.
    ///
    /// # Errors
    /// See [`Interpreter::tree`].
    pub fn compare(&self, trace: &Trace) -> Result<Report, Error> {
        let original = self.reference()?;
        let mut report = Report { instances: self.instance_differences(trace), ..Report::default() };
        let kill = |i: usize| self.scop.statement(self.instances[i].statement).is_kill();
        report.executed = (0..self.instances.len()).filter(|&i| !kill(i)).count();
        for (_, value) in self.observable(original) {
            report.compared += usize::from(value.is_some());
            report.undefined += usize::from(value.is_none());
        }
        report.faults.clone_from(&trace.faults);
        for order in ORDERS {
            let mut outcome = self.run(trace, order);
            report.faults.append(&mut outcome.faults);
            report.values.extend(self.value_differences(original, &outcome, order));
            if !report.values.is_empty() || report.faults.len() > trace.faults.len() {
                report.first_wrong_read = self.wrong_reads(original, &outcome).next().map(|id| self.name(id));
                break;
            }
        }
        Ok(report)
    }

    /// What the original order leaves behind.
    pub(super) fn reference(&self) -> Result<&Outcome, Error> {
        if let Some(outcome) = self.reference.get() {
            return Ok(outcome);
        }
        let outcome = self.run(&self.original()?, Order::Ascending);
        Ok(self.reference.get_or_init(|| outcome))
    }

    /// Compares a schedule tree with the original order.
    ///
    /// # Errors
    /// See [`Interpreter::tree`].
    pub fn compare_tree(&self, schedule: &Schedule, reading: Reading) -> Result<Report, Error> {
        self.compare(&self.tree(schedule, reading)?)
    }

    /// Compares an AST with the original order.
    ///
    /// # Errors
    /// See [`Interpreter::ast`].
    pub fn compare_ast(&self, ast: &Ast) -> Result<Report, Error> {
        self.compare(&self.ast(ast)?)
    }

    fn instance_differences(&self, trace: &Trace) -> Vec<Difference> {
        let count = self.run(trace, Order::Ascending).count;
        let mut found: Vec<Difference> = Vec::new();
        for (instance, count) in self.instances.iter().zip(count) {
            let name = || self.instance_name(instance.statement, &instance.vector);
            match count {
                // Kills only steer the analysis: whether they are run makes no difference.
                0 if !self.scop.statement(instance.statement).is_kill() => found.push(Difference::Missing(name())),
                0 | 1 => {}
                _ => found.push(Difference::Repeated(name(), count)),
            }
        }
        found.extend(trace.foreign.iter().map(|Foreign { statement, vector, thread }| {
            let name = self.instance_name(*statement, vector);
            Difference::Foreign(thread.as_ref().map_or(name.clone(), |thread| format!("{name} ({thread})")))
        }));
        found
    }

    fn value_differences(&self, original: &Outcome, other: &Outcome, order: Order) -> Vec<Difference> {
        let mut found = Vec::new();
        for (element, expected) in self.observable(original) {
            if expected.is_some() && other.memory[element] != expected {
                found.push(Difference::Memory { element: self.element_name(element), order });
            }
        }
        let effect = |id: &InstanceId| self.scop.statement(self.instances[*id].statement).side_effect;
        let wrong = self.wrong_reads(original, other).filter(effect);
        found.extend(wrong.map(|id| Difference::Effect { instance: self.name(id), order }));
        found
    }

    /// The instances that read other values, in the original order.
    fn wrong_reads(&self, original: &Outcome, other: &Outcome) -> impl Iterator<Item = InstanceId> {
        let others: BTreeMap<InstanceId, Value> = other.reads.iter().copied().collect();
        let wrong = move |(id, read): &(InstanceId, Value)| read.is_some() && others.get(id).is_some_and(|r| r != read);
        original.reads.clone().into_iter().filter(wrong).map(|(id, _)| id)
    }

    /// The elements whose final value may be observed, with their values.
    fn observable<'o>(&'o self, outcome: &'o Outcome) -> impl Iterator<Item = (ElementId, Value)> + 'o {
        outcome.memory.iter().copied().enumerate().filter(|(element, _)| self.elements[*element].live_out)
    }
}
