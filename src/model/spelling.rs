//! How far words are from each other.

/// The letters to put in, take out or change to make one word of another (Levenshtein).
pub fn changes(one: &str, other: &str) -> usize {
    let other: Vec<char> = other.chars().collect();
    let mut row: Vec<usize> = (0..=other.len()).collect();
    for (i, letter) in one.chars().enumerate() {
        let mut diagonal = row[0];
        row[0] = i + 1;
        for (j, known) in other.iter().enumerate() {
            let replaced = diagonal + usize::from(letter != *known);
            diagonal = row[j + 1];
            row[j + 1] = replaced.min(row[j] + 1).min(diagonal + 1);
        }
    }
    row[other.len()]
}

#[cfg(test)]
mod tests {
    use super::changes;

    #[test]
    fn letters_are_counted() {
        let all = [("", ""), ("", "ab"), ("tile", "tiles"), ("tlie", "tile"), ("größe", "grösse")];
        assert_eq!(all.map(|(one, other)| changes(one, other)), [0, 2, 1, 2, 2]);
        assert_eq!(all.map(|(one, other)| changes(other, one)), [0, 2, 1, 2, 2]);
    }
}
