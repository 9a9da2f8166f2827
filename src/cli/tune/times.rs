//! The times of regions that a program writes in the end.

use std::collections::BTreeMap;

/// A line of them.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Row {
    /// The sum, in nanoseconds.
    pub nanoseconds: u64,
    /// How often the region ran.
    pub count: u64,
    /// The keys of its models: one, unless the region has several parts.
    pub keys: Vec<String>,
    /// What was chosen for it.
    pub done: Done,
}

/// What was chosen for a region where it was compiled.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub enum Done {
    /// There was no file, or it said nothing.
    Nothing,
    /// The choice could not be followed.
    Refused,
    /// The choice, in words.
    Choice(String),
}

/// The lines of a file; others than these are left out.
pub fn rows(text: &str) -> Vec<Row> {
    text.lines().filter_map(row).collect()
}

fn row(line: &str) -> Option<Row> {
    let mut words = line.splitn(6, ' ');
    let (nanoseconds, count) = (words.next()?.parse().ok()?, words.next()?.parse().ok()?);
    let keys = words.next()?.split(',').map(str::to_owned).collect();
    let done = match words.next()? {
        "-" => Done::Nothing,
        "refused" => Done::Refused,
        choice => Done::Choice(choice.to_owned()),
    };
    words.nth(1)?;
    Some(Row { nanoseconds, count, keys, done })
}

/// The time of a region in one run.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Time {
    /// The sum, in nanoseconds.
    pub nanoseconds: u64,
    /// How often it ran.
    pub count: u64,
    /// What was chosen, wherever the region stands.
    pub done: Vec<Done>,
    /// It is a part of something that was measured as a whole.
    pub is_part: bool,
}

impl Time {
    /// The sum, in seconds.
    pub fn seconds(&self) -> f64 {
        self.nanoseconds as f64 / 1e9
    }
}

/// The times by key: those of regions with the same model are added.
pub fn by_key(rows: &[Row]) -> BTreeMap<String, Time> {
    let mut all: BTreeMap<String, Time> = BTreeMap::new();
    for row in rows {
        for key in &row.keys {
            let time = all.entry(key.clone()).or_default();
            time.nanoseconds += row.nanoseconds;
            time.count += row.count;
            time.is_part |= row.keys.len() > 1;
            if !time.done.contains(&row.done) {
                time.done.push(row.done.clone());
            }
        }
    }
    all
}

#[cfg(test)]
mod tests {
    use super::{Done, Time, by_key, rows};

    #[test]
    fn regions_with_one_model_are_added() {
        let text = "1500 2 aa order=scheduled+tiles=8 new f.poly.0\n500 1 aa refused original g.poly.0\n\
                    7 0 bb,cc - original operator new(int).poly.0\nnonsense\n1 2 3\n";
        let all = by_key(&rows(text));
        let chosen = Done::Choice("order=scheduled+tiles=8".to_owned());
        let first = Time { nanoseconds: 2000, count: 3, done: vec![chosen, Done::Refused], is_part: false };
        assert_eq!(all["aa"], first);
        assert_eq!(all["aa"].seconds(), 2e-6);
        assert_eq!(all["bb"], all["cc"]);
        assert!(all["bb"].is_part && all["bb"].done == [Done::Nothing]);
        assert_eq!(all.len(), 3);
    }
}
