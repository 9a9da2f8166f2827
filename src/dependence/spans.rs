//! References to several elements: random programs in a straight line, in every order that their dependences allow.

use super::samples::{M, R, Sample, W, sequence};
use super::*;
use crate::isl::DimType;
use crate::scop::{AccessKind, ArrayKind};
use std::collections::BTreeSet;

const STATEMENTS: usize = 5;
const ELEMENTS: usize = 6;

/// One reference to a row of elements of an array `A`, from the first up to below the second number.
#[derive(Debug, Clone, Copy)]
struct Span {
    kind: AccessKind,
    elements: (usize, usize),
}

/// A program: its statements, and how many elements of `A` are seen after it.
fn program(random: &mut fastrand::Rng) -> (Vec<Span>, usize) {
    let span = |random: &mut fastrand::Rng| {
        let first = random.usize(0..ELEMENTS);
        Span { kind: [R, R, W, W, M][random.usize(0..5)], elements: (first, random.usize(first..ELEMENTS) + 1) }
    };
    let spans = (0..STATEMENTS).map(|_| span(random)).collect();
    (spans, if random.bool() { 0 } else { random.usize(0..=ELEMENTS) })
}

fn scop(spans: &[Span], seen_after: usize) -> Scop {
    let mut sample = Sample::new("{ : }").array("A", ArrayKind::Memory, 1);
    let mut filters = Vec::new();
    for (number, Span { kind, elements: (first, end) }) in spans.iter().enumerate() {
        let relation = format!("{{ S{number}[] -> A[a] : {first} <= a < {end} }}");
        sample = sample.statement(&format!("{{ S{number}[] }}"), &[(*kind, &relation)]);
        filters.push(format!("S{number}[]"));
    }
    let children: Vec<_> = filters.iter().map(|filter| (filter.as_str(), "")).collect();
    sample.order(&sequence(&children), &format!("{{ A[a] : 0 <= a < {seen_after} }}"))
}

/// What statements read, and what is seen after them: the statements that wrote it. Of what may be written, only every
/// other element is if `sparse`.
fn values(spans: &[Span], order: &[usize], seen_after: usize, sparse: bool) -> Vec<Vec<Option<usize>>> {
    let mut memory = [None; ELEMENTS];
    let mut read = vec![Vec::new(); spans.len()];
    for number in order {
        let Span { kind, elements: (first, end) } = spans[*number];
        match kind {
            R => read[*number] = memory[first..end].to_vec(),
            M if sparse => memory[first..end].iter_mut().step_by(2).for_each(|element| *element = Some(*number)),
            _ => memory[first..end].fill(Some(*number)),
        }
    }
    read.push(memory[..seen_after].to_vec());
    read
}

/// The pairs of statements that have to stay in order where no live range is local.
fn pairs(dependences: &Dependences) -> Result<BTreeSet<(usize, usize)>> {
    let (order, ranges) = (&dependences.tagged_order, &dependences.tagged_flow);
    let before = order.clone().intersect_range(ranges.clone().domain()?)?;
    let next_to = before.union(order.clone().intersect_domain(ranges.clone().range()?)?)?;
    let all = dependences.flow.clone().union(dependences.forced.clone())?.union(untag(next_to)?)?;
    let number = |name: Option<String>| name.and_then(|name| name[1..].parse().ok()).unwrap();
    let mut found = BTreeSet::new();
    for map in all.map_list()?.to_vec()? {
        if !map.is_empty()? {
            found.insert((number(map.tuple_name(DimType::In)?), number(map.tuple_name(DimType::Out)?)));
        }
    }
    Ok(found)
}

/// All orders of the numbers that are left, behind those that are there.
fn orders(so_far: &mut Vec<usize>, visit: &mut dyn FnMut(&[usize])) {
    if so_far.len() == STATEMENTS {
        return visit(so_far);
    }
    for number in 0..STATEMENTS {
        if !so_far.contains(&number) {
            so_far.push(number);
            orders(so_far, visit);
            so_far.pop();
        }
    }
}

#[test]
fn orders_that_dependences_allow_hand_on_the_same_values() {
    let mut random = fastrand::Rng::with_seed(1);
    let (mut allowed, mut refused) = (0, 0);
    for number in 0..300 {
        let (spans, seen_after) = program(&mut random);
        let dependences = Dependences::compute(&scop(&spans, seen_after), Mode::default()).unwrap();
        let pairs = pairs(&dependences).unwrap();
        let in_order = |order: &[usize]| [true, false].map(|sparse| values(&spans, order, seen_after, sparse));
        let expected = in_order(&[0, 1, 2, 3, 4]);
        orders(&mut Vec::new(), &mut |order| {
            let position = |statement| order.iter().position(|one| *one == statement);
            if pairs.iter().all(|(source, sink)| position(*source) < position(*sink)) {
                assert_eq!(in_order(order), expected, "{number}: {spans:?} {seen_after} in {order:?}");
                allowed += 1;
            } else {
                refused += 1;
            }
        });
    }
    assert!(allowed > 1000 && refused > 1000, "{allowed} {refused}");
}
