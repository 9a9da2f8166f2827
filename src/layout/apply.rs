//! The region with its new arrays: Φ composed with accesses (section 3.1), and the copies (4.1).

use super::Error;
use super::expansion::Expansion;
use super::map::{Layout, LayoutMap};
use super::sizes::{SizeBound, restricted};
use super::tree::{Path, Tree};
use crate::codegen::{Expr, IteratorId};
use crate::isl::{self, DimType, Id, Map, MultiUnionPwAff, PwAff, Schedule, Set, UnionMap};
use crate::scop::{Access, AccessKind, Array, ArrayKind, Scop, Statement, StatementId};
use std::collections::BTreeSet;

/// A region with a layout.
#[derive(Debug, Clone)]
pub struct Applied {
    /// The region: its statements in their old order with their old numbers, then the copies; its arrays likewise, then
    /// the new ones.
    pub scop: Scop,
    /// Where the arrays of the layout are now, in the order of its maps and then of its expansions.
    pub placed: Vec<Placed>,
    /// The sizes that it is for: it computes what the region does for these alone.
    pub sizes: Vec<SizeBound>,
}

/// The new place of an array.
#[derive(Debug, Clone)]
pub struct Placed {
    /// The array, by its position.
    pub array: usize,
    /// The array that its elements are in, by its position in the new region.
    pub field: usize,
    /// The first subscripts there are the values of so many of an instance's outermost iterators.
    pub loops: usize,
    /// Those that copies have in the place of these: expressions over the old subscripts and parameters.
    pub last_iteration: Vec<Expr>,
    /// The other subscripts there: expressions over the old ones ([`Expr::Iterator`] number `k`) and parameters.
    pub address: Vec<Expr>,
    /// The statement that copies elements in, with their old subscripts as its instance vector.
    pub copy_in: Option<StatementId>,
    /// The statement that copies elements out, likewise.
    pub copy_out: Option<StatementId>,
}

/// Arrays whose elements are near each other: a child of the sequence at the root.
struct Group<'a> {
    tree: &'a Tree,
    /// How many dimensions are above it.
    depth: usize,
}

impl Layout {
    /// The region with this layout.
    ///
    /// # Errors
    /// Failures of isl.
    pub fn apply(&self, scop: &Scop) -> Result<Applied, Error> {
        let scop = &restricted(scop, &self.sizes)?;
        let (tree, paths) = Tree::of(scop, &self.maps)?;
        let mut groups = Vec::new();
        if !self.maps.is_empty() {
            collect(&tree, 0, &mut groups);
        }
        let mut builder = Builder { names: names(scop)?, scop: scop.clone() };
        let mut placed = Vec::new();
        let (mut before, mut after) = (Vec::new(), Vec::new());
        for (group, members) in groups.iter().zip(members(&groups)) {
            let field = builder.field(scop, self, group, &members)?;
            for map in members {
                let (one, path) = (&self.maps[map], &paths[map]);
                let rank = builder.scop.arrays[field].rank();
                let address = boxed(one, path, group.depth, rank);
                // { A[e] -> F[v] }
                let relation = builder.relation(one, &address, field)?;
                let copies = [self.moved.before(scop, one)?, self.moved.after(scop, one)?];
                let [copy_in, copy_out] = builder.copies(&scop.arrays[one.array].name, &relation, copies)?;
                before.extend(copy_in);
                after.extend(copy_out);
                builder.redirect(scop, one.array, |access| match access.kind {
                    // What becomes of an element tells nothing about others that have its place.
                    AccessKind::Kill if one.contraction => Ok(access.relation.clone()),
                    _ => access.relation.clone().apply_range(relation.clone()),
                })?;
                let (loops, last_iteration) = (0, Vec::new());
                placed
                    .push((map, Placed { array: one.array, field, loops, last_iteration, address, copy_in, copy_out }));
            }
        }
        for (number, expansion) in self.expansions.iter().enumerate() {
            let one = builder.expand(scop, expansion)?;
            after.extend(one.copy_out);
            placed.push((self.maps.len() + number, one));
        }
        builder.schedule(self.order.as_ref(), &before, &after)?;
        placed.sort_by_key(|(map, _)| *map);
        let placed = placed.into_iter().map(|(_, one)| one).collect();
        Ok(Applied { scop: builder.scop, placed, sizes: self.sizes.clone() })
    }
}

fn collect<'a>(tree: &'a Tree, depth: usize, groups: &mut Vec<Group<'a>>) {
    match tree {
        Tree::Sequence(children) => children.iter().for_each(|child| collect(child, depth + 1, groups)),
        _ => groups.push(Group { tree, depth }),
    }
}

fn members(groups: &[Group<'_>]) -> Vec<Vec<usize>> {
    fn leaves(tree: &Tree, found: &mut Vec<usize>) {
        match tree {
            Tree::Leaf(maps) => found.extend(maps),
            Tree::Sequence(children) => children.iter().for_each(|child| leaves(child, found)),
            Tree::Band { child, .. } => leaves(child, found),
        }
    }
    let of = |group: &Group<'_>| {
        let mut found = Vec::new();
        leaves(group.tree, &mut found);
        found.sort_unstable();
        found
    };
    groups.iter().map(of).collect()
}

/// An address in the box of a group: without the dimensions above, with children by their numbers, filled with zeros.
fn boxed(map: &LayoutMap, path: &Path, depth: usize, rank: usize) -> Vec<Expr> {
    let number = |child: usize| Expr::Const(i64::try_from(child).unwrap_or(i64::MAX));
    let dimensions = map.address.iter().zip(&path.0).skip(depth);
    let mut address: Vec<Expr> = dimensions.map(|(one, step)| step.map_or(one.clone(), number)).collect();
    address.resize(rank, Expr::Const(0));
    address
}

/// All names that are taken.
fn names(scop: &Scop) -> isl::Result<BTreeSet<String>> {
    let mut names: BTreeSet<String> = scop.parameters()?.into_iter().collect();
    names.extend(scop.arrays.iter().map(|array| array.name.clone()));
    for statement in &scop.statements {
        names.insert(statement.name.clone());
        names.extend(statement.accesses.iter().map(|access| access.reference.clone()));
    }
    Ok(names)
}

struct Builder {
    names: BTreeSet<String>,
    scop: Scop,
}

impl Builder {
    /// A name that is not taken yet.
    fn name(&mut self, wanted: &str) -> String {
        let free = |name: &String| !self.names.contains(name);
        let name =
            std::iter::once(wanted.to_owned()).chain((0..).map(|number| format!("{wanted}_{number}"))).find(free);
        let name = name.unwrap_or_else(|| wanted.to_owned());
        self.names.insert(name.clone());
        name
    }

    /// A new array for a group; its position.
    fn field(&mut self, scop: &Scop, layout: &Layout, group: &Group<'_>, members: &[usize]) -> Result<usize, Error> {
        let arrays: Vec<&Array> = members.iter().map(|&map| &scop.arrays[layout.maps[map].array]).collect();
        for (&map, array) in members.iter().zip(&arrays) {
            if array.element != arrays[0].element {
                let text = format!(
                    "`{}` has elements of type {}, and `{}` of type {}: only arrays of one type can be interleaved",
                    arrays[0].name, arrays[0].element, array.name, array.element
                );
                return Err(layout.maps[map].place.error(text).into());
            }
        }
        let parts: Vec<&str> = arrays.iter().map(|array| array.name.as_str()).collect();
        let name = self.name(&format!("{}_layout", parts.join("_")));
        let known = |extent: PwAff| extent.gist(scop.context.clone())?.coalesce();
        let extent =
            group.tree.extents(scop)?.into_iter().map(|extent| known(extent).map(Some)).collect::<isl::Result<_>>()?;
        self.scop.arrays.push(Array { name, extent, element: arrays[0].element, kind: ArrayKind::Local });
        Ok(self.scop.arrays.len() - 1)
    }

    /// `{ A[e] -> F[v] }`
    fn relation(&self, map: &LayoutMap, address: &[Expr], field: usize) -> isl::Result<Map> {
        let named = LayoutMap { address: address.to_vec(), ..map.clone() }.relation(&self.scop)?;
        named.set_tuple_id(DimType::Out, Id::new(self.scop.ctx(), &self.scop.arrays[field].name)?)
    }

    /// Has all accesses to an array go to its new place.
    fn redirect(&mut self, scop: &Scop, array: usize, moved: impl Fn(&Access) -> isl::Result<Map>) -> isl::Result<()> {
        let name = &scop.arrays[array].name;
        for statement in &mut self.scop.statements[..scop.statements.len()] {
            for access in &mut statement.accesses {
                if access.array()? == *name {
                    access.relation = moved(access)?;
                }
            }
        }
        Ok(())
    }

    /// Gives an array a place for each iteration of some loops.
    fn expand(&mut self, scop: &Scop, expansion: &Expansion) -> Result<Placed, Error> {
        let array = &scop.arrays[expansion.array];
        let name = self.name(&format!("{}_expanded", array.name));
        let extent = expansion.extent.iter().cloned().map(Some).collect();
        self.scop.arrays.push(Array { name: name.clone(), extent, element: array.element, kind: ArrayKind::Local });
        let id = Id::new(scop.ctx(), &name)?;
        self.redirect(scop, expansion.array, |access| match access.kind {
            // Where each iteration has a place, nothing depends on what became of the others.
            AccessKind::Kill => Ok(access.relation.clone()),
            _ => expansion.relation(access.relation.clone(), id.clone()),
        })?;
        let copy_out = match &expansion.last {
            None => None,
            Some(last) => {
                // { A[e] -> A'[i, e] }
                let own = Set::universe(last.elements.space()?)?.identity()?;
                let relation = last.relation.clone().flat_range_product(own)?.set_tuple_id(DimType::Out, id)?;
                let none = Set::empty(last.elements.space()?)?;
                self.copies(&array.name, &relation, [none, last.elements.clone()])?[1]
            }
        };
        Ok(Placed {
            array: expansion.array,
            field: self.scop.arrays.len() - 1,
            loops: expansion.loops,
            last_iteration: expansion.last.as_ref().map_or(Vec::new(), |last| last.iteration.clone()),
            address: (0..array.rank()).map(|dimension| Expr::Iterator(IteratorId(dimension))).collect(),
            copy_in: None,
            copy_out,
        })
    }

    /// Statements that copy elements `{ A[e] }` in and out, where there are any.
    fn copies(&mut self, array: &str, relation: &Map, sets: [Set; 2]) -> isl::Result<[Option<StatementId>; 2]> {
        let mut made = [None, None];
        for (number, (elements, word)) in sets.into_iter().zip(["in", "out"]).enumerate() {
            if elements.is_empty()? {
                continue;
            }
            let name = self.name(&format!("copy_{word}_{array}"));
            let id = Id::new(self.scop.ctx(), &name)?;
            let domain = elements.set_tuple_id(id.clone())?.gist_params(self.scop.context.clone())?;
            // { copy[e] -> A[e] }
            let own = relation.clone().domain()?.identity()?.set_tuple_id(DimType::In, id.clone())?;
            // { copy[e] -> F[v] }
            let new = relation.clone().set_tuple_id(DimType::In, id)?;
            let (from, to) = if number == 0 { (own, new) } else { (new, own) };
            let mut access = |kind, suffix: &str, relation| {
                let reference = self.name(&format!("{name}_{suffix}"));
                Access { reference, kind, relation }
            };
            let accesses = vec![access(AccessKind::Read, "r", from), access(AccessKind::MustWrite, "w", to)];
            let (side_effect, may_trap, text) = (false, false, format!("copy of {array}"));
            self.scop.statements.push(Statement { name, domain, accesses, side_effect, may_trap, copy: true, text });
            made[number] = Some(StatementId(self.scop.statements.len() - 1));
        }
        Ok(made)
    }

    /// An order, or the original one, with copies before and after it.
    fn schedule(&mut self, order: Option<&Schedule>, before: &[StatementId], after: &[StatementId]) -> isl::Result<()> {
        let own = order.unwrap_or(&self.scop.schedule).clone();
        let mut all: Option<Schedule> = None;
        let mut append = |next: Schedule| -> isl::Result<()> {
            all = Some(match all.take() {
                None => next,
                Some(known) => known.sequence(next)?,
            });
            Ok(())
        };
        before.iter().try_for_each(|&copy| append(in_order(&self.scop, copy)?))?;
        append(own)?;
        after.iter().try_for_each(|&copy| append(in_order(&self.scop, copy)?))?;
        self.scop.schedule = all.ok_or_else(|| isl::Error::invalid("no schedule"))?;
        Ok(())
    }
}

/// The instances of a copy in the order of their subscripts.
fn in_order(scop: &Scop, copy: StatementId) -> isl::Result<Schedule> {
    let domain = scop.statement(copy).domain.clone();
    let rank = domain.dim(DimType::SET)?;
    let schedule = Schedule::from_domain(domain.clone().to_union_set()?)?;
    if rank == 0 {
        return Ok(schedule);
    }
    // { copy[e] -> [e] }
    let unnamed = domain.clone().reset_tuple_id()?.space()?;
    let space = domain.space()?.map_from_domain_and_range(unnamed)?;
    let mut subscripts = Map::universe(space)?;
    for position in 0..i32::try_from(rank).unwrap_or(i32::MAX) {
        subscripts = subscripts.equate(DimType::In, position, DimType::Out, position)?;
    }
    schedule.insert_partial_schedule(MultiUnionPwAff::from_union_map(UnionMap::from_map(subscripts)?)?)
}
