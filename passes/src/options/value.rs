//! Reading one option's text.

use polyrs_core::driver::Unacceptable;

use polyrs_host::OptionRow;
use polyrs_interface::Text;

/// Why an option was not accepted. Every text names the option, the value and what is allowed.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum OptionError {
    /// The option takes no such value.
    #[error("option '{option}': '{value}' is not {allowed}")]
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
    #[error("option '{option}': {problem}")]
    File {
        /// The option's name.
        option: String,
        /// The file, the place in it, and what is wrong.
        problem: String,
    },
    /// There is no such option.
    #[error("unknown option '{option}'; the options are {known}")]
    Unknown {
        /// The value that was given.
        option: String,
        /// The names that exist.
        known: String,
    },
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
            let Some(found) = values.iter_mut().find(|(known, _)| known == name) else {
                let known: Vec<_> = rows.iter().map(|row| row.name.to_text()).collect();
                return Err(OptionError::Unknown { option: name.to_owned(), known: known.join(", ") });
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
