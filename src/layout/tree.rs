//! The tree of fields that maps make (section 4.2): a sequence for each scalar dimension, a band for each other one.

use super::Error;
use super::map::{self, LayoutMap, Pad};
use super::token::DirectiveError;
use crate::codegen::Expr;
use crate::isl::{self, PwAff, Set, Val};
use crate::scop::Scop;

/// The tree of a layout's fields.
#[derive(Debug, Clone)]
pub enum Tree {
    /// Fields one after the other, by the numbers in a scalar dimension.
    Sequence(Vec<Tree>),
    /// As many fields as the dimension is long.
    Band {
        /// How long it is: `[p] -> { [(l)] }`.
        length: PwAff,
        /// Each of them.
        child: Box<Tree>,
    },
    /// One element, of these maps.
    Leaf(Vec<usize>),
}

/// Where a map's dimensions are in the tree: the child of a sequence, or nothing for a band.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Path(pub Vec<Option<usize>>);

/// A map with what its dimensions are.
struct Member<'a> {
    map: &'a LayoutMap,
    position: usize,
    /// `[p] -> { [v] }`: the addresses of elements
    addresses: Set,
}

impl Tree {
    /// The tree of a layout, and where each map's dimensions are in it.
    ///
    /// # Errors
    /// [`DirectiveError`] where a dimension is a number in one map and not in another with the same numbers before, or
    /// addresses may be negative; failures of isl.
    pub(super) fn of(scop: &Scop, maps: &[LayoutMap]) -> Result<(Self, Vec<Path>), Error> {
        let mut members = Vec::new();
        for (position, map) in maps.iter().enumerate() {
            let addresses = map.elements(scop)?.apply(map.relation(scop)?)?;
            not_negative(scop, map, &addresses)?;
            members.push(Member { map, position, addresses });
        }
        let mut paths = vec![Path(Vec::new()); maps.len()];
        let tree = build(scop, &members.iter().collect::<Vec<_>>(), 0, &mut paths)?;
        Ok((tree, paths))
    }
}

fn not_negative(scop: &Scop, map: &LayoutMap, addresses: &Set) -> Result<(), Error> {
    for dimension in 0..map.address.len() {
        let position = i32::try_from(dimension).unwrap_or(i32::MAX);
        let least = addresses.clone().dim_min(position)?;
        let zero = PwAff::val_on_domain(least.clone().domain()?, Val::int(scop.ctx(), 0)?)?;
        if !least.clone().lt_set(zero)?.intersect(scop.context.clone())?.is_empty()? {
            let name = &scop.arrays[map.array].name;
            let text = format!("dimension {dimension} of the address of `{name}` may be negative: add what is missing");
            return Err(map.place.error(text).into());
        }
    }
    Ok(())
}

fn build(scop: &Scop, members: &[&Member<'_>], depth: usize, paths: &mut [Path]) -> Result<Tree, Error> {
    let ended = members.iter().filter(|member| member.map.address.len() == depth).count();
    if ended == members.len() {
        return Ok(Tree::Leaf(members.iter().map(|member| member.position).collect()));
    }
    let number = |member: &Member<'_>| member.map.address.get(depth).and_then(|one| one.as_constant());
    let scalars = members.iter().filter(|member| number(member).is_some()).count();
    if ended > 0 || (scalars > 0 && scalars < members.len()) {
        return Err(disagreement(scop, members, depth).into());
    }
    if scalars == 0 {
        members.iter().for_each(|member| paths[member.position].0.push(None));
        return Ok(Tree::Band {
            length: length(scop, members, depth)?,
            child: Box::new(build(scop, members, depth + 1, paths)?),
        });
    }
    let mut numbers: Vec<i64> = members.iter().filter_map(|member| number(member)).collect();
    numbers.sort_unstable();
    numbers.dedup();
    let mut children = Vec::new();
    for (child, one) in numbers.iter().enumerate() {
        let members: Vec<&Member<'_>> = members.iter().copied().filter(|member| number(member) == Some(*one)).collect();
        members.iter().for_each(|member| paths[member.position].0.push(Some(child)));
        children.push(build(scop, &members, depth + 1, paths)?);
    }
    Ok(Tree::Sequence(children))
}

/// How long a dimension is: one more than the greatest value of any map, and what it is padded by. A remainder may be
/// anything below its divisor, so that tiles are whole and what is between them is a constant.
fn length(scop: &Scop, members: &[&Member<'_>], depth: usize) -> isl::Result<PwAff> {
    let mut longest: Option<PwAff> = None;
    for member in members {
        if let Expr::Mod(_, divisor) = &member.map.address[depth] {
            let everywhere = Set::universe(scop.context.space()?)?;
            let more = match member.map.pads[depth] {
                Pad::By(more) => i64::from(more),
                Pad::To(multiple) => (i64::from(multiple) - divisor.rem_euclid(multiple.into())) % i64::from(multiple),
            };
            let length = Val::int(scop.ctx(), divisor.saturating_add(more))?;
            longest = Some(longer(longest, PwAff::val_on_domain(everywhere, length)?)?);
            continue;
        }
        let length = match member.map.pads[depth] {
            Pad::By(more) => map::length(scop, &member.addresses, depth, i64::from(more) + 1)?,
            Pad::To(multiple) => {
                let multiple = Val::int(scop.ctx(), multiple.into())?;
                let least = map::length(scop, &member.addresses, depth, 1)?;
                least.scale_down(multiple.clone())?.ceil()?.scale(multiple)?
            }
        };
        longest = Some(longer(longest, length)?);
    }
    let longest = longest.ok_or_else(|| isl::Error::invalid("a dimension of no map"))?;
    longest.coalesce()
}

fn longer(known: Option<PwAff>, length: PwAff) -> isl::Result<PwAff> {
    match known {
        None => Ok(length),
        Some(known) => known.max(length),
    }
}

fn disagreement(scop: &Scop, members: &[&Member<'_>], depth: usize) -> DirectiveError {
    let kind = |member: &Member<'_>| match member.map.address.get(depth) {
        None => "ends before it",
        Some(one) if one.as_constant().is_some() => "is a number there",
        Some(_) => "is none",
    };
    let name = |member: &Member<'_>| scop.arrays[member.map.array].name.clone();
    let first = members[0];
    let other = members.iter().find(|member| kind(member) != kind(first)).unwrap_or(&first);
    other.map.place.error(format!(
        "dimension {depth} of addresses: that of `{}` {}, that of `{}` {}",
        name(first),
        kind(first),
        name(other),
        kind(other)
    ))
}

impl Tree {
    /// How long the dimensions of a box are that holds the fields, those of a part that is less deep filled with zeros:
    /// the number of a sequence's children, or how long a band is.
    pub(super) fn extents(&self, scop: &Scop) -> isl::Result<Vec<PwAff>> {
        let children: Vec<&Tree> = match self {
            Tree::Leaf(_) => return Ok(Vec::new()),
            Tree::Sequence(children) => children.iter().collect(),
            Tree::Band { child, .. } => vec![child],
        };
        let own = match self {
            Tree::Band { length, .. } => length.clone(),
            _ => {
                let count = i64::try_from(children.len()).unwrap_or(i64::MAX);
                let everywhere = Set::universe(scop.context.space()?)?;
                PwAff::val_on_domain(everywhere, Val::int(scop.ctx(), count)?)?
            }
        };
        let mut below: Vec<PwAff> = Vec::new();
        for child in children {
            for (dimension, extent) in child.extents(scop)?.into_iter().enumerate() {
                match below.get_mut(dimension) {
                    Some(known) => *known = known.clone().max(extent)?.coalesce()?,
                    None => below.push(extent),
                }
            }
        }
        Ok(std::iter::once(own).chain(below).collect())
    }
}
