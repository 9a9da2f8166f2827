//! The word that was perhaps meant.

use crate::spelling::changes;

/// Of some words the nearest to one that is none of them, if it is near: at most two letters are missing, too many or
/// others, and no more than half.
pub(super) fn nearest<'w>(word: &str, words: impl IntoIterator<Item = &'w str>) -> Option<&'w str> {
    let most = (word.chars().count() / 2).min(2);
    let near = words.into_iter().map(|known| (changes(word, known), known)).filter(|(steps, _)| *steps <= most);
    near.min_by_key(|(steps, _)| *steps).map(|(_, known)| known)
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
