//! The word that was perhaps meant.

/// Of some words the nearest to one that is none of them, if it is near: at most two letters are missing, too many or
/// others, and no more than half.
pub(super) fn nearest<'w>(word: &str, words: impl IntoIterator<Item = &'w str>) -> Option<&'w str> {
    let most = (word.chars().count() / 2).min(2);
    let near = words.into_iter().map(|known| (distance(word, known), known)).filter(|(steps, _)| *steps <= most);
    near.min_by_key(|(steps, _)| *steps).map(|(_, known)| known)
}

/// Letters that are missing, too many or others.
fn distance(one: &str, other: &str) -> usize {
    let other: Vec<char> = other.chars().collect();
    let mut row: Vec<usize> = (0..=other.len()).collect();
    for (i, a) in one.chars().enumerate() {
        let mut before = row[0];
        row[0] = i + 1;
        for (j, b) in other.iter().enumerate() {
            let changed = before + usize::from(a != *b);
            before = row[j + 1];
            row[j + 1] = changed.min(before + 1).min(row[j] + 1);
        }
    }
    row[other.len()]
}

#[cfg(test)]
mod tests {
    use super::nearest;

    #[test]
    fn words_that_are_near_are_found() {
        let commands = ["tile", "fuse", "interchange", "skew"];
        assert_eq!(nearest("tlie", commands), Some("tile"));
        assert_eq!(nearest("tiles", commands), Some("tile"));
        assert_eq!(nearest("interchagne", commands), Some("interchange"));
        assert_eq!(nearest("fusee", commands), Some("fuse"));
        assert_eq!(nearest("x", commands), None);
        assert_eq!(nearest("parallel", commands), None);
    }
}
