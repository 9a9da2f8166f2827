//! The words, numbers and signs of directives, and places in their texts.

/// What is wrong with a directive, and where.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{line}:{column}: {message}")]
pub struct DirectiveError {
    /// The text, by its position among those that were read together.
    pub text: usize,
    /// The line, from 1.
    pub line: usize,
    /// The column in characters, from 1.
    pub column: usize,
    /// What is wrong, and what would help.
    pub message: String,
}

/// A place in a text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Place {
    /// The text, by its position among those that are read together.
    pub text: usize,
    pub line: usize,
    pub column: usize,
}

impl Place {
    /// What is wrong here.
    pub fn error(self, message: impl Into<String>) -> DirectiveError {
        DirectiveError { text: self.text, line: self.line, column: self.column, message: message.into() }
    }
}

/// A part of a text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Token {
    Name(String),
    Number(i64),
    Sign(&'static str),
    End,
}

impl Token {
    /// The part as messages show it.
    pub fn shown(&self) -> String {
        match self {
            Token::Name(name) => format!("`{name}`"),
            Token::Number(number) => format!("`{number}`"),
            Token::Sign(sign) => format!("`{sign}`"),
            Token::End => "the end".to_owned(),
        }
    }
}

const SIGNS: [&str; 14] = ["->", "(", ")", "[", "]", ",", ":", "+", "-", "*", "/", "%", "#", "="];

/// A text has at most so many bytes.
const MOST_BYTES: usize = 1 << 20;

/// What a text is made of, with places; the end comes last.
pub(super) fn tokens(number: usize, text: &str) -> Result<Vec<(Token, Place)>, DirectiveError> {
    let mut found = Vec::new();
    let mut last = Place { text: number, line: 1, column: 1 };
    if text.len() > MOST_BYTES {
        return Err(last.error(format!("a text of more than {MOST_BYTES} bytes")));
    }
    for (line, text) in text.lines().enumerate() {
        let (mut rest, mut column) = (text, 1);
        loop {
            let place = Place { text: number, line: line + 1, column };
            last = place;
            let Some(first) = rest.chars().next() else { break };
            let length = |of: fn(char) -> bool| rest.find(|c: char| !of(c)).unwrap_or(rest.len());
            let (token, length) = if rest.starts_with("//") || rest == "\\" {
                break;
            } else if first.is_whitespace() {
                (None, first.len_utf8())
            } else if first.is_ascii_digit() {
                let length = length(|c| c.is_ascii_digit());
                let number = rest[..length].parse().map_err(|_| place.error("a number that does not fit 64 bits"))?;
                (Some(Token::Number(number)), length)
            } else if first.is_alphabetic() || first == '_' {
                let length = length(|c| c.is_alphanumeric() || c == '_' || c == '.');
                (Some(Token::Name(rest[..length].to_owned())), length)
            } else if let Some(sign) = SIGNS.iter().find(|sign| rest.starts_with(**sign)) {
                (Some(Token::Sign(sign)), sign.len())
            } else {
                return Err(place.error(format!("`{}` means nothing here", first.escape_debug())));
            };
            found.extend(token.map(|token| (token, place)));
            column += rest[..length].chars().count();
            rest = &rest[length..];
        }
    }
    found.push((Token::End, last));
    Ok(found)
}
