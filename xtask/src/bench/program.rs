//! A program with a kernel, and the time of its fastest run.

use super::agreement::{Dump, tolerance};
use crate::suite::build::execute;
use crate::suite::kernel::Element;
use anyhow::{Context, Result, ensure};
use std::path::PathBuf;

/// A program that takes less time repeats the kernel inside until it has taken about as much: its threads are there
/// then, and its data where the kernel leaves it, as in the programs that call such a kernel often enough to care.
const LONG_ENOUGH: f64 = 0.1;

/// The most repetitions inside of a program.
const MOST_REPETITIONS: f64 = 50.0;

/// A program, how it is run, and its best time.
pub struct Program {
    /// Its file.
    pub path: PathBuf,
    /// The argument that sets the sizes; none where they are compiled in.
    sizes: Option<String>,
    threads: usize,
    /// The seconds of the kernel in the fastest run, infinite before the first one.
    pub best: f64,
}

impl Program {
    /// A program that did not run yet.
    pub fn new(path: PathBuf, sizes: Option<String>, threads: usize) -> Self {
        Self { path, sizes, threads, best: f64::INFINITY }
    }

    /// Runs once with a dump, which must agree with the reference; the first one becomes it.
    ///
    /// # Errors
    /// When the program fails or has other results.
    pub fn first_run(&mut self, element: Element, reference: &mut Option<Dump>) -> Result<()> {
        let printed = execute(&self.path, &self.arguments(&["--time", "--dump=bits"]), self.threads)?;
        let (dump, time) = Dump::parse(&printed)?;
        self.best = time;
        match reference {
            None => *reference = Some(dump),
            Some(reference) => {
                let distance = reference.distance(&dump, element)?;
                ensure!(
                    distance <= tolerance(element),
                    "the results differ: a value is off by {distance:.1e} of its array's largest"
                );
            }
        }
        if repetitions(time) > 1 {
            self.run_again()?;
        }
        Ok(())
    }

    /// Runs the program, and remembers its time if it is the best.
    ///
    /// # Errors
    /// When the program fails.
    pub fn run_again(&mut self) -> Result<()> {
        let repeat = format!("--repeat={}", repetitions(self.best));
        let printed = execute(&self.path, &self.arguments(&["--time", &repeat]), self.threads)?;
        self.best = self.best.min(seconds(&printed)?);
        Ok(())
    }

    fn arguments<'a>(&'a self, rest: &[&'a str]) -> Vec<&'a str> {
        self.sizes.as_deref().into_iter().chain(rest.iter().copied()).collect()
    }
}

/// Equal programs on as many threads have the same time: what their runs differ by is noise.
///
/// # Errors
/// When a program cannot be read.
pub fn pool_equal(programs: &mut [&mut Program]) -> Result<()> {
    let contents = programs.iter().map(|program| std::fs::read(&program.path)).collect::<Result<Vec<_>, _>>()?;
    for i in 0..programs.len() {
        let is_equal = |j: &usize| contents[*j] == contents[i] && programs[*j].threads == programs[i].threads;
        let equal: Vec<usize> = (0..programs.len()).filter(is_equal).collect();
        let best = equal.iter().map(|&j| programs[j].best).fold(f64::INFINITY, f64::min);
        equal.into_iter().for_each(|j| programs[j].best = best);
    }
    Ok(())
}

/// How often a kernel that takes so many seconds is repeated inside of its program.
fn repetitions(seconds: f64) -> u32 {
    (LONG_ENOUGH / seconds).ceil().clamp(1.0, MOST_REPETITIONS) as u32
}

fn seconds(printed: &str) -> Result<f64> {
    let time = printed.lines().find_map(|line| line.strip_prefix("time: "));
    Ok(time.context("the program printed no time")?.parse()?)
}

#[cfg(test)]
mod tests {
    use super::{repetitions, seconds};

    #[test]
    fn short_kernels_are_repeated() {
        assert_eq!([2.0, 0.1, 0.06, 0.01, 0.0001, 0.0].map(repetitions), [1, 1, 2, 10, 50, 50]);
    }

    #[test]
    fn a_time_is_needed() {
        assert!((seconds("time: 0.5\n").unwrap() - 0.5).abs() < 1e-12);
        assert!(seconds("array A\n").is_err());
    }
}
