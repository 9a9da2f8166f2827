//! The dependence that forbids a step, as points of a small region.

use crate::check::legality::{self, CheckError, Violation};
use crate::dependence::Dependences;
use crate::isl::{self, DimType, Map, Point, Schedule, Set, UnionMap};
use crate::scop::{Access, Scop};
use serde::{Serialize, Serializer};
use std::fmt;

/// What passes from the first of two instances to the second.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum DependenceKind {
    /// A value.
    Flow,
    /// The first reads what the second overwrites.
    Anti,
    /// Both write.
    Output,
}

/// What would become of the order of two instances.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Fate {
    /// The second would run first.
    Reversed,
    /// Nothing would say which one runs first.
    Unordered,
}

/// Names with values, in order; an object in JSON.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Values(pub Vec<(String, i64)>);

/// One end of a dependence.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct End {
    /// The statement.
    pub statement: String,
    /// Its text, as the region has it; may be empty.
    pub text: String,
    /// The access, by its name in the region.
    pub reference: String,
    /// The instance.
    pub point: Values,
}

/// Two instances whose order a tree does not keep, and must.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Forbidding {
    /// What passes from one to the other.
    pub kind: DependenceKind,
    /// The array.
    pub array: String,
    /// The element, as in a program.
    pub element: String,
    /// The one that runs first originally.
    pub source: End,
    /// The other one.
    pub target: End,
    /// The sizes at which the points are instances.
    pub parameters: Values,
    /// What would become of them.
    pub order: Fate,
}

impl Serialize for Values {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_map(self.0.iter().map(|(name, value)| (name, value)))
    }
}

impl fmt::Display for Values {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (place, (name, value)) in self.0.iter().enumerate() {
            write!(f, "{}{name}={value}", if place == 0 { "" } else { ", " })?;
        }
        Ok(())
    }
}

impl fmt::Display for End {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}({})", self.statement, self.point)
    }
}

impl fmt::Display for Forbidding {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Forbidding { source, target, element, .. } = self;
        let (first, second, end) = match self.kind {
            DependenceKind::Flow => ("writes", "reads", "the write would run after the read"),
            DependenceKind::Anti => ("reads", "overwrites", "the read would run after the write"),
            DependenceKind::Output => ("writes", "writes again", "the first write would run after the second"),
        };
        write!(f, "{source} {first} {element}, which {target} {second}: ")?;
        f.write_str(match self.order {
            Fate::Reversed => end,
            Fate::Unordered => "nothing would say which one runs first",
        })?;
        if self.parameters.0.is_empty() { Ok(()) } else { write!(f, " (at {})", self.parameters) }?;
        let told = [source, target].into_iter().filter(|end| !end.text.is_empty());
        let mut told: Vec<String> = told.map(|end| format!("{} is `{}`", end.statement, end.text)).collect();
        told.dedup();
        told.iter().try_for_each(|text| write!(f, "\n  {text}"))
    }
}

/// The dependence behind what the checker says of a tree; `None` where no pair of instances tells it.
///
/// Of all pairs on the first array that is wrong, flow is preferred, and of these the ones that are next to each other;
/// of sizes the least.
///
/// # Errors
/// As the checker.
pub(super) fn forbidding(
    scop: &Scop,
    dependences: &Dependences,
    tree: &Schedule,
    violations: &[Violation],
) -> Result<Option<Forbidding>, CheckError> {
    let mut arrays: Vec<&String> = Vec::new();
    for array in violations.iter().filter_map(|violation| violation.array.as_ref()) {
        if !arrays.contains(&array) {
            arrays.push(array);
        }
    }
    for array in arrays {
        let turned = legality::turned(scop, tree, array)?;
        let of = Accesses::of(scop, array)?;
        for (wanted, kind) in of.kinds(dependences)? {
            for (pairs, order) in turned.iter().zip([Fate::Reversed, Fate::Unordered]) {
                let pairs = pairs.clone().intersect(wanted.clone())?;
                if let Some(found) = example(scop, &pairs, array, (kind, order))? {
                    return Ok(Some(found));
                }
            }
        }
    }
    Ok(None)
}

/// What accesses an array: `{ S[i] -> A[a] }`.
struct Accesses {
    read: UnionMap,
    written: UnionMap,
}

impl Accesses {
    fn of(scop: &Scop, array: &str) -> isl::Result<Self> {
        let none = UnionMap::empty(scop.context.space()?)?;
        let mut found = Accesses { read: none.clone(), written: none };
        for statement in &scop.statements {
            for access in &statement.accesses {
                if access.array()? != array {
                    continue;
                }
                let all = match access.kind {
                    kind if kind.is_write() => &mut found.written,
                    crate::scop::AccessKind::Read => &mut found.read,
                    _ => continue,
                };
                let relation = access.relation.clone().intersect_domain(statement.domain.clone())?;
                *all = all.clone().union(relation.to_union_map()?)?;
            }
        }
        Ok(found)
    }

    /// Pairs `{ S[i] -> T[j] }` of each kind, the better examples first: those that are next to each other, then any.
    fn kinds(&self, dependences: &Dependences) -> isl::Result<Vec<(UnionMap, DependenceKind)>> {
        let pairs = |one: &UnionMap, other: &UnionMap| one.clone().apply_range(other.clone().reverse()?);
        let flow = (pairs(&self.written, &self.read)?, DependenceKind::Flow);
        let anti = (pairs(&self.read, &self.written)?, DependenceKind::Anti);
        let output = (pairs(&self.written, &self.written)?, DependenceKind::Output);
        let near = [
            (flow.0.clone().intersect(dependences.flow.clone())?, flow.1),
            (anti.0.clone().intersect(dependences.dep_false.clone())?, anti.1),
            (output.0.clone().intersect(dependences.dep_false.clone())?, output.1),
        ];
        Ok(near.into_iter().chain([flow, anti, output]).collect())
    }
}

/// A pair among some, `{ S[i] -> T[j] }`, as an example.
fn example(
    scop: &Scop,
    pairs: &UnionMap,
    array: &str,
    (kind, order): (DependenceKind, Fate),
) -> Result<Option<Forbidding>, CheckError> {
    let mut maps = pairs.map_list()?.to_vec()?;
    let place = |map: &Map, which: DimType| -> isl::Result<usize> {
        let name = map.tuple_name(which)?.unwrap_or_default();
        Ok(scop.statement_by_name(&name).map_or(usize::MAX, |id| id.0))
    };
    let mut keyed = Vec::new();
    for map in maps.drain(..) {
        keyed.push(((place(&map, DimType::In)?, place(&map, DimType::Out)?), map));
    }
    keyed.sort_by_key(|(key, _)| *key);
    for (_, map) in keyed {
        if map.is_empty()? {
            continue;
        }
        let (point, parameters) = small(scop, &map)?;
        let pair = Set::from_point(point)?.unwrap_map()?;
        let (source, target) = (pair.clone().domain()?, pair.clone().range()?);
        let found = touching(scop, array, kind, [&source, &target])?;
        let Some((from, to, element)) = found else { continue };
        let [source, target] = [(source, from), (target, to)].map(|(set, reference)| end(scop, &set, reference));
        let array = array.to_owned();
        return Ok(Some(Forbidding { kind, array, element, source: source?, target: target?, parameters, order }));
    }
    Ok(None)
}

/// The first of some pairs at small sizes, `[S[i] -> T[j]]`, with the sizes.
fn small(scop: &Scop, map: &Map) -> isl::Result<(Point, Values)> {
    const SIZES: [i32; 10] = [1, 2, 3, 4, 5, 6, 8, 10, 16, 35];
    let pairs = map.clone().intersect_params(scop.context.clone())?.wrap()?;
    let names = pairs.space()?.dim_names(DimType::Param)?;
    for size in if names.is_empty() { &SIZES[..1] } else { &SIZES[..] } {
        let mut at = pairs.clone();
        for parameter in 0..names.len() {
            at = at.fix_si(DimType::Param, parameter, *size)?;
        }
        if !at.is_empty()? {
            let values = names.iter().map(|name| (name.clone(), i64::from(*size))).collect();
            return Ok((at.lexmin()?.sample_point()?, Values(values)));
        }
    }
    let point = pairs.sample_point()?;
    let mut values = Vec::new();
    for (place, name) in names.into_iter().enumerate() {
        values.push((name, point.coordinate(DimType::Param, i32::try_from(place).unwrap_or(0))?.to_i64()?));
    }
    Ok((point, Values(values)))
}

/// The references by which two instances, sets of one point each, come to one element, and the element.
fn touching(
    scop: &Scop,
    array: &str,
    kind: DependenceKind,
    ends: [&Set; 2],
) -> isl::Result<Option<(String, String, String)>> {
    let of = |set: &Set, writes: bool| -> isl::Result<Vec<&Access>> {
        let name = set.tuple_name()?.unwrap_or_default();
        let statement = scop.statement_by_name(&name).map(|id| scop.statement(id));
        let mut found = Vec::new();
        for access in statement.into_iter().flat_map(|statement| &statement.accesses) {
            let is_kind = if writes { access.kind.is_write() } else { access.kind == crate::scop::AccessKind::Read };
            if is_kind && access.array()? == array {
                found.push(access);
            }
        }
        Ok(found)
    };
    let [source, target] = ends;
    for one in of(source, kind != DependenceKind::Anti)? {
        for other in of(target, kind != DependenceKind::Flow)? {
            let touched = source.clone().apply(one.relation.clone())?;
            let both = touched.intersect(target.clone().apply(other.relation.clone())?)?;
            if !both.is_empty()? {
                let subscripts = coordinates(&both)?.into_iter().map(|value| format!("[{value}]")).collect::<String>();
                return Ok(Some((one.reference.clone(), other.reference.clone(), format!("{array}{subscripts}"))));
            }
        }
    }
    Ok(None)
}

/// The coordinates of some point of a set.
fn coordinates(set: &Set) -> isl::Result<Vec<i64>> {
    let point = set.clone().sample_point()?;
    let at = |place: usize| point.coordinate(DimType::SET, i32::try_from(place).unwrap_or(0))?.to_i64();
    (0..set.dim(DimType::SET)?).map(at).collect()
}

/// The end of a dependence at an instance.
fn end(scop: &Scop, set: &Set, reference: String) -> isl::Result<End> {
    let statement = set.tuple_name()?.unwrap_or_default();
    let known = scop.statement_by_name(&statement).map(|id| scop.statement(id));
    let mut names = Vec::new();
    for (place, value) in coordinates(set)?.into_iter().enumerate() {
        let name = known.map_or(Ok(None), |known| known.domain.dim_name(DimType::SET, place))?;
        names.push((name.unwrap_or_else(|| format!("i{place}")), value));
    }
    let text = known.map_or_else(String::new, |known| known.text.clone());
    Ok(End { statement, text, reference, point: Values(names) })
}
