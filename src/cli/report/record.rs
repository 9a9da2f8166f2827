//! Records of LLVM, as data.

/// What a record says happened, by the option of the compiler that shows it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// Something was transformed.
    Passed,
    /// Something was left as it is.
    Missed,
    /// Details.
    Analysis,
    /// What was asked for was not done.
    Failure,
}

/// One record.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Record {
    /// What happened.
    pub kind: Kind,
    /// The pass.
    pub pass: String,
    /// What it is about, as a word.
    pub name: String,
    /// The place in the source.
    pub place: Option<Place>,
    /// The function.
    pub function: String,
    /// Arguments, and texts between them with the key `String`.
    pub arguments: Vec<(String, String)>,
}

/// A place in a source.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Place {
    /// The file, as the compiler knows it.
    pub file: String,
    /// The line, from 1 on; 0 where only the file is known.
    pub line: usize,
    /// The column, from 1 on; 0 where only the line is known.
    pub column: usize,
}

/// Arguments that only records have, behind the text: docs/records.md.
const HIDDEN: [&str; 11] = [
    "Region",
    "Depth",
    "Checked",
    "OriginalCost",
    "Cost",
    "OtherCost",
    "Operations",
    "Help",
    "Model",
    "RegionText",
    "RegionTree",
];

impl Record {
    /// The value of an argument.
    pub fn argument(&self, key: &str) -> Option<&str> {
        self.arguments.iter().find(|(known, _)| known == key).map(|(_, value)| value.as_str())
    }

    /// All values of an argument.
    pub fn all<'r>(&'r self, key: &'r str) -> impl Iterator<Item = &'r str> {
        self.arguments.iter().filter(move |(known, _)| known == key).map(|(_, value)| value.as_str())
    }

    /// The number that an argument is.
    pub fn number(&self, key: &str) -> Option<u64> {
        self.argument(key)?.parse().ok()
    }

    /// The text that compilers print.
    pub fn text(&self) -> String {
        // Hidden arguments are the last ones; one of these keys may be in the text as well.
        let is_shown = |(key, _): &(String, String)| !HIDDEN.contains(&key.as_str());
        let shown = self.arguments.iter().rposition(is_shown).map_or(0, |last| last + 1);
        self.arguments[..shown].iter().map(|(_, value)| value.as_str()).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::{Kind, Record};

    #[test]
    fn the_text_ends_before_what_is_hidden() {
        let arguments = [
            ("String", "scop: "),
            ("Region", "f:1"),
            ("String", ": "),
            ("Statements", "2"),
            ("Cost", "7"),
            ("Depth", "3"),
        ];
        let record = Record {
            kind: Kind::Passed,
            pass: "p".to_owned(),
            name: "n".to_owned(),
            place: None,
            function: "f".to_owned(),
            arguments: arguments.map(|(key, value)| (key.to_owned(), value.to_owned())).to_vec(),
        };
        assert_eq!(record.text(), "scop: f:1: 2");
        assert_eq!((record.number("Depth"), record.argument("None")), (Some(3), None));
        assert_eq!(record.all("String").count(), 2);
    }
}
