//! How values are written in the file form: numbers, sizes, names.

/// A line of the file form of a `T`.
pub(super) struct Row<T> {
    /// The name.
    pub key: &'static str,
    /// The value as it is written.
    pub write: fn(&T) -> String,
    /// Takes over a value; an error says what is wrong with it.
    pub read: fn(&mut T, &str) -> Result<(), String>,
}

/// A name for people.
pub(super) fn word(value: &str) -> Result<String, String> {
    if value.is_empty() { Err("a name has at least one letter".into()) } else { Ok(value.to_owned()) }
}

/// A whole number that is not below `least`.
pub(super) fn number(value: &str, least: u32) -> Result<u32, String> {
    let found = value.parse().ok().filter(|number| *number >= least);
    found.ok_or_else(|| format!("{value} is no whole number from {least} to {}", u32::MAX))
}

/// A power of two that is not below `least`.
pub(super) fn power(value: &str, least: u32) -> Result<u32, String> {
    let found = number(value, least).ok().filter(|number| number.is_power_of_two());
    found.ok_or_else(|| format!("{value} is no power of two from {least} to {}", 1u32 << 31))
}

/// A number of bytes that is not zero, in the form of [`size_of`].
pub(super) fn size(value: &str) -> Result<u64, String> {
    size_of(value).ok_or_else(|| format!("{value} is no size such as 48K or 32M"))
}

/// A number of bytes, of KiB with `K` after it, and likewise with `M` and `G`; not zero.
pub(super) fn size_of(text: &str) -> Option<u64> {
    let (digits, unit) = match text.strip_suffix(['K', 'M', 'G']) {
        Some(digits) => (digits, UNITS.iter().find(|(letter, _)| text.ends_with(*letter))?.1),
        None => (text, 1),
    };
    digits.parse::<u64>().ok()?.checked_mul(unit).filter(|bytes| *bytes > 0)
}

const UNITS: [(char, u64); 3] = [('G', 1 << 30), ('M', 1 << 20), ('K', 1 << 10)];

/// What [`size_of`] reads, in the largest unit that it is a whole number of.
pub(super) fn write_size(bytes: u64) -> String {
    match UNITS.iter().find(|(_, unit)| bytes > 0 && bytes.is_multiple_of(*unit)) {
        Some((letter, unit)) => format!("{}{letter}", bytes / unit),
        None => bytes.to_string(),
    }
}
