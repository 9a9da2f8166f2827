//! What is known of the affine forms on an edge, and what that says about rows of a schedule.

use crate::schedule::error::{Error, Result};
use crate::schedule::farkas::{Coefficients, Of, Points};
use crate::schedule::graph::{Edge, Graph, Statement};
use crate::schedule::strategy::Strategy;
use std::cell::OnceCell;
use std::rc::Rc;

impl Coefficients {
    /// The form, over `[constant, parameters.., in.., out..]`, is not negative on the points.
    pub fn admits(&self, form: &[i64]) -> bool {
        let value = |row: &Vec<i64>| row.iter().zip(form).map(|(&a, &b)| i128::from(a) * i128::from(b)).sum::<i128>();
        self.equalities.iter().all(|row| value(row) == 0) && self.inequalities.iter().all(|row| value(row) >= 0)
    }
}

impl Edge {
    /// The pairs by generators.
    pub fn points(&self) -> Result<Rc<Points>> {
        filled(&self.cache.points, || Points::of(&self.map))
    }

    /// Coefficients of forms on the pairs; for an edge from a node to itself, on the differences.
    pub fn exact(&self) -> Result<Rc<Coefficients>> {
        let of = if self.is_loop() { Of::Differences } else { Of::Pairs };
        filled(&self.cache.exact, || self.points()?.coefficients(of))
    }

    /// The same for constraints without parameters on an edge from a node to itself: those bounds on the differences
    /// are left out that only coalescing schedules use (7.5.5).
    pub fn relaxed(&self, statement: &Statement, strategy: &Strategy) -> Result<Rc<Coefficients>> {
        if !strategy.treat_coalescing {
            return self.exact();
        }
        filled(&self.cache.relaxed, || self.points()?.coefficients(Of::BoundedDifferences(&statement.sizes)))
    }

    /// The distance from source to target in row `row` of the schedule, as a form over `[constant, parameters.., in..,
    /// out..]`; for an edge from a node to itself, over `[constant, parameters.., difference..]`.
    pub fn distance(&self, graph: &Graph, row: usize) -> Result<Vec<i64>> {
        self.distance_between(graph, &graph.nodes[self.source].rows()[row], &graph.nodes[self.target].rows()[row])
    }

    /// The same for any row of the source and of the target.
    pub fn distance_between(&self, graph: &Graph, from: &[i64], to: &[i64]) -> Result<Vec<i64>> {
        let (source, target) = (&graph.nodes[self.source], &graph.nodes[self.target]);
        let fixed = 1 + graph.parameters;
        if self.is_loop() {
            let mut form = vec![0; fixed];
            form.extend_from_slice(target.linear(to));
            return Ok(form);
        }
        let mut form = Vec::with_capacity(fixed + source.variables() + target.variables());
        for (a, b) in to[..fixed].iter().zip(&from[..fixed]) {
            form.push(a.checked_sub(*b).ok_or(Error::Overflow)?);
        }
        for a in source.linear(from) {
            form.push(a.checked_neg().ok_or(Error::Overflow)?);
        }
        form.extend_from_slice(target.linear(to));
        Ok(form)
    }
}

/// The value of a cell, computed if it is not there.
fn filled<T>(cell: &OnceCell<Rc<T>>, compute: impl FnOnce() -> Result<T>) -> Result<Rc<T>> {
    match cell.get() {
        Some(value) => Ok(value.clone()),
        None => {
            let value = Rc::new(compute()?);
            // Just seen to be empty.
            let _ = cell.set(value.clone());
            Ok(value)
        }
    }
}
