//! What the distances between statements count for, in a sum of them (PolyTOPS, Consolaro et al. 2024).

use std::collections::BTreeMap;

/// The key for pairs that are not named.
const OTHERS: &str = "others";

/// The largest weight: sums of distances fit 64 bits.
const MOST: i64 = 1_000_000;

/// Weights of pairs of statements, the source of a dependence first.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Weights {
    pairs: BTreeMap<(String, String), i64>,
    others: i64,
}

impl Default for Weights {
    fn default() -> Self {
        Weights { pairs: BTreeMap::new(), others: 1 }
    }
}

impl Weights {
    /// All pairs count the same.
    pub fn are_equal(&self) -> bool {
        *self == Weights::default()
    }

    /// What a distance from one statement to another counts for; zero: nothing.
    pub fn of(&self, source: &str, target: &str) -> i64 {
        self.pairs.get(&(source.to_owned(), target.to_owned())).copied().unwrap_or(self.others)
    }

    /// The statements that are named.
    pub fn statements(&self) -> impl Iterator<Item = &str> {
        self.pairs.keys().flat_map(|(source, target)| [source.as_str(), target.as_str()])
    }

    /// Takes `S1 -> S2` or `others`, with a weight.
    ///
    /// # Errors
    /// It is neither, or too large.
    pub(super) fn set(&mut self, key: &str, weight: i64) -> Result<(), String> {
        if !(0..=MOST).contains(&weight) {
            return Err(format!("{weight} is not from 0 to {MOST}"));
        }
        if key == OTHERS {
            self.others = weight;
            return Ok(());
        }
        let is_name = |name: &&str| !name.is_empty() && !name.contains(char::is_whitespace);
        let ends = key.split_once("->").map(|(source, target)| (source.trim(), target.trim()));
        let Some((source, target)) = ends.filter(|(source, target)| is_name(source) && is_name(target)) else {
            return Err(format!("`{key}` is neither {OTHERS} nor a pair of statements such as \"S1 -> S2\""));
        };
        self.pairs.insert((source.to_owned(), target.to_owned()), weight);
        Ok(())
    }

    /// As [`Self::set`] takes them.
    pub(super) fn entries(&self) -> impl Iterator<Item = (String, i64)> {
        let pairs = self.pairs.iter().map(|((source, target), weight)| (format!("{source} -> {target}"), *weight));
        pairs.chain((self.others != 1).then(|| (OTHERS.to_owned(), self.others)))
    }
}
