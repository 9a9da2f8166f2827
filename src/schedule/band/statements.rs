//! What the nodes of a band's graph stand for.

use crate::schedule::band::conditions;
use crate::schedule::band::proximity;
use crate::schedule::band::registers;
use crate::schedule::error::Result;
use crate::schedule::explain::{name, names};
use crate::schedule::graph::{Graph, Row};

/// What the members of a band mean for the statements that they schedule.
pub trait Statements {
    /// Looks at the last member, and makes conditions local as [`conditions::make_local`] does.
    fn make_local(&mut self, graph: &mut Graph) -> Result<Vec<(String, String)>>;
    /// Marks the last member as [`conditions::mark_coincident`] does.
    fn mark_coincident(&mut self, graph: &mut Graph) -> Result<()>;
    /// The groups of references in the order of their importance for the next member ([`proximity::order`]).
    fn order(&mut self, graph: &Graph) -> Result<Vec<usize>>;
    /// The number of members outside of the next one.
    fn depth(&self, graph: &Graph) -> usize;
    /// Which nodes have a coincident member already.
    fn are_parallel(&self, graph: &Graph) -> Vec<bool>;
    /// The registers that the references would take; none where nodes are no statements, but have been scheduled.
    fn register_estimate(&self, _graph: &Graph) -> Option<i64> {
        None
    }
    /// The array of a group of references.
    fn array(&self, graph: &Graph, group: usize) -> Option<String>;
    /// The names of all statements.
    fn all(&self, graph: &Graph) -> Vec<String>;
    /// The coefficient of a statement's loop ([`crate::schedule::graph::Node::coefficient`]), as a form over the row of
    /// the node that stands for it. None: there is no such statement or loop.
    fn coefficient(&self, graph: &Graph, statement: &str, of: &str) -> Result<Option<(usize, Row)>>;
    /// The node that stands for a statement, and how many members the statement itself needs still.
    fn missing(&mut self, graph: &Graph, statement: &str) -> Result<Option<(usize, usize)>>;
    /// The names of the statements that a node stands for.
    fn name(&self, graph: &Graph, node: usize) -> String;
}

/// The nodes are the statements.
pub struct Own;

impl Statements for Own {
    fn make_local(&mut self, graph: &mut Graph) -> Result<Vec<(String, String)>> {
        conditions::make_local(graph)
    }

    fn mark_coincident(&mut self, graph: &mut Graph) -> Result<()> {
        conditions::mark_coincident(graph)
    }

    fn order(&mut self, graph: &Graph) -> Result<Vec<usize>> {
        proximity::order(graph)
    }

    fn depth(&self, graph: &Graph) -> usize {
        graph.rows()
    }

    fn are_parallel(&self, graph: &Graph) -> Vec<bool> {
        graph.nodes.iter().map(|node| node.is_parallel(&graph.coincident)).collect()
    }

    fn register_estimate(&self, graph: &Graph) -> Option<i64> {
        Some(registers::estimate(graph))
    }

    fn array(&self, graph: &Graph, group: usize) -> Option<String> {
        graph.array(group)
    }

    fn all(&self, graph: &Graph) -> Vec<String> {
        names(graph)
    }

    fn coefficient(&self, graph: &Graph, statement: &str, of: &str) -> Result<Option<(usize, Row)>> {
        let Some(node) = graph.find(statement)? else { return Ok(None) };
        Ok(graph.nodes[node].coefficient(of)?.map(|form| (node, form)))
    }

    fn missing(&mut self, graph: &Graph, statement: &str) -> Result<Option<(usize, usize)>> {
        Ok(graph.find(statement)?.map(|node| (node, graph.nodes[node].missing())))
    }

    fn name(&self, graph: &Graph, node: usize) -> String {
        name(graph, node)
    }
}
