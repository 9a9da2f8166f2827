//! From the scheduler's decisions to a schedule tree (ppcg report, section 4.4).

use crate::isl::{
    Aff, DimType, LocalSpace, MultiAff, MultiPwAff, MultiUnionPwAff, PwMultiAff, Result, Schedule, ScheduleNode, Set,
    UnionSet, UnionSetList, Val,
};
use crate::schedule::graph::{Graph, Row, Statement};
use crate::schedule_tree::Mark;
use crate::schedule_tree::band::{insert_mark, position};
use std::rc::Rc;

/// A tree that grows from its root, by parts that know their children's places.
#[derive(Debug)]
pub struct Tree {
    parts: Vec<Part>,
}

/// The place of a part in its tree.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Slot(usize);

/// A part with some children, each with the statements that reach it.
type Children = Vec<(Vec<Rc<Statement>>, Slot)>;

#[derive(Debug)]
enum Part {
    /// Nothing more is ordered.
    Leaf,
    Band(Band, Slot),
    Sequence(Children),
    Set(Children),
}

/// The members of a band.
#[derive(Debug)]
struct Band {
    /// The statements with their rows, one a member.
    functions: Vec<(Rc<Statement>, Vec<Row>)>,
    coincident: Vec<bool>,
    permutable: bool,
    /// The member that is marked for neighbouring threads.
    for_threads: Option<usize>,
}

/// What may be done with the members of a band.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Loops {
    /// They may change places.
    Permutable,
    /// They stay in their order.
    Ordered,
}

impl Tree {
    /// A tree whose root is still a leaf, and its root.
    pub fn new() -> (Tree, Slot) {
        (Tree { parts: vec![Part::Leaf] }, Slot(0))
    }

    fn leaf(&mut self) -> Slot {
        self.parts.push(Part::Leaf);
        Slot(self.parts.len() - 1)
    }

    /// Makes a leaf the band that the graph's nodes have computed last, and returns the child. One member may be marked
    /// for neighbouring threads.
    pub fn set_band(&mut self, slot: Slot, graph: &Graph, loops: Loops, for_threads: Option<usize>) -> Slot {
        let rows = graph.band_start..graph.rows();
        let functions = graph.nodes.iter().map(|node| (node.statement.clone(), node.rows()[rows.clone()].to_vec()));
        let coincident = graph.coincident[rows.clone()].to_vec();
        let band =
            Band { functions: functions.collect(), coincident, permutable: loops == Loops::Permutable, for_threads };
        let child = self.leaf();
        self.parts[slot.0] = Part::Band(band, child);
        child
    }

    /// Makes a leaf an ordered list of these statements, and returns the children.
    pub fn set_sequence(&mut self, slot: Slot, parts: Vec<Vec<Rc<Statement>>>) -> Vec<Slot> {
        let (children, slots) = self.children(parts);
        self.parts[slot.0] = Part::Sequence(children);
        slots
    }

    /// Makes a leaf a list of these statements in any order, and returns the children.
    pub fn set_set(&mut self, slot: Slot, parts: Vec<Vec<Rc<Statement>>>) -> Vec<Slot> {
        let (children, slots) = self.children(parts);
        self.parts[slot.0] = Part::Set(children);
        slots
    }

    fn children(&mut self, parts: Vec<Vec<Rc<Statement>>>) -> (Children, Vec<Slot>) {
        let slots: Vec<Slot> = parts.iter().map(|_| self.leaf()).collect();
        (parts.into_iter().zip(slots.iter().copied()).collect(), slots)
    }

    /// The schedule tree on a domain `{ S[i] }`. A sequence right inside a sequence becomes part of it.
    pub fn to_schedule(&self, domain: UnionSet) -> Result<Schedule> {
        let mut node = Schedule::from_domain(domain)?.root()?.first_child()?;
        let mut moves = vec![Move::Fill(Slot(0))];
        while let Some(next) = moves.pop() {
            node = match next {
                Move::Up(levels) => (0..levels).try_fold(node, |node, _| node.parent())?,
                Move::Child(i) => node.child(position(i)?)?.first_child()?,
                Move::Fill(slot) => self.fill(node, slot, &mut moves)?,
            };
        }
        node.schedule()
    }

    /// Puts a part at a node, and plans the visits of its children.
    fn fill(&self, node: ScheduleNode, slot: Slot, moves: &mut Vec<Move>) -> Result<ScheduleNode> {
        match &self.parts[slot.0] {
            Part::Leaf => Ok(node),
            Part::Band(band, child) => {
                let node = band.insert(node)?;
                let (node, above) = match band.for_threads {
                    Some(member) => (insert_mark(node, &Mark::ThreadX { member })?.first_child()?, 2),
                    None => (node, 1),
                };
                moves.extend([Move::Up(above), Move::Fill(*child)]);
                node.first_child()
            }
            Part::Sequence(children) => {
                let flat = self.flat(children);
                plan(&flat, moves);
                node.insert_sequence(filters(&flat)?)
            }
            Part::Set(children) => {
                let children: Vec<_> = children.iter().collect();
                plan(&children, moves);
                node.insert_set(filters(&children)?)
            }
        }
    }

    /// The children of a sequence, those of sequences among them in their place.
    fn flat<'t>(&'t self, children: &'t Children) -> Vec<&'t (Vec<Rc<Statement>>, Slot)> {
        let mut flat = Vec::new();
        let mut rest: Vec<_> = children.iter().rev().collect();
        while let Some(child) = rest.pop() {
            match &self.parts[child.1.0] {
                Part::Sequence(inner) => rest.extend(inner.iter().rev()),
                _ => flat.push(child),
            }
        }
        flat
    }
}

/// A step of the walk that builds a tree.
enum Move {
    Up(usize),
    Child(usize),
    Fill(Slot),
}

/// Plans to visit the children that are not leaves.
fn plan(children: &[&(Vec<Rc<Statement>>, Slot)], moves: &mut Vec<Move>) {
    for (i, child) in children.iter().enumerate().rev() {
        moves.extend([Move::Up(2), Move::Fill(child.1), Move::Child(i)]);
    }
}

/// All instances of some statements' spaces, a set for each child: `{ S[i] }`.
fn filters(children: &[&(Vec<Rc<Statement>>, Slot)]) -> Result<UnionSetList> {
    let mut filters: Vec<UnionSet> = Vec::with_capacity(children.len());
    let mut ctx = None;
    for (statements, _) in children {
        let mut filter: Option<UnionSet> = None;
        for statement in statements {
            let all = Set::universe(statement.space.clone())?.to_union_set()?;
            ctx = Some(statement.space.ctx().clone());
            filter = Some(match filter {
                None => all,
                Some(filter) => filter.union(all)?,
            });
        }
        filters.extend(filter);
    }
    let ctx = ctx.ok_or_else(|| crate::isl::Error::invalid("children without statements"))?;
    UnionSetList::from_vec(&ctx, filters)
}

impl Band {
    /// Inserts the band above a node; the result is at the band.
    fn insert(&self, node: ScheduleNode) -> Result<ScheduleNode> {
        let mut partial: Option<MultiUnionPwAff> = None;
        for (statement, rows) in &self.functions {
            let function = PwMultiAff::from_multi_aff(function(statement, rows)?)?;
            let function = MultiUnionPwAff::from_multi_pw_aff(MultiPwAff::from_pw_multi_aff(function)?)?;
            partial = Some(match partial {
                None => function,
                Some(partial) => partial.union_add(function)?,
            });
        }
        let partial = partial.ok_or_else(|| crate::isl::Error::invalid("a band without statements"))?;
        let mut node = node.insert_partial_schedule(partial)?.band_set_permutable(self.permutable)?;
        for (i, coincident) in self.coincident.iter().enumerate() {
            if *coincident {
                node = node.band_member_set_coincident(position(i)?, true)?;
            }
        }
        Ok(node)
    }
}

/// Rows as functions of the instances: `{ S[i] -> [t] }`.
pub fn function(statement: &Statement, rows: &[Row]) -> Result<MultiAff> {
    let ctx = statement.space.ctx();
    // { C[x] }
    let space = statement.domain.space()?;
    let parameters = space.dim(DimType::Param)?;
    let domain = LocalSpace::from_space(space.clone())?;
    let mut functions = MultiAff::zero(space.from_domain()?.add_dims(DimType::Out, rows.len())?)?;
    for (i, row) in rows.iter().enumerate() {
        let mut function = Aff::zero_on_domain(domain.clone())?;
        if row[0] != 0 {
            function = function.add_constant(Val::int(ctx, row[0])?)?;
        }
        for (j, &factor) in row[1..].iter().enumerate().filter(|(_, factor)| **factor != 0) {
            let (kind, j) = if j < parameters { (DimType::Param, j) } else { (DimType::In, j - parameters) };
            function = function.set_coefficient(kind, position(j)?, Val::int(ctx, factor)?)?;
        }
        functions = functions.set_at(position(i)?, function)?;
    }
    match &statement.compression {
        Some(compression) => functions.pullback_multi_aff(compression.compress.clone()),
        None => Ok(functions),
    }
}
