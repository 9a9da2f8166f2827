//! Conditional validity (ppcg report, sections 4.2 and 6.5.4), and which constraints a band leaves to those below it.

use crate::isl::{self, Aff, DimType, LocalSpace, Map, Set, Val};
use crate::schedule::error::{Error, Result};
use crate::schedule::explain::name;
use crate::schedule::farkas::Coefficients;
use crate::schedule::graph::{Edge, Graph};
use crate::schedule::phases::{Phase, enter};

/// Looks for conditioned constraints that the last row violates, and for conditions next to them whose ends the band
/// separates. If there are any, makes all conditions next to the violated constraints local; returns source and target
/// of those that were not by chance. Nothing: the row can stay.
pub fn make_local(graph: &mut Graph) -> Result<Vec<(String, String)>> {
    let _phase = enter(Phase::Checks);
    let last = graph.rows() - 1;
    let mut violated = Ends::default();
    for edge in graph.edges.iter().filter(|edge| edge.kinds.conditioned) {
        if is_violated(graph, edge, last)? {
            violated.add(&edge.conditioned)?;
        }
    }
    let mut apart = Vec::new();
    if violated.is_empty() {
        return Ok(apart);
    }
    let mut adjacent = Vec::new();
    for (index, edge) in graph.edges.iter().enumerate() {
        if edge.kinds.condition && !edge.local && violated.touch(&edge.conditions)? {
            adjacent.push(index);
            if !keeps_together(graph, edge)? {
                apart.push((name(graph, edge.source), name(graph, edge.target)));
            }
        }
    }
    for index in adjacent {
        graph.edges[index].local = true;
    }
    Ok(apart)
}

/// Marks the last row as coincident if it coschedules all coincidence constraints.
pub fn mark_coincident(graph: &mut Graph) -> Result<()> {
    let last = graph.rows() - 1;
    let mut coincident = true;
    for edge in graph.edges.iter().filter(|edge| edge.kinds.coincidence) {
        coincident = coincident && keeps_together_in(graph, edge, last)?;
    }
    graph.coincident[last] = coincident;
    Ok(())
}

impl Graph {
    /// Parts of the graph follow each other, given the part of each node: conditioned constraints next to live ranges that
    /// go from one part to another become validity constraints. isl's scheduler forgets such live ranges.
    pub fn force_next_to_cut(&mut self, part_of: &[usize]) -> Result<()> {
        for edge in self.next_to_cut(part_of)? {
            self.edges[edge].kinds.validity = true;
        }
        Ok(())
    }

    /// The edges that [`Graph::force_next_to_cut`] makes validity constraints.
    pub fn next_to_cut(&self, part_of: &[usize]) -> Result<Vec<usize>> {
        let _phase = enter(Phase::Checks);
        let mut cut = Ends::default();
        for edge in
            self.edges.iter().filter(|edge| edge.kinds.condition && part_of[edge.source] != part_of[edge.target])
        {
            cut.add(&edge.conditions)?;
        }
        let mut forced = Vec::new();
        if cut.is_empty() {
            return Ok(forced);
        }
        for (index, edge) in self.edges.iter().enumerate() {
            if edge.kinds.conditioned && !edge.kinds.validity && cut.touch(&edge.conditioned)? {
                forced.push(index);
            }
        }
        Ok(forced)
    }

    /// Some member of the band puts the second instance of some pair before the first.
    pub fn is_violated_in_band(&self, edge: &Edge) -> Result<bool> {
        for row in self.band_start..self.rows() {
            if is_violated(self, edge, row)? {
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// Leaves only the pairs that the band coschedules. Conditioned constraints next to conditions that the band
    /// separates become validity constraints.
    pub fn drop_carried(&mut self) -> Result<()> {
        let _phase = enter(Phase::Checks);
        let mut separated = Ends::default();
        // What had to be local in a band that failed need not be in the step that takes its place.
        for edge in self.edges.iter().filter(|edge| edge.kinds.condition) {
            if !keeps_together(self, edge)? {
                separated.add(&edge.conditions)?;
            }
        }
        let mut edges = Vec::with_capacity(self.edges.len());
        for mut edge in std::mem::take(&mut self.edges) {
            if !leave_coscheduled(self, &mut edge)? {
                continue;
            }
            if edge.kinds.conditioned && !edge.kinds.validity && separated.touch(&edge.conditioned)? {
                edge.kinds.validity = true;
            }
            edges.push(edge);
        }
        self.edges = edges;
        Ok(())
    }
}

/// Restricts an edge to the pairs that all members of the band coschedule. False: there are obviously none.
fn leave_coscheduled(graph: &Graph, edge: &mut Edge) -> Result<bool> {
    let mut pairs: Option<Set> = None;
    for row in graph.band_start..graph.rows() {
        let distance = edge.distance(graph, row)?;
        let coefficients = edge.exact()?;
        if is_zero(&coefficients, &distance)? {
            continue;
        }
        if is_positive(&coefficients, &distance)? {
            return Ok(false);
        }
        // { [C[x] -> D[y]] }
        let distance = distance_on_pairs(graph, edge, row)?;
        let together = distance.clone().eq_basic_set(zero(&distance)?)?.to_set()?;
        pairs = Some(match pairs {
            Some(pairs) => pairs.intersect(together)?,
            None => together,
        });
    }
    let Some(pairs) = pairs else { return Ok(true) };
    let map = edge.map.clone().intersect(pairs.clone().unwrap_map()?)?;
    if map.plain_is_empty()? {
        return Ok(false);
    }
    edge.set_map(map);
    for tagged in edge.conditions.iter_mut().chain(&mut edge.conditioned) {
        *tagged = tagged.clone().intersect_domain(pairs.clone())?;
    }
    Ok(true)
}

/// The distance is surely zero on all pairs.
pub(in crate::schedule) fn is_zero(coefficients: &Coefficients, distance: &[i64]) -> Result<bool> {
    Ok(coefficients.admits(distance) && coefficients.admits(&opposite(distance)?))
}

/// The distance is surely positive on all pairs.
pub(in crate::schedule) fn is_positive(coefficients: &Coefficients, distance: &[i64]) -> Result<bool> {
    let mut less_one = distance.to_vec();
    less_one[0] = less_one[0].checked_sub(1).ok_or(Error::Overflow)?;
    Ok(coefficients.admits(&less_one))
}

/// A row puts the second instance of some pair before the first.
fn is_violated(graph: &Graph, edge: &Edge, row: usize) -> Result<bool> {
    let form = edge.distance(graph, row)?;
    if edge.exact()?.admits(&form) {
        return Ok(false);
    }
    if edge.points()?.is_somewhere_negative(&on_pairs(graph, edge, &form)?) {
        return Ok(true);
    }
    let distance = distance_on_pairs(graph, edge, row)?;
    // { [C[x] -> D[y]] } with distance <= -1
    let backwards = distance.neg()?.add_constant(Val::int(edge.map.ctx(), -1)?)?;
    let backwards = backwards.clone().ge_basic_set(zero(&backwards)?)?.to_set()?;
    Ok(!edge.map.clone().intersect(backwards.unwrap_map()?)?.is_empty()?)
}

/// The members of the band coschedule all pairs of an edge.
fn keeps_together(graph: &Graph, edge: &Edge) -> Result<bool> {
    for row in graph.band_start..graph.rows() {
        if !keeps_together_in(graph, edge, row)? {
            return Ok(false);
        }
    }
    Ok(true)
}

/// A row coschedules all pairs of an edge.
fn keeps_together_in(graph: &Graph, edge: &Edge, row: usize) -> Result<bool> {
    let form = edge.distance(graph, row)?;
    if is_zero(&*edge.exact()?, &form)? {
        return Ok(true);
    }
    let form = on_pairs(graph, edge, &form)?;
    let points = edge.points()?;
    if points.is_somewhere_negative(&form) || points.is_somewhere_negative(&opposite(&form)?) {
        return Ok(false);
    }
    let distance = distance_on_pairs(graph, edge, row)?;
    let together = distance.clone().eq_basic_set(zero(&distance)?)?.to_set()?;
    Ok(edge.map.is_subset(&together.unwrap_map()?)?)
}

/// The distance over an edge as a form over `[constant, parameters.., in.., out..]`, from what [`Edge::distance`]
/// gives.
fn on_pairs(graph: &Graph, edge: &Edge, form: &[i64]) -> Result<Vec<i64>> {
    if !edge.is_loop() {
        return Ok(form.to_vec());
    }
    let (fixed, linear) = form.split_at(1 + graph.parameters);
    Ok([fixed, &opposite(linear)?, linear].concat())
}

fn opposite(form: &[i64]) -> Result<Vec<i64>> {
    form.iter().map(|a| a.checked_neg().ok_or(Error::Overflow)).collect()
}

/// The distance over an edge in a row, as a function of the pair: `{ [C[x] -> D[y]] -> [d] }`.
fn distance_on_pairs(graph: &Graph, edge: &Edge, row: usize) -> isl::Result<Aff> {
    let space = edge.map.space()?.wrap()?;
    let ctx = edge.map.ctx();
    let (source, target) = (&graph.nodes[edge.source], &graph.nodes[edge.target]);
    let (from, to) = (&source.rows()[row], &target.rows()[row]);
    let fixed = 1 + graph.parameters;
    let difference = |i: usize| Val::int(ctx, to[i])?.add(Val::int(ctx, from[i])?.neg()?);
    let mut distance = Aff::zero_on_domain(LocalSpace::from_space(space)?)?.add_constant(difference(0)?)?;
    for i in 1..fixed {
        if from[i] != to[i] {
            distance = distance.set_coefficient(DimType::Param, position(i - 1), difference(i)?)?;
        }
    }
    let values = source.linear(from).iter().map(|a| Val::int(ctx, *a)?.neg());
    let values = values.chain(target.linear(to).iter().map(|a| Val::int(ctx, *a)));
    for (i, value) in values.enumerate() {
        let value = value?;
        if !value.is_zero()? {
            distance = distance.set_coefficient(DimType::In, position(i), value)?;
        }
    }
    Ok(distance)
}

/// A position as isl counts it; no space has more dimensions than that.
fn position(index: usize) -> i32 {
    i32::try_from(index).unwrap_or(i32::MAX)
}

fn zero(like: &Aff) -> isl::Result<Aff> {
    Aff::zero_on_domain(LocalSpace::from_space(like.domain_space()?)?)
}

/// First and second tagged instances of some constraints: `{ [C[x] -> R[]] }` each.
#[derive(Default)]
struct Ends {
    first: Vec<Set>,
    second: Vec<Set>,
}

impl Ends {
    /// Adds constraints, one relation for each pair of tags: `{ [C[x] -> D[y]] -> [R[] -> Q[]] }`.
    fn add(&mut self, tagged: &[Map]) -> isl::Result<()> {
        for tagged in tagged {
            // { [C[x] -> R[]] -> [D[y] -> Q[]] }
            let tagged = tagged.clone().zip()?;
            self.first.push(tagged.clone().domain()?);
            self.second.push(tagged.range()?);
        }
        Ok(())
    }

    fn is_empty(&self) -> bool {
        self.first.is_empty()
    }

    /// Some constraint starts where one of these ends, or ends where one of these starts.
    fn touch(&self, tagged: &[Map]) -> isl::Result<bool> {
        for tagged in tagged {
            let tagged = tagged.clone().zip()?;
            if meets(&self.second, tagged.clone().domain()?)? || meets(&self.first, tagged.range()?)? {
                return Ok(true);
            }
        }
        Ok(false)
    }
}

/// Some of the sets has a point in common with the other set.
fn meets(sets: &[Set], other: Set) -> isl::Result<bool> {
    let space = other.space()?;
    for set in sets {
        if set.space()?.is_equal(&space)? && !set.is_disjoint(&other)? {
            return Ok(true);
        }
    }
    Ok(false)
}
