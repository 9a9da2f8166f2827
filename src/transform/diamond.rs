//! Diamond tiles: all tiles along a grid start at the same time (V. Bandishti, I. Pananilath, U. Bondhugula, "Tiling stencil
//! computations to maximize parallelism", SC 2012).
//!
//! A loop over time `t` around a stencil has a band `t, x` with `x` skewed, so that no dependence goes backwards along either. Tiles of
//! it wait for the one before them along the grid; threads get to work one after the other along a wavefront, and where there are
//! few steps of time, there are as few tiles in each. But points also need nothing from *ahead* of them by more than a step brings:
//! there is a factor `a` such that no dependence goes backwards along `a t - x` either. Tiles of both, `x` and `a t - x`, are diamonds
//! about the axis of time. Those with the same sum of their places, a front, wait for none of each other, and a front is as wide
//! as the grid.
//!
//! Statements that follow each other in a step need a shift each, `a t - x + c[S]`. With `w[S, T]` the greatest `x' - x - a (t' - t)` of
//! all dependences from `S` to `T`, they are right if `c[T] - c[S] >= w[S, T]`: as long as no cycle has a positive sum, longest
//! paths are such shifts. The least factor that has some is taken, which makes tiles highest.
//!
//! Within a tile points keep the order of the band, so that rows are what they were. Sweeps in place (Gauss and Seidel) need the row
//! before them in the same step, which no factor allows.

use crate::isl::{Map, NodeType, Result, Schedule, ScheduleConstraints, ScheduleNode, Set, UnionMap, UnionPwAff, Val};
use crate::schedule_tree::band::{Band, insert_mark, is_tiled, origin, tuple};
use crate::schedule_tree::{Mark, TileSizes};

/// The greatest factor that is tried: the slope of a stencil of order 8, between two grids in turns.
const STEEPEST: i64 = 32;

/// The most statements of a band; the shifts take their third power.
const MOST_STATEMENTS: usize = 32;

/// Cuts permutable bands without a coincident member into diamonds, in fronts that wait for each other, and no tile of one for another.
/// The sizes are those of the members over tiles: `x`, `a t - x`, and the others. `None` where there are none.
///
/// The result is `tile > wavefront > [sum] > tile > [a t - x, others] > point > [t, x, others]`.
///
/// # Errors
/// Those of isl.
pub fn diamonds(tree: &Schedule, constraints: &ScheduleConstraints, sizes: &TileSizes) -> Result<Option<Schedule>> {
    let mut found = false;
    let mut rewrite = |node: ScheduleNode| {
        let Some(band) = open_band(&node)? else { return Ok(node) };
        let Some(diamond) = Diamond::of(&node, &band, constraints)? else { return Ok(node) };
        found = true;
        diamond.cut(node, &band, sizes)
    };
    let tree = tree.root()?.map_descendant_bottom_up(&mut rewrite)?.schedule()?;
    Ok(found.then_some(tree))
}

/// A band at a node that has no tiles yet, nor threads without them.
fn open_band(node: &ScheduleNode) -> Result<Option<Band>> {
    if node.node_type()? != NodeType::Band || is_tiled(node)? {
        return Ok(None);
    }
    let band = Band::read(node)?;
    Ok((band.permutable && band.members.len() > 1 && !band.coincident.contains(&true)).then_some(band))
}

/// A second way across a band.
struct Diamond {
    /// The member that is `x`.
    member: usize,
    /// `{ S[i] -> [(a t - x + c[S])] }`
    against: UnionPwAff,
}

/// What dependences from one statement to another bring.
struct Pair {
    from: usize,
    to: usize,
    /// `{ [t' - t, x' - x] }`
    steps: Set,
}

impl Diamond {
    /// Against the first member after time that has one.
    fn of(node: &ScheduleNode, band: &Band, constraints: &ScheduleConstraints) -> Result<Option<Diamond>> {
        let statements: Vec<Set> = node.domain()?.named_sets()?.into_values().collect();
        if statements.len() > MOST_STATEMENTS {
            return Ok(None);
        }
        let pending = pending(node, constraints)?;
        for member in 1..band.members.len() {
            let pairs = pairs(&pending, &statements, [&band.members[0], &band.members[member]])?;
            if let Some((factor, shifts)) = least_factor(statements.len(), &pairs)? {
                let against = against(band, member, factor, statements.iter().zip(shifts))?;
                return Ok(Some(Diamond { member, against }));
            }
        }
        Ok(None)
    }

    /// Tiles in the place of a band that is at a node, and the band as it is within them.
    fn cut(self, node: ScheduleNode, band: &Band, sizes: &TileSizes) -> Result<ScheduleNode> {
        let others = (1..band.members.len()).filter(|member| *member != self.member);
        let along = &band.members[self.member];
        let mut members = vec![origin(&self.against, sizes.at(1, 1))?];
        for (place, other) in others.enumerate() {
            members.push(origin(&band.members[other], sizes.at(1, place + 2))?);
        }
        let place =
            |member: &UnionPwAff, size: u32| member.clone().scale_down(Val::int(member.ctx(), size.into())?)?.floor();
        let front = place(along, sizes.at(1, 0))?.add(place(&self.against, sizes.at(1, 1))?)?;
        let coincident = (0..members.len()).map(|member| member == 0).collect();
        let tiles = Band { members, coincident, permutable: true };
        let front = Band { members: vec![front], coincident: vec![false], permutable: true };
        let tiles = insert_mark(tiles.insert(insert_mark(node, &Mark::Point)?)?, &Mark::TILE)?;
        insert_mark(insert_mark(front.insert(tiles)?, &Mark::Wavefront)?, &Mark::TILE)
    }
}

/// All pairs of instances of a band, of which the first has to come first, and that what is around leaves together.
fn pending(node: &ScheduleNode, constraints: &ScheduleConstraints) -> Result<UnionMap> {
    let conditioned = constraints.conditional_validity()?.factor_domain()?;
    let all = constraints.validity()?.union(constraints.coincidence()?)?.union(conditioned)?;
    let domain = node.domain()?;
    let pending = all.intersect_domain(domain.clone())?.intersect_range(domain)?;
    let prefix = node.prefix_schedule()?;
    if prefix.size()? > 0 { pending.eq_at(prefix) } else { Ok(pending) }
}

/// What the dependences between each two statements bring along two members.
fn pairs(pending: &UnionMap, statements: &[Set], members: [&UnionPwAff; 2]) -> Result<Vec<Pair>> {
    // { S[i] -> [t, x] }
    let times = UnionMap::from_multi_union_pw_aff(tuple(pending.ctx(), &members.map(Clone::clone))?)?;
    let mut found = Vec::new();
    for (from, first) in statements.iter().enumerate() {
        let after = pending.clone().intersect_domain(first.clone().to_union_set()?)?;
        for (to, second) in statements.iter().enumerate() {
            let between = after.clone().intersect_range(second.clone().to_union_set()?)?;
            if !between.is_empty()? {
                let between = between.apply_domain(times.clone())?.apply_range(times.clone())?;
                found.push(Pair { from, to, steps: between.as_map()?.deltas()?.coalesce()? });
            }
        }
    }
    Ok(found)
}

/// The least factor that has shifts, with those, if none of the pairs goes backwards along one of the two members.
fn least_factor(statements: usize, pairs: &[Pair]) -> Result<Option<(i64, Vec<i64>)>> {
    for pair in pairs {
        let backwards = Set::parse(pair.steps.ctx(), "{ [t, x] : t < 0 or x < 0 }")?;
        if !pair.steps.is_disjoint(&backwards)? {
            return Ok(None);
        }
    }
    // As no time goes backwards, what has shifts has some with each greater factor.
    let Some(mut found) = shifts(statements, pairs, STEEPEST)? else { return Ok(None) };
    let (mut without, mut least) = (0, STEEPEST);
    while least - without > 1 {
        let middle = (without + least) / 2;
        match shifts(statements, pairs, middle)? {
            Some(shifts) => (least, found) = (middle, shifts),
            None => without = middle,
        }
    }
    Ok(Some((least, found)))
}

/// The shifts of all statements with a factor, if there are some.
fn shifts(statements: usize, pairs: &[Pair], factor: i64) -> Result<Option<Vec<i64>>> {
    let mut edges = Vec::new();
    for pair in pairs {
        let Some(most) = most(&pair.steps, factor)? else { return Ok(None) };
        edges.push((pair.from, pair.to, most));
    }
    let mut shifts = vec![0i64; statements];
    for _ in 0..=statements {
        let mut changed = false;
        for (from, to, most) in &edges {
            let least = shifts[*from].saturating_add(*most);
            if shifts[*to] < least {
                shifts[*to] = least;
                changed = true;
            }
        }
        if !changed {
            return Ok(Some(shifts));
        }
    }
    Ok(None)
}

/// The greatest `x - a t` of some `{ [t, x] }`, if there is one.
fn most(steps: &Set, factor: i64) -> Result<Option<i64>> {
    let ahead = Map::parse(steps.ctx(), &format!("{{ [t, x] -> [x - {factor} t] }}"))?;
    let most = steps.clone().apply(ahead)?.dim_max_val(0)?;
    if most.is_int()? { most.as_i64() } else { Ok(None) }
}

/// `{ S[i] -> [(a t - x + c[S])] }`
fn against<'s>(
    band: &Band,
    member: usize,
    factor: i64,
    shifts: impl Iterator<Item = (&'s Set, i64)>,
) -> Result<UnionPwAff> {
    let (time, along) = (&band.members[0], &band.members[member]);
    let ctx = time.ctx();
    let apart = time.clone().scale(Val::int(ctx, factor)?)?.sub(along.clone())?;
    let mut shifted: Option<UnionPwAff> = None;
    for (statement, shift) in shifts {
        let domain = statement.clone().to_union_set()?.universe()?;
        let shift = UnionPwAff::val_on_domain(domain.clone(), Val::int(ctx, shift)?)?;
        let own = apart.clone().intersect_domain(domain)?.add(shift)?;
        shifted = Some(match shifted {
            Some(others) => others.union_add(own)?,
            None => own,
        });
    }
    shifted.map_or(Ok(apart), Ok)
}
