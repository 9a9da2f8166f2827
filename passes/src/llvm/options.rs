//! The options of `poly-schedule` on LLVM IR: those of the MLIR pass, from one text.

use std::borrow::Cow;

use llvm_sys::target_machine::LLVMGetHostCPUName;
use polyrs_core::driver::{Effort, LayoutSearch, Target};
use polyrs_core::machine::ENVIRONMENT;

use super::ir::{Function, owned_text};
use super::raise::Errno;
use crate::mlir::emit::DeviceMemory;
use crate::mlir::lower::pipelines::{CHIP, LIBDEVICE, chip, libdevice};
use crate::options::value::option;
use crate::options::{OptionError, Options, Values};
use polyrs_host::OptionRow;
use polyrs_interface::Outlook;

/// The options, with what only LLVM IR has.
#[derive(Clone, Debug)]
pub struct LlvmOptions {
    /// Those that the MLIR pass has as well. `parallel` is false by default: programs need libomp for it.
    pub schedule: Options,
    /// The machine to optimize for, as the option's text; nothing for the default.
    pub machine: Option<String>,
    /// `parallel-threshold=N`: the operations below which a parallel loop runs sequentially; nothing for the machine's.
    pub threshold: Option<u64>,
    /// `single-loops=true`: loops with no other one in them are optimized too, whatever is beside them. By default as
    /// `parallel`, and with `target=gpu`; see [`Self::least`].
    pub single_loops: bool,
    /// `chip=sm_NN`: the oldest device that kernels run on; nothing for the default.
    pub chip: Option<String>,
    /// `libdevice=FILE`: NVIDIA's library of functions.
    pub libdevice: Option<String>,
    /// `trace-checks=true`: the program says in the end how often each check at run time held.
    pub trace_checks: bool,
    /// `dump=raised`: show the text of each region that was raised.
    pub dump_raised: bool,
    /// `dump=facts,kernels`: show what LLVM is told of new code, and why that holds, or kernels.
    pub dump_lowering: Vec<String>,
    /// `validate=true`: a developer's check; a function and its rewritten form are run on random memory, see
    /// [`super::validate`].
    pub validate: bool,
    /// The options for a function that is compiled for another machine than this one.
    elsewhere: Option<Box<LlvmOptions>>,
}

/// The word of `dump` that only LLVM IR has.
const RAISED: &str = "raised";

/// The words of `dump` that lowering has, not scheduling.
const OF_LOWERING: [&str; 2] = [FACTS, "kernels"];

/// What functions as a whole have, too, which lowering does not see.
const FACTS: &str = "facts";

impl LlvmOptions {
    /// Reads options such as `parallel=true tile-sizes=32,32`, with blanks or `;` between. A later one wins.
    ///
    /// # Errors
    /// A word that is no option, or a value that is malformed or unknown.
    pub fn parse(text: &str) -> Result<Self, OptionError> {
        let options = Self::parse_words(text)?;
        if options.machine.is_some() || std::env::var_os(ENVIRONMENT).is_some() {
            return Ok(options);
        }
        let elsewhere = Self::parse_words(&format!("{text} machine=generic"))?;
        Ok(Self { elsewhere: Some(Box::new(elsewhere)), ..options })
    }

    fn parse_words(text: &str) -> Result<Self, OptionError> {
        let (mut pairs, mut own) = (vec![("parallel", "false".to_owned())], Vec::new());
        let (mut dump_raised, mut dump_lowering) = (false, Vec::new());
        for word in text.split(|c: char| c == ';' || c.is_whitespace()).filter(|word| !word.is_empty()) {
            let (name, value) = word.split_once('=').unwrap_or((word, ""));
            if OWN.iter().any(|row| row.name.to_text() == name) {
                own.push((name, value));
                continue;
            }
            let mut value = value.to_owned();
            if name == "dump" {
                dump_raised = value.split(',').any(|stage| stage == RAISED);
                let (lowering, others): (Vec<&str>, Vec<&str>) =
                    value.split(',').filter(|stage| *stage != RAISED).partition(|stage| OF_LOWERING.contains(stage));
                dump_lowering = lowering.into_iter().map(str::to_owned).collect();
                value = others.join(",");
            }
            pairs.push((name, value));
        }
        let values = Values::with_defaults(Options::ROWS, pairs.iter().map(|(name, value)| (*name, value.as_str())))?;
        let own = Values::with_defaults(OWN, own)?;
        let schedule = Options::parse(&values)?;
        let is_for_gpu = schedule.driver.target == Target::Gpu;
        if is_for_gpu {
            check_device(&schedule)?;
        }
        Ok(Self {
            machine: values.optional("machine"),
            threshold: own.optional(THRESHOLD).map(|_| own.number(THRESHOLD, 0)).transpose()?,
            single_loops: own
                .optional(SINGLES)
                .map_or(Ok(is_for_gpu || schedule.driver.may_be_parallel()), |_| own.boolean(SINGLES))?,
            chip: own.optional("chip").map(|_| chip(&own).map(str::to_owned)).transpose()?,
            libdevice: libdevice(&own)?,
            trace_checks: own.boolean(TRACES)?,
            validate: own.boolean(VALIDATE)?,
            dump_raised,
            dump_lowering,
            schedule,
            elsewhere: None,
        })
    }

    /// What becomes of calls that may set `errno`. On the thread of the original they set it themselves, in whatever order; a
    /// schedule that is loaded may have threads, too. None of them may go, as who wants instances removed wants.
    pub fn errno(&self) -> Errno {
        let Options { driver, load_schedule, script, .. } = &self.schedule;
        match driver.target == Target::Cpu && !driver.remove_dead {
            false => Errno::Refused,
            true if driver.may_be_parallel() || load_schedule.is_some() || script.is_some() => Errno::Noted,
            true => Errno::Kept,
        }
    }

    /// Rows behind pointers can be described as an array. What lies between them is none of the program's, so that none of
    /// it may be copied to a GPU and back.
    pub fn finds_rows(&self) -> bool {
        self.schedule.driver.target == Target::Cpu
    }

    /// The least loops that are optimized, unless their layout is asked for. In sequence a single loop has hardly any order
    /// but its own, and with little effort loops in a row are not worth the time: what they may gain is that one takes
    /// from a cache what another one left there.
    pub fn least(&self) -> Outlook {
        if self.single_loops {
            return Outlook::Single;
        }
        let Options { driver, layout_maps, load_schedule, script, .. } = &self.schedule;
        let has_tree = load_schedule.is_some() || script.is_some();
        let is_asked = layout_maps.is_some() || has_tree || driver.candidate.is_some();
        let in_haste = driver.effort == Effort::Low && driver.profitability && driver.layout != LayoutSearch::Any;
        if in_haste && !is_asked { Outlook::Nest } else { Outlook::Row }
    }

    /// Whether it is shown what LLVM is told.
    pub fn dumps_facts(&self) -> bool {
        self.dump_lowering.iter().any(|stage| stage == FACTS)
    }

    /// Shows the text of a region, if that was asked for.
    pub fn show_raised(&self, name: &str, text: &str) {
        if self.dump_raised {
            eprint!("# raised of {name}\n{}\n", text.trim_end());
        }
    }

    /// The options for a function. Where nothing says which machine is meant, it is the one that this runs on for code
    /// that is compiled for its processor (`-march=native`), and the generic one for other code.
    pub fn of(&self, function: Function<'_>) -> Cow<'_, Self> {
        let found = match &self.elsewhere {
            Some(elsewhere) if function.string_attribute("target-cpu") != Some(host_processor()) => elsewhere,
            _ => self,
        };
        if !function.has_attribute("noimplicitfloat") {
            return Cow::Borrowed(found);
        }
        // Accumulators are kept in vectors, which use the registers of floating-point numbers: no block is looked for,
        // and one that a candidate or a loaded tree has keeps nothing.
        let mut found = found.clone();
        found.schedule.driver.register_tiles = false;
        found.schedule.driver.promote = false;
        Cow::Owned(found)
    }
}

const THRESHOLD: &str = "parallel-threshold";
const SINGLES: &str = "single-loops";
const TRACES: &str = "trace-checks";
const VALIDATE: &str = "validate";

/// The options that the MLIR pass does not have.
pub const OWN: &[OptionRow] = &[
    option(THRESHOLD, "N", "", "The operations below which a parallel loop runs sequentially (default: the machine's)"),
    option(SINGLES, "true|false", "", "Optimize loops with no other in or beside them, too (default: as parallel)"),
    CHIP,
    LIBDEVICE,
    option(TRACES, "true|false", "false", "The program says in the end how often each check at run time held"),
    option(
        VALIDATE,
        "true|false",
        "false",
        "A developer's check: run each function beside its original on random memory",
    ),
];

/// What kernels of a program need: code for the CPU beside them, and copies, since nobody knows where arrays end.
fn check_device(options: &Options) -> Result<(), OptionError> {
    let unavailable = |option: &str, value: &str, available: &str| {
        let (option, value) = (option.to_owned(), value.to_owned());
        Err(OptionError::Unavailable { option, value, available: available.to_owned() })
    };
    if !options.device.keep_original {
        return unavailable("cpu-version", "false", "true");
    }
    if options.device.memory == DeviceMemory::Resident {
        return unavailable("device-memory", "true", "false");
    }
    Ok(())
}

/// The processor that this runs on, as LLVM calls it.
fn host_processor() -> String {
    // SAFETY: LLVM hands out a text for the caller to free.
    owned_text(unsafe { LLVMGetHostCPUName() })
}

#[cfg(test)]
mod tests {
    use super::{LlvmOptions, Outlook};

    #[test]
    fn blanks_and_semicolons_separate() {
        let options = LlvmOptions::parse("tile-sizes=16,32;wavefront=2  parallel=true").expect("good options");
        assert!(options.schedule.driver.parallel);
        assert_eq!(options.schedule.driver.wavefront, Some(2));
        assert_eq!(options.schedule.driver.tile_sizes.to_string(), "16,32");
    }

    #[test]
    fn parallel_is_off_by_default_and_the_last_word_counts() {
        assert!(!LlvmOptions::parse("").expect("no options").schedule.driver.parallel);
        assert!(!LlvmOptions::parse("parallel=true;parallel=false").expect("good").schedule.driver.parallel);
    }

    #[test]
    fn the_raised_text_is_a_stage_of_its_own() {
        let options = LlvmOptions::parse("dump=raised,scop").expect("good options");
        assert!(options.dump_raised);
        assert_eq!(options.schedule.dump.len(), 1);
    }

    #[test]
    fn the_threshold_is_a_number() {
        assert_eq!(LlvmOptions::parse("parallel-threshold=0").expect("good").threshold, Some(0));
        assert_eq!(LlvmOptions::parse("").expect("good").threshold, None);
        assert!(LlvmOptions::parse("parallel-threshold=few").unwrap_err().to_string().contains("few"));
    }

    #[test]
    fn with_little_effort_nests_are_optimized_and_what_is_asked_for() {
        let least = |text: &str| LlvmOptions::parse(text).expect("good options").least();
        assert_eq!(
            [least(""), least("effort=low"), least("effort=low effort=high")],
            [Outlook::Row, Outlook::Nest, Outlook::Row]
        );
        for asked in [
            "profitability=off",
            "layout=any",
            "layout-maps=%",
            "load-schedule=%",
            "script=%",
            "candidate=order=original",
        ] {
            assert_eq!(least(&format!("effort=low {asked}")), Outlook::Row, "{asked}");
        }
        assert_eq!(least("effort=low parallel=true"), Outlook::Single);
    }

    #[test]
    fn single_loops_are_for_threads() {
        let parse = |text| LlvmOptions::parse(text).expect("good options").single_loops;
        assert!(!parse("") && parse("parallel=true") && parse("single-loops=true"));
        assert!(!parse("single-loops=false parallel=true"));
        assert!(LlvmOptions::parse("single-loops=some").unwrap_err().to_string().contains("some"));
    }

    #[test]
    fn checks_are_traced_where_asked_for() {
        let parse = |text| LlvmOptions::parse(text).expect("good options").trace_checks;
        assert!(!parse("") && parse("trace-checks=true"));
        assert!(LlvmOptions::parse("trace-checks=some").unwrap_err().to_string().contains("some"));
    }

    #[test]
    fn what_is_no_option_is_said() {
        assert!(LlvmOptions::parse("paralel=true").unwrap_err().to_string().contains("paralel"));
        assert!(LlvmOptions::parse("parallel").unwrap_err().to_string().contains("parallel"));
    }
}
