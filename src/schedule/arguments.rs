//! The scheduler's options by their names on isl's command line, as `OPTIONS:` comments of `.sc` files have them.

use super::isl_scheduler::Options;
use super::strategy::{Algorithm, Fusion, Strategy};

/// A word that is no option, or not in that form.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{message}")]
pub struct OptionError {
    /// Which of the words.
    pub word: usize,
    /// What is wrong with it.
    pub message: String,
}

/// The names of those that are on or off.
const FLAGS: [&str; 9] = [
    "outer-coincidence",
    "maximize-coincidence",
    "maximize-band-depth",
    "serialize-sccs",
    "whole-component",
    "separate-components",
    "treat-coalescing",
    "carry-self-first",
    "split-scaled",
];

/// The names of those that have a value.
const VALUED: [&str; 4] = ["algorithm", "max-coefficient", "max-constant-term", "fuse"];

/// What has these options.
trait Settable {
    /// Sets one of [`FLAGS`].
    fn set_flag(&mut self, name: &str, on: bool) -> Result<(), String>;
    /// Sets the algorithm.
    fn set_algorithm(&mut self, algorithm: Algorithm);
    /// Sets the bound on coefficients, `None` for none.
    fn set_max_coefficient(&mut self, bound: Option<i32>);
    /// Sets the bound on constant terms, `None` for none.
    fn set_max_constant(&mut self, bound: Option<i32>);
}

impl Options {
    /// Sets options by words such as `--schedule-outer-coincidence`, `--no-schedule-treat-coalescing`,
    /// `--schedule-max-coefficient=4` and `--schedule-algorithm feautrier`, in turn.
    ///
    /// # Errors
    /// The first word that is no option of the scheduler. Those before it have taken effect.
    pub fn apply(&mut self, words: &[&str]) -> Result<(), OptionError> {
        apply(self, words)
    }
}

impl Strategy {
    /// Sets choices by the words that are options of isl's scheduler, as [`super::IslOptions::apply`] does: then
    /// ours aims at what isl's would with the same options.
    ///
    /// # Errors
    /// The first word that is no option of the scheduler. Those before it have taken effect.
    pub fn apply(&mut self, words: &[&str]) -> Result<(), OptionError> {
        apply(self, words)
    }
}

fn apply(target: &mut dyn Settable, words: &[&str]) -> Result<(), OptionError> {
    let mut at = 0;
    while let Some(word) = words.get(at) {
        let first = at;
        let error = |message| OptionError { word: first, message };
        let (name, on) = name_of(word).ok_or_else(|| error(unknown(word)))?;
        let (name, value) = match name.split_once('=') {
            Some((name, value)) => (name, Some(value)),
            None => (name, None),
        };
        if VALUED.contains(&name) && on {
            let value = match value {
                Some(value) => value,
                None => {
                    at += 1;
                    words.get(at).copied().ok_or_else(|| error(format!("`{word}` needs a value")))?
                }
            };
            set_value(target, name, value).map_err(error)?;
        } else if FLAGS.contains(&name) {
            let on = match value {
                None | Some("yes" | "1") => on,
                Some("no" | "0") => !on,
                Some(_) => return Err(error(format!("`{word}` is on or off, it has no value"))),
            };
            target.set_flag(name, on).map_err(error)?;
        } else {
            return Err(error(unknown(word)));
        }
        at += 1;
    }
    Ok(())
}

fn set_value(target: &mut dyn Settable, name: &str, value: &str) -> Result<(), String> {
    let expected = |what: &str| Err(format!("`{value}` is not {what}"));
    match (name, value) {
        ("algorithm", "isl") => target.set_algorithm(Algorithm::Pluto),
        ("algorithm", "feautrier") => target.set_algorithm(Algorithm::Feautrier),
        ("algorithm", _) => return expected("an algorithm; there are isl and feautrier"),
        // isl's old name of the same thing.
        ("fuse", "min") => target.set_flag("serialize-sccs", true)?,
        ("fuse", "max") => target.set_flag("serialize-sccs", false)?,
        ("fuse", _) => return expected("a level of fusion; there are max and min"),
        _ => {
            let bound = match value.parse::<i32>() {
                Ok(-1) => None,
                Ok(bound) if bound >= 0 => Some(bound),
                _ => return expected("a bound; -1 means none"),
            };
            match name {
                "max-coefficient" => target.set_max_coefficient(bound),
                _ => target.set_max_constant(bound),
            }
        }
    }
    Ok(())
}

impl Settable for Options {
    fn set_flag(&mut self, name: &str, on: bool) -> Result<(), String> {
        let flag = match name {
            "outer-coincidence" => &mut self.outer_coincidence,
            "maximize-coincidence" => &mut self.maximize_coincidence,
            "maximize-band-depth" => &mut self.maximize_band_depth,
            "serialize-sccs" => &mut self.serialize_sccs,
            "whole-component" => &mut self.whole_component,
            "separate-components" => &mut self.separate_components,
            "treat-coalescing" => &mut self.treat_coalescing,
            "carry-self-first" => &mut self.carry_self_first,
            "split-scaled" => &mut self.split_scaled,
            _ => return Err(unknown(name)),
        };
        *flag = on;
        Ok(())
    }

    fn set_algorithm(&mut self, algorithm: Algorithm) {
        self.algorithm = algorithm;
    }

    fn set_max_coefficient(&mut self, bound: Option<i32>) {
        self.max_coefficient = bound;
    }

    fn set_max_constant(&mut self, bound: Option<i32>) {
        self.max_constant_term = bound;
    }
}

impl Settable for Strategy {
    fn set_flag(&mut self, name: &str, on: bool) -> Result<(), String> {
        let flag = match name {
            "outer-coincidence" => &mut self.outer_coincidence,
            "maximize-coincidence" => &mut self.maximize_coincidence,
            "maximize-band-depth" => &mut self.maximize_band_depth,
            "treat-coalescing" => &mut self.treat_coalescing,
            "carry-self-first" => &mut self.carry_self_first,
            "split-scaled" => &mut self.unscale,
            "serialize-sccs" => return self.set_fusion(Fusion::None, on),
            "whole-component" => return self.set_fusion(Fusion::Max, on),
            "separate-components" if on => return Ok(()),
            _ => return Err("our scheduler always separates components".to_owned()),
        };
        *flag = on;
        Ok(())
    }

    fn set_algorithm(&mut self, algorithm: Algorithm) {
        self.algorithm = algorithm;
    }

    fn set_max_coefficient(&mut self, bound: Option<i32>) {
        self.max_coefficient = bound.map(i64::from);
    }

    fn set_max_constant(&mut self, bound: Option<i32>) {
        self.max_constant = bound.map(i64::from);
    }
}

impl Strategy {
    /// Turning a kind of fusion off leaves the others as they are. Serialised components are not scheduled as a whole.
    fn set_fusion(&mut self, fusion: Fusion, on: bool) -> Result<(), String> {
        match (on, self.fusion) {
            (true, Fusion::None) => {}
            (true, _) => self.fusion = fusion,
            (false, now) if now == fusion => self.fusion = Fusion::Incremental,
            (false, Fusion::Smart) if fusion == Fusion::Max => self.fusion = Fusion::Incremental,
            (false, _) => {}
        }
        Ok(())
    }
}

/// The name within the scheduler's options, and whether it is to be on.
fn name_of(word: &str) -> Option<(&str, bool)> {
    let name = word.strip_prefix("--")?;
    let (name, on) = match name.strip_prefix("no-") {
        Some(name) => (name, false),
        None => (name, true),
    };
    // Programs that embed isl put its name in front.
    Some((name.strip_prefix("isl-").unwrap_or(name).strip_prefix("schedule-")?, on))
}

fn unknown(word: &str) -> String {
    let names = FLAGS.iter().chain(&VALUED[..3]).map(|name| format!("--schedule-{name}")).collect::<Vec<_>>();
    format!("`{word}` is no option of the scheduler; there are {}", names.join(", "))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn set(words: &[&str]) -> Result<Options, OptionError> {
        let mut options = Options::isl();
        options.apply(words).map(|()| options)
    }

    #[test]
    fn each_name_sets_its_own_field() {
        for name in FLAGS {
            let (on, off) = (format!("--schedule-{name}"), format!("--no-schedule-{name}"));
            assert_ne!(set(&[&on]), set(&[&off]), "{name}");
            assert_eq!(set(&[&on, &off]), set(&[&off]), "{name}");
        }
        let distinct: Vec<_> = FLAGS.iter().map(|name| set(&[&format!("--no-schedule-{name}")]).unwrap()).collect();
        let changed = |options: &Options| *options != Options::isl();
        assert_eq!(distinct.iter().filter(|o| changed(o)).count(), 4, "those that are on by default");
        let all = Options {
            outer_coincidence: true,
            maximize_coincidence: true,
            maximize_band_depth: true,
            ..Options::isl()
        };
        assert_eq!(all, Options::default());
    }

    #[test]
    fn a_strategy_takes_the_same_words() {
        let strategy = |words: &[&str]| {
            let mut strategy = Strategy::isl_defaults();
            strategy.apply(words).map(|()| strategy)
        };
        let flags =
            ["--schedule-outer-coincidence", "--schedule-maximize-coincidence", "--schedule-maximize-band-depth"];
        assert_eq!(strategy(&flags), Ok(Strategy::ppcg()));
        let fusion = |words: &[&str]| strategy(words).unwrap().fusion;
        assert_eq!(fusion(&["--schedule-whole-component"]), Fusion::Max);
        assert_eq!(fusion(&["--schedule-whole-component", "--no-schedule-whole-component"]), Fusion::Incremental);
        assert_eq!(fusion(&["--schedule-serialize-sccs", "--schedule-whole-component"]), Fusion::None);
        assert_eq!(strategy(&["--schedule-algorithm=feautrier"]), Ok(Strategy::feautrier()));
        assert!(strategy(&["--no-schedule-separate-components"]).is_err());
    }

    #[test]
    fn values_follow_or_are_joined() {
        let bounded = Options { max_coefficient: Some(4), max_constant_term: Some(10), ..Options::isl() };
        assert_eq!(set(&["--schedule-max-coefficient=4", "--schedule-max-constant-term", "10"]), Ok(bounded));
        assert_eq!(set(&["--isl-schedule-fuse=min"]), set(&["--schedule-serialize-sccs"]));
        let feautrier = Options { algorithm: Algorithm::Feautrier, ..Options::isl() };
        assert_eq!(set(&["--schedule-algorithm=feautrier"]), Ok(feautrier));
    }

    #[test]
    fn errors_say_which_word() {
        let bad = |words: &[&str]| {
            let error = set(words).unwrap_err();
            (error.word, error.message.split(';').next().unwrap_or_default().to_owned())
        };
        let good = "--schedule-outer-coincidence";
        assert_eq!(bad(&[good, "--schedule-outer"]), (1, "`--schedule-outer` is no option of the scheduler".into()));
        assert_eq!(bad(&["tile"]).1, "`tile` is no option of the scheduler");
        assert_eq!(bad(&[good, "--schedule-algorithm"]), (1, "`--schedule-algorithm` needs a value".into()));
        assert_eq!(bad(&["--schedule-max-coefficient=x"]).1, "`x` is not a bound");
        assert_eq!(bad(&["--no-schedule-algorithm=isl"]).0, 0);
    }
}
