//! Which statements are scheduled as one.

use crate::schedule_tree::Positions;
use std::collections::BTreeMap;
use std::fmt;
use std::str::FromStr;

/// A clustering decision (Baghdadi and Cohen 2020, section 2): sets of statements, each of which becomes a
/// macro-statement. What is in none of them stays by itself.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Decision {
    clusters: Vec<Vec<String>>,
}

/// What is wrong with the text of a decision.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("line {line}: {message}")]
pub struct DecisionError {
    /// The line, from 1.
    pub line: usize,
    /// What is wrong there.
    pub message: String,
}

impl Decision {
    /// These clusters, their statements in textual order; those of a single statement are none.
    pub(super) fn new(clusters: impl IntoIterator<Item = Vec<String>>, positions: &Positions) -> Decision {
        let mut clusters: Vec<Vec<String>> = clusters.into_iter().filter(|cluster| cluster.len() > 1).collect();
        for cluster in &mut clusters {
            cluster.sort_by_key(|name| positions.number(name));
        }
        clusters.sort_by_key(|cluster| positions.number(&cluster[0]));
        Decision { clusters }
    }

    /// The clusters, each with two statements or more.
    pub fn clusters(&self) -> &[Vec<String>] {
        &self.clusters
    }

    /// Each statement is scheduled by itself.
    pub fn is_empty(&self) -> bool {
        self.clusters.is_empty()
    }

    /// How many statements are scheduled where there were so many.
    pub fn macro_statements(&self, statements: usize) -> usize {
        let clustered: usize = self.clusters.iter().map(Vec::len).sum();
        statements - clustered.min(statements) + self.clusters.len()
    }

    /// Those clusters for which something holds.
    pub(super) fn retained<E>(self, keep: impl Fn(&[String]) -> Result<bool, E>) -> Result<Decision, E> {
        let mut clusters = Vec::new();
        for cluster in self.clusters {
            if keep(&cluster)? {
                clusters.push(cluster);
            }
        }
        Ok(Decision { clusters })
    }

    /// Each cluster cut to the parts that another partition, of numbers by statement, has of it.
    pub(super) fn cut(&self, part: &BTreeMap<String, usize>) -> Decision {
        let mut clusters = Vec::new();
        for cluster in &self.clusters {
            let mut parts: BTreeMap<Option<usize>, Vec<String>> = BTreeMap::new();
            for name in cluster {
                parts.entry(part.get(name).copied()).or_default().push(name.clone());
            }
            clusters.extend(parts.into_values().filter(|part| part.len() > 1));
        }
        Decision { clusters }
    }

    /// Each cluster cut to the parts that are given the same number, or none.
    #[must_use]
    pub fn with_cuts(&self, mut part: impl FnMut(&str) -> Option<usize>) -> Decision {
        let names = self.clusters.iter().flatten();
        let parts = names.filter_map(|name| Some((name.clone(), part(name)?))).collect();
        self.cut(&parts)
    }
}

impl FromStr for Decision {
    type Err = DecisionError;

    /// Reads a decision: a line for each cluster, with the names of its statements; `#` begins a comment. A statement
    /// that is in two clusters, or in one twice, is an error.
    fn from_str(text: &str) -> Result<Decision, DecisionError> {
        let (mut clusters, mut known) = (Vec::new(), BTreeMap::new());
        for (number, line) in text.lines().enumerate() {
            let line = (number + 1, line.split('#').next().unwrap_or_default());
            let names: Vec<String> = line.1.split_whitespace().map(str::to_owned).collect();
            for name in &names {
                if let Some(first) = known.insert(name.clone(), line.0) {
                    let message = format!("`{name}` is in a cluster already, in line {first}");
                    return Err(DecisionError { line: line.0, message });
                }
            }
            clusters.push(names);
        }
        clusters.retain(|cluster| cluster.len() > 1);
        Ok(Decision { clusters })
    }
}

impl fmt::Display for Decision {
    /// The form that is read.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.clusters.iter().try_for_each(|cluster| writeln!(f, "{}", cluster.join(" ")))
    }
}

#[cfg(test)]
mod tests {
    use super::Decision;

    #[test]
    fn texts_and_decisions_are_inverse() {
        let decision = "# two\nS0 S1\n\nS2\n S4\tS3 # swapped\n".parse::<Decision>().unwrap();
        assert_eq!(decision.to_string(), "S0 S1\nS4 S3\n");
        assert_eq!(decision.to_string().parse(), Ok(decision.clone()));
        assert_eq!(decision.macro_statements(7), 5);
        assert!("S0\n".parse::<Decision>().unwrap().is_empty());
        let error = "S0 S1\nS2 S0".parse::<Decision>().unwrap_err().to_string();
        assert_eq!(error, "line 2: `S0` is in a cluster already, in line 1");
        assert_eq!("S0 S1\nS2 S2".parse::<Decision>().unwrap_err().line, 2);
    }
}
