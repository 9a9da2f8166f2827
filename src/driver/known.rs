//! Regions like one that was done before: the same but for its name and the texts of its statements.
//!
//! What a region gets follows from its model, the options and the operations that it may take, and from nothing else.
//! So an answer can be had from memory where all of these are the same, as in functions that a macro makes for each
//! type. It counts as much work as it took the first time: what is left to a function does not depend on what was done
//! before, or at the same time. What the clock cut short is not kept.
//!
//! In one function, whose regions come in one order, what there is may differ, as long as it is more than the answer takes: where a
//! region gets another layout, the code for what runs where that is not used was found with more, and is right with less.
//!
//! Trees are kept as text, since a region's isl objects are its own.

use super::budget::Budget;
use super::memory::Memory;
use super::observer::{Observer, Stage};
use super::optimized::Optimized;
use super::options::{LayoutSearch, Options};
use super::refusal::Refusal;
use crate::scop::text::{parse_schedule, schedule_to_text};
use crate::scop::{Scop, Statement};
use std::sync::Arc;

/// What a region got.
#[derive(Clone)]
struct Answer {
    found: Result<Optimized<String>, Refusal>,
    /// What that took, with finding out that it is not known.
    operations: u64,
    /// It has the orders that a search for layouts goes on with.
    has_orders: bool,
}

/// What a region gets, as it is known or by doing the `work`.
pub(super) fn known(
    memory: &Memory,
    scop: &Scop,
    options: &Options,
    work: impl FnOnce() -> Result<Optimized, Refusal>,
) -> Result<Optimized, Refusal> {
    let ctx = scop.ctx();
    let before = ctx.operations();
    let Some(key) = key(scop, options) else { return work() };
    let has_orders = options.layout != LayoutSearch::None;
    let fits = |answer: &Arc<Answer>| answer.has_orders || !has_orders;
    let suffices = |answer: &Arc<Answer>| fits(answer) && options.budget.suffices(ctx, answer.operations);
    // First what the function found with more: what others find with as much, maybe at the same time, decides nothing then.
    let remembered = memory.find::<Answer>(&key.region).filter(suffices);
    let answer = remembered.clone().or_else(|| memory.of_all().find::<Answer>(&key.of_all()).filter(fits));
    if let Some((answer, found)) = answer.as_ref().and_then(|answer| Some((answer, answer.of(scop)?))) {
        let took = ctx.operations() - before;
        tracing::debug!("a region like one before");
        // As if it had been found out here: what the function remembers depends on no other one.
        if remembered.is_none() {
            answer.keep_of_function(memory, key);
        }
        // A bound that this reaches is looked at where the next work begins, as if the work had been done.
        let _ = ctx.charge(answer.operations.saturating_sub(took));
        return found;
    }
    let found = work();
    if ctx.check_deadline().is_ok()
        && let Some(kept) = kept(&found, options)
    {
        let answer = Answer { found: kept, operations: ctx.operations() - before, has_orders };
        memory.of_all().keep(key.of_all(), answer.bytes(), answer.clone());
        answer.keep_of_function(memory, key);
    }
    found
}

/// Nobody wants to see what is found on the way.
pub(super) fn is_unobserved(observer: &dyn Observer) -> bool {
    [Stage::Dependences, Stage::Constraints, Stage::Schedule, Stage::Ast].iter().all(|stage| !observer.wants(*stage))
}

/// All that what a region gets depends on.
#[derive(Debug, PartialEq)]
struct Key {
    /// The region and the choices.
    region: String,
    /// The operations that there are, and those that it may take.
    operations: (u64, Budget),
}

impl Key {
    /// All of it.
    fn of_all(&self) -> String {
        let (left, budget) = self.operations;
        format!("{left} {budget:?} {}", self.region)
    }
}

/// All that what a region gets depends on; `None` where a bound struck while it was written, as then the text does not
/// say it.
fn key(scop: &Scop, options: &Options) -> Option<Key> {
    let ctx = scop.ctx();
    let left = ctx.remaining();
    let nameless = |statement: &Statement| Statement { text: String::new(), ..statement.clone() };
    let statements = scop.statements.iter().map(nameless).collect();
    let model = Scop { name: String::new(), statements, ..scop.clone() };
    // Where another layout was chosen, the region gets code as it is besides.
    let choices = Options { layout: LayoutSearch::None, budget: Budget::new(0), ..options.clone() };
    let key = Key { region: format!("{choices:?} {model:?}"), operations: (left, options.budget) };
    (ctx.remaining() > 0 && ctx.check_deadline().is_ok()).then_some(key)
}

/// What is kept of what was found; `None` where isl cannot say it.
fn kept(found: &Result<Optimized, Refusal>, options: &Options) -> Option<Result<Optimized<String>, Refusal>> {
    let found = match found {
        Ok(found) => found,
        Err(refusal) => return Some(Err(refusal.clone())),
    };
    let mut kept = found.with_trees(|tree| schedule_to_text(tree).ok())?;
    if options.layout == LayoutSearch::None {
        // Only a search for layouts goes on with them.
        kept.schedules = Vec::new();
    }
    Some(Ok(kept))
}

impl Answer {
    /// What a function remembers of it: with more than there was, another answer than that there was too little may be found.
    fn keep_of_function(&self, memory: &Memory, key: Key) {
        let is_for_less = !matches!(&self.found, Err(refusal) if refusal.exhausted);
        if memory.is_of_function() && is_for_less {
            memory.keep(key.region, self.bytes(), self.clone());
        }
    }

    /// What its trees take as text.
    fn bytes(&self) -> usize {
        self.found.as_ref().map_or(0, |found| found.schedules.iter().chain([&found.tree]).map(String::len).sum())
    }

    /// What it is for a region; `None` where that cannot be said.
    fn of(&self, scop: &Scop) -> Option<Result<Optimized, Refusal>> {
        match &self.found {
            Ok(found) => found.with_trees(|tree| parse_schedule(scop, tree).ok()).map(Ok),
            Err(refusal) => Some(Err(refusal.clone())),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::driver::{Budget, Effort, optimize};
    use crate::isl::{Ctx, Moment};
    use std::path::Path;
    use std::time::Duration;

    fn text(name: &str) -> String {
        std::fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join("test").join(name)).unwrap()
    }

    /// The parts of a tree's text in one order: isl has those of unions in any.
    fn parts(tree: &crate::isl::Schedule) -> Vec<String> {
        let text = schedule_to_text(tree).unwrap();
        let mut parts: Vec<_> = text.split(['{', '}', ';']).map(|part| part.trim().to_owned()).collect();
        parts.sort();
        parts
    }

    /// What a region gets, as far as it can be compared, and the operations that this counts as.
    fn done(text: &str, options: &Options) -> (String, u64) {
        let scop = Scop::parse(&Ctx::new(), text).unwrap_or_else(|error| panic!("{error}"));
        let before = scop.ctx().operations();
        let found = optimize(&scop, options, &mut ());
        let operations = scop.ctx().operations() - before;
        let found = match found {
            Ok(found) => {
                let tree = parts(&found.tree);
                let schedules: Vec<_> = found.schedules.iter().map(parts).collect();
                let Optimized { phases: _, tree: _, schedules: _, .. } = &found;
                let rest = (found.statistics, found.cost, found.candidate, found.considered, found.prediction);
                let why = (found.same_as_original, found.unprofitable, found.too_little_work, found.stepped_down);
                format!("{tree:?} {schedules:?} {:?} {rest:?} {why:?}", found.ast)
            }
            Err(refusal) => format!("{refusal:?}"),
        };
        (found, operations)
    }

    fn with(known: &Arc<Memory>, options: &Options) -> Options {
        Options { memory: Some(known.clone()), ..options.clone() }
    }

    #[test]
    fn a_region_like_one_before_gets_the_same_and_counts_as_much() {
        let layouts = Options { clustering: crate::clustering::Clustering::Auto, ..Options::default() };
        let haste = Options { layout: LayoutSearch::None, effort: Effort::Low, ..Options::default() };
        for name in ["scop/basic/gemm.scop", "scop/basic/jacobi-2d.scop", "polybench/scop/trisolv.scop"] {
            let text = text(name);
            for options in [&layouts, &haste] {
                let known = Arc::new(Memory::default());
                let anew = done(&text, options).0;
                let first = done(&text, &with(&known, options));
                assert_eq!(known.count(), 1, "{name}");
                // Another name and other texts of statements.
                let other = text.replacen("scop: ", "scop: other_", 1);
                let again = done(&other, &with(&known, options));
                assert_eq!(known.count(), 1, "{name}");
                assert_eq!(first.1, again.1, "{name}");
                assert_eq!(anew, first.0, "{name}");
                // Where no layout is searched for, the orders are no longer needed.
                let has_orders = options.layout != LayoutSearch::None;
                assert_eq!(has_orders, first.0 == again.0, "{name}");
            }
        }
    }

    #[test]
    fn a_search_for_layouts_leaves_its_answer_to_the_region_as_it_is() {
        let (text, memory) = (text("scop/basic/gemm.scop"), Arc::new(Memory::default()));
        let searched = with(&memory, &Options { layout: LayoutSearch::Auto, ..Options::default() });
        let plain = Options { layout: LayoutSearch::None, ..searched.clone() };
        let took = |options: &Options| {
            let scop = Scop::parse(&Ctx::new(), &text).unwrap();
            let found = optimize(&scop, options, &mut ()).unwrap();
            let key = key(&scop, options).unwrap().of_all();
            (memory.find::<Answer>(&key).unwrap().has_orders, found.schedules.is_empty())
        };
        // What was found without orders is found again with them.
        assert_eq!(took(&plain), (false, false));
        assert_eq!(took(&searched), (true, false));
        assert_eq!(took(&plain), (true, false));
        assert_eq!(memory.count(), 1);
    }

    #[test]
    fn less_suffices_in_the_same_function() {
        let text = text("scop/basic/gemm.scop");
        let all = Arc::new(Memory::default());
        let function = Arc::new(Memory::of_function(&all));
        let with_budget = |memory: &Arc<Memory>, operations| {
            let budget = Budget::new(operations);
            done(&text, &with(memory, &Options { budget, layout: LayoutSearch::Auto, ..Options::default() }))
        };
        let (found, took) = with_budget(&function, 30_000_000);
        assert_eq!((function.count(), all.count()), (1, 1));
        // It counts as much as the first time, and nothing is kept of it.
        assert_eq!(with_budget(&function, took + 1), (found.clone(), took));
        assert_eq!((function.count(), all.count()), (1, 1));
        // What takes as much as there is, and other functions, find out themselves.
        with_budget(&function, took);
        with_budget(&Arc::new(Memory::of_function(&all)), took + 1);
        assert_eq!((function.count(), all.count()), (1, 3));
        // A function remembers what it got from others as what it found.
        let other = Arc::new(Memory::of_function(&all));
        assert_eq!(with_budget(&other, 30_000_000), (found.clone(), took));
        assert_eq!((other.count(), all.count()), (1, 3));
        // What others found with as much as there is changes nothing of what it remembers.
        assert_eq!(with_budget(&other, took + 1), (found.clone(), took));
        // That there was too little in between is not remembered.
        assert_eq!(with_budget(&other, took + 2), (found.clone(), took));
        assert_eq!(with_budget(&function, took + 2), (found, took));
        assert_eq!(all.count(), 3);
    }

    #[test]
    fn whatever_an_answer_depends_on_makes_another_region() {
        let (text, known) = (text("scop/basic/gemm.scop"), Arc::new(Memory::default()));
        let mut count = 0;
        let mut is_new = |text: &str, options: &Options| {
            done(text, &with(&known, options));
            count += 1;
            assert_eq!(known.count(), count);
        };
        let plain = Options { layout: LayoutSearch::None, ..Options::default() };
        is_new(&text, &plain);
        is_new(&text.replace("f64", "f32"), &plain);
        is_new(&text, &Options { parallel: false, ..plain.clone() });
        is_new(&text, &Options { budget: Budget::new(30_000_000), ..plain.clone() });
        let mut machine = plain.machine.clone();
        machine.name = "another".to_owned();
        is_new(&text, &Options { machine, ..plain });
    }

    #[test]
    fn refusals_are_kept_but_for_those_of_the_clock() {
        let (text, known) = (text("scop/basic/gemm.scop"), Arc::new(Memory::default()));
        let short = Options { budget: Budget::new(1_000), ..with(&known, &Options::default()) };
        let first = done(&text, &short);
        assert_eq!((known.count(), done(&text, &short).0), (1, first.0));
        let scop = Scop::parse(&Ctx::new(), &text).unwrap();
        scop.ctx().set_deadline(Moment::after(Duration::ZERO));
        assert!(optimize(&scop, &with(&known, &Options::default()), &mut ()).is_err());
        assert_eq!(known.count(), 1);
    }

    /// What isl cannot print looks the same for all regions.
    #[test]
    fn regions_that_cannot_be_written_are_not_told_apart_by_their_text() {
        let known = Arc::new(Memory::default());
        let options = with(&known, &Options::default());
        for name in ["scop/basic/gemm.scop", "scop/basic/jacobi-2d.scop"] {
            let scop = Scop::parse(&Ctx::new(), &text(name)).unwrap();
            assert!(key(&scop, &options).is_some());
            assert_eq!(scop.ctx().with_quota(1, || key(&scop, &options)), None);
            assert!(scop.ctx().with_quota(1, || optimize(&scop, &options, &mut ())).is_err());
            scop.ctx().set_deadline(Moment::after(Duration::ZERO));
            assert_eq!(key(&scop, &options), None);
        }
        assert_eq!(known.count(), 0);
    }

    #[test]
    fn whoever_looks_sees_the_work() {
        struct Eyes(usize);
        impl Observer for Eyes {
            fn wants(&self, stage: Stage) -> bool {
                stage == Stage::Schedule
            }
            fn show(&mut self, _: Stage, _: &str) {
                self.0 += 1;
            }
        }
        let (text, known) = (text("scop/basic/gemm.scop"), Arc::new(Memory::default()));
        let options = with(&known, &Options::default());
        done(&text, &options);
        let scop = Scop::parse(&Ctx::new(), &text).unwrap();
        let mut eyes = Eyes(0);
        optimize(&scop, &options, &mut eyes).unwrap();
        assert_eq!(eyes.0, 1);
    }
}
