//! The way of a function: its clone is raised, and its regions optimized and put in place.

use std::borrow::Cow;

use polyrs_core::driver::{Allowance, LayoutSearch};
use polyrs_core::isl::Moment;
use polyrs_interface::{Candidate, Outlook, Text};

use super::advice::help;
use super::annotation::Asked;
use super::ir::{Function, Location, Module};
use super::lower::{Code, Lowering};
use super::options::LlvmOptions;
use super::raise::{raise_function, read};
use super::raised::{RaiseRefusal, Raised};
use super::splice::{Spliced, Timed, splice};
use super::validate::{Verdict, validate};
use super::{ARGUMENT, Analysis, remark};
use crate::remark::{Key, Name, Remark};
use polyrs_host::raw::{self as host, PolyRemarkKind};

/// The optimizer at work on functions, one after the other.
pub struct Driver {
    options: LlvmOptions,
    lowering: Lowering,
}

impl Driver {
    /// A driver with the options of the pass.
    pub fn new(options: LlvmOptions) -> Self {
        Self { options, lowering: Lowering::default() }
    }

    /// Works on a function, if the options select it. Says whether it changed.
    ///
    /// # Safety
    /// What the candidate points to is alive and belongs together, nobody else uses it meanwhile, and nobody uses the
    /// clone afterwards.
    pub unsafe fn run(&mut self, candidate: &Candidate<'_>) -> bool {
        // SAFETY: passed on to the caller.
        let (module, function) = unsafe { (Module::new(candidate.module), Function::new(candidate.function)) };
        let is_cloned = !candidate.clone.is_null();
        // SAFETY: as above.
        let analysis = is_cloned.then(|| unsafe { Analysis::new(function, candidate.clone, candidate.manager.cast()) });
        if !self.options.schedule.selects(&function.name()) {
            // Whoever names functions and listens learns what the others are called.
            if candidate.explain {
                let reason = format!("the option 'function' names others than {}", function.name());
                refuse(function, Location::unknown(), Name::RefusedFunction, &reason);
            }
            return false;
        }
        if !is_worth(candidate, &self.options) {
            return false;
        }
        match analysis {
            Some(analysis) => {
                let options = self.options.of(function);
                run_on(module, analysis, candidate, &options, &mut self.lowering)
            }
            None => {
                refuse(function, Location::unknown(), Name::RefusedFunction, &candidate.obstacle.to_text());
                false
            }
        }
    }
}

/// Whether anything could be done about a function, or is to be said.
fn is_worth(candidate: &Candidate<'_>, options: &LlvmOptions) -> bool {
    candidate.explain
        || match candidate.outlook {
            Outlook::Nothing => false,
            outlook => options.dump_raised || outlook >= options.least().min(Outlook::Row),
        }
}

/// Says why something is left as it is.
fn refuse(function: Function<'_>, location: Location<'_>, name: Name, reason: &str) {
    remark::emit(PolyRemarkKind::Missed, function, location, &Remark::refused(name, reason));
}

/// Says why loops are no region.
fn tell_refusal(function: Function<'_>, refusal: &RaiseRefusal<'_>) {
    let name = if refusal.is_unwanted { Name::LeftSmall } else { Name::NotRaised };
    let remark = Remark::refused(name, &refusal.reason).hidden(Key::Depth, refusal.depth);
    let remark = help(&refusal.reason).into_iter().fold(remark, |remark, help| remark.hidden(Key::Help, help));
    remark::emit(PolyRemarkKind::Missed, function, refusal.location, &remark);
}

/// Says that something the user asked for was not done.
fn warn(function: Function<'_>, text: &str) {
    let remark = Remark::new(Name::WrongRequest).argument(Key::Reason, text);
    remark::emit(PolyRemarkKind::Warned, function, Location::unknown(), &remark);
}

/// The options for a function. Where it may not call `malloc` (`-ffreestanding`, `-fno-builtin`), or the module means
/// something else by it, arrays keep their layout.
fn options_of<'o>(module: Module<'_>, function: Function<'_>, options: &'o LlvmOptions) -> Cow<'o, LlvmOptions> {
    const WITHOUT_HEAP: [&str; 3] = ["no-builtins", "no-builtin-malloc", "no-builtin-free"];
    let is_there = WITHOUT_HEAP.iter().all(|name| function.string_attribute(name).is_none());
    if is_there && module.has_heap() {
        return Cow::Borrowed(options);
    }
    let mut own = options.clone();
    own.schedule.driver.layout = LayoutSearch::None;
    Cow::Owned(own)
}

/// Works on one function. Says whether it changed.
fn run_on(
    module: Module<'_>,
    analysis: Analysis<'_>,
    candidate: &Candidate<'_>,
    options: &LlvmOptions,
    lowering: &mut Lowering,
) -> bool {
    let function = analysis.original();
    let options = &*options_of(module, function, options);
    let refuse = |location: Location<'_>, name: Name, reason: &str| refuse(function, location, name, reason);
    let deadline = Moment::after(options.schedule.time_budget);
    let reading = read(&analysis, options.errno(), options.finds_rows());
    let mut asked = Asked::of(module, function);
    let mut work = Work::default();
    let timers = options.schedule.tuning.timers;
    let found = raise_function(&analysis, &reading, &asked.annotations, options, candidate.explain, deadline);
    let mut left = found.iter().filter(|found| found.is_ok()).count();
    let is_part = left > 1;
    let mut allowance = options.schedule.driver.allowance();
    for found in found {
        match found {
            Ok(raised) if deadline.is_some_and(Moment::is_over) => {
                refuse(raised.location, Name::LeftOutOfTime, "the time for this function is used up");
            }
            // Nobody would have looked if it were not for the remarks, and those change no code.
            Ok(raised) if !is_foreseen(&raised, candidate.outlook) => {
                let reason = "internal error: the prefilter did not foresee this region";
                refuse(raised.location, Name::InternalError, reason);
            }
            Ok(raised) => {
                let mut done = Vec::new();
                let mut part = allowance.split(left);
                left -= 1;
                let mut label = Label::default();
                let told = (&mut done, &mut asked, &mut label, is_part);
                let code = optimize(module, &raised, options, lowering, function, told, &mut part);
                allowance.join(part);
                work.add(raised, code, done, timers.then_some(label));
            }
            Err(refusal) => tell_refusal(function, &refusal),
        }
    }
    asked.unfollowed().iter().for_each(|text| warn(function, text));
    let Work { regions, said, mut timed, mut as_they_are } = work;
    timed.append(&mut as_they_are);
    if regions.is_empty() && timed.is_empty() {
        return false;
    }
    let spliced = splice(module, &analysis, &reading, regions, options.schedule.driver.machine.vector_bits, &timed);
    let accepted = accept(&analysis, &spliced, said, options, function);
    drop(reading);
    if !accepted {
        // The clone calls what was spliced, so it goes first.
        drop(analysis);
        return false;
    }
    if options.dumps_facts() {
        eprint!("{}", spliced.facts(function));
    }
    analysis.keep();
    spliced.commit(options.trace_checks);
    // SAFETY: the function is alive, and the text lives during the call.
    unsafe { host::polyHostLlvmMark(function.raw(), Text::new(ARGUMENT)) }
    true
}

/// Whether a clone may take its original's place. Says what became of its regions.
fn accept(
    analysis: &Analysis<'_>,
    spliced: &Spliced,
    said: Vec<Said<'_>>,
    options: &LlvmOptions,
    function: Function<'_>,
) -> bool {
    let verdict = (spliced.error.is_none() && options.validate).then(|| validate(analysis));
    let wrong = match &verdict {
        Some(verdict @ Verdict::Differs(_)) => Some(verdict.text()),
        _ => spliced.error.clone(),
    };
    if let Some(error) = wrong {
        refuse(function, Location::unknown(), Name::InternalError, &format!("internal error: {error}"));
        return false;
    }
    for ((location, done), lost) in said.into_iter().zip(&spliced.lost) {
        match lost {
            Some(reason) => refuse(function, location, Name::RefusedInPlace, reason),
            None => done.into_iter().for_each(|(kind, remark)| remark::emit(kind, function, location, &remark)),
        }
    }
    if let Some(verdict) = verdict {
        remark::emit(PolyRemarkKind::Analysed, function, Location::unknown(), &verdict.remark());
    }
    // Only where it is measured there is a function without new code.
    spliced.lost.is_empty() || spliced.lost.iter().any(Option::is_none)
}

/// What a remark about a region is said as.
type Said<'f> = (Location<'f>, Vec<(PolyRemarkKind, Remark)>);

/// What is to become of the regions of a function.
#[derive(Default)]
struct Work<'f> {
    /// Those with new code, and what is said of them once that is in place.
    regions: Vec<(Raised<'f>, Code)>,
    said: Vec<Said<'f>>,
    /// Those that are measured: first those with new code, all of them, then the others.
    timed: Vec<Timed<'f>>,
    as_they_are: Vec<Timed<'f>>,
}

impl<'f> Work<'f> {
    /// Adds a region, which is measured if it has a label.
    fn add(
        &mut self,
        raised: Raised<'f>,
        code: Option<Code>,
        done: Vec<(PolyRemarkKind, Remark)>,
        label: Option<Label>,
    ) {
        let kind = if code.is_some() { "new" } else { "original" };
        let label = label.map(|label| label.text(kind, &raised.name));
        match (code, label) {
            (Some(code), label) => {
                self.said.push((raised.location, done));
                self.regions.push((raised, code));
                self.timed.extend(label.map(|label| Timed { label, as_it_is: None }));
            }
            (None, Some(label)) => self.as_they_are.push(Timed { label, as_it_is: Some(raised) }),
            (None, None) => {}
        }
    }
}

/// What the times of a region are called: keys of its models, what was chosen for it, whether it has new code.
#[derive(Default)]
struct Label {
    keys: Vec<String>,
    choice: Option<String>,
}

impl Label {
    /// Adds what a remark says.
    fn read(&mut self, remark: &Remark) {
        if let Some(key) = remark.value(Key::Model).filter(|key| !self.keys.iter().any(|known| known == key)) {
            self.keys.push(key.to_owned());
        }
        let refused = remark.value(Key::NotTuned).map(|_| "refused");
        self.choice = self.choice.take().or(refused.or(remark.value(Key::Tuned)).map(str::to_owned));
    }

    /// One line, without a blank in each word but the last.
    fn text(&self, code: &str, name: &str) -> String {
        let keys = if self.keys.is_empty() { "-".to_owned() } else { self.keys.join(",") };
        format!("{keys} {} {code} {name}", self.choice.as_deref().unwrap_or("-"))
    }
}

/// Whether the prefilter let a region through.
fn is_foreseen(raised: &Raised<'_>, outlook: Outlook) -> bool {
    outlook >= raised.outlook
}

/// New code for one region, which may be part of what the function has, if it is to have some. What is to be said once it
/// is in place goes to `done`.
fn optimize(
    module: Module<'_>,
    raised: &Raised<'_>,
    options: &LlvmOptions,
    lowering: &mut Lowering,
    function: Function<'_>,
    (done, asked, label, is_part): (&mut Vec<(PolyRemarkKind, Remark)>, &mut Asked, &mut Label, bool),
    allowance: &mut Allowance,
) -> Option<Code> {
    options.show_raised(&raised.name, &raised.text);
    let say = |kind, remark: &Remark| remark::emit(kind, function, raised.location, remark);
    match lowering.optimize(module, raised, options, (is_part, function.has_debug_information()), allowance) {
        Ok(optimized) => {
            asked.add(&raised.annotated, optimized.missing);
            for found in optimized.remarks {
                label.read(&found.remark);
                let why = found.remark.value(Key::NotTuned).filter(|_| !options.schedule.tuning.timers);
                why.iter().for_each(|why| warn(function, &format!("not as measured: {why}")));
                if found.changed {
                    done.push((PolyRemarkKind::Passed, found.remark));
                } else {
                    say(if found.wrong { PolyRemarkKind::Warned } else { PolyRemarkKind::Missed }, &found.remark);
                }
            }
            if optimized.code.is_some() {
                let check = if raised.checked { "where a check at run time allows it" } else { "always" };
                let remark = Remark::new(Name::Placed).text("the new code is in ").argument(Key::Code, &raised.name);
                let remark = remark.text(" and runs ").argument(Key::Runs, check);
                let remark = raised.assured.iter().fold(remark, |remark, what| remark.hidden(Key::Checked, what));
                done.push((PolyRemarkKind::Analysed, remark));
            }
            optimized.code
        }
        Err(error) => {
            let reason = format!("internal error: {error}");
            say(PolyRemarkKind::Missed, &Remark::refused(Name::InternalError, reason));
            None
        }
    }
}
