//! The region with its new arrays: Φ composed with accesses (section 3.1), and the copies (4.1).

use super::Error;
use super::applied::{Applied, Copied, PartOf, Placed, Reduced};
use super::around::Around;
use super::expansion::Expansion;
use super::kept::Kept;
use super::legality::Moved;
use super::map::{Layout, LayoutMap};
use super::parts::Split;
use super::redistribution::{Chain, Redistribution};
use super::reduction::{PartialSums, within};
use super::sizes::restricted;
use super::tree::{Path, Tree};
use crate::check::layout::PartialResults;
use crate::codegen::{Expr, IteratorId};
use crate::isl::{self, DimType, Id, Map, MultiUnionPwAff, PwAff, Schedule, Set, UnionMap, UnionPwMultiAff};
use crate::scop::{Access, AccessKind, Array, ArrayKind, Scop, Statement, StatementId};
use std::collections::BTreeSet;

/// Arrays whose elements are near each other: a child of the sequence at the root.
struct Group<'a> {
    tree: &'a Tree,
    /// How many dimensions are above it.
    depth: usize,
}

/// A map with its place.
struct Located {
    /// `{ A[e] -> F[v] }`
    relation: Map,
    /// Its position in [`Applied::placed`].
    number: usize,
}

impl Layout {
    /// The region with this layout.
    ///
    /// # Errors
    /// Failures of isl.
    pub fn apply(&self, scop: &Scop) -> Result<Applied, Error> {
        let scop = &restricted(scop, &self.sizes)?;
        let mut builder = Builder::new(scop, self.redistributions.len())?;
        let split = builder.split(scop, &self.kept)?;
        // By the place where they begin, and by maps.
        let mut located = vec![builder.locate(scop, &self.maps, |map| self.redirected(map))?];
        for here in &self.redistributions {
            located.push(builder.locate(scop, &here.maps, |_| None)?);
        }
        for chain in &self.chains {
            builder.chain(scop, chain, &located)?;
        }
        for expansion in &self.expansions {
            builder.expand(scop, expansion)?;
        }
        let mut order = self.order.as_ref().unwrap_or(&scop.schedule).clone();
        for (kept, split) in self.kept.iter().zip(split) {
            order = split.ordered(order)?;
            builder.keep(kept, split);
        }
        for sums in &self.partial_sums {
            order = builder.reduce(scop, sums, &order)?;
        }
        builder.schedule(order, &self.redistributions)?;
        builder.renumber(&self.partial_sums)?;
        let Builder { scop, mut placed, copies, reduced, claims, parts, .. } = builder;
        placed.sort_by_key(|(number, _)| *number);
        let placed = placed.into_iter().map(|(_, one)| one).collect();
        Ok(Applied { scop, placed, copies, reduced, claims, parts, sizes: self.sizes.clone() })
    }

    /// What is copied before the region and after it of a map's array, unless that has other layouts, too.
    fn redirected(&self, map: &LayoutMap) -> Option<&Moved> {
        (!self.chains.iter().any(|chain| chain.array == map.array)).then_some(&self.moved)
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
    placed: Vec<(usize, Placed)>,
    copies: Vec<Copied>,
    reduced: Vec<Reduced>,
    claims: Vec<PartialResults>,
    parts: Vec<PartOf>,
    /// How many statements are old ones or parts of them.
    own: usize,
    /// The copies before the region, at each redistribution, and after the region.
    at: Vec<Vec<StatementId>>,
}

impl Builder {
    fn new(scop: &Scop, redistributions: usize) -> isl::Result<Self> {
        let (placed, copies, reduced, claims, parts) = Default::default();
        Ok(Builder {
            names: names(scop)?,
            scop: scop.clone(),
            placed,
            copies,
            reduced,
            claims,
            parts,
            own: scop.statements.len(),
            at: vec![Vec::new(); redistributions + 2],
        })
    }

    /// The place of each map. Where there is something that is moved before and after the region, the array is there
    /// in all of it.
    fn locate<'l>(
        &mut self,
        scop: &Scop,
        maps: &[LayoutMap],
        moved: impl Fn(&LayoutMap) -> Option<&'l Moved>,
    ) -> Result<Vec<Located>, Error> {
        let (tree, paths) = Tree::of(scop, maps)?;
        let mut groups = Vec::new();
        if !maps.is_empty() {
            collect(&tree, 0, &mut groups);
        }
        let first = self.placed.len();
        let mut located = Vec::new();
        for (group, members) in groups.iter().zip(members(&groups)) {
            let field = self.field(scop, maps, group, &members)?;
            for map in members {
                let (number, one) = (first + map, &maps[map]);
                let address = boxed(one, &paths[map], group.depth, self.scop.arrays[field].rank());
                let relation = self.relation(one, &address, field)?;
                let (loops, part, last_iteration, statements, subscripts) = Default::default();
                let placed =
                    Placed { array: one.array, field, loops, part, last_iteration, address, statements, subscripts };
                self.placed.push((number, placed));
                let here = Located { relation, number };
                if let Some(moved) = moved(one) {
                    self.copy(scop, one.array, moved.before(scop, one)?, [None, Some(&here)], 0)?;
                    self.copy(scop, one.array, moved.after(scop, one)?, [Some(&here), None], self.at.len() - 1)?;
                    self.redirect(scop, one.array, None, |access| match access.kind {
                        // What becomes of an element tells nothing about others that have its place.
                        AccessKind::Kill if one.contraction => Ok(access.relation.clone()),
                        _ => access.relation.clone().apply_range(here.relation.clone()),
                    })?;
                }
                located.push(here);
            }
        }
        located.sort_by_key(|one| one.number);
        Ok(located)
    }

    /// Has an array go from one place to the next.
    fn chain(&mut self, scop: &Scop, chain: &Chain, located: &[Vec<Located>]) -> Result<(), Error> {
        let mut before = None;
        for stage in &chain.stages {
            let here = stage.map.map(|map| &located[stage.beginning][map]);
            self.copy(scop, chain.array, stage.moved.clone(), [before, here], stage.beginning)?;
            if let Some(here) = here {
                let statements = Some(&stage.statements);
                self.redirect(scop, chain.array, statements, |access| {
                    access.relation.clone().apply_range(here.relation.clone())
                })?;
                let placed = self.placed.iter_mut().find(|(number, _)| *number == here.number);
                placed.into_iter().for_each(|(_, one)| one.statements = statements.cloned());
            }
            before = here;
        }
        self.copy(scop, chain.array, chain.after.clone(), [before, None], self.at.len() - 1)?;
        Ok(())
    }

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
    fn field(&mut self, scop: &Scop, maps: &[LayoutMap], group: &Group<'_>, members: &[usize]) -> Result<usize, Error> {
        let arrays: Vec<&Array> = members.iter().map(|&map| &scop.arrays[maps[map].array]).collect();
        for (&map, array) in members.iter().zip(&arrays) {
            if array.element != arrays[0].element {
                let text = format!(
                    "`{}` has elements of type {}, and `{}` of type {}: only arrays of one type can be interleaved",
                    arrays[0].name, arrays[0].element, array.name, array.element
                );
                return Err(maps[map].place.error(text).into());
            }
        }
        let parts: Vec<&str> = arrays.iter().map(|array| array.name.as_str()).collect();
        let name = self.name(&format!("{}_layout", parts.join("_")));
        let known = |extent: PwAff| extent.gist(scop.context.clone())?.coalesce();
        let extent =
            group.tree.extents(scop)?.into_iter().map(|extent| known(extent).map(Some)).collect::<isl::Result<_>>()?;
        self.scop.arrays.push(Array::new(name, extent, arrays[0].element, ArrayKind::Local));
        Ok(self.scop.arrays.len() - 1)
    }

    /// `{ A[e] -> F[v] }`
    fn relation(&self, map: &LayoutMap, address: &[Expr], field: usize) -> isl::Result<Map> {
        let named = LayoutMap { address: address.to_vec(), ..map.clone() }.relation(&self.scop)?;
        named.set_tuple_id(DimType::Out, Id::new(self.scop.ctx(), &self.scop.arrays[field].name)?)
    }

    /// Has the accesses of some statements to an array go to its new place; `None`: of all.
    fn redirect(
        &mut self,
        scop: &Scop,
        array: usize,
        statements: Option<&BTreeSet<StatementId>>,
        moved: impl Fn(&Access) -> isl::Result<Map>,
    ) -> isl::Result<()> {
        let name = &scop.arrays[array].name;
        let own = self.scop.statements[..self.own].iter_mut().enumerate();
        let is_asked = |number: usize| statements.is_none_or(|known| known.contains(&StatementId(number)));
        for (_, statement) in own.filter(|(number, _)| is_asked(*number)) {
            for access in &mut statement.accesses {
                if access.array()? == *name {
                    access.relation = moved(access)?;
                }
            }
        }
        Ok(())
    }

    /// Gives an array a place for each iteration of some loops.
    fn expand(&mut self, scop: &Scop, expansion: &Expansion) -> Result<(), Error> {
        let array = &scop.arrays[expansion.array];
        let name = self.name(&format!("{}_expanded", array.name));
        let extent = expansion.extent.iter().cloned().map(Some).collect();
        self.scop.arrays.push(Array::new(name.clone(), extent, array.element, ArrayKind::Local));
        let id = Id::new(scop.ctx(), &name)?;
        self.redirect(scop, expansion.array, None, |access| match access.kind {
            // Where each iteration has a place, nothing depends on what became of the others.
            AccessKind::Kill => Ok(access.relation.clone()),
            _ => expansion.relation(access.relation.clone(), id.clone()),
        })?;
        let number = self.placed.len();
        if let Some(last) = &expansion.last {
            // { A[e] -> A'[i, e] }
            let own = Set::universe(last.elements.space()?)?.identity()?;
            let relation = last.relation.clone().flat_range_product(own)?.set_tuple_id(DimType::Out, id)?;
            let here = Located { relation, number };
            self.copy(scop, expansion.array, last.elements.clone(), [Some(&here), None], self.at.len() - 1)?;
        }
        let placed = Placed {
            array: expansion.array,
            field: self.scop.arrays.len() - 1,
            loops: (0..expansion.loops).collect(),
            part: None,
            last_iteration: expansion.last.as_ref().map_or(Vec::new(), |last| last.iteration.clone()),
            address: (0..array.rank()).map(|dimension| Expr::Iterator(IteratorId(dimension))).collect(),
            statements: None,
            subscripts: None,
        };
        self.placed.push((number, placed));
        Ok(())
    }

    /// Has the parts of statements that keep operands follow the old ones.
    fn split(&mut self, scop: &Scop, kept: &[Kept]) -> isl::Result<Vec<Split>> {
        let mut all = Vec::new();
        for one in kept {
            let mut split = Split::of(scop, one, &mut |wanted| self.name(wanted))?;
            let (first, others) = split.parts.split_first().ok_or_else(|| isl::Error::invalid("no part"))?;
            self.scop.statements[one.statement.0] = first.clone();
            split.numbers.push(one.statement);
            for part in others {
                let statement = StatementId(self.scop.statements.len());
                self.parts.push(PartOf { statement, of: one.statement, iterations: one.iterations });
                split.numbers.push(statement);
                self.scop.statements.push(part.clone());
            }
            all.push(split);
        }
        self.own = self.scop.statements.len();
        Ok(all)
    }

    /// Has parts read operands where they are kept.
    fn keep(&mut self, kept: &Kept, split: Split) {
        let first = self.scop.arrays.len();
        self.scop.arrays.extend(split.arrays);
        for (operand, copy) in kept.operands.iter().zip(split.copies) {
            let statement = StatementId(self.scop.statements.len());
            self.scop.statements.push(copy);
            let number = self.placed.len();
            self.copies.push(Copied { statement, array: kept.array, from: None, to: Some(number) });
            let placed = Placed {
                array: kept.array,
                field: first + operand.array,
                loops: Vec::new(),
                part: None,
                last_iteration: Vec::new(),
                address: operand.address.clone(),
                statements: Some(BTreeSet::from([split.numbers[operand.part]])),
                subscripts: Some(operand.subscripts.clone()),
            };
            self.placed.push((number, placed));
        }
    }

    /// A statement that copies elements `{ A[e] }` from one place to another at one of the places for copies, if there
    /// are any; `None`: where the program has the array.
    fn copy(
        &mut self,
        scop: &Scop,
        array: usize,
        elements: Set,
        [from, to]: [Option<&Located>; 2],
        at: usize,
    ) -> isl::Result<()> {
        if elements.is_empty()? {
            return Ok(());
        }
        let position = array;
        let array = &scop.arrays[array].name;
        let word = match at {
            0 => "copy_in",
            _ if at + 1 == self.at.len() => "copy_out",
            _ => "redist",
        };
        let name = self.name(&format!("{word}_{array}"));
        let id = Id::new(self.scop.ctx(), &name)?;
        // { A[e] -> A[e] }
        let own = Set::universe(elements.space()?)?.identity()?;
        // { copy[e] -> A[e] } or { copy[e] -> F[v] }
        let relation = |place: Option<&Located>| {
            place.map_or(&own, |place| &place.relation).clone().set_tuple_id(DimType::In, id.clone())
        };
        let mut access = |kind, suffix: &str, relation| {
            let reference = self.name(&format!("{name}_{suffix}"));
            Access::new(reference, kind, relation)
        };
        let accesses =
            vec![access(AccessKind::Read, "r", relation(from)?), access(AccessKind::MustWrite, "w", relation(to)?)];
        let domain = elements.set_tuple_id(id)?.gist_params(self.scop.context.clone())?;
        let (side_effect, may_trap, text) = (false, false, format!("copy of {array}"));
        self.scop.statements.push(Statement {
            name,
            domain,
            accesses,
            side_effect,
            may_trap,
            copy: true,
            reduction: None,
            block: None,
            parts: 1,
            text,
        });
        let statement = StatementId(self.scop.statements.len() - 1);
        let number = |place: Option<&Located>| place.map(|place| place.number);
        self.copies.push(Copied { statement, array: position, from: number(from), to: number(to) });
        self.at[at].push(statement);
        Ok(())
    }

    /// Gives a reduction partial results; what becomes of an order with that. The update keeps its instances.
    fn reduce(&mut self, scop: &Scop, sums: &PartialSums, order: &Schedule) -> Result<Schedule, Error> {
        let array = &scop.arrays[sums.array].name;
        let partial = self.name(&format!("{array}_partial"));
        let names = ["neutral", "combine"].map(|word| self.name(&format!("{word}_{array}")));
        let [neutral, combine] = names.each_ref().map(String::as_str);
        let references = [(neutral, "w"), (combine, "r"), (combine, "p"), (combine, "w")];
        let references = references.map(|(name, suffix)| self.name(&format!("{name}_{suffix}")));
        self.scop.arrays.push(sums.array(scop, partial.clone())?);
        let [zero, last] = sums.statements(scop, [neutral, combine], &partial, references)?;
        let updates = within(scop, scop.statement(sums.update))?;
        let update = scop.statement(sums.update);
        self.claims.push(PartialResults {
            update: update.name.clone(),
            neutral: neutral.to_owned(),
            combine: combine.to_owned(),
            former: sums.former(update)?,
            reduction: sums.reduction(&updates)?,
            combined: sums.combined(&last.domain)?,
        });
        let Some(element) = sums.element(scop, &last.accesses[0].relation)? else {
            return Err(Error::Unproved(format!("the subscripts of `{array}` are not affine")));
        };
        let first = self.scop.statements.len();
        self.scop.statements.extend([zero, last]);
        let order = Around {
            instances: &updates,
            depth: sums.depth,
            before: &sums.per_part(&updates, neutral)?,
            first: &in_order(&self.scop, StatementId(first))?,
            after: &sums.per_part(&updates, combine)?,
            last: &in_order(&self.scop, StatementId(first + 1))?,
        }
        .inserted(order)?;
        let number = self.placed.len();
        let beside = sums.line(scop).map(|_| Expr::Const(0));
        self.reduced.push(Reduced {
            update: sums.update,
            former: sums.former_iterators(updates.dim(DimType::SET)?)?,
            neutral: StatementId(first),
            combine: StatementId(first + 1),
            partial: {
                let number = Expr::Iterator(IteratorId(0));
                std::iter::once(number).chain(element.iter().cloned()).chain(beside.clone()).collect()
            },
            element,
            placed: number,
        });
        let placed = Placed {
            array: sums.array,
            field: self.scop.arrays.len() - 1,
            loops: Vec::new(),
            part: Some(sums.split),
            last_iteration: Vec::new(),
            address: {
                let own = (0..scop.arrays[sums.array].rank()).map(|one| Expr::Iterator(IteratorId(one)));
                own.chain(beside).collect()
            },
            statements: Some(BTreeSet::from([sums.update])),
            subscripts: None,
        };
        self.placed.push((number, placed));
        order.ok_or_else(|| Error::Unproved("there are no loops around all of it".to_owned()))
    }

    /// Has the updates of reductions their new instances, and gather values in partial results.
    fn renumber(&mut self, all: &[PartialSums]) -> isl::Result<()> {
        for (sums, reduced) in all.iter().zip(&self.reduced) {
            let former = sums.former(self.scop.statement(sums.update))?;
            let (old, partial) = (&self.scop.arrays[sums.array].name, &self.placed[reduced.placed].1);
            let partial = Id::new(self.scop.ctx(), &self.scop.arrays[partial.field].name)?;
            let others = self.scop.domain()?.union(self.scop.kill_domain()?)?;
            let update = &self.scop.statements[sums.update.0];
            let own = within(&self.scop, update)?.to_union_set()?;
            let domain = former.clone().intersect_range(update.domain.clone())?.domain()?.coalesce()?;
            let mut accesses = update.accesses.clone();
            for access in &mut accesses {
                let relation = former.clone().apply_range(access.relation.clone())?;
                access.relation = if access.array()? == *old {
                    let part = sums.part(&domain)?.flat_range_product(sums.beside(&self.scop, relation)?)?;
                    part.set_tuple_id(DimType::Out, partial.clone())?
                } else {
                    relation
                };
                access.relation = access.relation.clone().gist_domain(domain.clone())?;
            }
            // What the others are, they stay.
            let former = former.to_union_map()?.union(others.subtract(own)?.identity()?)?;
            let former = UnionPwMultiAff::from_union_map(former)?;
            self.scop.schedule = self.scop.schedule.clone().pullback_union_pw_multi_aff(former)?;
            let update = &mut self.scop.statements[sums.update.0];
            (update.domain, update.accesses) = (domain, accesses);
        }
        Ok(())
    }

    /// An order with copies before, after, and between its parts.
    fn schedule(&mut self, order: Schedule, redistributions: &[Redistribution]) -> Result<(), Error> {
        let mut rest = order;
        let mut all: Vec<Schedule> = Vec::new();
        let mut copies = self.at.iter();
        let mut copied = |all: &mut Vec<Schedule>| -> isl::Result<()> {
            for &copy in copies.next().into_iter().flatten() {
                all.push(in_order(&self.scop, copy)?);
            }
            Ok(())
        };
        copied(&mut all)?;
        for here in redistributions {
            let earlier = here.earlier(&self.scop)?;
            let others = rest.domain()?.subtract(earlier.clone())?;
            all.push(rest.clone().intersect_domain(earlier)?);
            rest = rest.intersect_domain(others)?;
            copied(&mut all)?;
        }
        all.push(rest);
        copied(&mut all)?;
        let whole = all.into_iter().map(Ok).reduce(|one, next| one?.sequence(next?));
        self.scop.schedule = whole.unwrap_or_else(|| Err(isl::Error::invalid("no schedule")))?;
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
