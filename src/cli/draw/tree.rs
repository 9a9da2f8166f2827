//! A schedule tree as boxes, parents above children.

use super::svg::{CHARACTER, LINE, Svg, quoted};
use polyrs::isl::{NodeType, Result, ScheduleNode};
use std::fmt::Write;

/// A longer line of a label is broken.
const WIDTH: usize = 68;
/// Room around and between boxes.
const GAP: f64 = 18.0;
/// From the bottom of a parent to the top of its children.
const DROP: f64 = 26.0;
/// Room in a box around its text.
const PADDING: f64 = 7.0;

/// A node: a heading, lines below it, and what is under the node.
pub struct Block {
    heading: String,
    lines: Vec<String>,
    fill: &'static str,
    children: Vec<Block>,
}

impl Block {
    /// The tree under a node. Leaves are left out.
    pub fn of(node: &ScheduleNode) -> Result<Block> {
        let (heading, notation) = describe(node)?;
        let lines = notation.iter().flat_map(|text| broken(text)).collect();
        let mut children = Vec::new();
        for child in node.children()? {
            if child.node_type()? != NodeType::Leaf {
                children.push(Block::of(&child)?);
            }
        }
        Ok(Block { heading, lines, fill: fill(node.node_type()?), children })
    }

    /// For `dot`.
    pub fn to_dot(&self, title: &str) -> String {
        let mut text = format!(
            "digraph tree {{\n  label={};\n  node [shape=box, style=\"rounded,filled\", fontname=monospace, fontsize=10];\n",
            quoted(title)
        );
        self.nodes(&mut text, &mut 0);
        text + "}\n"
    }

    /// Writes the nodes under this one, itself first; returns its number.
    fn nodes(&self, text: &mut String, next: &mut usize) -> usize {
        let number = *next;
        *next += 1;
        // `\l` ends a line that is set to the left.
        let lines: String = std::iter::once(&self.heading).chain(&self.lines).fold(String::new(), |all, line| {
            let line = quoted(line);
            all + &line[1..line.len() - 1] + "\\l"
        });
        // Writing to a string cannot fail.
        let _ = writeln!(text, "  n{number} [label=\"{lines}\", fillcolor=\"{}\"];", self.fill);
        for child in &self.children {
            let below = child.nodes(text, next);
            let _ = writeln!(text, "  n{number} -> n{below};");
        }
        number
    }

    /// For browsers.
    pub fn to_svg(&self, title: &str) -> String {
        let (width, height) = self.extent();
        let title_width = characters(title) * CHARACTER;
        let mut svg = Svg::new(width.max(title_width) + 2.0 * GAP, height + 2.0 * GAP + LINE);
        svg.text(GAP, GAP, "head", title);
        self.draw(&mut svg, GAP, GAP + LINE);
        svg.finish()
    }

    /// The size of the box alone.
    fn own(&self) -> (f64, f64) {
        let longest =
            std::iter::once(&self.heading).chain(&self.lines).map(|line| characters(line)).fold(0.0, f64::max);
        let lines = (0..=self.lines.len()).fold(0.0, |sum, _| sum + LINE);
        (longest * CHARACTER + 2.0 * PADDING, lines + PADDING)
    }

    /// The size with all that is below.
    fn extent(&self) -> (f64, f64) {
        let (width, height) = self.own();
        let below: Vec<(f64, f64)> = self.children.iter().map(Block::extent).collect();
        let wide = below.iter().map(|(width, _)| width + GAP).sum::<f64>() - GAP;
        let high = below.iter().map(|(_, height)| height + DROP).fold(0.0, f64::max);
        (width.max(wide), height + high)
    }

    /// Draws the subtree into the room that it needs, from its upper left corner on; returns the middle of the box's
    /// upper edge.
    fn draw(&self, svg: &mut Svg, left: f64, top: f64) -> (f64, f64) {
        let (room, _) = self.extent();
        let (width, height) = self.own();
        let below: f64 = self.children.iter().map(|child| child.extent().0 + GAP).sum::<f64>() - GAP;
        let middle = left + room / 2.0;
        let mut x = left + (room - below) / 2.0;
        for child in &self.children {
            let end = child.draw(svg, x, top + height + DROP);
            svg.line((middle, top + height), end, "edge");
            x += child.extent().0 + GAP;
        }
        let corner = (middle - width / 2.0, top);
        svg.rectangle(corner, (width, height), self.fill);
        let mut y = top + LINE - 2.0;
        svg.text(corner.0 + PADDING, y, "head", &self.heading);
        for line in &self.lines {
            y += LINE;
            svg.text(corner.0 + PADDING, y, "line", line);
        }
        (middle, top)
    }
}

fn characters(text: &str) -> f64 {
    u32::try_from(text.chars().count()).map_or(f64::from(u32::MAX), f64::from)
}

/// The heading of a node, and what it says in isl's notation.
fn describe(node: &ScheduleNode) -> Result<(String, Vec<String>)> {
    let kind = node.node_type()?;
    let name = format!("{kind:?}").to_lowercase();
    let notation = match kind {
        NodeType::Domain => node.domain_domain()?.to_string(),
        NodeType::Filter => node.filter()?.to_string(),
        NodeType::Context => node.context_context()?.to_string(),
        NodeType::Guard => node.guard_guard()?.to_string(),
        NodeType::Extension => node.extension()?.to_string(),
        NodeType::Expansion => node.expansion_expansion()?.to_string(),
        NodeType::Mark => return Ok((format!("mark {}", node.mark_id()?.name()?.unwrap_or_default()), Vec::new())),
        NodeType::Band => return band(node),
        NodeType::Sequence | NodeType::Set | NodeType::Leaf => return Ok((name, Vec::new())),
    };
    Ok((name, parts(&notation)))
}

/// A band, its members from the outside to the inside.
fn band(node: &ScheduleNode) -> Result<(String, Vec<String>)> {
    let mut heading = "band".to_owned();
    if node.band_permutable()? {
        heading += ", permutable";
    }
    let coincident = node.band_coincident()?;
    let partial = node.band_partial_schedule()?.intersect_domain(node.universe_domain()?)?;
    let mut lines = Vec::new();
    for (position, coincident) in (0..).zip(coincident) {
        let note = if coincident { " (coincident)" } else { "" };
        lines.push(format!("member {}{note}", position + 1));
        lines.extend(parts(&partial.at(position)?.to_string()).into_iter().map(|part| format!("  {part}")));
    }
    Ok((heading, lines))
}

/// The parts of a union, without parameters and braces.
fn parts(notation: &str) -> Vec<String> {
    let inner = notation.split_once('{').map_or(notation, |(_, rest)| rest);
    let inner = inner.trim_end().trim_end_matches('}').trim();
    inner.split("; ").map(|part| part.replace("[(", "").replace(")]", "")).filter(|part| !part.is_empty()).collect()
}

/// The lines of a text that is long: broken before `and` where there is one.
fn broken(text: &str) -> Vec<String> {
    let indent = text.chars().take_while(|c| *c == ' ').count();
    let mut lines = vec![String::new()];
    for (number, piece) in text.split(" and ").enumerate() {
        let piece = if number == 0 { piece.to_owned() } else { format!("and {piece}") };
        let known = lines.last().map_or(0, |line| line.chars().count());
        if known > 0 && known + 1 + piece.chars().count() > WIDTH {
            lines.push(format!("{:1$}{piece}", "", indent + 2));
        } else if let Some(line) = lines.last_mut() {
            if number > 0 {
                line.push(' ');
            }
            line.push_str(&piece);
        }
    }
    lines
}

/// The ground of a kind of node.
fn fill(kind: NodeType) -> &'static str {
    match kind {
        NodeType::Band => "#d7e8f7",
        NodeType::Sequence | NodeType::Set => "#eeeeee",
        NodeType::Filter => "#fdf3d0",
        NodeType::Mark => "#f6d9e0",
        NodeType::Domain => "#dff0d8",
        _ => "#ffffff",
    }
}

#[cfg(test)]
mod tests {
    use super::{broken, parts};

    #[test]
    fn notation_is_cut_into_parts() {
        assert_eq!(parts("[n] -> { S[i] -> [(i)]; T[i] -> [(2i)] }"), ["S[i] -> i", "T[i] -> 2i"]);
        assert!(parts("{ }").is_empty());
    }

    #[test]
    fn long_lines_are_broken() {
        let long = format!("  S[i] : {}", ["0 <= i < n"; 12].join(" and "));
        let lines = broken(&long);
        assert!(lines.len() > 1 && lines.iter().all(|line| line.chars().count() <= super::WIDTH), "{lines:?}");
        assert!(lines[1].starts_with("    and 0"), "{lines:?}");
    }
}
