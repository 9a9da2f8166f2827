//! Checks of one program: its variants must give the bits of the original.

use super::build::{execute, execute_in};
use super::kernel::{Kernel, Size};
use crate::test::Counts;
use anyhow::{Result, bail};
use std::path::Path;

/// The checks of one program, and what to say of those that failed.
#[derive(Default)]
pub struct Checks {
    counts: Counts,
    complaints: Vec<String>,
}

/// A program made in another way than the original.
pub struct Variant<'a> {
    /// What it is called in complaints.
    pub name: &'a str,
    pub program: &'a Path,
    pub threads: usize,
    /// Variables that are set.
    pub environment: &'a [(&'static str, String)],
}

impl<'a> Variant<'a> {
    /// A program that runs with so many threads.
    pub fn new(name: &'a str, program: &'a Path, threads: usize) -> Self {
        Self { name, program, threads, environment: &[] }
    }
}

impl Checks {
    /// Counts a check, with a complaint where it does not hold.
    pub fn check(&mut self, holds: bool, complaint: impl FnOnce() -> String) {
        self.counts += Counts::one(holds);
        if !holds {
            self.complaints.push(complaint());
        }
    }

    /// Runs a kernel's original and its variants at the test sizes, and compares what they print.
    ///
    /// # Errors
    /// When the original does not run, or prints nothing.
    pub fn same_bits(&mut self, kernel: &Kernel, original: &Path, variants: &[Variant<'_>]) -> Result<()> {
        for size in test_sizes(kernel) {
            let sizes = kernel.sizes_argument(*size);
            let arguments: Vec<&str> = sizes.as_deref().into_iter().chain(["--dump=bits"]).collect();
            let expected = execute(original, &arguments, 1)?;
            if !expected.lines().any(|line| !line.starts_with("array ")) {
                bail!("the original prints no values at size {size:?}");
            }
            for Variant { name, program, threads, environment } in variants {
                let told = || format!("{} at size {size:?}, {name}, {threads} threads", kernel.name);
                match execute_in(program, &arguments, *threads, environment) {
                    Ok(actual) => self
                        .check(actual == expected, || format!("{}: {}", told(), first_difference(&expected, &actual))),
                    Err(error) => self.check(false, || format!("{}: {error:#}", told())),
                }
            }
        }
        Ok(())
    }

    /// Prints the complaints; how many checks held and failed.
    pub fn conclude(self) -> Counts {
        for complaint in &self.complaints {
            eprintln!("FAIL {complaint}");
        }
        self.counts
    }
}

/// The sizes to test at; static shapes have but one.
fn test_sizes(kernel: &Kernel) -> &'static [Size] {
    if kernel.mini == kernel.small { &[Size::Mini] } else { &[Size::Mini, Size::Small] }
}

/// Says where two dumps part.
pub fn first_difference(expected: &str, actual: &str) -> String {
    let mut array = "";
    let mut position = 0;
    let mut lines = actual.lines();
    for line in expected.lines() {
        let other = lines.next();
        if other != Some(line) {
            let other = other.unwrap_or("nothing");
            return format!("value {position} of {array} is {other}, the original's is {line}");
        }
        position += 1;
        if line.starts_with("array ") {
            (array, position) = (line, 0);
        }
    }
    "more values than the original's".to_owned()
}

#[cfg(test)]
mod tests {
    use super::first_difference;

    #[test]
    fn a_difference_is_named_by_array_and_position() {
        let expected = "array A\n01\n02\narray B\n03\n";
        let told = first_difference(expected, &expected.replace("03", "04"));
        assert_eq!(told, "value 0 of array B is 04, the original's is 03");
        assert!(first_difference(expected, "array A\n01\n").contains("is nothing"));
        assert!(first_difference("array A\n", expected).contains("more values"));
    }
}
