//! The aims of a schedule.

use super::formulation::{Formulation, Term};
use super::linear::Linear;
use super::near::Near;
use super::step::{Coincident, Condition, Step};
use super::weights::Weights;
use serde::{Deserialize, Serialize};
use std::collections::BTreeSet;

/// How the next member of a band is found (ppcg report, section 6.2).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Algorithm {
    /// Permutable bands with short distances (6.5); where that finds nothing, a step of Feautrier's algorithm.
    Pluto,
    /// Each band carries as many dependences as possible (6.4) until none is left; then as [`Algorithm::Pluto`].
    Feautrier,
    /// Permutable bands, with loops chosen by a graph of those that cannot share a level, and scaled, shifted and skewed
    /// by linear problems over rationals (Acharya et al. 2018, 2020); where that finds nothing, a step of Feautrier's
    /// algorithm.
    Decoupled,
}

/// Which statements share a band (6.1, 7.3; unified report, section 2.3).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Fusion {
    /// Each strongly connected component has its own: `--schedule-serialize-sccs`, Pluto's `nofuse`.
    None,
    /// Strongly connected components of the same dimension: Pluto's `smartfuse`. As many of them as can come first are
    /// scheduled as a whole, then those of the next dimension, and cut only where that has no solution.
    Smart,
    /// A weakly connected component is scheduled as a whole, and cut only where that has no solution:
    /// `--schedule-whole-component`, Pluto's `maxfuse`.
    Max,
    /// Strongly connected components are scheduled one by one and then combined where no (coincident) member is lost
    /// (7.3).
    Incremental,
}

/// What a wavefront adds to the outermost member of a band, and makes coincident by that.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum WavefrontPartner {
    /// The members that follow it (Pluto paper, Algorithm 2; unified report, 2.3).
    #[default]
    Next,
    /// The innermost members (unified report, 4.7), which are right inside of the sum from there on.
    Innermost,
}

/// The aims of a schedule. Section numbers are those of the ppcg report.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Strategy {
    /// How members are found (6.2).
    pub algorithm: Algorithm,
    /// Which statements share a band (6.1, 7.3).
    pub fusion: Fusion,
    /// Components are only combined where no coincident member is lost (7.3.5).
    pub maximize_coincidence: bool,
    /// Statements are separated where their band would otherwise have fewer members (6.5.8, 7.3.5).
    pub maximize_band_depth: bool,
    /// The outermost member of each band must be coincident; where that is impossible, a step of Feautrier's algorithm
    /// carries what is in the way (6.2).
    pub outer_coincidence: bool,
    /// Schedules that coalesce loops are avoided (7.5).
    pub treat_coalescing: bool,
    /// A common divisor of all coefficients of a step of Feautrier's algorithm is taken out (7.1).
    pub unscale: bool,
    /// As a fallback, Feautrier's algorithm first carries dependences of statements on themselves only (7.6).
    pub carry_self_first: bool,
    /// Reads of the same value are near as well (Pluto paper, "input dependences"): who makes the constraints looks at this
    /// ([`crate::schedule::with_reads_near`]).
    pub input_dependences: bool,
    /// What the distances between statements count for, where a problem has a sum of them, and the references to arrays,
    /// where it has one of those.
    pub weights: Weights,
    /// The outermost members, as functions of all statements (isl's text of a union: `{ S[i, j] -> [(j)]; … }`). Those
    /// that are constants put statements one after the other.
    pub prefix: Vec<String>,
    /// Local arrays may get private copies, as scalars may, so that order dependences on them keep no loop from being
    /// coincident (4.3): who makes the constraints looks at this ([`crate::schedule::as_aimed`]).
    pub private_arrays: bool,
    /// What coefficients of statements are related by in every member, of bands and of steps of Feautrier's algorithm.
    pub constraints: Vec<Linear>,
    /// No coefficient of a variable or parameter exceeds this in size.
    pub max_coefficient: Option<i64>,
    /// No constant term exceeds this.
    pub max_constant: Option<i64>,
    /// Where no outer member can be coincident and the references of a component weigh more than this, a step of
    /// Feautrier's algorithm keeps what follows from being fused (unified report, 4.7, "Carrying dependences to avoid
    /// fusion": `h_lim`).
    pub register_limit: Option<i64>,
    /// The partner of the outermost member in wavefronts: who makes these looks at this
    /// ([`crate::transform::wavefront()`]).
    pub wavefront_partner: WavefrontPartner,
    /// The integer problems of members.
    pub problems: Vec<Formulation>,
    /// Which of them is solved for the next member: the first step whose conditions hold. The last one has none.
    pub steps: Vec<Step>,
}

impl Strategy {
    /// What presets begin with: it has no steps.
    pub(super) fn empty() -> Strategy {
        Strategy {
            algorithm: Algorithm::Pluto,
            fusion: Fusion::Incremental,
            maximize_coincidence: false,
            maximize_band_depth: false,
            outer_coincidence: false,
            treat_coalescing: false,
            unscale: false,
            carry_self_first: false,
            input_dependences: false,
            weights: Weights::default(),
            prefix: Vec::new(),
            private_arrays: true,
            constraints: Vec::new(),
            max_coefficient: None,
            max_constant: None,
            register_limit: None,
            wavefront_partner: WavefrontPartner::Next,
            problems: Vec::new(),
            steps: Vec::new(),
        }
    }
}

impl Strategy {
    /// Distances in memory count, so that a scheduler needs the groups of references.
    pub fn looks_at_references(&self) -> bool {
        self.problems.iter().any(Formulation::looks_at_references)
    }

    /// What groups of references relate is near, and not what the constraints say is.
    pub fn is_near_by_groups(&self) -> bool {
        self.problems.iter().any(Formulation::is_near_by_groups)
    }

    /// The choices of problems among what is near, each once: who makes the constraints looks at this
    /// ([`crate::schedule::as_aimed`]).
    pub fn near_choices(&self) -> BTreeSet<&Near> {
        let choices = self.problems.iter().filter(|problem| problem.has_distances()).map(|problem| &problem.near);
        choices.filter(|near| !near.is_all()).collect()
    }

    /// All that is near is near for some problem, or no problem has distances. Else what no problem chooses is not near.
    pub(in crate::schedule) fn takes_all_near(&self) -> bool {
        let mut looking = self.problems.iter().filter(|problem| problem.has_distances()).peekable();
        looking.peek().is_none() || looking.any(|problem| problem.near.is_all())
    }

    /// The relations of groups of references to this array are near for some problem.
    pub(in crate::schedule) fn takes_array(&self, array: &str) -> bool {
        self.takes_all_near() || self.near_choices().iter().any(|near| near.takes_array(array))
    }

    /// Members are coincident as long as possible (6.5.3). Otherwise members that happen to be are marked.
    pub(in crate::schedule) fn prefers_coincidence(&self) -> bool {
        self.steps.iter().any(|step| step.coincident != Coincident::None)
    }

    /// Bands are searched for that are better or worse with a coincident outermost member: members are asked to be
    /// coincident, and none is to carry all that it can.
    pub fn may_ask_for_outer_coincidence(&self) -> bool {
        self.algorithm == Algorithm::Pluto && self.prefers_coincidence()
    }

    /// One coincident member is enough for a statement, also where components are combined (unified report, 4.7,
    /// "Single degree of parallelism").
    pub(in crate::schedule) fn one_coincident_is_enough(&self) -> bool {
        self.prefers_coincidence() && self.steps.iter().all(|step| step.coincident != Coincident::All)
    }

    /// The last member of a band carries as many spatial relations as possible (unified report, 4.6).
    pub(in crate::schedule) fn carries_spatial_last(&self) -> bool {
        self.carries_spatial(Condition::Last)
    }

    /// The outermost coincident member is for neighbouring threads, and is marked if it carries spatial relations
    /// (unified report, 4.8).
    pub(in crate::schedule) fn carries_spatial_first(&self) -> bool {
        self.carries_spatial(Condition::NothingParallel)
    }

    fn carries_spatial(&self, when: Condition) -> bool {
        let carries = |step: &Step| self.problems[step.problem].minimizes(Term::UncarriedSpatial);
        self.steps.iter().any(|step| step.when.contains(&when) && carries(step))
    }

    /// It names statements or arrays, so that it is for a region that has them.
    pub fn is_of_a_region(&self) -> bool {
        !self.prefix.is_empty() || self.names().next().is_some() || self.arrays().next().is_some()
    }

    /// The arrays that it names.
    pub fn arrays(&self) -> impl Iterator<Item = &str> {
        let near = self.problems.iter().flat_map(|problem| problem.near.arrays());
        near.map(String::as_str).chain(self.weights.arrays())
    }

    /// Statements with the loops that problems leave to vectors, which are no parameters.
    pub fn vector_loops(&self) -> impl Iterator<Item = (&str, &str)> {
        let loops = self.problems.iter().flat_map(|problem| &problem.vectorize);
        loops.map(|(statement, of)| (statement.as_str(), of.as_str()))
    }

    /// The statements that it names, each with a loop or parameter of it, if it names one.
    pub fn names(&self) -> impl Iterator<Item = (&str, Option<&str>)> {
        fn of(constraints: &[Linear]) -> impl Iterator<Item = (&str, Option<&str>)> {
            let terms = constraints.iter().flat_map(|linear| linear.terms.iter());
            terms.map(|(_, name)| (name.statement.as_str(), Some(name.of.as_str())))
        }
        let named = self.problems.iter().flat_map(|problem| {
            // Loops are asked for by themselves.
            of(&problem.constraints).chain(problem.vectorize.keys().map(|name| (name.as_str(), None)))
        });
        self.weights.statements().map(|name| (name, None)).chain(of(&self.constraints)).chain(named)
    }

    /// The same where inner members are asked to be coincident as the others are.
    #[must_use]
    pub fn without_inner_relaxation(mut self) -> Strategy {
        self.steps.retain(|step| !step.relaxes_inner());
        self.drop_unused_problems();
        self
    }

    /// The same where all members are asked to be coincident for all statements.
    #[must_use]
    pub(in crate::schedule) fn with_all_coincident(mut self) -> Strategy {
        let one = self.steps.iter_mut().filter(|step| step.coincident == Coincident::One);
        one.for_each(|step| step.coincident = Coincident::All);
        self
    }

    /// With `outer-coincidence = false` go, if it was on, the choices that PPCG makes along with it,
    /// `maximize-band-depth` and `maximize-coincidence`.
    pub(super) fn force_outer_coincidence(&mut self, on: bool) {
        if self.outer_coincidence && !on {
            self.maximize_band_depth = false;
            self.maximize_coincidence = false;
        }
        self.outer_coincidence = on;
    }

    /// Leaves the problems that some step solves, in the order of their names.
    pub(super) fn drop_unused_problems(&mut self) {
        let old = std::mem::take(&mut self.problems);
        let mut used: Vec<usize> = self.steps.iter().map(|step| step.problem).collect();
        used.sort_by(|a, b| old[*a].name.cmp(&old[*b].name));
        used.dedup();
        for step in &mut self.steps {
            step.problem = used.iter().position(|place| *place == step.problem).unwrap_or_default();
        }
        self.problems = used.into_iter().map(|place| old[place].clone()).collect();
    }
}
