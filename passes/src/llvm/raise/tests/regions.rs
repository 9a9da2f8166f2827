//! The regions of a function, and their checks at run time.

use polyrs_interface::Outlook;

use super::fixture::{Builder, DOUBLE, LONG, constant, copy_nest, minus_one, recurrence, times};
use crate::llvm::raise::affine::describe::Description;
use crate::llvm::raise::code::function::{Action, Code, Type};
use crate::llvm::raise::code::ids::{BlockId, LoopId, ValueId};
use crate::llvm::raise::delinearize::arrays::Array;
use crate::llvm::raise::refusal::{Obstacle, Reason};
use crate::llvm::raise::region::{Oracle, RaisedRegion};
use crate::llvm::raise::search::{Wanted, search};

struct Answers {
    apart: bool,
    certain: bool,
}

impl Oracle for Answers {
    fn are_apart(&self, _: &Array, _: &Array, _: &Description) -> bool {
        self.apart
    }

    fn is_certain(&self, _: ValueId, _: BlockId) -> bool {
        self.certain
    }

    fn dies(&self, _: ValueId, _: &[ValueId], _: Option<LoopId>) -> bool {
        false
    }
}

const KNOWN: Answers = Answers { apart: true, certain: true };

const ROWS: Wanted = Wanted { least: Outlook::Row, shown: false };
const ALL: Wanted = Wanted { least: Outlook::Single, shown: false };

fn found(code: &Code, wanted: Wanted, oracle: &Answers) -> Vec<Result<RaisedRegion, Obstacle>> {
    search(code, "f", wanted, None, oracle)
}

fn reasons(found: &[Result<RaisedRegion, Obstacle>]) -> Vec<Reason> {
    found.iter().filter_map(|one| one.as_ref().err().map(|obstacle| obstacle.reason.clone())).collect()
}

/// Two nests, and something between them.
fn two_nests(between: impl FnOnce(&mut Builder)) -> Code {
    let mut builder = Builder::new();
    let n = builder.given(LONG, Some((1, 1000)));
    let [from, to] = [0, 1].map(|_| builder.given(Type::Pointer, None));
    copy_nest(&mut builder, n, from, to);
    between(&mut builder);
    copy_nest(&mut builder, n, to, from);
    builder.finish().0
}

#[test]
fn nests_are_one_region_unless_something_is_between() {
    let together = found(&two_nests(|_| {}), ROWS, &KNOWN);
    assert_eq!((together.len(), together.iter().filter(|one| one.is_ok()).count()), (1, 1));
    let apart = two_nests(|builder| {
        builder.instruction(Type::Void, Action::Other("a call"), &[]);
    });
    let apart = found(&apart, ROWS, &KNOWN);
    let names: Vec<_> = apart.iter().filter_map(|one| Some(one.as_ref().ok()?.name.as_str())).collect();
    assert_eq!(names, ["f.poly.0", "f.poly.1"]);
    assert_eq!(reasons(&apart), [Reason::Instruction("a call")]);
}

#[test]
fn single_and_idle_loops_are_left() {
    let mut builder = Builder::new();
    let n = builder.given(LONG, Some((1, 1000)));
    let a = builder.given(Type::Pointer, None);
    let (number, _) = builder.begin_loop(Some(minus_one(n)));
    let loaded = builder.load(DOUBLE, a, times(8, recurrence(number)));
    builder.store(loaded, a, times(8, recurrence(number)));
    builder.end_loop();
    let (code, _) = builder.finish();
    assert_eq!(reasons(&found(&code, ROWS, &KNOWN)), [Reason::Single]);
    assert!(matches!(&found(&code, ALL, &KNOWN)[..], [Ok(region)] if region.outlook == Outlook::Single));
    // Twice the same, in a row.
    let mut builder = Builder::new();
    let n = builder.given(LONG, Some((1, 1000)));
    let a = builder.given(Type::Pointer, None);
    for _ in 0..2 {
        let (number, _) = builder.begin_loop(Some(minus_one(n)));
        let loaded = builder.load(DOUBLE, a, times(8, recurrence(number)));
        builder.store(loaded, a, times(8, recurrence(number)));
        builder.end_loop();
    }
    let code = builder.finish().0;
    assert!(matches!(&found(&code, ROWS, &KNOWN)[..], [Ok(region)] if region.outlook == Outlook::Row));
    let nests = Wanted { least: Outlook::Nest, shown: false };
    assert_eq!(reasons(&found(&code, nests, &KNOWN)), [Reason::Row, Reason::Single]);
    let shown = found(&code, Wanted { shown: true, ..nests }, &KNOWN);
    assert!(matches!(&shown[..], [Ok(region)] if !nests.takes(region)));
    let mut builder = Builder::new();
    builder.begin_loop(Some(constant(9)));
    builder.end_loop();
    assert_eq!(reasons(&found(&builder.finish().0, ALL, &KNOWN)), [Reason::Idle]);
}

#[test]
fn what_llvm_does_not_know_is_checked() {
    let check = |oracle: &Answers| {
        let found = found(&two_nests(|_| {}), ROWS, oracle);
        let [Ok(region)] = &found[..] else { panic!("one region") };
        assert_eq!(region.checked, region.text.contains("f.poly.0_check"));
        region.text.split("f.poly.0_check").nth(1).map(str::to_owned)
    };
    assert_eq!(check(&KNOWN), None);
    // Both orders of two arrays, and both ends are addresses.
    let overlap = check(&Answers { apart: false, certain: true }).unwrap();
    assert_eq!(overlap.matches("memref.extract_aligned_pointer_as_index").count(), 2);
    assert_eq!(overlap.matches("arith.cmpi sle").count(), 4, "{overlap}");
    assert_eq!(overlap.matches("arith.ori").count(), 1);
    // A range that a fact relied on, of a value that may be poison.
    let range = check(&Answers { apart: true, certain: false }).unwrap();
    assert!(range.contains("arith.constant 1000 : i128") || range.contains("1001"), "{range}");
    assert!(!range.contains("memref.extract_aligned_pointer_as_index"));
}
