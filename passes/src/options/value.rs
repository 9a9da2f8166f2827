//! Reading one option's text.

use polyrs_core::driver::Unacceptable;
use polyrs_core::spelling::changes;

use polyrs_host::OptionRow;
use polyrs_interface::Text;

/// Why an option was not accepted. Every text names the option, the value and what is allowed.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum OptionError {
    /// The option takes no such value.
    #[error("{}: '{value}' is not {allowed}{}", subject(option), separators(value))]
    Value {
        /// The option's name.
        option: String,
        /// The value that was given.
        value: String,
        /// The values that could have been given, as in "one of a, b".
        allowed: String,
    },
    /// The value is part of the contract, but this version does not implement it.
    #[error("option '{option}': '{value}' is not available yet; available: {available}")]
    Unavailable {
        /// The option's name.
        option: String,
        /// The value that was given.
        value: String,
        /// The values that can be given today.
        available: String,
    },
    /// The file that the option names is not what it should be.
    #[error("{}: {problem}", subject(option))]
    File {
        /// The option's name.
        option: String,
        /// The file, the place in it, and what is wrong.
        problem: String,
    },
    /// There is no such option.
    #[error("unknown option '{option}'{}; the options are {}", similar(option, known), known.join(", "))]
    Unknown {
        /// The value that was given.
        option: String,
        /// The names that exist.
        known: Vec<String>,
    },
    /// A value without a name before it.
    #[error("'={value}' has no name before it: an option is NAME=VALUE, without blanks around the =")]
    Nameless {
        /// The value that was given.
        value: String,
    },
}

/// What an error is about: an option, or a variable of the environment that stands for one.
fn subject(name: &str) -> String {
    if name.starts_with("POLYRS_") { format!("environment variable {name}") } else { format!("option '{name}'") }
}

/// Help for a value that looks as if it went on with another option.
fn separators(value: &str) -> &'static str {
    let is_long = value.split_once([',', ';']).is_some_and(|(_, rest)| rest.contains('='));
    if is_long { "; between options are blanks" } else { "" }
}

/// The known name that a name was probably meant to be: that with the fewest changed letters, if they are few.
fn similar(name: &str, known: &[String]) -> String {
    // Nobody meant a name that is longer than any.
    let is_name = name.len() <= 40;
    let best = known.iter().filter(|_| is_name).map(|known| (changes(name, known), known)).min();
    match best {
        Some((changes, best)) if changes <= 1 + name.len() / 5 => format!(" (did you mean '{best}'?)"),
        _ => String::new(),
    }
}

impl OptionError {
    /// An option of the optimizer that does not take its text.
    pub fn of(option: &str, text: &str, error: Unacceptable) -> Self {
        let (option, value) = (option.to_owned(), text.to_owned());
        match error {
            Unacceptable::Unknown(allowed) => Self::Value { option, value, allowed },
            Unacceptable::Unavailable(available) => Self::Unavailable { option, value, available },
        }
    }
}

/// The values of all options of one pass or pipeline, defaults included.
#[derive(Clone, Debug, Default)]
pub struct Values(Vec<(String, String)>);

impl Values {
    /// Takes pairs of an option's name and its value.
    pub fn new(pairs: impl IntoIterator<Item = (String, String)>) -> Self {
        Self(pairs.into_iter().collect())
    }

    /// The defaults of a table, overridden by `pairs`.
    ///
    /// # Errors
    /// A name that the table does not have.
    pub fn with_defaults<'a>(
        rows: &[OptionRow],
        pairs: impl IntoIterator<Item = (&'a str, &'a str)>,
    ) -> Result<Self, OptionError> {
        let mut values: Vec<_> = rows.iter().map(|row| (row.name.to_text(), row.initial.to_text())).collect();
        for (name, value) in pairs {
            if name.is_empty() {
                return Err(OptionError::Nameless { value: value.to_owned() });
            }
            let Some(found) = values.iter_mut().find(|(known, _)| known == name) else {
                let known = rows.iter().map(|row| row.name.to_text()).collect();
                return Err(OptionError::Unknown { option: name.to_owned(), known });
            };
            found.1 = value.to_owned();
        }
        Ok(Self(values))
    }

    /// The text of an option, without surrounding spaces. Empty if the table lacks the option.
    pub fn text(&self, option: &str) -> &str {
        self.0.iter().find(|(name, _)| name == option).map_or("", |(_, value)| value.trim())
    }

    /// `true` or `false`.
    ///
    /// # Errors
    /// Any other text.
    pub fn boolean(&self, option: &str) -> Result<bool, OptionError> {
        self.keyword(option, &[("true", Some(true)), ("false", Some(false))])
    }

    /// One of some words. A word without a value is part of the contract but not available yet.
    ///
    /// # Errors
    /// An unknown word, or one that is not available.
    pub fn keyword<T: Copy>(&self, option: &str, words: &[(&str, Option<T>)]) -> Result<T, OptionError> {
        word(option, self.text(option), words)
    }

    /// A list of words with commas between; empty is the empty list.
    ///
    /// # Errors
    /// As for [`Values::keyword`].
    pub fn keywords<T: Copy>(&self, option: &str, words: &[(&str, Option<T>)]) -> Result<Vec<T>, OptionError> {
        self.list(option).map(|text| word(option, text, words)).collect()
    }

    /// A whole number of at least `least` that fits 63 bits.
    ///
    /// # Errors
    /// Anything else.
    pub fn number(&self, option: &str, least: u64) -> Result<u64, OptionError> {
        number(option, self.text(option), least)
    }

    /// The texts between commas; none if the option is empty.
    pub fn list<'a>(&'a self, option: &str) -> impl Iterator<Item = &'a str> + use<'a> {
        let text = self.text(option);
        let parts = if text.is_empty() { None } else { Some(text.split(',')) };
        parts.into_iter().flatten().map(str::trim)
    }

    /// The text, or nothing if the option is empty.
    pub fn optional(&self, option: &str) -> Option<String> {
        let text = self.text(option);
        (!text.is_empty()).then(|| text.to_owned())
    }
}

fn word<T: Copy>(option: &str, text: &str, words: &[(&str, Option<T>)]) -> Result<T, OptionError> {
    let names = |filter: fn(&Option<T>) -> bool| {
        let names: Vec<_> = words.iter().filter(|(_, value)| filter(value)).map(|(name, _)| *name).collect();
        names.join(", ")
    };
    match words.iter().find(|(name, _)| *name == text) {
        Some((_, Some(value))) => Ok(*value),
        Some((_, None)) => Err(OptionError::Unavailable {
            option: option.to_owned(),
            value: text.to_owned(),
            available: names(Option::is_some),
        }),
        None => Err(OptionError::Value {
            option: option.to_owned(),
            value: text.to_owned(),
            allowed: format!("one of {}", names(|_| true)),
        }),
    }
}

pub(super) fn number(option: &str, text: &str, least: u64) -> Result<u64, OptionError> {
    let most = i64::MAX.unsigned_abs();
    text.parse().ok().filter(|value| (least..=most).contains(value)).ok_or_else(|| OptionError::Value {
        option: option.to_owned(),
        value: text.to_owned(),
        allowed: format!("a whole number from {least} to {most}"),
    })
}

/// A row of an option table.
pub const fn option(name: &'static str, metavar: &'static str, initial: &'static str, help: &'static str) -> OptionRow {
    OptionRow { name: Text::new(name), metavar: Text::new(metavar), initial: Text::new(initial), help: Text::new(help) }
}

#[cfg(test)]
mod tests {
    use super::{OptionError, changes, option};
    use crate::options::Values;

    #[test]
    fn distances_count_changes() {
        assert_eq!(
            [changes("", "abc"), changes("tile", "tile"), changes("paralel", "parallel"), changes("ab", "ba")],
            [3, 0, 1, 2]
        );
    }

    #[test]
    fn near_names_are_told() {
        let rows = [option("tile", "", "", ""), option("tile-sizes", "", "", "")];
        let wrong = |name| Values::with_defaults(&rows, [(name, "x")]).unwrap_err().to_string();
        assert_eq!(wrong("tle"), "unknown option 'tle' (did you mean 'tile'?); the options are tile, tile-sizes");
        assert_eq!(wrong("colour"), "unknown option 'colour'; the options are tile, tile-sizes");
        assert_eq!(wrong(""), "'=x' has no name before it: an option is NAME=VALUE, without blanks around the =");
    }

    #[test]
    fn wrong_separators_are_told() {
        let wrong = |value: &str| {
            let (option, value, allowed) = ("tile".to_owned(), value.to_owned(), "true".to_owned());
            OptionError::Value { option, value, allowed }.to_string()
        };
        assert_eq!(wrong("true,a=b"), "option 'tile': 'true,a=b' is not true; between options are blanks");
        assert_eq!(wrong("order=original"), "option 'tile': 'order=original' is not true");
    }
}
