//! Scripts in a file, for several regions.
//!
//! Lines behind `region FUNCTION`, `region FUNCTION:LINE` or `region FUNCTION#N` are for those regions; lines before the
//! first one are for all that no such line selects. The last line that selects a region counts.

use super::command::Command;
use super::parse::parse;
use super::session::{Files, Outcome, Session};
use crate::driver::Options;
use crate::isl::Schedule;
use crate::scop::Scop;
use std::fmt;

/// What is in the name of a region that was raised from a function, behind the function.
const RAISED: &str = ".poly.";

/// Scripts of a file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Script {
    /// What they are for, and what they say: the lines with their numbers, from 1.
    sections: Vec<Section>,
}

/// A script for some regions.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Section {
    /// The line that selects them; `None` for all that no other section selects.
    selector: Option<Selector>,
    lines: Vec<(usize, String)>,
}

/// A line `region ...`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Selector {
    /// The number of the line, from 1.
    pub line: usize,
    /// The function.
    pub function: String,
    which: Which,
}

#[derive(Debug, Clone, PartialEq, Eq)]
enum Which {
    All,
    Line(u64),
    Number(usize),
}

/// Where a region is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Place {
    function: String,
    line: Option<u64>,
    number: usize,
}

/// What is wrong with a script, and where.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Misplaced {
    /// The line, from 1.
    pub line: usize,
    /// The column, from 1, where one is known.
    pub column: Option<usize>,
    /// What is wrong.
    pub message: String,
}

impl fmt::Display for Misplaced {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:", self.line)?;
        if let Some(column) = self.column {
            write!(f, "{column}:")?;
        }
        write!(f, " {}", self.message)
    }
}

impl Place {
    /// That of a region by its name, `FUNCTION:LINE`, and its number among those of the function, from 1. What was raised
    /// from a function is called `FUNCTION.poly.N`, with `N` from 0.
    pub fn of(name: &str, number: usize) -> Self {
        let (whole, line) = match name.rsplit_once(':') {
            Some((whole, line)) => (whole, line.parse().ok()),
            None => (name, None),
        };
        let raised =
            whole.rsplit_once(RAISED).and_then(|(function, part)| Some((function, part.parse::<usize>().ok()?)));
        match raised {
            Some((function, part)) => Place { function: function.to_owned(), line, number: part.saturating_add(1) },
            None => Place { function: whole.to_owned(), line, number },
        }
    }

    /// The function, as the program has it.
    pub fn function(&self) -> &str {
        &self.function
    }
}

impl Selector {
    /// A region is one of those.
    pub fn selects(&self, place: &Place) -> bool {
        self.function == place.function
            && match self.which {
                Which::All => true,
                Which::Line(line) => place.line == Some(line),
                Which::Number(number) => place.number == number,
            }
    }

    fn parse(line: usize, text: &str) -> Result<Self, Misplaced> {
        let mut words = text.split_whitespace().skip(1).take_while(|word| !word.starts_with('#'));
        let wrong = |message: &str| Misplaced { line, column: None, message: message.to_owned() };
        let help = "`region` is followed by FUNCTION, FUNCTION:LINE or FUNCTION#N, and nothing else";
        let (Some(name), None) = (words.next(), words.next()) else { return Err(wrong(help)) };
        let counted = |number: &str| number.parse::<u64>().ok().filter(|number| *number > 0).ok_or_else(|| wrong(help));
        let (function, which) = if let Some((function, number)) = name.rsplit_once('#') {
            (function, Which::Number(usize::try_from(counted(number)?).map_err(|_| wrong(help))?))
        } else if let Some((function, number)) = name.rsplit_once(':') {
            (function, Which::Line(counted(number)?))
        } else {
            (name, Which::All)
        };
        Ok(Selector { line, function: function.to_owned(), which })
    }
}

impl fmt::Display for Selector {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.function)?;
        match self.which {
            Which::All => Ok(()),
            Which::Line(line) => write!(f, ":{line}"),
            Which::Number(number) => write!(f, "#{number}"),
        }
    }
}

impl Script {
    /// Reads a file. Commands are read as well, so that what is wrong is known at once.
    ///
    /// # Errors
    /// What is wrong, and where: commands that are none, and such that only answer something.
    pub fn parse(text: &str) -> Result<Self, Misplaced> {
        let mut sections = vec![Section { selector: None, lines: Vec::new() }];
        for (number, line) in text.lines().enumerate() {
            let number = number + 1;
            if line.split_whitespace().next() == Some("region") {
                sections.push(Section { selector: Some(Selector::parse(number, line)?), lines: Vec::new() });
                continue;
            }
            let command = parse(line).map_err(|wrong| {
                let message = wrong.to_string();
                Misplaced { line: number, column: wrong.column, message }
            })?;
            match command {
                None => {}
                Some(Command::Step(_) | Command::Start(_) | Command::Undo | Command::Reset) => {
                    let Some(last) = sections.last_mut() else { continue };
                    last.lines.push((number, line.to_owned()));
                }
                Some(_) => {
                    let message = "nobody reads answers here: only steps and `start` are of use".to_owned();
                    return Err(Misplaced { line: number, column: Some(1), message });
                }
            }
        }
        Ok(Script { sections })
    }

    /// The script for a region, if there is one.
    pub fn section(&self, place: &Place) -> Option<&Section> {
        let selects = |section: &&Section| section.selector.as_ref().is_some_and(|selector| selector.selects(place));
        let others = || self.sections.iter().find(|section| section.selector.is_none() && !section.lines.is_empty());
        self.sections.iter().rfind(selects).or_else(others)
    }

    /// The lines that select regions.
    pub fn selectors(&self) -> impl Iterator<Item = &Selector> {
        self.sections.iter().filter_map(|section| section.selector.as_ref())
    }
}

impl Section {
    /// The tree that the script makes of a region, with so many operations of isl for each command.
    ///
    /// # Errors
    /// The line that is refused, and why.
    pub fn run(&self, scop: &Scop, options: Options, quota: u64, files: &mut dyn Files) -> Result<Schedule, Misplaced> {
        let at = |line: usize, column: Option<usize>, message: String| Misplaced { line, column, message };
        let first = self.lines.first().map_or(1, |(line, _)| *line);
        let mut session = Session::new(scop, options, quota).map_err(|message| at(first, None, message))?;
        for (number, line) in &self.lines {
            let Outcome::Answered(answer) = session.run(line, files) else { continue };
            if answer.accepted {
                continue;
            }
            let reason = answer.reason.unwrap_or_default().replace("\n  ", "; ");
            let help = answer.help.map_or_else(String::new, |help| format!("; {help}"));
            return Err(at(*number, answer.column, format!("`{}`: {reason}{help}", answer.command)));
        }
        Ok(session.tree().clone())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The lines that are for a region.
    fn lines(text: &str, name: &str, number: usize) -> Option<Vec<usize>> {
        let script = Script::parse(text).unwrap();
        let section = script.section(&Place::of(name, number));
        section.map(|section| section.lines.iter().map(|(line, _)| *line).collect())
    }

    #[test]
    fn the_last_line_that_selects_a_region_counts() {
        let text = "tile i 4\nregion f # all\nparallel i\nregion f:12\nparallel j\nregion g#2\n\nparallel k\n";
        assert_eq!(lines(text, "f:3", 1), Some(vec![3]));
        assert_eq!(lines(text, "f:12", 2), Some(vec![5]));
        assert_eq!(lines(text, "f.poly.0:12", 1), Some(vec![5]));
        assert_eq!(lines(text, "g.poly.1:9", 1), Some(vec![8]), "counted from 0 there");
        assert_eq!(lines(text, "g:9", 2), Some(vec![8]));
        assert_eq!(lines(text, "g:9", 1), Some(vec![1]));
        assert_eq!(lines(text, "h", 1), Some(vec![1]));
        assert_eq!(lines("region f\nparallel i", "h", 1), None);
        assert_eq!(lines("region f\n", "f", 1), Some(vec![]), "f stays as it is");
    }

    #[test]
    fn what_is_wrong_has_a_place() {
        let wrong = |text: &str| Script::parse(text).unwrap_err().to_string();
        assert_eq!(wrong("\ntile i\n"), "2:7: there are 1 loops and 0 lengths of tiles; tile LOOP... LENGTH...");
        assert_eq!(wrong("region f:x"), wrong("region"));
        assert!(wrong("region f g").starts_with("1: `region` is followed by"));
        assert!(wrong("region f#0").starts_with("1: `region` is followed by"));
        assert!(wrong("parallel i\nshow").starts_with("2:1: nobody reads answers here"));
    }
}
