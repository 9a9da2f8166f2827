use polyrs_core::driver::Scheduler;
use polyrs_core::machine::Machine;
use polyrs_core::schedule_tree::TileSizes;

use super::*;

fn parse(pairs: &[(&str, &str)]) -> Result<Options, OptionError> {
    Options::parse(&Values::with_defaults(Options::ROWS, pairs.iter().copied())?)
}

/// Options as text, or why there are none.
fn shown(pairs: &[(&str, &str)]) -> String {
    format!("{:?}", parse(pairs))
}

fn refusal(name: &str, value: &str) -> String {
    parse(&[(name, value)]).expect_err("the value must be refused").to_string()
}

#[test]
fn defaults_are_the_contracts() {
    let options = parse(&[]).unwrap();
    // A pass remembers what regions got.
    let memory = options.driver.memory.clone().filter(|memory| memory.count() == 0);
    let contract = driver::Options { memory, ..driver::Options::new(options.driver.machine.clone()) };
    assert!(contract.memory.is_some());
    assert_eq!(format!("{:?}", options.driver), format!("{contract:?}"));
    assert!(options.assume_noalias && !options.read_back);
    assert_eq!(options.time_budget, Duration::from_secs(600));
    assert!(options.dump.is_empty() && options.report.is_none());
    assert!(options.selects("any"));
}

#[test]
fn every_row_has_a_distinct_name_and_a_default_that_parses() {
    let names: BTreeSet<_> = Options::ROWS.iter().map(|row| row.name.to_text()).collect();
    assert_eq!(names.len(), Options::ROWS.len());
    for row in Options::ROWS {
        let (name, initial) = (row.name.to_text(), row.initial.to_text());
        assert_eq!(shown(&[(&name, &initial)]), shown(&[]), "{name}");
    }
}

#[test]
fn every_row_is_read() {
    for row in Options::ROWS {
        let name = row.name.to_text();
        let changed = ["false", "true", "off", "none", "7", "schedule", "gpu", "auto", "order=original"]
            .iter()
            .any(|value| shown(&[(&name, value)]) != shown(&[]));
        assert!(changed, "{name}");
    }
}

#[test]
fn a_machine_is_known_by_name_or_described_in_a_file() {
    let driver = |pairs: &[(&str, &str)]| parse(pairs).unwrap().driver;
    let options = driver(&[("machine", "generic")]);
    assert_eq!((options.machine, options.tile_sizes), (Machine::generic(), TileSizes::new(&[32])));
    assert_eq!(driver(&[("machine", "host")]).machine, Machine::host().machine);
    assert_eq!(driver(&[("machine", "generic"), ("tile-sizes", "8")]).tile_sizes, TileSizes::new(&[8]));
    let text = refusal("machine", "/nowhere/machine");
    assert!(text.starts_with("option 'machine': cannot read /nowhere/machine: "), "{text}");
}

#[test]
fn lists_and_files() {
    let options =
        parse(&[("dump", "ast,scop"), ("load-schedule", "a %.yaml"), ("function", "f,g"), ("time-budget-ms", "1")])
            .unwrap();
    assert_eq!(options.dump, BTreeSet::from([Dump::Scop, Dump::Ast]));
    assert_eq!(options.load_schedule, Some(PathBuf::from("a %.yaml")));
    assert!(options.selects("g") && !options.selects("h"));
    assert_eq!(options.time_budget, Duration::from_millis(1));
}

#[test]
fn a_script_begins_with_its_own_tree() {
    assert_eq!(parse(&[("script", "%.try")]).unwrap().script, Some(PathBuf::from("%.try")));
    let text = parse(&[("script", "%.try"), ("load-schedule", "%.yaml")]).unwrap_err().to_string();
    assert!(text.starts_with("option 'script': '%.try' is not for a tree that load-schedule takes"), "{text}");
}

#[test]
fn unknown_words_name_what_is_allowed() {
    assert_eq!(refusal("target", "fpga"), "option 'target': 'fpga' is not one of cpu, gpu");
    assert_eq!(refusal("tile", "yes"), "option 'tile': 'yes' is not one of true, false");
    assert_eq!(
        refusal("dump", "scop,,ast"),
        "option 'dump': '' is not one of scop, dependences, constraints, schedule, ast"
    );
    assert_eq!(refusal("check", ""), "option 'check': '' is not one of true, false");
}

#[test]
fn numbers_are_positive_and_fit() {
    for value in ["0", "-1", "x", "1.5", "9223372036854775808", "4,", "4,,4", "8/", "/4"] {
        let text = refusal("tile-sizes", value);
        assert!(text.ends_with("is not a list of whole numbers from 1 to 9223372036854775807"), "{text}");
    }
    assert!(parse(&[("tile-sizes", "9223372036854775807")]).is_ok());
    assert!(refusal("time-budget-ms", "0").contains("time-budget-ms"));
}

#[test]
fn a_strategy_is_for_our_own_scheduler() {
    const MINE: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../examples/strategies/no-skew.toml");
    let options = parse(&[("scheduler", "pluto"), ("strategy", MINE)]).unwrap();
    assert_eq!((options.driver.scheduler, options.strategy), (Scheduler::Own("pluto"), Some(PathBuf::from(MINE))));
    assert!(parse(&[("strategy", MINE)]).is_ok(), "the default is ours");
    let missing = refusal("strategy", "/nowhere/my.toml");
    assert_eq!(missing, "option 'strategy': cannot read /nowhere/my.toml: No such file or directory");
    let wrong = refusal("strategy", concat!(env!("CARGO_MANIFEST_DIR"), "/src/lib.rs"));
    assert!(wrong.starts_with("option 'strategy': ") && wrong.contains("/src/lib.rs:1:1: "), "{wrong}");
    for other in ["isl", "none"] {
        let text = parse(&[("scheduler", other), ("strategy", "my.yaml")]).unwrap_err().to_string();
        assert!(text.ends_with("is not for this scheduler, but for our own: all but isl and none"), "{text}");
    }
}

#[test]
fn unknown_options_name_the_known_ones() {
    let text = refusal("tilesizes", "32");
    assert!(
        text.starts_with("unknown option 'tilesizes' (did you mean 'tile-sizes'?); the options are target, scheduler")
    );
}
