//! Windows of arrays in random pipelines: regions whose stages have arrays of their own, in orders that fuse some of
//! them. What is found is proved and computes the same; windows that are smaller are refused, unless they compute the
//! same, too.

use fastrand::Rng;
use polyrs::check::interpret::{Interpreter, Order, small_parameters};
use polyrs::check::layout::check_layout;
use polyrs::driver::{Budget, LayoutSearch, Options, optimize_jointly};
use polyrs::isl::Ctx;
use polyrs::layout::{Error, Layout};
use polyrs::machine::Machine;
use polyrs::scop::Scop;
use std::collections::BTreeMap;

/// The steps of the interpreter for a region, at most.
const STEPS: u64 = 200_000;

/// A stage: what it reads of the stage before, and how much later it runs.
struct Stage {
    offsets: Vec<[i64; 2]>,
    delay: i64,
    /// It begins an outermost nest of its own.
    apart: bool,
}

/// A region of stages: `T0` from `X`, each from the one before, and the last one to `Y`. Elements outside of an array
/// are left out, so that each stage is smaller than the one before. So many of a hundred stages have a nest of their own.
fn pipeline(numbers: &mut Rng, apart: u8) -> String {
    let stages: Vec<Stage> = (0..numbers.usize(2..=4)).map(|number| stage(number, numbers, apart)).collect();
    let (mut arrays, mut statements, mut domains) = (String::new(), String::new(), Vec::new());
    let mut border = 0;
    for (number, stage) in stages.iter().enumerate() {
        let is_last = number + 1 == stages.len();
        border += stage.offsets.iter().flatten().map(|offset| offset.abs()).max().unwrap_or(0);
        let (from, to) = match number {
            0 => ("X".to_owned(), format!("T{number}")),
            _ => (format!("T{}", number - 1), if is_last { "Y".to_owned() } else { format!("T{number}") }),
        };
        if !is_last {
            arrays += &format!("  T{number}: {{ kind: local, element: f64, extent: [n, m] }}\n");
        }
        let domain = format!("S{number}[i, j] : {border} <= i < n - {border} and {border} <= j < m - {border}");
        let mut accesses = String::new();
        for (read, [di, dj]) in stage.offsets.iter().enumerate() {
            accesses +=
                &format!("      - read R{number}_{read}: \"{{ S{number}[i, j] -> {from}[i + {di}, j + {dj}] }}\"\n");
        }
        accesses += &format!("      - must_write W{number}: \"{{ S{number}[i, j] -> {to}[i, j] }}\"\n");
        statements +=
            &format!("  S{number}:\n    text: \"stage\"\n    domain: \"{{ {domain} }}\"\n    accesses:\n{accesses}");
        domains.push(domain);
    }
    format!(
        "scop: pipeline\nparameters: [n, m]\ncontext: \"{{ : }}\"\narrays:\n  X: {{ kind: memory, element: f64, extent: [n, m] }}\n\
         {arrays}  Y: {{ kind: memory, element: f64, extent: [n, m] }}\nstatements:\n{statements}schedule:\n  domain: \"{{ {} }}\"\n  child:\n{}\
         live_out: \"{{ X[i, j]; Y[i, j] }}\"\n",
        domains.join("; "),
        order(&stages)
    )
}

fn stage(number: usize, numbers: &mut Rng, apart: u8) -> Stage {
    let offset = |numbers: &mut Rng| [numbers.i64(-2..=2), numbers.i64(-1..=1)];
    let offsets: Vec<[i64; 2]> = (0..numbers.usize(1..=3)).map(|_| offset(numbers)).collect();
    // At least as late as what is read is there: a row later where it is in the same row, further on.
    let ahead = offsets.iter().map(|[di, dj]| di + i64::from(*dj > 0)).max().unwrap_or(0);
    let delay = ahead.max(0) + numbers.i64(0..=1);
    Stage { offsets, delay, apart: number > 0 && numbers.u8(..100) < apart }
}

/// Nests of stages, one after the other; in a nest each stage is as many rows behind the first one as all delays say.
fn order(stages: &[Stage]) -> String {
    let mut nests: Vec<Vec<(usize, i64)>> = Vec::new();
    for (number, stage) in stages.iter().enumerate() {
        match nests.last_mut() {
            Some(nest) if !stage.apart => {
                let before = nest.last().map_or(0, |(_, delay)| *delay);
                nest.push((number, before + stage.delay));
            }
            _ => nests.push(vec![(number, 0)]),
        }
    }
    let mut text = "    sequence:\n".to_owned();
    for nest in nests {
        let each =
            |of: &dyn Fn(usize, i64) -> String| nest.iter().map(|(s, d)| of(*s, *d)).collect::<Vec<_>>().join("; ");
        let filter = each(&|stage, _| format!("S{stage}[i, j]"));
        let rows = each(&|stage, delay| format!("S{stage}[i, j] -> [(i + {delay})]"));
        let columns = each(&|stage, _| format!("S{stage}[i, j] -> [(j)]"));
        text += &format!(
            "      - filter: \"{{ {filter} }}\"\n        child:\n          schedule: \"[{{ {rows} }}, {{ {columns} }}]\"\n"
        );
        if nest.len() > 1 {
            text += "          child:\n            sequence:\n";
            for (stage, _) in &nest {
                text += &format!("              - filter: \"{{ S{stage}[i, j] }}\"\n");
            }
        }
    }
    text
}

/// What a region's own order leaves in memory.
fn left(scop: &Scop) -> BTreeMap<String, Option<u64>> {
    let parameters = small_parameters(scop, 12).unwrap().unwrap();
    let interpreter = Interpreter::new(scop, &parameters, STEPS).unwrap();
    let outcome = interpreter.run(&interpreter.original().unwrap(), Order::Ascending);
    interpreter.live_out(&outcome).into_iter().collect()
}

/// The region with a layout, unless that is not proved.
fn applied(scop: &Scop, text: &str) -> Result<Scop, Error> {
    scop.ctx().with_quota(Budget::LAYOUT, || {
        let applied = Layout::parse(scop, text)?.apply(scop)?.scop;
        check_layout(scop, &applied, &[])?;
        Ok(applied)
    })
}

/// The same maps with one window that is shorter by one.
fn tighter(text: &str, numbers: &mut Rng) -> Option<String> {
    let places: Vec<usize> = text.match_indices('%').map(|(at, _)| at).collect();
    let at = *numbers.choice(&places)?;
    let end = at + 1 + text[at + 1..].find(|c: char| !c.is_ascii_digit())?;
    let window: i64 = text[at + 1..end].parse().ok()?;
    Some(format!("{}%{}{}", &text[..at], window - 1, &text[end..]))
}

#[test]
fn windows_are_proved_and_smaller_ones_refused() {
    let mut numbers = Rng::with_seed(31);
    let times = std::env::var("POLYRS_CAMPAIGN").ok().and_then(|times| times.parse().ok()).unwrap_or(1);
    let (mut contracted, mut refused, mut right) = (0, 0, 0);
    while contracted < 40 * times {
        let text = pipeline(&mut numbers, 25);
        let scop = Scop::parse(&Ctx::new(), &text).unwrap_or_else(|error| panic!("{error}\n{text}"));
        let before = left(&scop);
        for array in scop.arrays.iter().filter(|array| array.name.starts_with('T')) {
            let wanted = format!("contract({})", array.name);
            let maps = match Layout::parse(&scop, &wanted) {
                Ok(layout) => layout.to_text(&scop).unwrap(),
                // In an order that has its stages one after the other.
                Err(Error::Alive(_)) => continue,
                Err(error) => panic!("{error}\n{text}"),
            };
            let after = applied(&scop, &maps).unwrap_or_else(|error| panic!("{error}\n{maps}\n{text}"));
            assert_eq!(before, left(&after), "{maps}\n{text}");
            contracted += 1;
            let Some(maps) = tighter(&maps, &mut numbers) else { continue };
            match applied(&scop, &maps) {
                Err(Error::Alive(_)) => refused += 1,
                Err(error) => panic!("{error}\n{maps}\n{text}"),
                Ok(after) => {
                    assert_eq!(before, left(&after), "{maps}\n{text}");
                    right += 1;
                }
            }
        }
    }
    println!("{contracted} contracted, {refused} smaller ones refused, {right} right");
    assert!(refused > contracted / 4, "{contracted} {refused} {right}");
}

/// Whatever order it is for, what the search finds is proved; there its code is run.
#[test]
fn the_search_finds_windows() {
    let (mut numbers, mut found, mut refused) = (Rng::with_seed(32), 0, 0);
    let options = Options { profitability: false, layout: LayoutSearch::Any, ..Options::new(Machine::generic()) };
    for _ in 0..12 {
        let text = pipeline(&mut numbers, 90);
        let scop = Scop::parse(&Ctx::new(), &text).unwrap();
        let joint = optimize_jointly(&scop, &options, &|_| true, &mut ()).unwrap();
        let Some(relaid) = joint.relaid else { continue };
        found += usize::from(relaid.layout.to_text(&scop).unwrap().contains("contract("));
        let parameters = small_parameters(&relaid.applied.scop, 12).unwrap().unwrap();
        let interpreter = Interpreter::new(&relaid.applied.scop, &parameters, STEPS).unwrap();
        let report = interpreter.compare_ast(&joint.optimized.ast).unwrap();
        assert!(report.is_same(), "{report:?}\n{text}");
        assert_eq!(left(&scop), left(&relaid.applied.scop), "{text}");
        // The proof knows no window, so it sees by itself where they are wrong: in the order that the region had.
        if relaid.applied.scop.statements.len() == scop.statements.len() {
            let wrong = Scop { schedule: scop.schedule.clone(), ..relaid.applied.scop };
            match check_layout(&scop, &wrong, &relaid.applied.claims) {
                Ok(()) => assert_eq!(left(&scop), left(&wrong), "{text}"),
                Err(_) => refused += 1,
            }
        }
    }
    assert!(found >= 6 && refused >= 3, "{found} {refused}");
}
