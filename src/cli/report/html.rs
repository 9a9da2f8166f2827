//! HTML that is well-formed by its type: what is not one of our own words is escaped.

use std::fmt::{Display, Write};

/// A part of a page, which grows.
#[derive(Debug, Default)]
pub struct Html {
    text: String,
}

/// Names and values of an element's attributes.
pub type Attributes<'a> = &'a [(&'static str, &'a str)];

impl Html {
    /// A text.
    pub fn text(&mut self, words: impl Display) {
        escape(&mut self.text, &words.to_string());
    }

    /// An element with what is inside of it.
    pub fn element(&mut self, name: &'static str, attributes: Attributes<'_>, inside: impl FnOnce(&mut Html)) {
        self.start(name, attributes);
        inside(self);
        // Writing to a string cannot fail.
        let _ = write!(self.text, "</{name}>");
    }

    /// An element with a text alone.
    pub fn words(&mut self, name: &'static str, attributes: Attributes<'_>, words: impl Display) {
        self.element(name, attributes, |html| html.text(words));
    }

    /// An element that has no inside.
    pub fn empty(&mut self, name: &'static str, attributes: Attributes<'_>) {
        self.start(name, attributes);
    }

    /// A link to a place of the page.
    pub fn link(&mut self, place: &str, words: impl Display) {
        self.words("a", &[("href", &format!("#{place}"))], words);
    }

    /// A style sheet or script of this program.
    pub fn own(&mut self, text: &'static str) {
        self.text.push_str(text);
    }

    /// The end of a line, where it makes the page easier to read as text.
    pub fn line(&mut self) {
        self.text.push('\n');
    }

    /// The whole page.
    pub fn finish(self) -> String {
        self.text
    }

    fn start(&mut self, name: &'static str, attributes: Attributes<'_>) {
        self.text.push('<');
        self.text.push_str(name);
        for (key, value) in attributes {
            let _ = write!(self.text, " {key}=\"");
            escape(&mut self.text, value);
            self.text.push('"');
        }
        self.text.push('>');
    }
}

/// Text as it stands in elements and between the quotes of attributes. Characters that no page may hold become the one
/// for what is unknown.
fn escape(target: &mut String, words: &str) {
    for character in words.chars() {
        match character {
            '&' => target.push_str("&amp;"),
            '<' => target.push_str("&lt;"),
            '>' => target.push_str("&gt;"),
            '"' => target.push_str("&quot;"),
            '\'' => target.push_str("&#39;"),
            '\n' | '\t' => target.push(character),
            _ if character.is_control() => target.push('\u{fffd}'),
            _ => target.push(character),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::Html;

    #[test]
    fn what_is_not_ours_is_escaped() {
        let mut html = Html::default();
        let bad = "</td><script>alert(\"&'\")</script>\u{0}";
        html.element("td", &[("title", bad)], |html| html.text(bad));
        html.empty("br", &[]);
        let safe = "&lt;/td&gt;&lt;script&gt;alert(&quot;&amp;&#39;&quot;)&lt;/script&gt;\u{fffd}";
        assert_eq!(html.finish(), format!("<td title=\"{safe}\">{safe}</td><br>"));
    }
}
