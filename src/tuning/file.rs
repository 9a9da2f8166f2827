//! The file of choices, which people can read: TOML, a table `region` for each region.

use super::key::Identity;
use crate::driver::Candidate;
use serde::{Deserialize, Serialize};
use std::fmt;
use std::str::FromStr;

/// What this version writes and reads.
const VERSION: u32 = 1;

/// What stands above the tables.
const HEAD: &str = "# What `polyrs tune` measured and chose (docs/tune.md). The passes read it: tuned=FILE, or POLYRS_TUNED=FILE.\n\
                    # `choice` may be changed by hand: \"default\", \"original\", or a candidate in the words of `polyrs candidates`.\n\
                    # Times are seconds of one run of the program.\n\n";

/// A file of choices.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Tuned {
    version: u32,
    /// What was run, in words; times of another program are not its own.
    #[serde(default)]
    pub program: String,
    /// The regions.
    #[serde(default, rename = "region")]
    pub regions: Vec<Entry>,
}

/// What is known of a region.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Entry {
    /// Its name, as `gemm:12`: the function, and a number or line.
    pub name: String,
    /// Where it is, for people.
    #[serde(default)]
    pub place: String,
    /// The key of its model.
    pub key: String,
    /// The machine that it was measured on.
    pub machine: String,
    /// A number for the options that it was compiled with.
    pub options: String,
    /// What is to be done.
    #[serde(with = "as_text")]
    pub choice: Choice,
    /// Why nothing was measured, or something was not taken.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub note: String,
    /// How long the region takes as the program has it, in seconds.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub original: Option<f64>,
    /// How long it takes with what is done without a choice.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub default: Option<f64>,
    /// How long it takes with the choice.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub chosen: Option<f64>,
    /// All that was measured.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub measured: Vec<Measured>,
}

/// What was measured of a candidate.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Measured {
    /// `default`, `original`, or the candidate.
    #[serde(with = "as_text")]
    pub candidate: Choice,
    /// Its predicted cost.
    pub cost: u64,
    /// The least seconds of all runs; none where it could not be used.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub seconds: Option<f64>,
    /// Why it could not be used.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub problem: String,
}

/// What is done to a region.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Choice {
    /// What is done without a file.
    Default,
    /// Nothing.
    Original,
    /// A candidate is taken without a search.
    Candidate(Candidate),
    /// The same for the region with the layout that is chosen without a file.
    Relaid(Candidate),
}

/// What stands before a candidate for a region with another layout.
const RELAID: &str = "layout=auto+";

impl fmt::Display for Choice {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Choice::Default => f.write_str("default"),
            Choice::Original => f.write_str("original"),
            Choice::Candidate(candidate) => candidate.fmt(f),
            Choice::Relaid(candidate) => write!(f, "{RELAID}{candidate}"),
        }
    }
}

impl FromStr for Choice {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        match text.trim() {
            "default" => Ok(Choice::Default),
            "original" => Ok(Choice::Original),
            words => {
                let (make, candidate): (fn(Candidate) -> Choice, &str) = match words.strip_prefix(RELAID) {
                    Some(rest) => (Choice::Relaid, rest),
                    None => (Choice::Candidate, words),
                };
                candidate.parse().map(make).map_err(|problem| {
                    format!(
                        "`{words}` is none of default, original, or a candidate as of `polyrs candidates`: {problem}"
                    )
                })
            }
        }
    }
}

/// A choice as its text.
mod as_text {
    use super::Choice;
    use serde::{Deserialize, Deserializer, Serializer, de::Error};

    pub fn serialize<S: Serializer>(choice: &Choice, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(choice)
    }

    pub fn deserialize<'d, D: Deserializer<'d>>(deserializer: D) -> Result<Choice, D::Error> {
        String::deserialize(deserializer)?.parse().map_err(D::Error::custom)
    }
}

/// Why a text is no file of choices.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("line {line}: {problem}")]
pub struct ReadError {
    /// Counted from 1.
    pub line: usize,
    /// What is wrong.
    pub problem: String,
}

/// What a file says of a region.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Found {
    /// What is to be done.
    Choice(Choice),
    /// It was measured, but not for this, for which it says nothing; why, in words.
    Stale(String),
    /// Nothing.
    Nothing,
}

impl Default for Tuned {
    fn default() -> Self {
        Tuned { version: VERSION, program: String::new(), regions: Vec::new() }
    }
}

impl Tuned {
    /// Nothing is known of a program yet, which is named in words.
    pub fn of(program: &str) -> Tuned {
        Tuned { program: program.to_owned(), ..Tuned::default() }
    }

    /// Reads a file.
    ///
    /// # Errors
    /// The first line that is wrong, or that says another version.
    pub fn parse(text: &str) -> Result<Tuned, ReadError> {
        // Another version may have anything but this.
        #[derive(Deserialize)]
        struct Version {
            version: u32,
        }
        let error = |error: toml::de::Error| {
            let at = error.span().map_or(0, |span| span.start);
            let line = 1 + text.get(..at).unwrap_or(text).matches('\n').count();
            ReadError { line, problem: error.message().replace('\n', "; ") }
        };
        let Version { version } = toml::from_str(text).map_err(error)?;
        if version != VERSION {
            let line = 1 + text.lines().position(|line| line.trim_start().starts_with("version")).unwrap_or(0);
            let problem =
                format!("this is of version {version}, and {VERSION} is what can be read; run `polyrs tune` again");
            return Err(ReadError { line, problem });
        }
        toml::from_str(text).map_err(error)
    }

    /// The text of the file.
    pub fn to_text(&self) -> String {
        format!("{HEAD}{}", toml::to_string(self).unwrap_or_default())
    }

    /// What it says of a region of this name.
    pub fn find(&self, name: &str, region: &Identity) -> Found {
        let same: Vec<&Entry> = self.regions.iter().filter(|entry| entry.key == region.key).collect();
        if let Some(entry) = same.iter().find(|entry| entry.is_of(region)) {
            return Found::Choice(entry.choice.clone());
        }
        if let Some(entry) = same.iter().find(|entry| entry.machine == region.machine) {
            let (entry, now) = (&entry.options, &region.options);
            return Found::Stale(format!(
                "it was measured with other options (their number was {entry}, and is {now})"
            ));
        }
        if let Some(entry) = same.first() {
            return Found::Stale(format!("it was measured on {}, and this is {}", entry.machine, region.machine));
        }
        let function = function(name);
        match self.regions.iter().find(|entry| self::function(&entry.name) == function) {
            Some(_) => Found::Stale("it is another region than the one that was measured in this function".to_owned()),
            None => Found::Nothing,
        }
    }

    /// The entry of a region.
    pub fn entry_mut(&mut self, region: &Identity) -> Option<&mut Entry> {
        self.regions.iter_mut().find(|entry| entry.is_of(region))
    }
}

impl Entry {
    /// It is about this.
    pub fn is_of(&self, region: &Identity) -> bool {
        self.key == region.key && self.machine == region.machine && self.options == region.options
    }
}

/// The function of a region.
fn function(name: &str) -> &str {
    let name = name.rsplit_once(':').map_or(name, |(function, _)| function);
    name.split_once(".poly.").map_or(name, |(function, _)| function)
}

#[cfg(test)]
mod tests {
    use super::{Choice, Entry, Found, Identity, Measured, Tuned, function};

    fn identity(key: &str, machine: &str, options: &str) -> Identity {
        Identity { key: key.to_owned(), machine: machine.to_owned(), options: options.to_owned() }
    }

    fn tuned() -> Tuned {
        let candidate = Choice::Candidate("order=scheduled+tiles=32".parse().unwrap());
        let entry = Entry {
            name: "f.poly.0:3".to_owned(),
            place: "x.c:3".to_owned(),
            key: "aa".to_owned(),
            machine: "zen".to_owned(),
            options: "11".to_owned(),
            choice: candidate.clone(),
            note: String::new(),
            original: Some(2.0),
            default: Some(1.5),
            chosen: None,
            measured: vec![
                Measured { candidate, cost: 7, seconds: Some(0.25), problem: String::new() },
                Measured { candidate: Choice::Original, cost: 9, seconds: None, problem: "no".to_owned() },
            ],
        };
        Tuned { program: "./x 3".to_owned(), regions: vec![entry], ..Tuned::default() }
    }

    #[test]
    fn what_is_written_is_read() {
        let text = tuned().to_text();
        assert_eq!(Tuned::parse(&text).unwrap(), tuned());
        assert!(text.contains("\nchoice = \"order=scheduled+tiles=32+wavefront=0"), "{text}");
        assert_eq!(Tuned::parse(&Tuned::default().to_text()).unwrap(), Tuned::default());
    }

    #[test]
    fn a_candidate_may_be_for_another_layout() {
        let text = "layout=auto+order=original+tiles=8";
        let choice: Choice = text.parse().unwrap();
        assert!(matches!(&choice, Choice::Relaid(candidate) if candidate.tiles.to_string() == "8"));
        assert_eq!(choice.to_string().parse(), Ok(choice));
        assert!("layout=auto+".parse::<Choice>().is_err());
        assert!("layout=any+order=original".parse::<Choice>().unwrap_err().contains("layout=any"));
    }

    #[test]
    fn mistakes_have_a_line() {
        let error = |text: &str| Tuned::parse(text).unwrap_err().to_string();
        assert!(error("version = 1\n\n[[region]]\nname = \n").starts_with("line 4: "));
        assert!(error("").contains("version"));
        assert!(error("# other\nversion = 7\nnew = 3\n").starts_with("line 2: this is of version 7, and 1 is"));
        assert!(error("version = 1\nprogramme = \"x\"\n").contains("programme"));
        let choice = error(&tuned().to_text().replace("choice = \"order=scheduled", "choice = \"order=some"));
        assert!(choice.starts_with("line ") && choice.contains("none of default, original"), "{choice}");
    }

    #[test]
    fn a_choice_is_for_its_region_machine_and_options() {
        let tuned = tuned();
        let find = |name: &str, key, machine, options| tuned.find(name, &identity(key, machine, options));
        assert_eq!(find("g:1", "aa", "zen", "11"), Found::Choice(tuned.regions[0].choice.clone()));
        let stale = |found| match found {
            Found::Stale(why) => why,
            other => panic!("{other:?}"),
        };
        assert!(stale(find("f:1", "aa", "other", "11")).contains("measured on zen, and this is other"));
        assert!(stale(find("f:1", "aa", "zen", "12")).contains("other options"));
        assert!(stale(find("f.poly.1:4", "bb", "zen", "11")).contains("another region"));
        assert_eq!(find("g:1", "bb", "zen", "11"), Found::Nothing);
        assert_eq!(function("f.poly.0:3"), "f");
    }
}
