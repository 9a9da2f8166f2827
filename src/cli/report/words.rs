//! What is said of a nest, in words.

use super::nest::{Nest, State};
use super::record::Record;
use std::collections::BTreeSet;

/// A counted operation takes 20 to 85 nanoseconds, mostly this many (docs/debugging.md).
const NANOSECONDS: u64 = 55;

/// What was done to a region.
pub fn deeds(record: &Record) -> Vec<String> {
    let number = |key| record.number(key).unwrap_or(0);
    let mut deeds = vec!["Its loops run in another order.".to_owned()];
    if number("Tiled") > 0 {
        let word = |sizes: &str| if sizes.contains(',') { "sizes" } else { "size" };
        // Tiles that are packed have the sizes of caches.
        let sizes = record.argument("TileSizes").filter(|_| number("Packed") == 0);
        let sizes = sizes.map_or(String::new(), |sizes| format!(" of {} {sizes}", word(sizes)));
        let levels = record.argument("TileLevels").map_or(String::new(), |levels| format!(", on {levels} levels"));
        deeds[0] = format!("Its loops run in tiles{sizes}{levels}.");
    }
    let mut count = |key, one: &str, many: &str| match number(key) {
        0 => {}
        1 => deeds.push(one.to_owned()),
        count => deeds.push(format!("{count} {many}")),
    };
    count("Wavefronts", "One band is skewed into wavefronts.", "bands are skewed into wavefronts.");
    count("Parallel", "One loop runs in parallel.", "loops run in parallel.");
    count("Kernels", "One part runs on a GPU.", "parts run on a GPU.");
    count("Vector", "One innermost loop is free for vectors.", "innermost loops are free for vectors.");
    count("Packed", "Tiles of one array are packed.", "tiles are packed.");
    if number("Layout") > 0 {
        let layouts = record.argument("Layouts").map_or(String::new(), |layouts| format!(": {layouts}"));
        deeds.push(format!("Arrays have another layout{layouts}."));
    }
    deeds
}

/// What is assumed, and checked at run time.
pub fn checks(nest: &Nest) -> Vec<String> {
    let mut checks = Vec::new();
    for record in &nest.records {
        match record.argument("Runs") {
            None => {}
            Some("always") => checks.push("Nothing is assumed: the new code always runs.".to_owned()),
            Some(_) => {
                let known: Vec<&str> = record.all("Checked").collect();
                let assumed =
                    if known.is_empty() { "what the compiler cannot know".to_owned() } else { known.join("; ") };
                checks.push(format!(
                    "Assumed: {assumed}. A check at run time decides; where it fails, the original runs."
                ));
            }
        }
        let conditions: Vec<&str> = record.all("Condition").collect();
        if !conditions.is_empty() {
            checks.push(format!(
                "The new code is for sizes with {}; for others the original runs.",
                conditions.join(" and ")
            ));
        }
        if record.argument("Guard") == Some("1") && conditions.is_empty() {
            checks.push("The original runs where a condition does not hold.".to_owned());
        }
    }
    // Versions of a nest may have the same to say.
    let mut seen = BTreeSet::new();
    checks.retain(|check| seen.insert(check.clone()));
    checks
}

/// `32.8×`.
pub fn factor(tenths: u64) -> String {
    format!("{}.{}×", tenths / 10, tenths % 10)
}

/// Counted work as time: about so many milliseconds.
pub fn milliseconds(operations: u64) -> u64 {
    operations.saturating_mul(NANOSECONDS).div_ceil(1_000_000)
}

/// What the state of a nest means.
pub fn meaning(state: State) -> &'static str {
    match state {
        State::Transformed => "has new code",
        State::Left => "nothing better is known",
        State::Refused => "something is in the way",
    }
}

/// `1 nest`, `2 nests`.
pub fn counted(count: usize, thing: &str) -> String {
    format!("{count} {thing}{}", if count == 1 { "" } else { "s" })
}

#[cfg(test)]
mod tests {
    use super::{counted, deeds, factor, milliseconds};
    use crate::report::yaml::records;

    #[test]
    fn deeds_are_told() {
        let text = "--- !Passed\nPass: p\nName: n\nFunction: f\nArgs: [{Tiled: 1}, {TileSizes: '32,8'}, {Vector: 2}]\n";
        let all = ["Its loops run in tiles of sizes 32,8.", "2 innermost loops are free for vectors."];
        let packed = text.replace("Vector: 2", "Packed: 1");
        assert_eq!(deeds(&records(&packed).unwrap()[0]), ["Its loops run in tiles.", "Tiles of one array are packed."]);
        assert_eq!(deeds(&records(text).unwrap()[0]), all);
        let plain = "--- !Passed\nPass: p\nName: n\nFunction: f\n";
        assert_eq!(deeds(&records(plain).unwrap()[0]), ["Its loops run in another order."]);
        assert_eq!((factor(328), milliseconds(20_000)), ("32.8×".to_owned(), 2));
        assert_eq!((counted(1, "nest"), counted(0, "nest")), ("1 nest".to_owned(), "0 nests".to_owned()));
    }
}
