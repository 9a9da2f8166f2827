//! Arrays with several layouts, one after the other: random maps at random places are applied, proved and run, and where a
//! copy between two of them is taken away or copies something else, the proof refuses.

use super::layouts::{dimensions, held, mappable, names, regions};
use fastrand::Rng;
use polyrs::check::layout::check_layout;
use polyrs::driver::{Budget, Options, Scheduler, optimize};
use polyrs::isl::{Ctx, Map, NodeType, ScheduleNode};
use polyrs::layout::{Applied, Error, Layout};
use polyrs::machine::Machine;
use polyrs::scop::{Array, ArrayKind, Scop};
use std::fmt::Write;

/// What may be wrong with random maps: a layout that nothing uses, an array that has it already, and what may be wrong
/// with any map.
const REASONS: [&str; 6] = [
    "of no use",
    "has this layout already",
    "where the program has it already",
    "nobody knows what to copy",
    "not known",
    "outside of its extents",
];

/// The statements before which a redistribution may stand: the first ones of all parts of the top level but the first.
fn places(scop: &Scop) -> Vec<String> {
    fn first(node: &ScheduleNode) -> Option<String> {
        if node.has_children().unwrap() {
            return node.children().unwrap().iter().find_map(first);
        }
        let sets = node.domain().unwrap().set_list().unwrap().to_vec().unwrap();
        sets.first().and_then(|set| set.tuple_name().unwrap())
    }
    let top = scop.schedule.root().unwrap().first_child().unwrap();
    if top.node_type().unwrap() != NodeType::Sequence {
        return Vec::new();
    }
    top.children().unwrap().iter().skip(1).filter_map(first).collect()
}

fn map(word: &str, array: &Array, number: usize, numbers: &mut Rng) -> String {
    let address = [vec![number.to_string()], dimensions(array.rank(), numbers)].concat().join(", ");
    format!("map({word}: {}({}) -> ({address}))", array.name, names(array.rank()).join(", "))
}

/// Layouts of some arrays, from the beginning on and from some places on.
fn several(scop: &Scop, numbers: &mut Rng) -> Option<String> {
    let (mut arrays, places) = (mappable(scop), places(scop));
    numbers.shuffle(&mut arrays);
    arrays.truncate(numbers.usize(1..=3));
    let mut text = String::new();
    let mut redistributed = false;
    for (number, array) in arrays.into_iter().enumerate() {
        let mut is_original = numbers.bool();
        if !is_original {
            text += &map("inout", array, number, numbers);
        }
        for place in &places {
            if numbers.u8(..) < 90 {
                is_original = !is_original && numbers.u8(..) < 80;
                let map = match is_original {
                    true => format!("map(redist: {} -> original)", array.name),
                    false => map("redist", array, number, numbers),
                };
                let _ = write!(text, "\nbefore {place}: {map}\n");
                redistributed = true;
            }
        }
    }
    redistributed.then_some(text)
}

/// The region without one of the copies between two parts, or where that reads another element.
fn tampered(scop: &Scop, applied: &Applied, numbers: &mut Rng) -> Option<Scop> {
    let mut other = applied.scop.clone();
    let between = applied.copies.iter().filter(|copy| {
        let name = &applied.scop.statement(copy.statement).name;
        name.starts_with("redist")
    });
    let copied = numbers.choice(between.collect::<Vec<_>>())?;
    let copy = &mut other.statements[copied.statement.0];
    let array = &scop.arrays[copied.array];
    if array.rank() == 0 || numbers.bool() {
        let domain = copy.domain.clone().to_union_set().unwrap();
        return Some(other.without(&domain).unwrap());
    }
    let all = names(array.rank());
    let shifted = format!("{} + 1", all[0]);
    let to = [&[shifted][..], &all[1..]].concat().join(", ");
    let shift = format!("{{ {0}[{1}] -> {0}[{to}] }}", copy.name, all.join(", "));
    let shift = Map::parse(scop.ctx(), &shift).unwrap();
    copy.accesses[0].relation = shift.apply_range(copy.accesses[0].relation.clone()).unwrap();
    Some(other)
}

#[derive(Debug, Default)]
struct Counts {
    applied: usize,
    run: usize,
    tampered: usize,
    exhausted: usize,
    undefined: usize,
}

fn try_layouts(name: &str, scop: &Scop, text: &str, numbers: &mut Rng, counts: &mut Counts) {
    let find = || {
        let layout = Layout::parse(scop, text)?;
        let applied = layout.apply(scop)?;
        check_layout(scop, &applied.scop, &applied.claims)?;
        let again = Layout::parse(scop, &layout.to_text(scop)?)?.apply(scop)?;
        Ok::<_, Error>((applied, again))
    };
    let (applied, again) = match scop.ctx().with_quota(Budget::LAYOUT.saturating_mul(2), find) {
        Ok(both) => both,
        Err(Error::Directive(error)) => {
            assert!(REASONS.iter().any(|reason| error.message.contains(reason)), "{name}: {error}\n{text}");
            return;
        }
        // What a region reads of its own arrays without having written it has no value, which need not be the same one.
        Err(Error::Unproved(reason)) if scop.arrays.iter().any(|array| array.kind == ArrayKind::Local) => {
            assert!(reason.contains("what was there before"), "{name}: {reason}\n{text}");
            return counts.undefined += 1;
        }
        Err(Error::Isl(error)) if error.is_exhausted() => return counts.exhausted += 1,
        Err(error) => panic!("{name}: {error}\n{text}"),
    };
    counts.applied += 1;
    assert_eq!(applied.scop.to_text().unwrap(), again.scop.to_text().unwrap(), "{name}\n{text}");
    let tampered = tampered(scop, &applied, numbers);
    let told = held((name, text), scop, &applied.scop, tampered.as_ref());
    counts.run += usize::from(told.0);
    counts.tampered += usize::from(told.1);
}

#[test]
fn several_layouts_leave_the_same_in_memory() {
    let (mut numbers, mut counts) = (Rng::with_seed(31), Counts::default());
    let regions: Vec<_> = regions().into_iter().filter(|(_, scop)| !places(scop).is_empty()).collect();
    let times = std::env::var("POLYRS_CAMPAIGN").ok().and_then(|times| times.parse().ok()).unwrap_or(1);
    while counts.applied < 40 * times {
        for (name, scop) in &regions {
            if let Some(text) = several(scop, &mut numbers) {
                try_layouts(name, scop, &text, &mut numbers, &mut counts);
            }
        }
    }
    assert!(counts.run * 10 > counts.applied * 9 && counts.tampered * 2 > counts.applied, "{counts:?}");
    assert!(counts.exhausted * 10 < counts.applied, "{counts:?}");
}

/// A region of nests that each read and write a stretch of some arrays, of which some are the region's own, and some seen
/// in part later. Some nests are empty for small `n`, and some write under conditions on data.
fn stretches(numbers: &mut Rng) -> String {
    let arrays = ["A", "B", "C"];
    let local = numbers.usize(..=3);
    let (mut statements, mut domains, mut parts) = (String::new(), Vec::new(), String::new());
    for number in 0..numbers.usize(2..=5) {
        let (from, to) = (numbers.usize(..3), numbers.usize(..3));
        let (least, most) = (numbers.u8(..4), numbers.u8(..4));
        let domain = format!("S{number}[i] : {least} <= i < n - {most}");
        let read = numbers.u8(..4);
        let kind = if numbers.u8(..) < 20 { "may_write" } else { "must_write" };
        let at = if numbers.bool() { "i" } else { "n - 1 - i" };
        let _ = write!(
            statements,
            "  S{number}:\n    domain: \"{{ {domain} }}\"\n    accesses:\n      \
             - read S{number}_r: \"{{ S{number}[i] -> {}[{}] }}\"\n      \
             - {kind} S{number}_w: \"{{ S{number}[i] -> {}[{at}] }}\"\n",
            arrays[from],
            ["i", "n - 1 - i", "0", "n - 1"][usize::from(read)],
            arrays[to],
        );
        domains.push(domain);
        let _ = write!(
            parts,
            "      - filter: \"{{ S{number}[i] }}\"\n        child: {{ schedule: \"[{{ S{number}[i] -> [(i)] }}]\" }}\n"
        );
    }
    let kind = |number: usize| if number == local { "local" } else { "memory" };
    let kept: Vec<String> = (0..3)
        .filter(|number| *number != local)
        .map(|number| format!("{}[i] : i >= {}", arrays[number], numbers.u8(..3)))
        .collect();
    let all =
        (0..3).map(|number| format!("  {}: {{ kind: {}, element: f64, extent: [n] }}\n", arrays[number], kind(number)));
    format!(
        "scop: stretches\nparameters: [n]\ncontext: \"{{ : n >= 1 }}\"\narrays:\n{}statements:\n{statements}schedule:\n  \
         domain: \"{{ {} }}\"\n  child:\n    sequence:\n{parts}live_out: \"{{ {} }}\"\n",
        all.collect::<String>(),
        domains.join("; "),
        kept.join("; "),
    )
}

#[test]
fn several_layouts_of_stretches_leave_the_same() {
    let (mut numbers, mut counts) = (Rng::with_seed(32), Counts::default());
    let times = std::env::var("POLYRS_CAMPAIGN").ok().and_then(|times| times.parse().ok()).unwrap_or(1);
    let mut optimized = 0;
    while counts.applied < 120 * times {
        let text = stretches(&mut numbers);
        let scop = Scop::parse(&Ctx::new(), &text).unwrap_or_else(|error| panic!("{error}\n{text}"));
        let Some(maps) = several(&scop, &mut numbers) else { continue };
        let before = counts.applied;
        try_layouts(&text, &scop, &maps, &mut numbers, &mut counts);
        if counts.applied > before && counts.applied % 10 == 0 {
            let applied = Layout::parse(&scop, &maps).and_then(|layout| layout.apply(&scop)).unwrap();
            let options =
                Options { profitability: false, scheduler: Scheduler::default(), ..Options::new(Machine::generic()) };
            optimize(&applied.scop, &options, &mut ()).unwrap_or_else(|refusal| panic!("{refusal}\n{text}\n{maps}"));
            optimized += 1;
        }
    }
    assert!(counts.run * 10 > counts.applied * 9 && counts.tampered * 3 > counts.applied, "{counts:?}");
    assert!(counts.undefined < counts.applied, "{counts:?}");
    assert!(optimized > 8 && counts.exhausted * 10 < counts.applied, "{counts:?}");
}
