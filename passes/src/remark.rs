//! Remarks: what became of a region, in pieces that people read as one text and programs by their names.
//!
//! Names and keys are told apart by programs that read records, so they stay as they are; docs/records.md lists them.

use polyrs_host::raw::{PolyPiece, PolyRemarkKind, PolyRemarkRow};
use polyrs_interface::{ARGUMENT, Text};
use std::fmt::Display;

/// Declares words with what they mean.
macro_rules! words {
    ($(#[$about:meta])* $kind:ident { $($word:ident: $meaning:literal,)* }) => {
        $(#[$about])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        pub enum $kind {
            $(#[doc = $meaning] $word,)*
        }

        impl $kind {
            /// All of them, with what they mean.
            pub const ALL: &[($kind, &'static str)] = &[$(($kind::$word, $meaning),)*];

            /// The word in records.
            pub fn word(self) -> &'static str {
                match self {
                    $($kind::$word => stringify!($word),)*
                }
            }
        }
    };
}

words! {
    /// What a remark is about.
    Name {
        Scheduled: "A region has new code.",
        LeftNotBetter: "The original code of a region is the best that was found.",
        LeftOutOfFuel: "A region would have new code, but `POLYRS_FUEL` is used up.",
        LeftOutOfTime: "A region was not begun, as the time for its function was used up.",
        LeftTuned: "A region was left as it is because a file of `polyrs tune` says so.",
        LeftSmall: "Loops were left as they are because they are too small for the options given (single loops, rows).",
        LeftToCpu: "Kernels of a region could not be made; it runs on the CPU.",
        NotRaised: "Loops of LLVM IR could not be described as a region.",
        NotLifted: "Loops of the affine dialect could not be described as a region.",
        Refused: "A region was described, and no new code could be made or proved.",
        RefusedOutOfQuota: "A region would take, or took, more counted work than it may.",
        RefusedFunction: "A function as a whole must stay as it is.",
        RefusedInPlace: "New code of a region could not be put in its place.",
        WrongRequest: "What the user asks for cannot be followed.",
        InternalError: "Something went wrong in the optimizer; the original is kept.",
        Placed: "Where the new code of a region is, and when it runs.",
        Validated: "A function did the same as its original on random memory (`validate=true`).",
        NotValidated: "A function could not be run beside its original (`validate=true`).",
    }
}

words! {
    /// What an argument of a remark says.
    Key {
        Region: "The name of the region.",
        Version: "Which of several versions of the region the rest is about.",
        Statements: "How many statements the region has.",
        Depth: "How many loops are around its innermost statement; where something is in the way, how deep the nest around it is.",
        Bands: "Bands that the scheduler made.",
        Members: "Their members.",
        Coincident: "Members that carry no dependence.",
        Tiled: "Bands that were tiled.",
        Wavefronts: "Bands that were skewed into wavefronts.",
        Parallel: "Loops that run in parallel.",
        Vector: "Innermost loops that carry no dependence.",
        Kernels: "Parts that run on a GPU.",
        Packed: "Tiles that are packed.",
        TileSizes: "The sizes of tiles.",
        TileLevels: "How many levels of tiles there are, if more than one.",
        TooLittleWork: "1: a loop could run in parallel but has too little work for threads.",
        Layout: "1: the code has another layout than the program.",
        Predicted: "How many times as long the original is expected to take.",
        OriginalCost: "The predicted cost of the original, in units of the cost model.",
        Cost: "The predicted cost of the new code, or of the code that was kept.",
        OtherCost: "The predicted cost of the best other order.",
        Fuel: "The number of the region among those that were rewritten (`POLYRS_FUEL`).",
        Guard: "1: the original runs where a condition does not hold.",
        ReadBack: "1: the new code was read back and is equal to its tree; 0: it was not read back.",
        Operation: "The operation that is in the way.",
        Step: "The step that gave up.",
        Reason: "Why.",
        Help: "What would help.",
        Machine: "The machine that costs are for.",
        Condition: "The sizes that the new code runs for.",
        Layouts: "The layouts that were considered.",
        ExpansionBytes: "The most memory that an array may be expanded to.",
        TooLarge: "Arrays that would take more than that.",
        SteppedDown: "What was done with less than was wanted, and why.",
        Code: "The function that has the new code.",
        Runs: "When the new code runs.",
        Checked: "What the check at run time makes sure of.",
        Compared: "How many runs a validation compared.",
        Reached: "How many of them called new code.",
        Operations: "Counted work that the region took, 20 to 85 ns each.",
        Tuned: "The choice of a file of `polyrs tune` that was taken.",
        NotTuned: "Why no choice of a file of `polyrs tune` was taken, though it knows the region or its function.",
        Model: "The key of the region's model, as in a file of `polyrs tune`, where one was read.",
        RegionText: "The file with the region's model (`POLYRS_RECORDS`).",
        RegionTree: "The file with its final schedule tree (`POLYRS_RECORDS`).",
    }
}

/// A piece of a remark's text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Piece {
    /// A text that joins arguments.
    Text(String),
    /// An argument, which is part of the text.
    Argument {
        /// What it says.
        key: Key,
        /// Its value.
        value: String,
    },
}

/// A remark.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Remark {
    /// What it is about.
    pub name: Name,
    /// Its text.
    pub pieces: Vec<Piece>,
    /// Arguments that only records have.
    pub hidden: Vec<(Key, String)>,
}

impl Remark {
    /// A remark without a text.
    pub fn new(name: Name) -> Self {
        Self { name, pieces: Vec::new(), hidden: Vec::new() }
    }

    /// A remark that says why something stays as it is.
    pub fn refused(name: Name, reason: impl Display) -> Self {
        Self::new(name).text("refused: ").argument(Key::Reason, reason)
    }

    /// The same and a text behind it.
    #[must_use]
    pub fn text(mut self, text: impl Into<String>) -> Self {
        self.pieces.push(Piece::Text(text.into()));
        self
    }

    /// The same and an argument behind it.
    #[must_use]
    pub fn argument(mut self, key: Key, value: impl Display) -> Self {
        self.pieces.push(Piece::Argument { key, value: value.to_string() });
        self
    }

    /// The same and an argument that only records have.
    #[must_use]
    pub fn hidden(mut self, key: Key, value: impl Display) -> Self {
        self.hidden.push((key, value.to_string()));
        self
    }

    /// The same, said to be about one of several versions.
    #[must_use]
    pub fn about(mut self, version: &str) -> Self {
        let version = Piece::Argument { key: Key::Version, value: version.to_owned() };
        self.pieces.splice(0..0, [version, Piece::Text(": ".to_owned())]);
        self
    }

    /// The value of an argument, wherever it is said.
    pub fn value(&self, wanted: Key) -> Option<&str> {
        let shown = self.pieces.iter().find_map(|piece| match piece {
            Piece::Argument { key, value } if *key == wanted => Some(value.as_str()),
            _ => None,
        });
        shown.or_else(|| self.hidden.iter().find(|(key, _)| *key == wanted).map(|(_, value)| value.as_str()))
    }

    /// Gives `work` the remark as C++ reads it.
    pub fn with_row<T>(&self, kind: PolyRemarkKind, work: impl FnOnce(&PolyRemarkRow<'_>) -> T) -> T {
        let hidden = self.hidden.iter().map(|(key, value)| row(key.word(), value));
        let pieces: Vec<PolyPiece<'_>> = self.pieces.iter().map(Piece::row).chain(hidden).collect();
        work(&PolyRemarkRow {
            kind,
            pass: Text::new(ARGUMENT),
            name: Text::new(self.name.word()),
            pieces: pieces.as_ptr(),
            count: pieces.len(),
            shown: self.pieces.len(),
        })
    }

    /// What people read.
    pub fn to_text(&self) -> String {
        self.pieces.iter().map(Piece::shown).collect()
    }
}

impl Piece {
    /// What people read of it.
    pub fn shown(&self) -> &str {
        let (Piece::Text(text) | Piece::Argument { value: text, .. }) = self;
        text
    }

    /// The piece as C++ reads it.
    fn row(&self) -> PolyPiece<'_> {
        match self {
            Piece::Text(text) => row("", text),
            Piece::Argument { key, value } => row(key.word(), value),
        }
    }
}

fn row<'a>(key: &'a str, value: &'a str) -> PolyPiece<'a> {
    PolyPiece { key: Text::new(key), value: Text::new(value) }
}

#[cfg(test)]
mod tests {
    use super::{Key, Name, Remark};
    use std::fmt::Write as _;
    use std::path::Path;

    #[test]
    fn pieces_make_the_text() {
        let remark = Remark::refused(Name::Refused, "no").text("; ").argument(Key::Help, "try").hidden(Key::Depth, 3);
        assert_eq!(remark.clone().to_text(), "refused: no; try");
        assert_eq!(remark.about("for the CPU").to_text(), "for the CPU: refused: no; try");
    }

    /// The tables of docs/records.md are made from the words; `POLYRS_BLESS=1` writes them anew.
    #[test]
    fn the_page_lists_all_words() {
        let mut tables = "| name | when |\n|---|---|\n".to_owned();
        for (name, meaning) in Name::ALL {
            let _ = writeln!(tables, "| `{}` | {meaning} |", name.word());
        }
        tables.push_str("\n| argument | what |\n|---|---|\n");
        for (key, meaning) in Key::ALL {
            let _ = writeln!(tables, "| `{}` | {meaning} |", key.word());
        }
        let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("../docs/records.md");
        let page = std::fs::read_to_string(&file).unwrap();
        let start = page.find("| name | when |").unwrap();
        let end = start + page[start..].find("\n\n## ").unwrap() + 1;
        if page[start..end] != tables && std::env::var_os("POLYRS_BLESS").is_some() {
            std::fs::write(&file, format!("{}{tables}{}", &page[..start], &page[end..])).unwrap();
            return;
        }
        assert_eq!(page[start..end], tables, "run with POLYRS_BLESS=1 to write the tables anew");
    }
}
