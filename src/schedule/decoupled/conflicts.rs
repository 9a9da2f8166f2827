//! The fusion conflict graph (Acharya et al. 2018, 2020): which loops of statements cannot be at the same level of a
//! permutable band.
//!
//! A vertex is a loop of a statement, or for a statement that can do without one at this level, whatever it has there
//! ([`Choice::Free`]). A vertex by itself conflicts where the order of its own statement forbids it as an outermost
//! loop; vertices of two statements do where no scaling and no shifts of them respect what is between the two, all
//! other loops left out. Loops of one statement always do: a level has one of each.
//!
//! Answers are found when they are asked for, and kept. Where two loops as they are respect all edges no linear problem
//! is solved, and none for statements without an edge between them.

use crate::isl::Ctx;
use crate::schedule::band::conditions::is_zero;
use crate::schedule::decoupled::problem::{Problem, Shape};
use crate::schedule::error::Result;
use crate::schedule::farkas::Coefficients;
use crate::schedule::graph::{Edge, Graph, Row};
use crate::schedule::strategy::Formulation;
use std::collections::BTreeMap;

/// What a statement has at a level.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Choice {
    /// A loop, by its variable.
    Loop(usize),
    /// No loop of its own: what the others leave it, perhaps a constant.
    Free,
}

/// The conflicts of a graph of statements, whose edges stay as they are.
#[derive(Debug)]
pub struct Conflicts<'s> {
    formulation: &'s Formulation,
    /// Edges by their ends, the smaller first.
    edges: BTreeMap<(usize, usize), Vec<usize>>,
    /// The nodes that have edges with a node.
    neighbours: Vec<Vec<usize>>,
    known: BTreeMap<[(usize, Choice); 2], bool>,
    /// How many linear problems were solved.
    pub solved: usize,
}

impl<'s> Conflicts<'s> {
    /// Nothing is asked yet.
    pub fn new(graph: &Graph, formulation: &'s Formulation) -> Conflicts<'s> {
        let mut edges: BTreeMap<(usize, usize), Vec<usize>> = BTreeMap::new();
        let mut neighbours = vec![Vec::new(); graph.nodes.len()];
        for (index, edge) in graph.edges.iter().enumerate() {
            let (first, last) = (edge.source.min(edge.target), edge.source.max(edge.target));
            let between = edges.entry((first, last)).or_default();
            if between.is_empty() && first != last {
                neighbours[first].push(last);
                neighbours[last].push(first);
            }
            between.push(index);
        }
        Conflicts { formulation, edges, neighbours, known: BTreeMap::new(), solved: 0 }
    }

    /// The pairs of an edge are near for the problem that is solved.
    pub fn is_near(&self, edge: &Edge) -> bool {
        edge.is_near(self.formulation)
    }

    /// The edges between two nodes, or of a node with itself.
    pub fn between(&self, one: usize, other: usize) -> &[usize] {
        self.edges.get(&(one.min(other), one.max(other))).map_or(&[], Vec::as_slice)
    }

    /// The nodes that have edges with a node.
    pub fn neighbours(&self, node: usize) -> &[usize] {
        &self.neighbours[node]
    }

    /// What a choice makes the row of a node of.
    pub fn shape(&self, graph: &Graph, node: usize, choice: Choice) -> Shape {
        let variables = graph.nodes[node].variables();
        match choice {
            Choice::Loop(variable) => Shape::of(variable, variables),
            Choice::Free => Shape::free(variables, !self.formulation.skew),
        }
    }

    /// A choice cannot be an outermost one of its own statement.
    ///
    /// # Errors
    /// Those of finding coefficients.
    pub fn is_alone(&self, graph: &Graph, node: usize, choice: Choice) -> Result<bool> {
        // A constant always can.
        let Choice::Loop(variable) = choice else { return Ok(false) };
        let row = unit(graph, node, variable);
        Ok(!admitted(graph, self.between(node, node), |_| &row)?)
    }

    /// Choices of two nodes conflict.
    ///
    /// # Errors
    /// [`crate::schedule::Error::Budget`], and those of finding coefficients.
    pub fn conflict(&mut self, graph: &Graph, one: (usize, Choice), other: (usize, Choice), ctx: &Ctx) -> Result<bool> {
        let pair = [one.min(other), one.max(other)];
        // Nodes that have constants can have the same.
        if self.between(one.0, other.0).is_empty() || one.1 == Choice::Free && other.1 == Choice::Free {
            return Ok(false);
        }
        if let Some(known) = self.known.get(&pair) {
            return Ok(*known);
        }
        let conflict = self.find_conflict(graph, pair, ctx)?;
        self.known.insert(pair, conflict);
        Ok(conflict)
    }

    fn find_conflict(&mut self, graph: &Graph, pair: [(usize, Choice); 2], ctx: &Ctx) -> Result<bool> {
        let [first, last] = pair.map(|(node, _)| node);
        if let [Choice::Loop(one), Choice::Loop(other)] = pair.map(|(_, choice)| choice) {
            let rows = [unit(graph, first, one), unit(graph, last, other)];
            if admitted(graph, self.between(first, last), |node| &rows[usize::from(node == last)])? {
                return Ok(false);
            }
        }
        let mut edges = self.between(first, last).to_vec();
        let mut shapes = vec![None; graph.nodes.len()];
        for (node, choice) in pair {
            shapes[node] = Some(self.shape(graph, node, choice));
            // A loop by itself was looked at, and can be scaled.
            if choice == Choice::Free {
                edges.extend_from_slice(self.between(node, node));
            }
        }
        self.solved += 1;
        let mut problem = Problem::new(graph, &shapes, &edges, (self.formulation, &[]))?;
        Ok(problem.solve(ctx)?.is_none())
    }
}

/// The row that is a variable.
pub fn unit(graph: &Graph, node: usize, variable: usize) -> Row {
    let mut row = vec![0; 1 + graph.parameters + graph.nodes[node].variables()];
    row[1 + graph.parameters + variable] = 1;
    row
}

/// Rows of nodes respect the order over some edges.
///
/// # Errors
/// [`crate::schedule::Error::Overflow`], and those of finding coefficients.
pub fn admitted<'r>(graph: &Graph, edges: &[usize], row: impl Fn(usize) -> &'r Row) -> Result<bool> {
    for edge in edges.iter().map(|edge| &graph.edges[*edge]).filter(|edge| binds(edge)) {
        let distance = edge.distance_between(graph, row(edge.source), row(edge.target))?;
        let coefficients = edge.exact()?;
        if !(if edge.local { is_zero(&coefficients, &distance)? } else { coefficients.admits(&distance) }) {
            return Ok(false);
        }
    }
    Ok(true)
}

/// Not all rows are right for an edge.
pub fn binds(edge: &Edge) -> bool {
    edge.kinds.validity || edge.local
}

/// The distance, as [`Edge::distance_between`] gives it, is the same up to a constant on all pairs, however large.
pub fn is_bounded(coefficients: &Coefficients, distance: &[i64]) -> bool {
    let value = |row: &Vec<i64>| row.iter().zip(distance).map(|(&a, &b)| i128::from(a) * i128::from(b)).sum::<i128>();
    let mut directions =
        coefficients.equalities.iter().chain(&coefficients.inequalities).filter(|generator| generator[0] == 0);
    directions.all(|direction| value(direction) == 0)
}
