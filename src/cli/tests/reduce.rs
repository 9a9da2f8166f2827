//! `polyrs reduce`: regions become as small as a test allows, and stay regions.
//!
//! `POLYRS_BLESS=1` writes the expected small regions anew.

use polyrs::isl::Ctx;
use polyrs::scop::Scop;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

fn root(name: &str) -> PathBuf {
    Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/../..")).join(name)
}

/// Where the result of one test goes.
fn result(name: &str) -> PathBuf {
    Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("{name}.scop"))
}

fn reduce(region: &str, test: &str, output: &Path, more: &[&str]) -> Output {
    let program = Path::new(env!("CARGO_BIN_EXE_polyrs"));
    let path = format!("{}:{}", program.parent().unwrap().display(), std::env::var("PATH").unwrap());
    let mut command = Command::new(program);
    command.env("PATH", path).env("POLYRS_MACHINE", "generic");
    command.arg("reduce").arg(root(region)).args(["--test", test, "-o"]).arg(output).args(more).output().unwrap()
}

/// The smallest region of a test, which must be a region, pass the test, and be the expected one.
#[track_caller]
fn expect(name: &str, region: &str, test: &str) -> String {
    let output = result(name);
    let done = reduce(region, test, &output, &[]);
    let said = String::from_utf8(done.stderr).unwrap();
    assert!(done.status.success(), "{said}");
    let text = std::fs::read_to_string(&output).unwrap();
    assert_eq!(
        Scop::parse(&Ctx::new(), &text).unwrap().to_text().unwrap(),
        text,
        "{name} is not printed as it is read"
    );
    let expected = root("test/reduce").join(format!("{name}.scop"));
    if std::env::var_os("POLYRS_BLESS").is_some_and(|bless| bless == "1") {
        std::fs::write(&expected, &text).unwrap();
    }
    assert_eq!(text, std::fs::read_to_string(expected).unwrap(), "{name} became another region:\n{said}");
    text
}

#[test]
fn one_access_is_left_of_thirteen_statements() {
    let text = expect("one-write", "test/polybench/scop/deriche.scop", "grep -q 'must_write R9:'");
    let scop = Scop::parse(&Ctx::new(), &text).unwrap();
    assert_eq!((scop.statements.len(), scop.statements[0].accesses.len()), (1, 1));
    assert!(scop.parameters().unwrap().is_empty());
}

#[test]
fn what_a_dependence_needs_is_left() {
    // A value goes from one statement to another one.
    let test = "polyrs dependences $REGION | grep -q '^flow: .*S1.* -> S0\\['";
    let text = expect("one-flow", "test/scop/basic/jacobi-2d.scop", test);
    let scop = Scop::parse(&Ctx::new(), &text).unwrap();
    let accesses: Vec<usize> = scop.statements.iter().map(|statement| statement.accesses.len()).collect();
    assert_eq!(accesses, [1, 1], "{text}");
}

#[test]
fn parameters_constants_and_bounds_become_small() {
    // It runs, so the domain has an end, and three instances are executed.
    let test = "polyrs run $REGION | grep -q '^tree: [3-9]'";
    let text = expect("three-instances", "test/scop/papers/bondhugula2008/figure07-fdtd-2d.scop", test);
    let scop = Scop::parse(&Ctx::new(), &text).unwrap();
    assert!(scop.parameters().unwrap().is_empty() && scop.statements.len() == 1, "{text}");
}

#[test]
fn a_test_that_fails_at_once_is_said() {
    let output = result("never");
    let _ = std::fs::remove_file(&output);
    let done = reduce("test/scop/basic/gemm.scop", "false", &output, &[]);
    let said = String::from_utf8(done.stderr).unwrap();
    assert!(done.status.code() == Some(2) && said.contains("the test fails on the region itself"), "{said}");
    assert!(!output.exists());
    let bad = reduce("test/scop/bad/unknown-array.scop", "true", &output, &[]);
    assert!(bad.status.code() == Some(2) && !output.exists());
}

#[test]
fn the_number_of_tests_and_their_time_are_bounded() {
    let output = result("bounded");
    let done = reduce("test/scop/basic/gemm.scop", "true", &output, &["--tests=3"]);
    let said = String::from_utf8(done.stderr).unwrap();
    assert!(done.status.success() && said.contains("stopped after 3 tests"), "{said}");
    // The best so far is there.
    Scop::parse(&Ctx::new(), &std::fs::read_to_string(&output).unwrap()).unwrap();
    let slow = reduce("test/scop/basic/gemm.scop", "sleep 30; true", &output, &["--timeout=0"]);
    assert!(String::from_utf8(slow.stderr).unwrap().contains("the test fails on the region itself"));
}

#[test]
fn what_is_interrupted_leaves_the_best_so_far() {
    let output = result("interrupted");
    let _ = std::fs::remove_file(&output);
    let mut command = Command::new(env!("CARGO_BIN_EXE_polyrs"));
    command.arg("reduce").arg(root("test/scop/basic/gemm.scop")).args(["--test", "sleep 0.1; true", "-o"]).arg(&output);
    let mut child = command.stderr(std::process::Stdio::null()).spawn().unwrap();
    let start = std::time::Instant::now();
    // The region itself first, then something smaller.
    let whole = std::fs::read_to_string(root("test/scop/basic/gemm.scop")).unwrap().lines().count() - 1;
    while std::fs::read_to_string(&output).map_or(whole, |text| text.lines().count()) >= whole {
        assert!(start.elapsed().as_secs() < 60 && child.try_wait().unwrap().is_none(), "nothing became smaller");
        std::thread::sleep(std::time::Duration::from_millis(10));
    }
    child.kill().unwrap();
    child.wait().unwrap();
    let text = std::fs::read_to_string(&output).unwrap();
    assert_eq!(Scop::parse(&Ctx::new(), &text).unwrap().to_text().unwrap(), text);
}
