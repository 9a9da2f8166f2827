//! Reductions: values that an operation gathers in one element, in any order.
//!
//! Front ends say so only where the order may be changed: integers wrap around, and of floating-point numbers the program's
//! own flags or an option allow it. What a region computes with its statements in their order does not depend on it, so
//! that only what makes partial results (`src/layout/reduction.rs`), what lets updates run ahead of others
//! (`src/transform/ahead.rs`), and their proofs look here.

use std::fmt;
use std::str::FromStr;

/// The part of a statement in a reduction.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Reduction {
    /// How values are gathered.
    pub operator: Operator,
    /// What an instance does.
    pub role: Role,
}

/// An operation that is associative and commutative, and has a neutral element.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Operator {
    /// A sum.
    Add,
    /// A product.
    Mul,
    /// Bits that all have.
    And,
    /// Bits that some have.
    Or,
    /// Bits that an odd number have.
    Xor,
    /// The least value; of integers, with their signs.
    Min,
    /// The greatest value, likewise.
    Max,
    /// The least of integers without a sign. Which of two is less depends on that.
    UMin,
    /// The greatest, likewise.
    UMax,
}

/// What an instance does in a reduction.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Role {
    /// It gathers a value that it computes of its other reads: `a = a + f(b)`.
    Update,
    /// It writes the neutral element: `p = 0`.
    Neutral,
    /// It gathers what it reads, as it is, last: `a = a + p`.
    Combine,
}

impl Operator {
    /// The order of such operations on integers counts neither for the result nor for what is said of a single one of them:
    /// that a sum does not overflow is said of one order.
    pub fn is_free_of_order(self) -> bool {
        !matches!(self, Operator::Add | Operator::Mul)
    }
}

const OPERATORS: [(Operator, &str); 9] = [
    (Operator::Add, "add"),
    (Operator::Mul, "mul"),
    (Operator::And, "and"),
    (Operator::Or, "or"),
    (Operator::Xor, "xor"),
    (Operator::Min, "min"),
    (Operator::Max, "max"),
    (Operator::UMin, "umin"),
    (Operator::UMax, "umax"),
];

const ROLES: [(Role, &str); 3] = [(Role::Update, "update"), (Role::Neutral, "neutral"), (Role::Combine, "combine")];

impl fmt::Display for Operator {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let word = OPERATORS.iter().find(|(operator, _)| operator == self).map_or("", |(_, word)| word);
        f.write_str(word)
    }
}

impl fmt::Display for Reduction {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let role = ROLES.iter().find(|(role, _)| *role == self.role).map_or("", |(_, word)| word);
        write!(f, "{} {role}", self.operator)
    }
}

impl FromStr for Reduction {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let mut words = text.split_whitespace();
        let (operator, role) = (words.next().unwrap_or_default(), words.next().unwrap_or_default());
        let operator = OPERATORS.iter().find(|(_, word)| *word == operator);
        let role = ROLES.iter().find(|(_, word)| *word == role);
        match (operator, role, words.next()) {
            (Some((operator, _)), Some((role, _)), None) => Ok(Reduction { operator: *operator, role: *role }),
            _ => {
                let all = |words: Vec<&str>| words.join(", ");
                let operators = all(OPERATORS.iter().map(|(_, word)| *word).collect());
                let roles = all(ROLES.iter().map(|(_, word)| *word).collect());
                Err(format!("`{text}` is no part of a reduction: expected one of {operators}, and one of {roles}"))
            }
        }
    }
}
