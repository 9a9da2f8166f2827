//! Strategies as files: TOML, one key for each choice. docs/strategies.md has an example for each key.
//!
//! A file says what is different from the strategy that it begins with, a preset or that of the caller. Problems are
//! changed key by key, steps are taken as a whole. What has no effect in that combination is an error, if this file says
//! it: so is a problem that no step solves.

use super::aims::{Algorithm, Fusion, Strategy, WavefrontPartner};
use super::decoupled::{self, Place};
use super::formulation::{Formulation, Independence, Signs, Term};
use super::linear::Linear;
use super::near::{DependenceKind, Near};
use super::presets;
use super::step::{Coincident, Condition, Keep, Otherwise, Step};
use super::weights::{Weighed, Weights};
use crate::isl::{Ctx, MultiUnionPwAff, UnionMap, UnionPwAff};
use crate::machine::Machine;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::fmt;
use std::ops::Range;
use toml::Spanned;

/// The whole of a file.
#[derive(Debug, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
struct File {
    #[serde(skip_serializing_if = "Option::is_none")]
    preset: Option<Spanned<String>>,
    algorithm: Option<Spanned<Algorithm>>,
    fusion: Option<Spanned<Fusion>>,
    maximize_coincidence: Option<Spanned<bool>>,
    maximize_band_depth: Option<bool>,
    outer_coincidence: Option<bool>,
    treat_coalescing: Option<bool>,
    unscale: Option<bool>,
    carry_self_first: Option<bool>,
    input_dependences: Option<bool>,
    prefix: Option<Vec<Spanned<String>>>,
    private_arrays: Option<bool>,
    constraints: Option<Spanned<Vec<Spanned<String>>>>,
    max_coefficient: Option<Spanned<Bound>>,
    max_constant: Option<Spanned<Bound>>,
    register_limit: Option<Spanned<Bound>>,
    wavefront_partner: Option<WavefrontPartner>,
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    weights: BTreeMap<Spanned<String>, i64>,
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    problems: BTreeMap<Spanned<String>, ProblemPart>,
    steps: Option<Spanned<Vec<Spanned<StepPart>>>>,
}

/// A list of names.
type List = Spanned<Vec<Spanned<String>>>;

/// A number, or a word: `none`, and for registers `machine`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(untagged, expecting = "this is neither a number nor a word in quotes")]
enum Bound {
    Number(i64),
    Word(String),
}

#[derive(Debug, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
struct ProblemPart {
    minimize: Option<Vec<Term>>,
    near: Option<List>,
    independence: Option<Independence>,
    signs: Option<Signs>,
    skew: Option<bool>,
    parametric: Option<bool>,
    constraints: Option<Vec<Spanned<String>>>,
    vectorize: Option<BTreeMap<String, String>>,
}

#[derive(Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
struct StepPart {
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    when: Vec<Condition>,
    problem: Spanned<String>,
    coincident: Coincident,
    #[serde(skip_serializing_if = "Option::is_none")]
    keep: Option<Keep>,
    otherwise: Option<Otherwise>,
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    ends_band: bool,
}

/// Why a text is no strategy.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("line {line}: {problem}")]
pub struct ParseError {
    /// Counted from 1.
    pub line: usize,
    /// What is wrong.
    pub problem: String,
}

impl Strategy {
    /// Reads the file form (docs/strategies.md). `preset = "NAME"` gives what is not said otherwise, for the machine
    /// given; without it that is `ppcg`. What [`Strategy`]'s `Display` writes can be read.
    ///
    /// # Errors
    /// What is wrong, and where.
    pub fn parse(text: &str, machine: &Machine) -> Result<Strategy, ParseError> {
        Strategy::ppcg().with_text(text, machine)
    }

    /// Reads the file form, with this strategy's choices for what it does not say.
    ///
    /// # Errors
    /// What is wrong, and where.
    pub fn with_text(self, text: &str, machine: &Machine) -> Result<Strategy, ParseError> {
        let at = |(span, problem): Problem| {
            let before = span.map_or(0, |span| span.start.min(text.len()));
            ParseError { line: 1 + text.as_bytes()[..before].iter().filter(|byte| **byte == b'\n').count(), problem }
        };
        let file: File =
            toml::from_str(text).map_err(|error| at((error.span(), explained(text, error.span(), error.message()))))?;
        let base = match &file.preset {
            None => self,
            Some(name) => Strategy::preset(name.get_ref(), machine)
                .ok_or_else(|| at((Some(name.span()), unknown_preset(name.get_ref()))))?,
        };
        file.over(base, machine).map_err(at)
    }

    /// A preset by name, for a machine.
    pub fn preset(name: &str, machine: &Machine) -> Option<Strategy> {
        // A test reads all of them.
        Strategy::empty().with_text(presets::text(name)?, machine).ok()
    }

    /// The names of presets.
    pub fn presets() -> impl Iterator<Item = &'static str> {
        presets::names()
    }

    /// The names of presets without those of targets: what `scheduler=` takes.
    pub fn families() -> impl Iterator<Item = &'static str> {
        presets::families()
    }

    /// The preset of this name, or the one with this name that is for the target, `cpu` or `gpu`.
    pub fn of_family(name: &str, target: &str, machine: &Machine) -> Option<Strategy> {
        Strategy::preset(name, machine).or_else(|| Strategy::preset(&format!("{name}-{target}"), machine))
    }

    /// The file of a preset, with where it comes from.
    pub fn preset_text(name: &str) -> Option<&'static str> {
        presets::text(name)
    }
}

impl fmt::Display for Strategy {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&toml::to_string(&File::of(self)).map_err(|_| fmt::Error)?)
    }
}

/// Where something is wrong, and what.
type Problem = (Option<Range<usize>>, String);

fn unknown_preset(name: &str) -> String {
    format!("no preset is called {name}; there are {}", presets::names().collect::<Vec<_>>().join(", "))
}

/// An error of the format, with what would help where the line is in a form of other formats.
fn explained(text: &str, span: Option<Range<usize>>, message: &str) -> String {
    let line = span.and_then(|span| {
        let start = text.get(..span.start)?.rfind('\n').map_or(0, |end| end + 1);
        text[start..].lines().next()
    });
    match line.and_then(|line| line.split_once(':')) {
        Some((key, _)) if key.trim().bytes().all(|byte| byte.is_ascii_lowercase() || byte == b'-') => {
            format!("{message}; a choice is written `{} = \"…\"`", key.trim())
        }
        _ => message.to_owned(),
    }
}

impl File {
    /// The strategy with what the file says.
    fn over(self, base: Strategy, machine: &Machine) -> Result<Strategy, Problem> {
        let mut strategy = base;
        let on = |said: &Option<Spanned<bool>>| said.as_ref().filter(|on| *on.get_ref()).map(Spanned::span);
        let registers = self.register_limit.as_ref().filter(|bound| *bound.get_ref() != none()).map(Spanned::span);
        let said = [on(&self.maximize_coincidence), registers];
        // It comes first: what PPCG sets along with it may be set again.
        if let Some(on) = self.outer_coincidence {
            strategy.force_outer_coincidence(on);
        }
        let spans = Spans::of(&self);
        set(&mut strategy.algorithm, self.algorithm.map(Spanned::into_inner));
        set(&mut strategy.fusion, self.fusion.map(Spanned::into_inner));
        set(&mut strategy.maximize_coincidence, self.maximize_coincidence.map(Spanned::into_inner));
        set(&mut strategy.maximize_band_depth, self.maximize_band_depth);
        set(&mut strategy.treat_coalescing, self.treat_coalescing);
        set(&mut strategy.unscale, self.unscale);
        set(&mut strategy.carry_self_first, self.carry_self_first);
        set(&mut strategy.input_dependences, self.input_dependences);
        set(&mut strategy.private_arrays, self.private_arrays);
        set(&mut strategy.max_coefficient, self.max_coefficient.map(|bound| number(bound, None)).transpose()?);
        set(&mut strategy.max_constant, self.max_constant.map(|bound| number(bound, None)).transpose()?);
        let constraints = self.constraints.map(Spanned::into_inner);
        set(&mut strategy.constraints, constraints.map(read_constraints).transpose()?);
        if let Some(prefix) = self.prefix {
            strategy.prefix = prefix.into_iter().map(function).collect::<Result<_, _>>()?;
        }
        let weighed = weigh(&mut strategy.weights, self.weights)?;
        let registers = Some(machine.register_limit());
        set(&mut strategy.register_limit, self.register_limit.map(|bound| number(bound, registers)).transpose()?);
        set(&mut strategy.wavefront_partner, self.wavefront_partner);
        take_problems(&mut strategy, self.problems, self.steps, weighed)?;
        if strategy.algorithm == Algorithm::Decoupled {
            decoupled::settle(&mut strategy).map_err(|(place, why)| (spans.of_place(&place), why))?;
            if let Some(span) = spans.independence {
                return Err((Some(span), "independence has no effect with algorithm \"decoupled\"".to_owned()));
            }
        }
        drop_without_effect(&mut strategy, &said)?;
        Ok(strategy)
    }

    /// What a strategy looks like in a file.
    fn of(strategy: &Strategy) -> File {
        let spanned = |on: bool| Some(Spanned::new(0..0, on));
        let bound = |bound: Option<i64>| Some(Spanned::new(0..0, bound.map_or_else(none, Bound::Number)));
        let part = |problem: &Formulation| {
            let part = ProblemPart {
                minimize: Some(problem.minimize.clone()),
                near: some(texts(problem.near.entries().map(str::to_owned))).map(|list| Spanned::new(0..0, list)),
                independence: (strategy.algorithm != Algorithm::Decoupled).then_some(problem.independence),
                signs: Some(problem.signs),
                skew: Some(problem.skew),
                parametric: Some(problem.parametric),
                constraints: written(&problem.constraints),
                vectorize: Some(problem.vectorize.clone()).filter(|vectorize| !vectorize.is_empty()),
            };
            (Spanned::new(0..0, problem.name.clone()), part)
        };
        let step = |step: &Step| {
            let problem = Spanned::new(0..0, strategy.problems[step.problem].name.clone());
            let (when, otherwise) = (step.when.clone(), Some(step.otherwise));
            let Step { coincident, keep, ends_band, .. } = *step;
            Spanned::new(0..0, StepPart { when, problem, coincident, keep, otherwise, ends_band })
        };
        File {
            preset: None,
            algorithm: Some(Spanned::new(0..0, strategy.algorithm)),
            fusion: Some(Spanned::new(0..0, strategy.fusion)),
            maximize_coincidence: spanned(strategy.maximize_coincidence),
            maximize_band_depth: Some(strategy.maximize_band_depth),
            outer_coincidence: Some(strategy.outer_coincidence),
            treat_coalescing: Some(strategy.treat_coalescing),
            unscale: Some(strategy.unscale),
            carry_self_first: Some(strategy.carry_self_first),
            input_dependences: Some(strategy.input_dependences),
            prefix: some(texts(strategy.prefix.iter().cloned())),
            weights: strategy.weights.entries().map(|(key, weight)| (Spanned::new(0..0, key), weight)).collect(),
            private_arrays: Some(strategy.private_arrays),
            constraints: written(&strategy.constraints).map(|texts| Spanned::new(0..0, texts)),
            max_coefficient: bound(strategy.max_coefficient),
            max_constant: bound(strategy.max_constant),
            register_limit: bound(strategy.register_limit),
            wavefront_partner: Some(strategy.wavefront_partner),
            problems: strategy.problems.iter().map(part).collect(),
            steps: Some(Spanned::new(0..0, strategy.steps.iter().map(step).collect())),
        }
    }
}

/// What is there.
fn some<T>(list: Vec<T>) -> Option<Vec<T>> {
    if list.is_empty() { None } else { Some(list) }
}

/// Constraints as they are written.
fn written(constraints: &[Linear]) -> Option<Vec<Spanned<String>>> {
    some(texts(constraints.iter().map(Linear::to_string)))
}

fn texts(texts: impl Iterator<Item = String>) -> Vec<Spanned<String>> {
    texts.map(|text| Spanned::new(0..0, text)).collect()
}

/// A function of all statements.
fn function(text: Spanned<String>) -> Result<String, Problem> {
    let problem = "this is no function of each statement such as \"{ S[i, j] -> [(j)]; T[i] -> [(i)] }\"";
    if is_function(text.get_ref()).unwrap_or(false) {
        Ok(text.into_inner())
    } else {
        Err((Some(text.span()), problem.to_owned()))
    }
}

/// A text is one function of each statement: of two, isl makes the sum.
fn is_function(text: &str) -> crate::isl::Result<bool> {
    let ctx = Ctx::new();
    let function = MultiUnionPwAff::from_union_pw_aff(UnionPwAff::parse(&ctx, text)?)?;
    let pairs = UnionMap::parse(&ctx, text)?;
    Ok(pairs.is_single_valued()? && pairs.is_equal(&UnionMap::from_multi_union_pw_aff(function)?)?)
}

fn read_constraints(texts: Vec<Spanned<String>>) -> Result<Vec<Linear>, Problem> {
    let read = |text: Spanned<String>| text.get_ref().parse().map_err(|problem| (Some(text.span()), problem));
    texts.into_iter().map(read).collect()
}

/// Where a file speaks of what may not go with the algorithm.
struct Spans {
    algorithm: Option<Range<usize>>,
    fusion: Option<Range<usize>>,
    constraints: Option<Range<usize>>,
    steps: Option<Range<usize>>,
    problem: Option<Range<usize>>,
    independence: Option<Range<usize>>,
}

impl Spans {
    fn of(file: &File) -> Spans {
        let independence = file.problems.iter().find(|(_, part)| part.independence.is_some());
        Spans {
            algorithm: file.algorithm.as_ref().map(Spanned::span),
            fusion: file.fusion.as_ref().map(Spanned::span),
            constraints: file.constraints.as_ref().map(Spanned::span),
            steps: file.steps.as_ref().map(Spanned::span),
            problem: file.problems.keys().next().map(Spanned::span),
            independence: independence.map(|(name, _)| name.span()),
        }
    }

    /// The place, or what chose the algorithm.
    fn of_place(&self, place: &Place) -> Option<Range<usize>> {
        let span = match place {
            Place::Fusion => &self.fusion,
            Place::Constraints => &self.constraints,
            Place::Problem if self.problem.is_some() => &self.problem,
            Place::Steps | Place::Problem => &self.steps,
        };
        span.as_ref().or(self.algorithm.as_ref()).cloned()
    }
}

fn none() -> Bound {
    Bound::Word("none".to_owned())
}

fn set<T>(choice: &mut T, said: Option<T>) {
    if let Some(said) = said {
        *choice = said;
    }
}

/// The largest bound: sums of what is bounded fit 64 bits.
const MOST: i64 = i32::MAX as i64;

/// A bound from zero on; `machine` is what that word stands for.
fn number(bound: Spanned<Bound>, machine: Option<i64>) -> Result<Option<i64>, Problem> {
    let span = bound.span();
    let or = if machine.is_some() { ", \"machine\"" } else { "" };
    match bound.into_inner() {
        Bound::Number(number) if (0..=MOST).contains(&number) => Ok(Some(number)),
        Bound::Word(word) if word == "none" => Ok(None),
        Bound::Word(word) if word == "machine" && machine.is_some() => Ok(machine),
        Bound::Number(number) => Err((Some(span), format!("{number} is not from 0 to {MOST}; or say \"none\""))),
        Bound::Word(word) => {
            Err((Some(span), format!("\"{word}\" is neither \"none\"{or} nor a number from 0 to {MOST}")))
        }
    }
}

/// Changes problems, and takes the steps that solve them, if there are any.
fn take_problems(
    strategy: &mut Strategy,
    problems: BTreeMap<Spanned<String>, ProblemPart>,
    steps: Option<Spanned<Vec<Spanned<StepPart>>>>,
    weighed: Weighted,
) -> Result<(), Problem> {
    let own: Vec<Spanned<String>> = problems.keys().cloned().collect();
    let lists: Vec<_> = problems.iter().map(|(name, part)| (name.clone(), part.near.clone())).collect();
    for (name, part) in problems {
        formulate(&mut strategy.problems, &name, part)?;
    }
    let keeps = |steps: &Spanned<Vec<Spanned<StepPart>>>| {
        steps.get_ref().iter().find(|step| step.get_ref().keep.is_some()).map(Spanned::span)
    };
    let kept = steps.as_ref().and_then(keeps);
    if let Some(steps) = steps {
        strategy.steps = read_steps(steps, &strategy.problems)?;
    }
    strategy.drop_unused_problems();
    if !strategy.is_near_by_groups() && strategy.steps.iter().any(|step| step.keep.is_some()) {
        let why =
            "keep keeps nothing: no problem has distances of groups or uncarried-spatial, which relate what is near";
        return Err((kept, why.to_owned()));
    }
    check_weights(strategy, weighed)?;
    check_near(strategy, &lists)?;
    for name in own {
        if !strategy.problems.iter().any(|problem| problem.name == *name.get_ref()) {
            return Err((Some(name.span()), format!("no step solves the problem {}", name.get_ref())));
        }
    }
    Ok(())
}

/// Where a file first gives weights of distances, and of references.
type Weighted = [Option<Range<usize>>; 2];

/// Takes weights; where the first of distances is, and the first of references.
fn weigh(weights: &mut Weights, said: BTreeMap<Spanned<String>, i64>) -> Result<Weighted, Problem> {
    let [mut distances, mut references] = [None, None];
    for (key, weight) in said {
        let first = match weights.set(key.get_ref(), weight).map_err(|problem| (Some(key.span()), problem))? {
            Weighed::Distances => &mut distances,
            Weighed::References => &mut references,
        };
        first.get_or_insert(key.span());
    }
    Ok([distances, references])
}

/// Some problem looks at weights that a file gives.
fn check_weights(strategy: &Strategy, [distances, references]: Weighted) -> Result<(), Problem> {
    if distances.is_some() && !strategy.problems.iter().any(|problem| problem.minimizes(Term::WeightedDistances)) {
        return Err((distances, "weights have no effect where no problem has weighted-distances".to_owned()));
    }
    if references.is_some() && !strategy.problems.iter().any(Formulation::counts_references) {
        let terms = "row-coefficients or stride-coefficients";
        return Err((references, format!("weights of arrays have no effect where no problem has {terms}")));
    }
    Ok(())
}

/// A choice among what is near.
fn read_near(list: List) -> Result<Near, Problem> {
    let (span, mut near) = (list.span(), Near::default());
    for entry in list.into_inner() {
        near.add(entry.get_ref()).map_err(|problem| (Some(entry.span()), problem))?;
    }
    match near.is_all() {
        true => Err((Some(span), "near is an empty list; without the key all that is near takes part".to_owned())),
        false => Ok(near),
    }
}

/// What problems choose is there to be chosen. The lists are those of the file, with the names of problems.
fn check_near(strategy: &Strategy, lists: &[(Spanned<String>, Option<List>)]) -> Result<(), Problem> {
    for problem in strategy.problems.iter().filter(|problem| !problem.near.is_all()) {
        let (name, list) = match lists.iter().find(|(name, _)| *name.get_ref() == problem.name) {
            Some((name, list)) => (Some(name.span()), list.as_ref()),
            None => (None, None),
        };
        let at = |kind: DependenceKind| {
            let mut entries = list.into_iter().flat_map(|list| list.get_ref());
            entries.find(|entry| entry.get_ref() == kind.name()).map(Spanned::span).or(name.clone())
        };
        if !problem.has_distances() {
            let why = "near has no effect in a problem without a bound, weighted-distances, distances of groups or uncarried-spatial";
            return Err((list.map(Spanned::span).or(name), why.to_owned()));
        }
        for kind in problem.near.kinds() {
            let why = match kind {
                _ if strategy.is_near_by_groups() => {
                    "has no effect: what is near is what groups of references relate, of which near takes arrays alone"
                }
                DependenceKind::Input if !strategy.input_dependences => {
                    "has no effect without input-dependences = true"
                }
                _ => continue,
            };
            return Err((at(kind), format!("\"{}\" {why}", kind.name())));
        }
    }
    Ok(())
}

/// Changes a problem, or adds one.
fn formulate(problems: &mut Vec<Formulation>, name: &Spanned<String>, part: ProblemPart) -> Result<(), Problem> {
    let place = problems.iter().position(|problem| problem.name == *name.get_ref());
    let old = place.map(|place| problems[place].clone());
    let constraints = part.constraints.map(read_constraints).transpose()?;
    let near = part.near.map(read_near).transpose()?;
    let part = ProblemPart { constraints: None, near: None, ..part };
    let formulation = match (old, part) {
        (Some(old), part) => Formulation {
            minimize: part.minimize.unwrap_or(old.minimize),
            near: near.unwrap_or(old.near),
            independence: part.independence.unwrap_or(old.independence),
            signs: part.signs.unwrap_or(old.signs),
            skew: part.skew.unwrap_or(old.skew),
            parametric: part.parametric.unwrap_or(old.parametric),
            constraints: constraints.unwrap_or(old.constraints),
            vectorize: part.vectorize.unwrap_or(old.vectorize),
            name: old.name,
        },
        (None, ProblemPart { minimize: Some(minimize), independence, signs, skew, parametric, vectorize, .. }) => {
            Formulation {
                name: name.get_ref().clone(),
                minimize,
                near: near.unwrap_or_default(),
                independence: independence.unwrap_or(Independence::Forms),
                signs: signs.unwrap_or(Signs::Any),
                skew: skew.unwrap_or(true),
                parametric: parametric.unwrap_or(true),
                constraints: constraints.unwrap_or_default(),
                vectorize: vectorize.unwrap_or_default(),
            }
        }
        (None, _) => return Err((Some(name.span()), format!("a new problem, {}, needs `minimize`", name.get_ref()))),
    };
    formulation.check().map_err(|problem| (Some(name.span()), problem))?;
    match place {
        Some(place) => problems[place] = formulation,
        None => problems.push(formulation),
    }
    Ok(())
}

fn read_steps(parts: Spanned<Vec<Spanned<StepPart>>>, problems: &[Formulation]) -> Result<Vec<Step>, Problem> {
    let mut steps = Vec::new();
    let all = parts.span();
    for part in parts.into_inner() {
        let span = part.span();
        if steps.last().is_some_and(Step::is_final) {
            return Err((Some(span), "nothing comes to this step: the one before has no condition".to_owned()));
        }
        let StepPart { when, problem, coincident, keep, otherwise, ends_band } = part.into_inner();
        let Some(place) = problems.iter().position(|one| one.name == *problem.get_ref()) else {
            let names: Vec<&str> = problems.iter().map(|problem| problem.name.as_str()).collect();
            let all = names.join(", ");
            return Err((Some(problem.span()), format!("no problem is called {}; there are {all}", problem.get_ref())));
        };
        let otherwise = otherwise.unwrap_or(if keep.is_some() { Otherwise::Next } else { Otherwise::Relax });
        steps.push(Step { when, problem: place, coincident, keep, otherwise, ends_band });
    }
    if steps.is_empty() { Err((Some(all), "there is no step".to_owned())) } else { Ok(steps) }
}

/// Turns off what nothing comes of: `maximize-coincidence` and `register-limit`, in this order.
///
/// # Errors
/// This file said it, there.
fn drop_without_effect(strategy: &mut Strategy, said: &[Option<Range<usize>>; 2]) -> Result<(), Problem> {
    let asks = strategy.prefers_coincidence();
    let without = [
        (strategy.fusion != Fusion::Incremental, "maximize-coincidence has no effect unless fusion is \"incremental\""),
        (
            !asks || !strategy.looks_at_references(),
            "register-limit has no effect where no problem looks at references, or no step asks for coincidence",
        ),
    ];
    for (span, (is_without, problem)) in said.iter().zip(without) {
        if is_without && span.is_some() {
            return Err((span.clone(), problem.to_owned()));
        }
    }
    let [maximize, registers] = without.map(|(is_without, _)| !is_without);
    strategy.maximize_coincidence &= maximize;
    strategy.register_limit = strategy.register_limit.filter(|_| registers);
    Ok(())
}
