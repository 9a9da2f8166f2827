//! Why a text in isl notation does not parse. isl itself says only that it does not.

/// A likely reason.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Finding {
    /// How many characters that are not blank come before the place.
    pub solid_before: usize,
    /// What is wrong there.
    pub message: String,
}

/// isl's own words, which are no names of dimensions.
const KEYWORDS: [&str; 18] = [
    "exists", "and", "or", "not", "implies", "mod", "floor", "ceil", "floord", "ceild", "min", "max", "true", "false",
    "infty", "NaN", "rat", "infinity",
];

/// Looks for brackets that do not match, for names that nothing declares, and for characters that isl does not know.
pub(super) fn find(text: &str, parameters: &[String]) -> Option<Finding> {
    let tokens = tokens(text);
    if tokens.is_empty() {
        return Some(Finding { solid_before: 0, message: "the text is empty".into() });
    }
    unmatched(&tokens).or_else(|| unknown_character(&tokens)).or_else(|| undeclared(&tokens, parameters))
}

struct Token {
    text: String,
    solid_before: usize,
}

impl Token {
    fn is_name(&self) -> bool {
        self.text.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_')
    }

    fn finding(&self, message: String) -> Option<Finding> {
        Some(Finding { solid_before: self.solid_before, message })
    }
}

fn tokens(text: &str) -> Vec<Token> {
    let mut tokens: Vec<Token> = Vec::new();
    let mut solid = 0;
    let mut joined = false;
    for c in text.chars() {
        if c.is_whitespace() {
            joined = false;
            continue;
        }
        let word = c.is_ascii_alphanumeric() || c == '_' || c == '\'';
        // A number ends before a letter: `2n` is a product.
        let continues = |last: &Token| {
            let number = last.text.chars().all(|d| d.is_ascii_digit());
            joined && word && (c.is_ascii_digit() || !number)
        };
        match tokens.last_mut() {
            Some(last) if continues(last) => last.text.push(c),
            _ => tokens.push(Token { text: c.to_string(), solid_before: solid }),
        }
        joined = word;
        solid += 1;
    }
    tokens
}

fn unmatched(tokens: &[Token]) -> Option<Finding> {
    let mut open: Vec<&Token> = Vec::new();
    for token in tokens {
        match token.text.as_str() {
            "(" | "[" | "{" => open.push(token),
            ")" | "]" | "}" => {
                let matching = match token.text.as_str() {
                    ")" => "(",
                    "]" => "[",
                    _ => "{",
                };
                match open.pop() {
                    Some(last) if last.text == matching => {}
                    Some(last) => return token.finding(format!("`{}` closes `{}`", token.text, last.text)),
                    None => return token.finding(format!("`{}` closes nothing", token.text)),
                }
            }
            _ => {}
        }
    }
    open.last().and_then(|token| token.finding(format!("`{}` is not closed", token.text)))
}

fn unknown_character(tokens: &[Token]) -> Option<Finding> {
    let odd = |t: &&Token| {
        !t.is_name()
            && t.text.chars().any(|c| !c.is_ascii_alphanumeric() && !"()[]{}<>=!+-*/%:;,.^_'|&\"@?\u{2200}".contains(c))
    };
    tokens.iter().find(odd).and_then(|token| token.finding(format!("`{}` has no meaning here", token.text)))
}

/// The first name that is neither a tuple's, nor a parameter, nor bound by a tuple or by `exists`.
fn undeclared(tokens: &[Token], parameters: &[String]) -> Option<Finding> {
    let bound = bound_names(tokens);
    for (i, token) in tokens.iter().enumerate().filter(|(_, t)| t.is_name()) {
        let name = token.text.as_str();
        let next = tokens.get(i + 1).map(|t| t.text.as_str());
        let tuple = next == Some("[");
        if tuple || KEYWORDS.contains(&name) || bound.contains(&name) || parameters.iter().any(|p| p == name) {
            continue;
        }
        return token.finding(format!("`{name}` is neither a parameter nor a dimension of a tuple"));
    }
    None
}

fn bound_names(tokens: &[Token]) -> Vec<&str> {
    let mut bound = Vec::new();
    let mut quantified = false;
    for (i, token) in tokens.iter().enumerate() {
        let before = i.checked_sub(1).map_or("", |j| tokens[j].text.as_str());
        let after = tokens.get(i + 1).map_or("", |t| t.text.as_str());
        match token.text.as_str() {
            "exists" => quantified = true,
            ":" | ";" | "}" => quantified = false,
            name if token.is_name() => {
                // In a tuple: `[i, j]`, `[i = 0, j]`, `[i : ...]`.
                let in_tuple = matches!(before, "[" | ",") && matches!(after, "]" | "," | "=" | ":");
                if quantified || in_tuple {
                    bound.push(name);
                }
            }
            _ => {}
        }
    }
    bound
}

#[cfg(test)]
mod tests {
    use super::*;

    fn message(text: &str) -> (usize, String) {
        let found = find(text, &["n".to_owned()]).expect("something is wrong");
        (found.solid_before, found.message)
    }

    #[test]
    fn finds_the_reason() {
        assert_eq!(message("{ S[i : 0 <= i }"), (9, "`}` closes `[`".into()));
        assert_eq!(message("{ S[i] "), (0, "`{` is not closed".into()));
        assert_eq!(message("{ S[i] : i < m }").1, "`m` is neither a parameter nor a dimension of a tuple");
        assert_eq!(message("").1, "the text is empty");
        assert_eq!(message("{ S[i] : i $ n }").1, "`$` has no meaning here");
    }

    #[test]
    fn valid_notation_gives_no_reason() {
        for text in ["{ S[i] : exists a, b: i = 2a + 3b and i < n }", "{ S[i] -> A[2i, j] : i mod 2 = 0 or j <= n }"] {
            assert_eq!(find(text, &["n".to_owned()]), None, "{text}");
        }
    }
}
