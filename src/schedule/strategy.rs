//! What the scheduler aims at: presets, single choices, and their file form.

use crate::machine::Machine;
use std::fmt;

/// How the next member of a band is found (ppcg report, section 6.2).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Algorithm {
    /// Permutable bands with short distances (6.5); where that finds nothing, a step of Feautrier's algorithm.
    Pluto,
    /// Each band carries as many dependences as possible (6.4) until none is left; then as [`Algorithm::Pluto`].
    Feautrier,
}

/// Which statements share a band (6.1, 7.3; unified report, section 2.3).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Fusion {
    /// Each strongly connected component has its own: `--schedule-serialize-sccs`, Pluto's `nofuse`.
    None,
    /// Strongly connected components of the same dimension at first; others only where that loses nothing: Pluto's
    /// `smartfuse`. A weakly connected component is cut between components of different dimension, before it is
    /// scheduled as a whole.
    Smart,
    /// A weakly connected component is scheduled as a whole, and cut only where that has no solution:
    /// `--schedule-whole-component`, Pluto's `maxfuse`.
    Max,
    /// Strongly connected components are scheduled one by one and then combined where no (coincident) member is lost
    /// (7.3).
    Incremental,
}

/// What is made as small as possible first in the problem of a member.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Cost {
    /// `Σ |m_i|`, then `m_0`, of the bound `m·n + m_0` on distances (6.5.5). The `m_i` may be negative.
    SumThenConstant,
    /// `u_1, …, u_k, w` of the bound `u·p + w`, all non-negative (Pluto paper, (5)).
    Hyperplane,
    /// The distances of groups of references, each group by itself, the most promising first: temporal, then spatial
    /// (unified report, 4.4, objective (4)). Without groups only coefficients count.
    Groups,
}

/// How a member is made independent of those before.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Independence {
    /// Some form that vanishes on the members before does not vanish; both signs are tried (6.5.6, 6.5.7).
    Forms,
    /// The coefficients' projections on a basis of the orthogonal subspace are non-negative, and their sum is positive
    /// (Pluto paper, (6)).
    Orthogonal,
}

/// Which signs the coefficients of variables may have.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Signs {
    /// Any: each coefficient is the difference of two variables of the problem (6.4.1).
    Any,
    /// None is negative, and their sum is at least one (Pluto paper, section 3.2).
    NonNegative,
}

/// The aims of a schedule. Section numbers are those of the ppcg report.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Strategy {
    /// How members are found (6.2).
    pub algorithm: Algorithm,
    /// Members are coincident as long as possible (6.5.3). Otherwise members that happen to be are marked, as in Pluto:
    /// it only makes distances short.
    pub prefer_coincidence: bool,
    /// The outermost member of each band must be coincident; where that is impossible, a step of Feautrier's algorithm
    /// carries what is in the way (6.2).
    pub outer_coincidence: bool,
    /// Statements are separated where their band would otherwise have fewer members (6.5.8, 7.3.5).
    pub maximize_band_depth: bool,
    /// Which statements share a band (6.1, 7.3).
    pub fusion: Fusion,
    /// Components are only combined where no coincident member is lost (7.3.5).
    pub maximize_coincidence: bool,
    /// The objectives (6.5.5).
    pub cost: Cost,
    /// Linear independence (6.5.6).
    pub independence: Independence,
    /// Signs of coefficients (6.5.7).
    pub signs: Signs,
    /// Schedules that coalesce loops are avoided (7.5).
    pub treat_coalescing: bool,
    /// A common divisor of all coefficients of a step of Feautrier's algorithm is taken out (7.1).
    pub unscale: bool,
    /// As a fallback, Feautrier's algorithm first carries dependences of statements on themselves only (7.6).
    pub carry_self_first: bool,
    /// No coefficient of a variable or parameter exceeds this in size.
    pub max_coefficient: Option<i64>,
    /// No constant term exceeds this.
    pub max_constant: Option<i64>,
    /// The last member carries as many spatial proximity relations as possible (unified report, 4.6, objective (5)).
    pub carry_spatial_last: bool,
    /// The outermost coincident member carries as many spatial proximity relations as possible, and is marked if it
    /// carries any, for neighbouring threads; where it would carry none, it is found as any other (unified report,
    /// 4.8).
    pub carry_spatial_first: bool,
    /// One coincident member is enough for a statement, also where components are combined (unified report, 4.7,
    /// "Single degree of parallelism").
    pub single_coincidence: bool,
    /// Inner members need not be coincident where two or fewer are left (unified report, 4.7, "Unprofitable inner
    /// parallelism").
    pub relax_inner_coincidence: bool,
    /// Where no outer member can be coincident and the references of a component weigh more than this, a step of
    /// Feautrier's algorithm keeps what follows from being fused (unified report, 4.7, "Carrying dependences to avoid
    /// fusion": `h_lim`).
    pub register_limit: Option<i64>,
}

impl Strategy {
    /// What the isl library does by default: the ppcg report's algorithms, with nothing forced.
    pub fn isl_defaults() -> Strategy {
        Strategy {
            algorithm: Algorithm::Pluto,
            prefer_coincidence: true,
            outer_coincidence: false,
            maximize_band_depth: false,
            fusion: Fusion::Incremental,
            maximize_coincidence: false,
            cost: Cost::SumThenConstant,
            independence: Independence::Forms,
            signs: Signs::Any,
            treat_coalescing: true,
            unscale: true,
            carry_self_first: true,
            max_coefficient: None,
            max_constant: None,
            carry_spatial_last: false,
            carry_spatial_first: false,
            single_coincidence: false,
            relax_inner_coincidence: false,
            register_limit: None,
        }
    }

    /// What ppcg does: the outermost member of each band is coincident, and bands are as deep and as coincident as
    /// possible: PPCG sets these options along with forced outer coincidence (7.3.1). Turning that off by
    /// [`Strategy::set`] turns the others off as well and leaves [`Strategy::isl_defaults`].
    pub fn ppcg() -> Strategy {
        Strategy {
            outer_coincidence: true,
            maximize_band_depth: true,
            maximize_coincidence: true,
            ..Strategy::isl_defaults()
        }
    }

    /// Bondhugula et al., *A practical automatic polyhedral parallelizer and locality optimizer*, 2008.
    pub fn pluto() -> Strategy {
        Strategy {
            prefer_coincidence: false,
            fusion: Fusion::Smart,
            maximize_band_depth: true,
            cost: Cost::Hyperplane,
            independence: Independence::Orthogonal,
            signs: Signs::NonNegative,
            treat_coalescing: false,
            ..Strategy::isl_defaults()
        }
    }

    /// Feautrier, *Some efficient solutions to the affine scheduling problem*, part II, 1992.
    pub fn feautrier() -> Strategy {
        Strategy { algorithm: Algorithm::Feautrier, ..Strategy::isl_defaults() }
    }

    /// Zinenko et al., *Unified polyhedral modeling of temporal and spatial locality*, 2017, for CPUs (section 4.7).
    pub fn unified_cpu(machine: &Machine) -> Strategy {
        Strategy {
            outer_coincidence: false,
            cost: Cost::Groups,
            carry_spatial_last: true,
            single_coincidence: true,
            relax_inner_coincidence: true,
            register_limit: Some(machine.register_limit()),
            ..Strategy::ppcg()
        }
    }

    /// The same report's strategy for GPUs (section 4.8).
    pub fn unified_gpu() -> Strategy {
        Strategy { carry_spatial_first: true, ..Strategy::ppcg() }
    }

    /// Distances in memory count, so that a scheduler needs the groups of references.
    pub fn looks_at_references(&self) -> bool {
        self.cost == Cost::Groups || self.carry_spatial_last || self.carry_spatial_first
    }

    /// A preset by name, for a machine.
    pub fn preset(name: &str, machine: &Machine) -> Option<Strategy> {
        match name {
            "isl" => Some(Strategy::isl_defaults()),
            "ppcg" => Some(Strategy::ppcg()),
            "pluto" => Some(Strategy::pluto()),
            "feautrier" => Some(Strategy::feautrier()),
            "unified-cpu" => Some(Strategy::unified_cpu(machine)),
            "unified-gpu" => Some(Strategy::unified_gpu()),
            _ => None,
        }
    }
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
    /// Reads the file form: a line `key: value` each, `#` before comments. `preset: NAME` may come first and gives what
    /// is not said otherwise, for the machine given; without it that is `ppcg`. What [`Strategy`]'s `Display` writes
    /// can be read.
    pub fn parse(text: &str, machine: &Machine) -> Result<Strategy, ParseError> {
        Strategy::ppcg().with_text(text, machine)
    }

    /// Reads the file form, with this strategy's choices for what it does not say.
    pub fn with_text(self, text: &str, machine: &Machine) -> Result<Strategy, ParseError> {
        let mut strategy = self;
        let mut first = true;
        for (index, line) in text.lines().enumerate() {
            let error = |problem: String| ParseError { line: index + 1, problem };
            let line = line.split('#').next().unwrap_or_default().trim();
            if line.is_empty() || line == "---" {
                continue;
            }
            let (key, value) = line.split_once(':').ok_or_else(|| error("a line is `key: value`".into()))?;
            let (key, value) = (key.trim(), value.trim());
            if key == "preset" {
                if !first {
                    return Err(error("a preset comes first".into()));
                }
                strategy =
                    Strategy::preset(value, machine).ok_or_else(|| error(format!("no preset is called {value}")))?;
            } else {
                strategy.set(key, value).map_err(error)?;
            }
            first = false;
        }
        Ok(strategy)
    }

    /// Changes one choice, named as in the file form. With `outer-coincidence: false` go, if it was on, the choices
    /// that PPCG makes along with it, `maximize-band-depth` and `maximize-coincidence`, unless they are made again
    /// afterwards.
    ///
    /// # Errors
    /// What is wrong with the key or the value.
    pub fn set(&mut self, key: &str, value: &str) -> Result<(), String> {
        match key {
            "algorithm" => self.algorithm = choice(value, ALGORITHMS)?,
            "prefer-coincidence" => self.prefer_coincidence = choice(value, SWITCH)?,
            "outer-coincidence" => self.force_outer_coincidence(choice(value, SWITCH)?),
            "maximize-band-depth" => self.maximize_band_depth = choice(value, SWITCH)?,
            "fusion" => self.fusion = choice(value, FUSIONS)?,
            "maximize-coincidence" => self.maximize_coincidence = choice(value, SWITCH)?,
            "cost" => self.cost = choice(value, COSTS)?,
            "independence" => self.independence = choice(value, INDEPENDENCES)?,
            "signs" => self.signs = choice(value, SIGNS)?,
            "treat-coalescing" => self.treat_coalescing = choice(value, SWITCH)?,
            "unscale" => self.unscale = choice(value, SWITCH)?,
            "carry-self-first" => self.carry_self_first = choice(value, SWITCH)?,
            "max-coefficient" => self.max_coefficient = bound(value)?,
            "max-constant" => self.max_constant = bound(value)?,
            "carry-spatial-last" => self.carry_spatial_last = choice(value, SWITCH)?,
            "carry-spatial-first" => self.carry_spatial_first = choice(value, SWITCH)?,
            "single-coincidence" => self.single_coincidence = choice(value, SWITCH)?,
            "relax-inner-coincidence" => self.relax_inner_coincidence = choice(value, SWITCH)?,
            "register-limit" => self.register_limit = bound(value)?,
            _ => return Err(format!("nothing is called {key}")),
        }
        Ok(())
    }
}

impl Strategy {
    fn force_outer_coincidence(&mut self, on: bool) {
        if self.outer_coincidence && !on {
            self.maximize_band_depth = false;
            self.maximize_coincidence = false;
        }
        self.outer_coincidence = on;
    }
}

type Names<T> = &'static [(&'static str, T)];

const SWITCH: Names<bool> = &[("true", true), ("false", false)];
const ALGORITHMS: Names<Algorithm> = &[("pluto", Algorithm::Pluto), ("feautrier", Algorithm::Feautrier)];
const FUSIONS: Names<Fusion> =
    &[("none", Fusion::None), ("smart", Fusion::Smart), ("max", Fusion::Max), ("incremental", Fusion::Incremental)];
const COSTS: Names<Cost> =
    &[("sum-then-constant", Cost::SumThenConstant), ("hyperplane", Cost::Hyperplane), ("groups", Cost::Groups)];
const INDEPENDENCES: Names<Independence> = &[("forms", Independence::Forms), ("orthogonal", Independence::Orthogonal)];
const SIGNS: Names<Signs> = &[("any", Signs::Any), ("non-negative", Signs::NonNegative)];

fn choice<T: Copy>(value: &str, names: Names<T>) -> Result<T, String> {
    names.iter().find(|(name, _)| *name == value).map(|(_, choice)| *choice).ok_or_else(|| {
        let all: Vec<&str> = names.iter().map(|(name, _)| *name).collect();
        format!("{value} is none of {}", all.join(", "))
    })
}

fn bound(value: &str) -> Result<Option<i64>, String> {
    match value {
        "none" => Ok(None),
        _ => match value.parse() {
            Ok(bound) if bound >= 0 => Ok(Some(bound)),
            _ => Err(format!("{value} is neither none nor a number from 0 on")),
        },
    }
}

fn name<T: PartialEq>(choice: &T, names: Names<T>) -> &'static str {
    names.iter().find(|(_, other)| other == choice).map_or("", |(name, _)| name)
}

impl fmt::Display for Strategy {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let number = |bound: Option<i64>| bound.map_or("none".to_owned(), |bound| bound.to_string());
        writeln!(f, "algorithm: {}", name(&self.algorithm, ALGORITHMS))?;
        writeln!(f, "prefer-coincidence: {}", self.prefer_coincidence)?;
        writeln!(f, "outer-coincidence: {}", self.outer_coincidence)?;
        writeln!(f, "maximize-band-depth: {}", self.maximize_band_depth)?;
        writeln!(f, "fusion: {}", name(&self.fusion, FUSIONS))?;
        writeln!(f, "maximize-coincidence: {}", self.maximize_coincidence)?;
        writeln!(f, "cost: {}", name(&self.cost, COSTS))?;
        writeln!(f, "independence: {}", name(&self.independence, INDEPENDENCES))?;
        writeln!(f, "signs: {}", name(&self.signs, SIGNS))?;
        writeln!(f, "treat-coalescing: {}", self.treat_coalescing)?;
        writeln!(f, "unscale: {}", self.unscale)?;
        writeln!(f, "carry-self-first: {}", self.carry_self_first)?;
        writeln!(f, "max-coefficient: {}", number(self.max_coefficient))?;
        writeln!(f, "max-constant: {}", number(self.max_constant))?;
        writeln!(f, "carry-spatial-last: {}", self.carry_spatial_last)?;
        writeln!(f, "carry-spatial-first: {}", self.carry_spatial_first)?;
        writeln!(f, "single-coincidence: {}", self.single_coincidence)?;
        writeln!(f, "relax-inner-coincidence: {}", self.relax_inner_coincidence)?;
        writeln!(f, "register-limit: {}", number(self.register_limit))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse(text: &str) -> Result<Strategy, ParseError> {
        Strategy::parse(text, &Machine::generic())
    }

    fn preset_of(name: &str) -> Strategy {
        Strategy::preset(name, &Machine::generic()).unwrap()
    }

    #[test]
    fn presets_are_for_a_machine() {
        let large = Machine { vector_registers: 32, ..Machine::generic() };
        let limit = |machine: &Machine| Strategy::parse("preset: unified-cpu", machine).unwrap().register_limit;
        assert_eq!((limit(&Machine::generic()), limit(&large)), (Some(48), Some(96)));
    }

    #[test]
    fn what_is_written_can_be_read() {
        for preset in ["isl", "ppcg", "pluto", "feautrier", "unified-cpu", "unified-gpu"] {
            let strategy = Strategy { max_constant: Some(7), ..preset_of(preset) };
            assert_eq!(parse(&strategy.to_string()).unwrap(), strategy);
            let text = format!("# a comment\npreset: {preset}\nmax-constant: 7 # small\n");
            assert_eq!(parse(&text).unwrap(), strategy);
        }
    }

    #[test]
    fn ppcg_without_outer_coincidence_has_isls_defaults() {
        let off = "preset: ppcg\nouter-coincidence: false\n";
        assert_eq!(parse(off).unwrap(), Strategy::isl_defaults());
        assert_eq!(parse(off).unwrap(), Strategy::from(crate::schedule::IslOptions::isl()));
        assert_eq!(Strategy::ppcg(), Strategy::from(crate::schedule::IslOptions::default()));
        let wide = parse(&format!("{off}maximize-band-depth: true")).unwrap();
        assert_eq!(wide, Strategy { maximize_band_depth: true, ..Strategy::isl_defaults() });
        for preset in ["isl", "pluto", "feautrier"] {
            let text = format!("preset: {preset}\nouter-coincidence: false\n");
            assert_eq!(parse(&text).unwrap(), preset_of(preset), "nothing was on");
        }
    }

    #[test]
    fn mistakes_have_a_line() {
        let error = |text: &str| parse(text).unwrap_err();
        assert_eq!(error("fusion: max\nsigns: some").line, 2);
        assert_eq!(error("fusion").line, 1);
        assert_eq!(error("\n\nfuse: max").line, 3);
        assert_eq!(error("fusion: max\npreset: ppcg").line, 2);
        assert_eq!(error("max-constant: -1").line, 1);
    }
}
