//! The options of `poly-schedule` on LLVM IR: those of the MLIR pass, from one text.

use crate::options::{OptionError, Options, Values};

/// The options, with what only LLVM IR has.
#[derive(Clone, Debug)]
pub struct LlvmOptions {
    /// Those that the MLIR pass has as well. `parallel` is false by default: programs need libomp for it.
    pub schedule: Options,
    /// Whether the user said which machine to optimize for.
    pub machine_given: bool,
    /// `dump=raised`: show the text of each region that was raised.
    pub dump_raised: bool,
}

/// The word of `dump` that only LLVM IR has.
const RAISED: &str = "raised";

impl LlvmOptions {
    /// Reads options such as `parallel=true tile-sizes=32,32`, with blanks or `;` between. A later one wins.
    ///
    /// # Errors
    /// A word that is no option, or a value that is malformed or unknown.
    pub fn parse(text: &str) -> Result<Self, OptionError> {
        let mut pairs = vec![("parallel".to_owned(), "false".to_owned())];
        let mut dump_raised = false;
        for word in text.split(|c: char| c == ';' || c.is_whitespace()).filter(|word| !word.is_empty()) {
            let (name, value) = word.split_once('=').unwrap_or((word, ""));
            let mut value = value.to_owned();
            if name == "dump" {
                let (raised, others): (Vec<_>, Vec<_>) = value.split(',').partition(|stage| *stage == RAISED);
                dump_raised = !raised.is_empty();
                value = others.join(",");
            }
            pairs.push((name.to_owned(), value));
        }
        let values =
            Values::with_defaults(Options::ROWS, pairs.iter().map(|(name, value)| (name.as_str(), value.as_str())))?;
        let machine_given = values.optional("machine").is_some();
        Ok(Self { schedule: Options::parse(&values)?, machine_given, dump_raised })
    }
}

#[cfg(test)]
mod tests {
    use super::LlvmOptions;

    #[test]
    fn blanks_and_semicolons_separate() {
        let options = LlvmOptions::parse("tile-sizes=16,32;wavefront=2  parallel=true").expect("good options");
        assert!(options.schedule.parallel);
        assert_eq!(options.schedule.wavefront, Some(2));
        assert_eq!(options.schedule.tile_sizes.to_string(), "16,32");
    }

    #[test]
    fn parallel_is_off_by_default_and_the_last_word_counts() {
        assert!(!LlvmOptions::parse("").expect("no options").schedule.parallel);
        assert!(!LlvmOptions::parse("parallel=true;parallel=false").expect("good").schedule.parallel);
    }

    #[test]
    fn the_raised_text_is_a_stage_of_its_own() {
        let options = LlvmOptions::parse("dump=raised,scop").expect("good options");
        assert!(options.dump_raised);
        assert_eq!(options.schedule.dump.len(), 1);
    }

    #[test]
    fn what_is_no_option_is_said() {
        assert!(LlvmOptions::parse("paralel=true").unwrap_err().to_string().contains("paralel"));
        assert!(LlvmOptions::parse("parallel").unwrap_err().to_string().contains("parallel"));
    }
}
