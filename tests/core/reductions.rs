//! Partial results of reductions: of all regions and of random ones, for each loop that may be shared out and each part of the
//! region that may have all of a reduction. What is proved computes the same, if the order of the operation does not count;
//! what computes something else is refused, and so is what was tampered with.

use super::gpu::polybench;
use super::layouts::{STEPS, left, regions};
use crate::regions::files;
use fastrand::Rng;
use polyrs::check::interpret::{Interpreter, small_parameters};
use polyrs::check::layout::{LayoutError, PartialResults, check_layout, in_old_instances};
use polyrs::driver::{Budget, Options, optimize};
use polyrs::isl::{self, Ctx, Map};
use polyrs::layout::{Applied, Error, Layout, PartialSums};
use polyrs::machine::Machine;
use polyrs::scop::{AccessKind, Operator, Reduction, Role, Scop, StatementId};

/// Says of each statement that writes an element that it reads that it gathers values there.
fn marked(scop: &Scop) -> Scop {
    let mut scop = scop.clone();
    for statement in &mut scop.statements {
        statement.reduction = Some(Reduction { operator: Operator::Add, role: Role::Update });
        if statement.gathered().unwrap().is_none() {
            statement.reduction = None;
        }
    }
    scop
}

/// What came of partial results.
#[derive(Debug, Default)]
struct Counts {
    proved: usize,
    /// It computes something else, and was refused.
    wrong: usize,
    /// It computes the same, as far as it was run, and was refused.
    unproved: usize,
    /// There is no place for it.
    nowhere: usize,
    exhausted: usize,
    tampered: usize,
}

/// All partial results of a region's reductions, with random numbers of them.
fn try_region(name: &str, scop: &Scop, quota: u64, numbers: &mut Rng, counts: &mut Counts) {
    for update in (0..scop.statements.len()).map(StatementId) {
        if scop.statement(update).reduction.is_none() {
            continue;
        }
        for split in 0..3 {
            let sizes = (i64::from(numbers.u8(2..5)), i64::from(numbers.u8(1..4)));
            let Ok(choices) = PartialSums::of(scop, update, sizes, Some(split)).unwrap() else { continue };
            for choice in choices {
                try_choice(name, (scop, quota), choice, numbers, counts);
            }
        }
    }
}

fn try_choice(name: &str, (scop, quota): (&Scop, u64), choice: PartialSums, numbers: &mut Rng, counts: &mut Counts) {
    let text = format!("{name}: {choice:?}");
    let find = || -> Result<_, Error> {
        let applied = Layout::of_partial_sums(scop, vec![choice])?.apply(scop)?;
        let proved = match check_layout(scop, &applied.scop, &applied.claims) {
            Ok(()) => true,
            Err(LayoutError::Different(_)) => false,
            Err(LayoutError::Isl(error)) => return Err(error.into()),
        };
        Ok((applied, proved))
    };
    let (applied, proved) = match scop.ctx().with_quota(quota, find) {
        Ok(found) => found,
        Err(Error::Unproved(_)) => return counts.nowhere += 1,
        Err(Error::Isl(error)) if error.is_exhausted() => return counts.exhausted += 1,
        Err(error) => panic!("{text}: {error}"),
    };
    let same = in_old_instances(scop, &applied.scop, &applied.claims).unwrap();
    let runs = left(scop, 3).zip(left(&same, 3));
    let is_same = runs.as_ref().is_none_or(|(before, after)| before == after);
    assert!(is_same || !proved, "{text}\n{}", applied.scop.to_text().unwrap());
    match (proved, is_same) {
        (true, _) => counts.proved += 1,
        (false, false) => return counts.wrong += 1,
        (false, true) => return counts.unproved += 1,
    }
    if let Some((other, claims)) = tampered(scop, &applied, numbers) {
        let found = scop.ctx().with_quota(quota, || check_layout(scop, &other, &claims));
        assert!(found.is_err(), "{text}\n{}", other.to_text().unwrap());
        counts.tampered += 1;
    }
}

/// A region with partial results that are not right any more.
fn tampered(scop: &Scop, applied: &Applied, numbers: &mut Rng) -> Option<(Scop, Vec<PartialResults>)> {
    let (mut other, mut claims) = (applied.scop.clone(), applied.claims.clone());
    let reduced = &applied.reduced[0];
    let array = other.arrays[applied.placed[reduced.placed].field].name.clone();
    let without = |id: StatementId, which: &str| {
        let statement = applied.scop.statement(id);
        let some = statement.domain.clone();
        let some = some.intersect(
            isl::Set::parse(scop.ctx(), which).unwrap().set_tuple_id(statement.domain.tuple_id().unwrap()).unwrap(),
        );
        applied.scop.without(&some.unwrap().to_union_set().unwrap()).unwrap()
    };
    match numbers.u8(..7) {
        // One partial result is not gathered, or has no first value.
        kind @ (0 | 1) => {
            let id = if kind == 0 { reduced.combine } else { reduced.neutral };
            let rank = applied.scop.statement(id).domain.dim(isl::DimType::SET).unwrap();
            let names: Vec<String> = (0..rank).map(|position| format!("x{position}")).collect();
            other = without(id, &format!("{{ [{}] : x0 = 1 }}", names.join(", ")));
        }
        // An update of which the partial result is another one when it is read.
        2 => {
            let rank = applied.scop.arrays[applied.placed[reduced.placed].field].rank();
            let names: Vec<String> = (0..rank).map(|position| format!("v{position}")).collect();
            let all = names.join(", ");
            let text =
                format!("{{ {array}[{all}] -> {array}[1 - v0{}] : 0 <= v0 <= 1 }}", all.strip_prefix("v0").unwrap());
            let swap = Map::parse(scop.ctx(), &text).unwrap();
            let accesses = &mut other.statements[reduced.update.0].accesses;
            let read = accesses.iter_mut().find(|one| one.kind == AccessKind::Read && one.array().unwrap() == array)?;
            read.relation = read.relation.clone().apply_range(swap).unwrap();
        }
        // Updates that access no partial result.
        6 => {
            let update = &mut other.statements[reduced.update.0];
            let rank = update.domain.dim(isl::DimType::SET).unwrap();
            let names: Vec<String> = (0..rank).map(|position| format!("x{position}")).collect();
            let first = format!("{{ [{}] : x0 > 0 }}", names.join(", "));
            let first = isl::Set::parse(scop.ctx(), &first).unwrap();
            let first = first.set_tuple_id(update.domain.tuple_id().unwrap()).unwrap();
            if update.domain.is_subset(&first).unwrap() {
                return None;
            }
            for access in update.accesses.iter_mut().filter(|access| access.array().unwrap() == array) {
                access.relation = access.relation.clone().intersect_domain(first.clone()).unwrap();
            }
        }
        // Nobody says so.
        3 => claims.clear(),
        // What is gathered is overwritten.
        4 => other.statements[reduced.combine.0].reduction = None,
        // Partial results are gathered before they are there.
        _ => {
            let combine = other.statement(reduced.combine).domain.clone().to_union_set().unwrap();
            let all = other.schedule.domain().unwrap();
            let first = other.schedule.clone().intersect_domain(combine.clone()).unwrap();
            let rest = other.schedule.clone().intersect_domain(all.subtract(combine).unwrap()).unwrap();
            other.schedule = first.sequence(rest).unwrap();
        }
    }
    Some((other, claims))
}

#[test]
fn partial_results_of_all_regions_hold() {
    let (mut numbers, mut counts) = (Rng::with_seed(11), Counts::default());
    for (name, scop) in regions() {
        try_region(&name, &marked(&scop), Budget::LAYOUT, &mut numbers, &mut counts);
    }
    println!("{counts:?}");
    assert!(counts.proved > 60 && counts.tampered * 10 > counts.proved * 9, "{counts:?}");
    assert!(counts.exhausted * 10 < counts.proved, "{counts:?}");
}

/// A random region: loops in loops, with statements that gather values in elements, set them, and use them.
struct Generator<'n> {
    numbers: &'n mut Rng,
    statements: Vec<(String, String, String)>,
}

impl Generator<'_> {
    fn subscripts(&mut self, iterators: &[String], rank: usize) -> String {
        let one = |numbers: &mut Rng| match numbers.u8(..8) {
            0 => "0".to_owned(),
            1 => format!("{} + 1", iterators[numbers.usize(..iterators.len())]),
            _ => iterators[numbers.usize(..iterators.len())].clone(),
        };
        (0..rank).map(|_| one(self.numbers)).collect::<Vec<_>>().join(", ")
    }

    fn statement(&mut self, iterators: &[String], domain: &str) -> String {
        let name = format!("S{}", self.statements.len());
        let all = iterators.join(", ");
        let [target, source] = [(); 2].map(|()| {
            let (array, rank) = *self.numbers.choice(&[("s", 0), ("x", 1), ("x", 1), ("A", 2), ("A", 2)]).unwrap();
            format!("{name}[{all}] -> {array}[{}]", self.subscripts(iterators, rank))
        });
        let input = format!("{name}[{all}] -> B[{}]", self.subscripts(iterators, 2));
        let write = format!("must_write W{name}: \"{{ {target} }}\"");
        let read = |tag: &str, what: &str| format!("read {tag}{name}: \"{{ {what} }}\"");
        let (accesses, reduction) = match self.numbers.u8(..6) {
            0 => (vec![read("R", &source), write], ""),
            1 => (vec![read("R", &input), write], ""),
            2 => (vec![read("R", &target), read("Q", &input), write], ""),
            _ => (vec![read("R", &target), read("Q", &input), write], ", reduction: add update"),
        };
        let domain = format!("{name}[{all}] : {domain}");
        let text = format!(
            "{{ domain: \"{{ {domain} }}\", accesses: [{}]{reduction} }}",
            accesses.iter().map(|one| format!("{{ {} }}", one)).collect::<Vec<_>>().join(", ")
        );
        self.statements.push((name.clone(), domain, text));
        name
    }

    /// The tree of a block, and the statements in it.
    fn block(&mut self, iterators: &[String], domain: &str, loops: usize) -> (String, Vec<String>) {
        let mut parts = Vec::new();
        let mut all = Vec::new();
        for _ in 0..self.numbers.usize(1..=if iterators.len() == 1 { 3 } else { 2 }) {
            let is_loop = loops > 0 && (iterators.is_empty() || self.numbers.u8(..5) < 3);
            let (tree, names) = if is_loop {
                self.in_loop(iterators, domain, loops)
            } else if iterators.is_empty() {
                continue;
            } else {
                (String::new(), vec![self.statement(iterators, domain)])
            };
            parts.push((tree, names.clone()));
            all.extend(names);
        }
        if let [(tree, _)] = &parts[..] {
            return (tree.clone(), all);
        }
        let filters = parts.iter().map(|(tree, names)| {
            let sets: Vec<String> = names.iter().map(|name| self.instances(name)).collect();
            let child = if tree.is_empty() { String::new() } else { format!(", child: {tree}") };
            format!("{{ filter: \"{{ {} }}\"{child} }}", sets.join("; "))
        });
        (format!("{{ sequence: [{}] }}", filters.collect::<Vec<_>>().join(", ")), all)
    }

    fn in_loop(&mut self, iterators: &[String], domain: &str, loops: usize) -> (String, Vec<String>) {
        let name = format!("i{}", iterators.len());
        let inner: Vec<String> = iterators.iter().cloned().chain([name.clone()]).collect();
        let bound = match (self.numbers.u8(..4), iterators.last()) {
            (0, Some(outer)) => format!("0 <= {name} <= {outer}"),
            _ => format!("0 <= {name} < n"),
        };
        let domain = if domain.is_empty() { bound } else { format!("{domain} and {bound}") };
        let (tree, names) = self.block(&inner, &domain, loops - 1);
        let members: Vec<String> = names.iter().map(|one| format!("{} -> [({name})]", self.instances(one))).collect();
        let child = if tree.is_empty() { String::new() } else { format!(", child: {tree}") };
        (format!("{{ schedule: \"[{{ {} }}]\"{child} }}", members.join("; ")), names)
    }

    fn instances(&self, name: &str) -> String {
        let known = self.statements.iter().find(|(known, ..)| known == name).unwrap();
        known.1.split(" : ").next().unwrap().to_owned()
    }

    fn region(numbers: &mut Rng) -> String {
        let mut generator = Generator { numbers, statements: Vec::new() };
        let (tree, _) = generator.block(&[], "", 2);
        let statements: Vec<String> =
            generator.statements.iter().map(|(name, _, text)| format!("  {name}: {text}\n")).collect();
        let domains: Vec<&str> = generator.statements.iter().map(|(_, domain, _)| domain.as_str()).collect();
        format!(
            "scop: random\nparameters: [n]\ncontext: \"{{ : 0 <= n < 1000 }}\"\narrays:\n\
             \x20 s: {{ kind: memory, element: f64, extent: [] }}\n\
             \x20 x: {{ kind: memory, element: f64, extent: [\"n + 1\"] }}\n\
             \x20 A: {{ kind: memory, element: f64, extent: [\"n + 1\", \"n + 1\"] }}\n\
             \x20 B: {{ kind: memory, element: f64, extent: [\"n + 1\", \"n + 1\"] }}\n\
             statements:\n{}schedule: {{ domain: \"{{ {} }}\", child: {tree} }}\n\
             live_out: \"{{ {} x[a]; A[a, b] }}\"\n",
            statements.concat(),
            domains.join("; "),
            if generator.numbers.bool() { "s[];" } else { "" },
        )
    }
}

#[test]
fn partial_results_of_random_regions_hold() {
    let (mut numbers, mut counts) = (Rng::with_seed(5), Counts::default());
    let times: usize = std::env::var("POLYRS_CAMPAIGN").ok().and_then(|times| times.parse().ok()).unwrap_or(1);
    for number in 0..80 * times {
        let text = Generator::region(&mut numbers);
        let scop = Scop::parse(&Ctx::new(), &text).unwrap_or_else(|error| panic!("{error}\n{text}"));
        try_region(&format!("random {number}"), &scop, Budget::LAYOUT / 4, &mut numbers, &mut counts);
    }
    println!("{counts:?}");
    assert!(counts.proved > 80 * times && counts.wrong > 20 * times, "{counts:?}");
    assert!(counts.tampered * 10 > counts.proved * 9 && counts.exhausted < counts.proved, "{counts:?}");
}

/// Regions with partial results are scheduled, and their code does what the tree says, which runs over them in parallel.
#[test]
fn updates_run_in_parallel() {
    let mut parallel = 0;
    for name in ["gemm", "atax", "covariance"] {
        let text = std::fs::read_to_string(polybench().join(format!("{name}.scop"))).unwrap();
        let scop = marked(&Scop::parse(&Ctx::new(), &text).unwrap());
        for update in (0..scop.statements.len()).map(StatementId) {
            if scop.statement(update).reduction.is_none() {
                continue;
            }
            let Ok(choices) = PartialSums::of(&scop, update, (4, 1), None).unwrap() else { continue };
            let Ok(choice) = Layout::first_proved(&scop, choices).unwrap() else { continue };
            let applied = Layout::of_partial_sums(&scop, vec![choice]).unwrap().apply(&scop).unwrap();
            let options = Options { profitability: false, ..Options::new(Machine::generic()) };
            let found = optimize(&applied.scop, &options, &mut ()).unwrap();
            parallel += usize::from(found.statistics.parallel > 0);
            let parameters = small_parameters(&applied.scop, 5).unwrap().unwrap();
            if let Ok(interpreter) = Interpreter::new(&applied.scop, &parameters, 20 * STEPS) {
                let report = interpreter.compare_ast(&found.ast).unwrap();
                assert!(report.is_same(), "{name}: {report:?}");
            }
        }
    }
    assert!(parallel > 2, "{parallel}");
}

/// Figure 11: the loop over k runs in parallel, with sums of its own, and A transposed is the best layout for that. That the
/// whole is no better than Figure 10 is the model's view, which keeps sums in registers (docs/layout.md).
#[test]
fn figure_11_is_one_of_the_choices() {
    let file = files().into_iter().find(|file| file.ends_with("shirako2019/figure10-gemm-polyast.scop")).unwrap();
    let scop = marked(&Scop::parse(&Ctx::new(), &std::fs::read_to_string(file).unwrap()).unwrap());
    let machine = Machine { cores: 12, vector_bits: 128, vector_registers: 16, ..Machine::generic() };
    let cost = |maps: &str| {
        let applied = Layout::parse(&scop, maps).unwrap().apply(&scop).unwrap();
        check_layout(&scop, &applied.scop, &applied.claims).unwrap();
        let found = optimize(&applied.scop, &Options::new(machine.clone()), &mut ()).unwrap();
        assert!(found.statistics.parallel > 0);
        (applied, found)
    };
    let (applied, found) = cost("reduce(C, 12) map(in: A(i, k) -> (k, i align 8))");
    let update = applied.scop.statement(applied.reduced[0].update);
    let text = |position: usize| update.accesses[position].relation.to_string();
    // T[i, p, q, j], as k = 12 q + p, in the order in which Figure 10 has the loops.
    for (position, wanted) in [(0, "C_partial["), (1, "A_layout["), (2, "B[")] {
        assert!(text(position).contains(wanted), "{}", text(position));
    }
    let all: Vec<u64> = ["reduce(C, 12)", "reduce(C, 12) map(in: B(k, j) -> (j, k align 8))"]
        .iter()
        .map(|maps| cost(maps).1.cost)
        .collect();
    assert!(all.iter().all(|other| found.cost < *other), "{} {all:?}", found.cost);
}
