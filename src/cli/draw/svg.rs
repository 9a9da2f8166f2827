//! The few elements of SVG that pictures are made of.

use std::fmt::Write;

/// The width of a character of the labels, which are set in a monospaced font.
pub const CHARACTER: f64 = 6.6;
/// The height of a line of a label.
pub const LINE: f64 = 15.0;

/// A document that grows.
pub struct Svg {
    body: String,
    width: f64,
    height: f64,
}

impl Svg {
    /// An empty document of a size, on a white ground.
    pub fn new(width: f64, height: f64) -> Self {
        Svg { body: String::new(), width, height }
    }

    fn element(&mut self, text: &str) {
        self.body.push_str(text);
        self.body.push('\n');
    }

    /// A line of text that begins at a place.
    pub fn text(&mut self, x: f64, y: f64, class: &str, words: &str) {
        self.element(&format!("<text x=\"{x:.1}\" y=\"{y:.1}\" class=\"{class}\">{}</text>", escape(words)));
    }

    /// A box with rounded corners.
    pub fn rectangle(&mut self, (x, y): (f64, f64), (width, height): (f64, f64), fill: &str) {
        self.element(&format!(
            "<rect x=\"{x:.1}\" y=\"{y:.1}\" width=\"{width:.1}\" height=\"{height:.1}\" rx=\"5\" fill=\"{fill}\" stroke=\"#555\"/>"
        ));
    }

    /// A ground under points: their hull, a little larger than they are.
    pub fn ground(&mut self, corners: &[(f64, f64)], fill: &str, title: &str) {
        let mut way = String::new();
        // A single point is a line to itself, of which the round ends are seen.
        for (number, (x, y)) in corners.iter().chain(corners.first()).enumerate() {
            let letter = if number == 0 { "M" } else { " L" };
            // Writing to a string cannot fail.
            let _ = write!(way, "{letter} {x:.1} {y:.1}");
        }
        self.element(&format!(
            "<path d=\"{way}\" class=\"ground\" fill=\"{fill}\" stroke=\"{fill}\"><title>{}</title></path>",
            escape(title)
        ));
    }

    /// A point that has a name when it is pointed at.
    pub fn point(&mut self, (x, y): (f64, f64), name: &str) {
        self.element(&format!("<circle cx=\"{x:.1}\" cy=\"{y:.1}\" r=\"4\"><title>{}</title></circle>", escape(name)));
    }

    /// A line from one place to another.
    pub fn line(&mut self, (x, y): (f64, f64), (u, v): (f64, f64), class: &str) {
        self.element(&format!("<line x1=\"{x:.1}\" y1=\"{y:.1}\" x2=\"{u:.1}\" y2=\"{v:.1}\" class=\"{class}\"/>"));
    }

    /// An arrow that bends to its left, by a share of its length.
    pub fn arrow(&mut self, (x, y): (f64, f64), (u, v): (f64, f64), bend: f64, class: &str) {
        let (a, b) = ((x + u) / 2.0 + (v - y) * bend, (y + v) / 2.0 - (u - x) * bend);
        self.element(&format!(
            "<path d=\"M {x:.1} {y:.1} Q {a:.1} {b:.1} {u:.1} {v:.1}\" class=\"arrow {class}\" marker-end=\"url(#head)\"/>"
        ));
    }

    /// The document.
    pub fn finish(self) -> String {
        let Svg { body, width, height } = self;
        format!(
            "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{width:.0}\" height=\"{height:.0}\" viewBox=\"0 0 {width:.0} {height:.0}\" xml:space=\"preserve\">\n\
             <defs><marker id=\"head\" viewBox=\"0 0 8 8\" refX=\"7\" refY=\"4\" markerWidth=\"6\" markerHeight=\"6\" orient=\"auto\">\
             <path d=\"M 0 0 L 8 4 L 0 8 z\" fill=\"#777\"/></marker></defs>\n\
             <style>text {{ font: 11px monospace; }} .head {{ font-weight: bold; }} .note {{ fill: #666; }}\n\
             line, path.arrow {{ stroke: #444; fill: none; }}\n\
             path.ground {{ stroke-width: 17; stroke-linejoin: round; stroke-linecap: round; }} .false {{ stroke-dasharray: 4 3; }} path.far {{ stroke: #bbb; }}</style>\n\
             <rect width=\"100%\" height=\"100%\" fill=\"white\"/>\n\
             {body}</svg>\n"
        )
    }
}

/// Text as XML has it.
pub fn escape(words: &str) -> String {
    words.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('"', "&quot;")
}

/// Text between the quotes of dot.
pub fn quoted(words: &str) -> String {
    format!("\"{}\"", words.replace('\\', "\\\\").replace('"', "\\\"").replace('\n', "\\n"))
}
