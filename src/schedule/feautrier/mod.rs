//! A step of Feautrier's algorithm (ppcg report, 6.4): one member that carries as many groups of constraints as
//! possible.
//!
//! Each group `i` has a variable `0 ≤ e_i ≤ 1` with `e_i ≤ f(b) − f(a)` on all its pairs (11), so a group with `e_i =
//! 1` is carried. The rational solution has `e_i` 0 or 1 (Feautrier 1992b, Lemma 5). As a fallback of the band
//! scheduler, an integer solution is asked for when that one is not (6.4.3), and at first only groups of nodes with
//! themselves are carried, while the others hold (7.6); otherwise the numerators over the common denominator are the
//! coefficients. Where a solution coalesces loops, a coefficient is made zero and the search repeated (7.5.4).
//!
//! What a strategy asks of coefficients in all members holds as well. Where that has constants a multiple of a solution may
//! be none, so that an integer solution is asked for from the start.
//!
//! # Columns
//! In the order of their importance (6.4.2):
//!
//! 1. `Σ (1 − e_i)`, over the groups that are to be carried
//! 2. `Σ c_n`, over nodes and parameters
//! 3. `Σ (c_x⁻ + c_x⁺)`, over nodes and variables
//! 4. `e_i` of each group
//! 5. for each node: `c_x⁻, c_x⁺` of each variable, the last variable first; `c_n` of each parameter; `c_0`
//!
//! Nodes are in topological order of their strongly connected components.
//!
//! | file | what |
//! |---|---|
//! | `constraint_groups.rs` | the groups of constraints, and what they impose on coefficients (6.4.2, 6.4.4) |
//! | `explained.rs` | what a step came to, for those who ask |
//! | `unscale.rs` | a common factor taken out of a schedule (7.1) |

pub(in crate::schedule) mod constraint_groups;
pub(in crate::schedule) mod explained;
pub(in crate::schedule) mod unscale;

use crate::ilp::{Outcome, Point, Solver};
use crate::isl::Ctx;
use crate::schedule::band::demand::Form;
use crate::schedule::band::{Own, asked};
use crate::schedule::error::{Error, Result};
use crate::schedule::farkas::coalescing::coalesced;
use crate::schedule::feautrier::constraint_groups::{ConstraintGroup, constraint_groups};
use crate::schedule::feautrier::unscale::unscale;
use crate::schedule::graph::components::Components;
use crate::schedule::graph::{Graph, Node, Row};
use crate::schedule::strategy::Strategy;
use crate::schedule::work::counted;
use num_bigint::BigInt;

/// What a step of the algorithm is for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::schedule) struct Purpose {
    /// It replaces a band that was not found (6.2): coefficients are integers, and self-dependences come first.
    pub fallback: bool,
    /// Pairs that should coincide are carried, too (6.4.4).
    pub coincidence: bool,
}

/// Which groups are to be carried.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::schedule) enum Extent {
    /// Those of nodes with themselves; the others hold (7.6).
    Own,
    /// All of them.
    All,
}

/// What a step came to.
#[derive(Debug, Clone)]
pub(in crate::schedule) struct Carried {
    /// A row for each node.
    pub rows: Vec<Row>,
    /// What these were before a common divisor was taken out of them: the solution times its denominator.
    solved: Vec<Row>,
    /// That divisor, one if there was none (7.1).
    divisor: i64,
    /// What was to be carried.
    extent: Extent,
    /// How many groups that was.
    groups: usize,
    /// What was made least, times the denominator: groups that are not carried, coefficients of parameters, and of variables.
    least: [BigInt; 3],
    /// Positive.
    denominator: BigInt,
}

/// A row for each node that carries some constraints, within what the strategy asks of coefficients in all members.
/// `None`: no row carries any.
///
/// # Errors
/// [`Error::Budget`], [`Error::Overflow`], and isl's.
pub(in crate::schedule) fn carry(
    graph: &Graph,
    components: &Components,
    purpose: Purpose,
    strategy: &Strategy,
    ctx: &Ctx,
) -> Result<Option<Carried>> {
    let groups = constraint_groups(graph, purpose.coincidence)?;
    let (intra, inter) = (&groups.0, &groups.1);
    let with = |extent: Extent| carry_groups(graph, components, (purpose, extent), &groups, strategy, ctx);
    let own_first = purpose.fallback && strategy.carry_self_first && !intra.is_empty();
    let own = if own_first { with(Extent::Own)? } else { None };
    if own.is_some() || own_first && inter.is_empty() || intra.is_empty() && inter.is_empty() {
        return Ok(own);
    }
    with(Extent::All)
}

/// The same for groups of nodes with themselves and of distinct nodes, of which those are carried that the extent says.
fn carry_groups(
    graph: &Graph,
    components: &Components,
    (purpose, extent): (Purpose, Extent),
    (intra, inter): &(Vec<ConstraintGroup>, Vec<ConstraintGroup>),
    strategy: &Strategy,
    ctx: &Ctx,
) -> Result<Option<Carried>> {
    let forms = forms(graph, strategy)?;
    let mut problem = Problem::new(graph, components, intra, inter, extent == Extent::All)?;
    for form in &forms {
        problem.ask_of_coefficients(graph, form)?;
    }
    let Some(point) = problem.solve(graph, purpose, strategy, ctx)? else { return Ok(None) };
    let rows = graph.nodes.iter().enumerate().map(|(index, node)| problem.row(index, node, &point));
    let solved = rows.collect::<Result<Vec<Row>>>()?;
    let (mut rows, mut divisor) = (solved.clone(), 1);
    if strategy.unscale {
        divisor = unscale(&mut rows);
    }
    if divisor > 1 && !forms.iter().all(|form| form.holds(&rows)) {
        (rows, divisor) = (solved.clone(), 1);
    }
    let least = [0, 1, 2].map(|column| point.numerators[column].clone());
    let (groups, denominator) = (problem.carried, point.denominator);
    Ok(Some(Carried { rows, solved, divisor, extent, groups, least, denominator }))
}

/// What the strategy asks of coefficients in all members.
fn forms(graph: &Graph, strategy: &Strategy) -> Result<Vec<Form>> {
    asked::forms(&strategy.constraints, graph, &Own)
}

/// Some node that needs an independent row does not have one in these.
pub(in crate::schedule) fn is_trivial(graph: &Graph, rows: &[Row]) -> bool {
    let nodes = graph.nodes.iter().zip(rows);
    let incomplete = |node: &Node| node.missing() > 0;
    let mut needed = nodes.filter(|(node, _)| graph.needs_row(node) && incomplete(node));
    needed.any(|(node, row)| node.independence().is_dependent(node.linear(row)))
}

/// The columns of the `e_i` begin here.
const FIRST_GROUP: usize = 3;

/// The linear problem.
struct Problem {
    solver: Solver,
    parameters: usize,
    /// The number of groups that are to be carried.
    carried: usize,
    /// The first column of each node.
    start: Vec<usize>,
    /// A multiple of a solution may be none, so that coefficients have to be integers.
    integer: bool,
}

impl Problem {
    /// Those between distinct nodes are to be carried only on demand, but hold.
    fn new(
        graph: &Graph,
        components: &Components,
        intra: &[ConstraintGroup],
        inter: &[ConstraintGroup],
        all: bool,
    ) -> Result<Problem> {
        let carried = intra.len() + if all { inter.len() } else { 0 };
        let parameters = graph.parameters;
        let mut order: Vec<usize> = (0..graph.nodes.len()).collect();
        order.sort_by_key(|&node| components.of[node]);
        let mut start = vec![0; order.len()];
        let mut total = FIRST_GROUP + carried;
        for node in order {
            start[node] = total;
            total += 2 * graph.nodes[node].variables() + parameters + 1;
        }
        let mut problem = Problem { solver: Solver::new(total), parameters, carried, start, integer: false };
        problem.add_objectives(graph);
        for (i, group) in intra.iter().chain(inter).enumerate() {
            problem.add_group(graph, group, (i < carried).then_some(FIRST_GROUP + i))?;
        }
        Ok(problem)
    }

    fn variable(&self, index: usize, node: &Node, variable: usize) -> usize {
        self.start[index] + 2 * (node.variables() - 1 - variable)
    }

    fn parameter(&self, index: usize, node: &Node, parameter: usize) -> usize {
        self.start[index] + 2 * node.variables() + parameter
    }

    fn constant(&self, index: usize, node: &Node) -> usize {
        self.parameter(index, node, self.parameters)
    }

    fn add_objectives(&mut self, graph: &Graph) {
        let groups = FIRST_GROUP..FIRST_GROUP + self.carried;
        for column in groups.clone() {
            self.solver.add_ge_sparse(1, &[(column, -1)]);
        }
        let uncarried: Vec<(usize, i64)> = std::iter::once(0).chain(groups).map(|column| (column, -1)).collect();
        self.solver.add_eq_sparse(self.carried as i64, &uncarried);
        let (mut of_parameters, mut of_variables) = (Vec::new(), Vec::new());
        for (index, node) in graph.nodes.iter().enumerate() {
            let first = self.start[index];
            of_variables.extend(first..first + 2 * node.variables());
            of_parameters.extend((0..self.parameters).map(|i| self.parameter(index, node, i)));
        }
        for (sum, mut columns) in [(1, of_parameters), (2, of_variables)] {
            columns.sort_unstable();
            let columns = columns.into_iter().map(|column| (column, 1));
            let terms: Vec<(usize, i64)> = std::iter::once((sum, -1)).chain(columns).collect();
            self.solver.add_eq_sparse(0, &terms);
        }
    }

    /// What a strategy asks of coefficients.
    fn ask_of_coefficients(&mut self, graph: &Graph, form: &Form) -> Result<()> {
        let mut sum = Sum::default();
        for (index, form) in &form.parts {
            let node = &graph.nodes[*index];
            sum.add(self.constant(*index, node), form[0], false)?;
            let (parameters, variables) = form[1..].split_at(self.parameters);
            for (parameter, factor) in parameters.iter().enumerate() {
                sum.add(self.parameter(*index, node, parameter), *factor, false)?;
            }
            for (variable, factor) in variables.iter().enumerate() {
                self.add_variable(&mut sum, *index, node, variable, *factor, false)?;
            }
        }
        let terms = sum.added_up()?;
        if form.is_equality {
            self.solver.add_eq_sparse(form.constant, &terms);
        } else {
            self.solver.add_ge_sparse(form.constant, &terms);
        }
        self.integer |= form.constant != 0;
        Ok(())
    }

    /// Adds (20) or (25) for each generator; without a column for `e` the distance is just not negative (127).
    fn add_group(&mut self, graph: &Graph, group: &ConstraintGroup, e: Option<usize>) -> Result<()> {
        for (rows, equal) in [(&group.hull.lines, true), (&group.hull.rays, false)] {
            for row in rows {
                let terms = self.substituted(graph, group, row, e)?;
                if equal {
                    self.solver.add_eq_sparse(0, &terms);
                } else if !terms.is_empty() {
                    self.solver.add_ge_sparse(0, &terms);
                }
            }
        }
        Ok(())
    }

    /// A row over the coefficients of the general form (15), in the columns of the problem.
    fn substituted(
        &self,
        graph: &Graph,
        group: &ConstraintGroup,
        row: &[i64],
        e: Option<usize>,
    ) -> Result<Vec<(usize, i64)>> {
        let (source, target) = (&graph.nodes[group.source], &graph.nodes[group.target]);
        let mut sum = Sum::default();
        if let Some(e) = e {
            sum.add(e, row[0], true)?;
        }
        if group.source == group.target {
            for (i, &factor) in row[1..].iter().enumerate() {
                self.add_variable(&mut sum, group.source, source, i, factor, false)?;
            }
            return Ok(sum.terms());
        }
        let (general, variables) = row.split_at(1 + self.parameters);
        let (of_source, of_target) = variables.split_at(source.variables());
        let ends = [(group.source, source, of_source, true), (group.target, target, of_target, false)];
        for (index, node, variables, negative) in ends {
            sum.add(self.constant(index, node), general[0], negative)?;
            for (i, &factor) in general[1..].iter().enumerate() {
                sum.add(self.parameter(index, node, i), factor, negative)?;
            }
            for (i, &factor) in variables.iter().enumerate() {
                self.add_variable(&mut sum, index, node, i, factor, negative)?;
            }
        }
        Ok(sum.terms())
    }

    /// Adds a variable's coefficient, the difference of two columns.
    fn add_variable(
        &self,
        sum: &mut Sum,
        index: usize,
        node: &Node,
        variable: usize,
        factor: i64,
        negative: bool,
    ) -> Result<()> {
        let column = self.variable(index, node, variable);
        sum.add(column, factor, !negative)?;
        sum.add(column + 1, factor, negative)
    }

    /// The best point, unless it carries nothing.
    fn solve(&mut self, graph: &Graph, purpose: Purpose, strategy: &Strategy, ctx: &Ctx) -> Result<Option<Point>> {
        let mut best = None;
        let mut integer = self.integer;
        loop {
            let outcome = counted(ctx, |budget| match integer {
                true => self.solver.lexmin_integer(budget),
                false => self.solver.lexmin_rational(budget),
            });
            let point = match outcome {
                Outcome::Optimal(point) if self.carries(&point) => point,
                // What was found before still carries something.
                Outcome::Optimal(_) | Outcome::Infeasible => return Ok(best),
                Outcome::Budget => return Err(Error::Budget),
            };
            let coalescing = match strategy.treat_coalescing {
                true => self.coalescing(graph, &point),
                false => None,
            };
            let is_fraction = purpose.fallback && !point.is_integer() && coalescing.is_none();
            integer = self.integer || is_fraction;
            match coalescing {
                Some(column) => {
                    self.solver.add_eq_sparse(0, &[(column, 1), (column + 1, -1)]);
                }
                None if !is_fraction => return Ok(Some(point)),
                None => {}
            }
            best = Some(point);
        }
    }

    /// Some group is carried.
    fn carries(&self, point: &Point) -> bool {
        point.numerators[0] < &point.denominator * BigInt::from(self.carried)
    }

    /// The first column of the coefficient that makes the point coalesce.
    fn coalescing(&self, graph: &Graph, point: &Point) -> Option<usize> {
        graph.nodes.iter().enumerate().find_map(|(index, node)| {
            let coefficients: Vec<BigInt> =
                (0..node.variables()).map(|i| self.coefficient(index, node, i, point)).collect();
            let variable = coalesced(&coefficients, &node.statement.sizes)?;
            Some(self.variable(index, node, variable))
        })
    }

    /// A variable's coefficient times the denominator.
    fn coefficient(&self, index: usize, node: &Node, variable: usize, point: &Point) -> BigInt {
        let column = self.variable(index, node, variable);
        &point.numerators[column + 1] - &point.numerators[column]
    }

    /// The row of a node, times the denominator.
    fn row(&self, index: usize, node: &Node, point: &Point) -> Result<Row> {
        let constant = point.numerators[self.constant(index, node)].clone();
        let parameters = (0..self.parameters).map(|i| point.numerators[self.parameter(index, node, i)].clone());
        let variables = (0..node.variables()).map(|i| self.coefficient(index, node, i, point));
        let all = std::iter::once(constant).chain(parameters).chain(variables);
        all.map(|x| i64::try_from(x).map_err(|_| Error::Overflow)).collect()
    }
}

/// A sum of columns with coefficients.
#[derive(Default)]
struct Sum(Vec<(usize, i64)>);

impl Sum {
    fn add(&mut self, column: usize, factor: i64, negative: bool) -> Result<()> {
        if factor != 0 {
            self.0.push((column, if negative { factor.checked_neg().ok_or(Error::Overflow)? } else { factor }));
        }
        Ok(())
    }

    fn terms(mut self) -> Vec<(usize, i64)> {
        self.0.sort_unstable();
        self.0
    }

    /// The terms where columns may have been added several times.
    fn added_up(self) -> Result<Vec<(usize, i64)>> {
        let mut terms: Vec<(usize, i64)> = Vec::new();
        for (column, factor) in self.terms() {
            match terms.last_mut() {
                Some((last, sum)) if *last == column => *sum = sum.checked_add(factor).ok_or(Error::Overflow)?,
                _ => terms.push((column, factor)),
            }
        }
        terms.retain(|(_, factor)| *factor != 0);
        Ok(terms)
    }
}

#[cfg(test)]
mod tests;
