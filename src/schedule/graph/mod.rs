//! The schedule constraint graph: statements, and the constraints between their instances.
//!
//! All relations are on the statements' compressed spaces (ppcg report, section 7.2), so nothing below deals with
//! instances outside the affine hull of a domain. Parts of a graph are graphs of their own; statements and cached
//! coefficients are shared.
//!
//! | file | what |
//! |---|---|
//! | `build.rs` | from schedule constraints to the graph |
//! | `components.rs` | weakly and strongly connected components (6.1) |
//! | `compress.rs` | domain compression (7.2) |
//! | `sizes.rs` | extents of domains, and bounds on coefficients that follow (7.5) |
//! | `gist.rs` | relations without what their context says |
//! | `named.rs` | statements and their loops by name |
//! | `independent_factors.rs` | conjunctions that fall apart |
//! | `independence.rs` | linear independence of a statement's rows (6.5.6) |
//! | `prefix.rs` | rows of loops that are there already |
//! | `references.rs` | groups of references (unified report, 4.5) |
//! | `contiguity.rs` | how much loops should be inside of others |

pub(in crate::schedule) mod build;
pub(in crate::schedule) mod components;
pub(in crate::schedule) mod compress;
pub(in crate::schedule) mod contiguity;
pub(in crate::schedule) mod gist;
pub(in crate::schedule) mod independence;
pub(in crate::schedule) mod independent_factors;
mod named;
pub(in crate::schedule) mod prefix;
pub(in crate::schedule) mod references;
pub(in crate::schedule) mod sizes;

use crate::isl::{DimType, Map, MultiAff, PwMultiAff, Set, Space};
use crate::schedule::error::Result;
use crate::schedule::farkas::{Coefficients, Points};
use crate::schedule::graph::contiguity::Contiguity;
use crate::schedule::graph::independence::Independence;
use crate::schedule::strategy::{Formulation, Near};
use std::cell::OnceCell;
use std::collections::BTreeSet;
use std::rc::Rc;

/// A row of a schedule: `[constant, parameters.., variables..]` over a statement's compressed space.
pub type Row = Vec<i64>;

/// The functions between a statement's instances and its compressed space.
#[derive(Debug, Clone)]
pub struct Compression {
    /// `{ S[i] -> C[x] }`
    pub compress: MultiAff,
    /// `{ C[x] -> S[i] }`
    pub expand: PwMultiAff,
}

/// A statement, or what stands for one: all that does not change while it is scheduled.
#[derive(Debug, Clone)]
pub struct Statement {
    /// The space of the instances: `{ S[i] }`.
    pub space: Space,
    /// The instances, compressed: `{ C[x] }`, or `{ S[i] }` without compression.
    pub domain: Set,
    /// How the instances were compressed, if they were.
    pub compression: Option<Compression>,
    /// The number of compressed variables.
    pub variables: usize,
    /// The size of the compressed instances in each direction, other variables fixed; `None` where there is no bound
    /// (7.5.2). Empty unless coalescing is avoided.
    pub sizes: Vec<Option<i64>>,
    /// How large the coefficient of each compressed variable may be in size; `None` without limit (7.5.3). Empty: no
    /// limits.
    pub limits: Vec<Option<i64>>,
    /// The groups of references, if the strategy looks at them.
    pub references: Vec<References>,
    /// How much each compressed variable should be in inner members, by these.
    pub contiguity: Contiguity,
}

impl Statement {
    /// A statement that is not compressed, without limits.
    pub fn plain(domain: Set) -> Result<Statement> {
        let space = domain.space()?;
        let variables = space.dim(DimType::SET)?;
        Ok(Statement {
            space,
            domain,
            compression: None,
            variables,
            sizes: Vec::new(),
            limits: Vec::new(),
            references: Vec::new(),
            contiguity: Contiguity::default(),
        })
    }
}

/// A statement with the part of its schedule that is known.
#[derive(Debug, Clone)]
pub struct Node {
    /// The statement.
    pub statement: Rc<Statement>,
    /// The number of parameters.
    pub parameters: usize,
    rows: Vec<Row>,
    independence: Rc<Independence>,
}

impl Node {
    /// A statement that is not scheduled at all.
    pub fn new(statement: Rc<Statement>, parameters: usize) -> Result<Node> {
        let independence = Rc::new(Independence::of(std::iter::empty(), statement.variables)?);
        Ok(Node { statement, parameters, rows: Vec::new(), independence })
    }

    /// The number of compressed variables.
    pub fn variables(&self) -> usize {
        self.statement.variables
    }

    /// The rows found so far, those of outer bands first.
    pub fn rows(&self) -> &[Row] {
        &self.rows
    }

    /// Rank of the rows, and forms that are zero on combinations of them.
    pub fn independence(&self) -> &Independence {
        &self.independence
    }

    /// The coefficients of the variables in a row.
    pub fn linear<'r>(&self, row: &'r [i64]) -> &'r [i64] {
        &row[1 + self.parameters..]
    }

    /// Some coincident row depends on the variables, or there are none.
    pub fn is_parallel(&self, coincident: &[bool]) -> bool {
        let nonzero = |row: &Row| self.linear(row).iter().any(|a| *a != 0);
        self.variables() == 0 || self.rows.iter().zip(coincident).any(|(row, coincident)| *coincident && nonzero(row))
    }

    /// Appends a row.
    pub fn push_row(&mut self, row: Row) -> Result<()> {
        debug_assert_eq!(row.len(), 1 + self.parameters + self.variables(), "the row's length");
        self.rows.push(row);
        self.update()
    }

    /// Keeps the first rows.
    pub fn truncate_rows(&mut self, rows: usize) -> Result<()> {
        self.rows.truncate(rows);
        self.update()
    }

    fn update(&mut self) -> Result<()> {
        let linear = self.rows.iter().map(|row| &row[1 + self.parameters..]);
        self.independence = Rc::new(Independence::of(linear, self.statement.variables)?);
        Ok(())
    }
}

/// What a relation between instances asks for (4.2). One relation can be several.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Kinds {
    /// The second instance not before the first.
    pub validity: bool,
    /// Both together, if possible.
    pub coincidence: bool,
    /// When its ends are apart, adjacent conditioned constraints must hold.
    pub condition: bool,
    /// Must hold when an adjacent condition does.
    pub conditioned: bool,
    /// Both close to each other.
    pub proximity: bool,
    /// Both close to each other in memory (unified report, 4.2).
    pub spatial: bool,
}

impl Kinds {
    /// What either asks for.
    pub fn union(self, other: Kinds) -> Kinds {
        Kinds {
            validity: self.validity || other.validity,
            coincidence: self.coincidence || other.coincidence,
            condition: self.condition || other.condition,
            conditioned: self.conditioned || other.conditioned,
            proximity: self.proximity || other.proximity,
            spatial: self.spatial || other.spatial,
        }
    }

    /// Some locality is gained if both are together.
    pub fn attracts(self) -> bool {
        self.proximity || self.spatial
    }

    /// Order matters, perhaps under a condition.
    pub fn orders(self) -> bool {
        self.validity || self.conditioned
    }
}

/// A relation of groups of references that are alike (unified report, 4.4); ordered by importance where groups are.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct ProximityRelation {
    /// What the groups have in common ([`crate::proximity::ReferenceGroup::alike`]).
    pub group: usize,
    /// The pairs are near in memory, not in time.
    pub spatial: bool,
}

/// What is known of the references of a group, all in one statement (unified report, 4.5).
#[derive(Debug, Clone)]
pub struct References {
    /// What it has in common with groups of other statements ([`crate::proximity::ReferenceGroup::alike`]).
    pub group: usize,
    /// The array.
    pub array: String,
    /// How many references there are.
    pub multiplicity: usize,
    /// The coefficients of the compressed variables in each subscript.
    pub subscripts: Vec<Vec<i64>>,
    /// The compressed variables that go from element to element along rows.
    pub along_rows: Vec<bool>,
    /// For each compressed variable, the last subscript that it is in, counted from 1; zero: it is in none.
    pub last_subscript: Vec<i64>,
    /// How often each of them counts ([`crate::schedule::Weights::of_array`]).
    pub weight: i64,
    /// What they touch, as numbers ([`crate::proximity::ReferenceGroup::distinct`]).
    pub distinct: BTreeSet<usize>,
}

/// Constraints between the instances of two nodes, which may be one.
#[derive(Debug, Clone)]
pub struct Edge {
    /// Index of the node with the first instances.
    pub source: usize,
    /// Index of the node with the second instances.
    pub target: usize,
    /// `{ C[x] -> D[y] }`
    pub map: Map,
    /// What the pairs ask for.
    pub kinds: Kinds,
    /// The pairs as conditions, one for each pair of tags: `{ [C[x] -> D[y]] -> [R[] -> Q[]] }`.
    pub conditions: Vec<Map>,
    /// The pairs as conditioned validity, one for each pair of tags: `{ [C[x] -> D[y]] -> [R[] -> Q[]] }`.
    pub conditioned: Vec<Map>,
    /// A condition whose ends must stay together in the band that is being computed (6.5.4).
    pub local: bool,
    /// The relations of groups that the pairs belong to.
    pub proximity: Vec<ProximityRelation>,
    /// The choices of problems that the pairs belong to, if they are near ([`Formulation::near`]).
    pub near: BTreeSet<Near>,
    /// What their distance counts for, in a sum of distances ([`crate::schedule::Term::WeightedDistances`]).
    pub weight: i64,
    /// Coefficients of affine forms on `map`.
    pub cache: Rc<Cache>,
}

/// Valid coefficients for the pairs of an edge, computed when first needed; the copies of an edge in parts of its graph
/// share them.
#[derive(Debug, Clone, Default)]
pub struct Cache {
    /// The pairs by generators, for all that follow.
    pub points: OnceCell<Rc<Points>>,
    /// Of forms on pairs, or on differences for an edge from a node to itself.
    pub exact: OnceCell<Rc<Coefficients>>,
    /// The same, parameters projected out and bounds dropped that only coalescing schedules use (7.5.5). Only on
    /// differences.
    pub relaxed: OnceCell<Rc<Coefficients>>,
}

impl Cache {
    /// Nothing but the points is known, if they are.
    pub fn of(points: Option<Points>) -> Cache {
        let points = points.map_or_else(OnceCell::new, |points| OnceCell::from(Rc::new(points)));
        Cache { points, ..Cache::default() }
    }
}

impl Edge {
    /// From a node to itself.
    pub fn is_loop(&self) -> bool {
        self.source == self.target
    }

    /// The pairs are near for a problem.
    pub fn is_near(&self, formulation: &Formulation) -> bool {
        self.kinds.proximity && self.near.contains(&formulation.near)
    }

    /// Replaces the relation and forgets what was known of it.
    pub fn set_map(&mut self, map: Map) {
        self.map = map;
        self.cache = Rc::default();
    }
}

/// Statements and constraints, with the number of schedule rows so far.
#[derive(Debug, Clone)]
pub struct Graph {
    /// The parameters of all spaces.
    pub parameters: usize,
    /// The statements.
    pub nodes: Vec<Node>,
    /// The constraints; none is obviously empty.
    pub edges: Vec<Edge>,
    /// Which rows are coincident, one flag a row; the nodes have the same number of rows.
    pub coincident: Vec<bool>,
    /// The first row of the band that is being computed.
    pub band_start: usize,
    /// The rows that count as independent: steps of Feautrier's algorithm that are trivial for a node do not.
    pub independent: usize,
    /// The value of `independent` at which the schedule is complete; see [`Graph::set_target`].
    pub target: usize,
}

impl Graph {
    /// Nothing is scheduled yet.
    pub fn new(parameters: usize, nodes: Vec<Node>, edges: Vec<Edge>) -> Graph {
        let mut graph =
            Graph { parameters, nodes, edges, coincident: Vec::new(), band_start: 0, independent: 0, target: 0 };
        graph.set_target();
        graph
    }

    /// The statements.
    pub fn statements(&self) -> Vec<Rc<Statement>> {
        self.nodes.iter().map(|node| node.statement.clone()).collect()
    }

    /// The number of rows that each node has.
    pub fn rows(&self) -> usize {
        self.coincident.len()
    }

    /// The band that is being computed has no member yet.
    pub fn band_is_empty(&self) -> bool {
        self.rows() == self.band_start
    }

    /// Sets how many independent rows are needed: for the node that needs most, those that it has not yet (6.5.6). In a
    /// part with lower-dimensional statements only, rows so far that were trivial for all of them are not counted.
    pub fn set_target(&mut self) {
        self.target = self.nodes.iter().map(|node| node.missing() + self.independent).max().unwrap_or(0);
    }

    /// Every node has all the independent rows it needs.
    pub fn is_complete(&self) -> bool {
        self.independent >= self.target
    }

    /// The next row of a node must not be trivial: no slack is left for lower-dimensional statements (6.5.6).
    pub fn needs_row(&self, node: &Node) -> bool {
        node.variables() + self.independent >= self.target + node.independence().rank
    }

    /// Appends a row to each node.
    pub fn push_rows(&mut self, rows: Vec<Row>, coincident: bool) -> Result<()> {
        debug_assert_eq!(rows.len(), self.nodes.len(), "a row for each node");
        for (node, row) in self.nodes.iter_mut().zip(rows) {
            node.push_row(row)?;
        }
        self.coincident.push(coincident);
        self.independent += 1;
        Ok(())
    }

    /// Drops the rows of the band that is being computed.
    pub fn reset_band(&mut self) -> Result<()> {
        self.shorten_band(0)
    }

    /// Drops its rows after the first so many.
    pub fn shorten_band(&mut self, members: usize) -> Result<()> {
        let rows = self.rows().min(self.band_start + members);
        self.independent -= self.rows() - rows;
        self.coincident.truncate(rows);
        for node in &mut self.nodes {
            node.truncate_rows(rows)?;
        }
        Ok(())
    }

    /// No condition has to be local: no member of the band is known yet.
    pub fn forget_local(&mut self) {
        self.edges.iter_mut().for_each(|edge| edge.local = false);
    }

    /// Begins the next band.
    pub fn next_band(&mut self) {
        self.band_start = self.rows();
    }

    /// The nodes of one component, with the edges among them; `of` has the component of each node.
    pub fn component(&self, of: &[usize], component: usize) -> Graph {
        self.part(|node| of[node] == component)
    }

    /// The nodes that satisfy a predicate, with the edges among them.
    pub fn part(&self, keep: impl Fn(usize) -> bool) -> Graph {
        let kept: Vec<usize> = (0..self.nodes.len()).filter(|&node| keep(node)).collect();
        let mut position = vec![None; self.nodes.len()];
        for (new, &old) in kept.iter().enumerate() {
            position[old] = Some(new);
        }
        let edges = self.edges.iter().filter_map(|edge| {
            let (source, target) = (position[edge.source]?, position[edge.target]?);
            Some(Edge { source, target, ..edge.clone() })
        });
        Graph {
            parameters: self.parameters,
            edges: edges.collect(),
            nodes: kept.iter().map(|&node| self.nodes[node].clone()).collect(),
            coincident: self.coincident.clone(),
            band_start: self.band_start,
            independent: self.independent,
            target: self.target,
        }
    }
}
