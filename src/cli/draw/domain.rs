//! The instances of statements: where each is drawn, in which tile it is, and what depends on it.

use super::instances::{Instance, MOST, Values, pairs, points};
use super::picture::{Arrow, Panel, Picture, Point};
use crate::failure::Failure;
use clap::ValueEnum;
use polyrs::dependence::{Dependences, Mode};
use polyrs::isl::{NodeType, Schedule};
use polyrs::schedule_tree::Mark;
use polyrs::scop::{Scop, Statement};
use std::collections::BTreeMap;

/// The dependences that are drawn.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Arrows {
    /// Read after write
    Flow,
    /// Also write after read or write, dashed
    All,
    /// None
    None,
}

/// From a point to the next one.
const STEP: f64 = 34.0;
/// How the third dimension is drawn.
const OBLIQUE: (f64, f64) = (0.46, 0.31);

/// The picture of some statements, or of all without names.
pub fn picture(
    scop: &Scop,
    schedule: &Schedule,
    values: &Values,
    names: &[String],
    arrows: Arrows,
) -> Result<Picture, Failure> {
    let tiles = tiles(schedule, values)?;
    let mut panels = Vec::new();
    for statement in chosen(scop, names)? {
        panels.push(panel(scop, statement, values, &tiles)?);
    }
    if panels.iter().all(|panel| panel.points.is_empty()) {
        return Err(Failure::Input(
            "error: no statement has an instance at these values; choose others with --set".into(),
        ));
    }
    let at = values.iter().map(|(name, value)| format!("{name}={value}")).collect::<Vec<_>>().join(", ");
    let title = if at.is_empty() { scop.name.clone() } else { format!("{} at {at}", scop.name) };
    let arrows = self::arrows(scop, values, &panels, arrows)?;
    Ok(Picture { title, panels, arrows })
}

/// The statements that are drawn: those that do something.
fn chosen<'s>(scop: &'s Scop, names: &[String]) -> Result<Vec<&'s Statement>, Failure> {
    if names.is_empty() {
        return Ok(scop.statements.iter().filter(|statement| !statement.is_kill()).collect());
    }
    let find = |name: &String| {
        let all = || scop.statements.iter().map(|statement| statement.name.as_str()).collect::<Vec<_>>().join(", ");
        let found = scop.statements.iter().find(|statement| statement.name == *name);
        found.ok_or_else(|| Failure::Input(format!("error: there is no statement `{name}`: there are {}", all())))
    };
    names.iter().map(find).collect()
}

/// The instances of a statement, placed.
fn panel(
    scop: &Scop,
    statement: &Statement,
    values: &Values,
    tiles: &BTreeMap<Instance, usize>,
) -> Result<Panel, Failure> {
    let name = &statement.name;
    let depth = statement.domain.dim(polyrs::isl::DimType::SET)?;
    if depth > 3 {
        let others = "1 to 3 can be drawn; --statement chooses others";
        return Err(Failure::Input(format!("error: {name} has {depth} dimensions, of which {others}")));
    }
    let mut placed = Vec::new();
    for vector in points(statement.domain.clone().intersect_params(scop.context.clone())?, values)? {
        let numbers: Vec<String> = vector.iter().map(i64::to_string).collect();
        let tile = tiles.get(&(name.clone(), vector.clone())).copied();
        placed.push(Point { at: place(&vector), name: format!("{name}[{}]", numbers.join(", ")), tile, vector });
    }
    let mut axes = statement.domain.space()?.dim_names(polyrs::isl::DimType::SET)?;
    axes.truncate(depth);
    Ok(Panel { statement: name.clone(), text: statement.text.clone(), axes, points: placed })
}

/// Where an instance is: the first dimension to the right, the second upwards, the third obliquely to both.
fn place(vector: &[i64]) -> (f64, f64) {
    // The points are few, so their coordinates are near each other, but may be far from 0: a panel takes their least
    // ones off.
    #[expect(clippy::cast_precision_loss, reason = "a picture needs no more")]
    let number = |position: usize| vector.get(position).map_or(0.0, |number| *number as f64);
    let (x, y, z) = (number(0), number(1), number(2));
    (STEP * (x + OBLIQUE.0 * z), -STEP * (y + OBLIQUE.1 * z))
}

/// The tile of each instance that is in one, in the order in which tiles are visited. The tiles are the innermost ones.
fn tiles(schedule: &Schedule, values: &Values) -> Result<BTreeMap<Instance, usize>, Failure> {
    let mut above = Vec::new();
    schedule.root()?.for_each_descendant_top_down(&mut |node| {
        let is_point = node.node_type()? == NodeType::Mark
            && node.mark_id()?.name()?.is_some_and(|name| name == Mark::Point.to_string());
        if is_point {
            above.push(node.prefix_schedule_union_map()?.intersect_domain(node.domain()?)?);
        }
        Ok(!is_point)
    })?;
    // Tiles of different nests may have the same numbers.
    let mut dated = Vec::new();
    for (nest, relation) in above.iter().enumerate() {
        dated.extend(pairs(relation, values)?.into_iter().map(|(instance, (_, date))| ((nest, date), instance)));
    }
    dated.sort();
    let mut tiles = BTreeMap::new();
    let mut last = None;
    let mut number = 0;
    for (tile, instance) in dated {
        if last.as_ref().is_some_and(|last| *last != tile) {
            number += 1;
        }
        last = Some(tile);
        tiles.insert(instance, number);
    }
    Ok(tiles)
}

/// The dependences between what is drawn.
fn arrows(scop: &Scop, values: &Values, panels: &[Panel], wanted: Arrows) -> Result<Vec<Arrow>, Failure> {
    if wanted == Arrows::None {
        return Ok(Vec::new());
    }
    let dependences = Dependences::compute(scop, Mode { live_range_reordering: false, ..Mode::default() })?;
    let mut kinds = vec![("flow", dependences.flow)];
    if wanted == Arrows::All {
        kinds.push(("false", dependences.dep_false));
    }
    let mut places = BTreeMap::new();
    for (panel, drawn) in panels.iter().enumerate() {
        for (point, found) in drawn.points.iter().enumerate() {
            places.insert((drawn.statement.as_str(), found.vector.as_slice()), (panel, point));
        }
    }
    let mut arrows = Vec::new();
    for (kind, relation) in kinds {
        for (source, sink) in pairs(&relation, values)? {
            let place = |(name, vector): &Instance| places.get(&(name.as_str(), vector.as_slice())).copied();
            if let (Some(from), Some(to)) = (place(&source), place(&sink)) {
                arrows.push(Arrow { kind, from, to });
            }
        }
    }
    if arrows.len() > MOST {
        let help = "choose smaller values with --set, or --dependences none";
        return Err(Failure::Input(format!("error: there are {} arrows, more than {MOST}; {help}", arrows.len())));
    }
    Ok(arrows)
}
