//! Counts of checks, and how they are read from what test runners print.

use anyhow::{Context, Result};
use serde::Deserialize;

/// How many checks passed, failed and were skipped.
#[derive(Clone, Copy, Default, PartialEq, Eq, Debug)]
pub struct Counts {
    /// Checks that ran and held.
    pub passed: usize,
    /// Checks that ran and did not hold, or steps that failed as a whole.
    pub failed: usize,
    /// Checks that did not run.
    pub skipped: usize,
}

impl Counts {
    /// A step that failed as a whole.
    pub fn failure() -> Self {
        Self { failed: 1, ..Self::default() }
    }

    /// One check.
    pub fn one(passed: bool) -> Self {
        Self { passed: usize::from(passed), failed: usize::from(!passed), skipped: 0 }
    }

    /// In words, for people; a step without tests of its own is `ok` or `FAILED`.
    pub fn describe(&self) -> String {
        let skipped = match self.skipped {
            0 => String::new(),
            count => format!(", {count} skipped"),
        };
        match (self.passed, self.failed) {
            (0, 0) => format!("ok{skipped}"),
            (0, 1) => format!("FAILED{skipped}"),
            _ => format!("{self}{skipped}"),
        }
    }

    /// Reads what `cargo nextest` says in its summary line.
    pub fn from_nextest(text: &str) -> Option<Self> {
        let line = text.lines().rev().find(|line| line.trim_start().starts_with("Summary ["))?;
        let (_, results) = line.split_once(" run: ")?;
        let mut counts = Self::default();
        for part in results.split(',') {
            let part = part.split('(').next().unwrap_or(part);
            let Some((number, what)) = part.trim().split_once(' ') else {
                continue;
            };
            let number: usize = number.parse().ok()?;
            match what.trim() {
                "passed" => counts.passed += number,
                "skipped" => counts.skipped += number,
                // Failed, timed out, failed to start: whatever is neither passed nor skipped.
                _ => counts.failed += number,
            }
        }
        Some(counts)
    }

    /// Adds up the `test result:` lines of `cargo test`.
    pub fn from_cargo_test(text: &str) -> Self {
        let mut counts = Self::default();
        for line in text.lines().filter_map(|line| line.trim().strip_prefix("test result: ")) {
            for part in line.split(['.', ';']) {
                let Some((number, what)) = part.trim().split_once(' ') else {
                    continue;
                };
                let Ok(number) = number.parse::<usize>() else {
                    continue;
                };
                match what {
                    "passed" => counts.passed += number,
                    "failed" => counts.failed += number,
                    "ignored" => counts.skipped += number,
                    _ => {}
                }
            }
        }
        counts
    }

    /// Counts the `ok` and `FAIL` lines of `compare.py`.
    pub fn from_verdicts(text: &str) -> Self {
        let lines = |word: &str| text.lines().filter(|line| line.split(' ').next() == Some(word)).count();
        Self { passed: lines("ok"), failed: lines("FAIL"), skipped: 0 }
    }

    /// Reads the JSON results that `lit --output` writes.
    ///
    /// # Errors
    /// When the text is not such results.
    pub fn from_lit(json: &str) -> Result<Self> {
        #[derive(Deserialize)]
        struct Results {
            tests: Vec<Test>,
        }
        #[derive(Deserialize)]
        struct Test {
            code: String,
        }
        let results: Results = serde_json::from_str(json).context("lit's results cannot be read")?;
        let mut counts = Self::default();
        for test in results.tests {
            match test.code.as_str() {
                "PASS" | "XFAIL" | "FLAKYPASS" => counts.passed += 1,
                "UNSUPPORTED" | "SKIPPED" | "EXCLUDED" => counts.skipped += 1,
                _ => counts.failed += 1,
            }
        }
        Ok(counts)
    }
}

impl std::ops::AddAssign for Counts {
    fn add_assign(&mut self, other: Self) {
        self.passed += other.passed;
        self.failed += other.failed;
        self.skipped += other.skipped;
    }
}

impl std::fmt::Display for Counts {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{} passed, {} failed", self.passed, self.failed)
    }
}

#[cfg(test)]
mod tests {
    use super::Counts;

    #[test]
    fn nextest_summaries_are_read() {
        let good = "────\n     Summary [   0.005s] 9 tests run: 9 passed (1 slow), 2 skipped\n";
        assert_eq!(Counts::from_nextest(good), Some(Counts { passed: 9, failed: 0, skipped: 2 }));
        let bad = "     Summary [   1.0s] 5/9 tests run: 2 passed, 1 failed, 1 timed out, 1 exec failed, 4 skipped";
        assert_eq!(Counts::from_nextest(bad), Some(Counts { passed: 2, failed: 3, skipped: 4 }));
        assert_eq!(Counts::from_nextest("error: could not compile"), None);
    }

    #[test]
    fn cargo_test_results_add_up() {
        let text = "test result: ok. 3 passed; 0 failed; 1 ignored; 0 measured; 0 filtered out; finished in 0.00s\n\
                    test result: FAILED. 1 passed; 2 failed; 0 ignored; 0 measured; 5 filtered out; finished in 0.1s";
        assert_eq!(Counts::from_cargo_test(text), Counts { passed: 4, failed: 2, skipped: 1 });
    }

    #[test]
    fn verdicts_are_counted() {
        let text = "ok   gemm: fine\nFAIL lu: differs\nok   mvt: fine\n2 of 3 kernels passed";
        assert_eq!(Counts::from_verdicts(text), Counts { passed: 2, failed: 1, skipped: 0 });
    }

    #[test]
    fn lit_results_are_read() {
        let json =
            r#"{"tests": [{"code": "PASS"}, {"code": "XPASS"}, {"code": "UNRESOLVED"}, {"code": "UNSUPPORTED"}]}"#;
        assert_eq!(Counts::from_lit(json).unwrap(), Counts { passed: 1, failed: 2, skipped: 1 });
        assert!(Counts::from_lit("no json").is_err());
    }

    #[test]
    fn counts_in_words() {
        assert_eq!(Counts::default().describe(), "ok");
        assert_eq!(Counts::failure().describe(), "FAILED");
        assert_eq!(Counts { passed: 2, failed: 0, skipped: 1 }.describe(), "2 passed, 0 failed, 1 skipped");
    }
}
