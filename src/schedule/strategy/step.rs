//! When which problem is solved for the next member of a band, and what is done where it has no solution (the steps of
//! the unified report's template, section 4).

use serde::{Deserialize, Serialize};
use std::fmt;

/// What is true where the next member is looked for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub enum Condition {
    /// One member is left to find.
    Last,
    /// The band has no member yet.
    First,
    /// So many members are left to find, or fewer: two or more.
    AtMostLeft(usize),
    /// There is a member outside of it.
    Inner,
    /// No statement has a coincident member yet.
    NothingParallel,
    /// All that should coincide does, if the step asks for what it says.
    AllCoincident,
}

const LEFT: &str = "left <= ";

impl TryFrom<String> for Condition {
    type Error = String;

    fn try_from(text: String) -> Result<Self, String> {
        Ok(match text.as_str() {
            "last" => Condition::Last,
            "first" => Condition::First,
            "inner" => Condition::Inner,
            "nothing-parallel" => Condition::NothingParallel,
            "all-coincident" => Condition::AllCoincident,
            other => match other.strip_prefix(LEFT).and_then(|number| number.parse().ok()) {
                // The same as that word, so that what follows from it does.
                Some(1) => Condition::Last,
                Some(number) if number > 1 => Condition::AtMostLeft(number),
                _ => {
                    return Err(format!(
                        "{text} is none of first, last, left <= N, inner, nothing-parallel, all-coincident"
                    ));
                }
            },
        })
    }
}

impl From<Condition> for String {
    fn from(condition: Condition) -> String {
        condition.to_string()
    }
}

impl fmt::Display for Condition {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Condition::Last => f.write_str("last"),
            Condition::First => f.write_str("first"),
            Condition::AtMostLeft(number) => write!(f, "{LEFT}{number}"),
            Condition::Inner => f.write_str("inner"),
            Condition::NothingParallel => f.write_str("nothing-parallel"),
            Condition::AllCoincident => f.write_str("all-coincident"),
        }
    }
}

/// For which pairs that should coincide a step asks for it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Coincident {
    /// All of them (ppcg report, 6.5.3).
    All,
    /// Those with a statement that has no coincident member yet: one is enough (unified report, 4.7, "Single degree of
    /// parallelism").
    One,
    /// None: members that happen to be coincident are marked.
    None,
}

/// What has to hold of a solution.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Keep {
    /// It carries a spatial relation of a statement with itself.
    CarriesSpatial,
}

/// What is done where a step gives no member.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Otherwise {
    /// The next step whose conditions hold is tried.
    Next,
    /// If it asked for coincidence, nobody does for the rest of the band (the band's first member may have to,
    /// [`super::Strategy::outer_coincidence`]); if not, the band ends.
    Relax,
    /// The band ends.
    End,
}

/// The first step whose conditions hold finds the next member. Where there is none, or no next one, the band ends.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Step {
    /// All of which must hold.
    pub when: Vec<Condition>,
    /// The position of the problem that is solved.
    pub problem: usize,
    /// What has to coincide.
    pub coincident: Coincident,
    /// What has to hold of the solution; where it does not, the next step is tried.
    pub keep: Option<Keep>,
    /// What is done where there is no solution.
    pub otherwise: Otherwise,
    /// The band ends with this member, and shares it with no other component (ppcg report, 6.7.2).
    pub ends_band: bool,
}

impl Step {
    /// It gives a member or decides what happens without, whenever it is come to: steps behind it are never tried.
    pub fn is_final(&self) -> bool {
        self.when.is_empty() && self.keep.is_none() && self.otherwise != Otherwise::Next
    }

    /// It asks for no coincidence of inner members (unified report, 4.7, "Unprofitable inner parallelism").
    pub fn relaxes_inner(&self) -> bool {
        self.coincident == Coincident::None && self.when.contains(&Condition::Inner)
    }
}
