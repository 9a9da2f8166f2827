//! Linear constraints on the coefficients of a member, as users write them (PolyTOPS, Consolaro et al. 2024, "custom
//! constraints").
//!
//! `S1.i + 2 S2.k - S1.1 >= 3`: a coefficient is a statement and one of its loops, a parameter, or `1` for the constant
//! term. The statement `*` stands for each one that has the loop, in a constraint of its own.

use std::fmt;
use std::str::FromStr;

/// The name of the constant term.
pub const ONE: &str = "1";

/// The name of each statement in turn.
pub const EACH: &str = "*";

/// The largest number: sums of what is bounded fit 64 bits.
const MOST: i64 = i32::MAX as i64;

/// A coefficient of a statement's function.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Coefficient {
    /// The statement, or `*`.
    pub statement: String,
    /// A loop, a parameter, or `1`.
    pub of: String,
}

/// `Σ factor coefficient + constant`, which is zero, or not negative.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Linear {
    /// As it is written.
    pub text: String,
    /// What is added up.
    pub terms: Vec<(i64, Coefficient)>,
    /// Added to it.
    pub constant: i64,
    /// It is zero.
    pub is_equality: bool,
}

impl Linear {
    /// It is about each statement in turn.
    pub fn is_about_each(&self) -> bool {
        self.terms.iter().any(|(_, coefficient)| coefficient.statement == EACH)
    }

    /// The same about one of the statements, as it is written about each.
    #[must_use]
    pub fn about(&self, statement: &str) -> Linear {
        let mut about = self.clone();
        about.terms.iter_mut().for_each(|(_, coefficient)| statement.clone_into(&mut coefficient.statement));
        about
    }
}

impl FromStr for Linear {
    type Err = String;

    fn from_str(text: &str) -> Result<Linear, String> {
        let (place, relation) = [">=", "<=", "="]
            .into_iter()
            .find_map(|relation| Some((text.find(relation)?, relation)))
            .ok_or_else(|| format!("`{text}` has none of >=, <=, ="))?;
        let (left, right) = (&text[..place], &text[place + relation.len()..]);
        let sign = if relation == "<=" { -1 } else { 1 };
        let written = text.split_whitespace().collect::<Vec<_>>().join(" ");
        let mut linear = Linear { text: written, terms: Vec::new(), constant: 0, is_equality: relation == "=" };
        linear.add(left, sign)?;
        linear.add(right, -sign)?;
        let mut statements: Vec<&str> = linear.terms.iter().map(|(_, of)| of.statement.as_str()).collect();
        statements.dedup();
        if statements.is_empty() {
            return Err(format!("`{text}` has no coefficient, such as S1.i"));
        }
        if linear.is_about_each() && statements.len() > 1 {
            return Err(format!("`{text}` is about each statement and about one of them"));
        }
        Ok(linear)
    }
}

impl Linear {
    /// Adds a side, times a sign.
    fn add(&mut self, side: &str, sign: i64) -> Result<(), String> {
        let mut sign_of_term = sign;
        let mut wants_term = true;
        let mut rest = side.trim();
        if rest.is_empty() {
            return Err("nothing stands on one side of the constraint".to_owned());
        }
        while !rest.is_empty() {
            if let Some(after) = rest.strip_prefix(['+', '-']) {
                // `a - -b` is none, and neither is `a -`; what begins with a sign is.
                let is_first = rest.len() == side.trim().len();
                if wants_term && !is_first {
                    return Err(format!("two signs in `{}`", side.trim()));
                }
                sign_of_term = if rest.starts_with('-') { -sign } else { sign };
                (wants_term, rest) = (true, after.trim_start());
                continue;
            }
            if !wants_term {
                return Err(format!("a sign is missing before `{rest}`"));
            }
            rest = self.add_term(rest, sign_of_term)?.trim_start();
            wants_term = false;
        }
        if wants_term {
            return Err(format!("a sign with nothing behind it in `{}`", side.trim()));
        }
        Ok(())
    }

    /// Adds `3`, `3 S.i`, `3*S.i` or `S.i`; what is left of the text.
    fn add_term<'t>(&mut self, text: &'t str, sign: i64) -> Result<&'t str, String> {
        let digits = text.bytes().take_while(u8::is_ascii_digit).count();
        let (number, rest) = text.split_at(digits);
        let factor = match number {
            "" => 1,
            number => number.parse().ok().filter(|number| *number <= MOST).ok_or(format!("{number} is too large"))?,
        };
        let after = rest.trim_start();
        let is_product = digits > 0 && after.strip_prefix('*').is_some_and(|after| !after.starts_with('.'));
        let name = if is_product { after[1..].trim_start() } else { after };
        let is_name = |c: char| c.is_alphanumeric() || c == '_' || c == '$';
        let length = match name.strip_prefix(EACH) {
            Some(_) => EACH.len(),
            None => name.find(|c| !is_name(c)).unwrap_or(name.len()),
        };
        let (statement, behind) = name.split_at(length);
        let Some(of) = behind.strip_prefix('.').filter(|_| length > 0) else {
            if digits == 0 || is_product || length > 0 {
                return Err(format!("`{text}` is neither a number nor a coefficient, such as S1.i"));
            }
            self.constant = self.constant.saturating_add(sign * factor);
            return Ok(rest);
        };
        let (of, rest) = of.split_at(of.find(|c| !is_name(c)).unwrap_or(of.len()));
        if of.is_empty() {
            return Err(format!("`{text}` names no loop of {statement}"));
        }
        let coefficient = Coefficient { statement: statement.to_owned(), of: of.to_owned() };
        self.terms.push((sign * factor, coefficient));
        Ok(rest)
    }
}

impl fmt::Display for Linear {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text)
    }
}

#[cfg(test)]
mod tests {
    use super::{Coefficient, Linear};

    #[test]
    fn constraints_are_read_and_written() {
        // What is added up, and whether that is zero.
        type Read<'t> = (&'t str, &'t [(i64, &'t str)], i64, bool);
        let pairs: [Read; 6] = [
            ("S1.i >= 1", &[(1, "S1.i")], -1, false),
            ("S1.i<=2", &[(-1, "S1.i")], 2, false),
            ("-S1.i + 2*S2.j = 3 S1.1 - 4", &[(-1, "S1.i"), (2, "S2.j"), (-3, "S1.1")], 4, true),
            ("*.k = 0", &[(1, "*.k")], 0, true),
            ("2 *.k - *.j <= 0", &[(-2, "*.k"), (1, "*.j")], 0, false),
            ("1 <= S.n", &[(1, "S.n")], -1, false),
        ];
        for (text, terms, constant, is_equality) in pairs {
            let linear: Linear = text.parse().unwrap();
            let name = |(factor, of): &(i64, Coefficient)| (*factor, format!("{}.{}", of.statement, of.of));
            let found: Vec<_> = linear.terms.iter().map(name).collect();
            let expected: Vec<_> = terms.iter().map(|(factor, name)| (*factor, (*name).to_owned())).collect();
            assert_eq!((found, linear.constant, linear.is_equality), (expected, constant, is_equality), "{text}");
            assert_eq!(linear.to_string(), text);
        }
        assert_eq!(" S.i\n  >= 1 ".parse::<Linear>().unwrap().to_string(), "S.i >= 1");
    }

    #[test]
    fn what_is_no_constraint_says_why() {
        let wrong = [
            ("S1.i", "none of >=, <=, ="),
            ("1 >= 0", "no coefficient"),
            ("S1.i >= ", "nothing stands on one side"),
            ("S1.i S2.j = 0", "a sign is missing before `S2.j`"),
            ("S1.i + = 0", "a sign with nothing behind it"),
            ("S1.i - - S1.j = 0", "two signs"),
            ("S1 = 0", "neither a number nor a coefficient"),
            ("S1. = 0", "names no loop of S1"),
            ("99999999999 S1.i = 0", "99999999999 is too large"),
            ("*.i + S1.i = 0", "about each statement and about one of them"),
            ("S1.i == 0", "neither a number nor a coefficient"),
            ("3 * = S1.i", "neither a number nor a coefficient"),
        ];
        for (text, part) in wrong {
            let error = text.parse::<Linear>().unwrap_err();
            assert!(error.contains(part), "{text}: {error}");
        }
    }
}
