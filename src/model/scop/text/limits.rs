//! Bounds on what isl's reader is given: it nests a call in each bracket, takes the square of a number's digits and the
//! cube of a tuple's entries in time, and counts none of it. A text that begins as a schedule tree it reads as one,
//! whatever was asked for, and takes what is no key there for a pointer.

/// Brackets in brackets. isl overflows the stack at some ten thousand.
const DEPTH: usize = 200;

/// Digits of a number.
const DIGITS: usize = 1000;

/// Entries of a tuple, or of a list of parameters.
pub(super) const ENTRIES: usize = 400;

/// How isl tells a schedule tree from other objects: one of these and a colon, with or without a brace before.
const KEYS: [&str; 2] = ["domain", "\"domain\""];

/// Why a text is not handed to isl.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Excess {
    /// How many characters stand before the place, blanks aside.
    pub solid_before: usize,
    /// How many characters stand before the place.
    pub before: usize,
    /// What is too large.
    pub message: String,
}

/// The first thing in isl notation that is too large to be read.
pub(super) fn excess(text: &str) -> Option<Excess> {
    if is_tree(text) {
        let message = "this is a schedule tree, not a set or a relation".to_owned();
        return Some(Excess { solid_before: 0, before: 0, message });
    }
    // The entries of each open bracket.
    let mut open: Vec<usize> = Vec::new();
    let (mut digits, mut solid_before) = (0, 0);
    for (before, c) in text.chars().enumerate() {
        digits = if c.is_ascii_digit() { digits + 1 } else { 0 };
        match c {
            '(' | '[' | '{' => open.push(1),
            ')' | ']' | '}' => drop(open.pop()),
            ',' => open.iter_mut().rev().take(1).for_each(|entries| *entries += 1),
            _ => {}
        }
        let message = if open.len() > DEPTH {
            format!("brackets are nested deeper than {DEPTH} times")
        } else if digits > DIGITS {
            format!("a number has more than {DIGITS} digits")
        } else if open.last().is_some_and(|entries| *entries > ENTRIES) {
            format!("there are more than {ENTRIES} entries between two brackets")
        } else {
            solid_before += usize::from(!c.is_whitespace());
            continue;
        };
        return Some(Excess { solid_before, before, message });
    }
    None
}

/// Whether isl would read a schedule tree.
fn is_tree(text: &str) -> bool {
    let mut rest = solid(text);
    rest = rest.strip_prefix('{').map_or(rest, solid);
    let behind = KEYS.iter().find_map(|key| rest.strip_prefix(key));
    behind.is_some_and(|behind| solid(behind).starts_with(':'))
}

/// A text from its first character on that is neither blank nor in a comment.
fn solid(text: &str) -> &str {
    let mut rest = text.trim_start();
    while let Some(comment) = rest.strip_prefix('#') {
        rest = comment.split_once('\n').map_or("", |(_, behind)| behind.trim_start());
    }
    rest
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_large_is_found_with_its_place() {
        let message = |text: &str| excess(text).map(|found| (found.before, found.solid_before, found.message));
        assert_eq!(message("{ S[i, j] : (i > 0 and [j] > 10) }"), None);
        let (deep, long) = (format!("{{ {}", "(".repeat(DEPTH)), format!("{{ S[i] : i < {}", "1".repeat(DIGITS + 1)));
        let found = message(&deep).unwrap();
        assert!((found.0, found.1) == (DEPTH + 1, DEPTH) && found.2.contains("nested"), "{found:?}");
        assert!(message(&long).unwrap().2.contains("digits"));
        assert_eq!(message(&format!("{{ S[i] : i < {} }}", "1".repeat(DIGITS))), None);
        let wide = |count: usize| format!("{{ S[{}i] }}", "i, ".repeat(count - 1));
        assert_eq!(message(&wide(ENTRIES)), None);
        assert!(message(&wide(ENTRIES + 1)).unwrap().2.contains("entries"));
    }

    #[test]
    fn trees_are_no_sets() {
        for tree in ["domain: \"{ S[] }\"", "{ domain : 5", "{\"domain\": 1", " # none\n {#\ndomain#x\n:1"] {
            assert!(excess(tree).is_some_and(|found| found.message.contains("schedule tree")), "{tree}");
        }
        for set in ["{ domain[i] : i > 0 }", "{ domains: }", "[domain] -> { : domain > 0 }", "# domain:", "{", ""] {
            assert_eq!(excess(set), None, "{set}");
        }
    }
}
