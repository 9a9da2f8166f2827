//! Who looks at intermediate results.

use super::Refusal;
use crate::isl;

/// An intermediate result that can be shown.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Stage {
    /// The dependences.
    Dependences,
    /// The constraints that the scheduler is given.
    Constraints,
    /// The final tree.
    Schedule,
    /// The code.
    Ast,
}

/// Who looks at intermediate results; called in the order of the steps, at most once for each, also before a refusal.
/// Of several attempts the last one is shown.
pub trait Observer {
    /// Whether the text of a stage is wanted.
    fn wants(&self, stage: Stage) -> bool;
    /// One result, in its text form.
    fn show(&mut self, stage: Stage, text: &str);
}

/// Nobody looks.
impl Observer for () {
    fn wants(&self, _: Stage) -> bool {
        false
    }
    fn show(&mut self, _: Stage, _: &str) {}
}

/// Shows a stage if somebody wants to see it.
pub(super) fn show(
    observer: &mut dyn Observer,
    stage: Stage,
    text: impl FnOnce() -> isl::Result<String>,
) -> Result<(), Refusal> {
    if observer.wants(stage) {
        observer.show(stage, &text()?);
    }
    Ok(())
}

/// The results of an attempt, held back until it is known that no other one follows.
pub(super) struct Buffered<'o> {
    observer: &'o mut dyn Observer,
    shown: Vec<(Stage, String)>,
}

impl<'o> Buffered<'o> {
    pub fn new(observer: &'o mut dyn Observer) -> Self {
        Buffered { observer, shown: Vec::new() }
    }

    /// Another attempt follows.
    pub fn forget(&mut self) {
        self.shown.clear();
    }

    /// Another attempt follows that may be in vain: what was shown so far.
    pub fn set_aside(&mut self) -> Vec<(Stage, String)> {
        std::mem::take(&mut self.shown)
    }

    /// It was in vain.
    pub fn restore(&mut self, shown: Vec<(Stage, String)>) {
        self.shown = shown;
    }

    /// This was the last one.
    pub fn release(self) {
        for (stage, text) in self.shown {
            self.observer.show(stage, &text);
        }
    }
}

impl Observer for Buffered<'_> {
    fn wants(&self, stage: Stage) -> bool {
        self.observer.wants(stage)
    }

    fn show(&mut self, stage: Stage, text: &str) {
        self.shown.push((stage, text.to_owned()));
    }
}
