//! What the distances between statements count for, in a sum of them, and references to arrays, where coefficients are
//! counted by these (PolyTOPS, Consolaro et al. 2024).

use std::collections::BTreeMap;

/// The key for pairs that are not named.
const OTHERS: &str = "others";

/// The largest weight: sums fit 64 bits.
const MOST: i64 = 1_000_000;

/// Weights of pairs of statements, the source of a dependence first, and of references to arrays.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Weights {
    pairs: BTreeMap<(String, String), i64>,
    others: i64,
    arrays: BTreeMap<String, i64>,
}

/// What a weight is of.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Weighed {
    /// Distances between statements.
    Distances,
    /// References to an array.
    References,
}

impl Default for Weights {
    fn default() -> Self {
        Weights { pairs: BTreeMap::new(), others: 1, arrays: BTreeMap::new() }
    }
}

impl Weights {
    /// All pairs count the same.
    pub fn are_equal(&self) -> bool {
        self.pairs.is_empty() && self.others == 1
    }

    /// What a distance from one statement to another counts for; zero: nothing.
    pub fn of(&self, source: &str, target: &str) -> i64 {
        self.pairs.get(&(source.to_owned(), target.to_owned())).copied().unwrap_or(self.others)
    }

    /// What a reference to an array counts for; zero: nothing.
    pub fn of_array(&self, array: &str) -> i64 {
        self.arrays.get(array).copied().unwrap_or(1)
    }

    /// The arrays that are named.
    pub fn arrays(&self) -> impl Iterator<Item = &str> {
        self.arrays.keys().map(String::as_str)
    }

    /// The statements that are named.
    pub fn statements(&self) -> impl Iterator<Item = &str> {
        self.pairs.keys().flat_map(|(source, target)| [source.as_str(), target.as_str()])
    }

    /// Takes `S1 -> S2`, the name of an array, or `others`, which is all other pairs, with a weight.
    ///
    /// # Errors
    /// It is none of these, or too large.
    pub(super) fn set(&mut self, key: &str, weight: i64) -> Result<Weighed, String> {
        if !(0..=MOST).contains(&weight) {
            return Err(format!("{weight} is not from 0 to {MOST}"));
        }
        if key == OTHERS {
            self.others = weight;
            return Ok(Weighed::Distances);
        }
        let is_name = |name: &&str| !name.is_empty() && !name.contains(char::is_whitespace);
        match key.split_once("->").map(|(source, target)| (source.trim(), target.trim())) {
            Some((source, target)) if is_name(&source) && is_name(&target) => {
                self.pairs.insert((source.to_owned(), target.to_owned()), weight);
                Ok(Weighed::Distances)
            }
            None if is_name(&key) => {
                self.arrays.insert(key.to_owned(), weight);
                Ok(Weighed::References)
            }
            _ => Err(format!("`{key}` is neither {OTHERS}, an array, nor a pair of statements such as \"S1 -> S2\"")),
        }
    }

    /// As [`Self::set`] takes them.
    pub(super) fn entries(&self) -> impl Iterator<Item = (String, i64)> {
        let pairs = self.pairs.iter().map(|((source, target), weight)| (format!("{source} -> {target}"), *weight));
        let others = (self.others != 1).then(|| (OTHERS.to_owned(), self.others));
        pairs.chain(others).chain(self.arrays.iter().map(|(array, weight)| (array.clone(), *weight)))
    }
}
