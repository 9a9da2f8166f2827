//! Random commands on all regions: what is accepted is right, and `undo` brings each tree back.

use crate::regions;
use polyrs::check::interpret::{Interpreter, Reading, small_parameters};
use polyrs::check::legality::{self, Assumptions};
use polyrs::codegen;
use polyrs::driver::Options;
use polyrs::isl::{Ctx, Schedule};
use polyrs::scop::Scop;
use polyrs::script::{Files, LoopEntry, Outcome, Session};
use std::path::{Path, PathBuf};

/// The commands that are tried on a region.
const COMMANDS: usize = 14;

/// Operations of isl for one command.
const QUOTA: u64 = 1_500_000;

struct NoFiles;

impl Files for NoFiles {
    fn read(&mut self, _: &str) -> Result<String, String> {
        Err("no files".to_owned())
    }

    fn write(&mut self, _: &str, _: &str) -> Result<(), String> {
        Err("no files".to_owned())
    }
}

/// Some command about some loops.
fn command(random: &mut fastrand::Rng, scop: &Scop, loops: &[LoopEntry]) -> String {
    let mut name = || loops[random.usize(..loops.len())].name.clone();
    let (one, other, third) = (name(), name(), name());
    let (size, factor) = (random.u32(1..6), random.i32(-2..3));
    let array = &scop.arrays[random.usize(..scop.arrays.len())].name;
    let statement = &scop.statements[random.usize(..scop.statements.len())].name;
    match random.usize(..12) {
        0 | 1 => format!("interchange {one} {other}"),
        2 => format!("tile {one} {size}"),
        3 => format!("tile {one} {other} {third} {size}"),
        4 => format!("tile {one} {other} {size} 3"),
        5 => format!("fuse {one} {other}"),
        6 => format!("distribute {one}"),
        7 => format!("skew {one} by {factor}*{other}"),
        8 => format!("shift {statement}.{} by {factor}", one.rsplit('.').next().unwrap_or(&one)),
        9 => format!("parallel {one}"),
        10 => format!("register {one} {size} {other} 2"),
        _ => format!("pack {array} at {one}"),
    }
}

/// A tree is right by the checker, and by running it and its code.
fn assert_right(scop: &Scop, tree: &Schedule, script: &[String], name: &str) -> bool {
    let checked = scop.ctx().with_quota(20 * QUOTA, || legality::check(scop, tree, &Assumptions::default()));
    assert!(checked.is_ok(), "{name}: {checked:?} after {script:?}");
    let Some(parameters) = small_parameters(scop, 4).unwrap() else { return false };
    let Ok(interpreter) = Interpreter::new(scop, &parameters, 60_000) else { return false };
    let Ok(report) = interpreter.compare_tree(tree, Reading::Marks) else { return false };
    assert!(report.is_same(), "{name}: {report:?} after {script:?}");
    let ast = scop.ctx().with_quota(20 * QUOTA, || codegen::generate(scop, tree, &codegen::Options::default()));
    let Ok(ast) = ast else { return false };
    let Ok(report) = interpreter.compare_ast(&ast) else { return false };
    assert!(report.is_same(), "{name}: {report:?} after {script:?}");
    true
}

/// Plays with a region; the commands that were accepted, and whether the last tree was run.
fn play(file: &Path, random: &mut fastrand::Rng) -> (Vec<String>, bool) {
    let name = file.display().to_string();
    let scop = Scop::parse(&Ctx::new(), &std::fs::read_to_string(file).unwrap()).unwrap();
    let Ok(mut session) = Session::new(&scop, Options::default(), 10 * QUOTA) else { return (Vec::new(), false) };
    let mut trees = vec![session.tree().clone()];
    let mut accepted = Vec::new();
    for _ in 0..COMMANDS {
        let loops = session.loops().unwrap();
        if loops.is_empty() {
            break;
        }
        let line = command(random, &scop, &loops);
        let Outcome::Answered(answer) = session.run(&line, &mut NoFiles) else { panic!("{name}: {line}") };
        assert!(answer.accepted || answer.reason.is_some(), "{name}: {line}: {answer:?}");
        let is_ours = answer.reason.as_ref().is_some_and(|reason| reason.contains("internal error"));
        assert!(!is_ours, "{name}: {answer:?} after {accepted:?}");
        if answer.accepted {
            accepted.push(line);
            trees.push(session.tree().clone());
        } else {
            let before = trees.last().unwrap();
            assert!(
                session.tree().plain_is_equal(before).unwrap(),
                "{name}: {line} was refused, and something changed"
            );
        }
    }
    let was_run = assert_right(&scop, session.tree(), &accepted, &name);
    while trees.pop().is_some() {
        let Some(before) = trees.last() else { break };
        let Outcome::Answered(answer) = session.run("undo", &mut NoFiles) else { panic!("{name}: undo") };
        assert!(answer.accepted, "{name}: {answer:?}");
        assert_eq!(session.tree().to_string(), before.to_string(), "{name}");
    }
    (accepted, was_run)
}

#[test]
fn what_is_accepted_is_right_and_is_undone() {
    let mut files: Vec<PathBuf> = regions::files();
    files.extend(regions::below(&Path::new(env!("CARGO_MANIFEST_DIR")).join("test/polybench/scop")));
    let mut random = fastrand::Rng::with_seed(27);
    let (mut steps, mut run) = (0, 0);
    for file in &files {
        let (accepted, was_run) = play(file, &mut random);
        steps += accepted.len();
        run += usize::from(was_run && !accepted.is_empty());
    }
    // The test would say nothing if nothing were accepted.
    assert!(steps > 2 * files.len(), "only {steps} steps on {} regions", files.len());
    assert!(run > files.len() / 2, "only {run} trees of {} were run", files.len());
}
