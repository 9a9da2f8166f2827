//! A command line as its words, as a shell takes it apart: databases have such lines.

/// The words of a line. Nothing is expanded; a quote that does not end goes to the end of the line.
pub fn words(line: &str) -> Vec<String> {
    let (mut words, mut word) = (Vec::new(), None::<String>);
    let mut characters = line.chars();
    while let Some(character) = characters.next() {
        match character {
            c if c.is_ascii_whitespace() => words.extend(word.take()),
            '\\' => word.get_or_insert_default().extend(characters.next()),
            '\'' => {
                let word = word.get_or_insert_default();
                characters.by_ref().take_while(|c| *c != '\'').for_each(|c| word.push(c));
            }
            '"' => quoted(&mut characters, word.get_or_insert_default()),
            c => word.get_or_insert_default().push(c),
        }
    }
    words.extend(word);
    words
}

/// The rest of what is between double quotes.
fn quoted(characters: &mut std::str::Chars<'_>, word: &mut String) {
    while let Some(character) = characters.next() {
        match character {
            '"' => return,
            '\\' => match characters.next() {
                Some(c @ ('"' | '\\' | '$' | '`')) => word.push(c),
                Some(other) => word.extend(['\\', other]),
                None => return,
            },
            c => word.push(c),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::words;

    #[test]
    fn lines_are_taken_apart() {
        assert_eq!(words(r#"clang  -DA="b c" -D'E="f"' g\ h.c """#), ["clang", "-DA=b c", "-DE=\"f\"", "g h.c", ""]);
        assert_eq!(words(r#"a "\"\x" 'b"#), ["a", "\"\\x", "b"]);
        assert!(words("  ").is_empty());
    }
}
