//! Steps: what they make, that it computes the same, and what forbids them.

use super::{Answer, DependenceKind, Fate, Files, LoopEntry, Outcome, Session};
use crate::check::interpret::{Interpreter, Reading, small_parameters};
use crate::codegen;
use crate::driver::Options;
use crate::isl::Ctx;
use crate::scop::Scop;
use std::collections::BTreeMap;

/// Files that are none.
#[derive(Default)]
struct Memory(BTreeMap<String, String>);

impl Files for Memory {
    fn read(&mut self, name: &str) -> Result<String, String> {
        self.0.get(name).cloned().ok_or_else(|| format!("no file {name}"))
    }

    fn write(&mut self, name: &str, text: &str) -> Result<(), String> {
        self.0.insert(name.to_owned(), text.to_owned());
        Ok(())
    }
}

/// Each iteration reads what one of the row before has written, to its right: distance (1, -1).
const DIAGONAL: &str = "
scop: diagonal
parameters: [n]
context: \"{ : }\"
arrays:
  A: { kind: memory, element: f64, extent: [n, n] }
statements:
  S0:
    text: \"A[i][j] = A[i - 1][j + 1];\"
    domain: \"{ S0[i, j] : 1 <= i < n and 0 <= j < n - 1 }\"
    accesses:
      - read r: \"{ S0[i, j] -> A[i - 1, j + 1] }\"
      - must_write w: \"{ S0[i, j] -> A[i, j] }\"
schedule:
  domain: \"{ S0[i, j] : 1 <= i < n and 0 <= j < n - 1 }\"
  child:
    schedule: \"[{ S0[i, j] -> [(i)] }, { S0[i, j] -> [(j)] }]\"
live_out: \"{ A[i, j] }\"
";

/// The second loop reads what the first one writes an iteration later.
const AHEAD: &str = "
scop: ahead
parameters: [n]
context: \"{ : }\"
arrays:
  A: { kind: memory, element: f64, extent: [n] }
  B: { kind: memory, element: f64, extent: [n] }
statements:
  S0:
    domain: \"{ S0[i] : 0 <= i < n }\"
    accesses:
      - must_write w0: \"{ S0[i] -> A[i] }\"
  S1:
    domain: \"{ S1[k] : 0 <= k < n - 1 }\"
    accesses:
      - read r1: \"{ S1[k] -> A[k + 1] }\"
      - must_write w1: \"{ S1[k] -> B[k] }\"
schedule:
  domain: \"{ S0[i] : 0 <= i < n; S1[k] : 0 <= k < n - 1 }\"
  child:
    sequence:
      - filter: \"{ S0[i] }\"
        child:
          schedule: \"[{ S0[i] -> [(i)] }]\"
      - filter: \"{ S1[k] }\"
        child:
          schedule: \"[{ S1[k] -> [(k)] }]\"
live_out: \"{ B[k] }\"
";

/// Each statement reads what the other one wrote in this iteration, or the one before; `t` is a temporary.
const CHAIN: &str = "
scop: chain
parameters: [n]
context: \"{ : }\"
arrays:
  A: { kind: memory, element: f64, extent: [n] }
  B: { kind: memory, element: f64, extent: [n] }
  t: { kind: scalar, element: f64, extent: [] }
statements:
  S0:
    domain: \"{ S0[i] : 1 <= i < n }\"
    accesses:
      - read r0: \"{ S0[i] -> B[OFFSET] }\"
      - must_write w0: \"{ S0[i] -> t[] }\"
  S1:
    domain: \"{ S1[i] : 1 <= i < n }\"
    accesses:
      - read r1: \"{ S1[i] -> t[] }\"
      - must_write w1: \"{ S1[i] -> A[i] }\"
  S2:
    domain: \"{ S2[i] : 1 <= i < n }\"
    accesses:
      - read r2: \"{ S2[i] -> A[i] }\"
      - must_write w2: \"{ S2[i] -> B[i] }\"
schedule:
  domain: \"{ S0[i] : 1 <= i < n; S1[i] : 1 <= i < n; S2[i] : 1 <= i < n }\"
  child:
    schedule: \"[{ S0[i] -> [(i)]; S1[i] -> [(i)]; S2[i] -> [(i)] }]\"
    child:
      sequence:
        - filter: \"{ S0[i] }\"
        - filter: \"{ S1[i] }\"
        - filter: \"{ S2[i] }\"
live_out: \"{ A[i]; B[i] }\"
";

const GEMM: &str = include_str!("../../test/scop/basic/gemm.scop");

/// A session, for a machine that is the same everywhere.
fn session(scop: &Scop) -> Session<'_> {
    Session::new(scop, Options::default(), 0).unwrap()
}

fn parsed(text: &str) -> Scop {
    Scop::parse(&Ctx::new(), text).unwrap_or_else(|error| panic!("{error}"))
}

fn answered(session: &mut Session<'_>, line: &str) -> Answer {
    match session.run(line, &mut Memory::default()) {
        Outcome::Answered(answer) => *answer,
        other => panic!("{line}: {other:?}"),
    }
}

/// Does steps that are legal; their code and their trees compute the same.
fn done(scop: &Scop, session: &mut Session<'_>, lines: &[&str]) {
    for line in lines {
        let answer = answered(session, line);
        assert!(answer.accepted, "{line}: {answer:?}");
        same(scop, session, line);
    }
}

fn same(scop: &Scop, session: &Session<'_>, what: &str) {
    let parameters = small_parameters(scop, 5).unwrap().unwrap();
    let interpreter = Interpreter::new(scop, &parameters, 1_000_000).unwrap();
    let report = interpreter.compare_tree(session.tree(), Reading::Marks).unwrap();
    assert!(report.is_same() && report.executed > 0, "{what}: {report:?}");
    let ast = codegen::generate(scop, session.tree(), &codegen::Options::default()).unwrap();
    let report = interpreter.compare_ast(&ast).unwrap();
    assert!(report.is_same(), "{what}: {report:?}");
}

fn names(session: &Session<'_>) -> Vec<String> {
    session.loops().unwrap().into_iter().map(|entry| entry.name).collect()
}

fn entry(session: &Session<'_>, name: &str) -> LoopEntry {
    session.loops().unwrap().into_iter().find(|entry| entry.name == name).unwrap_or_else(|| panic!("{name}"))
}

/// Why a step is refused; the tree stays what it was.
fn refused(session: &mut Session<'_>, line: &str) -> Answer {
    let before = session.tree().clone();
    let answer = answered(session, line);
    assert!(!answer.accepted, "{line}: {answer:?}");
    assert!(session.tree().plain_is_equal(&before).unwrap(), "{line}");
    answer
}

#[test]
fn loops_change_places_unless_a_dependence_is_turned() {
    let scop = parsed(GEMM);
    let mut gemm = session(&scop);
    assert_eq!(names(&gemm), ["i", "S0.j", "k", "S1.j"]);
    done(&scop, &mut gemm, &["interchange k S1.j"]);
    assert_eq!(names(&gemm), ["i", "S0.j", "S1.j", "k"]);
    assert!(!entry(&gemm, "k").vector && entry(&gemm, "S1.j").independent);
    let wrong = refused(&mut gemm, "interchange i k");
    assert_eq!(wrong.reason.as_deref(), Some("`i` has other parts beside `k`"));
    assert_eq!((wrong.column, wrong.help.as_deref()), (Some(15), Some("distribute `i` first")));

    let scop = parsed(DIAGONAL);
    let answer = refused(&mut session(&scop), "interchange i j");
    let text = "S0(i=1, j=1) writes A[1][1], which S0(i=2, j=0) reads: the write would run after the read (at n=3)\n  \
                S0 is `A[i][j] = A[i - 1][j + 1];`";
    assert_eq!(answer.reason.as_deref(), Some(text));
    let dependence = answer.dependence.unwrap();
    assert_eq!((dependence.kind, dependence.order), (DependenceKind::Flow, Fate::Reversed));
    assert_eq!((dependence.source.reference.as_str(), dependence.target.reference.as_str()), ("w", "r"));
}

#[test]
fn tiles_are_refused_where_loops_cannot_change_places_and_a_skew_helps() {
    let scop = parsed(DIAGONAL);
    let mut diagonal = session(&scop);
    let dependence = refused(&mut diagonal, "tile i j 2 2").dependence.unwrap();
    assert_eq!((dependence.kind, dependence.array.as_str()), (DependenceKind::Flow, "A"));
    done(&scop, &mut diagonal, &["skew j by i", "tile i j 2 3"]);
    assert_eq!(names(&diagonal), ["i.tile", "j.tile", "i", "j"]);
    done(&scop, &mut diagonal, &["tile i j 1"]);
    assert_eq!(names(&diagonal), ["i.tile2", "j.tile2", "i.tile", "j.tile", "i", "j"]);
    assert!(diagonal.tree().to_string().contains("tile 2"));
    let wrong = refused(&mut diagonal, "tile i.tile 4");
    assert_eq!(wrong.reason.as_deref(), Some("`i.tile` runs over tiles: this is for loops over iterations"));
    assert!(refused(&mut diagonal, "tile i i 4").reason.unwrap().contains("named twice"));
}

#[test]
fn loops_are_fused_once_a_shift_makes_that_right() {
    let scop = parsed(AHEAD);
    let mut ahead = session(&scop);
    let dependence = refused(&mut ahead, "fuse i k").dependence.unwrap();
    assert_eq!(dependence.element, "A[1]");
    assert_eq!((dependence.source.to_string(), dependence.target.to_string()), ("S0(i=1)".into(), "S1(k=0)".into()));
    done(&scop, &mut ahead, &["shift k by 1", "fuse k i"]);
    assert_eq!(names(&ahead), ["i"]);
    assert_eq!(entry(&ahead, "i").statements, ["S0", "S1"]);
    // The other statement's iterator is a name as well.
    let answer = refused(&mut ahead, "shift S1.k by -1");
    assert_eq!(answer.dependence.unwrap().kind, DependenceKind::Flow);
    done(&scop, &mut ahead, &["shift S1.k by 2*n - 3", "distribute i", "shift i by -n"]);
    assert_eq!(names(&ahead), ["i", "k"]);
    assert_eq!(refused(&mut ahead, "fuse i i").reason.as_deref(), Some("`i` and `i` are one loop already"));
    assert!(refused(&mut ahead, "shift i by m").reason.unwrap().contains("no parameter"));
}

#[test]
fn bodies_are_distributed_but_for_cycles() {
    let scop = parsed(&CHAIN.replace("OFFSET", "i - 1"));
    let mut chain = session(&scop);
    let dependence = refused(&mut chain, "distribute i").dependence.unwrap();
    assert!(dependence.array == "B" || dependence.array == "t", "{dependence}");
    let dependence = refused(&mut chain, "distribute i between S1 S2").dependence.unwrap();
    assert_eq!((dependence.array.as_str(), dependence.kind), ("B", DependenceKind::Flow));
    assert!(refused(&mut chain, "distribute i between S2 S1").reason.unwrap().contains("does not come before"));
    assert_eq!(refused(&mut chain, "distribute i between S1 T2").help.as_deref(), Some("is `S2` meant?"));

    // Without the way back two loops are right, but not three: the temporary holds one value.
    let scop = parsed(&CHAIN.replace("OFFSET", "0"));
    let mut chain = session(&scop);
    assert_eq!(refused(&mut chain, "distribute i").dependence.unwrap().array, "t");
    done(&scop, &mut chain, &["distribute i between S1 S2"]);
    assert_eq!(names(&chain), ["S0.i", "S2.i"]);
    assert_eq!(entry(&chain, "S0.i").statements, ["S0", "S1"]);
    assert!(refused(&mut chain, "distribute S2.i").reason.unwrap().contains("one part only"));
    done(&scop, &mut chain, &["fuse S0.i S2.i"]);
    assert_eq!(names(&chain), ["i"]);
}

#[test]
fn parallel_loops_carry_nothing_but_temporaries() {
    let scop = parsed(DIAGONAL);
    let mut diagonal = session(&scop);
    let dependence = refused(&mut diagonal, "parallel i").dependence.unwrap();
    assert_eq!((dependence.order, dependence.kind), (Fate::Unordered, DependenceKind::Flow));
    done(&scop, &mut diagonal, &["parallel j"]);
    assert!(entry(&diagonal, "j").parallel);
    assert!(refused(&mut diagonal, "parallel j").reason.unwrap().contains("already"));
    assert!(refused(&mut diagonal, "parallel i").reason.unwrap().contains("`j` runs in parallel already"));
    // Tiles of a parallel loop are parallel.
    done(&scop, &mut diagonal, &["tile j 2"]);
    assert!(entry(&diagonal, "j.tile").parallel && !entry(&diagonal, "j").parallel);

    let scop = parsed(&CHAIN.replace("OFFSET", "i"));
    let mut chain = session(&scop);
    done(&scop, &mut chain, &["parallel i"]);
    assert_eq!(entry(&chain, "i").private, ["t"]);
    let scop = parsed(&CHAIN.replace("OFFSET", "i - 1"));
    let mut chain = session(&scop);
    let dependence = refused(&mut chain, "parallel i").dependence.unwrap();
    assert_eq!(dependence.order, Fate::Unordered);
}

#[test]
fn blocks_go_innermost_and_packed_tiles_before_loops() {
    let scop = parsed(GEMM);
    let mut gemm = session(&scop);
    let before = ["distribute i", "tile S1.i S1.j k 4 8 4", "register S1.i 2 S1.j 4"];
    done(&scop, &mut gemm, &before);
    let blocked = ["S0.i", "S0.j", "i.tile", "k.tile", "j.tile", "i.block", "j.block", "k", "S1.i", "S1.j"];
    assert_eq!(names(&gemm), blocked);
    let text = gemm.tree().to_string();
    assert!(text.contains("register") && text.contains("block") && text.contains("vector"), "{text}");
    done(&scop, &mut gemm, &["pack B at i.block order 1 0"]);
    assert!(gemm.tree().to_string().contains("packed B(1, 0)"));
    let code = answered(&mut gemm, "code").output.unwrap();
    assert!(code.contains("#pragma packed B"), "{code}");
    done(&scop, &mut gemm, &["pack A at i.block"]);
    assert!(gemm.tree().to_string().contains("packed B(1, 0), A(0, 1)"), "{}", gemm.tree());
    for (line, part) in [
        ("pack B at i.block", "packed there already"),
        ("pack C at i.block", "only what nothing in the loop writes"),
        ("pack B at i.tile", "no tile of it whose size is the same"),
        ("pack D at k", "there is no array `D`"),
        ("pack A at k order 0 0", "each of the 2 dimensions"),
        ("register k 4", "cut already"),
        ("register i.block 4", "runs over blocks"),
        ("interchange i.tile k", "stands between"),
    ] {
        let reason = refused(&mut gemm, line).reason.unwrap();
        assert!(reason.contains(part), "{line}: {reason}");
    }
}

#[test]
fn names_are_one_loops_or_are_told_apart() {
    let scop = parsed(GEMM);
    let mut gemm = session(&scop);
    let wrong = refused(&mut gemm, "parallel j");
    assert_eq!(wrong.reason.as_deref(), Some("several loops are called `j`"));
    assert_eq!(wrong.help.as_deref(), Some("say which: S0.j, S1.j"));
    let wrong = refused(&mut gemm, "parallel kk");
    assert_eq!(wrong.help.as_deref(), Some("is `k` meant? there are i, S0.j, k, S1.j"));
    // A loop of several statements is called by each of them.
    done(&scop, &mut gemm, &["parallel S1.i"]);
    assert!(entry(&gemm, "i").parallel);
}

#[test]
fn what_was_done_is_undone_and_told() {
    let scop = parsed(GEMM);
    let mut gemm = session(&scop);
    assert!(refused(&mut gemm, "undo").reason.unwrap().contains("nothing to undo"));
    let own = gemm.tree().clone();
    done(&scop, &mut gemm, &["interchange  k S1.j  # back and forth", "distribute i"]);
    let script = answered(&mut gemm, "script").output.unwrap();
    assert_eq!(script, "interchange k S1.j\ndistribute i");
    let two = gemm.tree().clone();
    done(&scop, &mut gemm, &["reset"]);
    assert!(gemm.tree().plain_is_equal(&own).unwrap());
    assert_eq!(answered(&mut gemm, "script").output.unwrap(), "");
    done(&scop, &mut gemm, &["undo"]);
    assert!(gemm.tree().plain_is_equal(&two).unwrap());
    done(&scop, &mut gemm, &["undo", "undo"]);
    assert!(gemm.tree().plain_is_equal(&own).unwrap());
    let cost = answered(&mut gemm, "cost").output.unwrap();
    assert!(cost.ends_with(": as fast as the original order"), "{cost}");
}

#[test]
fn trees_are_saved_and_begun_with() {
    let scop = parsed(GEMM);
    let mut gemm = session(&scop);
    done(&scop, &mut gemm, &["distribute i", "tile S1.i S1.j k 4", "register S1.i 2 S1.j 4", "parallel i.tile"]);
    let mut files = Memory::default();
    let Outcome::Answered(saved) = gemm.run("save tree.yaml", &mut files) else { panic!() };
    assert!(saved.accepted, "{saved:?}");
    let mut again = session(&scop);
    let Outcome::Answered(begun) = again.run("start file tree.yaml", &mut files) else { panic!() };
    assert!(begun.accepted, "{begun:?}");
    assert_eq!(names(&again), names(&gemm));
    assert_eq!(again.loops().unwrap(), gemm.loops().unwrap());
    assert_eq!((begun.cost, again.tree().to_string()), (saved.cost, gemm.tree().to_string()));
    same(&scop, &again, "a tree of a file");
    done(&scop, &mut again, &["undo", "start scheduled", "start candidate order=original tiles=4", "start original"]);
    assert_eq!(names(&again), ["i", "S0.j", "k", "S1.j"]);
    assert!(refused(&mut again, "start file nowhere").reason.unwrap().contains("no file nowhere"));
    assert!(refused(&mut again, "start candidate order=some").reason.unwrap().contains("no candidate"));
    // What is not right is no tree to begin with.
    let scop = parsed(DIAGONAL);
    let turned = scop.schedule.to_string().replace("S0[i, j] -> [(i)]", "S0[i, j] -> [(-i)]");
    let mut files = Memory(BTreeMap::from([("turned".to_owned(), turned)]));
    let mut diagonal = session(&scop);
    let Outcome::Answered(answer) = diagonal.run("start file turned", &mut files) else { panic!() };
    assert!(!answer.accepted && answer.dependence.is_some(), "{answer:?}");
}

#[test]
fn wavefronts_have_a_name() {
    let scop = parsed(include_str!("../../test/scop/basic/seidel-2d.scop"));
    let mut seidel = session(&scop);
    let start = "start candidate order=scheduled+tiles=2+wavefront=1+parallel=true";
    done(&scop, &mut seidel, &[start]);
    assert_eq!(names(&seidel)[0], "front.tile");
    assert!(entry(&seidel, &names(&seidel)[1]).parallel);
    assert!(refused(&mut seidel, "skew i by front.tile").reason.unwrap().contains("runs over tiles"));
}

#[test]
fn little_work_is_an_open_question() {
    let scop = parsed(GEMM);
    let mut gemm = Session::new(&scop, Options::default(), 200_000).unwrap();
    gemm.quota = 1000;
    let reason = refused(&mut gemm, "interchange k S1.j").reason.unwrap();
    assert!(reason.contains("quota") || reason.contains("budget"), "{reason}");
}
