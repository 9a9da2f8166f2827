//! `polyrs draw`: pictures are as they were, have what they should have, and what can't be drawn is said.
//!
//! `POLYRS_BLESS=1` writes the pictures anew.

use std::path::{Path, PathBuf};
use std::process::Command;

fn root(name: &str) -> PathBuf {
    Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/../..")).join(name)
}

/// The exit code, the picture, and what was said.
fn draw(region: &str, arguments: &[&str]) -> (i32, String, String) {
    let mut command = Command::new(env!("CARGO_BIN_EXE_polyrs"));
    let output =
        command.env("POLYRS_MACHINE", "generic").arg("draw").arg(root(region)).args(arguments).output().unwrap();
    let text = |bytes: Vec<u8>| String::from_utf8(bytes).unwrap();
    (output.status.code().expect("no signal"), text(output.stdout), text(output.stderr))
}

/// The picture, which must be the one in a file.
#[track_caller]
fn expect(file: &str, region: &str, arguments: &[&str]) -> String {
    let (code, picture, said) = draw(region, arguments);
    assert_eq!((code, said.as_str()), (0, ""));
    let path = root(file);
    if std::env::var_os("POLYRS_BLESS").is_some_and(|bless| bless == "1") {
        std::fs::write(&path, &picture).unwrap();
    }
    let known = std::fs::read_to_string(&path).unwrap_or_else(|error| panic!("{file}: {error}"));
    assert_eq!(picture, known, "{file} is another picture");
    picture
}

const GEMM: &str = "test/scop/basic/gemm.scop";
const JACOBI: &str = "test/scop/papers/bondhugula2008/figure03-jacobi-1d.scop";

#[test]
fn a_tree_is_boxes_and_lines() {
    let arguments = ["--optimize", "--tile-sizes=4"];
    let picture = expect("docs/pictures/gemm-tree.svg", GEMM, &arguments);
    // One rectangle is the ground; a tree has a line less than boxes.
    let (boxes, lines) = (picture.matches("<rect ").count() - 1, picture.matches("<line ").count());
    assert_eq!(boxes, lines + 1);
    let dot = expect("test/draw/gemm-tree.dot", GEMM, &[&arguments[..], &["--format=dot"]].concat());
    assert_eq!(dot.matches(" -> n").count(), lines);
}

#[test]
fn a_domain_is_points_tiles_and_arrows() {
    let values = ["--what=domain", "--set=T=4", "--set=N=9"];
    let tiles = ["--scheduler=pluto", "--no-profitability", "--tile-sizes=3"];
    let picture = expect("docs/pictures/jacobi-tiles.svg", JACOBI, &[&values[..], &tiles].concat());
    // T times N - 3 instances of each of two statements.
    assert_eq!(picture.matches("<circle ").count(), 2 * 4 * 6);
    // S2 reads what S1 wrote at each instance; S1 reads three elements of S2's last step, but at the two ends.
    let arrows = picture.matches("class=\"arrow flow").count();
    assert_eq!(arrows, 4 * 6 + 3 * (3 * 6 - 2));
    assert!(picture.matches("class=\"ground\"").count() > 4, "there are no tiles");
    let plain = draw(JACOBI, &values).1;
    assert!(!plain.contains("class=\"ground\"") && plain.matches("<circle ").count() == 2 * 4 * 6);
    assert!(draw(JACOBI, &[&values[..], &["--dependences=all"]].concat()).1.contains("class=\"arrow false"));
    assert!(!draw(JACOBI, &[&values[..], &["--dependences=none"]].concat()).1.contains("class=\"arrow"));
    let one = draw(JACOBI, &[&values[..], &["--statement=S1"]].concat()).1;
    assert_eq!(one.matches("<circle ").count(), 4 * 6);
}

#[test]
fn three_loops_are_projected() {
    let arguments = ["--what=domain", "-pni=3", "-pnj=2", "-pnk=2", "--optimize", "--tile-sizes=2", "--format=dot"];
    let picture = expect("test/draw/gemm-domain.dot", GEMM, &arguments);
    assert_eq!(picture.matches(" [label=\"S").count(), 3 * 2 + 3 * 2 * 2);
}

#[test]
fn files_say_the_form() {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR"));
    for (name, start) in [("tree.dot", "digraph"), ("tree.svg", "<svg")] {
        let file = folder.join(name);
        let (code, printed, _) = draw(GEMM, &["-o", &file.display().to_string()]);
        assert_eq!((code, printed.as_str()), (0, ""));
        assert!(std::fs::read_to_string(file).unwrap().starts_with(start), "{name}");
    }
}

#[test]
fn what_cannot_be_drawn_is_said() {
    let domain = |region: &str, arguments: &[&str]| {
        let (code, picture, said) = draw(region, &[&["--what=domain"], arguments].concat());
        assert_eq!(picture, "");
        (code, said)
    };
    for (arguments, words) in [
        (&["--set=ni=4"][..], "the parameter `nj` has no value: say --set nj=N"),
        (&["--set=n=4"], "there is no parameter `n`: there are ni, nj, nk"),
        (&["--set=ni=400", "--set=nj=5", "--set=nk=100"], "more than 3000 points"),
        (&["--set=ni=0", "--set=nj=5", "--set=nk=5"], "outside of the context"),
        (&["--statement=X"], "there is no statement `X`: there are S0, S1"),
        (&["--set=ni"], "expected NAME=VALUE"),
    ] {
        let (code, said) = domain(GEMM, arguments);
        assert!(code == 2 && said.contains(words), "{arguments:?}: {said}");
    }
    let deep = domain("test/scop/papers/verdoolaege2017/listing29-convolution.scop", &[]);
    assert!(deep.0 == 2 && deep.1.contains("S has 7 dimensions, of which 1 to 3 can be drawn"), "{}", deep.1);
    let (code, _, said) = draw(GEMM, &["-o", "/no/such/folder/x.svg"]);
    assert!(code == 1 && said.contains("/no/such/folder/x.svg"), "{said}");
}
