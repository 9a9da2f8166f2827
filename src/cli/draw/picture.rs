//! A picture of instances: panels of points side by side, grounds for tiles, arrows for dependences.

use super::hull::hull;
use super::svg::{CHARACTER, LINE, Svg, quoted};
use std::collections::BTreeMap;
use std::fmt::Write;

/// Room around and between panels.
const GAP: f64 = 46.0;
/// Characters of a statement's text that are shown.
const LONGEST: usize = 56;
/// From a point's middle to where an arrow begins or ends.
const RADIUS: f64 = 6.0;
/// The grounds of tiles; neighbours get different ones as long as there are few in a row.
const GROUNDS: [&str; 7] = ["#cfe2f3", "#fde2c4", "#d9ead3", "#f4cfd6", "#e3d7f0", "#fff2b8", "#d0eeee"];

/// A picture of some statements.
pub struct Picture {
    /// The line above.
    pub title: String,
    /// One for each statement.
    pub panels: Vec<Panel>,
    /// The dependences.
    pub arrows: Vec<Arrow>,
}

/// The instances of a statement.
pub struct Panel {
    /// Its name.
    pub statement: String,
    /// What it does; may be empty.
    pub text: String,
    /// The names of its loops.
    pub axes: Vec<String>,
    /// In lexicographic order.
    pub points: Vec<Point>,
}

/// An instance.
pub struct Point {
    /// Its place in a picture of this statement alone.
    pub at: (f64, f64),
    /// As in isl's notation.
    pub name: String,
    /// The number of its tile.
    pub tile: Option<usize>,
    /// The values of its loops.
    pub vector: Vec<i64>,
}

/// A dependence between two points, each given by its panel and its position there.
pub struct Arrow {
    /// `flow` or `false`.
    pub kind: &'static str,
    /// The source.
    pub from: (usize, usize),
    /// The sink.
    pub to: (usize, usize),
}

/// The rectangle around points.
struct Frame {
    left: f64,
    top: f64,
    width: f64,
    height: f64,
}

impl Panel {
    fn frame(&self) -> Frame {
        let bounds = |number: fn(&Point) -> f64| {
            let numbers = self.points.iter().map(number);
            numbers.fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), at| (low.min(at), high.max(at)))
        };
        if self.points.is_empty() {
            return Frame { left: 0.0, top: 0.0, width: 0.0, height: 0.0 };
        }
        let ((left, right), (top, bottom)) = (bounds(|point| point.at.0), bounds(|point| point.at.1));
        Frame { left, top, width: right - left, height: bottom - top }
    }

    /// The lines above the points.
    fn heading(&self) -> [String; 2] {
        let axes = ["to the right", "upwards", "into the page"];
        let axes: Vec<String> = self.axes.iter().zip(axes).map(|(name, way)| format!("{name} {way}")).collect();
        let name = format!("{}: {}", self.statement, self.text);
        let name = match name.char_indices().nth(LONGEST) {
            Some((end, _)) => format!("{} ...", &name[..end]),
            None => name.trim_end_matches([':', ' ']).to_owned(),
        };
        [name, axes.join(", ")]
    }

    fn width(&self) -> f64 {
        let longest = self.heading().iter().map(|line| line.chars().count()).max().unwrap_or(0);
        let heading = CHARACTER * u32::try_from(longest).map_or(0.0, f64::from);
        self.frame().width.max(heading)
    }

    /// The positions of each tile's points.
    fn tiles(&self) -> BTreeMap<usize, Vec<usize>> {
        let mut tiles: BTreeMap<usize, Vec<usize>> = BTreeMap::new();
        for (position, tile) in self.points.iter().enumerate().filter_map(|(i, point)| Some((i, point.tile?))) {
            tiles.entry(tile).or_default().push(position);
        }
        tiles
    }
}

impl Picture {
    /// Where the points of each panel are in the whole picture.
    fn places(&self) -> Vec<Vec<(f64, f64)>> {
        let highest = self.panels.iter().map(|panel| panel.frame().height).fold(0.0, f64::max);
        let mut x = GAP;
        let top = GAP + 3.0 * LINE + 10.0;
        let mut places = Vec::new();
        for panel in &self.panels {
            let frame = panel.frame();
            // All panels stand on one line.
            let y = top + highest - frame.height;
            places.push(panel.points.iter().map(|p| (x + p.at.0 - frame.left, y + p.at.1 - frame.top)).collect());
            x += panel.width() + GAP;
        }
        places
    }

    /// For browsers.
    pub fn to_svg(&self) -> String {
        let highest = self.panels.iter().map(|panel| panel.frame().height).fold(0.0, f64::max);
        let width = self.panels.iter().map(|panel| panel.width() + GAP).sum::<f64>() + GAP;
        let width = width.max(CHARACTER * u32::try_from(self.title.chars().count()).map_or(0.0, f64::from) + 2.0 * GAP);
        let mut svg = Svg::new(width, highest + 2.0 * GAP + 3.0 * LINE + 10.0);
        svg.text(GAP, GAP / 2.0, "head", &self.title);
        let places = self.places();
        let mut x = GAP;
        for (panel, places) in self.panels.iter().zip(&places) {
            for (line, words) in panel.heading().iter().enumerate() {
                let y = GAP + LINE * if line == 0 { 0.0 } else { 1.0 };
                svg.text(x, y, if line == 0 { "head" } else { "note" }, words);
            }
            x += panel.width() + GAP;
            grounds(&mut svg, panel, places);
        }
        // Those between panels lie below.
        let (near, far): (Vec<&Arrow>, Vec<&Arrow>) = self.arrows.iter().partition(|arrow| arrow.from.0 == arrow.to.0);
        for arrow in far.into_iter().chain(near) {
            let (from, to) = (places[arrow.from.0][arrow.from.1], places[arrow.to.0][arrow.to.1]);
            // Long arrows bend, so that those along one line can be told apart.
            let length = (to.0 - from.0).hypot(to.1 - from.1);
            let bend = if length > 50.0 { 0.12 } else { 0.0 };
            let (from, to) = (towards(from, to, RADIUS), towards(to, from, RADIUS));
            let class = if arrow.from.0 == arrow.to.0 { arrow.kind.to_owned() } else { format!("{} far", arrow.kind) };
            svg.arrow(from, to, bend, &class);
        }
        for (panel, places) in self.panels.iter().zip(&places) {
            for (point, place) in panel.points.iter().zip(places) {
                let tile = point.tile.map_or(String::new(), |tile| format!(", tile {tile}"));
                svg.point(*place, &format!("{}{tile}", point.name));
            }
        }
        svg.finish()
    }

    /// For `neato -n`.
    pub fn to_dot(&self) -> String {
        let mut text = format!(
            "digraph domain {{\n  label={};\n  node [shape=circle, width=0.3, fixedsize=shape, fontsize=6, style=filled, fillcolor=white];\n",
            quoted(&self.title)
        );
        for (number, (panel, places)) in self.panels.iter().zip(self.places()).enumerate() {
            for (position, (point, (x, y))) in panel.points.iter().zip(places).enumerate() {
                let ground = point.tile.map_or("white", |tile| GROUNDS[tile % GROUNDS.len()]);
                // Writing to a string cannot fail. Upwards is positive in dot.
                let _ = writeln!(
                    text,
                    "  p{number}_{position} [label={}, pos=\"{x:.1},{:.1}\", fillcolor=\"{ground}\"];",
                    quoted(&point.name),
                    -y
                );
            }
        }
        for Arrow { kind, from, to } in &self.arrows {
            let style = if *kind == "flow" { "" } else { " [style=dashed]" };
            let _ = writeln!(text, "  p{}_{} -> p{}_{}{style};", from.0, from.1, to.0, to.1);
        }
        text + "}\n"
    }
}

/// Draws the grounds of a panel's tiles.
fn grounds(svg: &mut Svg, panel: &Panel, places: &[(f64, f64)]) {
    for (number, points) in panel.tiles() {
        let corners: Vec<(f64, f64)> = points.into_iter().map(|position| places[position]).collect();
        svg.ground(&hull(&corners), GROUNDS[number % GROUNDS.len()], &format!("tile {number}"));
    }
}

/// The place so far from one place in the direction of another one.
fn towards((x, y): (f64, f64), (u, v): (f64, f64), distance: f64) -> (f64, f64) {
    let length = (u - x).hypot(v - y).max(1.0);
    (x + (u - x) * distance / length, y + (v - y) * distance / length)
}
