//! Kernels: how many blocks and threads they have, and which values of members are for which of them.
//!
//! A mark `grid` or `threads` says that value `v` of a member is for number `v mod n` along an axis, or for number `v`.
//! In the second case that becomes a filter right below the kernel's mark, in terms of a new parameter that stands for
//! the number of the block at hand (ppcg report, section 5.1 and Listing 9). In the first case isl would lose some of
//! the remainders: it makes the code of all values, and what is left of each loop for the block and the thread at hand
//! is found from its bounds when that code is translated (`share`). What no mark assigns along an axis that the kernel
//! has is for number 0 there.
//!
//! How many blocks there are is at most the `n` of the axis, if it has one, and not more than have anything to do; that
//! number is in terms of parameters and of the loops of the host around the kernel.

use super::Error;
use super::marks::{Kind, in_one_piece, members_below};
use crate::footprint::in_as_parameters;
use crate::isl::{
    self, AstBuild, AstExpr, DimType, Id, NodeType, PwAff, Schedule, ScheduleNode, Set, UnionMap, UnionPwAff, UnionSet,
    Val,
};
use crate::schedule_tree::band::{has_mark_below, mark, tuple};
use crate::schedule_tree::{Mark, has_mark};
use crate::scop::{Scop, Statement};

/// The axes of a kernel.
#[derive(Debug, Clone)]
pub(super) struct Axes {
    /// Blocks, x last.
    pub blocks: Vec<Counted>,
    /// Threads of a block, x last.
    pub threads: Vec<Counted>,
}

/// How many blocks or threads there are along an axis.
#[derive(Debug, Clone)]
pub(super) struct Counted {
    /// What stands for the number at hand in isl's AST, where each value of a member has a number of its own.
    pub name: Option<String>,
    /// They are at most so many; `None` where each value of a member has one of its own.
    pub most: Option<u32>,
    /// In terms of parameters and of iterators around the kernel, numbers of which the greatest is enough; none where
    /// there always are `most`.
    pub extent: Vec<AstExpr>,
    /// The same in terms of parameters alone: isl leaves iterators out of its AST that have but one value.
    pub wide: Vec<AstExpr>,
}

/// Members of a mark: `{ S[i] -> [(v)] }` and the number `n` of their axis, x last; 0 for one of its own for each
/// value.
type Mapped = Vec<(UnionPwAff, u32)>;

/// The marks in a kernel.
struct Marks {
    blocks: Vec<Mapped>,
    threads: Vec<Mapped>,
}

impl Marks {
    /// Reads them; `None` if there is one without the members that it speaks of, or inside of another of its kind.
    fn of_kernel(kernel: &ScheduleNode) -> isl::Result<Option<Marks>> {
        let mut marks = Marks { blocks: Vec::new(), threads: Vec::new() };
        // The instances under marks `grid` and under marks `threads`: `{ S[i] }`
        let none = UnionSet::empty(kernel.domain()?.space()?)?;
        let (mut in_blocks, mut in_threads, mut misplaced) = (none.clone(), none, false);
        kernel.for_each_descendant_top_down(&mut |node| {
            let Some(decision) = mark(node)? else { return Ok(true) };
            let Some(sizes) = decision.axes() else { return Ok(true) };
            let members = members_below(node)?;
            misplaced |= members.len() < sizes.len();
            let mapped = members.into_iter().zip(sizes.iter().copied()).collect();
            let (list, covered) = match decision {
                Mark::Grid { .. } => (&mut marks.blocks, &mut in_blocks),
                _ => (&mut marks.threads, &mut in_threads),
            };
            misplaced |= !covered.is_disjoint(&node.domain()?)?;
            list.push(mapped);
            *covered = covered.clone().union(node.domain()?)?;
            Ok(true)
        })?;
        Ok((!misplaced).then_some(marks))
    }
}

/// More pieces than this make no number of blocks that is worth computing.
const MOST_PIECES: usize = 8;

/// Members of which it is not known how many blocks have something to do are spread over so few blocks that all of them
/// may be started.
const FEW_BLOCKS: u32 = 64;

/// Assigns instances to blocks and threads, in all kernels of a tree. The axes of the kernels, in the order in which
/// the tree has their marks. `iterators` are the names of loops by depth.
///
/// # Errors
/// Those of isl, and marks without the members that they speak of.
pub(super) fn assign(scop: &Scop, schedule: Schedule, iterators: &[String]) -> Result<(Schedule, Vec<Axes>), Error> {
    let mut kernels = Vec::new();
    if !has_mark(&schedule, &Mark::Kernel)? {
        return Ok((schedule, kernels));
    }
    let taken = scop.context.space()?.dim_names(DimType::Param)?;
    let kernel = Kernels { scop, taken, iterators };
    let mut failure = None;
    let root = schedule.root()?.map_descendant_bottom_up(&mut |node| {
        if node.node_type()? == NodeType::Band && has_mark_below(&node, &Mark::Kernel)? {
            // Loops of the host that are cut in pieces would have a launch in each. (Two launches of a kernel are left
            // where it has statements in blocks of their own that have no number in common.)
            let members = node.band_n_member()?;
            return in_one_piece(node, members);
        }
        if failure.is_some() || mark(&node)? != Some(Mark::Kernel) {
            return Ok(node);
        }
        let (node, axes) = kernel.assign(node)?;
        match axes {
            Ok(axes) => kernels.push(axes),
            Err(error) => failure = Some(error),
        }
        Ok(node)
    })?;
    match failure {
        Some(error) => Err(error),
        None => Ok((root.schedule()?, kernels)),
    }
}

struct Kernels<'a> {
    scop: &'a Scop,
    /// The names of parameters.
    taken: Vec<String>,
    /// The names of loops by depth.
    iterators: &'a [String],
}

impl Kernels<'_> {
    /// The axes of a kernel; the result is at its mark.
    fn assign(&self, node: ScheduleNode) -> isl::Result<(ScheduleNode, Result<Axes, Error>)> {
        let Some(marks) = Marks::of_kernel(&node)? else {
            return Ok((
                node,
                Err(Error::unsupported(
                    "a mark `grid` or `threads` of more members than its band has, or inside of another",
                )),
            ));
        };
        let (blocks, filter) = self.axes(&node, &marks.blocks, Kind::Blocks)?;
        let (threads, _) = self.axes(&node, &marks.threads, Kind::Threads)?;
        let context = context(&node, blocks.iter().filter_map(|axis| axis.name.as_deref()))?;
        // Who executes an instance does not depend on loops being cut in pieces, which would only make more code.
        let node = node.map_descendant_bottom_up(&mut |inner| match mark(&inner)? {
            Some(Mark::Threads { sizes } | Mark::Grid { sizes }) => in_one_piece(inner, sizes.len()),
            _ => Ok(inner),
        })?;
        let below = node.first_child()?.insert_filter(filter)?.insert_context(context)?;
        Ok((below.parent()?, Ok(Axes { blocks, threads })))
    }

    /// The axes that marks of a kernel speak of, x last, and the instances for the numbers that names stand for.
    fn axes(&self, kernel: &ScheduleNode, marks: &[Mapped], kind: Kind) -> isl::Result<(Vec<Counted>, UnionSet)> {
        let count = marks.iter().map(Vec::len).max().unwrap_or_default();
        let (mut axes, mut filter) = (Vec::new(), kernel.domain()?);
        for from_x in (0..count).rev() {
            let along: Mapped = marks.iter().filter_map(|mark| mark.iter().rev().nth(from_x).cloned()).collect();
            // Where one mark has a block for each value, all have.
            let least = along.iter().map(|(_, size)| *size).min().filter(|size| *size > 0);
            let most = least.and_then(|_| along.iter().map(|(_, size)| *size).max());
            let mut axis = Counted { name: None, most, extent: Vec::new(), wide: Vec::new() };
            if kind == Kind::Blocks {
                self.count_blocks(kernel, &along, &mut axis)?;
            }
            if axis.most.is_none() {
                let name = self.fresh(from_x);
                filter = filter.intersect(at_hand(kernel, &along, &name)?)?;
                axis.name = Some(name);
            }
            axes.push(axis);
        }
        Ok((axes, filter))
    }

    /// A name for an axis that no parameter has.
    fn fresh(&self, from_x: usize) -> String {
        let mut name = format!("b{from_x}");
        while self.taken.contains(&name) {
            name.push('_');
        }
        name
    }

    /// Counts the blocks along an axis.
    fn count_blocks(&self, kernel: &ScheduleNode, along: &Mapped, blocks: &mut Counted) -> isl::Result<()> {
        if let Some(count) = self.count(kernel, along)? {
            blocks.wide = said(self.scop, self.without_host(count.clone())?)?;
            // Too many pieces of the one are too many of the other.
            blocks.extent = if blocks.wide.is_empty() { Vec::new() } else { said(self.scop, count)? };
        }
        // What is not assigned along the axis needs a block even where nothing else does.
        if !blocks.extent.is_empty() && !unassigned(kernel, along)?.is_empty()? {
            blocks.extent.push(one_block(self.scop)?);
            blocks.wide.push(one_block(self.scop)?);
        }
        if blocks.extent.is_empty() {
            blocks.most = Some(blocks.most.map_or(FEW_BLOCKS, |most| most.min(FEW_BLOCKS)));
        }
        Ok(())
    }

    /// How many values there are from 0 to each one of members, in terms of parameters and of the host's loops around;
    /// `None` if values may be negative, so that the numbers that their remainders are do not begin at 0.
    fn count(&self, kernel: &ScheduleNode, along: &Mapped) -> isl::Result<Option<Set>> {
        let ctx = kernel.ctx();
        let prefix = kernel.prefix_schedule()?;
        let host = prefix.size()?;
        let one = Val::int(ctx, 1)?;
        // [p, c0, …] -> { [v + 1] }
        let mut values: Option<Set> = None;
        for (member, _) in along {
            let behind = member.clone().add(UnionPwAff::val_on_domain(member.clone().domain()?, one.clone())?)?;
            let member = UnionMap::from_multi_union_pw_aff(tuple(ctx, &[behind])?)?;
            let member = member.intersect_domain(kernel.domain()?)?;
            if member.is_empty()? {
                continue;
            }
            let found = if host == 0 {
                member.range()?.as_set()?
            } else {
                let dates = UnionMap::from_multi_union_pw_aff(prefix.clone())?.reverse()?;
                in_as_parameters(dates.apply_range(member)?.as_map()?, &self.iterators[..host])?
            };
            values = Some(match values {
                Some(known) => known.union(found)?,
                None => found,
            });
        }
        let Some(values) = values else { return Ok(None) };
        let bounded = values.dim_has_lower_bound(DimType::SET, 0)? && values.dim_has_upper_bound(DimType::SET, 0)?;
        if values.is_empty()? || !bounded {
            return Ok(None);
        }
        let least = values.clone().dim_min_val(0)?;
        if !least.is_int()? || least.lt(&one)? {
            return Ok(None);
        }
        values.coalesce().map(Some)
    }

    /// Numbers `[p, c0, …] -> { [n] }` for all values of the host's loops: `[p] -> { [n] }`.
    fn without_host(&self, numbers: Set) -> isl::Result<Set> {
        let mut numbers = numbers;
        for name in self.iterators {
            let names = numbers.space()?.dim_names(DimType::Param)?;
            if let Some(position) = names.iter().position(|known| known == name) {
                numbers = numbers.project_out(DimType::Param, position, 1)?;
            }
        }
        Ok(numbers)
    }
}

/// The instances of a kernel that no member assigns along an axis.
fn unassigned(kernel: &ScheduleNode, along: &Mapped) -> isl::Result<UnionSet> {
    along.iter().try_fold(kernel.domain()?, |rest, (member, _)| rest.subtract(member.clone().domain()?))
}

/// The instances of a kernel for the number along an axis that a name stands for, which is the value of a member; what
/// no member assigns is for 0.
fn at_hand(kernel: &ScheduleNode, along: &Mapped, name: &str) -> isl::Result<UnionSet> {
    let (ctx, domain) = (kernel.ctx(), kernel.domain()?);
    let mut number = UnionPwAff::val_on_domain(unassigned(kernel, along)?, Val::int(ctx, 0)?)?;
    for (member, _) in along {
        number = number.union_add(member.clone())?;
    }
    number.sub(UnionPwAff::param_on_domain_id(domain, Id::new(ctx, name)?)?)?.zero_union_set()
}

/// What holds of the numbers of the block at hand: `[b0, …] -> { [h] : 0 <= b0 }`, where `h` are the dates of the bands
/// above.
fn context<'a>(node: &ScheduleNode, names: impl Iterator<Item = &'a str>) -> isl::Result<Set> {
    let names: Vec<&str> = names.collect();
    let bounds: Vec<String> = names.iter().map(|name| format!("0 <= {name}")).collect();
    let condition = if bounds.is_empty() { String::new() } else { format!(" : {}", bounds.join(" and ")) };
    let host: Vec<String> = (0..node.schedule_depth()?).map(|depth| format!("h{depth}_")).collect();
    Set::parse(node.ctx(), &format!("[{}] -> {{ [{}] {condition} }}", names.join(", "), host.join(", ")))
}

/// Numbers of which the greatest is enough, as isl's AST says them, for numbers of blocks `[p, c0, …] -> { [n] }`: the
/// greatest of these in pieces, each taken for all parameters. None where there are too many pieces.
fn said(scop: &Scop, counts: Set) -> isl::Result<Vec<AstExpr>> {
    let pieces = counts.lexmax()?.coalesce()?.basic_set_list()?.to_vec()?;
    if pieces.len() > MOST_PIECES {
        return Ok(Vec::new());
    }
    let one = |piece: isl::BasicSet| {
        let count = piece.to_set()?.dim_max(0)?;
        let context = scop.context.clone().align_params(count.space()?)?;
        AstBuild::from_context(context)?.expr_from_pw_aff(count)
    };
    pieces.into_iter().map(one).collect()
}

/// The number one.
fn one_block(scop: &Scop) -> isl::Result<AstExpr> {
    let one = PwAff::val_on_domain(scop.context.clone(), Val::int(scop.ctx(), 1)?)?;
    AstBuild::from_context(scop.context.clone())?.expr_from_pw_aff(one)
}

/// The value of a member for an instance of a statement, in terms of parameters and of the instance's numbers by these
/// names.
pub(super) fn value(scop: &Scop, member: &UnionPwAff, statement: &Statement, names: &[String]) -> isl::Result<AstExpr> {
    let member = member.clone().intersect_domain(statement.domain.clone().to_union_set()?)?;
    let pairs = UnionMap::from_multi_union_pw_aff(tuple(scop.ctx(), &[member])?)?.as_map()?;
    let values = in_as_parameters(pairs, names)?.dim_max(0)?;
    let context = scop.context.clone().align_params(values.space()?)?;
    AstBuild::from_context(context)?.expr_from_pw_aff(values)
}
