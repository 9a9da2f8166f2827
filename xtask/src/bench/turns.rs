//! Programs of several configurations that do the same, measured in turns.

use crate::command::Command;
use anyhow::{Context, Result};
use std::path::PathBuf;

/// How many threads programs have that run on several.
const THREADS: &str = "2";

/// A configuration, its program, and the seconds of its fastest run, infinite before the first one. A program prints
/// seconds and a sum of its results.
pub type Entrant = (&'static str, PathBuf, f64);

/// Runs each program so many times; those with another result than the first one, each of which is told of.
///
/// # Errors
/// When a program fails or prints something else.
pub fn take_turns(name: &str, programs: &mut [Entrant], repeat: u32) -> Result<Vec<&'static str>> {
    let (mut reference, mut wrong) = (None, Vec::new());
    for _ in 0..repeat {
        // The machine's speed drifts, so the configurations take turns.
        for (config, program, best) in &mut *programs {
            let printed = Command::new(&*program).env("OMP_NUM_THREADS", THREADS).checked()?.stdout;
            let (seconds, sum) = printed.trim().split_once(' ').context("a program without a time and a result")?;
            *best = best.min(seconds.parse()?);
            if reference.get_or_insert_with(|| sum.to_owned()) != sum && !wrong.contains(config) {
                eprintln!("FAIL {name}: {config} has another result");
                wrong.push(*config);
            }
        }
    }
    Ok(wrong)
}
