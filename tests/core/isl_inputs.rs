//! The schedulers against isl's own inputs: each result is legal and has, band for band, at least as many members and
//! coincident members as the tree that isl expects of itself.

use crate::closeness::{Closeness, difference, lack_of_members};
use crate::schedules::{Scheduler, complaint, isl_inputs, read, read_constraints};
use polyrs::isl::{Ctx, Schedule, ScheduleConstraints};

/// The mode of the merging of components that an input leaves open, as isl's own test script tries both.
const MODES: [&str; 2] = ["--schedule-whole-component", "--no-schedule-whole-component"];

#[test]
fn schedules_are_legal_and_as_good_as_those_that_isl_expects() {
    let inputs = isl_inputs();
    assert!(inputs.len() >= 21, "isl has only {} inputs", inputs.len());
    let mut wrong = Vec::new();
    for path in inputs {
        let ctx = Ctx::new();
        let input = read_constraints(&ctx, &path);
        let expected = Schedule::parse(&ctx, &read(&path.with_extension("st"))).unwrap();
        if let Some(complaint) = complaint(&input.constraints, &expected) {
            wrong.push(format!("{}: what is expected: {complaint}", path.display()));
        }
        for scheduler in Scheduler::ALIKE {
            for mode in MODES {
                // Those of the file come last, and win.
                let options = [&[mode.to_owned()], &input.options[..]].concat();
                let place = format!("{}: {scheduler:?} {options:?}", path.display());
                let tree = match scheduler.schedule(&input.constraints, &options) {
                    Ok(tree) => tree,
                    Err(error) => {
                        wrong.push(format!("{place}: {error}"));
                        continue;
                    }
                };
                wrong.extend(complaint(&input.constraints, &tree).map(|c| format!("{place}: {c}\n{tree}")));
                let lack = lack_of_members(&tree, &expected).unwrap();
                wrong.extend(lack.map(|lack| format!("{place}: {lack}\n{tree}")));
                if scheduler == Scheduler::Isl {
                    let other = difference(&tree, &expected, Closeness::default()).unwrap();
                    wrong.extend(other.map(|other| format!("{place}: {other}")));
                }
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn our_reader_of_constraints_gives_what_isl_reads() {
    for path in isl_inputs() {
        let ctx = Ctx::new();
        let by_isl = ScheduleConstraints::parse(&ctx, &read(&path)).unwrap();
        assert_eq!(read_constraints(&ctx, &path).constraints.to_string(), by_isl.to_string(), "{}", path.display());
    }
}
