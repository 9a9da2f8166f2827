//! The linear problem of a level: what rows may be made of is known, how long they are and how far they are shifted is
//! not (Acharya et al. 2018, "scaling and shifting").
//!
//! | columns | what |
//! |---|---|
//! | one for each of the terms, in their order; `bound-parameters` have one for each parameter | what is made least |
//! | with `bound-sum`: `m_i⁻, m_i⁺` for each parameter | the bound on distances |
//! | for each node: `c_x` of each variable of its [`Shape`]; with parametric shifts `c_n`; `c_0` | its row |
//!
//! The column of a coefficient that is at least one has it less one. A coefficient that is zero has no column, so that
//! there are about two for each statement. Everything asked of rows is homogeneous in all their entries, but for the
//! coefficients that are at least one; so a rational solution times a common denominator is a solution.

use crate::ilp::{Outcome, Point, Solver};
use crate::isl::Ctx;
use crate::schedule::band::ask::Ask;
use crate::schedule::band::columns::columns_of;
use crate::schedule::error::{Error, Result};
use crate::schedule::graph::{Edge, Graph};
use crate::schedule::phases::{Phase, enter};
use crate::schedule::strategy::{Formulation, Term};
use crate::schedule::work::counted;
use num_bigint::BigInt;
use std::collections::BTreeSet;

/// What the row of a node may be made of.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Shape {
    /// The variable whose coefficient is at least one.
    pub chosen: Option<usize>,
    /// The variables whose coefficients may be more than zero, the chosen one among them.
    pub open: Vec<bool>,
}

impl Shape {
    /// One variable alone.
    pub fn of(variable: usize, variables: usize) -> Shape {
        Shape { chosen: Some(variable), open: (0..variables).map(|other| other == variable).collect() }
    }

    /// Any variables, or with `none` of them a constant.
    pub fn free(variables: usize, none: bool) -> Shape {
        Shape { chosen: None, open: vec![!none; variables] }
    }
}

/// Where the entries of a node's row are.
#[derive(Debug)]
struct Columns {
    chosen: Option<usize>,
    variables: Vec<Option<usize>>,
    /// The first of the parameters' coefficients, if there are any.
    parameters: Option<usize>,
    constant: usize,
}

/// A sum of columns with coefficients, each column at most once, and a constant.
type Sum = (i64, Vec<(usize, i64)>);

/// The problem of a level.
#[derive(Debug)]
pub struct Problem {
    solver: Solver,
    parameters: usize,
    terms: Vec<(Term, usize)>,
    /// The first column of a signed bound's coefficients.
    slopes: Option<usize>,
    /// None: the node takes no part.
    nodes: Vec<Option<Columns>>,
    /// For each row of the solver, the edge whose validity it states, if it is between distinct nodes.
    owners: Vec<Option<usize>>,
    seen: BTreeSet<Sum>,
}

/// A solution: entry `i` of the row of a node is `numerators[i]` over the denominator.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Solution {
    /// `[constant, parameters.., variables..]` for each node, times the denominator.
    pub numerators: Vec<Vec<BigInt>>,
    /// Positive.
    pub denominator: BigInt,
    /// What the terms come to, times the denominator.
    pub values: Vec<(Term, Vec<BigInt>)>,
}

impl Problem {
    /// The problem of nodes with a shape, and of the edges with a flag among them, for some terms of a formulation.
    ///
    /// # Errors
    /// [`Error::Overflow`], and those of finding coefficients.
    pub fn new(
        graph: &Graph,
        shapes: &[Option<Shape>],
        edges: &[usize],
        (formulation, terms): (&Formulation, &[Term]),
    ) -> Result<Problem> {
        let _phase = enter(Phase::Problem);
        let mut problem = Problem::with_columns(graph, shapes, formulation.parametric, terms);
        problem.add_objectives(graph)?;
        for &index in edges {
            let edge = &graph.edges[index];
            let owner = (edge.kinds.validity && !edge.is_loop()).then_some(index);
            if edge.kinds.validity || edge.local {
                problem.ask(graph, edge, Ask::NonNegative, owner)?;
            }
            if edge.local {
                problem.ask(graph, edge, Ask::NonPositive, None)?;
            } else if edge.is_near(formulation) && problem.of(Term::BoundConstant).is_some() {
                problem.ask(graph, edge, Ask::Bounded, None)?;
                if !edge.kinds.validity {
                    problem.ask(graph, edge, Ask::BoundedBelow, None)?;
                }
            }
        }
        Ok(problem)
    }

    fn with_columns(graph: &Graph, shapes: &[Option<Shape>], parametric: bool, terms: &[Term]) -> Problem {
        let parameters = graph.parameters;
        let mut total = 0;
        let mut take = |count: usize| {
            total += count;
            total - count
        };
        let terms: Vec<(Term, usize)> = terms.iter().map(|&term| (term, take(columns_of(term, parameters)))).collect();
        let slopes = terms.iter().any(|(term, _)| *term == Term::BoundSum).then(|| take(2 * parameters));
        let mut nodes = Vec::with_capacity(shapes.len());
        for shape in shapes {
            nodes.push(shape.as_ref().map(|shape| Columns {
                chosen: shape.chosen,
                variables: shape.open.iter().map(|open| open.then(|| take(1))).collect(),
                parameters: parametric.then(|| take(parameters)),
                constant: take(1),
            }));
        }
        let (owners, seen) = (Vec::new(), BTreeSet::new());
        Problem { solver: Solver::new(total), parameters, terms, slopes, nodes, owners, seen }
    }

    /// The first column of a term.
    fn of(&self, wanted: Term) -> Option<usize> {
        self.terms.iter().find(|(term, _)| *term == wanted).map(|(_, column)| *column)
    }

    /// The terms that are sums of others.
    fn add_objectives(&mut self, graph: &Graph) -> Result<()> {
        for (term, sum) in self.terms.clone() {
            let mut all: Sum = (0, vec![(sum, -1)]);
            match term {
                Term::BoundSum => {
                    let first = self.slopes.unwrap_or_default();
                    all.1.extend((first..first + 2 * self.parameters).map(|column| (column, 1)));
                }
                Term::ParameterCoefficients => {
                    let first = self.nodes.iter().flatten().filter_map(|columns| columns.parameters);
                    all.1.extend(first.flat_map(|first| (first..first + self.parameters).map(|column| (column, 1))));
                }
                Term::VariableCoefficients | Term::RowCoefficients | Term::StrideCoefficients => {
                    for (columns, node) in self.nodes.iter().zip(&graph.nodes) {
                        let Some(columns) = columns else { continue };
                        for variable in 0..node.variables() {
                            let count = node.statement.contiguity.count(term, variable);
                            columns.add_variable(&mut all, variable, count)?;
                        }
                    }
                }
                _ => continue,
            }
            all.1.sort_unstable();
            self.solver.add_eq_sparse(all.0, &all.1);
            self.owners.push(None);
        }
        Ok(())
    }

    /// Adds what is asked of an edge's distance, a row for each row of its coefficients.
    fn ask(&mut self, graph: &Graph, edge: &Edge, ask: Ask, owner: Option<usize>) -> Result<()> {
        let coefficients = edge.exact()?;
        for (rows, equal) in [(&coefficients.equalities, true), (&coefficients.inequalities, false)] {
            for row in rows {
                let sum = self.substituted(graph, edge, row, ask)?;
                let holds = sum.1.is_empty() && (sum.0 == 0 || sum.0 > 0 && !equal);
                if holds || !equal && self.seen.contains(&sum) {
                    continue;
                }
                if equal {
                    self.solver.add_eq_sparse(sum.0, &sum.1);
                } else {
                    self.solver.add_ge_sparse(sum.0, &sum.1);
                    self.seen.insert(sum);
                }
                self.owners.push(owner);
            }
        }
        Ok(())
    }

    /// A row over coefficients of forms on an edge, of the form that is asked not to be negative.
    fn substituted(&self, graph: &Graph, edge: &Edge, row: &[i64], ask: Ask) -> Result<Sum> {
        let (sign, bounded) = ask.form();
        let (fixed, variables) = row.split_at(1 + self.parameters);
        let mut sum: Sum = (0, Vec::new());
        let mut add_ends = |index: usize, factors: &[i64], sign: i64| {
            let Some(columns) = &self.nodes[index] else { return Ok(()) };
            for (variable, factor) in factors.iter().enumerate() {
                columns.add_variable(&mut sum, variable, sign * factor)?;
            }
            if !edge.is_loop() {
                let parameters = columns.parameters.iter().flat_map(|first| *first..);
                sum.1.extend(parameters.zip(&fixed[1..]).map(|(column, factor)| (column, sign * factor)));
                sum.1.push((columns.constant, sign * fixed[0]));
            }
            Ok::<(), Error>(())
        };
        if edge.is_loop() {
            add_ends(edge.target, variables, sign)?;
        } else {
            let (of_source, of_target) = variables.split_at(graph.nodes[edge.source].variables());
            add_ends(edge.source, of_source, -sign)?;
            add_ends(edge.target, of_target, sign)?;
        }
        if bounded {
            self.add_bound(&mut sum, fixed);
        }
        sum.1.retain(|(_, factor)| *factor != 0);
        sum.1.sort_unstable();
        Ok(sum)
    }

    /// Adds the bound on distances, for the constant and the parameters of a row.
    fn add_bound(&self, sum: &mut Sum, fixed: &[i64]) {
        sum.1.extend(self.of(Term::BoundConstant).map(|column| (column, fixed[0])));
        for (i, &factor) in fixed[1..].iter().enumerate() {
            match (self.slopes, self.of(Term::BoundParameters)) {
                (Some(first), _) => sum.1.extend([(first + 2 * i, -factor), (first + 2 * i + 1, factor)]),
                (None, Some(first)) => sum.1.push((first + i, factor)),
                (None, None) => {}
            }
        }
    }

    /// The best rows; none where there are none.
    ///
    /// # Errors
    /// [`Error::Budget`].
    pub fn solve(&mut self, ctx: &Ctx) -> Result<Option<Solution>> {
        let _phase = enter(Phase::Ilp);
        let solver = &mut self.solver;
        match counted(ctx, |budget| solver.lexmin_rational(budget)) {
            Outcome::Optimal(point) => Ok(Some(self.solution(&point))),
            Outcome::Infeasible => Ok(None),
            Outcome::Budget => Err(Error::Budget),
        }
    }

    /// After a search that found nothing: an edge between distinct nodes that is in the way, for which a predicate
    /// holds.
    pub fn conflict(&self, is_wanted: impl Fn(usize) -> bool) -> Option<usize> {
        let edge = |row: crate::ilp::RowId| self.owners.get(row.0 as usize).copied().flatten();
        self.solver.conflict().into_iter().filter_map(edge).find(|edge| is_wanted(*edge))
    }

    fn solution(&self, point: &Point) -> Solution {
        let zero = BigInt::ZERO;
        let at = |column: Option<usize>| column.map_or_else(|| zero.clone(), |column| point.numerators[column].clone());
        let row = |columns: &Columns| {
            let mut row = vec![at(Some(columns.constant))];
            row.extend((0..self.parameters).map(|i| at(columns.parameters.map(|first| first + i))));
            row.extend(columns.variables.iter().enumerate().map(|(variable, column)| {
                let less = at(*column);
                if columns.chosen == Some(variable) { less + &point.denominator } else { less }
            }));
            row
        };
        let numerators = self.nodes.iter().map(|columns| columns.as_ref().map(row).unwrap_or_default()).collect();
        Solution { numerators, denominator: point.denominator.clone(), values: self.values_at(point) }
    }

    /// What the terms come to at a point, times its denominator.
    fn values_at(&self, point: &Point) -> Vec<(Term, Vec<BigInt>)> {
        let of = |&(term, first): &(Term, usize)| {
            (term, point.numerators[first..first + columns_of(term, self.parameters)].to_vec())
        };
        self.terms.iter().map(of).filter(|(_, values)| !values.is_empty()).collect()
    }
}

impl Columns {
    /// Adds a multiple of a variable's coefficient.
    fn add_variable(&self, sum: &mut Sum, variable: usize, factor: i64) -> Result<()> {
        if let Some(column) = self.variables[variable] {
            sum.1.push((column, factor));
        }
        if self.chosen == Some(variable) {
            sum.0 = sum.0.checked_add(factor).ok_or(Error::Overflow)?;
        }
        Ok(())
    }
}
