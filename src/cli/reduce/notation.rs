//! Edits of isl's notation: parts left out, constants made smaller.

/// A piece of a text: a word (a name or a number), or a character between words.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Piece<'t> {
    text: &'t str,
    /// It follows a number without a blank, as the name in `2n` does.
    joined: bool,
}

impl Piece<'_> {
    fn number(&self) -> Option<u64> {
        self.text.parse().ok()
    }

    fn is_name(&self) -> bool {
        self.text.starts_with(|c: char| c.is_alphabetic() || c == '_')
    }
}

/// The pieces of a text; together they are the text.
fn pieces(text: &str) -> Vec<Piece<'_>> {
    let mut pieces: Vec<Piece<'_>> = Vec::new();
    let mut rest = text;
    while let Some(first) = rest.chars().next() {
        let end = |part: &dyn Fn(char) -> bool| rest.find(|c| !part(c)).unwrap_or(rest.len());
        let length = match first {
            '0'..='9' => end(&|c| c.is_ascii_digit()),
            c if c.is_alphabetic() || c == '_' => end(&|c| c.is_alphanumeric() || c == '_' || c == '\''),
            c => c.len_utf8(),
        };
        let joined = pieces.last().is_some_and(|last| last.number().is_some());
        pieces.push(Piece { text: &rest[..length], joined });
        rest = &rest[length..];
    }
    pieces
}

/// The distinct numbers above 1 in a text, the greatest first. Numbers within names are none.
pub fn constants(text: &str) -> Vec<u64> {
    let mut found: Vec<u64> = notation_lines(text).flat_map(pieces).filter_map(|piece| piece.number()).collect();
    found.retain(|number| *number > 1);
    found.sort_unstable_by(|one, other| other.cmp(one));
    found.dedup();
    found
}

/// The lines of a region's text that hold notation.
fn notation_lines(text: &str) -> impl Iterator<Item = &str> {
    text.lines().filter(|line| is_notation(line))
}

fn is_notation(line: &str) -> bool {
    let line = line.trim_start();
    !line.starts_with("text: ") && !line.starts_with("scop: ") && !line.starts_with('#')
}

/// A region's text with each of its constants of one value replaced.
pub fn with_constant(text: &str, old: u64, new: u64) -> String {
    let new = new.to_string();
    rewritten(text, |piece| (piece.number() == Some(old)).then(|| new.clone()))
}

/// A region's text in which a parameter has a value.
pub fn with_value(text: &str, parameter: &str, value: i64) -> String {
    let listed =
        text.lines().map(|line| match line.strip_prefix("parameters: [").and_then(|rest| rest.strip_suffix(']')) {
            Some(names) => {
                let names: Vec<&str> = names.split(", ").filter(|name| *name != parameter).collect();
                format!("parameters: [{}]\n", names.join(", "))
            }
            None => format!("{line}\n"),
        });
    let listed: String = listed.collect();
    rewritten(&listed, |piece| {
        let times = if piece.joined { "*" } else { "" };
        (piece.is_name() && piece.text == parameter).then(|| format!("{times}({value})"))
    })
}

fn rewritten(text: &str, rewrite: impl Fn(&Piece<'_>) -> Option<String>) -> String {
    let mut out = String::with_capacity(text.len());
    for line in text.lines() {
        for piece in pieces(line) {
            match is_notation(line).then(|| rewrite(&piece)).flatten() {
                Some(new) => out.push_str(&new),
                None => out.push_str(piece.text),
            }
        }
        out.push('\n');
    }
    out
}

/// The forms of a set or relation with less in them: without one of its parts, one of several alternatives, or one
/// constraint.
pub fn weaker(notation: &str) -> Vec<String> {
    let Some((head, rest)) = notation.split_once('{') else { return Vec::new() };
    let Some((body, tail)) = rest.rsplit_once('}') else { return Vec::new() };
    let parts = split(body, "; ");
    let mut found = Vec::new();
    for (position, part) in parts.iter().enumerate() {
        let mut put = |new: Option<String>| {
            let others = parts.iter().enumerate().filter_map(|(other, text)| match other == position {
                true => new.clone(),
                false => Some((*text).to_owned()),
            });
            let body: Vec<String> = others.collect();
            found.push(format!("{head}{{ {} }}{tail}", body.join("; ")));
        };
        if parts.len() > 1 {
            put(None);
        }
        // A tuple may be left out, as in `{ : n > 0 }`.
        let Some((tuple, condition)) = part.split_once(':') else { continue };
        let alternatives = split(condition, " or ");
        for alternative in &alternatives {
            if alternatives.len() > 1 {
                put(Some(format!("{tuple}: {alternative}")));
            }
        }
        if let [conjunction] = alternatives.as_slice() {
            for condition in less(conjunction) {
                put(Some(if condition.is_empty() { tuple.to_owned() } else { format!("{tuple}: {condition}") }));
            }
        }
    }
    found
}

/// A conjunction without one of its constraints, or without an end of a chain such as `0 <= i < n`.
fn less(conjunction: &str) -> Vec<String> {
    let constraints = split(conjunction, " and ");
    let mut found = Vec::new();
    for (position, constraint) in constraints.iter().enumerate() {
        let with = |new: &str| {
            let all =
                constraints.iter().enumerate().map(|(other, text)| if other == position { new } else { text.trim() });
            all.filter(|text| !text.is_empty()).collect::<Vec<_>>().join(" and ")
        };
        found.push(with(""));
        let words: Vec<&str> = constraint.split_whitespace().collect();
        let signs: Vec<usize> =
            (0..words.len()).filter(|at| ["<", "<=", ">", ">=", "="].contains(&words[*at])).collect();
        // Two signs at least: a chain. In brackets there may be signs of their own.
        if let ([first, .., last], false) = (signs.as_slice(), constraint.contains('(')) {
            found.push(with(&words[first + 1..].join(" ")));
            found.push(with(&words[..*last].join(" ")));
        }
    }
    found
}

/// The parts of a text between separators that are in no brackets.
fn split<'t>(text: &'t str, separator: &str) -> Vec<&'t str> {
    let mut parts = Vec::new();
    let (mut depth, mut start) = (0_i32, 0);
    for (at, c) in text.char_indices() {
        match c {
            '(' | '[' | '{' => depth += 1,
            ')' | ']' | '}' => depth -= 1,
            _ if depth == 0 && at >= start && text[at..].starts_with(separator) => {
                parts.push(text[start..at].trim());
                start = at + separator.len();
            }
            _ => {}
        }
    }
    parts.push(text[start..].trim());
    parts
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_alternatives_and_constraints_go_one_by_one() {
        assert_eq!(
            weaker("[n] -> { S[i] : 0 <= i < n }"),
            ["[n] -> { S[i]  }", "[n] -> { S[i] : i < n }", "[n] -> { S[i] : 0 <= i }"]
        );
        assert_eq!(weaker("{ A[i]; B[i] }"), ["{ B[i] }", "{ A[i] }"]);
        assert_eq!(weaker("{ A[i] : (i > 0 and i < 9) or (i > 20) }").len(), 2);
        assert_eq!(weaker("[n] -> {  : n > 0 and n < 9 }"), ["[n] -> { : n < 9 }", "[n] -> { : n > 0 }"]);
        let divided = weaker("{ A[i] : exists (e0: 2e0 = i and e0 >= 0) and i > 1 }");
        assert_eq!(divided.len(), 2, "{divided:?}");
        assert!(weaker("nothing").is_empty());
    }

    #[test]
    fn parameters_become_numbers() {
        let text = "parameters: [n, m]\ntext: \"n\"\ndomain: \"{ n1[i] : i < 2n + m }\"\n";
        assert_eq!(with_value(text, "n", 4), "parameters: [m]\ntext: \"n\"\ndomain: \"{ n1[i] : i < 2*(4) + m }\"\n");
    }

    #[test]
    fn constants_are_not_in_names() {
        let text =
            "  A2: { element: f64, extent: [20] }\n  text: \"77\"\n  domain: \"{ S3[i] : 1 <= i < 100 + 20n }\"\n";
        assert_eq!(constants(text), [100, 20]);
        assert!(with_constant(text, 20, 10).contains("extent: [10] }") && with_constant(text, 20, 10).contains("10n"));
    }
}
